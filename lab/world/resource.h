#ifndef LAB_WORLD_RESOURCE_H
#define LAB_WORLD_RESOURCE_H

#include "lab/world/coder.h"
#include "lab/world/world.h"

/*
 * Resource: what the lock is there for.  Whoever was granted the lock may write
 * to it, with the fence of the grant.  A write waits for its answer, and may
 * take any time to arrive, whatever has become of its writer meanwhile.
 *
 * A fenced resource takes no write whose fence is below the highest that it
 * has taken; an unfenced one takes every write.
 */

/* A worker was granted the lock. */
void resource_grant(struct world *world, unsigned worker);

/* A worker inside sends a write, if none of it is under way. */
bool resource_may_send(const struct world *world, unsigned worker);
void resource_send(struct world *world, unsigned worker);

/* Its write arrives, and is taken or refused. */
bool resource_may_arrive(const struct world *world, unsigned worker);
void resource_arrive(struct world *world, unsigned worker);

/* Would it take this worker's write now? */
bool resource_takes(const struct world *world, unsigned worker);

/* ---- Packing: see pack.h ------------------------------------------------ */

size_t resource_size(const struct world_config *config);

/* Leave out what nothing that is known can be compared with any more. */
void resource_strip(struct world *world);

void resource_collect(const struct world *world, struct names *names);

void resource_code(struct coder *coder, struct world *world);

#endif
