#include "core/keeper.h"

#include "base/check.h"

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
check_invariants(const struct hf_keeper *k, struct hf_instant now)
{
    switch (k->state) {
    case HF_KEEPER_IDLE:
        HF_CHECK(!k->asker.waiting);
        HF_CHECK(!k->unsettled);
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
        HF_CHECK(hf_asker_deadline(&k->asker).ms != HF_NEVER.ms);
}

static void
move_to(struct hf_keeper *k, enum hf_keeper_state next)
{
    HF_CHECK(allowed[k->state] & BIT(next));
    k->state = next;
}

static void
tell(struct hf_keeper *k, enum hf_told told)
{
    hf_outbox_add(&k->outbox, (uint8_t)told);
}

static enum hf_question
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
ask(struct hf_keeper *k, struct hf_instant now)
{
    hf_asker_ask(&k->asker, next_question(k), now);
    hf_outbox_add(&k->outbox, HF_OUTBOX_ASK);
}

/* Nothing of ours is there, and no write of ours can still apply. */
static void
rest(struct hf_keeper *k)
{
    hf_asker_stop(&k->asker);
    k->unsettled = false;
    k->must_read = false;
    move_to(k, HF_KEEPER_IDLE);
}

static void
settle(struct hf_keeper *k, struct hf_instant now)
{
    k->must_read = false;
    move_to(k, HF_KEEPER_SETTLING);
    ask(k, now);
}

/* Count from the question: its answer may have been on its way for any time. */
static void
believe(struct hf_keeper *k)
{
    struct hf_duration trusted = {k->config.terms.ttl.ms - k->config.margin.ms};

    k->right_until =
        hf_later(k->right_until, hf_after(k->asker.asked_at, trusted));
    hf_asker_rest(&k->asker, hf_after(k->asker.asked_at, k->config.terms.beat));
}

/* The record is ours: grant it, unless the right left is not worth starting. */
static void
grant(struct hf_keeper *k, struct hf_instant now)
{
    if (hf_reached(hf_after(now, k->config.grace), k->right_until)) {
        if (k->state != HF_KEEPER_CONFIRMING)
            move_to(k, HF_KEEPER_CONFIRMING);
        ask(k, now);
    } else {
        move_to(k, HF_KEEPER_HELD);
        tell(k, HF_TOLD_GRANTED);
    }
}

static void
on_claim_applied(struct hf_keeper *k, const struct hf_event *event)
{
    k->version = event->answer.version;
    k->token = event->answer.version;
    k->unsettled = false;
    believe(k);
    grant(k, event->at);
}

static void
on_beat_applied(struct hf_keeper *k, const struct hf_event *event)
{
    k->version = event->answer.version;
    k->heartbeat.count++;
    k->over = 0; /* the marker went with it */
    believe(k);

    if (k->state == HF_KEEPER_CONFIRMING) {
        grant(k, event->at);
    } else if (k->state == HF_KEEPER_IN_DOUBT &&
               !hf_reached(event->at, k->right_until)) {
        move_to(k, HF_KEEPER_HELD);
        tell(k, HF_TOLD_CERTAIN);
    }
}

static void
on_applied(struct hf_keeper *k, const struct hf_event *event)
{
    switch (k->asker.question) {
    case HF_ASK_CLAIM:
        on_claim_applied(k, event);
        break;
    case HF_ASK_BEAT:
        on_beat_applied(k, event);
        break;
    case HF_ASK_DELETE:
        rest(k);
        tell(k, HF_TOLD_SETTLED);
        break;
    case HF_ASK_NOTHING:
    case HF_ASK_READ:
    case HF_ASK_CLEAR:
        HF_CHECK(!"an answer to a write that a keeper never asks");
    }
}

static void
on_unknown(struct hf_keeper *k, struct hf_instant now)
{
    if (k->asker.question == HF_ASK_CLAIM)
        k->unsettled = true;
    hf_asker_pause(&k->asker, now);
}

static void
on_answer(struct hf_keeper *k, const struct hf_event *event)
{
    if (!hf_asker_answered(&k->asker, event->answer.number))
        return;

    switch (event->answer.verdict) {
    case HF_APPLIED:
        on_applied(k, event);
        break;
    case HF_REFUSED:
        k->must_read = true;
        ask(k, event->at);
        break;
    case HF_UNKNOWN:
        on_unknown(k, event->at);
        break;
    case HF_UNAVAILABLE:
        hf_asker_pause(&k->asker, event->at);
        break;
    }
}

static void
on_found_mine(struct hf_keeper *k, const struct hf_sight *sight,
              struct hf_instant now)
{
    k->version = sight->version;
    k->heartbeat.count = sight->heartbeat.count;
    k->unsettled = false;
    if (k->state == HF_KEEPER_CLAIMING) {
        k->token = sight->token;
        move_to(k, HF_KEEPER_CONFIRMING);
    }
    ask(k, now);
}

static void
on_found_other(struct hf_keeper *k, const struct hf_sight *sight,
               struct hf_instant now)
{
    /* Refused, and yet the version stands: only what rides along (a marker
     * that somebody put there by hand) can have refused it.  What is unsettled
     * may still apply. */
    bool may_apply = sight->version == k->version;

    switch (k->state) {
    case HF_KEEPER_CLAIMING:
        if (may_apply && k->unsettled) {
            hf_asker_pause(&k->asker, now);
            break;
        }
        rest(k);
        tell(k, HF_TOLD_NOT_MINE);
        break;
    case HF_KEEPER_CONFIRMING:
        rest(k);
        tell(k, HF_TOLD_NOT_MINE);
        break;
    case HF_KEEPER_HELD:
    case HF_KEEPER_IN_DOUBT:
        tell(k, HF_TOLD_LOST);
        rest(k);
        tell(k, HF_TOLD_SETTLED);
        break;
    case HF_KEEPER_SETTLING:
        if (may_apply) {
            hf_asker_pause(&k->asker, now);
            break;
        }
        rest(k);
        tell(k, HF_TOLD_SETTLED);
        break;
    case HF_KEEPER_IDLE:
        HF_CHECK(!"an idle keeper waits for no answer");
    }
}

static void
on_found(struct hf_keeper *k, const struct hf_event *event)
{
    const struct hf_sight *sight = &event->found.sight;

    if (!hf_asker_answered(&k->asker, event->found.number))
        return;
    if (sight->kind == HF_SIGHT_NONE) {
        hf_asker_pause(&k->asker, event->at);
        return;
    }

    k->must_read = false;
    if (sight->kind == HF_SIGHT_LOCK && sight->heartbeat.id == k->heartbeat.id)
        on_found_mine(k, sight, event->at);
    else
        on_found_other(k, sight, event->at);
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

static bool
claim_is_out(const struct hf_keeper *k)
{
    return k->asker.waiting && k->asker.question == HF_ASK_CLAIM;
}

/* Nobody walks away from an unsettled claim. */
static void
on_release(struct hf_keeper *k, struct hf_instant now)
{
    switch (k->state) {
    case HF_KEEPER_CLAIMING:
        if (k->unsettled || claim_is_out(k)) {
            settle(k, now);
        } else {
            rest(k);
            tell(k, HF_TOLD_SETTLED);
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
        rest(k);
}

/* Before anything else: an answer must not revive a right that was over when
 * it came, for a caller may have been told so already. */
static void
expire(struct hf_keeper *k, struct hf_instant now)
{
    if (k->state != HF_KEEPER_HELD || !hf_reached(now, k->right_until))
        return;

    if (k->config.terms.if_dead == HF_REFUSE) {
        move_to(k, HF_KEEPER_IN_DOUBT);
        tell(k, HF_TOLD_IN_DOUBT);
    } else {
        tell(k, HF_TOLD_LOST);
        settle(k, now);
    }
}

/* Others beat now: one commit for all is cheaper than one for each. */
static void
on_hint(struct hf_keeper *k, struct hf_instant now)
{
    struct hf_duration early = {k->config.terms.beat.ms / 4};
    bool resting = !k->asker.waiting && k->asker.failures == 0;

    if ((k->state == HF_KEEPER_HELD || k->state == HF_KEEPER_IN_DOUBT) &&
        resting && hf_reached(hf_after(now, early), k->asker.again_at))
        ask(k, now);
}

static void
on_clock(struct hf_keeper *k, struct hf_instant now)
{
    if (hf_asker_overdue(&k->asker, now))
        on_unknown(k, now);
    if (!k->asker.waiting && hf_reached(now, k->asker.again_at))
        ask(k, now);
}

void
hf_keeper_init(struct hf_keeper *k, const struct hf_keeper_config *config)
{
    HF_CHECK(hf_terms_valid(&config->terms, config->grace));

    *k = (struct hf_keeper){.config = *config};
    hf_asker_init(&k->asker, config->terms.beat);
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
    case HF_ON_HINT:
        on_hint(k, event.at);
        break;
    case HF_ON_ACQUIRE:
    case HF_ON_EXAMINE:
    case HF_ON_EVIDENCE:
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
        *effect =
            (struct hf_effect){.kind = HF_DO_TELL, .told = (enum hf_told)entry};
    }
    return true;
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
    bool put = k->asker.question == HF_ASK_CLAIM;

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

    *request = (struct hf_request){.number = k->asker.number, .ops_count = 1};
    switch (k->asker.question) {
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

struct hf_instant
hf_keeper_deadline(const struct hf_keeper *k)
{
    struct hf_instant deadline = hf_asker_deadline(&k->asker);

    if (k->state == HF_KEEPER_HELD)
        return hf_earlier(deadline, k->right_until);
    return deadline;
}
