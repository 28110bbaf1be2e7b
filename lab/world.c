#include "world.h"

#include <stddef.h>

#include "base/check.h"
#include "promise.h"

static struct hf_duration
ticks(int count)
{
    return (struct hf_duration){(int64_t)count * WORLD_TICK_MS};
}

bool
world_believes(const struct world *world, unsigned worker)
{
    const struct world_worker *w = &world->workers[worker];
    enum hf_outcome held;

    if (!w->alive || !w->in_section)
        return false;
    held = hf_contender_check(&w->contender, WORLD_NOW);
    return held == HF_GRANTED || held == HF_IN_DOUBT;
}

bool
world_owns(const struct world *world, unsigned worker)
{
    const struct world_worker *w = &world->workers[worker];

    return world->exists && w->alive &&
           w->contender.keeper.state != HF_KEEPER_IDLE &&
           w->contender.keeper.heartbeat.id == world->id;
}

/* ---- The store ---------------------------------------------------------- */

/* Only writes that expect this very version can still apply. */
static void
forget_late(struct world *world)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < world->late_count; i++)
        if (world->late[i].version == world->version)
            world->late[kept++] = world->late[i];
    world->late_count = kept;
}

/* The rules of store.h, for the one lock and its marker. */
static bool
applies(const struct world *world, const struct world_write *write)
{
    if (write->version != world->version)
        return false;
    if (write->kind == HF_PUT && !write->claims)
        return world->exists;
    return !write->claims || write->over == 0 || write->over != world->marker;
}

static enum hf_verdict
apply(struct world *world, const struct world_write *write)
{
    if (!applies(world, write))
        return HF_REFUSED;

    promise_write(world, write);
    world->version++;
    world->exists = write->kind == HF_PUT;
    world->id = world->exists ? write->id : 0;
    world->terms = world->exists ? write->terms : 0;
    if (write->claims || !world->exists)
        world->token = world->exists ? world->version : 0;
    if (write->claims)
        world->marker = write->over;
    else if (write->over == world->marker)
        world->marker = 0;
    forget_late(world);
    return HF_APPLIED;
}

/* The first worker of the same terms stands for all of them. */
static unsigned
first_alike(const struct world_config *config, unsigned worker)
{
    unsigned first = 0;

    while (config->terms[first].ttl != config->terms[worker].ttl ||
           config->terms[first].if_dead != config->terms[worker].if_dead)
        first++;
    return first;
}

/* The write that a worker has out. */
static struct world_write
write_of(const struct world *world, unsigned worker)
{
    struct hf_request request;
    const struct hf_op *op = &request.ops[0];

    hf_keeper_request(&world->workers[worker].contender.keeper, &request);
    return (struct world_write){
        .kind = op->kind,
        .claims = op->new_generation,
        .version = op->expect.version,
        .id = op->heartbeat.id,
        .over = request.ops_count == 2 ? request.ops[1].subject : 0,
        .worker = worker,
        .terms = first_alike(world->config, worker),
    };
}

static bool
is_read(const struct world_worker *w)
{
    return w->contender.keeper.asker.question == HF_ASK_READ;
}

static void
serve(struct world *world, unsigned worker)
{
    struct world_worker *w = &world->workers[worker];
    struct world_write write;

    w->mail.served = true;
    if (is_read(w)) {
        w->mail.sight = (struct hf_sight){
            .kind = world->exists ? HF_SIGHT_LOCK : HF_SIGHT_ABSENT,
            .version = world->version,
            .token = world->token,
            .heartbeat = {.id = world->id},
        };
        if (world->exists)
            w->mail.sight.terms = world_terms_of(world->config, world->terms);
        return;
    }
    write = write_of(world, worker);
    w->mail.verdict = apply(world, &write);
    w->mail.version = w->mail.verdict == HF_APPLIED ? world->version : 0;
}

/* A write that is not answered any more may still apply. */
static void
keep_late(struct world *world, struct world_write write)
{
    if (write.version != world->version)
        return;
    for (unsigned i = 0; i < world->late_count; i++)
        if (world->late[i].kind == write.kind &&
            world->late[i].claims == write.claims &&
            world->late[i].id == write.id)
            return; /* the same write, sent again */
    HF_CHECK(world->late_count < WORLD_LATE_MAX);
    world->late[world->late_count++] = write;
}

/* ---- The workers -------------------------------------------------------- */

static void
told(struct world *world, unsigned worker, enum hf_told news)
{
    struct world_worker *w = &world->workers[worker];

    if (news == HF_TOLD_GRANTED) {
        w->in_section = true;
        promise_grant(world, worker);
    } else if (news == HF_TOLD_LOST) {
        w->in_section = false;
    }
}

static bool
id_is_used(const struct world *world, uint64_t id)
{
    bool used = world->id == id;

    for (unsigned i = 0; i < world->config->workers; i++) {
        const struct world_worker *w = &world->workers[i];

        used = used || w->contender.keeper.heartbeat.id == id ||
               w->mail.sight.heartbeat.id == id;
    }
    for (unsigned i = 0; i < world->late_count; i++)
        used = used || world->late[i].id == id;
    return used;
}

/* Ids are random and large; in the world they are small, and as distinct. */
static void
name_claim(const struct world *world, struct hf_heartbeat *heartbeat)
{
    uint64_t id = 1;

    if (heartbeat->id < 64)
        return;
    while (id_is_used(world, id))
        id++;
    heartbeat->id = id;
}

static bool
write_is_out(const struct world_worker *w)
{
    return w->mail.out && !w->mail.served && !is_read(w);
}

/*
 * Step the worker's contender, and perform what it wants done.  A question
 * that it gives up thereby was, until now, the one that is out.
 */
static void
pump(struct world *world, unsigned worker, struct hf_event event)
{
    struct world_worker *w = &world->workers[worker];
    bool may_be_late = write_is_out(w);
    struct world_write write = {.version = 0};
    uint64_t number = w->contender.keeper.asker.number;
    struct hf_effect effect;

    if (may_be_late)
        write = write_of(world, worker);
    hf_contender_step(&w->contender, event);
    if (!w->contender.keeper.asker.waiting ||
        w->contender.keeper.asker.number != number) {
        if (may_be_late)
            keep_late(world, write);
        w->mail = (struct world_mail){0};
    }
    while (hf_contender_next(&w->contender, &effect)) {
        if (effect.kind == HF_DO_TELL)
            told(world, worker, effect.told);
        else
            w->mail.out = true;
    }
    name_claim(world, &w->contender.keeper.heartbeat);
    if (w->contender.state == HF_CONTENDER_ENDED) {
        promise_end(world, worker);
        *w = (struct world_worker){.phase = w->phase};
    }
}

struct hf_terms
world_terms_of(const struct world_config *config, unsigned worker)
{
    const struct world_terms *terms = &config->terms[worker];

    return (struct hf_terms){terms->if_dead, ticks(terms->ttl), ticks(1)};
}

void
world_init_contender(const struct world_config *config, unsigned worker,
                     struct hf_contender *contender)
{
    const struct world_terms *terms = &config->terms[worker];
    struct hf_contender_config own = {
        .terms = world_terms_of(config, worker),
        .limit = terms->limit == 0 ? HF_FOREVER : ticks(terms->limit),
        .try_only = terms->try_only,
        .seed = worker + 1,
    };

    hf_contender_init(contender, &own);
}

static void
begin(struct world *world, unsigned worker)
{
    struct world_worker *w = &world->workers[worker];

    w->alive = true;
    world_init_contender(world->config, worker, &w->contender);
    pump(world, worker, hf_event(HF_ON_ACQUIRE, WORLD_NOW));
}

static void
release(struct world *world, unsigned worker)
{
    world->workers[worker].in_section = false;
    pump(world, worker, hf_event(HF_ON_RELEASE, WORLD_NOW));
}

static void
deliver(struct world *world, unsigned worker)
{
    struct world_worker *w = &world->workers[worker];
    struct world_mail mail = w->mail;
    uint64_t number = w->contender.keeper.asker.number;

    if (is_read(w))
        pump(world, worker, hf_found(WORLD_NOW, number, mail.sight));
    else
        pump(world, worker,
             hf_answer(WORLD_NOW, number, mail.verdict, mail.version));
}

/* The process ends without a word; its record stays, and what it has sent may
 * still apply. */
static void
crash(struct world *world, unsigned worker)
{
    struct world_worker *w = &world->workers[worker];

    if (write_is_out(w))
        keep_late(world, write_of(world, worker));
    for (unsigned i = 0; i < world->late_count; i++)
        if (world->late[i].worker == worker)
            world->late[i].worker = WORLD_WORKERS_MAX;
    *w = (struct world_worker){.phase = w->phase};
}

static void
answer_unknown(struct world *world, unsigned worker, enum world_act how)
{
    struct world_mail *mail = &world->workers[worker].mail;

    if (how == ACT_UNKNOWN_APPLIED)
        serve(world, worker);
    else if (how == ACT_UNKNOWN_LATER)
        keep_late(world, write_of(world, worker));
    mail->served = true;
    mail->verdict = HF_UNKNOWN;
    mail->version = 0;
}

/* ---- Time --------------------------------------------------------------- */

static void
earlier(struct hf_instant *instant, int count)
{
    if (instant->ms != HF_NEVER.ms && instant->ms != INT64_MIN)
        instant->ms -= ticks(count).ms;
}

/* Its clock has gone on by so many ticks: every instant it knows is as much
 * further in the past. */
static void
pass(struct hf_contender *c, int count)
{
    earlier(&c->limit_at, count);
    earlier(&c->sighting.first_at, count);
    earlier(&c->sighting.shown_at, count);
    earlier(&c->keeper.asker.asked_at, count);
    earlier(&c->keeper.asker.again_at, count);
    earlier(&c->keeper.right_until, count);
}

/* A clock that gains g in every ttl ticks of its own counts ttl of them while
 * the others count ttl - g. */
static int
ticks_of(const struct world_terms *terms, unsigned *phase)
{
    int period = terms->ttl - terms->gains;
    int before = (int)*phase * terms->gains / period;
    int after = (int)(*phase + 1) * terms->gains / period;

    *phase = (*phase + 1) % (unsigned)period;
    return 1 + after - before;
}

static void
tick(struct world *world)
{
    for (unsigned i = 0; i < world->config->workers; i++) {
        struct world_worker *w = &world->workers[i];
        const struct world_terms *terms = &world->config->terms[i];
        int count = terms->gains == 0 ? 1 : ticks_of(terms, &w->phase);

        if (w->alive)
            pass(&w->contender, count);
    }
}

static bool
is_due(const struct world_worker *w)
{
    return w->alive &&
           hf_reached(WORLD_NOW, hf_contender_deadline(&w->contender));
}

static bool
may_tick(const struct world *world)
{
    for (unsigned i = 0; i < world->config->workers; i++) {
        const struct world_worker *w = &world->workers[i];
        bool under_way =
            w->mail.out && !w->mail.slow && !w->cut && !world->config->lazy;

        if (!w->frozen && (is_due(w) || under_way))
            return false;
    }
    return true;
}

/* ---- Evidence ----------------------------------------------------------- */

/* Does the record that this worker watches belong to a process that is gone? */
static bool
holder_is_gone(const struct world *world, const struct world_worker *w)
{
    uint64_t version;

    if (!hf_contender_watching(&w->contender, &version) ||
        version != world->version || !world->exists)
        return false;
    for (unsigned i = 0; i < world->config->workers; i++)
        if (world_owns(world, i))
            return false;
    return true;
}

static void
clear(struct world *world)
{
    const struct world_write delete = {
        .kind = HF_DELETE,
        .version = world->version,
        .worker = WORLD_WORKERS_MAX,
    };

    for (unsigned i = 0; i < world->config->workers; i++)
        if (world_owns(world, i))
            world->cleared = true;
    (void)apply(world, &delete);
}

/* ---- Steps -------------------------------------------------------------- */

static bool
allows_worker(const struct world *world, struct world_action action)
{
    const struct world_config *config = world->config;
    const struct world_worker *w = &world->workers[action.who];
    enum hf_contender_state state = w->contender.state;
    bool question = w->mail.out && !w->mail.served && !w->cut;

    if (action.act == ACT_BEGIN)
        return !w->alive;
    if (!w->alive)
        return false;
    switch (action.act) {
    case ACT_SERVE:
        return question;
    case ACT_UNKNOWN_APPLIED:
    case ACT_UNKNOWN_DROPPED:
    case ACT_UNKNOWN_LATER:
        return question && !is_read(w);
    case ACT_READ_FAILS:
        return question && is_read(w);
    case ACT_SLOW:
        return w->mail.out && !w->mail.slow && !config->lazy && !w->frozen &&
               !w->cut;
    case ACT_DELIVER:
        return w->mail.out && w->mail.served && !w->frozen && !w->cut;
    case ACT_RELEASE:
        return state == HF_CONTENDER_HOLDING && !w->frozen;
    case ACT_CANCEL:
        return config->gives_up && !w->frozen && !w->in_section &&
               state != HF_CONTENDER_LEAVING && state != HF_CONTENDER_HOLDING;
    case ACT_CLOCK:
        return is_due(w) && !w->frozen;
    case ACT_EVIDENCE:
        return config->same_host && !w->frozen && !w->contender.sighting.gone &&
               holder_is_gone(world, w);
    case ACT_CRASH:
        return true;
    case ACT_FREEZE:
        return config->freezes && !w->frozen;
    case ACT_WAKE:
        return w->frozen;
    case ACT_CUT:
        return config->cuts && !w->cut;
    case ACT_HEAL:
        return w->cut;
    case ACT_BEGIN:
    case ACT_TICK:
    case ACT_LATE:
    case ACT_PURGE:
    case ACT_CLEAR:
    case ACT_COUNT:
        break;
    }
    return false;
}

bool
world_allows(const struct world *world, struct world_action action)
{
    switch (action.act) {
    case ACT_TICK:
        return action.who == 0 && may_tick(world);
    case ACT_LATE:
        return action.who < world->late_count;
    case ACT_PURGE:
        return action.who == 0 && world->config->purges && !world->exists &&
               world->version > 1;
    case ACT_CLEAR:
        return action.who == 0 && world->config->operator&& world->exists;
    case ACT_BEGIN:
    case ACT_RELEASE:
    case ACT_CANCEL:
    case ACT_SERVE:
    case ACT_DELIVER:
    case ACT_CLOCK:
    case ACT_EVIDENCE:
    case ACT_WAKE:
    case ACT_UNKNOWN_APPLIED:
    case ACT_UNKNOWN_DROPPED:
    case ACT_UNKNOWN_LATER:
    case ACT_READ_FAILS:
    case ACT_SLOW:
    case ACT_CUT:
    case ACT_HEAL:
    case ACT_CRASH:
    case ACT_FREEZE:
        return action.who < world->config->workers &&
               allows_worker(world, action);
    case ACT_COUNT:
        break;
    }
    return false;
}

/* Refused by what rides along, it has had its chance all the same. */
static void
apply_late(struct world *world, unsigned index)
{
    struct world_write write = world->late[index];

    if (apply(world, &write) == HF_REFUSED)
        world->late[index] = world->late[--world->late_count];
}

static void
apply_worker(struct world *world, struct world_action action)
{
    struct world_worker *w = &world->workers[action.who];

    switch (action.act) {
    case ACT_BEGIN:
        begin(world, action.who);
        break;
    case ACT_RELEASE:
        release(world, action.who);
        break;
    case ACT_CANCEL:
        pump(world, action.who, hf_event(HF_ON_CANCEL, WORLD_NOW));
        break;
    case ACT_SERVE:
        serve(world, action.who);
        break;
    case ACT_DELIVER:
        deliver(world, action.who);
        break;
    case ACT_CLOCK:
        pump(world, action.who, hf_event(HF_ON_CLOCK, WORLD_NOW));
        break;
    case ACT_EVIDENCE:
        pump(world, action.who,
             hf_evidence(WORLD_NOW, w->contender.sighting.version, true));
        break;
    case ACT_UNKNOWN_APPLIED:
    case ACT_UNKNOWN_DROPPED:
    case ACT_UNKNOWN_LATER:
        answer_unknown(world, action.who, action.act);
        break;
    case ACT_READ_FAILS:
        w->mail.served = true;
        w->mail.sight = (struct hf_sight){.kind = HF_SIGHT_NONE};
        break;
    case ACT_SLOW:
        w->mail.slow = true;
        break;
    case ACT_CUT:
        w->cut = true;
        break;
    case ACT_HEAL:
        w->cut = false;
        break;
    case ACT_CRASH:
        crash(world, action.who);
        break;
    case ACT_FREEZE:
        w->frozen = true;
        break;
    case ACT_WAKE:
        w->frozen = false;
        if (w->mail.out && !w->mail.served)
            pump(world, action.who, hf_event(HF_ON_CLOCK, WORLD_NOW));
        break;
    case ACT_TICK:
    case ACT_LATE:
    case ACT_PURGE:
    case ACT_CLEAR:
    case ACT_COUNT:
        break;
    }
}

/* Would the worker give its question up if it were told the time? */
static bool
is_overdue(const struct world_worker *w)
{
    const struct hf_asker *asker = &w->contender.keeper.asker;

    return w->mail.out && asker->waiting &&
           hf_reached(WORLD_NOW, hf_asker_deadline(asker));
}

bool
world_is_fault(const struct world *world, struct world_action action)
{
    if (action.act >= ACT_UNKNOWN_APPLIED)
        return true;
    return world->config->lazy &&
           (action.act == ACT_CLOCK || action.act == ACT_EVIDENCE ||
            action.act == ACT_RELEASE || action.act == ACT_CANCEL) &&
           is_overdue(&world->workers[action.who]);
}

void
world_apply(struct world *world, struct world_action action)
{
    world->violated = NULL;
    switch (action.act) {
    case ACT_TICK:
        tick(world);
        break;
    case ACT_LATE:
        apply_late(world, action.who);
        break;
    case ACT_PURGE:
        world->version++;
        forget_late(world);
        break;
    case ACT_CLEAR:
        clear(world);
        break;
    case ACT_BEGIN:
    case ACT_RELEASE:
    case ACT_CANCEL:
    case ACT_SERVE:
    case ACT_DELIVER:
    case ACT_CLOCK:
    case ACT_EVIDENCE:
    case ACT_WAKE:
    case ACT_UNKNOWN_APPLIED:
    case ACT_UNKNOWN_DROPPED:
    case ACT_UNKNOWN_LATER:
    case ACT_READ_FAILS:
    case ACT_SLOW:
    case ACT_CUT:
    case ACT_HEAL:
    case ACT_CRASH:
    case ACT_FREEZE:
        apply_worker(world, action);
        break;
    case ACT_COUNT:
        HF_CHECK(!"no such action");
    }
    promise_state(world);
}

void
world_start(struct world *world, const struct world_config *config)
{
    *world = (struct world){.config = config, .version = 1};
}
