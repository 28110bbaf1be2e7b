#include "core/leader.h"

#include "base/check.h"

/* The first fence, if there was no head before. */
#define FENCE_FIRST 1

/* ---- Moves --------------------------------------------------------------- */

#define BIT(state) (1u << (state))

/* Which states may follow which: the diagram in leader.h, in code. */
static const unsigned allowed[] = {
    [HF_LEADER_IDLE] = BIT(HF_LEADER_SEEKING),
    [HF_LEADER_SEEKING] =
        BIT(HF_LEADER_LEADING) | BIT(HF_LEADER_LEAVING) | BIT(HF_LEADER_IDLE),
    [HF_LEADER_LEADING] = BIT(HF_LEADER_LEAVING) | BIT(HF_LEADER_IDLE),
    [HF_LEADER_LEAVING] = BIT(HF_LEADER_IDLE),
};

static void
move_to(struct hf_leader *l, enum hf_leader_state next)
{
    HF_CHECK(allowed[l->state] & BIT(next));
    l->state = next;
}

static enum hf_leader_state
state_of(const struct hf_contender *c)
{
    switch (c->state) {
    case HF_CONTENDER_LOOKING:
    case HF_CONTENDER_WATCHING:
    case HF_CONTENDER_CLAIMING:
        return HF_LEADER_SEEKING;
    case HF_CONTENDER_HOLDING:
        return HF_LEADER_LEADING;
    case HF_CONTENDER_LEAVING:
        return HF_LEADER_LEAVING;
    case HF_CONTENDER_IDLE:
    case HF_CONTENDER_ENDED:
        break;
    }
    return HF_LEADER_IDLE;
}

/* The invariants after every step. */
static void
check_invariants(const struct hf_leader *l)
{
    const struct hf_keeper *k = &l->contender.keeper;

    HF_CHECK(l->state == state_of(&l->contender));
    HF_CHECK(l->batch.version == 0 || l->batch.next_fence >= l->next_fence);
    if (l->state == HF_LEADER_LEADING) {
        HF_CHECK(k->token != 0);
        HF_CHECK(l->batch.version <= k->version);
    }
}

/* ---- The contender ------------------------------------------------------- */

/* Follow the contender's state, and tell.  News of a batch come first. */
static void
follow(struct hf_leader *l)
{
    enum hf_leader_state next = state_of(&l->contender);
    enum hf_leader_state last = l->state;

    if (next == last)
        return;
    move_to(l, next);
    l->served_until = HF_NEVER;
    if (last == HF_LEADER_LEADING)
        hf_outbox_add(&l->outbox, HF_LEADER_OVER);
    if (next == HF_LEADER_LEADING)
        hf_outbox_add(&l->outbox, HF_LEADER_LEADS);
    if (next == HF_LEADER_IDLE)
        hf_outbox_add(&l->outbox, HF_LEADER_ENDED);
}

/* Pass the contender's questions on; its notices are read from its state. */
static void
take_questions(struct hf_leader *l)
{
    uint8_t entry;

    while (hf_outbox_take(&l->contender.outbox, &entry))
        if (entry == HF_OUTBOX_ASK)
            l->asks = true;
}

/* Was the batch of `version` applied with the head?  One more beat of this
 * claim proves it, whether an answer or a read shows that. */
static void
note_applied(struct hf_leader *l, uint64_t version, uint64_t count)
{
    const struct hf_keeper *k = &l->contender.keeper;

    if (l->batch.version == 0 || l->batch.version != version ||
        k->version <= version || k->heartbeat.count != count + 1)
        return;
    l->next_fence = l->batch.next_fence;
    l->batch.version = 0;
    if (l->batch.number == 0 || state_of(&l->contender) != HF_LEADER_LEADING)
        return;
    l->applied = l->batch.number;
    hf_outbox_add(&l->outbox, HF_LEADER_APPLIED);
}

static void
step_contender(struct hf_leader *l, struct hf_event event)
{
    const struct hf_keeper *k = &l->contender.keeper;
    uint64_t version = k->version;
    uint64_t count = k->heartbeat.count;

    hf_contender_step(&l->contender, event);
    note_applied(l, version, count);
    follow(l);
    take_questions(l);
}

/* ---- What was forgotten -------------------------------------------------- */

/* Until when a client may still believe in lost grants. */
static struct hf_instant
believed_until(const struct hf_leader *l)
{
    return hf_after(l->owed_at, l->max_ttl);
}

/* The former leader may have granted until it noticed: for as long as a silent
 * leader lasts. */
struct hf_instant
hf_leader_grace_until(const struct hf_leader *l)
{
    if (!l->owes)
        return l->grace_until;
    return hf_later(l->grace_until,
                    hf_after(believed_until(l), l->config.terms.ttl));
}

static void
owe(struct hf_leader *l, struct hf_instant at)
{
    l->owes = true;
    l->owed_at = at;
}

/* Has another leader served the grace? */
static bool
is_paid(const struct hf_leader *l, const struct hf_head_state *head)
{
    return head->next_fence != 0 &&
           hf_reached(hf_after(l->now, head->grace), believed_until(l));
}

/* Take over the members of a head that may be claimed, or that were left in its
 * place. */
static void
take_in(struct hf_leader *l, const struct hf_head_state *head)
{
    struct hf_duration here = hf_longer(l->config.max_ttl, head->max_ttl);

    if (head->forgot && !l->forgot) /* a loss may be told for ever */
        owe(l, l->now);
    l->forgot = head->forgot;
    l->service = head->service; /* also 0, if there is no head */
    l->begun_ms = head->next_fence == 0 && l->owes ? 0 : head->begun_ms;
    l->max_ttl = l->owes ? hf_longer(l->max_ttl, here) : here;
    l->served = l->state == HF_LEADER_LEAVING
                    ? hf_longer(l->served, head->served)
                    : head->served;
    if (l->owes && is_paid(l, head))
        l->owes = false;
}

void
hf_leader_loaded(struct hf_leader *l, struct hf_instant now,
                 struct hf_duration longest)
{
    struct hf_duration promised = hf_longer(l->config.max_ttl, longest);

    HF_CHECK(l->state == HF_LEADER_LEADING);
    l->now = hf_later(l->now, now);
    l->max_ttl = hf_longer(l->max_ttl, promised);
    l->grace_until = hf_leader_grace_until(l);
    l->owes = false;
    l->served_until = l->now;
    if (hf_reached(l->now, l->grace_until))
        l->max_ttl = promised; /* no client can believe in it any more */
}

/* ---- The time that leaders served ---------------------------------------- */

/* Count the time since the last batch, if it serves [S10]. */
static void
count_served(struct hf_leader *l)
{
    if (l->served_until.ms == HF_NEVER.ms)
        return;
    l->served.ms += hf_between(l->served_until, l->now).ms;
    l->served_until = l->now;
}

/* Its head without a node counts all of its time: but for that in which its
 * right was over, as of one that stood still. */
static void
count_last_served(struct hf_leader *l)
{
    if (!hf_reached(l->now, l->contender.keeper.right_until))
        count_served(l);
}

/* ---- A batch that is not there ------------------------------------------- */

/* An answer is about the version for which its write was sent. */
static bool
refuses_the_batch(const struct hf_leader *l, const struct hf_event *event)
{
    const struct hf_sent *sent;

    if (event->kind != HF_ON_ANSWER || event->answer.verdict != HF_REFUSED)
        return false;
    sent =
        hf_inflight_find(&l->contender.keeper.inflight, event->answer.number);
    return sent != NULL && sent->kind == HF_ASK_BEAT &&
           sent->version == l->batch.version;
}

/* The batch was refused, the head is ours, and the batch is not in it: the
 * store contradicts this node.  Or another process wrote a head with our claim
 * and a count that is not ours. */
static bool
is_refuted(const struct hf_leader *l, uint64_t version)
{
    const struct hf_keeper *k = &l->contender.keeper;

    if (l->state != HF_LEADER_LEADING || l->batch.version == 0)
        return false;
    return (l->batch.refused && !k->must_read) || k->version != version;
}

void
hf_leader_step(struct hf_leader *l, struct hf_event event)
{
    uint64_t version = l->contender.keeper.version;

    HF_CHECK(l->outbox.count == 0 && !l->asks);
    l->now = hf_later(l->now, event.at);
    if (event.kind == HF_ON_WENT_BACK)
        owe(l, l->now);
    if (l->state == HF_LEADER_IDLE)
        return; /* too late */
    if (event.kind == HF_ON_RELEASE)
        count_last_served(l);
    if (l->state == HF_LEADER_LEADING && refuses_the_batch(l, &event))
        l->batch.refused = true;

    step_contender(l, event);
    if (is_refuted(l, version))
        step_contender(l, hf_event(HF_ON_RELEASE, event.at));
    check_invariants(l);
}

/* ---- What a read showed -------------------------------------------------- */

/* The head's version as far as known; 0: unknown. */
static uint64_t
known_version(const struct hf_contender *c)
{
    if (c->keeper.state != HF_KEEPER_IDLE)
        return c->keeper.version;
    return c->evidence.present ? c->evidence.version : 0;
}

/* A version never comes back, so the place did.  Its head was replaced where it
 * stood, since nobody was told of another. */
static bool
went_back(const struct hf_leader *l, uint64_t number,
          const struct hf_sight *sight)
{
    uint64_t asked;

    return hf_contender_asking(&l->contender, &asked) && asked == number &&
           sight->version < known_version(&l->contender);
}

/* A head that replaces this one has no lower fence and no shorter grace: also
 * if the place went back, and it is unknown which batches it has. */
static void
keep_what_it_says(struct hf_leader *l, const struct hf_head_state *head)
{
    if (l->state != HF_LEADER_LEAVING)
        return;
    l->grace_until = hf_later(l->grace_until, hf_after(l->now, head->grace));
    take_in(l, head);
    if (head->next_fence <= l->next_fence)
        return;
    l->next_fence = head->next_fence;
    l->batch = (struct hf_leader_batch){0};
}

void
hf_leader_found(struct hf_leader *l, struct hf_instant now, uint64_t number,
                struct hf_sight sight, struct hf_head_state head)
{
    const struct hf_keeper *k = &l->contender.keeper;
    bool claimed = k->state != HF_KEEPER_IDLE;
    bool shown = sight.kind == HF_SIGHT_LOCK || sight.kind == HF_SIGHT_ABSENT;

    l->now = hf_later(l->now, now);
    if (shown && went_back(l, number, &sight))
        owe(l, l->now);
    if (shown && !claimed && l->state == HF_LEADER_SEEKING)
        take_in(l, &head);
    if (sight.kind == HF_SIGHT_LOCK && (!head.led || (!claimed && l->owes)))
        sight = (struct hf_sight){.kind = HF_SIGHT_ABSENT,
                                  .version = sight.version};
    hf_leader_step(l, hf_found(now, number, sight));
    if (shown)
        keep_what_it_says(l, &head);

    /* The contender claims the version it was just shown. */
    if (claimed || k->state != HF_KEEPER_CLAIMING)
        return;
    l->batch = (struct hf_leader_batch){0};
    l->next_fence = head.next_fence == 0 ? FENCE_FIRST : head.next_fence;
    l->grace_until = hf_later(l->owes ? l->grace_until : l->now,
                              hf_after(l->now, head.grace));
    if (l->service == 0)
        l->service = k->heartbeat.id; /* a service is named by its first
                                         claim */
}

/* ---- What is written ----------------------------------------------------- */

/* Is the next question the first write at its version? */
static bool
is_to_be_fixed(const struct hf_leader *l)
{
    const struct hf_keeper *k = &l->contender.keeper;

    return l->asks && k->question.kind == HF_ASK_BEAT &&
           l->batch.version != k->version;
}

void
hf_leader_fix(struct hf_leader *l, uint64_t number, uint64_t next_fence)
{
    HF_CHECK(is_to_be_fixed(l));
    HF_CHECK(number == 0 || next_fence >= l->next_fence);
    count_served(l);
    l->batch = (struct hf_leader_batch){
        .version = l->contender.keeper.version,
        .number = number,
        .next_fence = number == 0 ? l->next_fence : next_fence,
        .max_ttl = l->max_ttl,
        .grace = hf_between(l->now, hf_leader_grace_until(l)),
    };
}

/* A service is named by the first claim of its head.  If a claim names itself
 * in an empty place that was lost, that is a new service. */
static uint64_t
service_of(const struct hf_leader *l)
{
    return l->service != 0 ? l->service : l->contender.keeper.heartbeat.id + 1;
}

/* The contender's question as a question about a head. */
static void
build_question(const struct hf_leader *l, struct hf_leader_effect *effect)
{
    const struct hf_keeper *k = &l->contender.keeper;
    struct hf_op *op = &effect->ask.request.ops[0];

    *effect = (struct hf_leader_effect){.kind = HF_LEADER_ASK};
    hf_keeper_request(k, &effect->ask.request);
    effect->ask.head = (struct hf_head_state){
        .led = true,
        .next_fence = l->next_fence,
        .service = service_of(l),
        .max_ttl = l->max_ttl,
        .grace = hf_between(l->now, hf_leader_grace_until(l)),
        .served = l->served,
        .begun_ms = l->begun_ms,
    };
    if (k->question.kind == HF_ASK_BEAT) {
        effect->ask.head.next_fence = l->batch.next_fence;
        effect->ask.head.max_ttl = l->batch.max_ttl;
        effect->ask.head.grace = l->batch.grace;
        effect->ask.batch = l->batch.number;
    } else if (k->question.kind == HF_ASK_DELETE) {
        /* A new generation, as after a tombstone. */
        op->kind = HF_PUT;
        op->new_generation = true;
        effect->ask.head.led = false;
    }
}

/* A notice with the machine's present state. */
static void
build_telling(const struct hf_leader *l, struct hf_leader_effect *effect)
{
    switch (effect->kind) {
    case HF_LEADER_LEADS:
        effect->term = l->contender.keeper.token;
        break;
    case HF_LEADER_APPLIED:
        effect->applied = l->applied;
        break;
    case HF_LEADER_ENDED:
        effect->ended = l->contender.status;
        break;
    case HF_LEADER_ASK:
    case HF_LEADER_FIX:
    case HF_LEADER_OVER:
        break;
    }
}

bool
hf_leader_next(struct hf_leader *l, struct hf_leader_effect *effect)
{
    uint8_t told;

    if (hf_outbox_take(&l->outbox, &told)) {
        *effect =
            (struct hf_leader_effect){.kind = (enum hf_leader_effect_kind)told};
        build_telling(l, effect);
        return true;
    }
    if (!l->asks)
        return false;
    if (is_to_be_fixed(l) && l->state == HF_LEADER_LEADING) {
        *effect = (struct hf_leader_effect){.kind = HF_LEADER_FIX};
        return true;
    }
    if (is_to_be_fixed(l)) /* confirming a claim is no batch */
        hf_leader_fix(l, 0, 0);
    l->asks = false;
    build_question(l, effect);
    return true;
}

/* ---- A leader ------------------------------------------------------------ */

void
hf_leader_init(struct hf_leader *l, const struct hf_leader_config *config)
{
    HF_CHECK(config->terms.if_dead == HF_TAKEOVER);
    *l = (struct hf_leader){
        .config = *config,
        .max_ttl = config->max_ttl,
        .served_until = HF_NEVER,
    };
}

/* The numbers of claims and questions go on: so no id is used twice, and a late
 * answer to the last search is not taken for one to this. */
void
hf_leader_seek(struct hf_leader *l, struct hf_instant now)
{
    struct hf_contender_config config = {
        .terms = l->config.terms,
        .grace = l->config.grace,
        .limit = HF_FOREVER,
        .seed = l->config.seed,
    };
    uint64_t claims = l->contender.claims;
    uint64_t asked = l->contender.keeper.question.number;

    HF_CHECK(l->state == HF_LEADER_IDLE && l->outbox.count == 0);
    l->now = hf_later(l->now, now);
    hf_contender_init(&l->contender, &config);
    l->contender.claims = claims;
    l->contender.keeper.question.number = asked;
    l->batch = (struct hf_leader_batch){0};
    step_contender(l, hf_event(HF_ON_ACQUIRE, now));
    check_invariants(l);
}

struct hf_duration
hf_leader_took(const struct hf_leader *l)
{
    return l->contender.keeper.question.took;
}

bool
hf_leader_may_write(const struct hf_leader *l)
{
    return l->state == HF_LEADER_LEADING &&
           hf_keeper_may_write(&l->contender.keeper);
}

struct hf_instant
hf_leader_deadline(const struct hf_leader *l)
{
    return hf_contender_deadline(&l->contender);
}
