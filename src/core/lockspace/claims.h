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

/* The only place where its state changes; the diagram is in lockspace.h. */
void hf_claims_move_to(struct hf_ls_lane *lane, enum hf_lane_state next);
void hf_claims_set_over(struct hf_ls_lane *lane, enum hf_over over);

/* WAITING or PARKED? */
bool hf_claims_waits(const struct hf_ls_lane *lane);

/* Its last request is n from here on, OVER until it enters.  The end of a
 * stream means nothing any more for the one before: that was answered, for a
 * lane asks for one thing at a time. */
void hf_claims_turn_to(struct hf_lockspace *ls, struct hf_ls_lane *lane,
                       uint64_t n, uint64_t a);

struct hf_ls_session *hf_claims_session_of(const struct hf_lockspace *ls,
                                           const struct hf_ls_claim *claim);

/* ---- Answers ------------------------------------------------------------- */

/* To a message, at once, or to whom it supersedes; good until the next. */
struct hf_answer *hf_claims_reply(struct hf_lockspace *ls, uint64_t stream,
                                  enum hf_answer_kind kind);
void hf_claims_reply_over(struct hf_lockspace *ls, uint64_t stream,
                          enum hf_over over);

/* To the listener of a claim, if there is one; once a step. */
void hf_claims_tell(struct hf_lockspace *ls, uint32_t number,
                    enum hf_answer_kind kind);
void hf_claims_tell_over(struct hf_lockspace *ls, uint32_t number,
                         enum hf_over over);

/* Something random below `range`, or 0. */
uint64_t hf_claims_random_below(struct hf_lockspace *ls, uint64_t range);

/* ---- From asked to waiting ----------------------------------------------- */

/* A claim of a lane's request, ASKED; 0: no room. */
uint32_t hf_claims_add(struct hf_lockspace *ls, uint32_t lane,
                       struct hf_bytes note);

/* One more name for it.  NEVER_ASKED: it has it; else why it is over. */
enum hf_over hf_claims_attach(struct hf_lockspace *ls, uint32_t number,
                              const struct hf_want *want, enum hf_mode mode);

/* Its part with that name; 0: none. */
uint32_t hf_claims_part_of(const struct hf_lockspace *ls, uint32_t claim,
                           uint32_t name);

/* Is its i-th name in whatever mode it was, for it has a key, and says none? */
bool hf_claims_any_mode(const struct hf_message *acquire, size_t i);

/* Does it ask for just these, or hold just these, each in its mode, or in any
 * if the acquire has a key and says none? */
bool hf_claims_ask_for(struct hf_lockspace *ls, uint32_t number,
                       const struct hf_message *acquire);

/* Its lane is WAITING from here on; its place, and its timer, come next. */
void hf_claims_start_waiting(struct hf_lockspace *ls, uint32_t number);

/* A stream that waits is silent for so long, and a random part longer [W2]. */
struct hf_duration hf_claims_least_timeout(const struct hf_lockspace *ls);

/* When its stream, silent since then, is answered at the latest [W2]. */
void hf_claims_set_timeout(struct hf_lockspace *ls, uint32_t number,
                           struct hf_instant since);

/* ---- Parked -------------------------------------------------------------- */

/* It is told a blocking timeout, and keeps its place: for its grace, which
 * begins when a batch has let the answer out [W2, J2]. */
void hf_claims_park(struct hf_lockspace *ls, uint32_t number);

/* How long that is: as it asks, but never less than others have. */
struct hf_duration hf_claims_grace_of(const struct hf_lockspace *ls,
                                      uint32_t number);

/* That answer was taken, with that mark. */
void hf_claims_set_untold(struct hf_lockspace *ls, uint32_t number,
                          uint64_t mark);

/* Of those whose answers are out by now: is there any, and begin the grace of
 * some. */
bool hf_claims_any_told(const struct hf_lockspace *ls);
void hf_claims_start_graces(struct hf_lockspace *ls);

/* It was cut off: its place is kept for its grace from now on, and no longer
 * than it wants to wait [W5]. */
void hf_claims_keep_place(struct hf_lockspace *ls, uint32_t number);

/* The same of a grant that nobody was told of, for the common grace; it counts
 * as one that waits.  False: there is no room for one more. */
bool hf_claims_keep_grant(struct hf_lockspace *ls, uint32_t number);

/* A grant that was kept is asked for again, told, or over. */
void hf_claims_keep_no_more(struct hf_lockspace *ls, uint32_t number);

/* Its client asks again: its lane is WAITING, and its timeout comes next. */
void hf_claims_unpark(struct hf_lockspace *ls, uint32_t number);

/* ---- No longer waiting --------------------------------------------------- */

/* It waits no more, and will be granted or leaves. */
void hf_claims_stop_waiting(struct hf_lockspace *ls, uint32_t number);

/* Out of the lines and ENDED; what is told, and what becomes of its lane, comes
 * next. */
void hf_claims_leave(struct hf_lockspace *ls, uint32_t number);

/* It has lost its place, which is told so, and its lane may ask for another:
 * LEFT. */
void hf_claims_lose_place(struct hf_lockspace *ls, uint32_t number,
                          enum hf_answer_kind kind);

/* ---- Grants -------------------------------------------------------------- */

/* It is HELD from here on, under that fence. */
void hf_claims_hold(struct hf_lockspace *ls, uint32_t number, uint64_t fence);

/* One that is HELD, and of which nothing is to be told any more, is found by
 * its session. */
void hf_claims_list(struct hf_lockspace *ls, uint32_t number);

/* The same under a new fence; it is written, and told. */
void hf_claims_grant(struct hf_lockspace *ls, uint32_t number);

/* It holds nothing any more: ENDED. */
void hf_claims_take_back(struct hf_lockspace *ls, uint32_t number);

/* HELD or REVOKED: it is over; `end` says what becomes of its record. */
typedef void hf_claims_end_fn(struct hf_lockspace *ls, uint32_t claim);
void hf_claims_end_held(struct hf_lockspace *ls, uint32_t number,
                        hf_claims_end_fn *end);

/* The same of all that a lane has; who listens is told. */
void hf_claims_end_lane(struct hf_lockspace *ls, uint32_t number,
                        enum hf_answer_kind kind, hf_claims_end_fn *end);

#endif
