#ifndef HF_CORE_LOCKSPACE_KEYS_H
#define HF_CORE_LOCKSPACE_KEYS_H

#include "core/lockspace/parts.h"

/*
 * Keys: a session that belongs to one has one request, which may be sent any
 * number of times, and late [R3].  So what it asked for is known for as long as
 * the session is there; and one that was ended is remembered for its ttl, so
 * that a late message does not open it anew, for nobody.
 */

/* May a session of that key be opened?  GONE: it was ended; LIMIT: there is no
 * room to remember it; OPENED: it may. */
enum hf_answer_kind hf_keys_may_open(struct hf_lockspace *ls, uint64_t id);

/* It belongs to a key from here on, if it did not yet and there is room. */
void hf_keys_bind(struct hf_lockspace *ls, uint32_t session);

/* Its client ends it now: it is remembered if it is of a key. */
void hf_keys_remember(struct hf_lockspace *ls, uint32_t session);

/* It is over; one that was remembered is forgotten. */
void hf_keys_let_go(struct hf_lockspace *ls, uint32_t session);
void hf_keys_forget(struct hf_lockspace *ls, uint32_t ended);

/* Does an acquire with a key ask for something else than the key's session has,
 * or had asked for?  Only looks. */
bool hf_keys_differ(struct hf_lockspace *ls, uint32_t session,
                    const struct hf_message *acquire);

/* An acquire enters, and is what its key stands for. */
void hf_keys_keep(struct hf_lockspace *ls, uint32_t session,
                  const struct hf_message *acquire);

/* The mode of its i-th name, given or not. */
enum hf_mode hf_keys_mode(const struct hf_lockspace *ls, uint32_t session,
                          const struct hf_message *acquire, size_t i);

#endif
