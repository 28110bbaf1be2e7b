#ifndef HF_TEST_SIMULATE_SERVER_ANSWERS_H
#define HF_TEST_SIMULATE_SERVER_ANSWERS_H

#include "simulate/server/world.h"

/* The answers of a node: kept until they are due, and then let out; and the
 * streams that wait for one. */

/* A stream waits for an answer, or no longer does. */
void answers_hold_up(struct sim_node *node, uint64_t stream);
void answers_let_go(struct sim_node *node, uint64_t stream);

/* It is built now, for what it tells of may be gone with the next event. */
void answers_keep(struct world *w, struct sim_node *node,
                  const struct hf_answer *answer);

/* All that are due, up to this mark. */
void answers_let_out(struct world *w, unsigned who, uint64_t through);

/* It does not lead; and no longer does, which all are told who wait. */
void answers_refuse(struct world *w, unsigned who, uint64_t stream,
                    bool followed);
void answers_discard(struct world *w, unsigned who);

#endif
