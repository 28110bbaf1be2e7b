#ifndef HF_POSTGRESQL_PIPELINE_H
#define HF_POSTGRESQL_PIPELINE_H

#include "postgresql/link.h"

/*
 * Pipeline: statements on an open link, and what comes back.
 *
 * There is one Sync on the way at most.  A client that ends with two of them
 * makes pgbouncer 1.18 take the answer of the first for the last one's, and
 * give the server to another client, which is then told the answer of the
 * second for its own.  So that no answer of another client's is taken for ours,
 * each call has a number that the server must say first (a *nonce*).
 *
 * Threads: one at a time on one link.
 */

/* One value of a statement.  `len` < 0: text that ends with NUL; else the
 * bytes of a type's binary form.  `at` NULL: no value. */
struct hf_pg_value {
    Oid type; /* 0: as the statement makes it */
    const char *at;
    int len;
};

enum { HF_PG_VALUES_MAX = 24 };

struct hf_pg_statement {
    const char *sql; /* with the marks of sql.h, which are filled in */
    const struct hf_pg_value *values;
    unsigned count;
};

/*
 * A call begins: what an earlier one left unread is thrown away.  Then queue
 * statements, and Syncs, each of which ends a transaction that no statement
 * began; and read their results.
 *
 * False: the link is broken, and *error says why; or it is not, and wake_fd is
 * readable: then what is not read is thrown away by the next call.
 */
HF_MUST_USE bool hf_pg_pipeline_settle(struct hf_pg_link *link,
                                       struct hf_instant until,
                                       struct hf_error *error);
HF_MUST_USE bool hf_pg_pipeline_send(struct hf_pg_link *link,
                                     const struct hf_pg_statement *statement,
                                     struct hf_error *error);
HF_MUST_USE bool hf_pg_pipeline_sync(struct hf_pg_link *link,
                                     struct hf_error *error);

/* A number of the call's own, as a value of one of its statements; `digits` is
 * to last until that is queued.  And is it what column 0 of a result has?  If
 * not, the link is broken: who knows whose answers come on it. */
enum { HF_PG_DIGITS_SIZE = 24 };
struct hf_pg_value hf_pg_pipeline_nonce(struct hf_pg_link *link,
                                        char digits[HF_PG_DIGITS_SIZE]);
HF_MUST_USE bool hf_pg_pipeline_is_ours(struct hf_pg_link *link,
                                        const PGresult *result,
                                        struct hf_error *error);

/* Send what is queued, as far as that needs no waiting. */
void hf_pg_pipeline_flush(struct hf_pg_link *link);

/* The next result, which the caller clears: of a statement, or a
 * PGRES_PIPELINE_SYNC.  There must be a Sync that is not answered.  False also
 * when `until` is reached, or the server was silent. */
HF_MUST_USE bool hf_pg_pipeline_next(struct hf_pg_link *link,
                                     struct hf_instant until, PGresult **result,
                                     struct hf_error *error);

/* A call of one statement: its rows, which the caller clears, or NULL if it is
 * of a kind that has none.  HF_E_UNAVAILABLE and HF_E_DENIED: the server's
 * words are in *error, or the link is broken.  HF_E_CANCELLED: wake_fd is
 * readable, and it may be done all the same. */
HF_MUST_USE enum hf_status hf_pg_pipeline_ask(
    struct hf_pg_link *link, const struct hf_pg_statement *statement,
    struct hf_instant until, PGresult **rows, struct hf_error *error);

/* A call of many statements, parted by semicolons and without values.  `code`
 * is the SQLSTATE of the first error, or "".  As hf_pg_pipeline_ask. */
HF_MUST_USE enum hf_status hf_pg_pipeline_run(struct hf_pg_link *link,
                                              const char *sql,
                                              struct hf_instant until,
                                              char code[6],
                                              struct hf_error *error);

/* Has an open one not been ended by the server, as far as is known here? */
bool hf_pg_pipeline_is_alive(struct hf_pg_link *link);

/* What was notified; the caller frees it.  NULL: nothing, for now; the link may
 * be broken.  The socket is readable when there may be more. */
PGnotify *hf_pg_pipeline_notified(struct hf_pg_link *link);
int hf_pg_pipeline_fd(const struct hf_pg_link *link);

/* Tell what a result says that is an error. */
enum hf_status hf_pg_pipeline_fail(struct hf_pg_link *link,
                                   const PGresult *result,
                                   struct hf_error *error);

#endif
