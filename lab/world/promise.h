#ifndef LAB_WORLD_PROMISE_H
#define LAB_WORLD_PROMISE_H

#include "lab/world/promises.h"
#include "lab/world/world.h"

/*
 * The promises of docs/guarantees.md as properties of the world, each looked
 * at where it can be broken.  The first one broken in a step is named in
 * world->violated.  What they look at in a worker, promise_sees_same compares.
 */

/* That a place went back.  A beat is due a tick after the last; once it was,
 * nobody is unaware. */
enum { PROMISE_NOTICED_AFTER = 2 };

/* A write is about to apply. */
void promise_write(struct world *world, const struct world_write *write);

/* A worker was just told that it is granted. */
void promise_grant(struct world *world, unsigned worker);

/* A worker has taken in an event; what its lock was before it. */
void promise_step(struct world *world, unsigned worker, enum hf_outcome before);

/* A worker was just told that the holder is dead, or suspected to be, by what
 * it heard of the call. */
void promise_death(struct world *world, enum hf_outcome said,
                   const struct world_mail *heard);

/* A worker's contender has ended of itself. */
void promise_end(struct world *world, unsigned worker);

/* A write, sent under the grant of that number, arrived at the resource. */
void promise_resource(struct world *world, unsigned grant, bool taken);

/* True of every state. */
void promise_state(struct world *world);

/* Of two worlds that differ in one worker: is all the same that a promise, or a
 * step of anybody else, looks at in it? */
bool promise_sees_same(const struct world *a, const struct world *b,
                       unsigned worker);

#endif
