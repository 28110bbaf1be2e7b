#ifndef HF_CORE_SESSION_WISHES_H
#define HF_CORE_SESSION_WISHES_H

#include "core/session/parts.h"

/*
 * Wishes: the life of one wish, from the call that begins it to the answer that
 * proves nothing of it is left [R5].
 */

uint32_t hf_wishes_find(const struct hf_session *s, uint64_t id);

/* ---- Calls of the user's ------------------------------------------------- */

void hf_wishes_add(struct hf_session *s, const struct hf_session_event *event);
void hf_wishes_release(struct hf_session *s, uint32_t number);
void hf_wishes_change(struct hf_session *s, uint32_t number, unsigned index);
void hf_wishes_leave(struct hf_session *s, uint32_t number);
void hf_wishes_release_all(struct hf_session *s);

/* It was seen who stands in its way. */
void hf_wishes_seen(struct hf_session *s, uint32_t number,
                    const struct hf_blocker *seen);

/* ---- Answers ------------------------------------------------------------- */

/* It was answered, on the stream that it waited for; false: not by anything
 * that answers what was asked. */
bool hf_wishes_answered(struct hf_session *s, uint32_t number,
                        const struct hf_session_event *event);

/* Is there no room for anything that was asked, and nothing that could be given
 * back to make some? */
bool hf_wishes_stuck(const struct hf_session *s);

/* ---- The lease ----------------------------------------------------------- */

/* What is left of the right has changed. */
void hf_wishes_trust(struct hf_session *s);

/* The grant of that fence was cleared, or is not there. */
void hf_wishes_taken(struct hf_session *s, uint64_t fence);

/* A keep-alive that went out on `stream` was answered: what was believed in by
 * then, and still is, is there, or is taken here.  False: some may be missing,
 * and the answer does not tell which. */
bool hf_wishes_compare(struct hf_session *s, uint64_t stream,
                       const struct hf_session_event *alive);

/* The session is over at the server: nothing of it is left there. */
void hf_wishes_gone(struct hf_session *s);

/* There is no session to be had: HF_E_DENIED, or HF_E_INVALID. */
void hf_wishes_refused(struct hf_session *s, enum hf_status why);

/* ---- Services [S7] ------------------------------------------------------- */

/* Nothing may be asked for: what was is given back, and asked for anew later.
 */
void hf_wishes_hold_back(struct hf_session *s);

/* Nor will it ever: nobody waits for it any more. */
void hf_wishes_turn_away(struct hf_session *s);

/* It may. */
void hf_wishes_go_on(struct hf_session *s);

/* Is anything at the server, or may come there? */
bool hf_wishes_asked(const struct hf_session *s);

/* ---- Time ---------------------------------------------------------------- */

/* Deadlines, messages without an answer, and pauses that are over. */
void hf_wishes_run_timers(struct hf_session *s);

/* Its news were taken: an end that was told needs no memory. */
void hf_wishes_told(struct hf_session *s, uint32_t number);

/* As its user sees it. */
enum hf_state hf_wishes_state(const struct hf_wish *wish);

#endif
