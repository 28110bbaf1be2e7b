#ifndef HF_CORE_SESSION_LEASE_H
#define HF_CORE_SESSION_LEASE_H

#include "core/session/parts.h"

/* Lease: the session itself.  It opens it, renews it and counts the right by
 * that, meets each new leader and compares the grants with it, and ends it [S1,
 * S4, R4]. */

/* Time has passed: is the right over, or a message overdue? */
void hf_lease_look(struct hf_session *s);

/* Send what the session has to say now. */
void hf_lease_drive(struct hf_session *s);

/* May requests be sent? */
bool hf_lease_ready(const struct hf_session *s);

/* Take the session's message that was sent on that stream; false: there is
 * none. */
bool hf_lease_take_errand(struct hf_session *s, uint64_t stream,
                          struct hf_errand *errand);

/* Handle its answer; false: it is no answer to that message. */
bool hf_lease_answered(struct hf_session *s, const struct hf_errand *errand,
                       const struct hf_session_event *event);

/* What the nodes say of their service: may requests be sent, and to which node
 * [S7]? */
void hf_lease_services(struct hf_session *s,
                       const struct hf_session_event *event);

/* Another leader was seen: meet it.  Requests wait for `pause`. */
void hf_lease_meet(struct hf_session *s, uint64_t term,
                   struct hf_duration pause);

/* The server ended the session: GONE.  It is not ours, or none can be had:
 * DENIED. */
void hf_lease_gone(struct hf_session *s, enum hf_answer_kind kind);

/* A request begins.  A session that was idle for long is replaced first. */
void hf_lease_want(struct hf_session *s);

/* The user ends everything. */
void hf_lease_end(struct hf_session *s);

/* End this session, which has no grants, to open another. */
void hf_lease_renounce(struct hf_session *s);

/* The next time for hf_lease_look, or HF_NEVER. */
struct hf_instant hf_lease_deadline(const struct hf_session *s);

#endif
