#include "core/lockspace.h"

#include <string.h>

#include "base/check.h"
#include "core/lockspace/claims.h"
#include "core/lockspace/cycle.h"
#include "core/lockspace/idle.h"
#include "core/lockspace/journal.h"
#include "core/lockspace/keys.h"
#include "core/lockspace/list.h"
#include "core/lockspace/load.h"
#include "core/lockspace/owners.h"
#include "core/lockspace/requests.h"

/* After a change of leader the clients come back spread over this time, for
 * each of them [R6]. */
#define PAUSE_EACH_US 20
#define PAUSE_MAX_US  UINT64_C(500000)

/* At most this many timers are looked at in one step: so a step stays short
 * with a million due at once. */
#define TIMERS_MAX 256

/* ---- Sessions ------------------------------------------------------------ */

static void
end_session(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_session *session = hf_session_at(ls, number);

    while (session->lanes != 0) {
        hf_claims_end_lane(ls, session->lanes, HF_ANSWER_GONE, hf_journal_void);
        hf_owners_remove_lowest(ls, number);
    }
    hf_timers_remove(ls, &ls->timers, number);
    hf_keys_let_go(ls, number);
    hf_journal_end_session(ls, number);
}

/* A message of the session arrived [S2].  Its timer is corrected when it fires.
 */
static void
hear(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_session *session = hf_session_at(ls, number);

    session->unheard = false;
    hf_journal_heard(ls, number);
    if (session->heard < 2)
        session->heard++;
    session->heard_at = ls->now;
    if (session->state == HF_SESSION_LIVE)
        return;
    session->state = HF_SESSION_LIVE;
    hf_timers_set(ls, &ls->timers, number, hf_owners_end_of_ttl(session).ms);
}

/* A refuse session was silent for its ttl: suspected, and nothing is taken from
 * it [S5]. */
static void
suspect(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_session *session = hf_session_at(ls, number);

    session->state = HF_SESSION_SUSPECTED;
    hf_timers_remove(ls, &ls->timers, number);
    while (session->waiting.first != 0)
        hf_claims_lose_place(ls, session->waiting.first, HF_ANSWER_LATER);
}

/* Was the session silent for its ttl?  Otherwise the timer is set anew. */
static bool
on_session_timer(struct hf_lockspace *ls, uint32_t number,
                 struct hf_instant read_until)
{
    const struct hf_ls_session *session = hf_session_at(ls, number);
    struct hf_instant end = hf_owners_end_of_ttl(session);

    if (!hf_reached(read_until, end)) {
        if (session->unheard && !session->says_silent &&
            session->pending == HF_PENDING_NOTHING)
            hf_journal_silence(ls, number);
        hf_timers_set(ls, &ls->timers, number, end.ms);
        return false;
    }
    if (session->if_dead == HF_REFUSE && session->held.count > 0)
        suspect(ls, number);
    else
        end_session(ls, number);
    return true;
}

static void
raise_lowest(struct hf_lockspace *ls, uint32_t number, uint64_t lowest)
{
    struct hf_ls_session *session = hf_session_at(ls, number);

    if (lowest <= session->lowest)
        return;
    session->lowest = lowest;
    while (session->lanes != 0 &&
           hf_lane_at(ls, session->lanes)->number < lowest) {
        hf_claims_end_lane(ls, session->lanes, HF_ANSWER_OVER, hf_journal_drop);
        hf_owners_remove_lowest(ls, number);
    }
}

/* Its client ended it.  A session with a key is not opened again [R3]. */
static void
end_for_good(struct hf_lockspace *ls, uint32_t number)
{
    hf_keys_remember(ls, number);
    end_session(ls, number);
}

/* End idle sessions.  Their clients lose nothing: a client that asks in an
 * ended session is told so, and opens another [S9]. */
static void
make_room(struct hf_lockspace *ls)
{
    uint32_t sessions[HF_IDLE_ENDED_MAX];
    uint32_t count = hf_idle_make_room(ls, sessions);

    for (uint32_t i = 0; i < count; i++)
        end_for_good(ls, sessions[i]);
}

/* May the session be opened?  One with a key may have ended.  False: the
 * message was answered. */
static bool
may_open(struct hf_lockspace *ls, const struct hf_message *message)
{
    enum hf_answer_kind kind = hf_keys_may_open(ls, message->session);

    if (kind != HF_ANSWER_OPENED)
        hf_claims_reply(ls, message->stream, kind);
    return kind == HF_ANSWER_OPENED;
}

static void
on_open(struct hf_lockspace *ls, const struct hf_message *message)
{
    struct hf_loaded_session from = {
        .id = message->session,
        .secret = message->secret,
        .ttl = message->open.ttl,
        .if_dead = message->open.if_dead,
        .who = message->open.who,
    };
    uint32_t number = 0;

    if (message->open.of_key && !may_open(ls, message))
        return;
    make_room(ls);
    if (from.ttl.ms > 0 && from.ttl.ms <= ls->config.ttl_max.ms &&
        hf_journal_session_bytes(from.who.len) <=
            ls->config.limits.record_bytes)
        number = hf_owners_open(ls, &from);
    if (number == 0) {
        hf_claims_reply(ls, message->stream, HF_ANSWER_LIMIT);
        return;
    }
    if (message->open.of_key)
        hf_keys_bind(ls, number);
    hf_session_at(ls, number)->of_acquire = message->open.of_acquire;
    hf_session_at(ls, number)->address = message->open.address;
    hf_timers_set(ls, &ls->timers, number,
                  hf_owners_end_of_ttl(hf_session_at(ls, number)).ms);
    hf_claims_reply(ls, message->stream, HF_ANSWER_OPENED)->alive.session =
        from.id;
}

static void
on_keep_alive(struct hf_lockspace *ls, uint32_t number,
              const struct hf_message *message)
{
    const struct hf_ls_session *session = hf_session_at(ls, number);
    struct hf_answer *answer =
        hf_claims_reply(ls, message->stream, HF_ANSWER_ALIVE);

    answer->alive.session = session->id;
    answer->alive.ttl = session->ttl;
    answer->alive.revoked = session->revoked_count;
    answer->alive.held = session->held;
    answer->alive.at_once = !hf_reached(ls->now, ls->gather_until);
}

/* ---- Messages ------------------------------------------------------------ */

static bool
is_its_secret(const struct hf_ls_session *session,
              const struct hf_message *message)
{
    uint64_t a[sizeof(session->secret.bytes) / sizeof(uint64_t)];
    uint64_t b[sizeof(a) / sizeof(a[0])];
    uint64_t differs = 0;

    memcpy(a, session->secret.bytes, sizeof(a));
    memcpy(b, message->secret.bytes, sizeof(b));
    for (size_t i = 0; i < sizeof(a) / sizeof(a[0]); i++)
        differs |= a[i] ^ b[i];
    return differs == 0;
}

/* A session that an acquire opened ends when all that was asked in it is done
 * [S8]. */
static void
end_if_done(struct hf_lockspace *ls, uint32_t number)
{
    const struct hf_ls_session *session = hf_session_at(ls, number);

    if (session->of_acquire && hf_owners_idle(session))
        end_for_good(ls, number);
}

/* A message of a known session in the present term. */
static void
on_session_message(struct hf_lockspace *ls, uint32_t session,
                   const struct hf_message *message)
{
    hear(ls, session);
    raise_lowest(ls, session, message->lowest);
    switch (message->kind) {
    case HF_MESSAGE_KEEP_ALIVE:
        on_keep_alive(ls, session, message);
        break;
    case HF_MESSAGE_PAGE:
        hf_claims_reply(ls, message->stream, HF_ANSWER_PAGE);
        break;
    case HF_MESSAGE_ACQUIRE:
        if (message->acquire.key.given)
            hf_keys_bind(ls, session);
        hf_requests_acquire(ls, session, message);
        break;
    case HF_MESSAGE_RELEASE:
        if (hf_requests_release(ls, session, message))
            end_if_done(ls, session);
        break;
    case HF_MESSAGE_CHANGE:
        hf_requests_change(ls, session, message);
        break;
    case HF_MESSAGE_END:
        end_for_good(ls, session);
        hf_claims_reply(ls, message->stream, HF_ANSWER_ENDED);
        break;
    case HF_MESSAGE_OPEN:
    case HF_MESSAGE_CLEAR:
        HF_CHECK(!"these have no session");
    }
}

/* All clients come back while places are taken again, no matter how often one
 * asks [L5, R6]. */
static uint64_t
longest_pause_us(struct hf_lockspace *ls)
{
    uint64_t wanted = PAUSE_EACH_US * ++ls->term_answers;

    return wanted < PAUSE_MAX_US ? wanted : PAUSE_MAX_US;
}

/* Does it have a key that stands for another request?  Then it keeps no session
 * alive, and is no attempt [R3]. */
static bool
asks_otherwise(struct hf_lockspace *ls, uint32_t session,
               const struct hf_message *message)
{
    return message->kind == HF_MESSAGE_ACQUIRE &&
           hf_keys_differ(ls, session, message);
}

static void
on_message(struct hf_lockspace *ls, const struct hf_message *message)
{
    uint32_t session;

    if (ls->state != HF_LOCKSPACE_SERVING) {
        hf_claims_reply(ls, message->stream, HF_ANSWER_NOT_LEADING)->mark = 0;
    } else if (message->kind == HF_MESSAGE_OPEN) {
        on_open(ls, message);
    } else if (message->kind == HF_MESSAGE_CLEAR) {
        hf_requests_clear(ls, message);
    } else if (message->term != ls->term) {
        uint64_t most = longest_pause_us(ls);

        hf_claims_reply(ls, message->stream, HF_ANSWER_TERM)->pause_us =
            hf_claims_random_below(ls, most + 1);
    } else {
        session = hf_owners_session(ls, message->session);
        if (session == 0)
            hf_claims_reply(ls, message->stream, HF_ANSWER_GONE);
        else if (!is_its_secret(hf_session_at(ls, session), message))
            hf_claims_reply(ls, message->stream, HF_ANSWER_DENIED);
        else if (asks_otherwise(ls, session, message))
            hf_claims_reply(ls, message->stream, HF_ANSWER_OTHER);
        else
            on_session_message(ls, session, message);
    }
}

/* The lane that request n is the last of; 0: there is none. */
static uint32_t
lane_of_request(struct hf_lockspace *ls, const struct hf_lockspace_event *event)
{
    uint32_t session = hf_owners_session(ls, event->request.session);

    if (session == 0)
        return 0;
    return hf_owners_lane(ls, session, event->request.lane);
}

/* Take back a grant whose answer was not sent. */
static void
give_back(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_lane *lane = hf_lane_at(ls, hf_claim_at(ls, number)->lane);

    hf_claims_end_held(ls, number, hf_journal_drop);
    hf_claims_move_to(lane, HF_LANE_LEFT);
}

static void
on_stream_ended(struct hf_lockspace *ls, const struct hf_lockspace_event *event)
{
    uint32_t number = lane_of_request(ls, event);
    const struct hf_ls_lane *lane = hf_lane_at(ls, number);
    struct hf_ls_claim *claim;
    bool waits;

    if (number == 0 || lane->current == 0)
        return;
    claim = hf_claim_at(ls, lane->current);
    if (claim->stream != event->request.stream)
        return;
    claim->stream = 0;
    waits = lane->state == HF_LANE_WAITING;
    if (!waits && (lane->state != HF_LANE_GRANTED || claim->handed))
        return;
    if (waits && event->request.cut)
        hf_claims_keep_place(ls, lane->current);
    else if (waits)
        hf_claims_lose_place(ls, lane->current, HF_ANSWER_LATER);
    else if (!event->request.cut || !hf_claims_keep_grant(ls, lane->current))
        give_back(ls, lane->current);
}

static void
on_handed(struct hf_lockspace *ls, const struct hf_lockspace_event *event)
{
    uint32_t lane = lane_of_request(ls, event);
    uint32_t held = lane == 0 ? 0 : hf_owners_held(ls, lane, event->request.n);

    if (held == 0 || hf_claim_at(ls, held)->fence != event->request.fence)
        return;
    hf_claim_at(ls, held)->handed = true;
    hf_claims_keep_no_more(ls, held);
}

/* The client never learnt of its session, so ending it loses nothing.  A
 * session that was heard from again, or has a key, is known to its client [W5].
 */
static void
on_unread(struct hf_lockspace *ls, const struct hf_lockspace_event *event)
{
    uint32_t number = hf_owners_session(ls, event->request.session);
    const struct hf_ls_session *session = hf_session_at(ls, number);

    if (number != 0 && session->of_acquire && !session->of_key &&
        session->heard < 2)
        end_for_good(ls, number);
}

/* ---- Serving ------------------------------------------------------------- */

static uint64_t
later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A client that comes back is told of the term, renews its session and asks: it
 * waits for three batches [L5, J2]. */
static struct hf_duration
places_kept(const struct hf_lockspace *ls, struct hf_duration batch)
{
    struct hf_duration most = hf_claims_least_timeout(ls);
    struct hf_duration kept = ls->config.takeover_grace;

    if (kept.ms == 0)
        return kept;
    kept.ms += 3 * batch.ms;
    return kept.ms < most.ms ? kept : most;
}

static struct hf_instant
begun_at(const struct hf_lockspace *ls, struct hf_duration age)
{
    if (age.ms == 0)
        return (struct hf_instant){INT64_MIN};
    return hf_after(ls->now, (struct hf_duration){-age.ms});
}

static void
serve(struct hf_lockspace *ls, const struct hf_lockspace_event *event)
{
    if (ls->load_failed) {
        ls->state = HF_LOCKSPACE_OVER;
        return;
    }
    ls->state = HF_LOCKSPACE_SERVING;
    ls->term = event->serve.term;
    ls->next_fence = later(later(ls->next_fence, event->serve.next_fence),
                           later(event->serve.term, event->serve.wall_us));
    ls->served_at = ls->now;
    ls->gather_until = hf_after(ls->now, places_kept(ls, event->serve.batch));
    ls->begun_at = begun_at(ls, event->serve.age);
    ls->hold_until = event->serve.hold_until;
    ls->silent_from.ms =
        event->serve.served.ms > 0 ? event->serve.served.ms : 1;
}

/* ---- Time ---------------------------------------------------------------- */

static void
on_claim_timer(struct hf_lockspace *ls, uint32_t claim)
{
    const struct hf_ls_claim *at = hf_claim_at(ls, claim);
    enum hf_lane_state state =
        (enum hf_lane_state)hf_lane_at(ls, at->lane)->state;

    if (state == HF_LANE_GRANTED)
        give_back(ls, claim);
    else if (state == HF_LANE_PARKED)
        hf_claims_lose_place(ls, claim, HF_ANSWER_LATER);
    else if (hf_reached(ls->now, at->wait_end) && at->park.ms == 0)
        hf_claims_lose_place(ls, claim, HF_ANSWER_BLOCKING_TIMEOUT);
    else
        hf_claims_park(ls, claim);
}

/* Handle some timers that are due.  A step ends one silent session at most,
 * since that may hold much.  A message that arrived in time may still be
 * unread: so time is judged up to `read_until` only [S2, W2]. */
static void
run_timers(struct hf_lockspace *ls, struct hf_instant read_until)
{
    bool silent = false;

    HF_CHECK(hf_reached(ls->now, read_until));
    for (unsigned i = 0; i < TIMERS_MAX && !silent; i++) {
        int64_t at_ms;
        uint32_t item = hf_timers_first(ls, &ls->timers, &at_ms);

        if (item == 0 || at_ms > read_until.ms)
            return;
        if (hf_ended_of_item(ls, item) != 0)
            hf_keys_forget(ls, hf_ended_of_item(ls, item));
        else if (hf_item_is_claim(ls, item))
            on_claim_timer(ls, hf_claim_of_item(ls, item));
        else
            silent = on_session_timer(ls, item, read_until);
    }
}

/* ---- The machine --------------------------------------------------------- */

static void
on_batch(struct hf_lockspace *ls, const struct hf_lockspace_event *event)
{
    if (event->batch.number != ls->batch_number || ls->batch_open ||
        ls->batch_settled == ls->batch_number)
        return; /* late, or a repetition */
    HF_CHECK(event->batch.verdict == HF_APPLIED ||
             event->batch.verdict == HF_REFUSED);
    ls->batch_settled = ls->batch_number;
    if (event->batch.verdict == HF_REFUSED)
        ls->state = HF_LOCKSPACE_OVER;
    else
        ls->through = ls->batch_through;
}

/* What must be true after every step. */
static void
check_invariants(const struct hf_lockspace *ls)
{
    HF_CHECK(ls->batch_number - ls->batch_settled <= 1);
    HF_CHECK(ls->waiters_count + ls->kept_count <= ls->config.limits.waiters);
    HF_CHECK(ls->waiters_count <= ls->claims.count);
    HF_CHECK(ls->claims.count <= ls->config.limits.claims);
    HF_CHECK(ls->timers.count + ls->gathered.count <=
             ls->sessions.count + ls->waiters_count + ls->kept_count +
                 ls->ended.count);
    HF_CHECK(ls->of_keys_count + ls->ended.count <= ls->config.limits.keys);
    HF_CHECK(ls->gathered.count <= ls->waiters_count);
    HF_CHECK(ls->names.count <= ls->claims.count + ls->parts.count);
    HF_CHECK((ls->names.count == 0) == (ls->spaces.count == 0));
    HF_CHECK((ls->ready.first == 0) == (ls->ready.last == 0));
    HF_CHECK((ls->changes.first == 0) == (ls->changes.last == 0));
    HF_CHECK(ls->ready.first == 0 || !hf_reached(ls->now, ls->hold_until) ||
             ls->state != HF_LOCKSPACE_SERVING);
}

void
hf_lockspace_step(struct hf_lockspace *ls,
                  const struct hf_lockspace_event *event)
{
    HF_CHECK(ls->replies_count == 0 && ls->telling.first == 0);
    HF_CHECK(!ls->batch_open);
    ls->now = hf_later(ls->now, event->at);
    ls->cycle_len = 0;
    switch (event->kind) {
    case HF_SPACE_LOAD_SESSION:
        HF_CHECK(ls->state == HF_LOCKSPACE_LOADING);
        hf_load_session(ls, &event->session);
        break;
    case HF_SPACE_LOAD_GRANT:
        HF_CHECK(ls->state == HF_LOCKSPACE_LOADING);
        hf_load_grant(ls, &event->grant);
        break;
    case HF_SPACE_SERVE:
        HF_CHECK(ls->state == HF_LOCKSPACE_LOADING);
        serve(ls, event);
        break;
    case HF_SPACE_MESSAGE:
        on_message(ls, &event->message);
        break;
    case HF_SPACE_STREAM_ENDED:
        on_stream_ended(ls, event);
        break;
    case HF_SPACE_HANDED:
        on_handed(ls, event);
        break;
    case HF_SPACE_UNREAD:
        on_unread(ls, event);
        break;
    case HF_SPACE_BATCH:
        on_batch(ls, event);
        break;
    case HF_SPACE_CLOCK:
        if (ls->state == HF_LOCKSPACE_SERVING)
            run_timers(ls, event->read_until);
        break;
    case HF_SPACE_LOOK:
        break; /* the event only tells the time */
    case HF_SPACE_STOP:
        ls->state = HF_LOCKSPACE_OVER;
        break;
    }
    if (ls->state == HF_LOCKSPACE_SERVING) {
        hf_claims_start_graces(ls);
        hf_requests_let_go(ls);
    }
    check_invariants(ls);
}

/* An upper bound of the requests before it: the counter's steps since the head
 * of the line, some of which have left. */
static uint64_t
position_of(const struct hf_lockspace *ls, const struct hf_ls_claim *claim)
{
    uint32_t most = 0;

    for (uint32_t at = claim->parts; at != 0; at = hf_part_at(ls, at)->next) {
        const struct hf_ls_part *part = hf_part_at(ls, at);
        uint32_t first = hf_name_at(ls, part->name)->line.first;
        uint32_t before;

        if (claim->looks_on && part->clear)
            continue; /* nothing of that line may be left */
        before = part->turn - hf_part_at(ls, first)->turn;
        most = before > most ? before : most;
    }
    return most;
}

static void
build_answer(struct hf_lockspace *ls, const struct hf_ls_claim *claim,
             struct hf_answer *answer)
{
    *answer = (struct hf_answer){
        .kind = (enum hf_answer_kind)(claim->telling - 1),
        .stream = claim->stream,
        .mark = hf_journal_mark(ls),
    };
    if (answer->kind == HF_ANSWER_GRANTED) {
        answer->fence = claim->fence;
    } else if (answer->kind == HF_ANSWER_OVER) {
        answer->over = (enum hf_over)claim->over;
    } else if (answer->kind == HF_ANSWER_BLOCKING_TIMEOUT) {
        answer->blocked.position = position_of(ls, claim);
        answer->blocked.remaining = hf_between(ls->now, claim->wait_end);
        answer->blocked.park = claim->park;
    }
}

bool
hf_lockspace_next(struct hf_lockspace *ls, struct hf_answer *answer)
{
    uint32_t number = ls->telling.first;
    struct hf_ls_claim *claim;

    if (ls->replies_first < ls->replies_count) {
        *answer = ls->replies[ls->replies_first++];
        return true;
    }
    ls->replies_first = 0;
    ls->replies_count = 0;
    if (number == 0)
        return false;
    claim = hf_claim_at(ls, number);
    build_answer(ls, claim, answer);
    hf_list_remove(ls, &ls->telling, hf_list_work, number);
    if (claim->telling == HF_ANSWER_GRANTED + 1)
        hf_claims_list(ls, number);
    else
        claim->stream = 0; /* it has its answer */
    claim->telling = 0;
    if (claim->state == HF_CLAIM_WAITING)
        /* The answer of a parked place. */
        hf_claims_set_untold(ls, number, answer->mark);
    hf_journal_settle(ls, number);
    return true;
}

bool
hf_lockspace_serving(const struct hf_lockspace *ls)
{
    return ls->state == HF_LOCKSPACE_SERVING;
}

struct hf_instant
hf_lockspace_deadline(const struct hf_lockspace *ls)
{
    struct hf_instant deadline = HF_NEVER;
    int64_t at_ms;

    if (ls->state != HF_LOCKSPACE_SERVING)
        return HF_NEVER;
    if (hf_timers_first(ls, &ls->timers, &at_ms) != 0)
        deadline.ms = at_ms;
    if (ls->gathered.count > 0)
        deadline = hf_earlier(deadline, ls->gather_until);
    if (ls->ready.first != 0 || ls->freed.first != 0)
        deadline = hf_earlier(deadline, ls->hold_until);
    if (hf_claims_any_told(ls))
        deadline = hf_earlier(deadline, ls->now); /* some graces begin in the
                                                     next step */
    return deadline;
}

bool
hf_lockspace_pending(const struct hf_lockspace *ls)
{
    return ls->changes.first != 0 || ls->silences.first != 0 ||
           ls->sweeps.first != 0;
}

void
hf_lockspace_begin(struct hf_lockspace *ls, struct hf_budget budget)
{
    HF_CHECK(ls->state == HF_LOCKSPACE_SERVING);
    HF_CHECK(ls->replies_count == 0 && ls->telling.first == 0);
    hf_journal_begin(ls, budget);
}

bool
hf_lockspace_take(struct hf_lockspace *ls, struct hf_change *change)
{
    return hf_journal_take(ls, change);
}

void
hf_lockspace_fix(struct hf_lockspace *ls, struct hf_batch *batch)
{
    hf_journal_fix(ls, batch);
}

bool
hf_lockspace_believes(struct hf_lockspace *ls, uint64_t session_id,
                      uint64_t fence)
{
    uint32_t session = hf_owners_session(ls, session_id);
    uint32_t claim = hf_owners_fence(ls, fence);

    return session != 0 && claim != 0 &&
           hf_lane_at(ls, hf_claim_at(ls, claim)->lane)->session == session;
}

bool
hf_lockspace_held(struct hf_lockspace *ls, uint64_t session_id,
                  uint32_t *cursor, uint64_t *fence)
{
    uint32_t session = hf_owners_session(ls, session_id);
    uint32_t at = *cursor != 0   ? hf_claim_at(ls, *cursor)->work.next
                  : session != 0 ? hf_session_at(ls, session)->grants.first
                                 : 0;

    if (at == 0)
        return false;
    *cursor = at;
    *fence = hf_claim_at(ls, at)->fence;
    return true;
}

bool
hf_lockspace_revoked(struct hf_lockspace *ls, uint64_t session_id,
                     uint32_t *cursor, uint64_t *fence)
{
    uint32_t session = hf_owners_session(ls, session_id);
    uint32_t at = *cursor != 0   ? hf_claim_at(ls, *cursor)->work.next
                  : session != 0 ? hf_session_at(ls, session)->revoked.first
                                 : 0;

    if (at == 0)
        return false;
    *cursor = at;
    *fence = hf_claim_at(ls, at)->fence;
    return true;
}

uint32_t
hf_lockspace_cycle_len(const struct hf_lockspace *ls)
{
    return ls->cycle_len;
}

struct hf_cycle_lane
hf_lockspace_cycle_lane(const struct hf_lockspace *ls, uint32_t index)
{
    const struct hf_ls_lane *lane = hf_lane_at(ls, hf_cycle_lane(ls, index));

    return (struct hf_cycle_lane){hf_session_at(ls, lane->session)->id,
                                  lane->number};
}

struct hf_lockspace_counts
hf_lockspace_counts(const struct hf_lockspace *ls)
{
    struct hf_lockspace_counts counts = ls->counts;

    counts.probes = ls->sessions_by_id.probes + ls->lanes_by_number.probes +
                    ls->claims_by_fence.probes + ls->claims_by_n.probes +
                    ls->shared_by_lane.probes + ls->names_by_text.probes +
                    ls->spaces_by_text.probes;
    counts.moves = ls->timers.moves + ls->gathered.moves;
    return counts;
}
