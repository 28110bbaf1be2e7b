#ifndef LAB_SERVICE_PROMISE_H
#define LAB_SERVICE_PROMISE_H

#include "lab/service/world.h"

/*
 * What a service promises, each looked at where it can be broken: by what a
 * client's process is told, and by what the store has.  The first one broken in
 * a step is named in world->violated.
 */

/* A client was just told something of a wish. */
void service_promise_tell(struct service_world *world, unsigned number,
                          const struct hf_session_notice *tell);

/* A client was shown who stands in the way of what it waits for. */
void service_promise_seen(struct service_world *world, unsigned number,
                          unsigned lock);

/* Its process ends now. */
void service_promise_dies(struct service_world *world, unsigned number);

/* A message of a session arrives at a node. */
void service_promise_hears(struct service_world *world, unsigned node,
                           uint64_t session);

/* A node's decision goes out to a client. */
void service_promise_due(struct service_world *world, unsigned node,
                         const struct service_stream *stream);

/* A head is about to be put. */
void service_promise_head(struct service_world *world,
                          const struct service_head *head);

/* A batch is about to be applied. */
void service_promise_batch(struct service_world *world,
                           const struct service_batch *batch);

/* All but this is about to be lost. */
void service_promise_loses(struct service_world *world,
                           const struct service_store *left);

/* A tick has passed. */
void service_promise_tick(struct service_world *world);

/* True of every state. */
void service_promise_state(struct service_world *world);

#endif
