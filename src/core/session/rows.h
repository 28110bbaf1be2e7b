#ifndef HF_CORE_SESSION_ROWS_H
#define HF_CORE_SESSION_ROWS_H

#include "core/session/parts.h"

/* Rows: doubly linked lists of a session's requests, O(1), and counted.  The
 * caller names the links each time, since a request may be in several rows.
 * Cannot fail. */

static inline struct hf_row_links *
hf_row_links(const struct hf_session *s, enum hf_row_kind kind, uint32_t number)
{
    return &hf_wish_at(s, number)->links[kind];
}

static inline uint32_t
hf_row_next(const struct hf_session *s, enum hf_row_kind kind, uint32_t number)
{
    return hf_row_links(s, kind, number)->next;
}

static inline void
hf_row_add(struct hf_session *s, struct hf_row *row, enum hf_row_kind kind,
           uint32_t number)
{
    *hf_row_links(s, kind, number) = (struct hf_row_links){.prev = row->last};
    if (row->last == 0)
        row->first = number;
    else
        hf_row_links(s, kind, row->last)->next = number;
    row->last = number;
    row->count++;
}

static inline void
hf_row_add_first(struct hf_session *s, struct hf_row *row,
                 enum hf_row_kind kind, uint32_t number)
{
    *hf_row_links(s, kind, number) = (struct hf_row_links){.next = row->first};
    if (row->first == 0)
        row->last = number;
    else
        hf_row_links(s, kind, row->first)->prev = number;
    row->first = number;
    row->count++;
}

static inline void
hf_row_remove(struct hf_session *s, struct hf_row *row, enum hf_row_kind kind,
              uint32_t number)
{
    struct hf_row_links at = *hf_row_links(s, kind, number);

    if (at.prev == 0)
        row->first = at.next;
    else
        hf_row_links(s, kind, at.prev)->next = at.next;
    if (at.next == 0)
        row->last = at.prev;
    else
        hf_row_links(s, kind, at.next)->prev = at.prev;
    *hf_row_links(s, kind, number) = (struct hf_row_links){0};
    row->count--;
}

#endif
