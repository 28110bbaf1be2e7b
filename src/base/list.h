#ifndef HF_BASE_LIST_H
#define HF_BASE_LIST_H

#include "base/container.h"

/*
 * A list of links that stand inside what is listed, in the order in which they
 * were added; adding and removing are O(1).
 *
 * A zeroed list is empty.  One thread at a time; cannot fail.
 */
struct hf_link {
    struct hf_link *next; /* NULL: the last */
    struct hf_link *previous;
};

struct hf_list {
    struct hf_link *first; /* NULL: it is empty */
    struct hf_link *last;
};

/* Add a link, which is in no list, as the last. */
void hf_list_add(struct hf_list *list, struct hf_link *link);

/* Take it out; it is in this list. */
void hf_list_remove(struct hf_list *list, struct hf_link *link);

#endif
