#include "core/session.h"

#include "base/check.h"
#include "core/session/lanes.h"
#include "core/session/lease.h"
#include "core/session/messages.h"
#include "core/session/rows.h"
#include "core/session/wishes.h"

/* ---- What is answered ---------------------------------------------------- */

/* A message whose answer came or failed, and its sender. */
struct sent {
    uint32_t wish; /* 0: the session itself */
    struct hf_errand errand;
    uint64_t stream;
    uint32_t node;
};

/* Take the message of a stream; false: its answer is not wanted any more, like
 * that of an older attempt [R3]. */
static bool
take_sent(struct hf_session *s, uint64_t stream, struct sent *sent)
{
    uint32_t wish = hf_messages_of_stream(s, stream);

    HF_CHECK(stream != 0); /* no stream of ours is 0 */
    *sent = (struct sent){.wish = wish, .stream = stream};
    if (wish != 0) {
        sent->node = hf_wish_at(s, wish)->node;
        hf_messages_take_stream(s, wish);
        return true;
    }
    if (!hf_lease_take_errand(s, stream, &sent->errand))
        return false;
    sent->node = sent->errand.node;
    return true;
}

static void
say_again(struct hf_session *s, const struct sent *sent)
{
    if (sent->wish != 0)
        hf_messages_again(s, sent->wish);
    else
        s->say_at = s->now;
}

static void
fail(struct hf_session *s, const struct sent *sent)
{
    hf_session_failed(s, sent->node, sent->stream);
    say_again(s, sent);
}

static void
on_not_leading(struct hf_session *s, const struct sent *sent, uint32_t leader)
{
    const struct hf_nodes_failure failure = {sent->node, sent->stream,
                                             s->last_stream};

    if (hf_nodes_not_leading(&s->nodes, &failure, leader))
        s->nodes.pause_end = hf_after(s->now, hf_session_pause(s));
    say_again(s, sent);
}

/* How long the leader wants us to pause. */
static struct hf_duration
pause_of(const struct hf_session *s, const struct hf_answer *answer)
{
    uint64_t pause_ms = answer->pause_us / 1000 + (answer->pause_us % 1000 > 0);

    return hf_session_bounded(s, (struct hf_duration){(int64_t)pause_ms});
}

/* A leader of an older term leads no more, as long as our right lasts.  When it
 * is over, the store may have been restored to an older state as well. */
static bool
may_lead(const struct hf_session *s, uint64_t term)
{
    return term > s->term ||
           (term < s->term && hf_reached(s->now, s->right_until));
}

/* The leader's term is not ours [R4]. */
static void
on_term(struct hf_session *s, const struct sent *sent,
        const struct hf_session_event *event)
{
    if (!may_lead(s, event->answer.term)) {
        fail(s, sent);
        return;
    }
    hf_nodes_answered(&s->nodes, sent->node);
    say_again(s, sent);
    hf_lease_meet(s, event->answer.term, pause_of(s, &event->answer.answer));
}

/* The leader answered the message that was sent. */
static void
on_reply(struct hf_session *s, const struct sent *sent,
         const struct hf_session_event *event)
{
    const struct hf_answer *answer = &event->answer.answer;
    bool fits = sent->wish != 0 ? hf_wishes_answered(s, sent->wish, event)
                                : hf_lease_answered(s, &sent->errand, event);

    if (!fits) {
        fail(s, sent);
        return;
    }
    hf_nodes_answered(&s->nodes, sent->node);
    if (answer->kind == HF_ANSWER_LIMIT && s->state == HF_LEASE_OPEN &&
        hf_wishes_stuck(s))
        hf_lease_renounce(s);
}

static void
on_answer(struct hf_session *s, const struct hf_session_event *event)
{
    enum hf_answer_kind kind = event->answer.answer.kind;
    struct sent sent;
    bool opens; /* an OPEN has no term and no session yet */

    s->heard_at = s->now;
    if (!take_sent(s, event->answer.answer.stream, &sent))
        return;
    opens = sent.wish == 0 && sent.errand.kind == HF_MESSAGE_OPEN;
    if (kind == HF_ANSWER_NOT_LEADING) {
        on_not_leading(s, &sent, event->answer.leader);
    } else if (kind == HF_ANSWER_TERM && !opens) {
        on_term(s, &sent, event);
    } else if ((kind == HF_ANSWER_GONE && !opens) || kind == HF_ANSWER_DENIED) {
        hf_nodes_answered(&s->nodes, sent.node);
        hf_lease_gone(s, kind);
    } else {
        on_reply(s, &sent, event);
    }
}

/* ---- What broke ---------------------------------------------------------- */

static void
on_stream_ended(struct hf_session *s, const struct hf_session_event *event)
{
    struct sent sent;

    if (!take_sent(s, event->broken.stream, &sent))
        return;
    if (sent.wish != 0)
        hf_wish_at(s, sent.wish)->cut = event->broken.is_cut;
    fail(s, &sent);
}

/* ---- What the user wants ------------------------------------------------- */

static void
on_wish(struct hf_session *s, const struct hf_session_event *event)
{
    uint32_t number = hf_wishes_find(s, event->wish.id);

    if (number == 0)
        return; /* it has ended */
    if (event->kind == HF_SESSION_RELEASE)
        hf_wishes_release(s, number);
    else if (event->kind == HF_SESSION_CHANGE)
        hf_wishes_change(s, number, event->wish.index);
    else if (event->kind == HF_SESSION_LEAVE)
        hf_wishes_leave(s, number);
    else
        hf_wishes_seen(s, number, &event->wish.blocker);
}

/* ---- The machine --------------------------------------------------------- */

/* What must be true after every step. */
static void
check_invariants(const struct hf_session *s)
{
    HF_CHECK(s->confirming_count <= s->granted.count);
    HF_CHECK(s->confirming_count == 0 || s->trust != HF_TRUST_CERTAIN);
    HF_CHECK(s->confirming_count == 0 || hf_session_is_of_one(s));
    HF_CHECK(s->unsettled_count <= s->wishes.count);
    HF_CHECK((s->unsettled_count == 0) == (s->used.count == 0));
    HF_CHECK(s->ready.count + s->sent.count <= s->unsettled_count);
    HF_CHECK(s->trust == HF_TRUST_OVER || !hf_reached(s->now, s->right_until));
    if (s->state != HF_LEASE_OPEN && s->state != HF_LEASE_MEETING)
        HF_CHECK(s->granted.count == 0);
    if (s->state == HF_LEASE_OVER)
        HF_CHECK(s->unsettled_count == 0);
}

void
hf_session_step(struct hf_session *s, const struct hf_session_event *event)
{
    HF_CHECK(s->news.count == 0 && s->untold == 0 && s->closing_count == 0);
    s->now = hf_later(s->now, event->at);
    hf_lease_look(s);
    hf_wishes_run_timers(s); /* first: no answer revives what is over */
    switch (event->kind) {
    case HF_SESSION_WANT:
        HF_CHECK(hf_session_room(s));
        hf_lease_want(s);
        hf_wishes_add(s, event);
        break;
    case HF_SESSION_RELEASE:
    case HF_SESSION_CHANGE:
    case HF_SESSION_LEAVE:
    case HF_SESSION_SEEN:
        on_wish(s, event);
        break;
    case HF_SESSION_END:
        hf_lease_end(s);
        break;
    case HF_SESSION_SERVICES:
        hf_lease_services(s, event);
        break;
    case HF_SESSION_ANSWER:
        on_answer(s, event);
        break;
    case HF_SESSION_STREAM_ENDED:
        on_stream_ended(s, event);
        break;
    case HF_SESSION_CLOCK:
        break;
    }
    hf_lease_drive(s);
    if (hf_lease_ready(s))
        hf_messages_send(s);
    check_invariants(s);
}

/* ---- Effects ------------------------------------------------------------- */

static bool
next_notice(struct hf_session *s, struct hf_session_effect *effect)
{
    uint32_t number = s->news.first;
    const struct hf_wish *wish = hf_wish_at(s, number);

    if (number == 0)
        return false;
    *effect = (struct hf_session_effect){
        .kind = HF_SESSION_TELL,
        .tell =
            {
                .id = wish->id,
                .news = wish->news,
                .state = hf_wishes_state(wish),
                .status = (enum hf_status)wish->status,
                .outcome = (enum hf_outcome)wish->outcome,
                .fence = wish->fence,
            },
    };
    hf_wishes_told(s, number);
    return true;
}

static bool
next_closing(struct hf_session *s, struct hf_session_effect *effect)
{
    const uint64_t *streams = hf_pool_at(s, &s->closing, 1);

    if (s->closing_count == 0)
        return false;
    *effect = (struct hf_session_effect){
        .kind = HF_SESSION_CLOSE,
        .stream = streams[--s->closing_count],
    };
    return true;
}

/* The part that all messages share. */
static void
begin_message(struct hf_session *s, struct hf_session_effect *effect,
              enum hf_message_kind kind, uint64_t stream)
{
    *effect = (struct hf_session_effect){
        .kind = HF_SESSION_SEND,
        .send =
            {
                .secret = s->secret,
                .message =
                    {
                        .kind = kind,
                        .stream = stream,
                        .session = s->id,
                        .term = s->term,
                        .lowest = hf_lanes_tell_lowest(s),
                    },
            },
    };
}

static bool
next_errand(struct hf_session *s, struct hf_session_effect *effect)
{
    struct hf_errand *errand = &s->errands[0];
    struct hf_message *message = &effect->send.message;

    for (unsigned i = 1; i < HF_ERRANDS_MAX && !errand->untold; i++)
        errand = &s->errands[i];
    if (!errand->untold)
        return false;
    errand->untold = false;
    begin_message(s, effect, errand->kind, errand->stream);
    effect->send.node = errand->node;
    if (errand->kind == HF_MESSAGE_OPEN) {
        message->session = 0;
        message->open.ttl = s->config.terms.ttl;
        message->open.if_dead = s->config.terms.if_dead;
    }
    return true;
}

static enum hf_message_kind
message_of(const struct hf_wish *wish)
{
    if (wish->state == HF_WISH_ASKING)
        return HF_MESSAGE_ACQUIRE;
    return wish->state == HF_WISH_SETTLING ? HF_MESSAGE_RELEASE
                                           : HF_MESSAGE_CHANGE;
}

/* The deadline stays: what remains shrinks with each attempt [W3]. */
static void
fill_acquire(const struct hf_session *s, const struct hf_wish *wish,
             struct hf_message *message)
{
    message->acquire.free = wish->free;
    message->acquire.wait = (enum hf_wait_kind)wish->wait;
    message->acquire.remaining = hf_between(s->now, wish->deadline);
    message->acquire.waited = hf_between(wish->asked_at, s->now);
    message->acquire.seen = s->highest;
}

static bool
next_message(struct hf_session *s, struct hf_session_effect *effect)
{
    uint32_t number = s->untold;
    const struct hf_wish *wish = hf_wish_at(s, number);
    struct hf_message *message = &effect->send.message;

    if (number == 0)
        return false;
    s->untold = hf_row_next(s, HF_ROW_WORK, number);
    begin_message(s, effect, message_of(wish), wish->stream);
    effect->send.node = wish->node;
    effect->send.id = wish->id;
    message->lane = hf_wish_lane_at(s, wish->lane)->number;
    message->n = wish->n;
    message->a = wish->a;
    if (message->kind == HF_MESSAGE_ACQUIRE)
        fill_acquire(s, wish, message);
    else if (message->kind == HF_MESSAGE_CHANGE)
        effect->send.index = wish->lowering;
    return true;
}

bool
hf_session_next(struct hf_session *s, struct hf_session_effect *effect)
{
    return next_notice(s, effect) || next_closing(s, effect) ||
           next_errand(s, effect) || next_message(s, effect);
}

/* ---- Looking ------------------------------------------------------------- */

struct hf_instant
hf_session_deadline(const struct hf_session *s)
{
    struct hf_instant deadline = hf_lease_deadline(s);
    int64_t at_ms;

    if (hf_timers_first(s, &s->timers, &at_ms) != 0)
        deadline = hf_earlier(deadline, (struct hf_instant){at_ms});
    return deadline;
}

bool
hf_session_room(const struct hf_session *s)
{
    return !s->is_last && hf_pool_room(&s->wishes, 1);
}

bool
hf_session_waits(const struct hf_session *s, uint64_t id)
{
    uint32_t number = hf_wishes_find(s, id);

    return number != 0 && hf_wish_waits(hf_wish_at(s, number));
}

bool
hf_session_settled(const struct hf_session *s)
{
    return s->unsettled_count == 0;
}

bool
hf_session_may_ask(const struct hf_session *s, uint32_t node)
{
    return hf_nodes_may(&s->nodes, node);
}

bool
hf_session_at_rest(const struct hf_session *s)
{
    return s->unsettled_count == s->granted.count - s->confirming_count;
}

bool
hf_session_over(const struct hf_session *s)
{
    return s->state == HF_LEASE_OVER;
}

enum hf_outcome
hf_session_holds(const struct hf_session *s, uint64_t id, struct hf_instant now)
{
    uint32_t number = hf_wishes_find(s, id);
    const struct hf_wish *wish = hf_wish_at(s, number);

    if (number == 0)
        return HF_NOT_HELD;
    if (wish->state != HF_WISH_HELD && wish->state != HF_WISH_IN_DOUBT)
        return wish->outcome == HF_LOST ? HF_LOST : HF_NOT_HELD;
    if (!hf_reached(now, s->right_until))
        return HF_GRANTED;
    return s->config.terms.if_dead == HF_REFUSE ? HF_IN_DOUBT : HF_LOST;
}

struct hf_instant
hf_session_right(const struct hf_session *s)
{
    return s->right_until;
}

bool
hf_session_page(const struct hf_session *s, uint32_t *cursor, uint64_t *fence)
{
    uint32_t at =
        *cursor == 0 ? s->page_first : hf_row_next(s, HF_ROW_MATES, *cursor);

    if (at == 0 || at == s->page_end)
        return false;
    *cursor = at;
    *fence = hf_wish_at(s, at)->fence;
    return true;
}
