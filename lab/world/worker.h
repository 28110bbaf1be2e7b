#ifndef LAB_WORLD_WORKER_H
#define LAB_WORLD_WORKER_H

#include "lab/world/world.h"

/*
 * Worker: a process with one contender of src/core, its one call to the store,
 * and its clock.  Every event goes in through worker_pump.
 */

/* A contender as this worker would begin with. */
void worker_init_contender(const struct world_config *config, unsigned worker,
                           struct hf_contender *contender);

/* The first worker of the same terms stands for all of them. */
unsigned worker_first_alike(const struct world_config *config, unsigned worker);

/* Step its contender and perform what it wants done; a process whose contender
 * has ended, ends. */
void worker_pump(struct world *world, unsigned worker, struct hf_event event);

/* Its wait ends, and that of another of its client begins, which goes by what
 * was seen. */
void worker_hand_on(struct world *world, unsigned worker);
void worker_begin(struct world *world, unsigned worker);

/* The same of one that knows a tombstone; 0: none. */
void worker_return(struct world *world, unsigned worker, uint64_t version);

/* The same of one whose tombstone is not there any more: its version is older
 * than all others or, if the place has gone back, one that it has lost. */
void worker_return_in_vain(struct world *world, unsigned worker);
void worker_release(struct world *world, unsigned worker);

/* The store executes its question; its answer is then under way. */
void worker_serve(struct world *world, unsigned worker);

/* The answer arrives. */
void worker_deliver(struct world *world, unsigned worker);

/* The answer is *unknown*, and the write was applied, was not, or will be. */
void worker_answer_unknown(struct world *world, unsigned worker,
                           enum world_act how);

/* The answer is *unavailable*: surely nothing was done. */
void worker_answer_unavailable(struct world *world, unsigned worker);

/* It stops at once, whatever it leaves behind; its process goes on. */
void worker_abandon(struct world *world, unsigned worker);

/* The process ends without a word; its record stays, and what it has sent may
 * still apply. */
void worker_crash(struct world *world, unsigned worker);

/* Its clock goes on by a tick of the world. */
void worker_tick(const struct world_config *config, unsigned worker,
                 struct world_worker *w);

#endif
