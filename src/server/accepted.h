#ifndef HF_SERVER_ACCEPTED_H
#define HF_SERVER_ACCEPTED_H

#include <uv.h>

#include "base/heap.h"
#include "server/pass.h"
#include "server/ranks.h"
#include "server/service.h"

/*
 * A connection that was accepted, from then to its end.
 *
 *                    accepted
 *                       |
 *                       v
 *   HELD_BACK <----> READING ----> HALF_CLOSED
 *       |               |               |          HTTP has done with it:
 *       `-------+-------'               |
 *               v                       v
 *           LINGERING ---------> AWAITING_RESET
 *               |                       |
 *               `---> CLOSING <---------'
 *
 *   READING         bytes are read, and answers are written
 *   HELD_BACK       answers must be written before more is read
 *   HALF_CLOSED     the client has ended its half; answers are still written
 *   LINGERING       our half is ended; what comes is dropped, until the client
 *                   ends its half, or for LINGER_MS
 *   AWAITING_RESET  both halves are ended, and the client has not acknowledged
 *                   the answer that told it of a session.  A reset tells that
 *                   it never will [W5]: a grant that is not read goes back
 *   CLOSING         libuv gives it back
 *
 * The first three go to CLOSING at once when the connection must make room, or
 * when both halves are ended and no reset is awaited.
 *
 * The bytes go to HTTP, and what HTTP tells goes to the service.  One thread.
 */
enum hf_accepted_state {
    HF_ACCEPTED_READING,
    HF_ACCEPTED_HELD_BACK,
    HF_ACCEPTED_HALF_CLOSED,
    HF_ACCEPTED_LINGERING,
    HF_ACCEPTED_AWAITING_RESET,
    HF_ACCEPTED_CLOSING,
    HF_ACCEPTED_STATES,
};

/* All of them. */
struct hf_connections {
    const struct hf_alloc *alloc; /* borrowed, as all of these; also of `due` */
    struct uv_loop_s *uv;
    const struct hf_http_limits *limits;
    struct hf_http *http;
    struct hf_service *service;
    struct hf_log *log;

    struct hf_heap due;
    size_t count;
    struct hf_ranks room;     /* all with which HTTP has not done */
    struct hf_list lingering; /* the others, in the order in which it had */
    struct hf_list to_read;
    struct hf_list unread; /* who has not read for longest is the first */
    size_t unread_count;
    size_t unread_len; /* of all of them */
    struct hf_accepted *to_flush;
    struct hf_pass pass;
};

struct hf_accepted {
    uv_poll_t poll;
    struct hf_connections *all; /* borrowed */
    enum hf_accepted_state state;
    struct hf_http_peer *peer; /* owned; NULL: HTTP has done with it */
    int fd;                    /* owned */
    int events;                /* that are polled for */
    int error;                 /* that broke it; 0: none is known */
    struct hf_heap_node due;   /* when HTTP has something to do, or it has
                                  lingered for long enough */
    bool to_flush;             /* in the list */
    struct hf_accepted *next_to_flush;
    bool to_read;               /* in the list */
    struct hf_link reading;     /* of that list */
    unsigned pieces;            /* that the pass may still read of it */
    struct hf_rank_place place; /* while HTTP has not done with it, */
    struct hf_link link;        /* and then among those that linger */
    struct hf_link unread;      /* in the list, while it does not read */
    size_t unread_len;          /* of what is kept for it */
    uint64_t session;    /* that holds, and for which it spoke last; or 0 */
    uint64_t opened;     /* that an answer told it alone of; or 0 */
    uint64_t opened_end; /* of the last such answer, in all bytes sent */
    uint64_t sent;       /* bytes */
    bool has_asked;      /* a whole request */
    bool asks;           /* one more, in this turn */
    char *left;          /* owned: read, and not taken yet */
    size_t left_len;
};

/* It is READING, as the newest.  There is room for it in `due`.  NULL: no
 * memory, and `fd` is closed. */
struct hf_accepted *hf_accepted_open(struct hf_connections *all, int fd);

/* It is to be read, and to be flushed, in this turn. */
void hf_accepted_to_read(struct hf_accepted *c);
void hf_accepted_to_flush(struct hf_accepted *c);

/* Read a piece, and hand it to HTTP.  False: that was all there is, or all that
 * is taken now. */
bool hf_accepted_read(struct hf_accepted *c);

/* Is there something of it in the kernel that was not read? */
bool hf_accepted_has_input(const struct hf_accepted *c);

/* At the end of a turn: write, and say what is waited for next. */
void hf_accepted_flush(struct hf_accepted *c);

/* It is due. */
void hf_accepted_clock(struct hf_accepted *c);

/* A number for the address of its client: of IPv6 for the network of 64 bits,
 * in which one host has as many addresses as it wants.  0: the kernel does not
 * know it any more. */
uint64_t hf_accepted_address(const struct hf_accepted *c);

/* End it at once, whatever its state is but CLOSING. */
void hf_accepted_close(struct hf_accepted *c);

#endif
