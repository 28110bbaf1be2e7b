#ifndef LAB_SERVICE_STORE_H
#define LAB_SERVICE_STORE_H

#include "lab/service/world.h"

/*
 * The store of a service: the head, the records, and what it is asked.
 */

/* Do what is asked, all of it or nothing. */
void service_store_serve(struct service_world *world, unsigned node,
                         struct service_call *call);

/* A write that nobody waits for. */
void service_store_orphan(struct service_world *world);

/* May that write still apply? */
bool service_store_may_apply(const struct service_store *store,
                             const struct service_call *call);

/* Keep a copy of it, from now on. */
void service_store_keep(struct service_world *world);

/* All of it is lost; or all that was written since it was kept.  Nodes do not
 * know it yet. */
void service_store_remove(struct service_world *world);
void service_store_return(struct service_world *world);

/* Does a record of a session say since when it is silent [S10]? */
bool service_store_says_silent(const struct service_store *store);

#endif
