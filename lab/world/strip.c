#include "lab/world/strip.h"

enum { FAILURES_MAX = 15 }; /* in a row: pauses are at their longest by then */

static bool
still_waits(const struct hf_contender *c)
{
    return c->state == HF_CONTENDER_LOOKING ||
           c->state == HF_CONTENDER_WATCHING ||
           c->state == HF_CONTENDER_CLAIMING;
}

static bool
answer_is_read(const struct world_worker *w)
{
    return w->mail.out && w->mail.served && w->mail.reads;
}

bool
strip_patience_varies(const struct hf_question *question)
{
    return question->config.most.ms > world_ticks(1).ms;
}

/* May the answer to a read show it this version? */
static bool
may_be_shown(const struct world *world, const struct world_worker *w,
             uint64_t version)
{
    return version == world->version ||
           (world->config->forgets && version == world->before.version) ||
           (answer_is_read(w) && version == w->mail.sight.version);
}

/* After so many in a row a pause is as long as it can be.  Whoever has had an
 * answer counts them for nothing else. */
static uint8_t
failures_that_matter(const struct hf_question *question)
{
    uint8_t failures = 0;

    while (HF_PAUSE_FIRST_MS << failures < question->config.most.ms)
        failures++;
    return failures;
}

static void
strip_question(const struct hf_contender *c, struct hf_question *question)
{
    if (!strip_patience_varies(question)) {
        question->took = world_ticks(0);
        if (c->answered)
            question->failures = 0;
    }
    if (c->answered && question->failures > failures_that_matter(question))
        question->failures = failures_that_matter(question);
    if (question->failures > FAILURES_MAX)
        question->failures = FAILURES_MAX;
    if (!question->waiting || question->kind != HF_ASK_READ)
        question->late = false;
}

/* What is remembered of writes: that of the call under way, and whether there
 * are claims besides, whose answers never come. */
static void
strip_sent(struct world_worker *w)
{
    struct hf_keeper *k = &w->contender.keeper;
    const struct hf_question *question = &k->question;
    bool may_claim = k->state == HF_KEEPER_CLAIMING ||
                     (k->state == HF_KEEPER_SETTLING && k->token == 0);
    bool unsettled = k->inflight.forgot_claim;

    for (unsigned i = 0; i < HF_INFLIGHT_MAX; i++) {
        struct hf_sent *sent = &k->inflight.writes[i];
        bool asked = question->waiting && sent->number == question->number;
        bool called = w->mail.out && sent->number == w->mail.number;

        if (asked || called)
            continue;
        unsettled =
            unsettled || (sent->number != 0 && sent->kind == HF_ASK_CLAIM);
        *sent = (struct hf_sent){.number = 0};
    }
    k->inflight.forgot_claim = may_claim && unsettled;
}

bool
strip_knows_call(const struct world_worker *w)
{
    bool found = false;

    for (unsigned i = 0; i < HF_INFLIGHT_MAX; i++)
        found = found || (w->mail.out && !w->mail.reads &&
                          w->contender.keeper.inflight.writes[i].number ==
                              w->mail.number);
    return found;
}

void
strip_worker(const struct world *world, struct world_worker *w)
{
    struct hf_contender *c = &w->contender;
    struct hf_keeper *k = &c->keeper;

    if (!w->alive) {
        *w = (struct world_worker){.phase = w->phase};
        return;
    }
    if (!still_waits(c)) {
        c->evidence = (struct hf_evidence){0};
        c->suspected = c->failing = false;
        c->answered = true;
        c->limit_at = HF_NEVER;
    }
    if (!c->try_only)
        c->evidence.running = false;
    if (!still_waits(c) || !may_be_shown(world, w, c->claimed_version))
        c->claimed_version = 0;
    if (!k->question.waiting || k->question.kind != HF_ASK_READ ||
        !still_waits(c) || k->state != HF_KEEPER_IDLE)
        c->asked_with = HF_PROOF_NONE;
    if (k->state != HF_KEEPER_IN_DOUBT)
        w->doubts = false;
    strip_question(c, &k->question);
    strip_sent(w);
    if (k->state == HF_KEEPER_IDLE) {
        k->version = k->token = k->over = 0;
        k->right_until = (struct hf_instant){INT64_MIN};
        if (k->heartbeat.id != world->id)
            k->heartbeat.id = 0;
    }
    if (!answer_is_read(w)) {
        w->mail.sight = (struct hf_sight){0};
        w->mail.of_dead = w->mail.of_believer = false;
    }
    if (w->mail.served && !strip_knows_call(w))
        w->mail.write = (struct world_write){.kind = HF_PUT};
}
