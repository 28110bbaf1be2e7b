#ifndef LAB_WORLD_ATTEMPT_H
#define LAB_WORLD_ATTEMPT_H

#include "lab/world/world.h"

/*
 * Attempt: to do what a check (base/check.h) may end.
 *
 * In the product a check that fails ends the process.  Here it is found, like
 * a promise that is broken: it is named "check failed: " and its condition, and
 * there is a schedule that leads to it.  Machines own nothing, so nothing is
 * lost by leaving them halfway; what they had changed by then is of no use.
 */

typedef void attempt_fn(void *ctx);

/* Do it.  NULL, or the check that failed in it; static. */
const char *attempt(attempt_fn *act, void *ctx);

/* What one step of a schedule did. */
struct model_step {
    struct world before;
    struct world after;
    struct world_action action;
    bool fault;
    const char *check; /* that failed in it, after which nothing is known: then
                          `after` is as before; else NULL */
};

typedef void model_step_fn(void *ctx, unsigned number,
                           const struct model_step *step);

/* A step: step_apply. */
const char *attempt_step(struct world *world, struct world_action action);

#endif
