#ifndef LAB_SERVICE_NODE_H
#define LAB_SERVICE_NODE_H

#include "lab/service/world.h"

/*
 * A node of a service: its process, and what stands between it, its streams and
 * the store.  `number` is which one it is.
 */

struct hf_node_config service_node_config(const struct service_config *config,
                                          unsigned node);

void service_node_begin(struct service_world *world, unsigned number);

/* A write that it asked of the store may yet apply. */
void service_node_crash(struct service_world *world, unsigned number);

void service_node_clock(struct service_world *world, unsigned number);
void service_node_stop(struct service_world *world, unsigned number);

/* A message arrives; a stream is heard by nobody any more. */
void service_node_arrive(struct service_world *world,
                         struct service_stream *stream);
void service_node_end(struct service_world *world,
                      struct service_stream *stream);

/* An operator clears what is held under that name, if anything is. */
/* It learns at its next call that the place is not what it was. */
void service_node_notice(struct service_world *world, unsigned number);

void service_node_clear(struct service_world *world, unsigned number,
                        unsigned lock, uint64_t fence);

/* The store's answer comes back; or the store was not even asked. */
void service_node_answer(struct service_world *world, unsigned number,
                         struct service_call *call);

bool service_node_is_due(const struct service_world *world, unsigned number);

#endif
