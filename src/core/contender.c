#include "core/contender.h"

#include "base/check.h"

/* Failed looks after which a place that never answered is unavailable.  A place
 * that says so itself takes a third of a second for them.  A silent one takes
 * as long for each as its terms allow; where that is short, more looks are
 * needed, since a busy machine may be silent for SILENCE_MS. */
#define LOOKS_MAX  5
#define SILENCE_MS 2000

/* How long a try waits for a place that does not answer, or takes no claim.  It
 * waits for a sign of life to its limit. */
#define TRY_MS 2000

/* Without a hint a waiter looks about as often as the holder beats. */
#define LOOK_EVERY_MIN_MS 100
#define LOOK_EVERY_MAX_MS 5000

/* ---- Moves --------------------------------------------------------------- */

#define BIT(state) (1u << (state))

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

static void
move_to(struct hf_contender *c, enum hf_contender_state next)
{
    HF_CHECK(allowed[c->state] & BIT(next));
    c->state = next;
}

/* End with this status, and tell. */
static void
end(struct hf_contender *c, enum hf_status status, enum hf_outcome outcome)
{
    hf_question_stop(&c->keeper.question);
    c->status = status;
    c->outcome = outcome;
    move_to(c, HF_CONTENDER_ENDED);
    hf_outbox_notify(&c->outbox, HF_NOTICE_ENDED);
}

/* The invariants after every step. */
static void
check_invariants(const struct hf_contender *c)
{
    switch (c->state) {
    case HF_CONTENDER_IDLE:
    case HF_CONTENDER_ENDED:
        HF_CHECK(c->keeper.state == HF_KEEPER_IDLE);
        HF_CHECK(!c->keeper.question.waiting);
        break;
    case HF_CONTENDER_LOOKING:
    case HF_CONTENDER_WATCHING:
        HF_CHECK(c->keeper.state == HF_KEEPER_IDLE);
        HF_CHECK(hf_question_deadline(&c->keeper.question).ms != HF_NEVER.ms);
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

/* From now on a try waits for the place, or for a holder: set the time. */
static void
limit_try(struct hf_contender *c, struct hf_instant now)
{
    int64_t most_ms = TRY_MS;

    if (c->state == HF_CONTENDER_WATCHING)
        most_ms = c->limit.ms;
    else if (c->state == HF_CONTENDER_LOOKING)
        most_ms -= c->silent.ms < TRY_MS ? c->silent.ms : TRY_MS;
    if (c->try_only && c->limit.ms > TRY_MS)
        c->limit_at = hf_after(now, (struct hf_duration){most_ms});
}

/* ---- Looking ------------------------------------------------------------- */

/* Look now, and remember what this read would prove about the holder. */
static void
look(struct hf_contender *c, struct hf_instant now)
{
    c->asked_with = hf_evidence_proof(&c->evidence, now);
    hf_question_ask(&c->keeper.question, HF_ASK_READ, now);
    hf_outbox_add(&c->outbox, HF_OUTBOX_ASK);
}

/* Somebody holds it: look again about as often as a holder beats, unless there
 * is a reason to look before, as after `soon`; a clock that stands still makes
 * nobody look all the time. */
static void
look_later(struct hf_contender *c, struct hf_duration soon,
           struct hf_instant now)
{
    int64_t every_ms = c->evidence.terms.beat.ms;
    struct hf_instant stale_at = hf_evidence_stale_at(&c->evidence);
    struct hf_instant when;

    if (every_ms < LOOK_EVERY_MIN_MS)
        every_ms = LOOK_EVERY_MIN_MS;
    if (every_ms > LOOK_EVERY_MAX_MS)
        every_ms = LOOK_EVERY_MAX_MS;
    when = hf_after(now, (struct hf_duration){every_ms});
    if (!hf_reached(now, stale_at))
        when = hf_earlier(when, stale_at);
    if (soon.ms < LOOK_EVERY_MIN_MS)
        soon.ms = LOOK_EVERY_MIN_MS;
    when = hf_earlier(when, hf_after(now, soon));
    hf_question_rest(&c->keeper.question, when);
}

/* There may be news: look now, unless the read that is out is as good. */
static void
look_sooner(struct hf_contender *c, struct hf_instant now)
{
    if (c->state == HF_CONTENDER_WATCHING && !c->keeper.question.waiting &&
        !c->failing)
        look(c, now);
}

static int64_t
silent_looks_max(const struct hf_contender *c)
{
    int64_t looks = 1 + SILENCE_MS / c->keeper.question.config.call.ms;

    return looks > UINT8_MAX ? UINT8_MAX : looks; /* counted no further */
}

/* A look failed: try again after a pause.  End if `most` failed in a row and
 * the place has never answered. */
static void
look_failed(struct hf_contender *c, struct hf_instant now, int64_t most)
{
    c->failing = true;
    hf_question_pause(&c->keeper.question, now);
    if (!c->answered && !c->waits_for_place &&
        c->keeper.question.failures >= most)
        end(c, HF_E_UNAVAILABLE, HF_NOT_HELD);
}

/* LOOKING or WATCHING: drop a look that is overdue, send one that is due. */
static void
look_when_due(struct hf_contender *c, struct hf_instant now)
{
    switch (hf_question_silence(&c->keeper.question, now)) {
    case HF_SILENCE_LATE:
        if (!c->answered)
            c->failing = true; /* as far as is known */
        break;
    case HF_SILENCE_OVER:
        look_failed(c, now, silent_looks_max(c));
        break;
    case HF_SILENCE_NONE:
        break;
    }
    if (!c->keeper.question.waiting &&
        hf_reached(now, c->keeper.question.again_at))
        look(c, now);
}

/* ---- Claiming ------------------------------------------------------------ */

/* splitmix64 (Steele, Lea, Flood 2014): a bijection, so that no two claims of
 * one contender share an id before the top bit is dropped. */
static uint64_t
id_of(const struct hf_contender *c, uint64_t number)
{
    uint64_t z = c->seed + number * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) & INT64_MAX;
}

static void
on_notice(struct hf_contender *c, enum hf_notice_kind notice,
          struct hf_instant now)
{
    switch (notice) {
    case HF_NOTICE_NOT_MINE:
        move_to(c, HF_CONTENDER_LOOKING);
        look(c, now);
        break;
    case HF_NOTICE_GRANTED:
        move_to(c, HF_CONTENDER_HOLDING);
        hf_outbox_notify(&c->outbox, notice);
        break;
    case HF_NOTICE_IN_DOUBT:
    case HF_NOTICE_CERTAIN:
        hf_outbox_notify(&c->outbox, notice);
        break;
    case HF_NOTICE_LOST:
        c->outcome = HF_LOST;
        hf_outbox_notify(&c->outbox, notice);
        if (c->keeper.state == HF_KEEPER_SETTLING)
            move_to(c, HF_CONTENDER_LEAVING);
        break;
    case HF_NOTICE_SETTLED:
        end(c, c->status, c->outcome);
        break;
    case HF_NOTICE_WAITING:
    case HF_NOTICE_SUSPECTED:
    case HF_NOTICE_ENDED:
        HF_CHECK(!"a keeper never tells this");
    }
}

/* Step the keeper, pass its questions on, and take its notices. */
static void
step_keeper(struct hf_contender *c, struct hf_event event)
{
    uint8_t entry;

    hf_keeper_step(&c->keeper, event);
    while (hf_outbox_take(&c->keeper.outbox, &entry)) {
        if (entry == HF_OUTBOX_ASK)
            hf_outbox_add(&c->outbox, entry);
        else
            on_notice(c, (enum hf_notice_kind)entry, event.at);
    }
}

static void
claim(struct hf_contender *c, struct hf_instant now, struct hf_claim claim)
{
    c->suspected = false;
    c->claimed_version = claim.version;
    hf_question_stop(&c->keeper.question);
    move_to(c, HF_CONTENDER_CLAIMING);
    limit_try(c, now);
    step_keeper(c, hf_claim(now, claim));
}

/* A look showed the lock at `version`: absent, or a dead holder's, whose token
 * is `over`; 0: absent. */
static void
claim_seen(struct hf_contender *c, struct hf_instant now, uint64_t version,
           uint64_t over)
{
    uint64_t id = id_of(c, ++c->claims);

    claim(c, now, (struct hf_claim){id, version, over});
}

/* Without a look: so it is not counted, and who has the lock instead need not
 * have come just now. */
static void
claim_left(struct hf_contender *c, struct hf_instant now, uint64_t version)
{
    claim(c, now, (struct hf_claim){id_of(c, 0), version, 0});
}

/* Give up or give back.  The contender ends with this when the keeper has
 * settled. */
static void
leave(struct hf_contender *c, struct hf_instant now, enum hf_status status,
      enum hf_outcome outcome)
{
    c->status = status;
    c->outcome = outcome;
    step_keeper(c, hf_event(HF_ON_RELEASE, now));
    if (c->keeper.state == HF_KEEPER_SETTLING &&
        c->state != HF_CONTENDER_LEAVING)
        move_to(c, HF_CONTENDER_LEAVING);
}

/* CLAIMING: may the claim go on past the limit?  The limit bounds the wait for
 * a lock, not for the answer that may say it was acquired.  A claim is given up
 * if its answer was lost, if it has no right yet, or if the store could not
 * take it. */
static bool
claim_may_go_on(const struct hf_contender *c)
{
    return c->keeper.state == HF_KEEPER_CLAIMING &&
           !hf_keeper_unsettled(&c->keeper) && c->keeper.question.waiting;
}

/* The lock was free; only the place was in the way. */
static void
give_claim_up(struct hf_contender *c, struct hf_instant now)
{
    struct hf_duration took = c->keeper.question.took;

    if (c->keeper.state == HF_KEEPER_CONFIRMING &&
        took.ms >= hf_keeper_slowest(&c->keeper.config).ms)
        c->too_slow = took;
    leave(c, now, HF_E_UNAVAILABLE, HF_NOT_HELD);
}

/* ---- Judging ------------------------------------------------------------- */

/* A holder that came after our first look, or beat our claim, is alive. */
static enum hf_life
life_of(const struct hf_contender *c, const struct hf_evidence *e)
{
    if (e->beat_seen)
        return HF_LIFE_BEATING;
    return e->running || !e->same_holder || c->claims > 0 ? HF_LIFE_RUNNING
                                                          : HF_LIFE_UNKNOWN;
}

/* Does this blocker, or the limit, end the wait? */
static bool
ends_by(struct hf_contender *c, const struct hf_blocker *blocker, bool is_over)
{
    const struct hf_wait wait = {
        .try_only = c->try_only,
        .fail_suspected = c->fail_suspected,
        .is_over = is_over,
    };
    enum hf_status status;
    enum hf_outcome outcome;

    if (!hf_outcome_of_wait(&wait, blocker, &status, &outcome))
        return false;
    end(c, status, outcome);
    return true;
}

static bool
ends_by_life(struct hf_contender *c, enum hf_life life)
{
    const struct hf_blocker holder = {
        .kind = HF_BLOCKER_HOLDER,
        .life = life,
        .if_dead = c->evidence.terms.if_dead,
    };

    return ends_by(c, &holder, false);
}

static void
on_alive(struct hf_contender *c, const struct hf_sight *sight,
         struct hf_instant now)
{
    if (ends_by_life(c, life_of(c, &c->evidence)))
        return;
    if (hf_evidence_proof(&c->evidence, now) != HF_PROOF_NONE)
        /* It came while a read was out, and needs a read of its own. */
        look(c, now);
    else
        look_later(c, hf_evidence_stamp_in(sight), now);
}

static void
on_dead(struct hf_contender *c, enum hf_proof proof, struct hf_instant now)
{
    bool takeover = c->evidence.terms.if_dead == HF_TAKEOVER;
    enum hf_life life =
        proof == HF_PROOF_GONE ? HF_LIFE_GONE : HF_LIFE_SUSPECTED;

    if (takeover && c->evidence.version != c->claimed_version) {
        claim_seen(c, now, c->evidence.version, c->evidence.token);
        return;
    }
    if (takeover) /* refused at this version: the marker in the way says by
                     whom */
        life = HF_LIFE_RUNNING;
    if (ends_by_life(c, life))
        return;
    if (!takeover && !c->suspected)
        hf_outbox_notify(&c->outbox, HF_NOTICE_SUSPECTED);
    c->suspected = !takeover;
    look_later(c, HF_FOREVER, now);
}

static void
on_absent(struct hf_contender *c, uint64_t version, struct hf_instant now)
{
    hf_evidence_absent(&c->evidence);
    if (version == c->claimed_version)
        hf_question_pause(&c->keeper.question, now);
    else
        claim_seen(c, now, version, 0);
}

static void
on_lock_seen(struct hf_contender *c, const struct hf_sight *sight,
             struct hf_instant now)
{
    bool first = c->evidence.token == 0;
    bool unchanged = hf_evidence_lock(&c->evidence, sight, now);

    if (c->state != HF_CONTENDER_WATCHING) {
        move_to(c, HF_CONTENDER_WATCHING);
        limit_try(c, now);
    }
    if (first)
        hf_outbox_notify(&c->outbox, HF_NOTICE_WAITING);
    if (!unchanged)
        c->suspected = false;

    if (unchanged && c->asked_with != HF_PROOF_NONE)
        on_dead(c, c->asked_with, now);
    else if (hf_evidence_by_stamp(sight))
        on_dead(c, HF_PROOF_UNCHANGED, now);
    else
        on_alive(c, sight, now);
}

/* An answer to a look; late ones are ignored. */
static void
on_found(struct hf_contender *c, const struct hf_event *event)
{
    const struct hf_sight *sight = &event->found.sight;

    if (!hf_question_answered(&c->keeper.question, event->found.number))
        return;
    if (sight->kind == HF_SIGHT_NONE) {
        look_failed(c, event->at, LOOKS_MAX);
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
on_processes(struct hf_contender *c, const struct hf_event *event)
{
    bool known = c->evidence.gone;

    if (c->state != HF_CONTENDER_WATCHING)
        return;
    hf_evidence_processes(&c->evidence, event->processes.version,
                          event->processes.gone);
    if (c->evidence.gone && !known) /* tell once: the shell may repeat it */
        look_sooner(c, event->at);
    else if (c->evidence.running)
        (void)ends_by_life(c, HF_LIFE_RUNNING);
}

/* ---- What the shell wants ------------------------------------------------ */

static bool
keeper_is_working(const struct hf_contender *c)
{
    return c->keeper.state != HF_KEEPER_IDLE;
}

static void
end_at_limit(struct hf_contender *c)
{
    struct hf_blocker blocker = hf_contender_blocker(c, &c->evidence);

    (void)ends_by(c, &blocker, true);
}

static void
on_acquire(struct hf_contender *c, struct hf_instant now)
{
    uint64_t left = c->left;

    c->left = 0;
    c->limit_at = hf_after(now, c->limit);
    move_to(c, HF_CONTENDER_LOOKING);
    limit_try(c, now);
    if (left != 0 && !c->try_only) /* a claim without an answer takes longer */
        claim_left(c, now, left);
    else
        look(c, now);
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
        step_keeper(c, *event);
    end(c, left_behind ? HF_E_UNKNOWN : HF_E_CANCELLED, HF_NOT_HELD);
}

/* The place went back: what was seen may not be there. */
static void
on_went_back(struct hf_contender *c, const struct hf_event *event)
{
    c->claimed_version = 0;
    if (keeper_is_working(c)) {
        step_keeper(c, *event);
    } else if (c->state == HF_CONTENDER_LOOKING ||
               c->state == HF_CONTENDER_WATCHING) {
        c->evidence = (struct hf_evidence){0};
        c->suspected = false;
        look(c, event->at);
    }
}

static void
on_clock(struct hf_contender *c, struct hf_instant now)
{
    bool limit_reached = hf_reached(now, c->limit_at);

    switch (c->state) {
    case HF_CONTENDER_CLAIMING:
        if (limit_reached && !claim_may_go_on(c))
            give_claim_up(c, now);
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

    look_when_due(c, now);
}

/* ---- A contender --------------------------------------------------------- */

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
        .waits_for_place = config->waits_for_place,
        .silent = config->silent,
        .failing = config->silent.ms > 0,
        .seed = config->seed,
    };
    hf_keeper_init(&c->keeper, &keeper);
}

void
hf_contender_inherit(struct hf_contender *c, const struct hf_evidence *evidence)
{
    HF_CHECK(c->state == HF_CONTENDER_IDLE);
    c->evidence = *evidence;
    c->answered = true;
}

void
hf_contender_return(struct hf_contender *c, uint64_t version)
{
    HF_CHECK(c->state == HF_CONTENDER_IDLE);
    c->left = version;
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
        if (keeper_is_working(c)) /* otherwise too late */
            step_keeper(c, event);
        break;
    case HF_ON_FOUND:
        if (keeper_is_working(c))
            step_keeper(c, event);
        else
            on_found(c, &event);
        break;
    case HF_ON_PROCESSES:
        on_processes(c, &event);
        break;
    case HF_ON_HINT:
        if (keeper_is_working(c))
            step_keeper(c, event);
        else
            look_sooner(c, event.at);
        break;
    case HF_ON_WRITE:
        if (keeper_is_working(c))
            step_keeper(c, event);
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
        step_keeper(c, hf_event(HF_ON_CLOCK, event.at));
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
        *effect = (struct hf_effect){.kind = HF_DO_NOTIFY,
                                     .notice = (enum hf_notice_kind)entry};
    }
    return true;
}

struct hf_instant
hf_contender_deadline(const struct hf_contender *c)
{
    switch (c->state) {
    case HF_CONTENDER_LOOKING:
        if (!c->failing)
            return hf_question_deadline(&c->keeper.question);
        return hf_earlier(c->limit_at,
                          hf_question_deadline(&c->keeper.question));
    case HF_CONTENDER_WATCHING:
        if (c->try_only)
            return hf_question_deadline(&c->keeper.question);
        return hf_earlier(c->limit_at,
                          hf_question_deadline(&c->keeper.question));
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

struct hf_blocker
hf_contender_blocker(const struct hf_contender *c, const struct hf_evidence *e)
{
    struct hf_blocker blocker = {
        .life = c->suspected ? HF_LIFE_SUSPECTED : life_of(c, e),
        .if_dead = e->terms.if_dead,
        .since = e->same_holder ? (struct hf_instant){INT64_MIN} : HF_NEVER,
    };

    if (c->suspected || (!c->failing && e->present))
        blocker.kind = HF_BLOCKER_HOLDER;
    else if (c->failing)
        blocker.kind = HF_BLOCKER_PLACE;
    return blocker;
}

bool
hf_contender_asking(const struct hf_contender *c, uint64_t *number)
{
    *number = c->keeper.question.number;
    return c->keeper.question.waiting;
}

bool
hf_contender_watching(const struct hf_contender *c, uint64_t *version)
{
    if (c->state != HF_CONTENDER_WATCHING || c->failing)
        return false;
    *version = c->evidence.version;
    return true;
}
