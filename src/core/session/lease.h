#ifndef HF_CORE_SESSION_LEASE_H
#define HF_CORE_SESSION_LEASE_H

#include "core/session/parts.h"

/*
 * Lease: the session itself: to open it, to keep it alive and count the right
 * by that, to meet each new leader and compare with it what is believed in, and
 * to end it [S1, S4, R4].
 */

/* The time was told: is a right over, an errand overdue? */
void hf_lease_look(struct hf_session *s);

/* Say what is to be said now. */
void hf_lease_drive(struct hf_session *s);

/* May requests be sent? */
bool hf_lease_ready(const struct hf_session *s);

/* A message of the session's own is out no more; false: there is none on that
 * stream. */
bool hf_lease_take_errand(struct hf_session *s, uint64_t stream,
                          struct hf_errand *errand);

/* It was answered; false: not by anything that answers what was said. */
bool hf_lease_answered(struct hf_session *s, const struct hf_errand *errand,
                       const struct hf_session_event *event);

/* What the nodes say of their services: whether anything may be asked for, and
 * whom [S7]. */
void hf_lease_services(struct hf_session *s,
                       const struct hf_session_event *event);

/* There is another leader, to be met; requests wait for so long. */
void hf_lease_meet(struct hf_session *s, uint64_t term,
                   struct hf_duration pause);

/* The session is over at the server: GONE.  Or it is not ours, or there is none
 * to be had: DENIED. */
void hf_lease_gone(struct hf_session *s, enum hf_answer_kind kind);

/* Something is wanted: a session that has been idle for long is not the one. */
void hf_lease_want(struct hf_session *s);

/* The user wants all to end. */
void hf_lease_end(struct hf_session *s);

/* End this session, in which nothing is granted, for the sake of the next. */
void hf_lease_renounce(struct hf_session *s);

/* When to look again, or HF_NEVER. */
struct hf_instant hf_lease_deadline(const struct hf_session *s);

#endif
