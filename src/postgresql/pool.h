#ifndef HF_POSTGRESQL_POOL_H
#define HF_POSTGRESQL_POOL_H

#include <stdatomic.h>

#include "base/monitor.h"
#include "postgresql/schema.h"
#include "store/methods.h"
#include "store/silence.h"

/*
 * Pool: the connections to one place, each in use by one call at a time.
 *
 *   take --> link in use --> give: kept for the next call, 60 s at most
 *     |                  `--> close: it has failed
 *     `-- dials where none is free; after a failure not before a pause, which
 *         grows from 50 ms to 1 s
 *
 * A connection that was just made is asked whether the server, the database and
 * the schema will do; where there is no schema it is made, unless the place is
 * only to be looked at.
 *
 * Threads: any, as many at a time as there are connections.
 */

enum {
    HF_PG_IDENTITY_SIZE = 128,

    /* One a call, and one for the proof of a listener within a call. */
    HF_PG_LINKS = HF_STORE_REMOTE_CALLS + 1,
};

struct hf_pg_pool {
    struct hf_postgresql_place place;
    enum hf_pg_use use;

    struct hf_monitor monitor; /* guards what follows */
    struct hf_pg_link links[HF_PG_LINKS];
    bool used[HF_PG_LINKS];
    bool met; /* a server was found to do.  Before, nobody holds anything of it
                 that a silence could cost */
    bool opening;           /* and who opens it is to be told soon */
    struct hf_error failed; /* why a server did not do, the last time */
    bool lasts;             /* that will not pass by itself */
    struct hf_silence_rule silence;
    struct hf_instant dial_at;          /* and not before */
    char identity[HF_PG_IDENTITY_SIZE]; /* which place answered last; or "" */
    int64_t flushed;                    /* the furthest position of its log */
    _Atomic uint64_t generation;        /* grows when it is another one */
};

/*
 * Where an answer says which place it is from: the columns of the server's
 * system, the schema and the timeline, as one text; and of how far its log was
 * written, which never goes back in one place, unless its files were put back.
 */
struct hf_pg_identity {
    const PGresult *rows; /* borrowed for the call */
    int row;
    int place;
    int flushed;
};

/* What `place` says is copied. */
void hf_pg_pool_init(struct hf_pg_pool *pool, const struct hf_place *place,
                     enum hf_pg_use use);

/* Nobody uses it.  Closes all. */
void hf_pg_pool_fini(struct hf_pg_pool *pool);

/*
 * A connection to a place that will do, for a call that ends at `until`, or
 * when wake_fd (or -1) is readable: HF_E_CANCELLED, here as in the call.  NULL
 * in *link: the place is not there yet, which only one that looks is told.
 * HF_E_UNAVAILABLE, HF_E_DENIED, HF_E_CORRUPT (a schema that is not ours),
 * HF_E_LIMIT, HF_E_NOMEM: and there is none.
 */
HF_MUST_USE enum hf_status hf_pg_pool_take(struct hf_pg_pool *pool,
                                           struct hf_instant until, int wake_fd,
                                           struct hf_pg_link **link,
                                           struct hf_error *error);

/*
 * Is there a place that will do?  What may pass by itself is none of the
 * errors: HF_OK, and *away, which is untouched else, says why there was no
 * answer.  Errors as hf_pg_pool_take.  A silence of a second ends it, but for
 * who only looks: that one waits 10 s.
 */
HF_MUST_USE enum hf_status hf_pg_pool_open(struct hf_pg_pool *pool,
                                           struct hf_error *away,
                                           struct hf_error *error);

/* Has no server been found to do yet?  Any thread. */
bool hf_pg_pool_is_away(struct hf_pg_pool *pool);

/* The call has ended.  A broken link is closed. */
void hf_pg_pool_give(struct hf_pg_pool *pool, struct hf_pg_link *link);

/* Close those that have been idle for too long, as the end of each call does.
 * Returns when the next one will have been. */
struct hf_instant hf_pg_pool_close_idle(struct hf_pg_pool *pool);

/* For so long a server may be silent in a call that ends at `until`. */
struct hf_duration hf_pg_pool_patience(struct hf_pg_pool *pool,
                                       struct hf_instant until);

/* What an answer said, on a link that is in use.  Another place than before, or
 * a log that went back, makes the generation grow: so call it when the call's
 * verdicts are known. */
void hf_pg_pool_identify(struct hf_pg_pool *pool, const struct hf_pg_link *link,
                         const struct hf_pg_identity *identity);

#endif
