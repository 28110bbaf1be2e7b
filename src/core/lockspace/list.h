#ifndef HF_CORE_LOCKSPACE_LIST_H
#define HF_CORE_LOCKSPACE_LIST_H

#include "core/lockspace/parts.h"

/* Doubly linked lists of entries of a lockspace: O(1), and counted.  The caller
 * names the links each time, since an entry may be in several lists.  Cannot
 * fail. */
typedef struct hf_links *hf_links_fn(const struct hf_lockspace *ls,
                                     uint32_t number);

static inline struct hf_links *
hf_list_mates(const struct hf_lockspace *ls, uint32_t claim)
{
    return &hf_claim_at(ls, claim)->mates;
}

static inline struct hf_links *
hf_list_work(const struct hf_lockspace *ls, uint32_t claim)
{
    return &hf_claim_at(ls, claim)->work;
}

static inline struct hf_links *
hf_list_parts(const struct hf_lockspace *ls, uint32_t part)
{
    return &hf_part_at(ls, part)->links;
}

static inline void
hf_list_add(struct hf_lockspace *ls, struct hf_ls_list *list,
            hf_links_fn *links, uint32_t number)
{
    *links(ls, number) = (struct hf_links){.prev = list->last};
    if (list->last == 0)
        list->first = number;
    else
        links(ls, list->last)->next = number;
    list->last = number;
    ls->counts.links++;
}

static inline void
hf_list_add_first(struct hf_lockspace *ls, struct hf_ls_list *list,
                  hf_links_fn *links, uint32_t number)
{
    *links(ls, number) = (struct hf_links){.next = list->first};
    if (list->first == 0)
        list->last = number;
    else
        links(ls, list->first)->prev = number;
    list->first = number;
    ls->counts.links++;
}

static inline void
hf_list_remove(struct hf_lockspace *ls, struct hf_ls_list *list,
               hf_links_fn *links, uint32_t number)
{
    struct hf_links *at = links(ls, number);

    if (at->prev == 0)
        list->first = at->next;
    else
        links(ls, at->prev)->next = at->next;
    if (at->next == 0)
        list->last = at->prev;
    else
        links(ls, at->next)->prev = at->prev;
    *at = (struct hf_links){0};
    ls->counts.links++;
}

#endif
