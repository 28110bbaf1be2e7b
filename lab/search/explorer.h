#ifndef LAB_SEARCH_EXPLORER_H
#define LAB_SEARCH_EXPLORER_H

#include <time.h>

#include "search/collapse.h"
#include "search/explore.h"
#include "search/states.h"

/* What explore.c and retell.c share: the inside of a search. */

enum {
    LAB_FAULTS_MAX = 15,
};

struct matching;
struct retelling;

struct lab_explorer {
    const struct lab_system *system;
    const struct lab_limits *limits;
    void (*on_step)(struct lab_explorer *explorer, const struct lab_step *step);
    struct lab_collapse collapse;
    struct lab_states states; /* collapsed */
    uint32_t current;         /* the state being expanded */
    bool wants_free;          /* take steps that spend no fault */
    bool wants_faults;        /* take steps that spend one */
    bool full;                /* a retelling found no room */
    unsigned faults;          /* the level being searched */
    unsigned depth;           /* the layer being made */
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
enum { LAB_WAY_SIZE = 10 };

/*
 * Find the schedule again, of report->faults and report->depth, with the
 * fewest context switches, and put it into *report.  False, and nothing done,
 * when it would take more than `states_max` states.
 */
bool lab_retell(const struct lab_system *system, struct lab_report *report,
                uint32_t states_max);

#endif
