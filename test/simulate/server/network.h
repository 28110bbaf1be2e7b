#ifndef HF_TEST_SIMULATE_SERVER_NETWORK_H
#define HF_TEST_SIMULATE_SERVER_NETWORK_H

#include "simulate/server/world.h"

/*
 * The network: a stream for each message, in which its answer comes back.  It
 * delays, loses, doubles and reorders; a stream may break for one side before
 * the other, or for one side alone.
 */

void network_init(struct world *w);

/* A session says something. */
void network_send(struct world *w, unsigned session,
                  const struct hf_session_send *send);

/* A node answers; `leader` is named if it does not lead. */
void network_answer(struct world *w, uint64_t stream,
                    const struct sim_answer *answer, uint32_t leader,
                    uint64_t term);

/* A session waits no more for what may come on its stream. */
void network_close(struct world *w, unsigned session, uint64_t own);

/* Its session is told how it ended; false: it has closed it before. */
bool network_over(struct world *w, uint64_t stream);

/* The stream is no more: each side learns of it at some time, or a client
 * never. */
void network_break(struct world *w, uint64_t stream);

/* All streams of a session that has died. */
void network_drop(struct world *w, unsigned session);

/* All streams between the two break; a session may learn it in one word. */
void network_cut_connection(struct world *w, unsigned session, unsigned node);

/* A node, and all who were connected to it, have parted. */
void network_node_died(struct world *w, unsigned node);

/* Its moment has come: take it, and give it back.  false: it does not arrive,
 * or its receiver finds it later: it sleeps, or reads others first. */
bool network_take(struct world *w, struct sim_packet *packet);

/* The instant up to which a node has read all that has arrived. */
int64_t network_read_until(const struct world *w, unsigned node);
void network_give_back(struct world *w, struct sim_packet *packet);

#endif
