#ifndef LAB_WORLD_REDUCTION_H
#define LAB_WORLD_REDUCTION_H

#include "lab/world/world.h"

/*
 * Reduction: orders of steps that show nothing new are left out.
 *
 * A worker that takes the answer it was sent, or looks at its clock with no
 * question out, changes itself alone.  Time does not pass before it has; no
 * step of anybody else makes the step impossible or another one; and if no
 * promise looks at what it changes, whatever breaks one without this step, or
 * with it later, breaks it with this step first.  So of the steps of that
 * state, those of this one worker suffice: its others are tried, as a crash
 * makes the step impossible, and everybody else's come after them.
 *
 * A state in which nobody goes first is visited if and only if the search in
 * full visits it, and after as many faults.  docs/lab.md has the argument;
 * test/lab/test_reduction.c and test_reduction_full.c try it, sentence by
 * sentence.
 *
 * Source: partial-order reduction with persistent sets; P. Godefroid,
 * "Partial-order methods for the verification of concurrent systems", LNCS
 * 1032, 1996.  The step that goes first has to be invisible, as those of the
 * ample sets of D. Peled ("All from one, one for all", CAV 1993); the worker's
 * others need not be.
 */

/* Does the argument hold in that world?  Not where a message may take its time
 * without a fault, where one worker's step makes another's possible, where they
 * share more than the store, where it is looked at whether one who is suspected
 * believes, or where something must happen in the end. */
bool reduction_holds_in(const struct world_config *config);

/* May this worker's next step go before all that the others do?  Then it is in
 * *step. */
bool reduction_first(const struct world *world, unsigned worker,
                     struct world_action *step);

/* The lowest worker whose steps suffice, or WORLD_WORKERS_MAX: try them all. */
unsigned reduction_worker(const struct world *world);

#endif
