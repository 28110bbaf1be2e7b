#ifndef LAB_WORLD_WORLDS_H
#define LAB_WORLD_WORLDS_H

#include "lab/world/world.h"

/*
 * The worlds in which the product's machines are proved, and the few in which
 * they are known to fail, because what they need is taken from them.
 */

/* The target of the Makefile that makes a proof: the longer it takes, the
 * later.  The first of them has a proof of every world. */
enum worlds_target { WORLDS_TEST, WORLDS_PROVE, WORLDS_PROVE_ALL };

/* One line of `holdfast-lab prove`: a world, and how far to search it. */
struct worlds_proof {
    const char *world;
    unsigned workers;
    unsigned faults;
    enum worlds_target target;
};

extern const struct world_config worlds[];
extern const unsigned worlds_count;
extern const struct worlds_proof worlds_proofs[];
extern const unsigned worlds_proofs_count;

/* The world of that name, or NULL. */
const struct world_config *worlds_find(const char *name);

/* "test", "prove", "prove-all". */
const char *worlds_target_word(enum worlds_target target);

/* A copy with so many workers (1..WORLD_WORKERS_MAX); 0: as it is.  Those
 * beyond the world's own have the terms of the first, the second, ... */
struct world_config worlds_with(const struct world_config *config,
                                unsigned workers);

#endif
