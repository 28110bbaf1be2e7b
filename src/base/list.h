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

/* For each: `type` *`name`, which stands in a list by its `member`.  The body
 * may remove what is behind it, but not `name` itself. */
#define HF_EACH(type, name, list, member)                                      \
    for (type *name = HF_EACH_OF((list)->first, type, member); name != NULL;   \
         name = HF_EACH_OF(name->member.next, type, member))
#define HF_EACH_OF(link, type, member)                                         \
    ((link) == NULL ? NULL : HF_CONTAINER(link, type, member))

#endif
