#ifndef HF_CORE_SESSION_WISHES_H
#define HF_CORE_SESSION_WISHES_H

#include "core/session/parts.h"

/* Wishes: the life of one lock request of a client, from the call that begins
 * it to the answer that proves that nothing of it is left at the server [R5].
 */

uint32_t hf_wishes_find(const struct hf_session *s, uint64_t id);

/* ---- Calls of the user's ------------------------------------------------- */

void hf_wishes_add(struct hf_session *s, const struct hf_session_event *event);
void hf_wishes_release(struct hf_session *s, uint32_t number);
void hf_wishes_change(struct hf_session *s, uint32_t number, unsigned index);
void hf_wishes_leave(struct hf_session *s, uint32_t number);
void hf_wishes_release_all(struct hf_session *s);

/* A look showed who blocks it. */
void hf_wishes_seen(struct hf_session *s, uint32_t number,
                    const struct hf_blocker *seen);

/* ---- Answers ------------------------------------------------------------- */

/* Handle an answer on its stream; false: it is no answer to what was asked. */
bool hf_wishes_answered(struct hf_session *s, uint32_t number,
                        const struct hf_session_event *event);

/* Was there no room for anything that was asked, and is there nothing to give
 * back that would make room? */
bool hf_wishes_stuck(const struct hf_session *s);

/* ---- The lease ----------------------------------------------------------- */

/* The rest of the right has changed. */
void hf_wishes_trust(struct hf_session *s);

/* The grant with that fence was cleared, or does not exist. */
void hf_wishes_taken(struct hf_session *s, uint64_t fence);

/* A keep-alive sent on `stream` was answered: compare what was held at that
 * time and still is.  False: grants may be missing, and the answer does not say
 * which. */
bool hf_wishes_compare(struct hf_session *s, uint64_t stream,
                       const struct hf_session_event *alive);

/* The session is over at the server, and with it all its grants. */
void hf_wishes_gone(struct hf_session *s);

/* No session can be had: HF_E_DENIED or HF_E_INVALID. */
void hf_wishes_refused(struct hf_session *s, enum hf_status why);

/* ---- Services [S7] ------------------------------------------------------- */

/* Stop asking: give back what was asked for, and ask anew later. */
void hf_wishes_hold_back(struct hf_session *s);

/* Stop asking for good: end all that wait. */
void hf_wishes_turn_away(struct hf_session *s);

/* Ask again. */
void hf_wishes_go_on(struct hf_session *s);

/* Is anything at the server, or can it still come there? */
bool hf_wishes_asked(const struct hf_session *s);

/* ---- Time ---------------------------------------------------------------- */

/* Handle deadlines, overdue messages and pauses that are over. */
void hf_wishes_run_timers(struct hf_session *s);

/* The news were taken; a request whose end was told is freed. */
void hf_wishes_told(struct hf_session *s, uint32_t number);

/* The state as the library's user sees it. */
enum hf_state hf_wishes_state(const struct hf_wish *wish);

#endif
