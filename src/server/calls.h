#ifndef HF_SERVER_CALLS_H
#define HF_SERVER_CALLS_H

#include "base/alloc.h"
#include "core/session.h"

/*
 * Calls: the messages that a lock server has under way, each with the exchange
 * on which its answer goes out.
 *
 * Its number is the message's stream, which the machine echoes: never 0, and
 * never given again while the server runs.  The table grows with what is under
 * way at once, and is kept.  One thread.
 */

struct hf_call {
    uint64_t stream;   /* 0: the place is free */
    uint64_t exchange; /* 0: nobody listens */
    void *peer;        /* of the exchange: the loop's own */
    enum hf_message_kind kind;
    bool waits;    /* its peer was told so: it is not decided */
    bool answered; /* it was handed to HTTP */
    bool gathered; /* one of many whose answers go out as one */
    bool opened;   /* with a session of its own, or of its key, */
    bool keyed;    /* which that leads to again; else nobody knows of it */
    bool settled;  /* and has nothing that anybody needs */
    uint64_t session;
    uint64_t lane;
    uint64_t n;
    uint64_t fence;          /* that it was told of; 0: none */
    int64_t since_us;        /* hf_now_us of its request */
    struct hf_secret secret; /* if opened */
    uint32_t next;           /* free: the place after it */
};

struct hf_calls {
    const struct hf_alloc *alloc; /* borrowed */
    struct hf_call *places;       /* owned */
    uint32_t size;
    uint32_t free; /* a place, from 1; 0: none */
    uint64_t turn; /* of streams */
};

/* A zeroed one with `alloc` set is empty. */
void hf_calls_fini(struct hf_calls *calls);

/* A new one with a stream; all else is zero.  Good until the next is added.
 * NULL: no memory. */
struct hf_call *hf_calls_add(struct hf_calls *calls);
void hf_calls_remove(struct hf_calls *calls, struct hf_call *call);

/* By its stream; NULL: it is over. */
struct hf_call *hf_calls_find(const struct hf_calls *calls, uint64_t stream);

/* All of them, from *cursor 0 on; NULL: that was the last.  Others may be added
 * and removed meanwhile. */
struct hf_call *hf_calls_next(const struct hf_calls *calls, uint32_t *cursor);

#endif
