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

/* The record of a grant, or of a session; NULL: there is none. */
const struct service_record *
service_store_grant(const struct service_store *store, uint64_t fence);
const struct service_record *
service_store_session(const struct service_store *store, uint64_t session);

#endif
