#ifndef LAB_MODEL_H
#define LAB_MODEL_H

#include "explore.h"
#include "world.h"

/*
 * Model: a world as a system that can be explored, replayed and wandered in.
 */

/* The system of a world; `config` must outlive it. */
struct lab_system model_system(const struct world_config *config);

/* What one step of a schedule did. */
struct model_step {
    struct world before;
    struct world after;
    struct world_action action;
    bool fault;
};

typedef void model_step_fn(void *ctx, unsigned number,
                           const struct model_step *step);

/*
 * Run a schedule (of a world without symmetry) from the start and show each
 * step.  Returns the property that it breaks, or NULL; false in *valid when a
 * step is not possible where it stands.
 */
const char *model_replay(const struct world_config *config,
                         const uint16_t *schedule, size_t len,
                         model_step_fn *show, void *ctx, bool *valid);

/* A random walk: which, and what it did. */
struct model_walk {
    uint64_t seed;
    uint16_t *schedule; /* room for `max` actions; borrowed */
    size_t max;
    size_t len; /* out */
};

/*
 * Walk at random through a world too large to be explored; one step in about
 * thirty is a fault.  Returns the property that the last step broke, or NULL
 * after `max` steps.
 */
const char *model_wander(const struct world_config *config,
                         struct model_walk *walk);

/*
 * From `state`, run the one fair schedule without faults in which everybody
 * wants the lock and nobody keeps it: every answer comes, every holder
 * releases, every frozen worker wakes.  Returns whether a grant follows.
 */
bool model_reaches_grant(const struct world_config *config,
                         const uint8_t *state);

#endif
