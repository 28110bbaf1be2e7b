#ifndef HF_TEST_SIMULATE_SERVER_PROMISE_H
#define HF_TEST_SIMULATE_SERVER_PROMISE_H

#include "simulate/server/world.h"

/*
 * What docs/protocol.md promises, looked at in what is truly written and truly
 * believed, and not in what a machine says of itself.
 */

/* Before a grant is written; `again`: it was there, and is lowered. */
void promise_written(struct world *w, const struct sim_grant *grant,
                     bool again);
/* A batch was written. */
void promise_committed(struct world *w);
/* The store will be what it was: who forgets what by it, and what comes back?
 */
void promise_losing(struct world *w, const struct sim_store *left);

/* A leader has decided what it answers. */
void promise_decided(struct world *w, unsigned node,
                     const struct hf_answer *answer);

/* A node lets an answer out. */
void promise_answered(struct world *w, unsigned node,
                      const struct sim_answer *answer);

/* A node is told the time, and was: nobody's session may end who spoke in time,
 * though it is not read yet. */
void promise_clocking(struct world *w, unsigned node);
void promise_clocked(struct world *w, unsigned node);

/* A user was told something. */
void promise_told(struct world *w, struct sim_wish *wish,
                  const struct hf_session_notice *tell);
/* A session was given an event. */
void promise_stepped(struct world *w, unsigned session);

/* Nothing has failed for so long that somebody should lead; and for so long
 * that all should be known. */
void promise_led(struct world *w);
void promise_known(struct world *w);
/* Everybody has given back everything: is anything left? */
bool promise_settled(const struct world *w);

/* Does its user believe that it is held, and of what nobody took? */
bool promise_believed(const struct world *w, const struct sim_wish *wish);

#endif
