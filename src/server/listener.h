#ifndef HF_SERVER_LISTENER_H
#define HF_SERVER_LISTENER_H

#include <uv.h>

#include "server/connections.h"

/*
 * Listener: accepts connections, some in each turn, until it is stopped.
 *
 * When the process has no descriptor left, and no connection can go, the next
 * is accepted with a spare descriptor and closed: else the kernel would tell of
 * it for ever.  One thread.
 */
struct hf_listener {
    uv_poll_t poll;
    struct hf_connections *connections; /* borrowed */
    int fd;                             /* owned */
    int spare_fd;   /* owned: given up when there is no other left */
    bool to_accept; /* a connection waits */
    struct hf_instant again_at; /* it listens again; HF_NEVER: it does */
};

enum {
    /* Connections that wait to be accepted.  The kernel keeps one more than it
     * is told. */
    HF_LISTENER_BACKLOG = 511,
};

/* It has nothing. */
void hf_listener_init(struct hf_listener *listener,
                      struct hf_connections *connections);

/* Listen at an address, and port 0 for the kernel's choice; *port is what it
 * is.  HF_E_INVALID: it is no address; HF_E_UNAVAILABLE. */
HF_MUST_USE enum hf_status hf_listener_open(struct hf_listener *listener,
                                            const char *host, uint16_t *port,
                                            struct hf_error *error);

/* Listen from now on. */
void hf_listener_start(struct hf_listener *listener, uv_loop_t *uv);

/* Of a turn: accept some of those that wait. */
void hf_listener_accept(struct hf_listener *listener);

/* When it listens again, or HF_NEVER. */
struct hf_instant hf_listener_deadline(const struct hf_listener *listener);

/* Accept no more.  hf_listener_close: the poll is closed already. */
void hf_listener_stop(struct hf_listener *listener);
void hf_listener_close(struct hf_listener *listener);

#endif
