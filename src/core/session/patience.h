#ifndef HF_CORE_SESSION_PATIENCE_H
#define HF_CORE_SESSION_PATIENCE_H

#include "core/session/parts.h"

/*
 * Patience: when a wish that waits ends by time [W3].  That is its deadline,
 * but for who was not answered yet: a wait is not over before its first answer,
 * if that comes soon, for else a slow way would be taken for a lock that others
 * hold; and a try does not go on for a ttl where there is no server.
 */

/* A wish is wanted. */
void hf_patience_begin(struct hf_wish *wish, struct hf_instant now,
                       struct hf_duration patience);

/* It was answered: its deadline is all. */
void hf_patience_answered(struct hf_wish *wish);

/* When to look at it next, as long as it waits. */
struct hf_instant hf_patience_deadline(const struct hf_wish *wish);

/* Its time has come: is it over, or is that to be looked at later? */
HF_MUST_USE bool hf_patience_over(const struct hf_session *s,
                                  struct hf_wish *wish);

#endif
