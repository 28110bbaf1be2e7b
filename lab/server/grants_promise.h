#ifndef LAB_SERVER_GRANTS_PROMISE_H
#define LAB_SERVER_GRANTS_PROMISE_H

#include "lab/server/grants.h"

/*
 * What a server promises to those who ask for names, each looked at where the
 * machine and the oracle differ; the first one broken in a step is named in
 * world->violated.
 */

#define GRANTS_OVERLAP     "two hold what conflicts"
#define GRANTS_OVERTAKEN   "overtaken by a later request"
#define GRANTS_PARKED      "granted to a place that is parked"
#define GRANTS_WITHHELD    "granted in a grace what others wait for"
#define GRANTS_TWICE       "granted twice, or after it was over"
#define GRANTS_FENCES      "a fence that is not above all before it"
#define GRANTS_UNTRUE_NO   "a no that is not true"
#define GRANTS_UNSAID_NO   "a try that was not told no"
#define GRANTS_DEADLOCK    "a deadlock that is none"
#define GRANTS_UNTOLD      "a deadlock that was not told"
#define GRANTS_CIRCLE      "a circle that is none"
#define GRANTS_IN_VAIN     "waits for nothing"
#define GRANTS_PLACE_LOST  "a place that was lost"
#define GRANTS_GRANT_LOST  "a grant that was lost"
#define GRANTS_GHOST       "a grant, or a place, that nobody wants"
#define GRANTS_NOT_HELD    "told that it holds what it does not"
#define GRANTS_HELD_TWICE  "granted what it holds already"
#define GRANTS_NOT_FREE    "told that it is free when it is not"
#define GRANTS_UNTOLD_FREE "not told that it is free, or made to hold it"
#define GRANTS_LIMIT       "a limit where there is room"
#define GRANTS_BEYOND      "more than a limit allows"
#define GRANTS_MODES       "holds it in another way than it asked for"
#define GRANTS_ORDER       "places in another order than of arrival"
#define GRANTS_ANSWER      "an answer that is not the one"
#define GRANTS_STATE       "a lane that is not as it must be"

enum { GRANTS_HEARD_MAX = 16 };

/* What the machine answered to an event, and the circle it told. */
struct grants_heard {
    unsigned count;
    struct hf_answer answers[GRANTS_HEARD_MAX];
    unsigned circle_len;
    uint8_t circle[PICTURE_CLIENTS]; /* lanes, each waits for the next */
};

/* The machine was given an event, and so was the oracle: do they say the same?
 * The fences of new grants are learned from the machine. */
void grants_promise_answers(struct grants_world *world,
                            const struct grants_heard *heard);

/* Is all as the oracle has it?  The picture was taken. */
void grants_promise_state(struct grants_world *world);

#endif
