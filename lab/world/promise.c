#include "lab/world/promise.h"

#include <stddef.h>

static void
broken(struct world *world, const char *promise)
{
    if (world->violated == NULL)
        world->violated = promise;
}

/* Somebody else's write on a record, or one's own that comes too late. */
static void
promise_of_owner(struct world *world, const struct world_write *write)
{
    unsigned owner = world_owner(world);
    const struct world_worker *w = &world->workers[owner];
    bool own = owner == write->worker;

    if (owner == WORLD_WORKERS_MAX || w->cleared ||
        !world_believes(world, owner))
        return;
    if (own && write->kind == HF_DELETE &&
        w->contender.state == HF_CONTENDER_HOLDING)
        broken(world, PROMISE_LOST_LOCK);
    if (!own)
        broken(world,
               write->kind == HF_PUT ? PROMISE_STOLEN : PROMISE_LOST_LOCK);
}

/* A person who looked first deletes no record while its holder's right lasts;
 * one who forces it may. */
static void
promise_of_clear(struct world *world, const struct world_write *write)
{
    unsigned owner = world_owner(world);
    const struct world_worker *w = &world->workers[owner];

    if (write->looked && owner != WORLD_WORKERS_MAX && w->in_section &&
        hf_contender_check(&w->contender, WORLD_NOW) == HF_GRANTED)
        broken(world, PROMISE_LOST_LOCK);
}

void
promise_write(struct world *world, const struct world_write *write)
{
    bool by_person = write->id == 0;
    bool refuse = world->config->terms[world->terms].if_dead == HF_REFUSE;

    if (by_person)
        promise_of_clear(world, write);
    if (!world->exists || by_person)
        return;
    if (world->foreign)
        broken(world, PROMISE_FOREIGN);
    promise_of_owner(world, write);
    if (write->claims && write->over == world->taken)
        broken(world, PROMISE_TWO_TAKERS);
    if (write->claims)
        world->taken = write->over;
    if (refuse && !world->foreign && write->id != world->id)
        broken(world, PROMISE_REFUSE);
}

void
promise_grant(struct world *world, unsigned worker)
{
    struct world_worker *w = &world->workers[worker];
    const struct hf_contender *c = &w->contender;

    if (hf_contender_check(c, WORLD_NOW) != HF_GRANTED)
        broken(world, PROMISE_LATE_ANSWER);
    if (c->keeper.token <= world->highest && !w->cleared)
        broken(world, PROMISE_FENCE);
    if (world_owns(world, worker) && c->keeper.token != world->token)
        broken(world, PROMISE_FENCE);
    if (c->keeper.token > world->highest)
        world->highest = c->keeper.token;
    if (world_owns(world, worker) && c->keeper.version == world->version)
        w->cleared = false; /* the place brought its claim back */
}

void
promise_step(struct world *world, unsigned worker, enum hf_outcome before)
{
    const struct hf_contender *c = &world->workers[worker].contender;
    enum hf_outcome now = hf_contender_check(c, WORLD_NOW);

    if (before == HF_LOST && (now == HF_GRANTED || now == HF_IN_DOUBT))
        broken(world, PROMISE_REVIVED);
}

/* True when the store executed the read. */
void
promise_death(struct world *world, enum hf_outcome said,
              const struct world_mail *heard)
{
    if (said == HF_GONE ? !heard->of_dead : heard->of_believer)
        broken(world, PROMISE_FALSE_DEATH);
}

void
promise_end(struct world *world, unsigned worker)
{
    const struct hf_contender *c = &world->workers[worker].contender;

    if (world->exists && !world->foreign && c->claims > 0 && !world->forgot &&
        world->id == c->keeper.heartbeat.id)
        broken(world, PROMISE_ORPHAN);
    for (unsigned i = 0; i < world->late_count; i++)
        if (world->late[i].worker == worker && world->late[i].kind == HF_PUT)
            broken(world, PROMISE_ORPHAN);
}

/* A write is taken unless one of a later grant was taken before. */
void
promise_resource(struct world *world, unsigned grant, bool taken)
{
    if (taken != (grant >= world->resource.grant))
        broken(world, PROMISE_RESOURCE);
}

static void
promise_of_record(struct world *world)
{
    /* A record's id is a live worker's claim, or that of a process that
     * crashed; a live process that has let go of it has left it behind. */
    for (unsigned i = 0; i < world->config->workers; i++) {
        const struct world_worker *w = &world->workers[i];

        if (world->exists && !world->foreign && w->alive &&
            !world_owns(world, i) && w->contender.claims > 0 &&
            !world->forgot && world->id == w->contender.keeper.heartbeat.id)
            broken(world, PROMISE_ORPHAN);
    }
}

/* Its right is over, it is awake, with nothing left to do by its clock, and yet
 * it was told nothing, or is inside all the same, or was told of no doubt. */
static bool
is_untold(const struct world *world, unsigned worker)
{
    const struct world_worker *w = &world->workers[worker];
    const struct hf_keeper *k = &w->contender.keeper;
    bool over =
        k->state == HF_KEEPER_HELD && hf_reached(WORLD_NOW, k->right_until);
    bool stays = w->in_section && !world_believes(world, worker);
    bool unsure = k->state == HF_KEEPER_IN_DOUBT && !w->doubts;

    return (over || stays || unsure) && w->alive && !w->frozen &&
           !worker_is_due(w);
}

/* Does a worker that is at work still believe in what is gone, although its
 * next beat was due? */
static bool
is_unnoticed(const struct world *world, unsigned worker)
{
    const struct world_worker *w = &world->workers[worker];

    return world->forgot && world->since >= PROMISE_NOTICED_AFTER && w->alive &&
           w->cleared && w->in_section && !w->frozen && !w->cut &&
           !w->mail.slow &&
           hf_contender_check(&w->contender, WORLD_NOW) == HF_GRANTED;
}

static void
promise_of_section(struct world *world)
{
    unsigned believing = 0;
    unsigned inside = 0;

    for (unsigned i = 0; i < world->config->workers; i++) {
        struct world_worker *w = &world->workers[i];

        if (w->contender.keeper.state == HF_KEEPER_IDLE)
            w->cleared = false;
        believing += !w->cleared && world_believes(world, i);
        inside += w->alive && w->in_section;
    }
    if (believing > 1)
        broken(world, PROMISE_OVERLAP);
    for (unsigned i = 0; i < world->config->workers; i++)
        if (is_unnoticed(world, i))
            broken(world, PROMISE_UNNOTICED);
    for (unsigned i = 0; i < world->config->workers; i++)
        if (is_untold(world, i))
            broken(world, PROMISE_UNTOLD);
    if (inside > 1 && world->config->limit_shown)
        broken(world, PROMISE_BOTH_BELIEVE);
}

void
promise_state(struct world *world)
{
    promise_of_record(world);
    promise_of_section(world);
}

bool
promise_sees_same(const struct world *a, const struct world *b, unsigned worker)
{
    const struct world_worker *v = &a->workers[worker];
    const struct world_worker *w = &b->workers[worker];
    const struct hf_contender *c = &v->contender;
    const struct hf_contender *d = &w->contender;

    return a->highest == b->highest && v->alive == w->alive &&
           v->in_section == w->in_section && v->cleared == w->cleared &&
           is_untold(a, worker) == is_untold(b, worker) &&
           (c->state == HF_CONTENDER_HOLDING) ==
               (d->state == HF_CONTENDER_HOLDING) &&
           (c->claims > 0) == (d->claims > 0) &&
           hf_contender_check(c, WORLD_NOW) ==
               hf_contender_check(d, WORLD_NOW) &&
           (c->keeper.state == HF_KEEPER_IDLE) ==
               (d->keeper.state == HF_KEEPER_IDLE) &&
           c->keeper.heartbeat.id == d->keeper.heartbeat.id;
}
