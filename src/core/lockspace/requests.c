#include "core/lockspace/requests.h"

#include "base/check.h"
#include "core/lockspace/claims.h"
#include "core/lockspace/cycle.h"
#include "core/lockspace/journal.h"
#include "core/lockspace/keys.h"
#include "core/lockspace/line.h"
#include "core/lockspace/list.h"
#include "core/lockspace/names.h"
#include "core/lockspace/onlookers.h"
#include "core/lockspace/owners.h"

/* At most this many requests get their place in one step after a takeover
 * grace: so a step stays short with a million of them. */
#define PLACED_MAX 256

/* At most this many onlookers are looked at in one step although another of
 * their names is held: so a release stays short with a million of them. */
#define LOOKED_AT_MAX 256

/* No fence is as high.  Fences begin at the wall clock in microseconds, and
 * this is the year 2112. */
#define SEEN_MAX (UINT64_C(1) << 52)

/* ---- A request enters ---------------------------------------------------- */

static size_t
bytes_of_record(const struct hf_message *message)
{
    size_t len = 0;

    for (size_t i = 0; i < message->acquire.wants_count; i++)
        len += message->acquire.wants[i].space.len +
               message->acquire.wants[i].name.len;
    return hf_journal_grant_bytes(message->acquire.wants_count, len,
                                  message->acquire.note.len);
}

/* Is there room for one more grant of the session, and for its names in their
 * spaces? */
static bool
has_room(const struct hf_lockspace *ls, const struct hf_ls_session *session,
         const struct hf_message *message)
{
    const struct hf_lockspace_limits *limits = &ls->config.limits;

    return message->acquire.wants_count <= limits->request_names &&
           bytes_of_record(message) <= limits->record_bytes &&
           session->held.count + session->waiters_count <
               limits->session_grants;
}

static enum hf_over
attach_all(struct hf_lockspace *ls, uint32_t number,
           const struct hf_message *message)
{
    uint32_t session = hf_lane_at(ls, hf_claim_at(ls, number)->lane)->session;

    if (message->acquire.wants_count == 0)
        return HF_OVER_INVALID;
    for (size_t i = 0; i < message->acquire.wants_count; i++) {
        enum hf_mode mode = hf_keys_mode(ls, session, message, i);
        enum hf_over over =
            hf_claims_attach(ls, number, &message->acquire.wants[i],
                             message->acquire.free ? HF_EXCLUSIVE : mode);

        if (over != HF_OVER_NEVER_ASKED)
            return over;
    }
    return HF_OVER_NEVER_ASKED;
}

/* The request was not accepted, and gets no answer through this claim. */
static void
drop_claim(struct hf_lockspace *ls, uint32_t number)
{
    hf_line_leave(ls, number);
    hf_lane_at(ls, hf_claim_at(ls, number)->lane)->current = 0;
    hf_journal_settle(ls, number);
}

/* A place is kept for a silent client no longer than a session may be silent.
 */
static struct hf_duration
park_of(const struct hf_lockspace *ls, const struct hf_ls_claim *claim,
        const struct hf_message *message)
{
    struct hf_duration most = {hf_claims_session_of(ls, claim)->ttl.ms / 2};
    struct hf_duration park = message->acquire.park;

    return park.ms > most.ms ? most : park;
}

/* Remember where the answer goes, and how long its client will still wait.  An
 * attempt can only shorten the wait that began with its place; a client that
 * polls sets a new one each time [W2, W3]. */
static void
set_attempt(struct hf_lockspace *ls, uint32_t number,
            const struct hf_message *message)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);
    struct hf_instant end = message->acquire.wait == HF_WAIT_FOREVER
                                ? HF_NEVER
                                : hf_after(ls->now, message->acquire.remaining);
    bool polled = claim->park.ms > 0;

    claim->stream = message->stream;
    claim->park = park_of(ls, claim, message);
    claim->wait_end =
        polled || claim->park.ms > 0 ? end : hf_earlier(claim->wait_end, end);
}

static bool
is_gathering(const struct hf_lockspace *ls)
{
    return !hf_reached(ls->now, ls->gather_until) || ls->gathered.count > 0;
}

/* Does a grace withhold the lock though nothing conflicts [L5, L6]? */
static bool
is_withheld(struct hf_lockspace *ls, uint32_t number,
            const struct hf_message *message)
{
    return !hf_reached(ls->now, ls->hold_until) ||
           (is_gathering(ls) &&
            (message->acquire.waited.ms > 0 || hf_line_waited_for(ls, number)));
}

static bool
may_wait(const struct hf_lockspace *ls, uint32_t number)
{
    const struct hf_lockspace_limits *limits = &ls->config.limits;
    const struct hf_ls_claim *claim = hf_claim_at(ls, number);
    uint32_t at = claim->parts;

    if (ls->waiters_count + ls->kept_count >= limits->waiters ||
        hf_claims_session_of(ls, claim)->waiters_count >=
            limits->session_waiters)
        return false;
    for (; at != 0; at = hf_part_at(ls, at)->next) {
        const struct hf_ls_name *name =
            hf_name_at(ls, hf_part_at(ls, at)->name);

        /* Its own names are in this count. */
        if (hf_space_at(ls, name->space)->waiters_count > limits->space_waiters)
            return false;
    }
    return true;
}

/* Take a place at the end of the lines, unless that closes a cycle.  The stream
 * may have been silent since `since`. */
static bool
enter_line(struct hf_lockspace *ls, uint32_t number, struct hf_instant since)
{
    hf_line_enter(ls, number);
    hf_claims_set_timeout(ls, number, since);
    return !hf_cycle_found(ls, number);
}

static void
end_deadlocked(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_lane *lane = hf_lane_at(ls, hf_claim_at(ls, number)->lane);

    hf_claims_leave(ls, number);
    hf_claims_tell_over(ls, number, HF_OVER_DEADLOCK);
    hf_journal_settle(ls, number);
    hf_claims_set_over(lane, HF_OVER_DEADLOCK);
}

static void
wait_for(struct hf_lockspace *ls, uint32_t number, struct hf_duration waited)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);
    bool gathers = is_gathering(ls);

    if (!gathers || waited.ms < 0)
        waited.ms = 0; /* a wait before this one counts only while places are
                          taken again */
    claim->since = hf_after(ls->now, (struct hf_duration){-waited.ms});
    claim->since = hf_later(claim->since, ls->begun_at);
    hf_claims_start_waiting(ls, number);
    if (gathers)
        hf_timers_set(ls, &ls->gathered, hf_item_of_claim(ls, number),
                      claim->since.ms);
    else if (!enter_line(ls, number, ls->now))
        end_deadlocked(ls, number);
}

/* Nothing blocks it: grant it, or tell an onlooker that it is free. */
static void
succeed(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);
    struct hf_ls_lane *lane = hf_lane_at(ls, claim->lane);

    if (!claim->looks_on) {
        hf_claims_grant(ls, number);
        return;
    }
    hf_line_leave(ls, number);
    lane->current = 0;
    hf_claims_tell_over(ls, number, HF_OVER_FREE);
    hf_journal_settle(ls, number);
    hf_claims_set_over(lane, HF_OVER_FREE);
}

static void
refuse(struct hf_lockspace *ls, uint32_t number, enum hf_over over)
{
    struct hf_ls_lane *lane = hf_lane_at(ls, hf_claim_at(ls, number)->lane);

    hf_claims_tell_over(ls, number, over);
    hf_line_leave(ls, number);
    lane->current = 0;
    hf_journal_settle(ls, number);
    hf_claims_set_over(lane, over);
}

/* The rest of the start's grace, or of the graces of the parked places that
 * block it. */
static struct hf_duration
rest_of_grace(const struct hf_lockspace *ls, struct hf_duration kept)
{
    return hf_longer(
        hf_between(ls->now, hf_later(ls->gather_until, ls->hold_until)), kept);
}

/* The longer of two graces is the one to name. */
static enum hf_later
cause_of(const struct hf_lockspace *ls, bool in_way)
{
    if (!hf_reached(ls->now, ls->hold_until))
        return HF_LATER_FORGOTTEN;
    return in_way && !is_gathering(ls) ? HF_LATER_PLACE : HF_LATER_LEADER;
}

static void
put_off(struct hf_lockspace *ls, uint32_t lane, uint64_t stream, bool in_way,
        struct hf_duration kept)
{
    struct hf_answer *answer;

    hf_claims_move_to(hf_lane_at(ls, lane), HF_LANE_LEFT);
    answer = hf_claims_reply(ls, stream, HF_ANSWER_LATER);
    answer->grace = rest_of_grace(ls, kept);
    answer->cause = cause_of(ls, in_way);
}

/* The claim has all its names: answer it, grant it or let it wait. */
static void
judge(struct hf_lockspace *ls, uint32_t number,
      const struct hf_message *message)
{
    bool in_way = hf_line_in_way(ls, number);
    uint32_t lane = hf_claim_at(ls, number)->lane;
    struct hf_duration kept = {0};

    if (!in_way && !is_withheld(ls, number, message)) {
        succeed(ls, number);
    } else if (message->acquire.wait != HF_WAIT_TRY) {
        if (may_wait(ls, number))
            wait_for(ls, number, message->acquire.waited);
        else
            refuse(ls, number, HF_OVER_LIMIT);
    } else if (in_way && !hf_line_parked_alone(ls, number, &kept)) {
        refuse(ls, number, HF_OVER_HELD);
    } else {
        drop_claim(ls, number);
        put_off(ls, lane, message->stream, in_way, kept);
    }
}

/* Request n of the lane enters, for the first time or again. */
static void
enter(struct hf_lockspace *ls, uint32_t lane_number,
      const struct hf_message *message)
{
    struct hf_ls_lane *lane = hf_lane_at(ls, lane_number);
    uint32_t number = 0;
    enum hf_over over;

    hf_keys_keep(ls, lane->session, message);
    if (has_room(ls, hf_session_at(ls, lane->session), message))
        number = hf_claims_add(ls, lane_number, message->acquire.note);
    if (number == 0) {
        hf_claims_set_over(lane, HF_OVER_LIMIT);
        hf_claims_reply_over(ls, message->stream, HF_OVER_LIMIT);
        return;
    }
    lane->current = number;
    hf_claim_at(ls, number)->n = lane->n;
    hf_claim_at(ls, number)->looks_on = message->acquire.free;
    hf_claim_at(ls, number)->wait_end = HF_NEVER;
    set_attempt(ls, number, message);
    over = attach_all(ls, number, message);
    if (over == HF_OVER_NEVER_ASKED)
        judge(ls, number, message);
    else
        refuse(ls, number, over);
}

/* ---- A request that is known --------------------------------------------- */

static void
reply_granted(struct hf_lockspace *ls, uint64_t stream, uint64_t fence)
{
    hf_claims_reply(ls, stream, HF_ANSWER_GRANTED)->fence = fence;
}

/* Answers go to another attempt from now on [R3]. */
static void
take_attempt(struct hf_lockspace *ls, uint32_t lane_number,
             const struct hf_message *message)
{
    struct hf_ls_lane *lane = hf_lane_at(ls, lane_number);
    uint32_t number = lane->current;
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    if (lane->state == HF_LANE_WAITING && claim->stream != 0)
        hf_claims_reply(ls, claim->stream, HF_ANSWER_SUPERSEDED);
    if (message->acquire.wait == HF_WAIT_TRY) {
        /* A try has no place: it is answered as if it came now. */
        claim->stream = 0;
        hf_claims_leave(ls, number);
        hf_journal_settle(ls, number);
        hf_claims_move_to(lane, HF_LANE_LEFT);
        enter(ls, lane_number, message);
        return;
    }
    set_attempt(ls, number, message);
    if (lane->state == HF_LANE_PARKED)
        hf_claims_unpark(ls, number);
    if (claim->state == HF_CLAIM_WAITING) {
        hf_claims_set_timeout(ls, number, ls->now);
        hf_line_enlist(ls, number);
    }
}

/* Is this attempt the newest?  An equal number is the same message again; it
 * matters only if the stream of the first has ended. */
static bool
is_newest(const struct hf_lockspace *ls, const struct hf_ls_lane *lane,
          uint64_t a)
{
    if (a != lane->a)
        return a > lane->a;
    return lane->state == HF_LANE_LEFT ||
           (lane->state == HF_LANE_GRANTED &&
            hf_claim_at(ls, lane->current)->stream == 0);
}

static void
acquire_again(struct hf_lockspace *ls, uint32_t lane_number,
              const struct hf_message *message)
{
    struct hf_ls_lane *lane = hf_lane_at(ls, lane_number);

    if (lane->state == HF_LANE_OVER) {
        hf_claims_reply_over(ls, message->stream, (enum hf_over)lane->over);
        return;
    }
    if (!is_newest(ls, lane, message->a)) {
        hf_claims_reply(ls, message->stream, HF_ANSWER_SUPERSEDED);
        return;
    }
    if (lane->current != 0 && !hf_claims_ask_for(ls, lane->current, message)) {
        hf_claims_reply_over(ls, message->stream, HF_OVER_INVALID);
        return;
    }
    lane->a = message->a;
    switch ((enum hf_lane_state)lane->state) {
    case HF_LANE_WAITING:
    case HF_LANE_PARKED:
        take_attempt(ls, lane_number, message);
        break;
    case HF_LANE_GRANTED:
        hf_claims_keep_no_more(ls, lane->current);
        hf_claim_at(ls, lane->current)->stream = message->stream;
        reply_granted(ls, message->stream,
                      hf_claim_at(ls, lane->current)->fence);
        break;
    case HF_LANE_LEFT:
        enter(ls, lane_number, message);
        break;
    case HF_LANE_OVER:
        break;
    }
}

/* An acquire older than the lane's last: answer with its grant, if it still
 * holds [R2]. */
static void
acquire_old(struct hf_lockspace *ls, uint32_t lane,
            const struct hf_message *message)
{
    uint32_t held = hf_owners_held(ls, lane, message->n);

    if (held == 0)
        hf_claims_reply_over(ls, message->stream, HF_OVER_FORGOTTEN);
    else if (hf_claim_at(ls, held)->state == HF_CLAIM_REVOKED)
        hf_claims_reply_over(ls, message->stream, HF_OVER_CLEARED);
    else if (!hf_claims_ask_for(ls, held, message))
        hf_claims_reply_over(ls, message->stream, HF_OVER_INVALID);
    else
        reply_granted(ls, message->stream, hf_claim_at(ls, held)->fence);
}

static bool
is_settled(const struct hf_ls_lane *lane)
{
    return lane->state == HF_LANE_OVER || lane->state == HF_LANE_GRANTED;
}

/* The lane of a message, made if it is new; 0: the message was answered. */
static uint32_t
lane_of(struct hf_lockspace *ls, uint32_t session,
        const struct hf_message *message)
{
    uint32_t lane = hf_owners_lane(ls, session, message->lane);

    if (lane == 0)
        lane = hf_owners_add_lane(ls, session, message->lane);
    if (lane == 0)
        hf_claims_reply(ls, message->stream, HF_ANSWER_LIMIT);
    else if (message->n > hf_lane_at(ls, lane)->n &&
             !is_settled(hf_lane_at(ls, lane))) {
        hf_claims_reply(ls, message->stream, HF_ANSWER_BUSY);
        lane = 0;
    }
    return lane;
}

/* A server that forgot may have forgotten fences, and its clock may be behind.
 * It begins above the fence that its client has seen, if that can be a fence at
 * all [L6]. */
static void
begin_above(struct hf_lockspace *ls, uint64_t seen)
{
    if (!hf_reached(ls->now, ls->hold_until) && seen >= ls->next_fence &&
        seen < SEEN_MAX)
        ls->next_fence = seen + 1;
}

void
hf_requests_acquire(struct hf_lockspace *ls, uint32_t session,
                    const struct hf_message *message)
{
    struct hf_ls_lane *lane;
    uint32_t number;

    begin_above(ls, message->acquire.seen);
    if (message->lane < hf_session_at(ls, session)->lowest) {
        hf_claims_reply_over(ls, message->stream, HF_OVER_FORGOTTEN);
        return;
    }
    number = lane_of(ls, session, message);
    if (number == 0)
        return;
    lane = hf_lane_at(ls, number);
    if (message->n < lane->n) {
        acquire_old(ls, number, message);
    } else if (message->n == lane->n) {
        acquire_again(ls, number, message);
    } else {
        hf_claims_turn_to(ls, lane, message->n, message->a);
        enter(ls, number, message);
    }
}

/* End the lane's last request, whatever its state. */
static void
end_current(struct hf_lockspace *ls, struct hf_ls_lane *lane)
{
    uint32_t current = lane->current;

    if (hf_claims_waits(lane)) {
        hf_claims_leave(ls, current);
        hf_claims_tell_over(ls, current, HF_OVER_RELEASED);
        hf_journal_settle(ls, current);
    } else if (current != 0) {
        hf_claims_end_held(ls, current, hf_journal_drop);
    }
    if (lane->state != HF_LANE_OVER || lane->over == HF_OVER_CLEARED)
        hf_claims_set_over(lane, HF_OVER_RELEASED);
}

bool
hf_requests_release(struct hf_lockspace *ls, uint32_t session,
                    const struct hf_message *message)
{
    struct hf_ls_lane *lane;
    uint32_t number;
    uint32_t held;

    if (message->lane >= hf_session_at(ls, session)->lowest) {
        number = lane_of(ls, session, message);
        if (number == 0)
            return false;
        lane = hf_lane_at(ls, number);
        held = hf_owners_held(ls, number, message->n);
        if (message->n > lane->n) {
            hf_claims_turn_to(ls, lane, message->n, message->a);
            hf_claims_set_over(lane, HF_OVER_RELEASED);
        } else if (message->n == lane->n) {
            end_current(ls, lane);
        } else if (held != 0) {
            hf_claims_end_held(ls, held, hf_journal_drop);
        }
    }
    hf_claims_reply(ls, message->stream, HF_ANSWER_RELEASED);
    return true;
}

void
hf_requests_change(struct hf_lockspace *ls, uint32_t session,
                   const struct hf_message *message)
{
    uint32_t lane = hf_owners_lane(ls, session, message->lane);
    uint32_t name = hf_names_find(ls, &message->change);
    uint32_t held = lane == 0 ? 0 : hf_owners_held(ls, lane, message->n);
    uint32_t part = held == 0 ? 0 : hf_claims_part_of(ls, held, name);

    if (part == 0) { /* a cleared grant has no parts */
        hf_claims_reply(ls, message->stream, HF_ANSWER_NOT_HELD);
        return;
    }
    if (hf_part_at(ls, part)->mode == HF_EXCLUSIVE) {
        hf_line_lower(ls, part);
        hf_journal_put(ls, held);
    }
    hf_claims_reply(ls, message->stream, HF_ANSWER_CHANGED);
}

/* ---- Clear --------------------------------------------------------------- */

/* Take back all that the grant holds.  Its session is told until it releases it
 * [S6]. */
static void
revoke(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);
    struct hf_ls_lane *lane = hf_lane_at(ls, claim->lane);
    struct hf_ls_session *session = hf_claims_session_of(ls, claim);

    hf_claims_take_back(ls, number);
    hf_journal_drop(ls, number);
    claim->state = HF_CLAIM_REVOKED;
    hf_list_add(ls, &session->revoked, hf_list_work, number);
    session->revoked_count++;
    if (lane->current == number)
        hf_claims_set_over(lane, HF_OVER_CLEARED);
}

/* The claim's note becomes the text of its audit record; false: no room,
 * nothing changed. */
static bool
keep_audit(struct hf_lockspace *ls, uint32_t number, struct hf_bytes audit)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);
    struct hf_string kept;

    if (audit.len > UINT16_MAX ||
        hf_journal_clear_bytes(audit.len) >
            2 * (size_t)ls->config.limits.record_bytes ||
        !hf_strings_put(ls, &ls->texts, audit.at, audit.len, &kept))
        return false;
    hf_strings_drop(ls, &ls->texts, hf_claim_note(claim));
    claim->note = kept.first;
    claim->note_len = (uint16_t)kept.len;
    claim->cleared = true;
    return true;
}

/* Only CLOCK declares a session suspected, after all that arrived was read.  A
 * clear that is read before the keep-alive that came with it proves nothing
 * [S2].  A takeover session is never suspected: its end takes back what it
 * holds. */
static bool
is_suspected(const struct hf_ls_session *session)
{
    return session->state == HF_SESSION_SUSPECTED;
}

static void
spare(struct hf_lockspace *ls, const struct hf_message *message,
      const struct hf_ls_session *session)
{
    struct hf_answer *answer =
        hf_claims_reply(ls, message->stream, HF_ANSWER_NOT_SUSPECTED);

    answer->suspected.silent = hf_between(session->heard_at, ls->now);
    answer->suspected.rest = hf_between(ls->now, hf_owners_end_of_ttl(session));
}

void
hf_requests_clear(struct hf_lockspace *ls, const struct hf_message *message)
{
    uint32_t name = hf_names_find(ls, &message->clear.lock);
    uint32_t claim = hf_owners_fence(ls, message->clear.fence);
    const struct hf_ls_session *session;

    if (name == 0 || claim == 0 || hf_claims_part_of(ls, claim, name) == 0) {
        hf_claims_reply(ls, message->stream, HF_ANSWER_NOT_HELD);
        return;
    }
    session = hf_claims_session_of(ls, hf_claim_at(ls, claim));
    if (!message->clear.at_once && !is_suspected(session)) {
        spare(ls, message, session);
        return;
    }
    if (!keep_audit(ls, claim, message->clear.audit)) {
        hf_claims_reply(ls, message->stream, HF_ANSWER_LIMIT);
        return;
    }
    revoke(ls, claim);
    hf_claims_reply(ls, message->stream, HF_ANSWER_CLEARED);
}

/* ---- Those that may go --------------------------------------------------- */

/* After the takeover grace: place the requests that came in it, the longest
 * wait first [L5].  Some may have waited since before [W2].  At most one cycle
 * a step, so that it can be reported. */
static void
place_gathered(struct hf_lockspace *ls)
{
    int64_t since_ms;

    for (unsigned i = 0; i < PLACED_MAX; i++) {
        uint32_t item = hf_timers_first(ls, &ls->gathered, &since_ms);
        uint32_t claim = hf_claim_of_item(ls, item);

        if (item == 0)
            return;
        hf_timers_remove(ls, &ls->gathered, item);
        if (!enter_line(ls, claim, ls->served_at)) {
            end_deadlocked(ls, claim);
            return;
        }
        if (hf_claim_at(ls, claim)->stream == 0)
            hf_claims_keep_place(ls, claim); /* its connection broke
                                                meanwhile */
    }
}

/* Answer onlookers before freed names are granted again: an onlooker blocks
 * nobody. */
static void
tell_onlookers(struct hf_lockspace *ls)
{
    unsigned left = LOOKED_AT_MAX;
    uint32_t claim;

    while ((claim = hf_onlookers_next_free(ls, &left)) != 0) {
        hf_line_delist(ls, claim);
        hf_claims_stop_waiting(ls, claim);
        succeed(ls, claim);
    }
}

void
hf_requests_let_go(struct hf_lockspace *ls)
{
    if (hf_reached(ls->now, ls->gather_until))
        place_gathered(ls);
    if (!hf_reached(ls->now, ls->hold_until))
        return;
    tell_onlookers(ls);
    while (ls->ready.first != 0) {
        uint32_t claim = ls->ready.first;

        hf_line_delist(ls, claim);
        hf_claims_stop_waiting(ls, claim);
        succeed(ls, claim);
    }
}
