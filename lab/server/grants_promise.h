#ifndef LAB_SERVER_GRANTS_PROMISE_H
#define LAB_SERVER_GRANTS_PROMISE_H

#include "lab/server/grants_world.h"
#include "lab/server/promises.h"

/*
 * What a server promises to those who ask for names, each looked at where the
 * machine and the oracle differ; the first one broken in a step is named in
 * world->violated.
 */

enum { GRANTS_HEARD_MAX = 16 };

/* What the machine answered to an event, and the circle it told. */
struct grants_heard {
    unsigned count;
    struct hf_answer answers[GRANTS_HEARD_MAX];
    unsigned circle_len;
    uint8_t circle[SNAPSHOT_CLIENTS]; /* lanes, each waits for the next */
};

/* The machine was given an event, and so was the oracle: do they say the same?
 * The fences of new grants are learned from the machine. */
void grants_promise_answers(struct grants_world *world,
                            const struct grants_heard *heard);

/* Is all as the oracle has it?  The snapshot was taken. */
void grants_promise_state(struct grants_world *world);

#endif
