#ifndef LAB_WORLD_MODEL_H
#define LAB_WORLD_MODEL_H

#include "explore/explore.h"
#include "lab/world/attempt.h"

/*
 * Model: a world as a system that can be explored, replayed and wandered in.
 *
 * What is broken is a promise (promise.h), or "check failed: ..." where a check
 * of the machines, or of the world around them, ends a step (attempt.h).
 */

/* What a search tells it has seen.  Where nobody was ever inside, no promise
 * could be broken, and nothing is proved. */
enum { MODEL_SEEN_INSIDE = 1, MODEL_SEEN_FAULT = 2 };

/* The system of a world; `config` must outlive it. */
struct explore_system model_system(const struct world_config *config);

/* The same with fewer orders of events, where reduction.h allows it: it breaks
 * a promise if and only if the whole one does, with as many faults, though
 * perhaps not in as few steps. */
struct explore_system model_reduced_system(const struct world_config *config);

/*
 * Run a schedule (of a world without symmetry) from the start and show each
 * step, up to the one that breaks a promise.  What must happen in the end is
 * judged where it ends.  Returns the property that it breaks, or NULL; false in
 * *valid when a step is not possible where it stands, which is not shown.
 */
const char *model_replay(const struct world_config *config,
                         const uint16_t *schedule, size_t len,
                         model_step_fn *show, void *ctx, bool *valid);

#endif
