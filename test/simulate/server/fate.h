#ifndef HF_TEST_SIMULATE_SERVER_FATE_H
#define HF_TEST_SIMULATE_SERVER_FATE_H

#include "simulate/server/world.h"

/* What goes wrong beside the network and the store: processes die and sleep,
 * ways are cut, a store is slow, restored, or removed. */

void fate_strike(struct world *w);

/* All wake up, all ways are open, and who died is about to come back. */
void fate_calm(struct world *w);

/* Whoever leads dies, if somebody does. */
void fate_kill_leader(struct world *w);

#endif
