#ifndef LAB_SERVICE_LOOKS_H
#define LAB_SERVICE_LOOKS_H

#include "lab/service/world.h"

/*
 * Looks: whoever waits for a lock sees who holds it, at the leader and at once,
 * and its session is told.  `who` is as of SERVICE_LOOK.
 */

bool service_may_look(const struct service_world *world, unsigned who);
void service_look(struct service_world *world, unsigned who);

/* The fence of the lock's holder at the leader; 0: there is none, or no leader.
 */
uint64_t service_looks_holder(const struct service_world *world, unsigned lock);

/* It is another now: so it came within each wait that there is. */
void service_looks_changed(struct service_world *world, unsigned lock);

#endif
