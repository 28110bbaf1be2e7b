#ifndef HF_POSTGRESQL_LISTENER_H
#define HF_POSTGRESQL_LISTENER_H

#include <stdatomic.h>

#include "postgresql/pool.h"
#include "store/methods.h"

/*
 * Listener: a connection of its own that is told which keys were released.
 *
 *   OFF --go--> DIALLING --LISTEN, and the proof is sent--> PROVING
 *    ^                                                        | heard
 *    |  ended, or nothing was heard: after a pause            v
 *    `------------------------------------------------------ HEARS
 *
 * A pooler accepts LISTEN and tells nothing, so it proves itself: a random word
 * is notified through a working connection, and must arrive.  What is told is
 * only a reason to look.
 *
 * Threads: the one that has entered it, but is_deaf may be read by any.
 */

enum hf_pg_listening {
    HF_PG_LISTENER_OFF,
    HF_PG_LISTENER_DIALLING,
    HF_PG_LISTENER_PROVING,
    HF_PG_LISTENER_HEARS,
};

enum { HF_PG_WORD_SIZE = 17 }; /* 16 hexadecimal digits */

struct hf_pg_listener {
    struct hf_pg_link link;
    _Atomic enum hf_pg_listening state;
    struct hf_instant next;   /* OFF: not before; PROVING: not later */
    struct hf_instant looked; /* by whoever is to be told, the last time */
    unsigned failures;        /* in a row */
    char proof[HF_PG_WORD_SIZE];
    _Atomic int64_t left_ms; /* when the last thread that had it let it go */
    bool news;               /* something was told that is not looked at yet */
    struct hf_error why;     /* it does not hear; or HF_OK */
    _Atomic bool is_deaf;    /* it was tried, and did not hear */
    _Atomic bool used;       /* a thread has it */
};

void hf_pg_listener_init(struct hf_pg_listener *listener,
                         const struct hf_postgresql_place *place);
void hf_pg_listener_fini(struct hf_pg_listener *listener);

/* Have it, if no other thread has; and let it go. */
bool hf_pg_listener_enter(struct hf_pg_listener *listener);
void hf_pg_listener_leave(struct hf_pg_listener *listener);

/* Close it if nobody has had it for a while: any thread, now and then.  Returns
 * when to do so again. */
struct hf_instant hf_pg_listener_close_idle(struct hf_pg_listener *listener);

/* The word that tells of a key. */
void hf_pg_listener_word(struct hf_key key, char word[HF_PG_WORD_SIZE]);

/* Go on until it hears or cannot, or until `pause`, or until wake_fd (or -1) is
 * readable.  The proof goes through a connection of the pool. */
void hf_pg_listener_go(struct hf_pg_listener *listener, struct hf_pg_pool *pool,
                       struct hf_instant pause, int wake_fd);

/* What to poll for input, or -1; and until when. */
int hf_pg_listener_fd(const struct hf_pg_listener *listener);
struct hf_instant hf_pg_listener_next(const struct hf_pg_listener *listener);

/* Take what was told, and note it as news if `wanted` wants one of the words;
 * so is that it begins, or ends, to hear. */
typedef bool hf_pg_wanted_fn(void *ctx, const char *word);
void hf_pg_listener_take(struct hf_pg_listener *listener,
                         hf_pg_wanted_fn *wanted, void *ctx);

#endif
