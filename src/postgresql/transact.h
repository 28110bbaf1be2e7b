#ifndef HF_POSTGRESQL_TRANSACT_H
#define HF_POSTGRESQL_TRANSACT_H

#include "postgresql/pipeline.h"
#include "postgresql/verdict.h"

/* Transact: one statement that writes, as a transaction of its own in one trip
 * to the server.  One thread at a time on one link. */

struct hf_pg_call {
    struct hf_pg_statement statement;
    struct hf_instant until;

    /* Another transaction behind it, which has nothing to do with what becomes
     * of the first, and is not waited for; NULL: none. */
    const struct hf_pg_statement *after;
};

/*
 * *report tells what became of it (verdict.h); *rows are the statement's, which
 * the caller clears, or NULL.  They are true only if the verdict is HF_APPLIED.
 * *error says why it is another.
 */
void hf_pg_transact(struct hf_pg_link *link, const struct hf_pg_call *call,
                    PGresult **rows, struct hf_pg_report *report,
                    struct hf_error *error);

#endif
