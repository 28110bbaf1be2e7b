#ifndef HF_CORE_LOCKSPACE_CLAIMS_H
#define HF_CORE_LOCKSPACE_CLAIMS_H

#include "core/lockspace/parts.h"

/*
 * Claims: the life of one request, from when it is asked to when nothing of it
 * is left, and what is said to its listener.  The rules that decide are above;
 * here lines, journal, timers and owners are kept in step.
 *
 *             start_waiting    park, unpark     lose_place, leave
 *   ASKED ------------------> waiting <--> parked ----------------> ENDED
 *     |                          |                                    ^
 *     |          grant           |           end_held                 |
 *     +--------------------------+--> HELD ---------------------------+
 */

/* ---- The lane of a claim ------------------------------------------------- */

/* The only function that changes a lane's state; the diagram is in lockspace.h.
 */
void hf_claims_move_to(struct hf_ls_lane *lane, enum hf_lane_state next);
void hf_claims_set_over(struct hf_ls_lane *lane, enum hf_over over);

/* WAITING or PARKED? */
bool hf_claims_waits(const struct hf_ls_lane *lane);

/* The lane turns to request n, OVER until that enters.  The end of the former
 * request's stream has no meaning any more: a lane asks for one thing at a
 * time, so it was answered. */
void hf_claims_turn_to(struct hf_lockspace *ls, struct hf_ls_lane *lane,
                       uint64_t n, uint64_t a);

struct hf_ls_session *hf_claims_session_of(const struct hf_lockspace *ls,
                                           const struct hf_ls_claim *claim);

/* ---- Answers ------------------------------------------------------------- */

/* Answer a message now, or the attempt it replaces; good until the next call.
 */
struct hf_answer *hf_claims_reply(struct hf_lockspace *ls, uint64_t stream,
                                  enum hf_answer_kind kind);
void hf_claims_reply_over(struct hf_lockspace *ls, uint64_t stream,
                          enum hf_over over);

/* Answer the attempt of a claim, if its stream is open; once a step. */
void hf_claims_tell(struct hf_lockspace *ls, uint32_t number,
                    enum hf_answer_kind kind);
void hf_claims_tell_over(struct hf_lockspace *ls, uint32_t number,
                         enum hf_over over);

/* A random number below `range`; 0 if `range` is 0. */
uint64_t hf_claims_random_below(struct hf_lockspace *ls, uint64_t range);

/* ---- From asked to waiting ----------------------------------------------- */

/* Add a claim for a lane's request, ASKED; 0: no room. */
uint32_t hf_claims_add(struct hf_lockspace *ls, uint32_t lane,
                       struct hf_bytes note);

/* Add a name.  NEVER_ASKED: done; else why the request is over. */
enum hf_over hf_claims_attach(struct hf_lockspace *ls, uint32_t number,
                              const struct hf_want *want, enum hf_mode mode);

/* The claim's part with that name; 0: none. */
uint32_t hf_claims_part_of(const struct hf_lockspace *ls, uint32_t claim,
                           uint32_t name);

/* Does its i-th name take any mode, since the acquire has a key and names none?
 */
bool hf_claims_any_mode(const struct hf_message *acquire, size_t i);

/* Does the claim ask for, or hold, just these names, each in its mode?  A name
 * without a mode in an acquire with a key fits any. */
bool hf_claims_ask_for(struct hf_lockspace *ls, uint32_t number,
                       const struct hf_message *acquire);

/* The lane is WAITING from now on.  The caller sets its place and timer. */
void hf_claims_start_waiting(struct hf_lockspace *ls, uint32_t number);

/* The shortest time before a silent waiting stream is answered.  A random part
 * is added [W2]. */
struct hf_duration hf_claims_least_timeout(const struct hf_lockspace *ls);

/* Set the time at which a stream, silent since `since`, is answered at the
 * latest [W2]. */
void hf_claims_set_timeout(struct hf_lockspace *ls, uint32_t number,
                           struct hf_instant since);

/* ---- Parked -------------------------------------------------------------- */

/* Answer with a blocking timeout and keep the place for its grace.  The grace
 * begins when a batch has released the answer [W2, J2]. */
void hf_claims_park(struct hf_lockspace *ls, uint32_t number);

/* The grace: what the attempt asks for, and no less than the common one. */
struct hf_duration hf_claims_grace_of(const struct hf_lockspace *ls,
                                      uint32_t number);

/* The answer was taken as an effect, with this mark. */
void hf_claims_set_untold(struct hf_lockspace *ls, uint32_t number,
                          uint64_t mark);

/* Is any parked claim's answer out by now?  Then begin the graces, some in each
 * step. */
bool hf_claims_any_told(const struct hf_lockspace *ls);
void hf_claims_start_graces(struct hf_lockspace *ls);

/* Its connection broke: keep the place for its grace from now on, but no longer
 * than it wants to wait [W5]. */
void hf_claims_keep_place(struct hf_lockspace *ls, uint32_t number);

/* The same for a grant that was not handed over, for the common grace.  It
 * counts as a waiter.  False: no room for one. */
bool hf_claims_keep_grant(struct hf_lockspace *ls, uint32_t number);

/* A kept grant was asked for again, answered, or is over. */
void hf_claims_keep_no_more(struct hf_lockspace *ls, uint32_t number);

/* Its client asks again: the lane is WAITING.  The caller sets its timeout. */
void hf_claims_unpark(struct hf_lockspace *ls, uint32_t number);

/* ---- No longer waiting --------------------------------------------------- */

/* Stop waiting: it will be granted, or leaves. */
void hf_claims_stop_waiting(struct hf_lockspace *ls, uint32_t number);

/* Leave the lines: ENDED.  The caller answers, and moves the lane. */
void hf_claims_leave(struct hf_lockspace *ls, uint32_t number);

/* Its place is lost and its client told so.  The lane may ask again: LEFT. */
void hf_claims_lose_place(struct hf_lockspace *ls, uint32_t number,
                          enum hf_answer_kind kind);

/* ---- Grants -------------------------------------------------------------- */

/* HELD from now on, under that fence. */
void hf_claims_hold(struct hf_lockspace *ls, uint32_t number, uint64_t fence);

/* List a HELD claim, all answered, among its session's grants. */
void hf_claims_list(struct hf_lockspace *ls, uint32_t number);

/* The same under a new fence; it is written, and told. */
void hf_claims_grant(struct hf_lockspace *ls, uint32_t number);

/* Hold nothing any more: ENDED. */
void hf_claims_take_back(struct hf_lockspace *ls, uint32_t number);

/* End a HELD or REVOKED claim; `end` decides what happens to its record. */
typedef void hf_claims_end_fn(struct hf_lockspace *ls, uint32_t claim);
void hf_claims_end_held(struct hf_lockspace *ls, uint32_t number,
                        hf_claims_end_fn *end);

/* End all that a lane has, and answer its open streams. */
void hf_claims_end_lane(struct hf_lockspace *ls, uint32_t number,
                        enum hf_answer_kind kind, hf_claims_end_fn *end);

#endif
