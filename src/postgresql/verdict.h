#ifndef HF_POSTGRESQL_VERDICT_H
#define HF_POSTGRESQL_VERDICT_H

#include <stdbool.h>

#include "core/op.h"

/*
 * Verdict: what became of a transaction, given what was queued for the server
 * and what came back.  A pure function; any thread.
 */

enum hf_pg_tag {
    HF_PG_TAG_NONE, /* COMMIT was not answered, or by an error */
    HF_PG_TAG_COMMIT,
    HF_PG_TAG_ROLLBACK, /* what COMMIT does to a transaction that has failed */
};

struct hf_pg_report {
    bool commit_queued; /* COMMIT was given to libpq, which sends it, also while
                           the connection is closed */
    bool ours; /* the server said the call's number, before all that follows: so
                   it is no answer to another client of a pooler */
    bool ready;  /* the ReadyForQuery that belongs to the Sync behind it came:
                     nothing is believed before */
    bool warned; /* a warning 01000 or 57P01 came with COMMIT's answer */
    enum hf_pg_tag tag;
    char error[6]; /* the SQLSTATE of the first error, or "" */
};

/* HF_APPLIED: each group's own verdict is true.  HF_UNAVAILABLE: surely nothing
 * was done.  HF_UNKNOWN. */
enum hf_verdict hf_pg_verdict(const struct hf_pg_report *report);

/* Was it undone for a reason that another try may not meet?  Only of a verdict
 * that is HF_UNAVAILABLE. */
bool hf_pg_verdict_again(const struct hf_pg_report *report);

#endif
