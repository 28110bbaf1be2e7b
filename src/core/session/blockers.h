#ifndef HF_CORE_SESSION_BLOCKERS_H
#define HF_CORE_SESSION_BLOCKERS_H

#include "core/session/parts.h"

/*
 * Blockers: who stands in the way of a wish, and what its wait ends with.  Each
 * call sets the end, and the caller ends the wish.
 */

/* It is wanted, or was granted: nothing was seen of a blocker. */
void hf_blockers_begin(struct hf_wish *wish);

/* It was seen who stands in the way of one that waits.  Does the wait end by
 * that? */
HF_MUST_USE bool hf_blockers_seen(const struct hf_session *s,
                                  struct hf_wish *wish,
                                  const struct hf_blocker *seen);

/* A try was answered that others hold it.  Does it wait for the end of a dead
 * holder?  Then it is no try from now on. */
HF_MUST_USE bool hf_blockers_wait_for_end(const struct hf_session *s,
                                          struct hf_wish *wish,
                                          const struct hf_blocker *holder);

/* Its deadline has passed.  Did the place, the server's limits or others keep
 * it from what it wanted?  That others did is a try's to be told by the server
 * alone [W4]. */
void hf_blockers_end_at_deadline(const struct hf_session *s,
                                 struct hf_wish *wish);

#endif
