#ifndef LAB_SERVER_WAITING_PROMISE_H
#define LAB_SERVER_WAITING_PROMISE_H

#include "lab/server/promises.h"
#include "lab/server/waiting_world.h"

/*
 * What a server promises to those who wait, each looked at where it can be
 * broken; the first one broken in a step is named in world->violated.
 *
 * What the server has heard and said is kept with each client, apart from the
 * machine: who is in line, in which order they came, and which attempt was the
 * last to arrive.
 */

/* How it stood before an event. */
struct waiting_before {
    uint8_t held[SNAPSHOT_CLIENTS]; /* fences */
    uint8_t highest;                /* of all fences that anybody knows */
    bool excused[SNAPSHOT_CLIENTS]; /* the event may take what it holds */
    bool over[SNAPSHOT_CLIENTS];    /* it waits, and nothing of that remains */
    bool ended;   /* the stream of who was listened to, or told a grant: what it
                   used must be free after it */
    bool heard;   /* a message, of which it is not the first */
    unsigned who; /* of a message, or a stream */
    struct snapshot snapshot; /* of the machine, which is told the time */
};

/* An event is about to be given to the machine; an answer came of it; it was
 * given. */
void waiting_promise_before(struct waiting_world *world,
                            const struct hf_lockspace_event *event,
                            struct waiting_before *before);
void waiting_promise_answer(struct waiting_world *world,
                            const struct hf_answer *answer);
void waiting_promise_after(struct waiting_world *world,
                           const struct hf_lockspace_event *event,
                           const struct waiting_before *before);

/* Is it the stream on which the machine answers that client? */
bool waiting_promise_is_answered(struct waiting_world *world, unsigned who,
                                 uint64_t stream);

/* Its end would mean nothing, at any time: nobody listens on it, and the
 * machine does not answer on it. */
void waiting_promise_unheard(struct waiting_world *world, unsigned who,
                             uint64_t stream, uint64_t n);

/* A grant was handed to the kernel. */
void waiting_promise_handed(struct waiting_world *world, unsigned who,
                            uint8_t fence);

/* A client has just been told that it is granted. */
void waiting_promise_told(struct waiting_world *world, unsigned who);

/* One that lives was told that its session is over. */
void waiting_promise_gone(struct waiting_world *world, unsigned who);

/* Time is about to pass: all that can be done at once is done. */
void waiting_promise_tick(struct waiting_world *world);

/* True of every state. */
void waiting_promise_state(struct waiting_world *world);

#endif
