#ifndef HF_CORE_LOCKSPACE_REQUESTS_H
#define HF_CORE_LOCKSPACE_REQUESTS_H

#include "core/lockspace/parts.h"

/*
 * Requests: what a message of a session does to its lane, and who is granted
 * next [R2, R3, W, L5, L6].
 *
 * The caller has found the session and checked the term.  A message is either
 * answered in the same step, or it becomes the attempt that gets the answer
 * later.
 */

void hf_requests_acquire(struct hf_lockspace *ls, uint32_t session,
                         const struct hf_message *message);
/* Returns false if the answer was that nothing was released. */
bool hf_requests_release(struct hf_lockspace *ls, uint32_t session,
                         const struct hf_message *message);
void hf_requests_change(struct hf_lockspace *ls, uint32_t session,
                        const struct hf_message *message);

/* A clear comes from an operator, not from a session. */
void hf_requests_clear(struct hf_lockspace *ls,
                       const struct hf_message *message);

/* Grant all that can be granted now.  Called at the end of every step. */
void hf_requests_let_go(struct hf_lockspace *ls);

#endif
