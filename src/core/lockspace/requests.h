#ifndef HF_CORE_LOCKSPACE_REQUESTS_H
#define HF_CORE_LOCKSPACE_REQUESTS_H

#include "core/lockspace/parts.h"

/*
 * Requests: what a message of a session means for its lane, and who may go
 * [R2, R3, W, L5, L6].  The session is there, and this is its term.  Each
 * message is answered in the same step, or has become the attempt that is
 * listened to.
 */

void hf_requests_acquire(struct hf_lockspace *ls, uint32_t session,
                         const struct hf_message *message);
/* False: it was answered that nothing was released. */
bool hf_requests_release(struct hf_lockspace *ls, uint32_t session,
                         const struct hf_message *message);
void hf_requests_change(struct hf_lockspace *ls, uint32_t session,
                        const struct hf_message *message);

/* An operator's, of no session. */
void hf_requests_clear(struct hf_lockspace *ls,
                       const struct hf_message *message);

/* Grant what may be granted now: at the end of every step. */
void hf_requests_let_go(struct hf_lockspace *ls);

#endif
