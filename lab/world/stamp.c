#include "lab/world/stamp.h"

enum { STAMP_BYTES = 2 };

void
stamp_write(struct world *world)
{
    world->age = world->set = 0;
}

/* An older record is as dead, whatever its ttl is. */
static unsigned
oldest(const struct world_config *config)
{
    int ttl = 0;

    for (unsigned i = 0; i < config->workers; i++)
        if (config->terms[i].ttl > ttl)
            ttl = config->terms[i].ttl;
    return (unsigned)(ttl + config->trusts);
}

static bool
is_told(const struct world *world)
{
    return world->config->trusts > 0 && world->exists &&
           world->age < oldest(world->config);
}

struct hf_duration
stamp_stood(const struct world *world)
{
    int stood = (int)world->age - world->config->trusts;

    return world_ticks(world->config->trusts > 0 && stood > 0 ? stood : 0);
}

bool
stamp_may_be_set(const struct world *world, unsigned who)
{
    return who == 0 && is_told(world) &&
           world->set < (unsigned)world->config->errs;
}

void
stamp_set(struct world *world, unsigned who)
{
    (void)who;
    world->age++;
    world->set++;
}

void
stamp_tick(struct world *world)
{
    if (is_told(world))
        world->age++;
}

/* ---- Packing ------------------------------------------------------------ */

size_t
stamp_size(const struct world_config *config)
{
    return config->trusts > 0 ? STAMP_BYTES : 0;
}

/* It is set no more once it is as old as matters. */
void
stamp_code(struct coder *coder, struct world *world)
{
    if (world->config->trusts == 0)
        return;
    if (!coder->codec.reads && !is_told(world))
        world->set = 0;
    CODE(&coder->codec, world->age);
    CODE(&coder->codec, world->set);
}
