#ifndef EXPLORE_EXPLORE_H
#define EXPLORE_EXPLORE_H

#include "explore/system.h"

/*
 * Explore: breadth-first search over every state of a system.
 *
 * A state is `state_size` bytes, the same bytes for the same state.  States
 * are kept in one arena, whole or as the numbers of their parts (collapse.h); a
 * table of hashes finds them again, and a hit is compared in full, so nothing
 * is ever taken for seen that was not.  When the frontier is empty, every
 * reachable state was visited: *proved*.
 *
 * Faults are the outer loop.  A state is entered at the smallest number of
 * faults that reaches it; what can be reached with fewer has at least as many
 * left to spend, so a state reached again with more is not entered again.
 * Within one number of faults, states are entered in the order of the fewest
 * steps.
 *
 * Memory: a state costs its own bytes (or 4 for each of its parts, once they
 * have all been seen: collapse.h), 4 for its parent and 5 for each slot of
 * the table, which is between 43 and 85 % full: at most 16 beside the state.
 * What happened between a state and its parent is found again by expanding
 * the parent.  One thread.
 */

/* Would a step that spends a fault, or none, be of any use now?  To ask first
 * saves a system the making of steps that nobody takes. */
bool explore_wants(const struct explorer *explorer, bool fault);

/* Report a step from the state that is being expanded. */
void explore_add(struct explorer *explorer, const struct explore_step *step);

enum explore_verdict {
    EXPLORE_PROVED,  /* the frontier emptied: no reachable state was left out */
    EXPLORE_VACUOUS, /* so it did, but what must be seen never was */
    EXPLORE_VIOLATED, /* a property was broken */
    EXPLORE_BOUNDED,  /* a limit was reached first, and nothing found */
};

struct explore_limits {
    unsigned faults;     /* at most; every smaller number comes first */
    uint64_t states_max; /* 0: as many as memory_max allows */
    uint64_t memory_max; /* bytes; 0: no limit but the machine's */
    bool progress;       /* a line a second on stderr */
    volatile int *stop;  /* set by a signal: end with what was found */
};

/* Is it to end now? */
static inline bool
explore_is_stopped(const struct explore_limits *limits)
{
    return limits->stop != NULL && *limits->stop != 0;
}

struct explore_report {
    enum explore_verdict verdict;
    const char *violated; /* EXPLORE_VIOLATED: the property */
    unsigned faults;      /* completed, or those of the violation */
    unsigned depth;       /* the deepest layer, or the violation's */
    uint64_t states;
    uint64_t transitions;
    double seconds;
    uint64_t bytes;     /* of memory, for all the states */
    uint64_t seen;      /* of all steps together */
    uint16_t *schedule; /* EXPLORE_VIOLATED: the actions; caller frees with
                           explore_report_fini */
    size_t schedule_len;
};

/*
 * Visit every state within the limits, and stop at the first violation.  The
 * schedule reported is, among those with the fewest faults and then the fewest
 * steps, one with the fewest context switches, then that of the lowest
 * worker first.  Returns false when memory could not be had at all.
 */
bool explore_all(const struct explore_system *system,
                 const struct explore_limits *limits,
                 struct explore_report *report);

void explore_report_fini(struct explore_report *report);

#endif
