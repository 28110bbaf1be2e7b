#include "core/keeper_answer.h"

#include "base/check.h"
#include "core/keeper_ask.h"
#include "core/keeper_move.h"
#include "core/keeper_sent.h"

/* ---- A write that was applied -------------------------------------------- */

/* The record was ours at that version.  A write that is out expects an earlier
 * one and can do nothing; a read that is out may show one, which is no news. */
static void
learn(struct hf_keeper *k, const struct hf_sent *sent, uint64_t version)
{
    if (version <= k->version)
        return;
    k->version = version;
    if (k->asker.waiting)
        hf_asker_supersede(&k->asker);
    k->must_read = false;
    if (sent->count > k->heartbeat.count)
        k->heartbeat.count = sent->count;
    if (sent->question == HF_ASK_CLAIM)
        k->token = version;
    else
        k->over = 0; /* the marker went with it */
}

/* Count from the sending: the answer may have been on its way for any time. */
static void
believe(struct hf_keeper *k, struct hf_instant sent_at)
{
    struct hf_duration trusted = {k->config.terms.ttl.ms - k->config.margin.ms};

    k->right_until = hf_later(k->right_until, hf_after(sent_at, trusted));
    if (!k->asker.waiting)
        hf_asker_rest(&k->asker, hf_after(sent_at, k->config.terms.beat));
}

/* Would another write that takes as long be applied a grace before the end?
 * If not, what is begun now would have to be ended soon, for ever again. */
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
        hf_keeper_move_to(k, HF_KEEPER_HELD);
        hf_outbox_tell(&k->outbox, HF_TOLD_GRANTED);
        return;
    }
    if (k->state != HF_KEEPER_CONFIRMING)
        hf_keeper_move_to(k, HF_KEEPER_CONFIRMING);
    if (!k->asker.waiting)
        hf_keeper_ask(k, now);
}

static void
on_put_applied(struct hf_keeper *k, const struct hf_sent *sent,
               uint64_t version, struct hf_instant now)
{
    learn(k, sent, version);
    if (k->state == HF_KEEPER_SETTLING) { /* which gives no right any more */
        if (!k->asker.waiting)
            hf_keeper_ask(k, now);
        return;
    }
    believe(k, sent->at);
    if (k->state == HF_KEEPER_CLAIMING || k->state == HF_KEEPER_CONFIRMING) {
        grant(k, sent->at, now);
    } else if (k->state == HF_KEEPER_IN_DOUBT &&
               !hf_reached(now, k->right_until)) {
        hf_keeper_move_to(k, HF_KEEPER_HELD);
        hf_outbox_tell(&k->outbox, HF_TOLD_CERTAIN);
    }
}

static void
on_applied(struct hf_keeper *k, const struct hf_sent *sent, uint64_t version,
           struct hf_instant now)
{
    switch (sent->question) {
    case HF_ASK_CLAIM:
    case HF_ASK_BEAT:
        on_put_applied(k, sent, version, now);
        break;
    case HF_ASK_DELETE:
        hf_keeper_move_to_idle(k);
        hf_outbox_tell(&k->outbox, HF_TOLD_SETTLED);
        break;
    case HF_ASK_NOTHING:
    case HF_ASK_READ:
    case HF_ASK_CLEAR:
        HF_CHECK(!"a write that a keeper never sends");
    }
}

/* ---- A write that was not ------------------------------------------------ */

/* Was no claim ever applied, and can none be?  Then nothing is to be undone. */
static bool
settles(struct hf_keeper *k)
{
    if (k->state != HF_KEEPER_SETTLING || k->token != 0 ||
        hf_keeper_sent_claims(k))
        return false;
    hf_keeper_move_to_idle(k);
    hf_outbox_tell(&k->outbox, HF_TOLD_SETTLED);
    return true;
}

/* Whatever is out expects the version that was refused. */
static void
on_refused(struct hf_keeper *k, const struct hf_sent *sent,
           struct hf_instant now)
{
    if (sent->version != k->version || settles(k))
        return;
    k->must_read = true;
    if (!k->asker.waiting || k->asker.question != HF_ASK_READ)
        hf_keeper_ask(k, now);
}

void
hf_keeper_answer_verdict(struct hf_keeper *k, const struct hf_event *event)
{
    uint64_t number = event->answer.number;
    const struct hf_sent *found = hf_keeper_sent_find(k, number);
    struct hf_sent sent;
    bool expected;

    if (found == NULL)
        return; /* it was answered, or is forgotten */
    sent = *found;
    expected = hf_asker_answered(&k->asker, number);
    if (event->answer.verdict != HF_UNKNOWN)
        hf_keeper_sent_remove(k, number);

    switch (event->answer.verdict) {
    case HF_APPLIED:
        hf_asker_took(&k->asker, hf_between(sent.at, event->at));
        on_applied(k, &sent, event->answer.version, event->at);
        break;
    case HF_REFUSED:
        hf_asker_took(&k->asker, hf_between(sent.at, event->at));
        on_refused(k, &sent, event->at);
        break;
    case HF_UNAVAILABLE:
        if (settles(k))
            break;
        if (expected)
            hf_asker_pause(&k->asker, event->at);
        break;
    case HF_UNKNOWN:
        if (expected)
            hf_asker_pause(&k->asker, event->at);
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
        hf_keeper_move_to(k, HF_KEEPER_CONFIRMING);
    hf_keeper_ask(k, now);
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
        if (may_apply && hf_keeper_sent_claims(k)) {
            hf_asker_pause(&k->asker, now);
            break;
        }
        hf_keeper_move_to_idle(k);
        hf_outbox_tell(&k->outbox, HF_TOLD_NOT_MINE);
        break;
    case HF_KEEPER_CONFIRMING:
        hf_keeper_move_to_idle(k);
        hf_outbox_tell(&k->outbox, HF_TOLD_NOT_MINE);
        break;
    case HF_KEEPER_HELD:
    case HF_KEEPER_IN_DOUBT:
        hf_outbox_tell(&k->outbox, HF_TOLD_LOST);
        hf_keeper_move_to_idle(k);
        hf_outbox_tell(&k->outbox, HF_TOLD_SETTLED);
        break;
    case HF_KEEPER_SETTLING:
        if (may_apply) {
            hf_asker_pause(&k->asker, now);
            break;
        }
        hf_keeper_move_to_idle(k);
        hf_outbox_tell(&k->outbox, HF_TOLD_SETTLED);
        break;
    case HF_KEEPER_IDLE:
        HF_CHECK(!"an idle keeper waits for no answer");
    }
}

/* Nothing that was sent to what the place was is in it, nor will be. */
static void
doubt(struct hf_keeper *k)
{
    hf_keeper_sent_forget(k);
    if (k->state != HF_KEEPER_HELD)
        return;
    if (k->config.terms.if_dead == HF_REFUSE) {
        hf_keeper_move_to(k, HF_KEEPER_IN_DOUBT);
        hf_outbox_tell(&k->outbox, HF_TOLD_IN_DOUBT);
    } else {
        hf_outbox_tell(&k->outbox, HF_TOLD_LOST);
        hf_keeper_move_to(k, HF_KEEPER_SETTLING);
    }
}

void
hf_keeper_answer_found(struct hf_keeper *k, const struct hf_event *event)
{
    const struct hf_sight *sight = &event->found.sight;

    if (!hf_asker_answered(&k->asker, event->found.number))
        return;
    if (sight->kind == HF_SIGHT_NONE) {
        hf_asker_pause(&k->asker, event->at);
        return;
    }

    k->must_read = false;
    if (sight->version < k->version)
        doubt(k); /* no version comes back: the place did */
    if (sight->kind == HF_SIGHT_LOCK && sight->heartbeat.id == k->heartbeat.id)
        on_found_mine(k, sight, event->at);
    else
        on_found_other(k, sight, event->at);
}

void
hf_keeper_answer_went_back(struct hf_keeper *k, struct hf_instant now)
{
    if (k->state == HF_KEEPER_IDLE)
        return;
    doubt(k);
    k->version = 0;
    k->must_read = true;
    hf_keeper_ask(k, now);
}
