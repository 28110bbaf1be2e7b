#include "core/keeper_answer.h"

#include "base/check.h"
#include "core/keeper_ask.h"
#include "core/keeper_move.h"

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
            hf_keeper_move_to(k, HF_KEEPER_CONFIRMING);
        hf_keeper_ask(k, now);
    } else {
        hf_keeper_move_to(k, HF_KEEPER_HELD);
        hf_outbox_tell(&k->outbox, HF_TOLD_GRANTED);
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
        hf_keeper_move_to(k, HF_KEEPER_HELD);
        hf_outbox_tell(&k->outbox, HF_TOLD_CERTAIN);
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
        hf_keeper_move_to_idle(k);
        hf_outbox_tell(&k->outbox, HF_TOLD_SETTLED);
        break;
    case HF_ASK_NOTHING:
    case HF_ASK_READ:
    case HF_ASK_CLEAR:
        HF_CHECK(!"an answer to a write that a keeper never asks");
    }
}

void
hf_keeper_answer_unknown(struct hf_keeper *k, struct hf_instant now)
{
    if (k->asker.question == HF_ASK_CLAIM)
        k->unsettled = true;
    hf_asker_pause(&k->asker, now);
}

void
hf_keeper_answer_verdict(struct hf_keeper *k, const struct hf_event *event)
{
    if (!hf_asker_answered(&k->asker, event->answer.number))
        return;

    switch (event->answer.verdict) {
    case HF_APPLIED:
        on_applied(k, event);
        break;
    case HF_REFUSED:
        k->must_read = true;
        hf_keeper_ask(k, event->at);
        break;
    case HF_UNKNOWN:
        hf_keeper_answer_unknown(k, event->at);
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
        hf_keeper_move_to(k, HF_KEEPER_CONFIRMING);
    }
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
        if (may_apply && k->unsettled) {
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
    if (sight->kind == HF_SIGHT_LOCK && sight->heartbeat.id == k->heartbeat.id)
        on_found_mine(k, sight, event->at);
    else
        on_found_other(k, sight, event->at);
}
