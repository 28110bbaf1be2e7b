#include "core/contender.h"

#include "base/check.h"
#include "core/contender_claim.h"
#include "core/contender_judge.h"
#include "core/contender_look.h"
#include "core/contender_move.h"

static bool
keeper_is_working(const struct hf_contender *c)
{
    return c->keeper.state != HF_KEEPER_IDLE;
}

static void
end_at_limit(struct hf_contender *c)
{
    const struct hf_sighting *s = &c->sighting;

    if (c->suspected)
        hf_contender_move_to_end(c, HF_OK, HF_SUSPECTED_DEAD);
    else if (c->failing)
        hf_contender_move_to_end(c, HF_E_UNAVAILABLE, HF_NOT_HELD);
    else if (s->present && s->same_holder && s->beat_seen)
        hf_contender_move_to_end(c, HF_OK, HF_HELD_TOO_LONG);
    else
        hf_contender_move_to_end(c, HF_OK, HF_TIMED_OUT);
}

static void
on_acquire(struct hf_contender *c, struct hf_instant now)
{
    /* Under `try` the limit bounds a place that went away and a claim that
     * will not settle, but not the look for a sign of life. */
    struct hf_duration limit =
        c->try_only ? c->keeper.config.terms.ttl : c->limit;

    c->limit_at = hf_after(now, limit);
    hf_contender_move_to(c, HF_CONTENDER_LOOKING);
    hf_contender_look(c, now);
}

static void
on_stop(struct hf_contender *c, const struct hf_event *event)
{
    switch (c->state) {
    case HF_CONTENDER_IDLE:
    case HF_CONTENDER_LOOKING:
    case HF_CONTENDER_WATCHING:
        hf_contender_move_to_end(c, HF_E_CANCELLED, HF_NOT_HELD);
        break;
    case HF_CONTENDER_CLAIMING:
        hf_contender_claim_leave(c, event->at, HF_E_CANCELLED, HF_NOT_HELD);
        break;
    case HF_CONTENDER_HOLDING:
        hf_contender_claim_leave(c, event->at, HF_OK, HF_NOT_HELD);
        break;
    case HF_CONTENDER_LEAVING:
    case HF_CONTENDER_ENDED:
        break;
    }
}

static void
on_abandon(struct hf_contender *c, const struct hf_event *event)
{
    bool left_behind = keeper_is_working(c);

    if (c->state == HF_CONTENDER_ENDED)
        return;
    if (left_behind)
        hf_contender_claim_step(c, *event);
    hf_contender_move_to_end(c, left_behind ? HF_E_UNKNOWN : HF_E_CANCELLED,
                             HF_NOT_HELD);
}

/* What was seen is not there any more. */
static void
on_went_back(struct hf_contender *c, const struct hf_event *event)
{
    c->claimed_version = 0;
    if (keeper_is_working(c)) {
        hf_contender_claim_step(c, *event);
    } else if (c->state == HF_CONTENDER_LOOKING ||
               c->state == HF_CONTENDER_WATCHING) {
        c->sighting = (struct hf_sighting){0};
        c->suspected = false;
        hf_contender_look(c, event->at);
    }
}

static void
on_clock(struct hf_contender *c, struct hf_instant now)
{
    bool limit_reached = hf_reached(now, c->limit_at);

    switch (c->state) {
    case HF_CONTENDER_CLAIMING:
        if (limit_reached && !hf_contender_claim_may_go_on(c))
            hf_contender_claim_give_up(c, now);
        return;
    case HF_CONTENDER_WATCHING:
        if (limit_reached && (!c->try_only || c->failing)) {
            end_at_limit(c);
            return;
        }
        break;
    case HF_CONTENDER_LOOKING:
        if (limit_reached && c->failing) {
            end_at_limit(c);
            return;
        }
        break;
    case HF_CONTENDER_IDLE:
    case HF_CONTENDER_HOLDING:
    case HF_CONTENDER_LEAVING:
    case HF_CONTENDER_ENDED:
        return;
    }

    hf_contender_look_clock(c, now);
}

void
hf_contender_init(struct hf_contender *c,
                  const struct hf_contender_config *config)
{
    struct hf_keeper_config keeper = {
        .terms = config->terms,
        .grace = config->grace,
        .margin = hf_margin(config->terms.ttl),
    };

    *c = (struct hf_contender){
        .limit = config->limit,
        .try_only = config->try_only,
        .fail_suspected = config->fail_suspected,
        .seed = config->seed,
    };
    hf_keeper_init(&c->keeper, &keeper);
}

void
hf_contender_step(struct hf_contender *c, struct hf_event event)
{
    HF_CHECK(c->outbox.count == 0);

    switch (event.kind) {
    case HF_ON_ACQUIRE:
        on_acquire(c, event.at);
        break;
    case HF_ON_ANSWER:
        if (keeper_is_working(c)) /* else it comes too late */
            hf_contender_claim_step(c, event);
        break;
    case HF_ON_FOUND:
        if (keeper_is_working(c))
            hf_contender_claim_step(c, event);
        else
            hf_contender_judge_found(c, &event);
        break;
    case HF_ON_EVIDENCE:
        hf_contender_judge_evidence(c, &event);
        break;
    case HF_ON_HINT:
        if (keeper_is_working(c))
            hf_contender_claim_step(c, event);
        else
            hf_contender_look_sooner(c, event.at);
        break;
    case HF_ON_RELEASE:
    case HF_ON_CANCEL:
        on_stop(c, &event);
        break;
    case HF_ON_ABANDON:
        on_abandon(c, &event);
        break;
    case HF_ON_WENT_BACK:
        on_went_back(c, &event);
        break;
    case HF_ON_CLOCK:
        break;
    case HF_ON_EXAMINE:
    case HF_ON_CLAIM:
        HF_CHECK(!"an event for another machine");
    }
    if (keeper_is_working(c)) /* every event tells the time */
        hf_contender_claim_step(c, hf_event(HF_ON_CLOCK, event.at));
    on_clock(c, event.at);

    hf_contender_move_check(c);
}

bool
hf_contender_next(struct hf_contender *c, struct hf_effect *effect)
{
    uint8_t entry;

    if (!hf_outbox_take(&c->outbox, &entry))
        return false;

    if (entry == HF_OUTBOX_ASK) {
        *effect = (struct hf_effect){.kind = HF_DO_ASK};
        hf_keeper_request(&c->keeper, &effect->request);
    } else {
        *effect =
            (struct hf_effect){.kind = HF_DO_TELL, .told = (enum hf_told)entry};
    }
    return true;
}

struct hf_instant
hf_contender_deadline(const struct hf_contender *c)
{
    switch (c->state) {
    case HF_CONTENDER_LOOKING:
        if (!c->failing)
            return hf_asker_deadline(&c->keeper.asker);
        return hf_earlier(c->limit_at, hf_asker_deadline(&c->keeper.asker));
    case HF_CONTENDER_WATCHING:
        if (c->try_only)
            return hf_asker_deadline(&c->keeper.asker);
        return hf_earlier(c->limit_at, hf_asker_deadline(&c->keeper.asker));
    case HF_CONTENDER_CLAIMING:
        if (hf_contender_claim_may_go_on(c))
            return hf_keeper_deadline(&c->keeper);
        return hf_earlier(c->limit_at, hf_keeper_deadline(&c->keeper));
    case HF_CONTENDER_HOLDING:
    case HF_CONTENDER_LEAVING:
        return hf_keeper_deadline(&c->keeper);
    case HF_CONTENDER_IDLE:
    case HF_CONTENDER_ENDED:
        break;
    }
    return HF_NEVER;
}

enum hf_outcome
hf_contender_check(const struct hf_contender *c, struct hf_instant now)
{
    const struct hf_keeper *k = &c->keeper;

    if (c->state == HF_CONTENDER_HOLDING) {
        if (k->state == HF_KEEPER_HELD && !hf_reached(now, k->right_until))
            return HF_GRANTED;
        return k->config.terms.if_dead == HF_REFUSE ? HF_IN_DOUBT : HF_LOST;
    }
    return c->outcome == HF_LOST ? HF_LOST : HF_NOT_HELD;
}

bool
hf_contender_asking(const struct hf_contender *c, uint64_t *number)
{
    *number = c->keeper.asker.number;
    return c->keeper.asker.waiting;
}

bool
hf_contender_watching(const struct hf_contender *c, uint64_t *version)
{
    if (c->state != HF_CONTENDER_WATCHING || c->failing)
        return false;
    *version = c->sighting.version;
    return true;
}
