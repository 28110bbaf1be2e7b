#ifndef HF_TEST_SIMULATE_SERVER_PEOPLE_H
#define HF_TEST_SIMULATE_SERVER_PEOPLE_H

#include "simulate/server/world.h"

/* What users want, and what an operator clears. */

/* A user of a session does something. */
void people_act(struct world *w, unsigned session);

/* An operator takes some grant; or all that nobody who lives will give back. */
void people_clear_one(struct world *w);
void people_clear_rest(struct world *w);

/* It is the last thing that anybody wants. */
void people_settle(struct world *w);

#endif
