#ifndef HF_TEST_SIMULATE_SERVER_NODES_H
#define HF_TEST_SIMULATE_SERVER_NODES_H

#include "simulate/server/world.h"

/* The processes of the server: what is plumbing around core/node.h. */

/* A new process; what the last one sent may still be on its way. */
void nodes_begin(struct world *w, unsigned who);

/* It dies, and with it all its streams; or is told to stop. */
void nodes_kill(struct world *w, unsigned who);
void nodes_stop(struct world *w, unsigned who);

/* Give it an event, and perform what comes out. */
void nodes_step(struct world *w, unsigned who, struct hf_node_event event);
void nodes_clock(struct world *w, unsigned who);

/* A message, or the end of a stream, has arrived. */
void nodes_hear(struct world *w, const struct sim_packet *packet);
void nodes_stream_ended(struct world *w, const struct sim_packet *packet);

/* What the store says: to a write, to whatever was asked; that the head was
 * written. */
void nodes_told(struct world *w, unsigned who, uint64_t number,
                enum hf_verdict verdict, uint64_t version);
void nodes_answered(struct world *w, const struct sim_call *call);
void nodes_hint(struct world *w);
void nodes_wake(struct world *w, unsigned who); /* the hint has come */

/* An operator takes a grant, if anybody leads: at once, or if its holder is
 * suspected. */
void nodes_clear(struct world *w, const struct sim_grant *grant, bool at_once);

/* A lock of this name, which is a number here. */
struct hf_want nodes_want(unsigned name, uint8_t mode);

/* Who serves by its own words, from 1; 0: nobody. */
unsigned nodes_serving(const struct world *w);

#endif
