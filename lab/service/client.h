#ifndef LAB_SERVICE_CLIENT_H
#define LAB_SERVICE_CLIENT_H

#include "lab/service/world.h"

/*
 * A client of a service: its process, its session, and what it sends.
 * `number` is which one it is.
 */

struct hf_session_config
service_session_config(const struct service_config *config);

/* A new process, which wants nothing yet. */
void service_client_begin(struct service_world *world, unsigned number);

/* It is gone, and its streams are heard by nobody. */
void service_client_die(struct service_world *world, unsigned number);

void service_client_want(struct service_world *world, unsigned number,
                         unsigned lock);
void service_client_release(struct service_world *world, unsigned number,
                            unsigned lock);
/* It is seen who stands in the way of its wish. */
void service_client_see(struct service_world *world, unsigned number,
                        unsigned lock, const struct hf_blocker *blocker);
void service_client_clock(struct service_world *world, unsigned number);

/* What has come back on that stream of it. */
void service_client_hear(struct service_world *world, unsigned number,
                         unsigned index);

/* Has it something to do now? */
bool service_client_is_due(const struct service_client *client);

/* Has its world room for one more of its streams?  Then this is one. */
bool service_client_has_room(const struct service_config *config,
                             const struct service_client *client);
struct service_stream *service_client_free(struct service_client *client);

#endif
