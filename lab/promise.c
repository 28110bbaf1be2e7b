#include "promise.h"

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

    if (owner == WORLD_WORKERS_MAX || !world_believes(world, owner))
        return;
    if (own && write->kind == HF_DELETE &&
        w->contender.state == HF_CONTENDER_HOLDING)
        broken(world, PROMISE_LOST_LOCK);
    if (!own)
        broken(world,
               write->kind == HF_PUT ? PROMISE_STOLEN : PROMISE_LOST_LOCK);
}

void
promise_write(struct world *world, const struct world_write *write)
{
    bool by_operator = write->id == 0;
    bool refuse = world->config->terms[world->terms].if_dead == HF_REFUSE;

    if (!world->exists || by_operator)
        return;
    promise_of_owner(world, write);
    if (refuse && write->id != world->id)
        broken(world, PROMISE_REFUSE);
}

void
promise_grant(struct world *world, unsigned worker)
{
    const struct hf_contender *c = &world->workers[worker].contender;

    if (hf_contender_check(c, WORLD_NOW) != HF_GRANTED)
        broken(world, PROMISE_LATE_ANSWER);
    if (c->keeper.token <= world->highest)
        broken(world, PROMISE_FENCE);
    world->highest = c->keeper.token;
}

void
promise_end(struct world *world, unsigned worker)
{
    for (unsigned i = 0; i < world->late_count; i++)
        if (world->late[i].worker == worker && world->late[i].kind == HF_PUT)
            broken(world, PROMISE_ORPHAN);
}

static void
promise_of_record(struct world *world)
{
    /* A record's id is a live worker's claim, or that of a process that
     * crashed; a live process that has let go of it has left it behind. */
    for (unsigned i = 0; i < world->config->workers; i++) {
        const struct world_worker *w = &world->workers[i];

        if (world->exists && w->alive && !world_owns(world, i) &&
            w->contender.claims > 0 &&
            world->id == w->contender.keeper.heartbeat.id)
            broken(world, PROMISE_ORPHAN);
    }
}

static void
promise_of_section(struct world *world)
{
    unsigned believing = 0;
    unsigned inside = 0;

    for (unsigned i = 0; i < world->config->workers; i++) {
        believing += world_believes(world, i);
        inside += world->workers[i].alive && world->workers[i].in_section;
    }
    /* Whoever clears a lock by force takes it on himself. */
    if (believing > 1 && !world->cleared)
        broken(world, PROMISE_OVERLAP);
    if (inside > 1 && world->config->limit_shown)
        broken(world, PROMISE_BOTH_BELIEVE);
    if (believing == 0)
        world->cleared = false;
}

void
promise_state(struct world *world)
{
    promise_of_record(world);
    promise_of_section(world);
}
