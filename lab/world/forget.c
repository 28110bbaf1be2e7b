#include "lab/world/forget.h"

#include "lab/world/promise.h"
#include "lab/world/stored.h"

enum { FORGET_BYTES = 7 };

bool
forget_may(const struct world *world, unsigned who)
{
    return who == 0 && world->config->forgets;
}

/* A worker that has the lock, or asks for it, has it from a place that is
 * gone. */
static void
forsake_workers(struct world *world, bool seen)
{
    for (unsigned i = 0; i < world->config->workers; i++) {
        struct world_worker *w = &world->workers[i];

        if (!w->alive)
            continue;
        w->cleared = w->contender.keeper.state != HF_KEEPER_IDLE;
        w->unaware = w->unaware || seen;
    }
    world->taken = 0;
    world->since = 0;
    world->forgot = true;
}

/* The record of one who has let go of it since is nobody's. */
static void
restore(struct world *world)
{
    const struct world_before *before = &world->before;

    world->exists = before->exists;
    world->version = before->version;
    world->token = before->token;
    world->id = before->id;
    world->terms = before->terms;
    world->marker = before->marker;
    if (world->exists && world_owner(world) == WORLD_WORKERS_MAX)
        world->id = stored_new_id(world);
}

void
forget_removed(struct world *world, unsigned who)
{
    (void)who;
    forsake_workers(world, true);
    world->late_count = 0;
    world->exists = false;
    world->version = ++world->given;
    world->token = world->id = world->marker = 0;
    world->terms = 0;
    stored_keep(world);
}

void
forget_replaced(struct world *world, unsigned who)
{
    (void)who;
    forsake_workers(world, true);
    world->late_count = 0;
    restore(world);
}

void
forget_overwritten(struct world *world, unsigned who)
{
    (void)who;
    forsake_workers(world, false);
    restore(world);
    stored_forget_late(world);
}

void
forget_excuse(struct world *world)
{
    world->since = 0;
}

void
forget_tick(struct world *world)
{
    if (world->forgot && world->since < PROMISE_NOTICED_AFTER)
        world->since++;
}

/* ---- Packing ------------------------------------------------------------ */

size_t
forget_size(const struct world_config *config)
{
    return config->forgets ? FORGET_BYTES : 0;
}

void
forget_collect(const struct world *world, struct names *names)
{
    if (!world->config->forgets)
        return;
    ranks_add(&names->versions, world->before.version);
    ranks_add(&names->versions, world->before.token);
    ranks_add(&names->versions, world->before.marker);
}

void
forget_code(struct coder *coder, struct world *world)
{
    struct codec *codec = &coder->codec;
    struct world_before *before = &world->before;

    if (codec->reads)
        world->given = world->version;
    if (!world->config->forgets)
        return;
    CODE_BITS(codec, 1, before->exists);
    CODE_BITS(codec, 1, world->forgot);
    CODE_BITS(codec, 6, world->since);
    CODE_VERSION(coder, before->version);
    CODE_VERSION(coder, before->token);
    CODE_VERSION(coder, before->marker);
    code_id(coder, &before->id);
    CODE(codec, before->terms);
    if (!codec->reads) /* none is given that is not above it */
        world->given = coder->names->versions.count;
    CODE(codec, world->given);
}
