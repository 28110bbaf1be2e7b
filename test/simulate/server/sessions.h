#ifndef HF_TEST_SIMULATE_SERVER_SESSIONS_H
#define HF_TEST_SIMULATE_SERVER_SESSIONS_H

#include "simulate/server/world.h"

/* The clients' side: what is plumbing around core/session.h. */

void sessions_begin(struct world *w, unsigned who);

/* Its process dies, and another begins. */
void sessions_kill_client(struct world *w, unsigned client);

void sessions_step(struct world *w, unsigned who,
                   struct hf_session_event event);

/* An answer, or the news that there is none. */
void sessions_hear(struct world *w, const struct sim_packet *packet);

/* Is it of a session that lives? */
bool sessions_lives(const struct world *w, const struct sim_wish *wish);

#endif
