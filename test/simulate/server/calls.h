#ifndef HF_TEST_SIMULATE_SERVER_CALLS_H
#define HF_TEST_SIMULATE_SERVER_CALLS_H

#include "simulate/server/world.h"

/*
 * What nodes ask of the store, on its way there and back: late, lost, done
 * after it was said to be unknown, refused for no reason of theirs.  A load is
 * one, too; a hint is that the head was written.
 */

void calls_init(struct world *w);

void calls_ask(struct world *w, unsigned node,
               const struct hf_leader_effect *ask);
void calls_load(struct world *w, unsigned node, uint64_t term);

/* The next moment of a call has come. */
void calls_step(struct world *w, struct sim_call *call);

#endif
