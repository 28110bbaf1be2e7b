#ifndef LAB_WORLD_STEP_H
#define LAB_WORLD_STEP_H

#include "lab/world/world.h"

/* Step: what can happen in a world, and what it does there. */

/* What can ever happen in such a world: a bit for each act. */
uint64_t step_acts(const struct world_config *config);

/* Can this happen now? */
bool step_allowed(const struct world *world, struct world_action action);

/* Does it spend a fault? */
bool step_is_fault(const struct world *world, struct world_action action);

/* Let it happen; world->violated tells the property it breaks, or NULL. */
void step_apply(struct world *world, struct world_action action);

#endif
