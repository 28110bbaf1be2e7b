#include "core/keeper.h"

#include "base/check.h"

/* ---- Moves --------------------------------------------------------------- */

#define BIT(state) (1u << (state))

/* Which states may follow which: the diagram in keeper.h, in code. */
static const unsigned allowed[] = {
    [HF_KEEPER_IDLE] = BIT(HF_KEEPER_CLAIMING),
    [HF_KEEPER_CLAIMING] = BIT(HF_KEEPER_IDLE) | BIT(HF_KEEPER_CONFIRMING) |
                           BIT(HF_KEEPER_HELD) | BIT(HF_KEEPER_SETTLING),
    [HF_KEEPER_CONFIRMING] =
        BIT(HF_KEEPER_IDLE) | BIT(HF_KEEPER_HELD) | BIT(HF_KEEPER_SETTLING),
    [HF_KEEPER_HELD] =
        BIT(HF_KEEPER_IDLE) | BIT(HF_KEEPER_IN_DOUBT) | BIT(HF_KEEPER_SETTLING),
    [HF_KEEPER_IN_DOUBT] =
        BIT(HF_KEEPER_IDLE) | BIT(HF_KEEPER_HELD) | BIT(HF_KEEPER_SETTLING),
    [HF_KEEPER_SETTLING] = BIT(HF_KEEPER_IDLE),
};

static void
move_to(struct hf_keeper *k, enum hf_keeper_state next)
{
    HF_CHECK(allowed[k->state] & BIT(next));
    k->state = next;
}

/* Nothing of ours is there, and no write of ours can still apply.  Or the
 * keeper is abandoned, and that does not matter. */
static void
end(struct hf_keeper *k)
{
    hf_question_stop(&k->question);
    k->inflight = (struct hf_inflight){0};
    k->must_read = false;
    move_to(k, HF_KEEPER_IDLE);
}

/* The invariants after every step. */
static void
check_invariants(const struct hf_keeper *k, struct hf_instant now)
{
    switch (k->state) {
    case HF_KEEPER_IDLE:
        HF_CHECK(!k->question.waiting);
        HF_CHECK(!hf_keeper_unsettled(k));
        break;
    case HF_KEEPER_CLAIMING:
        HF_CHECK(k->token == 0);
        break;
    case HF_KEEPER_CONFIRMING:
    case HF_KEEPER_IN_DOUBT:
        HF_CHECK(k->token != 0);
        break;
    case HF_KEEPER_HELD:
        HF_CHECK(k->token != 0);
        HF_CHECK(!hf_reached(now, k->right_until));
        break;
    case HF_KEEPER_SETTLING:
        break;
    }
    if (k->state != HF_KEEPER_IDLE)
        HF_CHECK(hf_question_deadline(&k->question).ms != HF_NEVER.ms);
}

/* ---- Questions ----------------------------------------------------------- */

static enum hf_question_kind
next_question(const struct hf_keeper *k)
{
    if (k->must_read)
        return HF_ASK_READ;
    switch (k->state) {
    case HF_KEEPER_CLAIMING:
        return HF_ASK_CLAIM;
    case HF_KEEPER_CONFIRMING:
    case HF_KEEPER_HELD:
    case HF_KEEPER_IN_DOUBT:
        return HF_ASK_BEAT;
    case HF_KEEPER_SETTLING:
        return HF_ASK_DELETE;
    case HF_KEEPER_IDLE:
        break;
    }
    return HF_ASK_NOTHING;
}

static void
note_sent(struct hf_keeper *k)
{
    bool beats = k->question.kind == HF_ASK_BEAT;
    struct hf_sent sent = {
        .number = k->question.number,
        .kind = k->question.kind,
        .at = k->question.asked_at,
        .count = k->heartbeat.count + (beats ? 1 : 0),
        .version = k->version,
    };

    hf_inflight_add(&k->inflight, &sent);
}

/* Ask the question of this state; it replaces one that is out. */
static void
ask(struct hf_keeper *k, struct hf_instant now)
{
    hf_question_ask(&k->question, next_question(k), now);
    if (k->question.kind != HF_ASK_READ)
        note_sent(k);
    hf_outbox_add(&k->outbox, HF_OUTBOX_ASK);
}

/* ---- A write that was applied -------------------------------------------- */

/* The record was ours at that version.  A write that is out expects an earlier
 * one and can do nothing; a read that is out may show an earlier one, which is
 * no news. */
static void
learn(struct hf_keeper *k, const struct hf_sent *sent, uint64_t version)
{
    if (version <= k->version)
        return;
    k->version = version;
    if (k->question.waiting)
        hf_question_supersede(&k->question);
    k->must_read = false;
    if (sent->count > k->heartbeat.count)
        k->heartbeat.count = sent->count;
    if (sent->kind == HF_ASK_CLAIM)
        k->token = version;
    else
        k->over = 0; /* the marker was erased with it */
}

/* Count from the sending: the answer may have been on its way for long. */
static void
believe(struct hf_keeper *k, struct hf_instant sent_at)
{
    struct hf_duration trusted = {k->config.terms.ttl.ms - k->config.margin.ms};

    k->right_until = hf_later(k->right_until, hf_after(sent_at, trusted));
    if (!k->question.waiting)
        hf_question_rest(&k->question, hf_after(sent_at, k->config.terms.beat));
}

/* Can the next write, if it takes as long, be applied a grace before the end?
 * If not, the lock would be lost and regained for ever. */
static bool
is_worth_granting(const struct hf_keeper *k, struct hf_instant sent_at,
                  struct hf_instant now)
{
    struct hf_instant next = hf_after(now, hf_between(sent_at, now));

    return !hf_reached(hf_after(next, k->config.grace), k->right_until);
}

/* The record is ours: grant it, if it can be kept. */
static void
grant(struct hf_keeper *k, struct hf_instant sent_at, struct hf_instant now)
{
    if (is_worth_granting(k, sent_at, now)) {
        move_to(k, HF_KEEPER_HELD);
        hf_outbox_notify(&k->outbox, HF_NOTICE_GRANTED);
        return;
    }
    if (k->state != HF_KEEPER_CONFIRMING)
        move_to(k, HF_KEEPER_CONFIRMING);
    if (!k->question.waiting)
        ask(k, now);
}

static void
on_put_applied(struct hf_keeper *k, const struct hf_sent *sent,
               uint64_t version, struct hf_instant now)
{
    learn(k, sent, version);
    if (k->state == HF_KEEPER_SETTLING) { /* which gives no right any more */
        if (!k->question.waiting)
            ask(k, now);
        return;
    }
    believe(k, sent->at);
    if (k->state == HF_KEEPER_CLAIMING || k->state == HF_KEEPER_CONFIRMING) {
        grant(k, sent->at, now);
    } else if (k->state == HF_KEEPER_IN_DOUBT &&
               !hf_reached(now, k->right_until)) {
        move_to(k, HF_KEEPER_HELD);
        hf_outbox_notify(&k->outbox, HF_NOTICE_CERTAIN);
    }
}

static void
on_applied(struct hf_keeper *k, const struct hf_sent *sent, uint64_t version,
           struct hf_instant now)
{
    switch (sent->kind) {
    case HF_ASK_CLAIM:
    case HF_ASK_BEAT:
        on_put_applied(k, sent, version, now);
        break;
    case HF_ASK_DELETE:
        end(k);
        hf_outbox_notify(&k->outbox, HF_NOTICE_SETTLED);
        break;
    case HF_ASK_NOTHING:
    case HF_ASK_READ:
    case HF_ASK_CLEAR:
        HF_CHECK(!"a write that a keeper never sends");
    }
}

/* ---- A write that was not ------------------------------------------------ */

/* Was no claim applied, and can none be?  Then there is nothing to undo. */
static bool
settles(struct hf_keeper *k)
{
    if (k->state != HF_KEEPER_SETTLING || k->token != 0 ||
        hf_inflight_claims(&k->inflight, 0))
        return false;
    end(k);
    hf_outbox_notify(&k->outbox, HF_NOTICE_SETTLED);
    return true;
}

/* The write that is out expects the refused version. */
static void
on_refused(struct hf_keeper *k, const struct hf_sent *sent,
           struct hf_instant now)
{
    if (sent->version != k->version || settles(k))
        return;
    k->must_read = true;
    if (!k->question.waiting || k->question.kind != HF_ASK_READ)
        ask(k, now);
}

static void
on_answer(struct hf_keeper *k, const struct hf_event *event)
{
    uint64_t number = event->answer.number;
    const struct hf_sent *found = hf_inflight_find(&k->inflight, number);
    struct hf_sent sent;
    bool expected;

    if (found == NULL)
        return; /* answered before, or forgotten */
    sent = *found;
    expected = hf_question_answered(&k->question, number);
    if (event->answer.verdict != HF_UNKNOWN)
        hf_inflight_remove(&k->inflight, number);

    switch (event->answer.verdict) {
    case HF_APPLIED:
        hf_question_took(&k->question, hf_between(sent.at, event->at));
        on_applied(k, &sent, event->answer.version, event->at);
        break;
    case HF_REFUSED:
        hf_question_took(&k->question, hf_between(sent.at, event->at));
        on_refused(k, &sent, event->at);
        break;
    case HF_UNAVAILABLE:
        if (settles(k))
            break;
        if (expected)
            hf_question_pause(&k->question, event->at);
        break;
    case HF_UNKNOWN:
        if (expected)
            hf_question_pause(&k->question, event->at);
        break;
    }
}

/* ---- What a read showed -------------------------------------------------- */

static void
on_found_mine(struct hf_keeper *k, const struct hf_sight *sight,
              struct hf_instant now)
{
    k->version = sight->version;
    k->token = sight->token;
    k->heartbeat.count = sight->heartbeat.count;
    if (k->state == HF_KEEPER_CLAIMING)
        move_to(k, HF_KEEPER_CONFIRMING);
    ask(k, now);
}

static void
on_found_other(struct hf_keeper *k, const struct hf_sight *sight,
               struct hf_instant now)
{
    /* Refused, although the version stands: only the other operation of the
     * group can be the reason (a marker put by hand).  A write that is
     * unsettled may still apply. */
    bool may_apply = sight->version == k->version;

    switch (k->state) {
    case HF_KEEPER_CLAIMING:
        if (may_apply && hf_inflight_claims(&k->inflight, 0)) {
            hf_question_pause(&k->question, now);
            break;
        }
        end(k);
        hf_outbox_notify(&k->outbox, HF_NOTICE_NOT_MINE);
        break;
    case HF_KEEPER_CONFIRMING:
        end(k);
        hf_outbox_notify(&k->outbox, HF_NOTICE_NOT_MINE);
        break;
    case HF_KEEPER_HELD:
    case HF_KEEPER_IN_DOUBT:
        hf_outbox_notify(&k->outbox, HF_NOTICE_LOST);
        end(k);
        hf_outbox_notify(&k->outbox, HF_NOTICE_SETTLED);
        break;
    case HF_KEEPER_SETTLING:
        if (may_apply) {
            hf_question_pause(&k->question, now);
            break;
        }
        end(k);
        hf_outbox_notify(&k->outbox, HF_NOTICE_SETTLED);
        break;
    case HF_KEEPER_IDLE:
        HF_CHECK(!"an idle keeper waits for no answer");
    }
}

/* A write that was sent to the former place is not in this one, and never will
 * be. */
static void
doubt(struct hf_keeper *k)
{
    k->inflight = (struct hf_inflight){0};
    if (k->state != HF_KEEPER_HELD)
        return;
    if (k->config.terms.if_dead == HF_REFUSE) {
        move_to(k, HF_KEEPER_IN_DOUBT);
        hf_outbox_notify(&k->outbox, HF_NOTICE_IN_DOUBT);
    } else {
        hf_outbox_notify(&k->outbox, HF_NOTICE_LOST);
        move_to(k, HF_KEEPER_SETTLING);
    }
}

static void
on_found(struct hf_keeper *k, const struct hf_event *event)
{
    const struct hf_sight *sight = &event->found.sight;

    if (!hf_question_answered(&k->question, event->found.number))
        return;
    if (sight->kind == HF_SIGHT_NONE) {
        hf_question_pause(&k->question, event->at);
        return;
    }

    k->must_read = false;
    if (sight->version < k->version)
        doubt(k); /* a version never comes back: the place did */
    if (sight->kind == HF_SIGHT_LOCK && sight->heartbeat.id == k->heartbeat.id)
        on_found_mine(k, sight, event->at);
    else
        on_found_other(k, sight, event->at);
}

static void
on_went_back(struct hf_keeper *k, struct hf_instant now)
{
    if (k->state == HF_KEEPER_IDLE)
        return;
    doubt(k);
    k->version = 0;
    k->must_read = true;
    ask(k, now);
}

/* ---- What the shell wants ------------------------------------------------ */

static void
settle(struct hf_keeper *k, struct hf_instant now)
{
    k->must_read = false;
    move_to(k, HF_KEEPER_SETTLING);
    ask(k, now);
}

static void
on_claim(struct hf_keeper *k, const struct hf_event *event)
{
    move_to(k, HF_KEEPER_CLAIMING);
    k->heartbeat = (struct hf_heartbeat){.id = event->claim.id};
    k->version = event->claim.version;
    k->token = 0;
    k->over = event->claim.over;
    k->right_until = (struct hf_instant){INT64_MIN};
    ask(k, event->at);
}

/* An unsettled claim must be settled first. */
static void
on_release(struct hf_keeper *k, struct hf_instant now)
{
    switch (k->state) {
    case HF_KEEPER_CLAIMING:
        if (hf_inflight_claims(&k->inflight, 0)) {
            settle(k, now);
        } else {
            end(k);
            hf_outbox_notify(&k->outbox, HF_NOTICE_SETTLED);
        }
        break;
    case HF_KEEPER_CONFIRMING:
    case HF_KEEPER_HELD:
    case HF_KEEPER_IN_DOUBT:
        settle(k, now);
        break;
    case HF_KEEPER_IDLE:
    case HF_KEEPER_SETTLING:
        break;
    }
}

static void
on_abandon(struct hf_keeper *k)
{
    if (k->state != HF_KEEPER_IDLE)
        end(k);
}

/* Time comes first: an answer must not revive a right that had ended when it
 * came, since a caller may have been told so. */
static void
expire(struct hf_keeper *k, struct hf_instant now)
{
    if (k->state != HF_KEEPER_HELD || !hf_reached(now, k->right_until))
        return;

    if (k->config.terms.if_dead == HF_REFUSE) {
        move_to(k, HF_KEEPER_IN_DOUBT);
        hf_outbox_notify(&k->outbox, HF_NOTICE_IN_DOUBT);
    } else {
        hf_outbox_notify(&k->outbox, HF_NOTICE_LOST);
        settle(k, now);
    }
}

/* Beat early, if nothing is out and a beat would be due within `early`.  The
 * pause after a failure is kept. */
static void
beat_early(struct hf_keeper *k, struct hf_instant now, struct hf_duration early)
{
    if (hf_keeper_may_write(k) &&
        hf_reached(hf_after(now, early), k->question.again_at))
        ask(k, now);
}

static void
on_clock(struct hf_keeper *k, struct hf_instant now)
{
    if (hf_question_silence(&k->question, now) == HF_SILENCE_OVER)
        hf_question_pause(&k->question, now);
    if (!k->question.waiting && hf_reached(now, k->question.again_at))
        ask(k, now);
}

/* ---- A keeper ------------------------------------------------------------ */

/* From a write to the begin of its grace. */
static int64_t
useful_right_ms(const struct hf_keeper_config *config)
{
    return config->terms.ttl.ms - config->margin.ms - config->grace.ms;
}

void
hf_keeper_init(struct hf_keeper *k, const struct hf_keeper_config *config)
{
    struct hf_question_config patience = {
        .least = config->terms.beat,
        .most = {useful_right_ms(config) / 3},
        .call = hf_keeper_slowest(config),
    };

    HF_CHECK(hf_terms_valid(&config->terms, config->grace));

    *k = (struct hf_keeper){.config = *config};
    hf_question_init(&k->question, &patience);
}

struct hf_duration
hf_keeper_slowest(const struct hf_keeper_config *config)
{
    return (struct hf_duration){useful_right_ms(config) / 2};
}

bool
hf_keeper_unsettled(const struct hf_keeper *k)
{
    const struct hf_question *q = &k->question;

    return hf_inflight_claims(&k->inflight, q->waiting ? q->number : 0);
}

void
hf_keeper_step(struct hf_keeper *k, struct hf_event event)
{
    HF_CHECK(k->outbox.count == 0);

    if (event.kind != HF_ON_ABANDON)
        expire(k, event.at);
    switch (event.kind) {
    case HF_ON_CLAIM:
        on_claim(k, &event);
        break;
    case HF_ON_ANSWER:
        on_answer(k, &event);
        break;
    case HF_ON_FOUND:
        on_found(k, &event);
        break;
    case HF_ON_RELEASE:
    case HF_ON_CANCEL:
        on_release(k, event.at);
        break;
    case HF_ON_ABANDON:
        on_abandon(k);
        break;
    case HF_ON_HINT: /* one commit for all is cheaper than one for each */
        beat_early(k, event.at,
                   (struct hf_duration){k->config.terms.beat.ms / 4});
        break;
    case HF_ON_WRITE:
        beat_early(k, event.at, k->config.terms.beat);
        break;
    case HF_ON_WENT_BACK:
        on_went_back(k, event.at);
        break;
    case HF_ON_ACQUIRE:
    case HF_ON_EXAMINE:
    case HF_ON_PROCESSES:
    case HF_ON_CLOCK:
        break;
    }
    on_clock(k, event.at); /* every event tells the time */

    check_invariants(k, event.at);
}

bool
hf_keeper_next(struct hf_keeper *k, struct hf_effect *effect)
{
    uint8_t entry;

    if (!hf_outbox_take(&k->outbox, &entry))
        return false;

    if (entry == HF_OUTBOX_ASK) {
        *effect = (struct hf_effect){.kind = HF_DO_ASK};
        hf_keeper_request(k, &effect->request);
    } else {
        *effect = (struct hf_effect){.kind = HF_DO_NOTIFY,
                                     .notice = (enum hf_notice_kind)entry};
    }
    return true;
}

bool
hf_keeper_may_write(const struct hf_keeper *k)
{
    return (k->state == HF_KEEPER_HELD || k->state == HF_KEEPER_IN_DOUBT) &&
           !k->question.waiting && k->question.failures == 0;
}

struct hf_instant
hf_keeper_deadline(const struct hf_keeper *k)
{
    struct hf_instant deadline = hf_question_deadline(&k->question);

    if (k->state == HF_KEEPER_HELD)
        return hf_earlier(deadline, k->right_until);
    return deadline;
}

static struct hf_op
lock_op(const struct hf_keeper *k, enum hf_op_kind kind)
{
    return (struct hf_op){
        .kind = kind,
        .target = HF_TARGET_LOCK,
        .expect = {HF_EXPECT_VERSION, k->version},
        .heartbeat = k->heartbeat,
        .terms = k->config.terms,
    };
}

static void
add_marker_op(const struct hf_keeper *k, struct hf_request *request)
{
    bool put = k->question.kind == HF_ASK_CLAIM;

    if (k->over == 0)
        return;
    request->ops[request->ops_count++] = (struct hf_op){
        .kind = put ? HF_PUT : HF_ERASE,
        .target = HF_TARGET_MARKER,
        .expect = {put ? HF_EXPECT_ABSENT : HF_EXPECT_ANYTHING, 0},
        .new_generation = put,
        .subject = k->over,
        .heartbeat = k->heartbeat,
        .terms = k->config.terms,
    };
}

void
hf_keeper_request(const struct hf_keeper *k, struct hf_request *request)
{
    struct hf_op *op = &request->ops[0];

    *request =
        (struct hf_request){.number = k->question.number, .ops_count = 1};
    switch (k->question.kind) {
    case HF_ASK_CLAIM:
        *op = lock_op(k, HF_PUT);
        op->new_generation = true;
        add_marker_op(k, request);
        break;
    case HF_ASK_BEAT:
        *op = lock_op(k, HF_PUT);
        op->heartbeat.count++;
        add_marker_op(k, request);
        break;
    case HF_ASK_DELETE:
        *op = lock_op(k, HF_DELETE);
        add_marker_op(k, request);
        break;
    case HF_ASK_READ:
        request->read = true;
        request->ops_count = 0;
        break;
    case HF_ASK_NOTHING:
    case HF_ASK_CLEAR:
        HF_CHECK(!"a question that a keeper never asks");
    }
}
