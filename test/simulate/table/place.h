#ifndef HF_TEST_SIMULATE_TABLE_PLACE_H
#define HF_TEST_SIMULATE_TABLE_PLACE_H

#include "simulate/table/world.h"

/*
 * The simulated place, and the way there: a table with the product's own rules,
 * and calls that take their time, are lost, or are done after they were given
 * up.
 */

/* Begin a call with the client's next batch; false: it has none. */
bool place_call(struct world *world, size_t client);

/* Its next moment has come: it is done there, or it comes back. */
void place_step(struct world *world, struct call *call);

/* Drop all calls of a client. */
void place_forget(struct world *world, size_t client);

void place_fini(struct world *world);

#endif
