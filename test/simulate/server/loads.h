#ifndef HF_TEST_SIMULATE_SERVER_LOADS_H
#define HF_TEST_SIMULATE_SERVER_LOADS_H

#include "simulate/server/world.h"

/* A load has come back: give the node all sessions and all grants [L2]. */
void loads_answered(struct world *w, const struct sim_call *call);

#endif
