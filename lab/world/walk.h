#ifndef LAB_WORLD_WALK_H
#define LAB_WORLD_WALK_H

#include "lab/world/model.h"

/* A random walk: which, and what it did. */
struct walk {
    uint64_t seed;
    uint16_t *schedule; /* room for `max` actions; borrowed */
    size_t max;
    size_t len; /* out */
};

/*
 * Walk at random through a world too large to be explored; one step in about
 * thirty is a fault.  Returns the property that the last step broke, as
 * the model names it, or NULL after `max` steps.
 */
const char *walk_at_random(const struct world_config *config,
                           struct walk *walk);

#endif
