#ifndef HF_CLIENT_HANDLE_H
#define HF_CLIENT_HANDLE_H

#include <stdatomic.h>

#include <holdfast/holdfast.h>

#include "base/list.h"

/*
 * Handle: what a lock and a query have in common: it has news, is waited for,
 * cancelled from signal handlers, and freed in any state.
 *
 * Everything but hf_handle_signal wants the client entered.
 */

/* What a signal handler may order; the stronger wins. */
enum hf_handle_order { HF_ORDER_NONE, HF_ORDER_CANCEL, HF_ORDER_ABANDON };

struct hf_handle;

/* What a lock does otherwise than a query; with the client entered. */
struct hf_handle_methods {
    enum hf_state (*state)(const struct hf_handle *handle);
    void (*obey)(struct hf_handle *handle, enum hf_handle_order order);
    void (*settle)(struct hf_handle *handle);  /* the client is being closed */
    void (*destroy)(struct hf_handle *handle); /* it was freed and has ended */
};

struct hf_handle {
    const struct hf_handle_methods *methods;
    struct hf_client *client; /* one reference */
    uint64_t id;
    void *user;                  /* the caller's */
    void *behind;                /* the place's; owned by it from start to
                                    forget */
    struct hf_link link;         /* in client->handles */
    struct hf_link notice;       /* notified: in client->notices */
    struct hf_sleeper *sleepers; /* callers that wait for it */
    unsigned news;               /* not yet taken */
    bool notified;
    bool freed; /* by the caller: gone as soon as it has ended */
    bool started;
    bool ended;

    _Atomic bool signalled; /* it stands in client->signalled */
    _Atomic int order;      /* an enum hf_handle_order, from signal handlers */
    struct hf_handle *signal_next;
};

struct hf_notice {
    uint64_t id;
    void *user;
    unsigned news;
    enum hf_state state;
};

/* Link a new handle into its client, of which it then holds a reference. */
void hf_handle_add(struct hf_handle *handle, struct hf_client *client,
                   const struct hf_handle_methods *methods);

/* Take it out, and the reference with it. */
void hf_handle_remove(struct hf_handle *handle);

/* It has news: wake the callers that wait for it, and queue a notice. */
void hf_handle_notify(struct hf_handle *handle, unsigned news);

/* It is freed by the caller: nothing more is said of it. */
void hf_handle_silence(struct hf_handle *handle);

/* Take the oldest notice into client->notice, all but its state; NULL: there is
 * none. */
struct hf_handle *hf_handle_next(struct hf_client *client);

/*
 * Wait, without the mutex meanwhile, until `done` says so or `limit` is over;
 * returns what `done` says.
 */
bool hf_handle_wait(struct hf_handle *handle,
                    bool (*done)(const struct hf_handle *handle),
                    struct hf_duration limit);

/* From a signal handler, or from anywhere. */
void hf_handle_signal(struct hf_handle *handle, enum hf_handle_order order);

/* The next handle with an order, which is cleared; NULL: none. */
struct hf_handle *hf_handle_take_signalled(struct hf_client *client,
                                           enum hf_handle_order *order);

#endif
