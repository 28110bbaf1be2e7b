#include "lab/world/stored.h"

#include "base/check.h"
#include "lab/world/promise.h"
#include "lab/world/stamp.h"

/* Only writes that expect this very version can still apply. */
void
stored_forget_late(struct world *world)
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

/* By a person, who answers for what comes of it. */
static void
note_cleared(struct world *world)
{
    unsigned owner = world_owner(world);

    if (owner != WORLD_WORKERS_MAX)
        world->workers[owner].cleared = true;
}

void
stored_keep(struct world *world)
{
    if (!world->config->forgets)
        return;
    world->before = (struct world_before){
        .exists = world->exists,
        .version = world->version,
        .token = world->token,
        .id = world->id,
        .terms = world->terms,
        .marker = world->marker,
    };
}

enum hf_verdict
stored_apply(struct world *world, const struct world_write *write)
{
    if (!applies(world, write))
        return HF_REFUSED;

    promise_write(world, write);
    if (write->id == 0)
        note_cleared(world);
    stamp_write(world);
    stored_keep(world);
    world->version = ++world->given;
    world->foreign = false;
    world->exists = write->kind == HF_PUT;
    world->id = world->exists ? write->id : 0;
    world->terms = world->exists ? write->terms : 0;
    if (write->claims || !world->exists)
        world->token = world->exists ? world->version : 0;
    if (write->claims && write->ended)
        world_end_token(world, world->token);
    if (write->claims)
        world->marker = write->over;
    else if (write->over == world->marker)
        world->marker = 0;
    if (write->worker < world->config->workers && write->kind == HF_PUT &&
        world->workers[write->worker].in_section)
        world->workers[write->worker].cleared = false; /* it is there again */
    stored_forget_late(world);
    return HF_APPLIED;
}

struct hf_sight
stored_read(const struct world *world)
{
    struct hf_sight sight = {
        .kind = world->foreign  ? HF_SIGHT_CORRUPT
                : world->exists ? HF_SIGHT_LOCK
                                : HF_SIGHT_ABSENT,
        .version = world->version,
        .token = world->token,
        .heartbeat = {.id = world->id},
    };

    if (sight.kind == HF_SIGHT_LOCK) {
        sight.terms = world_terms_of(world->config, world->terms);
        sight.stood = stamp_stood(world);
    }
    return sight;
}

void
stored_put_foreign(struct world *world)
{
    note_cleared(world);
    world->version = ++world->given;
    world->token = world->version;
    world->exists = world->foreign = true;
    world->id = 0;
    world->terms = 0;
    stored_forget_late(world);
}

void
stored_purge(struct world *world)
{
    world->version = ++world->given;
    stored_forget_late(world);
}

static bool
id_is_used(const struct world *world, uint64_t id)
{
    bool used = world->id == id || world->before.id == id;

    for (unsigned i = 0; i < world->config->workers; i++) {
        const struct world_worker *w = &world->workers[i];

        used =
            used || w->contender.keeper.heartbeat.id == id ||
            w->mail.sight.heartbeat.id == id || w->mail.write.id == id ||
            (world->config->hints && world->heard[i].sight.heartbeat.id == id);
    }
    for (unsigned i = 0; i < world->late_count; i++)
        used = used || world->late[i].id == id;
    return used;
}

uint64_t
stored_new_id(const struct world *world)
{
    uint64_t id = 1;

    while (id_is_used(world, id))
        id++;
    return id;
}

void
stored_keep_late(struct world *world, struct world_write write)
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

/* Refused by what rides along, it has had its chance all the same. */
void
stored_apply_late(struct world *world, unsigned index)
{
    struct world_write write = world->late[index];

    if (stored_apply(world, &write) == HF_REFUSED)
        world->late[index] = world->late[--world->late_count];
}
