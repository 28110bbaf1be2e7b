#ifndef HF_POSTGRESQL_WATCH_H
#define HF_POSTGRESQL_WATCH_H

#include "postgresql/listener.h"

/*
 * Watch: wait until something in a place has changed.  The truth is a statement
 * of the caller's: looked for each second where changes are told, each 250 ms
 * where not, and when one is told.
 *
 * One thread at a time has the listener; others are told so.
 */

enum hf_pg_looked {
    HF_PG_LOOKED_STANDS,
    HF_PG_LOOKED_CHANGED, /* what is watched, or the place */
    HF_PG_LOOKED_FAILED,
};

struct hf_pg_watch {
    struct hf_pg_pool *pool;
    struct hf_pg_listener *listener;
    struct hf_instant until;
    int wake_fd;             /* or -1 */
    struct hf_instant first; /* the first look need not be before */

    enum hf_pg_looked (*look)(void *ctx, struct hf_instant until);
    hf_pg_wanted_fn *wanted;
    void *ctx;
};

/* For so long after a look nothing need be looked at, unless it is told. */
struct hf_duration hf_pg_watch_pause(const struct hf_pg_listener *listener);

/* True: it changed.  False: the time is over, or wake_fd is readable. */
bool hf_pg_watch(const struct hf_pg_watch *watch);

/* Close what nobody has used for too long: any thread, now and then.  Returns
 * when to do so again. */
struct hf_instant hf_pg_watch_close_idle(struct hf_pg_pool *pool,
                                         struct hf_pg_listener *listener);

/* Do that until then, or until wake_fd (or -1) is readable. */
void hf_pg_watch_nothing(struct hf_pg_pool *pool,
                         struct hf_pg_listener *listener,
                         struct hf_instant until, int wake_fd);

/* Try whether changes are told: *why stays HF_OK, or says why not. */
void hf_pg_watch_try(struct hf_pg_listener *listener, struct hf_pg_pool *pool,
                     struct hf_instant until, struct hf_error *why);

#endif
