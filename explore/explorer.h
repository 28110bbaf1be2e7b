#ifndef EXPLORE_EXPLORER_H
#define EXPLORE_EXPLORER_H

#include <time.h>

#include "explore/collapse.h"
#include "explore/explore.h"
#include "explore/states.h"

/* What explore.c and retell.c share: the inside of a search. */

struct matching;
struct retelling;

struct explorer {
    const struct explore_system *system;
    const struct explore_limits *limits;
    void (*on_step)(struct explorer *explorer, const struct explore_step *step);
    struct collapse collapse;
    struct states states; /* collapsed */
    uint32_t current;     /* the state being expanded */
    bool wants_free;      /* take steps that spend no fault */
    bool wants_faults;    /* take steps that spend one */
    bool full;            /* a retelling found no room */
    unsigned faults;      /* the level being searched */
    unsigned depth;       /* the layer being made */
    uint64_t transitions;
    uint64_t seen;
    const char *violated; /* the property, once one is */
    uint32_t violator;    /* from which state */
    uint16_t violation;   /* and by which action */
    struct matching *matching;
    struct retelling *retelling;
    struct timespec started;
    double show_at; /* seconds after the start */
};

/* What the second search remembers of a state besides. */
enum { EXPLORER_WAY_SIZE = 10 };

/*
 * Find the schedule again, of report->faults and report->depth, with the
 * fewest context switches, and put it into *report.  False, and nothing done,
 * when it would take more than `states_max` states.
 */
bool retell(const struct explore_system *system, struct explore_report *report,
            uint32_t states_max);

#endif
