#ifndef LAB_WORLD_WORLDS_H
#define LAB_WORLD_WORLDS_H

#include "world/world.h"

/*
 * The worlds in which the product's machines are proved, and the few in which
 * they are known to fail, because what they need is taken from them.
 */

/* One line of `holdfast-lab prove`: a world, and how far to search it. */
struct worlds_proof {
    const char *world;
    unsigned workers;
    unsigned faults;
    bool quick; /* part of the developer's minute, too */
};

extern const struct world_config worlds[];
extern const unsigned worlds_count;
extern const struct worlds_proof worlds_proofs[];
extern const unsigned worlds_proofs_count;

/* The world of that name, or NULL. */
const struct world_config *worlds_find(const char *name);

/* A copy with so many workers (1..WORLD_WORKERS_MAX); 0: as it is.  Those
 * beyond the world's own have the terms of the first, the second, ... */
struct world_config worlds_with(const struct world_config *config,
                                unsigned workers);

#endif
