#ifndef HF_CORE_SESSION_BLOCKERS_H
#define HF_CORE_SESSION_BLOCKERS_H

#include "core/session/parts.h"

/* Blockers: who blocks a request, and how its wait ends because of that.  Each
 * call sets the end; the caller ends the request. */

/* The request begins, or was granted: no blocker is known. */
void hf_blockers_begin(struct hf_wish *wish);

/* A look showed who blocks a waiting request.  Does that end the wait? */
HF_MUST_USE bool hf_blockers_seen(const struct hf_session *s,
                                  struct hf_wish *wish,
                                  const struct hf_blocker *seen);

/* A try was answered that the lock is held.  Does it wait for the end of a dead
 * holder?  Then it is no try any more. */
HF_MUST_USE bool hf_blockers_wait_for_end(const struct hf_session *s,
                                          struct hf_wish *wish,
                                          const struct hf_blocker *holder);

/* Its deadline has passed.  Was the place, a limit or a holder in the way?
 * Only the server tells a try that the lock is held [W4]. */
void hf_blockers_end_at_deadline(const struct hf_session *s,
                                 struct hf_wish *wish);

#endif
