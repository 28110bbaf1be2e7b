#ifndef HF_TEST_SIMULATE_SERVER_FAILOVERS_H
#define HF_TEST_SIMULATE_SERVER_FAILOVERS_H

#include "simulate/server/world.h"

/*
 * Many worlds in which nothing goes wrong but that the leader dies, once.  Who
 * held something then holds it under the next leader; and how long it takes
 * until that one grants something is measured, and bounded.
 *
 * Prints what it measured; not 0: somebody lost something, or it took longer.
 */
int failovers_run(struct world *w, uint64_t from, uint64_t count);

#endif
