#ifndef HF_JOURNAL_ROWS_H
#define HF_JOURNAL_ROWS_H

#include "core/node.h"
#include "journal/journal.h"

/*
 * Rows: a batch of a leader as changes of the journal.
 *
 * It is filled once, from what the machine says when the batch is begun, and is
 * the same for every sending of the batch [J4].
 *
 * One thread at a time.
 */

struct hf_rows {
    struct hf_arena arena;             /* of all that the changes point to */
    struct hf_journal_change *changes; /* owned */
    size_t count;
    size_t most;
    uint64_t number; /* of the batch; 0: no ask has named it yet */
    bool failed;     /* there was no memory: it can never be sent */
};

/* HF_E_NOMEM.  A zeroed one may be given to fini. */
HF_MUST_USE enum hf_status hf_rows_init(struct hf_rows *rows, size_t most,
                                        const struct hf_alloc *alloc);
void hf_rows_fini(struct hf_rows *rows);

/* After HF_NODE_COLLECT: take all changes of the batch.  `wall_ms`: Unix time
 * now. */
void hf_rows_collect(struct hf_rows *rows, struct hf_node *node,
                     int64_t wall_ms);

/* Add a change that was taken from a table. */
void hf_rows_add(struct hf_rows *rows, const struct hf_lockspace *ls,
                 const struct hf_change *change, int64_t wall_ms);

#endif
