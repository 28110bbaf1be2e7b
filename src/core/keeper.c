#include "core/keeper.h"

#include "base/check.h"
#include "core/keeper_answer.h"
#include "core/keeper_ask.h"
#include "core/keeper_move.h"
#include "core/keeper_sent.h"

static void
settle(struct hf_keeper *k, struct hf_instant now)
{
    k->must_read = false;
    hf_keeper_move_to(k, HF_KEEPER_SETTLING);
    hf_keeper_ask(k, now);
}

static void
on_claim(struct hf_keeper *k, const struct hf_event *event)
{
    hf_keeper_move_to(k, HF_KEEPER_CLAIMING);
    k->heartbeat = (struct hf_heartbeat){.id = event->claim.id};
    k->version = event->claim.version;
    k->token = 0;
    k->over = event->claim.over;
    k->right_until = (struct hf_instant){INT64_MIN};
    hf_keeper_ask(k, event->at);
}

/* Nobody walks away from an unsettled claim. */
static void
on_release(struct hf_keeper *k, struct hf_instant now)
{
    switch (k->state) {
    case HF_KEEPER_CLAIMING:
        if (hf_keeper_sent_claims(k)) {
            settle(k, now);
        } else {
            hf_keeper_move_to_idle(k);
            hf_outbox_tell(&k->outbox, HF_TOLD_SETTLED);
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
        hf_keeper_move_to_idle(k);
}

/* Before anything else: an answer must not revive a right that was over when
 * it came, for a caller may have been told so already. */
static void
expire(struct hf_keeper *k, struct hf_instant now)
{
    if (k->state != HF_KEEPER_HELD || !hf_reached(now, k->right_until))
        return;

    if (k->config.terms.if_dead == HF_REFUSE) {
        hf_keeper_move_to(k, HF_KEEPER_IN_DOUBT);
        hf_outbox_tell(&k->outbox, HF_TOLD_IN_DOUBT);
    } else {
        hf_outbox_tell(&k->outbox, HF_TOLD_LOST);
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
        hf_keeper_ask(k, now);
}

static void
on_clock(struct hf_keeper *k, struct hf_instant now)
{
    if (hf_asker_silence(&k->asker, now) == HF_SILENCE_OVER)
        hf_asker_pause(&k->asker, now);
    if (!k->asker.waiting && hf_reached(now, k->asker.again_at))
        hf_keeper_ask(k, now);
}

/* Until grace begins. */
static int64_t
useful_right_ms(const struct hf_keeper_config *config)
{
    return config->terms.ttl.ms - config->margin.ms - config->grace.ms;
}

void
hf_keeper_init(struct hf_keeper *k, const struct hf_keeper_config *config)
{
    struct hf_asker_config patience = {
        .least = config->terms.beat,
        .most = {useful_right_ms(config) / 3},
        .call = hf_keeper_slowest(config),
    };

    HF_CHECK(hf_terms_valid(&config->terms, config->grace));

    *k = (struct hf_keeper){.config = *config};
    hf_asker_init(&k->asker, &patience);
}

struct hf_duration
hf_keeper_slowest(const struct hf_keeper_config *config)
{
    return (struct hf_duration){useful_right_ms(config) / 2};
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
        hf_keeper_answer_verdict(k, &event);
        break;
    case HF_ON_FOUND:
        hf_keeper_answer_found(k, &event);
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
    case HF_ON_WENT_BACK:
        hf_keeper_answer_went_back(k, event.at);
        break;
    case HF_ON_ACQUIRE:
    case HF_ON_EXAMINE:
    case HF_ON_EVIDENCE:
    case HF_ON_CLOCK:
        break;
    }
    on_clock(k, event.at); /* every event tells the time */

    hf_keeper_move_check(k, event.at);
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

struct hf_instant
hf_keeper_deadline(const struct hf_keeper *k)
{
    struct hf_instant deadline = hf_asker_deadline(&k->asker);

    if (k->state == HF_KEEPER_HELD)
        return hf_earlier(deadline, k->right_until);
    return deadline;
}
