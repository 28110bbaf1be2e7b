#ifndef LAB_WORLD_AMPLE_H
#define LAB_WORLD_AMPLE_H

#include "world/world.h"

/*
 * Ample: steps whose order tells nothing (partial-order reduction).
 *
 * A worker that takes the answer it was sent, or looks at its clock with no
 * question out, changes itself alone.  Time does not pass before it has; no
 * step of anybody else makes the step impossible or another one; and if no
 * promise looks at what it changes, whatever breaks one without this step, or
 * with it later, breaks it with this step first.  So of the steps of that
 * state, those of this one worker suffice: its others are tried, as a crash
 * makes the step impossible, and everybody else's come after them.
 *
 * docs/lab.md has the argument, and test/lab/test_ample.c tries each sentence
 * of it in every state of many worlds.
 *
 * Source: ample and persistent sets; D. Peled, "All from one, one for all: on
 * model checking using representatives", CAV 1993; P. Godefroid,
 * "Partial-order methods for the verification of concurrent systems", LNCS
 * 1032, 1996.
 */

/* Does the argument hold in that world?  Not where a message may take its time
 * without a fault, where one worker's step makes another's possible, where they
 * share more than the store, or where something must happen in the end. */
bool ample_holds_in(const struct world_config *config);

/* May this worker's next step go before all that the others do?  Then it is in
 * *step. */
bool ample_first(const struct world *world, unsigned worker,
                 struct world_action *step);

/* The lowest worker whose steps suffice, or WORLD_WORKERS_MAX: try them all. */
unsigned ample_worker(const struct world *world);

#endif
