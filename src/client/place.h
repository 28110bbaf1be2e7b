#ifndef HF_CLIENT_PLACE_H
#define HF_CLIENT_PLACE_H

#include <holdfast/holdfast.h>

#include "client/lock.h"
#include "client/query.h"

struct hf_backend;

/* How long a caller's own call may wait for a place that others keep locked. */
#define HF_TURN_MS 100

/* How long opening a place waits for each of its answers. */
#define HF_OPEN_PATIENCE ((struct hf_duration){3000})

/*
 * Place: what stands behind a handle.  No file above this line knows whether
 * it is a table of records or a server.
 *
 * A kind of place is three structs of functions: for its locks, for queries and
 * for itself.  What a place cannot do is NULL, and the caller is told so in one
 * sentence, written once (lock.c).  Unless said otherwise they run with the
 * client entered, never block, and cannot fail.  A place tells of its handles
 * by hf_handle_notify, and of an end by hf_client_ended, too.
 */

/* start takes a lock whose settings are set, and keeps what it needs in
 * lock->handle.behind until forget, which is called once, after the end. */
struct hf_lock_methods {
    enum hf_status (*start)(struct hf_backend *backend, struct hf_lock *lock,
                            struct hf_error *error);
    enum hf_status (*change)(struct hf_backend *backend, struct hf_lock *lock,
                             size_t index, enum hf_mode mode,
                             struct hf_error *error);
    void (*release)(struct hf_backend *backend, struct hf_lock *lock);
    void (*cancel)(struct hf_backend *backend, struct hf_lock *lock);
    void (*abandon)(struct hf_backend *backend, struct hf_lock *lock);
    void (*forget)(struct hf_backend *backend, struct hf_lock *lock);

    enum hf_state (*state)(const struct hf_lock *lock);
    enum hf_outcome (*check)(const struct hf_lock *lock);
    uint64_t (*fence)(const struct hf_lock *lock);
    int64_t (*right_ms)(const struct hf_lock *lock);
    enum hf_status (*error)(const struct hf_lock *lock, struct hf_error *error);
    struct hf_view *(*watch)(struct hf_backend *backend,
                             const struct hf_lock *lock);
    size_t (*farewell)(const struct hf_lock *lock, char *buffer, size_t size);
};

/* start takes a query whose settings have been checked.  handle.behind is not
 * NULL while it goes on, and stays so after its end if it has a view: then
 * forget is called once.  cancel is called while it goes on. */
struct hf_query_methods {
    enum hf_status (*start)(struct hf_backend *backend, struct hf_query *query,
                            struct hf_error *error);
    void (*cancel)(struct hf_backend *backend, struct hf_query *query);
    void (*forget)(struct hf_backend *backend, struct hf_query *query);
    struct hf_view *(*watch)(struct hf_backend *backend,
                             const struct hf_query *query);
};

struct hf_place_methods {
    const struct hf_lock_methods *locks;
    const struct hf_query_methods *queries;

    /* Why it does not answer; as hf_client_trouble. */
    enum hf_status (*trouble)(struct hf_backend *backend,
                              struct hf_error *error);

    /*
     * A caller is about to wait, `alone` if no other does and it will for
     * HF_TURN_MS at least.  If it is alone and the place is to be asked
     * something, it may make the call itself, without the mutex: true, once
     * that has returned.  False: it is to wait; a thread of the place's does
     * what is due.  NULL: that is always so.
     */
    bool (*turn)(struct hf_backend *backend, bool alone);

    /* Called once, not entered, when every handle has ended: stop the threads
     * and leave the place; forget may still be called.  May block for as long
     * as a call to the place does. */
    void (*close)(struct hf_backend *backend);

    /* Its client goes: free it, closed or never used. */
    void (*free)(struct hf_backend *backend);
};

/* A place's own struct begins with this. */
struct hf_backend {
    const struct hf_place_methods *methods;
    struct hf_client *client; /* borrowed */
};

#endif
