#ifndef HF_TEST_SIMULATE_TABLE_PROMISE_H
#define HF_TEST_SIMULATE_TABLE_PROMISE_H

#include "simulate/table/world.h"

/*
 * The promises of docs/guarantees.md that a client can keep, looked at whenever
 * an actor has begun, or is told something, and when a write was applied.
 */

/* `same_lane`: another of its lane held the key, or waited for it. */
void promise_started(struct world *world, struct actor *actor, bool same_lane);
void promise_told(struct world *world, struct actor *actor, unsigned news);

/* Before it is taken in as what is true. */
void promise_applied(struct world *world, struct actor *actor,
                     const struct hf_store_op *op);

/* The same, of those who examine and clear: look.c. */
void promise_looked(struct world *world, struct actor *actor);
void promise_cleared(struct world *world, struct actor *actor);

#endif
