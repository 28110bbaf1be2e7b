#ifndef HF_CLIENT_CLIENT_H
#define HF_CLIENT_CLIENT_H

#include <poll.h>
#include <pthread.h>

#include <holdfast/holdfast.h>

#include "base/alloc.h"
#include "base/process.h"
#include "client/trouble.h"
#include "store/store.h"

/*
 * A client: one place, two threads, any number of errands.
 *
 *   callers --+                          +--> courier --> store
 *             +--> pump (under `mutex`) -+
 *   beater  --+        ^                         |
 *                      +------- answers ---------+
 *
 * The *beater* never blocks on the place: it sends the time to the machines
 * when something falls due, looks at the holders' processes, and delivers
 * news to callbacks.  The *courier* alone touches the store: it carries the
 * questions there, as many as are waiting in one commit, and pumps the
 * answers; with nothing to carry it waits for a watched record to change.
 *
 * Under `mutex` only machines are stepped and lists are linked: it is never
 * held across a system call that may block, a store call or a callback.
 *
 * This module is what the others of this folder share.  They call each other
 * down this list only, and it calls none of them:
 *
 *   open, acquire,           the calls of holdfast.h
 *   examine, list, audit
 *   wait                     a caller that waits for its errand
 *   beater, courier          the two threads
 *   round, then parcel       what the courier carries
 *   errand                   the machines, and all that happens to them
 *   queue                    those with a question for the courier
 *   trouble                  why the place does not answer
 *   client
 */
struct hf_client {
    const struct hf_alloc *alloc; /* borrowed */
    struct hf_store *store;       /* owned; the courier's */
    struct hf_host host;          /* this process's; constant */
    unsigned generation;          /* of the process that opened it */
    char *place;                  /* owned; constant */
    bool looks_only;              /* constant */
    pthread_t beater;
    pthread_t courier;

    pthread_mutex_t mutex; /* guards what follows, and every errand */
    pthread_cond_t quiet;  /* a callback or a job has returned */
    size_t references;     /* the caller's, one an errand, one a job */
    bool closing;
    struct hf_errand *errands; /* all of them, linked */
    size_t errands_count;
    struct hf_errand *queue; /* questions to carry, oldest first */
    struct hf_errand **queue_end;
    struct hf_job *jobs;
    struct hf_trouble trouble;
    struct hf_instant armed; /* the beater wakes at this instant or before */
    bool beats_asked;        /* since the beater last looked */
    bool released;           /* since the courier last thought of purging */
    int timer_fd;
    int beater_wake_fd;
    int courier_wake_fd;
    struct pollfd *polls; /* the beater's */
    size_t polls_size;
};

/* A piece of work for the courier, on the stack of the caller that waits. */
struct hf_job {
    enum hf_status (*run)(struct hf_store *store, void *ctx,
                          struct hf_error *error);
    void *ctx;
    bool done;
    enum hf_status status; /* once done: what `run` said, and why */
    struct hf_error error;
    struct hf_job *next;
};

/*
 * A client of `place` without store and threads, for open.c.  It has one
 * reference: the caller's, who gives it up and leaves.  HF_E_NOMEM,
 * HF_E_LIMIT.
 */
HF_MUST_USE enum hf_status hf_client_new(const char *place,
                                         const struct hf_alloc *alloc,
                                         struct hf_client **client,
                                         struct hf_error *error);

/* Is this the process that opened it?  A forked child's is not. */
bool hf_client_is_ours(const struct hf_client *client);

/* As hf_client_may_call, and HF_E_DENIED if it was opened to look only. */
HF_MUST_USE enum hf_status hf_client_may_write(const struct hf_client *client,
                                               struct hf_error *error);

/* HF_E_INVALID in a forked child, and inside a callback of its beater. */
HF_MUST_USE enum hf_status hf_client_may_call(const struct hf_client *client,
                                              struct hf_error *error);

/* Mutex held: give it up, and free the client if nobody refers to it. */
void hf_client_leave(struct hf_client *client);

/* Run `job` on the courier, and wait for it.  What it says; HF_E_CANCELLED,
 * and not run, when the client is closing. */
HF_MUST_USE enum hf_status hf_client_run(struct hf_client *client,
                                         struct hf_job *job,
                                         struct hf_error *error);

/* Mutex held; cannot fail. */
void hf_client_wake_beater(struct hf_client *client);
void hf_client_wake_courier(struct hf_client *client);

/* A beater says who it is, since pthread_self() is another thread's once it
 * has ended. */
void hf_client_beats_here(const struct hf_client *client);

#endif
