#ifndef HF_TEST_PROMISES_H
#define HF_TEST_PROMISES_H

#include "unit/support/world.h"

/*
 * What must hold in every world, whatever happens in it.  Each of these ends
 * the test with the world's story when it does not.
 */

/* At every instant: who is granted has the record, and a right to it. */
void promise_at_every_instant(struct world *w);

/* Before a group applies: is its author entitled to it? */
void promise_before_commit(struct world *w, const struct world_flight *flight);

/* When a machine asks for a write. */
void promise_when_writing(struct world *w, size_t proc,
                          const struct hf_request *request);

/* When a machine tells something. */
void promise_when_noticed(struct world *w, size_t proc,
                          enum hf_notice_kind notice);

/* When its last event was taken. */
void promise_when_ended(struct world *w, size_t proc);

#endif
