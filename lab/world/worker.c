#include "world/worker.h"

#include <stddef.h>

#include "base/check.h"
#include "world/promise.h"
#include "world/resource.h"
#include "world/stored.h"

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
    HF_CHECK(op->expect.kind == HF_EXPECT_VERSION);
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

static void
told(struct world *world, unsigned worker, enum hf_told news)
{
    struct world_worker *w = &world->workers[worker];

    if (news == HF_TOLD_GRANTED) {
        w->in_section = true;
        promise_grant(world, worker);
        resource_grant(world, worker);
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
    return w->mail.out && !w->mail.served && !worker_reads(w);
}

/*
 * Step the worker's contender, and perform what it wants done.  A question
 * that it gives up thereby was, until now, the one that is out.
 */
void
worker_pump(struct world *world, unsigned worker, struct hf_event event)
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
            stored_keep_late(world, write);
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

void
worker_serve(struct world *world, unsigned worker)
{
    struct world_mail *mail = &world->workers[worker].mail;
    struct world_write write;

    mail->served = true;
    if (worker_reads(&world->workers[worker])) {
        mail->sight = stored_read(world);
        return;
    }
    write = write_of(world, worker);
    mail->verdict = stored_apply(world, &write);
    mail->version = mail->verdict == HF_APPLIED ? world->version : 0;
}

void
worker_init_contender(const struct world_config *config, unsigned worker,
                      struct hf_contender *contender)
{
    const struct world_terms *terms = &config->terms[worker];
    struct hf_contender_config own = {
        .terms = world_terms_of(config, worker),
        .limit = terms->limit == 0 ? HF_FOREVER : world_ticks(terms->limit),
        .try_only = terms->try_only,
        .seed = worker + 1,
    };

    hf_contender_init(contender, &own);
}

void
worker_begin(struct world *world, unsigned worker)
{
    struct world_worker *w = &world->workers[worker];

    w->alive = true;
    worker_init_contender(world->config, worker, &w->contender);
    worker_pump(world, worker, hf_event(HF_ON_ACQUIRE, WORLD_NOW));
}

void
worker_release(struct world *world, unsigned worker)
{
    world->workers[worker].in_section = false;
    worker_pump(world, worker, hf_event(HF_ON_RELEASE, WORLD_NOW));
}

void
worker_deliver(struct world *world, unsigned worker)
{
    struct world_worker *w = &world->workers[worker];
    struct world_mail mail = w->mail;
    uint64_t number = w->contender.keeper.asker.number;

    if (worker_reads(w))
        worker_pump(world, worker, hf_found(WORLD_NOW, number, mail.sight));
    else
        worker_pump(world, worker,
                    hf_answer(WORLD_NOW, number, mail.verdict, mail.version));
}

void
worker_crash(struct world *world, unsigned worker)
{
    struct world_worker *w = &world->workers[worker];

    if (write_is_out(w))
        stored_keep_late(world, write_of(world, worker));
    for (unsigned i = 0; i < world->late_count; i++)
        if (world->late[i].worker == worker)
            world->late[i].worker = WORLD_WORKERS_MAX;
    *w = (struct world_worker){.phase = w->phase};
}

void
worker_answer_unknown(struct world *world, unsigned worker, enum world_act how)
{
    struct world_mail *mail = &world->workers[worker].mail;

    if (how == ACT_UNKNOWN_APPLIED)
        worker_serve(world, worker);
    else if (how == ACT_UNKNOWN_LATER)
        stored_keep_late(world, write_of(world, worker));
    mail->served = true;
    mail->verdict = HF_UNKNOWN;
    mail->version = 0;
}

/* ---- Time --------------------------------------------------------------- */

/* Its clock has gone on by so many ticks: every instant it knows is as much
 * further in the past. */
static void
pass(struct hf_contender *c, int count)
{
    world_age(&c->limit_at, count);
    world_age(&c->sighting.first_at, count);
    world_age(&c->sighting.shown_at, count);
    world_age(&c->keeper.asker.asked_at, count);
    world_age(&c->keeper.asker.again_at, count);
    world_age(&c->keeper.right_until, count);
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

void
worker_tick(const struct world_config *config, unsigned worker,
            struct world_worker *w)
{
    const struct world_terms *terms = &config->terms[worker];
    int count = terms->gains == 0 ? 1 : ticks_of(terms, &w->phase);

    if (w->alive)
        pass(&w->contender, count);
}
