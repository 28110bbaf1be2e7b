#ifndef HF_CORE_LOCKSPACE_KEYS_H
#define HF_CORE_LOCKSPACE_KEYS_H

#include "core/lockspace/parts.h"

/*
 * Keys: a session with an idempotency key has one request, which may be sent
 * any number of times, and late [R3].
 *
 * So the session remembers what was asked for as long as it exists.  A session
 * that ended is remembered for its ttl: a late message must not open it again
 * for nobody.
 */

/* May a session with that key be opened?  GONE: it has ended.  LIMIT: there is
 * no room to remember it.  OPENED: it may. */
enum hf_answer_kind hf_keys_may_open(struct hf_lockspace *ls, uint64_t id);

/* The session belongs to a key from now on, if there is room to remember its
 * end. */
void hf_keys_bind(struct hf_lockspace *ls, uint32_t session);

/* Its client ends it now: remember that, if it has a key. */
void hf_keys_remember(struct hf_lockspace *ls, uint32_t session);

/* The session is over; _forget: forget a remembered end. */
void hf_keys_let_go(struct hf_lockspace *ls, uint32_t session);
void hf_keys_forget(struct hf_lockspace *ls, uint32_t ended);

/* Does an acquire with a key ask for something else than the key's first
 * request?  Changes nothing. */
bool hf_keys_differ(struct hf_lockspace *ls, uint32_t session,
                    const struct hf_message *acquire);

/* Remember what this acquire asks for: the key stands for it. */
void hf_keys_keep(struct hf_lockspace *ls, uint32_t session,
                  const struct hf_message *acquire);

/* The mode of its i-th name: the given one, or that of the first request. */
enum hf_mode hf_keys_mode(const struct hf_lockspace *ls, uint32_t session,
                          const struct hf_message *acquire, size_t i);

#endif
