#ifndef HF_SERVER_PENDING_H
#define HF_SERVER_PENDING_H

#include "base/alloc.h"
#include "core/session.h"

/*
 * Pending: the messages that a lock server has not answered yet, and the
 * answers that are built and wait for the batch that they rest on [J2]: an
 * answer goes out after its batch is applied.
 *
 * A *call* is such a message, with the exchange on which its answer goes out.
 * Its number is the message's stream, which the machine echoes: never 0, and
 * never given again while the server runs.
 *
 * Answers go out in the order in which they were kept, for marks only grow.
 *
 * The table of calls and the block of answers grow with what is pending at
 * once, and are kept.  One thread.
 */

struct hf_pending_call {
    uint64_t stream;   /* 0: the place is free */
    uint64_t exchange; /* 0: the answer goes to no exchange of its own */
    void *peer;        /* of the exchange: the loop's own */
    enum hf_message_kind kind;
    bool waits;    /* its peer was told so: it is not decided */
    bool answered; /* it was handed to HTTP */
    bool of_batch; /* its answer goes out with others, as one */
    bool opened;   /* with a session of its own, or of its key, */
    bool keyed;    /* which that leads to again; else it is not known */
    bool settled;  /* and has nothing that anybody needs */
    uint64_t session;
    uint64_t lane;
    uint64_t n;
    uint64_t fence;          /* that it was told of; 0: none */
    int64_t since_us;        /* hf_now_us of its request */
    struct hf_secret secret; /* if opened */
    uint32_t next;           /* free: the place after it */
};

/* An answer, built: a status and a body. */
struct hf_pending_answer {
    uint64_t mark;
    uint64_t stream;
    uint64_t fence; /* of what it grants; 0: nothing */
    int status;
    struct hf_bytes body;
};

struct hf_pending {
    const struct hf_alloc *alloc;  /* borrowed */
    struct hf_pending_call *calls; /* owned */
    uint32_t size;
    uint32_t free; /* a place, from 1; 0: none */
    uint64_t turn; /* of streams */
    char *block;   /* owned: of answers */
    size_t room;   /* bytes */
    size_t first;  /* of the oldest answer */
    size_t end;
};

/* A zeroed one with `alloc` set is empty. */
void hf_pending_fini(struct hf_pending *pending);

/* ---- Calls --------------------------------------------------------------- */

/* A new one with a stream; all else is zero.  Good until the next is added.
 * NULL: no memory. */
struct hf_pending_call *hf_pending_add(struct hf_pending *pending);
void hf_pending_remove(struct hf_pending *pending,
                       struct hf_pending_call *call);

/* By its stream; NULL: it is over. */
struct hf_pending_call *hf_pending_find(const struct hf_pending *pending,
                                        uint64_t stream);

/* All of them, from *cursor 0 on; NULL: that was the last.  Others may be added
 * and removed meanwhile. */
struct hf_pending_call *hf_pending_next(const struct hf_pending *pending,
                                        uint32_t *cursor);

/* ---- Answers ------------------------------------------------------------- */

/* Keep a copy, behind all others; false: no memory, and it was not. */
bool hf_pending_keep(struct hf_pending *pending,
                     const struct hf_pending_answer *answer);

/* Take the oldest, if its mark is at most `through`; its body is good until the
 * next is kept.  False: there is none. */
bool hf_pending_take(struct hf_pending *pending, uint64_t through,
                     struct hf_pending_answer *answer);

#endif
