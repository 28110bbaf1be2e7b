#ifndef HF_TEST_SIMULATE_SERVER_STORE_H
#define HF_TEST_SIMULATE_SERVER_STORE_H

#include "simulate/server/world.h"

/*
 * The store: the head, sessions and grants, as they are truly written.  Each
 * call is one instant.
 */

void store_init(struct world *w);

/* Write the head, and the batch that hangs on it, or nothing. */
enum hf_verdict store_commit(struct world *w, struct sim_call *call);

/* The grant of that fence, or NULL; `place` is where it was last, and is. */
const struct sim_grant *store_find(const struct world *w, uint64_t fence,
                                   size_t *place);

/* Is there a grant, and the record of its session [S3]? */
bool store_valid(const struct world *w, const struct sim_grant *grant);

/* What it is now may come back later; what it was does. */
void store_copy(struct world *w);
void store_restore(struct world *w);

/* All of it is gone. */
void store_remove(struct world *w);

#endif
