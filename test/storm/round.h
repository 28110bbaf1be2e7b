#ifndef HF_STORM_ROUND_H
#define HF_STORM_ROUND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "plan.h"
#include "space.h"

/* Round: one `holdfast run` of the storm, from its start to its end, and the
 * one kill that is meant for it. */

#define ROUND_NEVER INT64_MAX

/* What all rounds have in common. */
struct round_terms {
    const char *holdfast;
    const char *command;
    const char *shim; /* NULL: none */
    const char *folder;
};

struct round {
    uint32_t number;
    struct storm_plan plan;
    bool inner;        /* in the namespace below ours */
    pid_t pid;         /* holdfast's; 0: it has ended */
    pid_t guard;       /* as last looked for; 0: none */
    pid_t command;     /* the guard's child */
    pid_t struck;      /* whom the kill has hit; 0: nobody */
    uint64_t fence;    /* of its command; 0: none */
    int64_t strike_at; /* as the following, in us; ROUND_NEVER: not (yet) */
    int64_t began_at;
    int64_t struck_at;
    int64_t ended_at; /* ROUND_NEVER: it runs */
    int code;         /* 128 + signal when it was ended by one */
};

/* Start it, as numbered and planned. */
void round_start(struct round *round, const struct round_terms *terms,
                 const struct space *space);

/* Look for the guard and the command, which takes some milliseconds. */
void round_look(struct round *round);

/* The moment of its plan has come, or another one. */
void round_reaches(struct round *round, enum storm_moment moment);

/* Kill whom the plan says; false when there is no such process (any more). */
bool round_strike(struct round *round);

void round_end(struct round *round, int code);

/* All about it, with what it said, for people; times count from `zero`. */
void round_print(const struct round *round, const struct round_terms *terms,
                 int64_t zero);

#endif
