#ifndef HF_CORE_SESSION_PATIENCE_H
#define HF_CORE_SESSION_PATIENCE_H

#include "core/session/parts.h"

/*
 * Patience: when time ends a waiting request [W3].
 *
 * That is its deadline, with two exceptions for a request without an answer
 * yet: it waits a little for the first answer, since a slow way must not look
 * like a held lock; and a try does not wait a whole ttl for a server that is
 * not there.
 */

/* The request begins. */
void hf_patience_begin(struct hf_wish *wish, struct hf_instant now,
                       struct hf_duration patience);

/* It was answered: from now on only the deadline counts. */
void hf_patience_answered(struct hf_wish *wish);

/* When time may end it next. */
struct hf_instant hf_patience_deadline(const struct hf_wish *wish);

/* That time has come: does it end the request?  If not, a later time is set. */
HF_MUST_USE bool hf_patience_over(const struct hf_session *s,
                                  struct hf_wish *wish);

#endif
