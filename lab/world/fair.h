#ifndef LAB_WORLD_FAIR_H
#define LAB_WORLD_FAIR_H

#include "lab/world/attempt.h"

/*
 * Fair: what comes of a state if nothing goes wrong any more.
 *
 * There is one fair schedule: frozen workers wake and those cut off are
 * healed, every message arrives at once, everybody wants the lock and nobody
 * keeps it, a person clears the refuse lock of a dead holder where there is
 * such a person, and then time passes.  A promise that something *will* happen
 * is judged on this schedule: so "stuck" means stuck even there, and what is
 * not stuck there could still be starved by an unfair one.
 */

/* The property that fails from `packed` on, or NULL: every wait must end in a
 * grant, and a holder whose lock was cleared must learn it.  A check that fails
 * on the way is the caller's to attempt. */
const char *fair_judge(const struct world_config *config,
                       const uint8_t *packed);

/* Show the fair schedule, numbered from 1: of a stuck world the steps that lead
 * into the loop, if any, and then those of the loop.  Returns the first of the
 * loop, or 0 where a check fails first, in the last step that is shown. */
unsigned fair_show(const struct world *world, model_step_fn *show, void *ctx);

#endif
