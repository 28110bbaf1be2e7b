#ifndef LAB_PROVE_H
#define LAB_PROVE_H

#include "lab/print.h"

/* Prove: search worlds to their end, and print what was found. */

struct prove {
    struct print how;
    struct explore_limits limits; /* but for the faults */
    unsigned workers;         /* of a list: only proofs of so many; 0: any */
    int faults;               /* the same; -1: any */
    enum worlds_target until; /* of a list: only proofs up to this target's */
    bool full;                /* every order: world/reduction.h */
    bool json;
};

/* One world, with so many workers (0: its own).  Returns what to exit with: 0
 * when it is as the world expects. */
int prove_world(const struct subject *base, unsigned workers, unsigned faults,
                const struct prove *prove);

/* Every proof of the list, or those of one world: the worst of the results; or
 * EXIT_USAGE when there is none. */
int prove_list(const char *world, const struct prove *prove);

#endif
