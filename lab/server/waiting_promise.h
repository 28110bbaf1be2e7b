#ifndef LAB_SERVER_WAITING_PROMISE_H
#define LAB_SERVER_WAITING_PROMISE_H

#include "lab/server/waiting.h"

/*
 * What a server promises to those who wait, each looked at where it can be
 * broken; the first one broken in a step is named in world->violated.
 *
 * What the server has heard and said is kept with each client, apart from the
 * machine: who is in line, in which order they came, and which attempt was the
 * last to arrive.
 */

#define WAITING_OVERTAKEN   "overtaken by a later request"
#define WAITING_PLACE_LOST  "a place that was lost"
#define WAITING_GRANT_LOST  "a grant that was lost"
#define WAITING_TWICE_GIVEN "granted twice"
#define WAITING_GHOST       "a grant that nobody wants"
#define WAITING_NOT_FREED   "not freed when its stream ended"
#define WAITING_DEAD_KEPT   "a dead client's, kept beyond its ttl"
#define WAITING_UNTRUE_NO   "a no that is not true"
#define WAITING_IN_VAIN     "waits for nothing"
#define WAITING_NOT_THERE   "told of a grant that is not there"
#define WAITING_OVERLAP     "two clients believe"
#define WAITING_SESSION     "a living session that ended"
#define WAITING_OTHER_END   "the end of another stream meant something"
#define WAITING_DUE_AGAIN   "due again when it was told the time"
#define WAITING_DEADLOCK    "a deadlock that is none"
#define WAITING_FENCES      "a fence that is not above all before it"

/* How it stood before an event. */
struct waiting_before {
    uint8_t held[PICTURE_CLIENTS]; /* fences */
    uint8_t highest;               /* of all fences that anybody knows */
    bool excused[PICTURE_CLIENTS]; /* the event may take what it holds */
    bool ended;   /* the stream of who was listened to, or told a grant: what it
                   used must be free after it */
    unsigned who; /* of a message, or a stream */
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

/* A client has just been told that it is granted. */
void waiting_promise_told(struct waiting_world *world, unsigned who);

/* One that lives was told that its session is over. */
void waiting_promise_gone(struct waiting_world *world, unsigned who);

/* Time is about to pass: all that can be done at once is done. */
void waiting_promise_tick(struct waiting_world *world);

/* What must be true of every state. */
void waiting_promise_state(struct waiting_world *world);

#endif
