#include "core/contender.h"

#include "base/check.h"

#define BIT(state) (1u << (state))

/*
 * Failed looks after which a place that never answered is unavailable.  If it
 * says so itself, they take a third of a second.  If it is silent, each takes
 * the asker's patience; where a beat is short there must be more of them, for
 * a busy machine may be silent that long.
 */
#define LOOKS_MAX  5
#define SILENCE_MS 2000

/* Without a hint a waiter looks about as often as the holder beats. */
#define LOOK_EVERY_MIN_MS 100
#define LOOK_EVERY_MAX_MS 5000

/* Which states may follow which: the diagram in contender.h, in code. */
static const unsigned allowed[] = {
    [HF_CONTENDER_IDLE] = BIT(HF_CONTENDER_LOOKING) | BIT(HF_CONTENDER_ENDED),
    [HF_CONTENDER_LOOKING] = BIT(HF_CONTENDER_WATCHING) |
                             BIT(HF_CONTENDER_CLAIMING) |
                             BIT(HF_CONTENDER_ENDED),
    [HF_CONTENDER_WATCHING] =
        BIT(HF_CONTENDER_CLAIMING) | BIT(HF_CONTENDER_ENDED),
    [HF_CONTENDER_CLAIMING] =
        BIT(HF_CONTENDER_LOOKING) | BIT(HF_CONTENDER_HOLDING) |
        BIT(HF_CONTENDER_LEAVING) | BIT(HF_CONTENDER_ENDED),
    [HF_CONTENDER_HOLDING] =
        BIT(HF_CONTENDER_LEAVING) | BIT(HF_CONTENDER_ENDED),
    [HF_CONTENDER_LEAVING] = BIT(HF_CONTENDER_ENDED),
    [HF_CONTENDER_ENDED] = 0,
};

static bool
keeper_is_working(const struct hf_contender *c)
{
    return c->keeper.state != HF_KEEPER_IDLE;
}

static void
check_invariants(const struct hf_contender *c)
{
    switch (c->state) {
    case HF_CONTENDER_IDLE:
    case HF_CONTENDER_ENDED:
        HF_CHECK(!keeper_is_working(c));
        HF_CHECK(!c->keeper.asker.waiting);
        break;
    case HF_CONTENDER_LOOKING:
    case HF_CONTENDER_WATCHING:
        HF_CHECK(!keeper_is_working(c));
        HF_CHECK(hf_asker_deadline(&c->keeper.asker).ms != HF_NEVER.ms);
        break;
    case HF_CONTENDER_CLAIMING:
        HF_CHECK(c->keeper.state == HF_KEEPER_CLAIMING ||
                 c->keeper.state == HF_KEEPER_CONFIRMING);
        break;
    case HF_CONTENDER_HOLDING:
        HF_CHECK(c->keeper.state == HF_KEEPER_HELD ||
                 c->keeper.state == HF_KEEPER_IN_DOUBT);
        break;
    case HF_CONTENDER_LEAVING:
        HF_CHECK(c->keeper.state == HF_KEEPER_SETTLING);
        break;
    }
}

static void
move_to(struct hf_contender *c, enum hf_contender_state next)
{
    HF_CHECK(allowed[c->state] & BIT(next));
    c->state = next;
}

static void
tell(struct hf_contender *c, enum hf_told told)
{
    hf_outbox_add(&c->outbox, (uint8_t)told);
}

static void
look(struct hf_contender *c, struct hf_instant now)
{
    c->asked_with = hf_sighting_proof(&c->sighting, now);
    hf_asker_ask(&c->keeper.asker, HF_ASK_READ, now);
    hf_outbox_add(&c->outbox, HF_OUTBOX_ASK);
}

static void
end(struct hf_contender *c, enum hf_status status, enum hf_outcome outcome)
{
    hf_asker_stop(&c->keeper.asker);
    c->status = status;
    c->outcome = outcome;
    move_to(c, HF_CONTENDER_ENDED);
    tell(c, HF_TOLD_ENDED);
}

static void
end_at_limit(struct hf_contender *c)
{
    const struct hf_sighting *s = &c->sighting;

    if (c->suspected)
        end(c, HF_OK, HF_SUSPECTED_DEAD);
    else if (c->failing)
        end(c, HF_E_UNAVAILABLE, HF_NOT_HELD);
    else if (s->present && s->same_holder && s->beat_seen)
        end(c, HF_OK, HF_HELD_TOO_LONG);
    else
        end(c, HF_OK, HF_TIMED_OUT);
}

/* splitmix64 (Steele, Lea, Flood 2014): a bijection, so that no two claims of
 * one contender share an id before the top bit is dropped. */
static uint64_t
next_id(struct hf_contender *c)
{
    uint64_t z = c->seed + ++c->claims * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) & INT64_MAX;
}

static void on_keeper(struct hf_contender *c, struct hf_event event);

static void
claim(struct hf_contender *c, struct hf_instant now, uint64_t version,
      uint64_t over)
{
    c->suspected = false;
    c->claimed_version = version;
    hf_asker_stop(&c->keeper.asker);
    move_to(c, HF_CONTENDER_CLAIMING);
    on_keeper(c, hf_claim(now, (struct hf_claim){next_id(c), version, over}));
}

/* When to look again if nothing hints before. */
static void
watch(struct hf_contender *c, struct hf_instant now)
{
    int64_t every_ms = c->sighting.terms.beat.ms;
    struct hf_instant stale_at = hf_sighting_stale_at(&c->sighting);
    struct hf_instant when;

    if (every_ms < LOOK_EVERY_MIN_MS)
        every_ms = LOOK_EVERY_MIN_MS;
    if (every_ms > LOOK_EVERY_MAX_MS)
        every_ms = LOOK_EVERY_MAX_MS;
    when = hf_after(now, (struct hf_duration){every_ms});
    if (!hf_reached(now, stale_at))
        when = hf_earlier(when, stale_at);
    hf_asker_rest(&c->keeper.asker, when);
}

static void
on_alive(struct hf_contender *c, struct hf_instant now)
{
    const struct hf_sighting *s = &c->sighting;

    /* Who came after our first look, or won against our claim, lives. */
    bool lives = s->beat_seen || s->running || !s->same_holder || c->claims > 0;

    if (c->try_only && lives)
        end(c, HF_OK, HF_TIMED_OUT);
    else if (hf_sighting_proof(s, now) != HF_PROOF_NONE)
        look(c, now); /* proof came while a read was out: it needs its own */
    else
        watch(c, now);
}

static void
on_dead(struct hf_contender *c, enum hf_proof proof, struct hf_instant now)
{
    /* Refused at this version: somebody's marker is in the way. */
    bool blocked = c->sighting.version == c->claimed_version;

    if (c->sighting.terms.if_dead == HF_TAKEOVER && blocked && c->try_only) {
        end(c, HF_OK, HF_TIMED_OUT);
    } else if (c->sighting.terms.if_dead == HF_TAKEOVER && blocked) {
        watch(c, now);
    } else if (c->sighting.terms.if_dead == HF_TAKEOVER) {
        claim(c, now, c->sighting.version, c->sighting.token);
    } else if (proof == HF_PROOF_GONE) {
        end(c, HF_OK, HF_GONE);
    } else if (c->try_only) {
        end(c, HF_OK, HF_SUSPECTED_DEAD);
    } else {
        if (!c->suspected)
            tell(c, HF_TOLD_SUSPECTED);
        c->suspected = true;
        watch(c, now);
    }
}

static void
on_absent(struct hf_contender *c, uint64_t version, struct hf_instant now)
{
    hf_sighting_absent(&c->sighting);
    if (version == c->claimed_version)
        hf_asker_pause(&c->keeper.asker, now);
    else
        claim(c, now, version, 0);
}

static void
on_lock_seen(struct hf_contender *c, const struct hf_sight *sight,
             struct hf_instant now)
{
    bool first = c->sighting.token == 0;
    bool unchanged = hf_sighting_note(&c->sighting, sight, now);

    if (c->state != HF_CONTENDER_WATCHING)
        move_to(c, HF_CONTENDER_WATCHING);
    if (first)
        tell(c, HF_TOLD_WAITING);
    if (!unchanged)
        c->suspected = false;

    if (unchanged && c->asked_with != HF_PROOF_NONE)
        on_dead(c, c->asked_with, now);
    else
        on_alive(c, now);
}

static int64_t
silent_looks_max(const struct hf_contender *c)
{
    int64_t looks = SILENCE_MS / c->keeper.asker.patience.ms;

    if (looks > UINT8_MAX) /* the asker counts no further */
        return UINT8_MAX;
    return looks > LOOKS_MAX ? looks : LOOKS_MAX;
}

static void
on_look_failed(struct hf_contender *c, struct hf_instant now, int64_t most)
{
    c->failing = true;
    hf_asker_pause(&c->keeper.asker, now);
    if (!c->answered && c->keeper.asker.failures >= most)
        end(c, HF_E_UNAVAILABLE, HF_NOT_HELD);
}

static void
on_found(struct hf_contender *c, const struct hf_event *event)
{
    const struct hf_sight *sight = &event->found.sight;

    if (!hf_asker_answered(&c->keeper.asker, event->found.number))
        return;
    if (sight->kind == HF_SIGHT_NONE) {
        on_look_failed(c, event->at, LOOKS_MAX);
        return;
    }

    c->failing = false;
    c->answered = true;
    switch (sight->kind) {
    case HF_SIGHT_LOCK:
        on_lock_seen(c, sight, event->at);
        break;
    case HF_SIGHT_ABSENT:
        on_absent(c, sight->version, event->at);
        break;
    case HF_SIGHT_CORRUPT:
        end(c, HF_E_CORRUPT, HF_NOT_HELD);
        break;
    case HF_SIGHT_NONE:
        break;
    }
}

static void
on_told_by_keeper(struct hf_contender *c, enum hf_told told,
                  struct hf_instant now)
{
    switch (told) {
    case HF_TOLD_NOT_MINE:
        move_to(c, HF_CONTENDER_LOOKING);
        look(c, now);
        break;
    case HF_TOLD_GRANTED:
        move_to(c, HF_CONTENDER_HOLDING);
        tell(c, told);
        break;
    case HF_TOLD_IN_DOUBT:
    case HF_TOLD_CERTAIN:
        tell(c, told);
        break;
    case HF_TOLD_LOST:
        c->outcome = HF_LOST;
        tell(c, told);
        if (c->keeper.state == HF_KEEPER_SETTLING)
            move_to(c, HF_CONTENDER_LEAVING);
        break;
    case HF_TOLD_SETTLED:
        end(c, c->status, c->outcome);
        break;
    case HF_TOLD_WAITING:
    case HF_TOLD_SUSPECTED:
    case HF_TOLD_ENDED:
        HF_CHECK(!"a keeper never tells this");
    }
}

/* Step the keeper, pass its questions on, and take in what it tells. */
static void
on_keeper(struct hf_contender *c, struct hf_event event)
{
    uint8_t entry;

    hf_keeper_step(&c->keeper, event);
    while (hf_outbox_take(&c->keeper.outbox, &entry)) {
        if (entry == HF_OUTBOX_ASK)
            hf_outbox_add(&c->outbox, entry);
        else
            on_told_by_keeper(c, (enum hf_told)entry, event.at);
    }
}

/* Give up or give back: the keeper settles what it has. */
static void
leave(struct hf_contender *c, struct hf_instant now, enum hf_status status,
      enum hf_outcome outcome)
{
    c->status = status;
    c->outcome = outcome;
    on_keeper(c, hf_event(HF_ON_RELEASE, now));
    if (c->keeper.state == HF_KEEPER_SETTLING &&
        c->state != HF_CONTENDER_LEAVING)
        move_to(c, HF_CONTENDER_LEAVING);
}

static void
on_stop(struct hf_contender *c, const struct hf_event *event)
{
    switch (c->state) {
    case HF_CONTENDER_IDLE:
    case HF_CONTENDER_LOOKING:
    case HF_CONTENDER_WATCHING:
        end(c, HF_E_CANCELLED, HF_NOT_HELD);
        break;
    case HF_CONTENDER_CLAIMING:
        leave(c, event->at, HF_E_CANCELLED, HF_NOT_HELD);
        break;
    case HF_CONTENDER_HOLDING:
        leave(c, event->at, HF_OK, HF_NOT_HELD);
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
        on_keeper(c, *event);
    end(c, left_behind ? HF_E_UNKNOWN : HF_E_CANCELLED, HF_NOT_HELD);
}

static void
on_acquire(struct hf_contender *c, struct hf_instant now)
{
    /* Under `try` the limit bounds a place that went away and a claim that
     * will not settle, but not the look for a sign of life. */
    struct hf_duration limit =
        c->try_only ? c->keeper.config.terms.ttl : c->limit;

    c->limit_at = hf_after(now, limit);
    move_to(c, HF_CONTENDER_LOOKING);
    look(c, now);
}

/* A claim on its way gets its answer; one whose answer was lost, one which has
 * no right yet, and one that the store was not there to take, is given up. */
static bool
claim_may_go_on(const struct hf_contender *c)
{
    return c->keeper.state == HF_KEEPER_CLAIMING && !c->keeper.unsettled &&
           c->keeper.asker.waiting;
}

static void
give_up_claim(struct hf_contender *c, struct hf_instant now)
{
    bool nothing_done =
        c->keeper.state == HF_KEEPER_CLAIMING && !c->keeper.unsettled;

    if (nothing_done)
        leave(c, now, HF_E_UNAVAILABLE, HF_NOT_HELD);
    else
        leave(c, now, HF_OK, HF_TIMED_OUT);
}

static void
on_clock(struct hf_contender *c, struct hf_instant now)
{
    bool limit_reached = hf_reached(now, c->limit_at);

    switch (c->state) {
    case HF_CONTENDER_CLAIMING:
        if (limit_reached && !claim_may_go_on(c))
            give_up_claim(c, now);
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

    if (hf_asker_overdue(&c->keeper.asker, now))
        on_look_failed(c, now, silent_looks_max(c));
    if (!c->keeper.asker.waiting && hf_reached(now, c->keeper.asker.again_at))
        look(c, now);
}

/* Look now, unless the read that is out would show as much. */
static void
look_sooner(struct hf_contender *c, struct hf_instant now)
{
    if (c->state == HF_CONTENDER_WATCHING && !c->keeper.asker.waiting &&
        !c->failing)
        look(c, now);
}

static void
on_evidence(struct hf_contender *c, const struct hf_event *event)
{
    bool known = c->sighting.gone;

    if (c->state != HF_CONTENDER_WATCHING)
        return;
    hf_sighting_evidence(&c->sighting, event->evidence.version,
                         event->evidence.gone);
    if (c->sighting.gone && !known)
        look_sooner(c, event->at); /* once: a shell may say it again */
    else if (c->try_only && c->sighting.running)
        end(c, HF_OK, HF_TIMED_OUT);
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
            on_keeper(c, event);
        break;
    case HF_ON_FOUND:
        if (keeper_is_working(c))
            on_keeper(c, event);
        else
            on_found(c, &event);
        break;
    case HF_ON_EVIDENCE:
        on_evidence(c, &event);
        break;
    case HF_ON_HINT:
        if (keeper_is_working(c))
            on_keeper(c, event);
        else
            look_sooner(c, event.at);
        break;
    case HF_ON_RELEASE:
    case HF_ON_CANCEL:
        on_stop(c, &event);
        break;
    case HF_ON_ABANDON:
        on_abandon(c, &event);
        break;
    case HF_ON_CLOCK:
        break;
    case HF_ON_EXAMINE:
    case HF_ON_CLAIM:
        HF_CHECK(!"an event for another machine");
    }
    if (keeper_is_working(c)) /* every event tells the time */
        on_keeper(c, hf_event(HF_ON_CLOCK, event.at));
    on_clock(c, event.at);

    check_invariants(c);
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
        return hf_asker_deadline(&c->keeper.asker);
    case HF_CONTENDER_WATCHING:
        if (c->try_only)
            return hf_asker_deadline(&c->keeper.asker);
        return hf_earlier(c->limit_at, hf_asker_deadline(&c->keeper.asker));
    case HF_CONTENDER_CLAIMING:
        if (claim_may_go_on(c))
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
hf_contender_watching(const struct hf_contender *c, uint64_t *version)
{
    if (c->state != HF_CONTENDER_WATCHING || c->failing)
        return false;
    *version = c->sighting.version;
    return true;
}
