#ifndef HF_POSTGRESQL_BATCH_H
#define HF_POSTGRESQL_BATCH_H

#include "journal/journal.h"
#include "postgresql/value.h"

/* Batch: a write of a journal as the values of write_batch in schema.sql. */

enum { HF_PG_BATCH_VALUES = 21 };

struct hf_pg_batch {
    const struct hf_journal_write *write;
    uint64_t store;              /* the identity that the head is to name */
    struct hf_duration patience; /* with another's lock on the head */

    /* Of values. */
    char expect[HF_PG_DIGITS_SIZE];
    char patience_digits[HF_PG_DIGITS_SIZE];
};

/* They are good as long as the batch, and what the arena and the write hold.
 * False: no memory. */
HF_MUST_USE bool hf_pg_batch_encode(struct hf_pg_batch *batch,
                                    struct hf_arena *arena,
                                    struct hf_pg_value *values);

#endif
