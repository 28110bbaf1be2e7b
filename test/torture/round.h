#ifndef HF_TORTURE_ROUND_H
#define HF_TORTURE_ROUND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "driver.h"
#include "plan.h"
#include "space.h"
#include "victims.h"

/* Round: one `holdfast run` of the experiment of kills, from its start to its
 * end, and the one kill that is meant for it. */

#define ROUND_NEVER INT64_MAX

struct round {
    uint32_t number;
    struct round_plan plan;
    bool inner;             /* in the namespace below ours */
    struct victims victims; /* holdfast 0: it has ended */
    pid_t struck;           /* whom the kill has hit; 0: nobody */
    uint64_t fence;         /* of its command; 0: none */
    int64_t strike_at; /* as the following, in us; ROUND_NEVER: not (yet) */
    int64_t began_at;
    int64_t struck_at;
    int64_t ended_at; /* ROUND_NEVER: it runs */
    int code;         /* 128 + signal when it was ended by one */
};

/* Start it, as numbered and planned; with the shim of fsync if `untrue`. */
void round_start(struct round *round, const struct driver *driver,
                 const struct space *space, bool untrue);

/* The moment of its plan has come, or another one. */
void round_reaches(struct round *round, enum round_moment moment);

/* Kill whom the plan says; false when there is no such process (any more). */
bool round_strike(struct round *round);

void round_end(struct round *round, int code);

/* All about it, with what it said, for people; times count from `zero`. */
void round_print(const struct round *round, const struct driver *driver,
                 int64_t zero);

#endif
