#include "lab/world/pack.h"

#include <string.h>

#include "lab/world/forget.h"
#include "lab/world/layout.h"
#include "lab/world/person.h"
#include "lab/world/resource.h"
#include "lab/world/shell.h"

size_t
pack_size(const struct world_config *config)
{
    return WORLD_BYTES + WORLD_LATE_MAX * LATE_BYTES +
           config->workers * WORKER_BYTES + resource_size(config) +
           person_size(config) + forget_size(config) + shell_size(config);
}

void
pack_parts(const struct world_config *config, uint16_t parts[EXPLORE_PARTS_MAX])
{
    unsigned count = 0;

    parts[count++] = WORLD_BYTES + WORLD_LATE_MAX * LATE_BYTES;
    for (unsigned i = 0; i < config->workers; i++)
        parts[count++] = WORKER_BYTES;
    if (resource_size(config) != 0)
        parts[count++] = (uint16_t)resource_size(config);
    if (person_size(config) != 0)
        parts[count++] = (uint16_t)person_size(config);
    if (forget_size(config) != 0)
        parts[count++] = (uint16_t)forget_size(config);
    if (shell_size(config) != 0)
        parts[count++] = (uint16_t)shell_size(config);
    if (count < EXPLORE_PARTS_MAX)
        parts[count] = 0;
}

/* ---- What still matters ------------------------------------------------- */

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

/* Where no write is waited for longer than a tick, nothing that is measured in
 * parts of one tells anything. */
static bool
patience_varies(const struct hf_question *question)
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
    if (!patience_varies(question)) {
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

/* Does it remember the write that the call under way is about? */
static bool
knows_call(const struct world_worker *w)
{
    bool found = false;

    for (unsigned i = 0; i < HF_INFLIGHT_MAX; i++)
        found = found || (w->mail.out && !w->mail.reads &&
                          w->contender.keeper.inflight.writes[i].number ==
                              w->mail.number);
    return found;
}

/* Leave out of a worker whatever it will not look at again. */
static void
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
    if (w->mail.served && !knows_call(w))
        w->mail.write = (struct world_write){.kind = HF_PUT};
}

static void
collect(const struct world *world, struct names *names)
{
    ranks_add(&names->versions, world->version);
    ranks_add(&names->versions, world->token);
    ranks_add(&names->versions, world->marker);
    for (unsigned i = 0; i < world->config->workers; i++) {
        const struct world_worker *w = &world->workers[i];
        const struct hf_contender *c = &w->contender;

        if (!w->alive)
            continue;
        ranks_add(&names->versions, c->keeper.version);
        ranks_add(&names->versions, c->keeper.token);
        ranks_add(&names->versions, c->keeper.over);
        ranks_add(&names->versions, c->evidence.version);
        ranks_add(&names->versions, c->evidence.token);
        ranks_add(&names->versions, c->claimed_version);
        ranks_add(&names->versions, w->mail.version);
        ranks_add(&names->versions, w->mail.write.version);
        ranks_add(&names->versions, w->mail.write.over);
        ranks_add(&names->versions, w->mail.sight.version);
        ranks_add(&names->versions, w->mail.sight.token);
    }
    for (unsigned i = 0; i < world->late_count; i++)
        ranks_add(&names->versions, world->late[i].over);
}

/* ---- Writing ------------------------------------------------------------ */

/* When the write of the call under way was sent, if that may still give a
 * right, or tell how slow the place is. */
static uint8_t
pack_sent_at(const struct world_worker *w)
{
    const struct hf_keeper *k = &w->contender.keeper;
    struct hf_duration right = {k->config.terms.ttl.ms - k->config.margin.ms};
    bool matters =
        k->state != HF_KEEPER_SETTLING || patience_varies(&k->question);

    for (unsigned i = 0; i < HF_INFLIGHT_MAX; i++)
        if (matters && k->inflight.writes[i].number == w->mail.number)
            return layout_since(k->inflight.writes[i].at, right);
    return 0;
}

static void
pack_call(const struct world *world, const struct world_worker *w,
          const struct names *names, uint8_t *at)
{
    const struct world_mail *mail = &w->mail;
    const struct hf_question *question = &w->contender.keeper.question;
    const bool how[] = {mail->reads,        worker_is_owed(w), knows_call(w),
                        mail->write.claims, question->late,    w->unaware,
                        mail->went_back,    mail->of_believer};
    struct hf_duration took = question->took;

    if (took.ms > question->config.most.ms)
        took = question->config.most; /* longer is as long */
    at[0] = layout_bits(how, 8);
    at[1] = (uint8_t)((took.ms + WORLD_TICK_MS - 1) / WORLD_TICK_MS);
    if (!mail->out)
        return;
    at[2] = (uint8_t)(mail->write.kind | mail->age << 2);
    if (world->config->hints && mail->number == question->number)
        at[2] |= LAST_QUESTION;
    at[3] = names_version(names, mail->write.version);
    at[4] = names_version(names, mail->write.over);
    at[5] = pack_sent_at(w);
}

/* All but its ids, which are named in the workers' final order. */
static void
pack_worker(const struct world *world, const struct world_worker *w,
            const struct names *names, uint8_t *at)
{
    const struct hf_contender *c = &w->contender;
    const struct hf_evidence *e = &c->evidence;
    const struct hf_keeper *k = &c->keeper;
    const bool life[] = {w->alive,     w->frozen,     w->in_section,
                         c->suspected, c->failing,    c->answered,
                         w->mail.out,  w->mail.served};
    const bool seen[] = {e->present,
                         e->beat_seen,
                         e->same_holder,
                         e->running,
                         e->gone,
                         k->question.waiting,
                         k->inflight.forgot_claim,
                         k->must_read};

    memset(at, 0, WORKER_BYTES);
    at[0] = layout_bits(life, 8);
    at[1] = (uint8_t)w->phase;
    if (!w->alive)
        return;
    at[2] = layout_bits(seen, 8);
    at[3] = (uint8_t)(c->state | (unsigned)w->doubts << 3 | k->state << 4);
    at[4] = (uint8_t)(c->status | c->outcome << 4);
    at[5] =
        (uint8_t)(c->asked_with |
                  (unsigned)world_has_ended(world, e->token) << 2 |
                  (unsigned)world_has_ended(world, w->mail.sight.token) << 3 |
                  k->question.kind << 4 | (unsigned)w->mail.of_dead << 7);
    at[6] =
        (uint8_t)((c->claims > 0 ? 1 : 0) | w->mail.slow << 1 | w->cut << 2 |
                  w->cleared << 3 | k->question.failures << 4);
    at[7] = layout_until(c->limit_at);
    at[8] = names_version(names, e->version);
    at[9] = names_version(names, e->token);
    at[10] = layout_terms_index(world->config, &e->terms);
    at[11] = e->present ? layout_since(e->shown_at, e->terms.ttl) : 0;
    at[12] = names_version(names, c->claimed_version);
    at[13] = names_version(names, k->version);
    at[14] = names_version(names, k->token);
    at[15] = names_version(names, k->over);
    at[17] = layout_until(k->right_until);
    at[18] = k->question.waiting
                 ? layout_since(k->question.asked_at, k->config.terms.ttl)
                 : 0;
    at[19] = layout_until(k->question.again_at);
    at[20] = (uint8_t)w->mail.verdict;
    at[21] = names_version(names, w->mail.version);
    at[22] = (uint8_t)w->mail.sight.kind;
    at[23] = names_version(names, w->mail.sight.version);
    at[24] = names_version(names, w->mail.sight.token);
    at[26] = layout_terms_index(world->config, &w->mail.sight.terms);
    pack_call(world, w, names, at + CALL_AT);
}

static void
pack_ids(const struct world_worker *w, struct names *names, uint8_t *at)
{
    if (!w->alive)
        return;
    at[16] = names_id(names, w->contender.keeper.heartbeat.id);
    at[25] = names_id(names, w->mail.sight.heartbeat.id);
    at[CALL_AT + 6] = names_id(names, w->mail.write.id);
}

static int
compare_late(const uint8_t *a, const uint8_t *b)
{
    return memcmp(a, b, LATE_BYTES);
}

/* In the order of their bytes: which was sent first does not matter. */
static void
pack_late(const struct world *world, const uint8_t *places, struct names *names,
          uint8_t *at)
{
    memset(at, 0, WORLD_LATE_MAX * LATE_BYTES);
    for (unsigned i = 0; i < world->late_count; i++) {
        const struct world_write *late = &world->late[i];
        uint8_t worker = places[late->worker];
        uint8_t entry[LATE_BYTES] = {
            (uint8_t)(1 + late->kind * 2 + late->claims + late->looked * 4 +
                      late->ended * 8 + worker * 16),
            names_id(names, late->id),
            names_version(names, late->over),
            (uint8_t)late->terms,
        };
        unsigned k = i;

        for (; k > 0 && compare_late(at + (k - 1) * LATE_BYTES, entry) > 0; k--)
            memcpy(at + k * LATE_BYTES, at + (k - 1) * LATE_BYTES, LATE_BYTES);
        memcpy(at + k * LATE_BYTES, entry, LATE_BYTES);
    }
}

/* The highest fence is of interest only to a grant not above it. */
static uint8_t
pack_highest(const struct world *world, const struct names *names)
{
    uint64_t version = world->highest;

    while (version > 0 && names->versions.of[version] == 0)
        version--;
    return names->versions.of[version];
}

/* The token taken over last is of interest only while somebody still knows
 * it. */
static uint8_t
pack_taken(const struct world *world, const struct names *names)
{
    bool known = (names->versions.used >> world->taken & 1) != 0;

    return known ? names_version(names, world->taken) : 0;
}

static bool
are_alike(const struct world_terms *a, const struct world_terms *b)
{
    return a->if_dead == b->if_dead && a->ttl == b->ttl &&
           a->limit == b->limit && a->try_only == b->try_only &&
           a->gains == b->gains && a->beat == b->beat && a->grace == b->grace &&
           a->fails == b->fails;
}

/* Workers of the same terms are alike: their order is that of their bytes. */
static bool
goes_before(const struct world *world, unsigned a, unsigned b,
            uint8_t chunks[][WORKER_BYTES])
{
    const struct world_terms *terms = world->config->terms;

    return are_alike(&terms[a], &terms[b]) &&
           memcmp(chunks[a], chunks[b], WORKER_BYTES) < 0;
}

static void
order_workers(const struct world *world, uint8_t chunks[][WORKER_BYTES],
              uint8_t *order)
{
    for (unsigned i = 0; i < world->config->workers; i++) {
        unsigned k = i;

        for (; world->config->symmetric && k > 0 &&
               goes_before(world, i, order[k - 1], chunks);
             k--)
            order[k] = order[k - 1];
        order[k] = (uint8_t)i;
    }
}

void
pack(const struct world *world, uint8_t *bytes)
{
    unsigned count = world->config->workers;
    struct world bare;
    uint8_t chunks[WORLD_WORKERS_MAX][WORKER_BYTES];
    uint8_t order[WORLD_WORKERS_MAX];
    uint8_t places[WORLD_WORKERS_MAX + 1];
    struct names names = {.ids_count = 0};
    uint8_t *at = bytes + WORLD_BYTES + WORLD_LATE_MAX * LATE_BYTES;

    world_copy(&bare, world);
    for (unsigned i = 0; i < count; i++)
        strip_worker(&bare, &bare.workers[i]);
    resource_strip(&bare);
    person_strip(&bare);
    shell_strip(&bare);
    collect(&bare, &names);
    resource_collect(&bare, &names);
    person_collect(&bare, &names);
    forget_collect(&bare, &names);
    shell_collect(&bare, &names);
    ranks_settle(&names.versions);
    ranks_settle(&names.grants);
    for (unsigned i = 0; i < count; i++)
        pack_worker(&bare, &bare.workers[i], &names, chunks[i]);
    order_workers(&bare, chunks, order);

    bytes[0] = (uint8_t)((bare.exists ? 1u : 0u) | (bare.foreign ? 2u : 0u) |
                         (world_has_ended(&bare, bare.token) ? 4u : 0u) |
                         bare.late_count << 4);
    bytes[1] = names_version(&names, bare.version);
    bytes[2] = names_version(&names, bare.token);
    bytes[3] = names_version(&names, bare.marker);
    bytes[4] = names_id(&names, bare.id);
    bytes[5] = (uint8_t)bare.terms;
    bytes[6] = pack_highest(&bare, &names);
    bytes[7] = pack_taken(&bare, &names);
    places[WORLD_WORKERS_MAX] = WORLD_WORKERS_MAX;
    for (unsigned i = 0; i < count; i++, at += WORKER_BYTES) {
        places[order[i]] = (uint8_t)i;
        pack_ids(&bare.workers[order[i]], &names, chunks[order[i]]);
        memcpy(at, chunks[order[i]], WORKER_BYTES);
    }
    pack_late(&bare, places, &names, bytes + WORLD_BYTES);
    resource_pack(&bare, &names, order, at);
    at += resource_size(world->config);
    person_pack(&bare, &names, at);
    at += person_size(world->config);
    forget_pack(&bare, &names, at);
    shell_pack(&bare, &names, order, at + forget_size(world->config));
}
