#include "core/session/wishes.h"

#include "base/check.h"
#include "core/session/blockers.h"
#include "core/session/lanes.h"
#include "core/session/messages.h"
#include "core/session/patience.h"
#include "core/session/rows.h"

/* ---- Moves --------------------------------------------------------------- */

#define BIT(state) (1u << (state))

/* Which state may follow which: the diagram in session.h. */
static const unsigned allowed[] = {
    [HF_WISH_FREE] = BIT(HF_WISH_QUEUED),
    [HF_WISH_QUEUED] = BIT(HF_WISH_ASKING) | BIT(HF_WISH_SETTLED),
    [HF_WISH_ASKING] = BIT(HF_WISH_QUEUED) | BIT(HF_WISH_CONFIRMING) |
                       BIT(HF_WISH_SETTLING) | BIT(HF_WISH_SETTLED),
    [HF_WISH_CONFIRMING] =
        BIT(HF_WISH_QUEUED) | BIT(HF_WISH_HELD) | BIT(HF_WISH_SETTLING),
    [HF_WISH_HELD] =
        BIT(HF_WISH_IN_DOUBT) | BIT(HF_WISH_SETTLING) | BIT(HF_WISH_SETTLED),
    [HF_WISH_IN_DOUBT] =
        BIT(HF_WISH_HELD) | BIT(HF_WISH_SETTLING) | BIT(HF_WISH_SETTLED),
    [HF_WISH_SETTLING] = BIT(HF_WISH_QUEUED) | BIT(HF_WISH_SETTLED),
    [HF_WISH_SETTLED] = BIT(HF_WISH_FREE),
};

static void
move_to(struct hf_wish *wish, enum hf_wish_state next)
{
    HF_CHECK(allowed[wish->state] & BIT(next));
    wish->state = (uint8_t)next;
}

/* ---- Finding ------------------------------------------------------------- */

/* Looking only: counts no probes. */
uint32_t
hf_wishes_find(const struct hf_session *s, uint64_t id)
{
    uint32_t at = *hf_index_head(s, &s->by_id, hf_wish_hash(id));

    while (at != 0 && hf_wish_at(s, at)->id != id)
        at = *hf_index_link(s, &s->by_id, at);
    return at;
}

static uint32_t
of_fence(struct hf_session *s, uint64_t fence)
{
    uint32_t at = hf_index_first(s, &s->by_fence, hf_wish_hash(fence));

    while (at != 0 && hf_wish_at(s, at)->fence != fence)
        at = hf_index_next(s, &s->by_fence, at);
    return at;
}

/* Free ones, and ones whose end is only to be told, are settled. */
static bool
is_unsettled(const struct hf_wish *wish)
{
    return wish->state != HF_WISH_FREE && wish->state != HF_WISH_SETTLED;
}

/* ---- What is told -------------------------------------------------------- */

static void
tell(struct hf_session *s, uint32_t number, enum hf_news news)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    if (wish->ended)
        return;
    if (wish->news == 0)
        hf_row_add(s, &s->news, HF_ROW_NEWS, number);
    wish->news = (uint16_t)(wish->news | news);
}

enum hf_state
hf_wishes_state(const struct hf_wish *wish)
{
    if (wish->ended)
        return HF_STATE_ENDED;
    switch ((enum hf_wish_state)wish->state) {
    case HF_WISH_QUEUED:
    case HF_WISH_ASKING:
    case HF_WISH_CONFIRMING:
        return HF_STATE_WAITING;
    case HF_WISH_HELD:
        return HF_STATE_HELD;
    case HF_WISH_IN_DOUBT:
        return HF_STATE_IN_DOUBT;
    case HF_WISH_SETTLING:
        if (wish->again)
            return HF_STATE_WAITING;
        return wish->outcome == HF_LOST ? HF_STATE_LOST : HF_STATE_RELEASING;
    case HF_WISH_FREE:
    case HF_WISH_SETTLED:
        break;
    }
    return HF_STATE_ENDED;
}

/* ---- Lanes --------------------------------------------------------------- */

/* Let the next request of the lane ask, if the last is done [R2] and the
 * session may ask at all [S7]. */
static void
turn_lane(struct hf_session *s, uint32_t lane_number)
{
    struct hf_wish_lane *lane = hf_wish_lane_at(s, lane_number);
    uint32_t number = lane->queue.first;
    struct hf_wish *wish;

    if (lane->asking != 0 || number == 0 || !hf_session_is_of_one(s))
        return;
    hf_row_remove(s, &lane->queue, HF_ROW_MATES, number);
    lane->asking = number;
    wish = hf_wish_at(s, number);
    wish->n = ++lane->n;
    wish->a = 0;
    wish->asked = false;
    move_to(wish, HF_WISH_ASKING);
    hf_messages_again(s, number);
}

/* The lane's request has its final answer, which may be a grant. */
static void
free_lane(struct hf_session *s, uint32_t number)
{
    struct hf_wish_lane *lane = hf_wish_lane_at(s, hf_wish_at(s, number)->lane);

    if (lane->asking != number)
        return;
    lane->asking = 0;
    turn_lane(s, hf_wish_at(s, number)->lane);
}

/* ---- The end ------------------------------------------------------------- */

/* Tell its user the end; the outcome was set before. */
static void
tell_end(struct hf_session *s, uint32_t number)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    if (wish->ended)
        return;
    tell(s, number, HF_NEWS_ENDED);
    wish->ended = true;
    hf_index_remove(s, &s->by_id, hf_wish_hash(wish->id), number);
}

static void
forget(struct hf_session *s, uint32_t number)
{
    move_to(hf_wish_at(s, number), HF_WISH_FREE);
    hf_pool_give(s, &s->wishes, number);
}

/* Ask anew, as the lane's next request. */
static void
queue_again(struct hf_session *s, uint32_t number)
{
    struct hf_wish *wish = hf_wish_at(s, number);
    struct hf_wish_lane *lane = hf_wish_lane_at(s, wish->lane);

    hf_messages_rest(s, number);
    wish->again = false;
    wish->asked = false; /* the next request is not sent yet */
    wish->fence = 0;
    move_to(wish, HF_WISH_QUEUED);
    hf_messages_set_timer(s, number);
    hf_row_add_first(s, &lane->queue, HF_ROW_MATES, number);
    if (lane->asking == number)
        lane->asking = 0;
    turn_lane(s, wish->lane);
}

/* Nothing of it is at the server, and nothing can come there. */
static void
finish(struct hf_session *s, uint32_t number)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    if (wish->again) {
        queue_again(s, number);
        return;
    }
    hf_messages_rest(s, number);
    move_to(wish, HF_WISH_SETTLED);
    hf_messages_set_timer(s, number);
    free_lane(s, number);
    hf_lanes_leave(s, wish->lane);
    s->unsettled_count--;
    tell_end(s, number);
    if (wish->news == 0)
        forget(s, number);
}

/* Drop the grant.  A walk over a page goes on behind it. */
static void
disbelieve(struct hf_session *s, uint32_t number)
{
    struct hf_wish *wish = hf_wish_at(s, number);
    uint32_t next = hf_row_next(s, HF_ROW_MATES, number);

    if (s->page_first == number)
        s->page_first = next;
    if (s->page_end == number)
        s->page_end = next;
    hf_row_remove(s, &s->granted, HF_ROW_MATES, number);
    hf_index_remove(s, &s->by_fence, hf_wish_hash(wish->fence), number);
    s->confirming_count -= wish->state == HF_WISH_CONFIRMING;
    wish->changing = 0;
}

/* Release it until the server confirms that [R5]. */
static void
settle(struct hf_session *s, uint32_t number)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    if (hf_wish_is_granted(wish))
        disbelieve(s, number);
    if (!wish->asked) {
        finish(s, number);
        return;
    }
    move_to(wish, HF_WISH_SETTLING);
    hf_messages_again(s, number);
}

static void
set_end(struct hf_wish *wish, enum hf_status status, enum hf_outcome outcome)
{
    wish->status = (uint8_t)status;
    wish->outcome = (uint8_t)outcome;
}

/* The server has ended it. */
static void
end(struct hf_session *s, uint32_t number, enum hf_status status,
    enum hf_outcome outcome)
{
    set_end(hf_wish_at(s, number), status, outcome);
    finish(s, number);
}

/* Another client may hold the lock from now on. */
static void
lose(struct hf_session *s, uint32_t number)
{
    set_end(hf_wish_at(s, number), HF_OK, HF_LOST);
    tell(s, number, HF_NEWS_LOST);
    settle(s, number);
}

static void
leave_queue(struct hf_session *s, uint32_t number)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    if (wish->state == HF_WISH_QUEUED)
        hf_row_remove(s, &hf_wish_lane_at(s, wish->lane)->queue, HF_ROW_MATES,
                      number);
}

/* Its user stops waiting. */
static void
give_up(struct hf_session *s, uint32_t number)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    leave_queue(s, number);
    wish->again = false;
    if (wish->state == HF_WISH_SETTLING)
        hf_messages_set_timer(s, number); /* without its deadline */
    else
        settle(s, number);
}

/* End it with this status; settling goes on behind. */
static void
turn_away(struct hf_session *s, uint32_t number, enum hf_status status,
          enum hf_outcome outcome)
{
    set_end(hf_wish_at(s, number), status, outcome);
    tell_end(s, number); /* settling may take any time */
    give_up(s, number);
}

/* ---- A grant ------------------------------------------------------------- */

static void
hold(struct hf_session *s, uint32_t number)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    s->confirming_count--;
    move_to(wish, HF_WISH_HELD);
    set_end(wish, HF_OK, HF_GRANTED);
    hf_messages_set_timer(s, number);
    tell(s, number, HF_NEWS_GRANTED);
}

/* A grant is told only while the right is long enough; otherwise the session is
 * renewed first [S1]. */
static void
on_granted(struct hf_session *s, uint32_t number, uint64_t fence)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    hf_blockers_begin(wish);
    wish->fence = fence;
    wish->granted_by = s->last_stream;
    if (fence > s->highest)
        s->highest = fence;
    move_to(wish, HF_WISH_CONFIRMING);
    s->confirming_count++;
    hf_row_add(s, &s->granted, HF_ROW_MATES, number);
    hf_index_add(s, &s->by_fence, hf_wish_hash(fence), number);
    free_lane(s, number);
    if (s->trust == HF_TRUST_CERTAIN)
        hold(s, number);
    else
        s->say_at = s->now;
}

static void
trust(struct hf_session *s, uint32_t number)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    if (wish->state == HF_WISH_CONFIRMING) {
        if (s->trust == HF_TRUST_CERTAIN)
            hold(s, number);
    } else if (s->trust == HF_TRUST_OVER) {
        if (s->config.terms.if_dead == HF_TAKEOVER) {
            lose(s, number);
        } else if (wish->state == HF_WISH_HELD) {
            move_to(wish, HF_WISH_IN_DOUBT);
            tell(s, number, HF_NEWS_IN_DOUBT);
        }
    } else {
        if (wish->state == HF_WISH_IN_DOUBT)
            move_to(wish, HF_WISH_HELD);
        tell(s, number,
             s->trust == HF_TRUST_CERTAIN ? HF_NEWS_CERTAIN : HF_NEWS_AT_RISK);
    }
}

void
hf_wishes_trust(struct hf_session *s)
{
    uint32_t next;

    for (uint32_t at = s->granted.first; at != 0; at = next) {
        next = hf_row_next(s, HF_ROW_MATES, at);
        trust(s, at);
    }
}

/* The grant was not told to its user, so nothing is lost: release it and ask
 * anew. */
static void
settle_untold(struct hf_session *s, uint32_t number)
{
    hf_wish_at(s, number)->again = true;
    settle(s, number);
}

static void
take(struct hf_session *s, uint32_t number)
{
    if (hf_wish_at(s, number)->state == HF_WISH_CONFIRMING)
        settle_untold(s, number);
    else
        lose(s, number);
}

void
hf_wishes_taken(struct hf_session *s, uint64_t fence)
{
    uint32_t number = of_fence(s, fence);

    if (number != 0)
        take(s, number);
}

/* ---- What the server has of it ------------------------------------------- */

/* The next grant that was made before that stream; grants are listed in order.
 * 0: no more. */
static uint32_t
granted_before(const struct hf_session *s, uint32_t at, uint64_t stream)
{
    return at != 0 && hf_wish_at(s, at)->granted_by < stream ? at : 0;
}

static bool
is_listed(const struct hf_session_event *alive, uint64_t fence)
{
    for (size_t i = 0; i < alive->answer.held_count; i++)
        if (alive->answer.held[i] == fence)
            return true;
    return false;
}

static void
take_unlisted(struct hf_session *s, uint64_t stream,
              const struct hf_session_event *alive)
{
    uint32_t at = granted_before(s, s->granted.first, stream);
    uint32_t next;

    for (; at != 0; at = granted_before(s, next, stream)) {
        next = hf_row_next(s, HF_ROW_MATES, at);
        if (!is_listed(alive, hf_wish_at(s, at)->fence))
            take(s, at);
    }
}

static struct hf_fence_sum
sum_before(const struct hf_session *s, uint64_t stream)
{
    struct hf_fence_sum sum = {0};
    uint32_t at = granted_before(s, s->granted.first, stream);

    for (; at != 0;
         at = granted_before(s, hf_row_next(s, HF_ROW_MATES, at), stream))
        hf_fence_sum_add(&sum, hf_wish_at(s, at)->fence);
    return sum;
}

bool
hf_wishes_compare(struct hf_session *s, uint64_t stream,
                  const struct hf_session_event *alive)
{
    const struct hf_fence_sum *held = &alive->answer.answer.alive.held;
    struct hf_fence_sum believed;

    if (alive->answer.held != NULL) {
        take_unlisted(s, stream, alive);
        return true;
    }
    believed = sum_before(s, stream);
    return believed.count == 0 || hf_fence_sum_equal(&believed, held);
}

/* ---- The end of a wait --------------------------------------------------- */

static void
on_deadline(struct hf_session *s, uint32_t number)
{
    hf_blockers_end_at_deadline(s, hf_wish_at(s, number));
    tell_end(s, number); /* settling may take any time */
    give_up(s, number);
}

/* If this ends the wait, the user may still withdraw it until it is settled. */
void
hf_wishes_seen(struct hf_session *s, uint32_t number,
               const struct hf_blocker *seen)
{
    struct hf_wish *wish = hf_wish_at(s, number);
    bool was_suspected = wish->suspected;

    if (!hf_wish_waits(wish) || wish->state == HF_WISH_CONFIRMING)
        return;
    if (hf_blockers_seen(s, wish, seen))
        give_up(s, number);
    else if (wish->suspected && !was_suspected)
        tell(s, number, HF_NEWS_SUSPECTED);
}

/* ---- What an acquire is answered ----------------------------------------- */

/* A try may end here; a try behind a dead holder waits for the end of that
 * one's ttl. */
static void
on_held(struct hf_session *s, uint32_t number, const struct hf_blocker *holder)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    if (hf_blockers_wait_for_end(s, wish, holder))
        queue_again(s, number);
    else
        end(s, number, (enum hf_status)wish->status,
            (enum hf_outcome)wish->outcome);
}

static void
on_over(struct hf_session *s, uint32_t number,
        const struct hf_session_event *event)
{
    switch (event->answer.answer.over) {
    case HF_OVER_HELD:
        on_held(s, number, &event->answer.blocker);
        break;
    case HF_OVER_ALREADY_HELD:
        end(s, number, HF_OK, HF_ALREADY_HELD);
        break;
    case HF_OVER_DEADLOCK:
        end(s, number, HF_OK, HF_DEADLOCK);
        break;
    case HF_OVER_LIMIT:
        end(s, number, HF_OK, HF_AT_LIMIT);
        break;
    case HF_OVER_INVALID:
        end(s, number, HF_E_INVALID, HF_NOT_HELD);
        break;
    case HF_OVER_FREE:
        tell(s, number, HF_NEWS_GRANTED);
        end(s, number, HF_OK, HF_GRANTED);
        break;
    case HF_OVER_CLEARED: /* the server names it until its release [S6] */
        settle_untold(s, number);
        break;
    case HF_OVER_NEVER_ASKED:
    case HF_OVER_RELEASED:
    case HF_OVER_FORGOTTEN: /* not by a request of ours: ask anew */
        queue_again(s, number);
        break;
    }
}

/* The lane is busy or there is no room [R2]: nothing is left at the server; ask
 * later. */
static void
stay_out(struct hf_session *s, uint32_t number, enum hf_answer_kind kind)
{
    hf_wish_at(s, number)->limited = kind == HF_ANSWER_LIMIT;
    hf_messages_again_after(s, number, hf_session_pause(s));
}

/* Nothing is granted for that long.  A try waits no longer than a change of
 * leader takes: a server that has forgotten its grants does not serve it [L6],
 * and a kept place is like a holder.  The request may have entered: so it is
 * released. */
static void
put_off(struct hf_session *s, uint32_t number, const struct hf_answer *answer)
{
    const struct hf_wish *wish = hf_wish_at(s, number);
    bool is_long = answer->grace.ms > hf_session_patience(s).ms;
    bool is_late = hf_reached(hf_after(s->now, answer->grace), wish->deadline);

    if (wish->wait == HF_WAIT_TRY && answer->cause == HF_LATER_PLACE &&
        (is_long || is_late))
        turn_away(s, number, HF_OK, HF_TIMED_OUT);
    else if (wish->wait == HF_WAIT_TRY && is_long)
        turn_away(s, number, HF_E_UNAVAILABLE, HF_NOT_HELD);
    else
        hf_messages_again_after(s, number,
                                hf_session_bounded(s, answer->grace));
}

/* Keep waiting, if there is time left. */
static void
wait_on(struct hf_session *s, uint32_t number)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    if (!hf_wish_waits(wish) || wish->wait == HF_WAIT_TRY)
        return;
    hf_patience_answered(wish);
    if (hf_reached(s->now, wish->deadline))
        on_deadline(s, number);
    else
        hf_messages_set_timer(s, number);
}

/* Does the answer fit what was asked, and was its user told nothing yet? */
static bool
fits(struct hf_session *s, const struct hf_wish *wish,
     const struct hf_answer *answer)
{
    if (answer->kind == HF_ANSWER_GRANTED)
        return !wish->free && of_fence(s, answer->fence) == 0;
    if (answer->kind != HF_ANSWER_OVER)
        return true;
    if (answer->over == HF_OVER_FREE)
        return wish->free;
    return answer->over != HF_OVER_HELD || wish->wait == HF_WAIT_TRY;
}

/* Does this answer leave it waiting? */
static bool
is_put_off(struct hf_session *s, uint32_t number,
           const struct hf_answer *answer)
{
    enum hf_answer_kind kind = answer->kind;

    if (kind == HF_ANSWER_BLOCKING_TIMEOUT || kind == HF_ANSWER_SUPERSEDED)
        hf_messages_again(s, number);
    else if (kind == HF_ANSWER_LATER)
        put_off(s, number, answer);
    else if (kind == HF_ANSWER_BUSY || kind == HF_ANSWER_LIMIT)
        stay_out(s, number, kind);
    else
        return false;
    wait_on(s, number);
    return true;
}

static bool
acquire_answered(struct hf_session *s, uint32_t number,
                 const struct hf_session_event *event)
{
    const struct hf_answer *answer = &event->answer.answer;

    if (!fits(s, hf_wish_at(s, number), answer))
        return false;
    if (answer->kind == HF_ANSWER_GRANTED)
        on_granted(s, number, answer->fence);
    else if (answer->kind == HF_ANSWER_OVER)
        on_over(s, number, event);
    else
        return is_put_off(s, number, answer);
    return true;
}

/* ---- What the others are answered ---------------------------------------- */

static bool
release_answered(struct hf_session *s, uint32_t number,
                 enum hf_answer_kind kind)
{
    if (kind == HF_ANSWER_RELEASED)
        finish(s, number);
    else if (kind == HF_ANSWER_LIMIT || kind == HF_ANSWER_BUSY)
        stay_out(s, number, kind);
    else
        return false;
    return true;
}

static bool
change_answered(struct hf_session *s, uint32_t number, enum hf_answer_kind kind)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    if (kind == HF_ANSWER_NOT_HELD) {
        lose(s, number);
        return true;
    }
    if (kind != HF_ANSWER_CHANGED)
        return false;
    wish->changing &= ~(UINT64_C(1) << wish->lowering);
    tell(s, number, HF_NEWS_CHANGED);
    if (wish->changing != 0)
        hf_messages_again(s, number);
    return true;
}

bool
hf_wishes_answered(struct hf_session *s, uint32_t number,
                   const struct hf_session_event *event)
{
    enum hf_answer_kind kind = event->answer.answer.kind;
    struct hf_wish *wish = hf_wish_at(s, number);

    wish->limited = false;
    switch ((enum hf_wish_state)wish->state) {
    case HF_WISH_ASKING:
        return acquire_answered(s, number, event);
    case HF_WISH_HELD:
    case HF_WISH_IN_DOUBT:
        return change_answered(s, number, kind);
    case HF_WISH_SETTLING:
        return release_answered(s, number, kind);
    case HF_WISH_FREE:
    case HF_WISH_QUEUED:
    case HF_WISH_CONFIRMING:
    case HF_WISH_SETTLED:
        break;
    }
    HF_CHECK(!"these have sent nothing");
    return false;
}

/* The server may count idle lanes that it can forget only when the requests it
 * refuses now are settled. */
bool
hf_wishes_stuck(const struct hf_session *s)
{
    for (uint32_t at = 1; at <= s->wishes.fresh; at++) {
        const struct hf_wish *wish = hf_wish_at(s, at);

        if (is_unsettled(wish) && wish->state != HF_WISH_QUEUED &&
            (!wish->limited || wish->stream != 0))
            return false;
    }
    return true;
}

/* ---- What the user wants ------------------------------------------------- */

void
hf_wishes_add(struct hf_session *s, const struct hf_session_event *event)
{
    uint32_t number = hf_pool_take(s, &s->wishes);
    struct hf_wish *wish = hf_wish_at(s, number);
    uint32_t lane = hf_lanes_join(s, event->want.label);

    wish->lane = lane;
    wish->id = event->want.id;
    wish->free = event->want.free;
    wish->fail_suspected = event->want.fail_suspected;
    wish->wait = (uint8_t)event->want.wait;
    wish->deadline = event->want.deadline;
    wish->asked_at = HF_NEVER;
    wish->due = HF_NEVER;
    hf_blockers_begin(wish);
    hf_patience_begin(wish, s->now, event->want.patience);
    hf_index_add(s, &s->by_id, hf_wish_hash(wish->id), number);
    s->unsettled_count++;
    move_to(wish, HF_WISH_QUEUED);
    hf_messages_set_timer(s, number);
    hf_row_add(s, &hf_wish_lane_at(s, lane)->queue, HF_ROW_MATES, number);
    turn_lane(s, lane);
    if (s->services == HF_SERVICES_TWO)
        turn_away(s, number, HF_E_UNAVAILABLE, HF_NOT_HELD);
}

void
hf_wishes_release(struct hf_session *s, uint32_t number)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    if (hf_wish_waits(wish) || (wish->fence == 0 && !wish->ended))
        set_end(wish, HF_E_CANCELLED, HF_NOT_HELD);
    else if (wish->state != HF_WISH_SETTLING)
        set_end(wish, HF_OK, HF_NOT_HELD);
    give_up(s, number);
}

void
hf_wishes_change(struct hf_session *s, uint32_t number, unsigned index)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    HF_CHECK(index < 64);
    if (wish->state != HF_WISH_HELD && wish->state != HF_WISH_IN_DOUBT)
        return;
    if (wish->changing == 0)
        hf_messages_again(s, number);
    wish->changing |= UINT64_C(1) << index;
}

void
hf_wishes_leave(struct hf_session *s, uint32_t number)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    if (wish->changing == 0)
        return;
    wish->changing = 0;
    hf_messages_rest(s, number);
}

void
hf_wishes_release_all(struct hf_session *s)
{
    for (uint32_t at = 1; at <= s->wishes.fresh; at++)
        if (is_unsettled(hf_wish_at(s, at)))
            hf_wishes_release(s, at);
}

/* ---- Services ------------------------------------------------------------ */

void
hf_wishes_hold_back(struct hf_session *s)
{
    for (uint32_t at = 1; at <= s->wishes.fresh; at++) {
        const struct hf_wish *wish = hf_wish_at(s, at);

        if (wish->state == HF_WISH_ASKING && !wish->asked)
            queue_again(s, at);
        else if (wish->state == HF_WISH_ASKING ||
                 wish->state == HF_WISH_CONFIRMING)
            settle_untold(s, at);
    }
}

void
hf_wishes_turn_away(struct hf_session *s)
{
    for (uint32_t at = 1; at <= s->wishes.fresh; at++)
        if (hf_wish_waits(hf_wish_at(s, at)))
            turn_away(s, at, HF_E_UNAVAILABLE, HF_NOT_HELD);
}

void
hf_wishes_go_on(struct hf_session *s)
{
    for (uint32_t at = 1; at <= s->lanes.fresh; at++)
        if (hf_wish_lane_at(s, at)->wishes_count > 0)
            turn_lane(s, at);
}

bool
hf_wishes_asked(const struct hf_session *s)
{
    for (uint32_t at = 1; at <= s->wishes.fresh; at++)
        if (is_unsettled(hf_wish_at(s, at)) && hf_wish_at(s, at)->asked)
            return true;
    return false;
}

/* ---- The session is over ------------------------------------------------- */

static void
gone(struct hf_session *s, uint32_t number)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    wish->asked = false; /* nothing is left at the server, nor can come there */
    switch ((enum hf_wish_state)wish->state) {
    case HF_WISH_ASKING:
        /* There is no pause. */
        if (wish->stream != 0 || wish->due.ms == HF_NEVER.ms)
            hf_messages_again(s, number);
        break;
    case HF_WISH_CONFIRMING:
        disbelieve(s, number);
        queue_again(s, number);
        break;
    case HF_WISH_HELD:
    case HF_WISH_IN_DOUBT:
        lose(s, number);
        break;
    case HF_WISH_SETTLING:
        finish(s, number);
        break;
    case HF_WISH_FREE:
    case HF_WISH_QUEUED:
    case HF_WISH_SETTLED:
        break;
    }
}

void
hf_wishes_gone(struct hf_session *s)
{
    for (uint32_t at = 1; at <= s->wishes.fresh; at++)
        gone(s, at);
}

void
hf_wishes_refused(struct hf_session *s, enum hf_status why)
{
    for (uint32_t at = 1; at <= s->wishes.fresh; at++)
        if (is_unsettled(hf_wish_at(s, at))) {
            set_end(hf_wish_at(s, at), why, HF_NOT_HELD);
            give_up(s, at);
        }
}

/* ---- Timers -------------------------------------------------------------- */

static void
on_due(struct hf_session *s, uint32_t number)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    if (wish->stream != 0)
        hf_session_failed(s, wish->node, wish->stream);
    hf_messages_again(s, number);
}

static void
look_at_end(struct hf_session *s, uint32_t number)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    if (hf_patience_over(s, wish))
        on_deadline(s, number);
    else if (wish->patience.ms != 0)
        hf_messages_set_timer(s, number); /* once more, for its other time */
}

/* If both times of a request have passed, both are handled, in its turn. */
void
hf_wishes_run_timers(struct hf_session *s)
{
    uint32_t number;
    int64_t at_ms;

    while ((number = hf_timers_first(s, &s->timers, &at_ms)) != 0 &&
           at_ms <= s->now.ms) {
        struct hf_wish *wish = hf_wish_at(s, number);

        if (hf_wish_waits(wish))
            look_at_end(s, number);
        if (hf_reached(s->now, wish->due))
            on_due(s, number);
    }
}

void
hf_wishes_told(struct hf_session *s, uint32_t number)
{
    struct hf_wish *wish = hf_wish_at(s, number);

    hf_row_remove(s, &s->news, HF_ROW_NEWS, number);
    wish->news = 0;
    if (wish->state == HF_WISH_SETTLED)
        forget(s, number);
}
