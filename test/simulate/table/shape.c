#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "simulate/table/world.h"

/* What a world is made of, by its seed: shape, keys, clients and actors. */

/* Every so many seeds are a storm: so many hold, and three for each of so many
 * keys come and go. */
#define STORM_EVERY   50
#define STORM_HOLDERS 20
#define STORM_KEYS    400

/* As src/client/table/queries.c has it. */
#define LOOK_PATIENCE_MS 2000

#define BOOT             "01234567-89ab-cdef-0123-456789abcdef"

struct world_shape
world_small(uint64_t seed)
{
    uint64_t state = seed * 77 + 5;
    uint64_t die = world_die(&state);
    uint64_t other = world_die(&state);
    bool faults = die % 5 < 3;
    static const unsigned shares[] = {0, 60, 200, 300};
    static const int64_t latencies[] = {0, 2, 20, 60, 60, 300};

    if (seed % STORM_EVERY == 0)
        return (struct world_shape){
            .clients = 1,
            .keys = STORM_HOLDERS + STORM_KEYS,
            .actors = STORM_HOLDERS + 3 * STORM_KEYS,
            .max_calls = 1,
            .latency_ms = 10,
            .wake_ms = 3,
            .operations_max = 16,
            .horizon = 400000,
            .storm = true,
        };
    return (struct world_shape){
        .clients = 1 + (die >> 8) % CLIENTS_MAX,
        .keys = 1 + (die >> 16) % KEYS_MAX,
        .actors = 2 + (die >> 24) % 39,
        .max_calls = 1 + (unsigned)((die >> 32) % 3),
        .latency_ms = latencies[(die >> 40) % 6],
        .wake_ms = (die >> 48) % 2 ? 60 : 3,
        .fault_chance = faults ? 10 + (unsigned)((die >> 50) % 200) : 0,
        .faults_end = faults ? 30000 : 0,
        .operations_max = die % 3 == 0 ? 8 : 512,
        .goes_back = faults && (die >> 56) % 4 == 0,
        .looks = shares[other % 4],
        .clears = (unsigned)((other >> 8) % 3) * 400,
        .lanes = (other >> 16) % 4 == 0 ? 400 : 0,
        .horizon = 400000,
    };
}

static void
shape_actor(struct world *world, struct actor *actor)
{
    static const int64_t ttls[] = {LEAST_TTL_MS, 2500, 6000, 20000, 40000};
    struct hf_contender_config *config = &actor->config;
    int64_t ttl_ms = ttls[world_draw(world, 5)];
    int64_t grace_ms = ttl_ms / 4;
    int64_t beat_ms = (ttl_ms - grace_ms - 1000) / 5;

    if (beat_ms < 20)
        beat_ms = 20;
    *config = (struct hf_contender_config){
        .terms = {world_chance(world, 300) ? HF_REFUSE : HF_TAKEOVER,
                  {ttl_ms},
                  {beat_ms}},
        .grace = {grace_ms},
        .limit = {(int64_t)world_draw(world, 60000)},
        .try_only = world_chance(world, 150),
        .fail_suspected = world_chance(world, 100),
        .seed = world_die(&world->dice),
    };
    actor->start_at = 1000 + (int64_t)world_draw(world, 20000);
    actor->hold_ms =
        (int64_t)world_draw(world, world_chance(world, 700) ? 300 : 9000);
    actor->abandons = world_chance(world, world->seed % 4 == 0 ? 500 : 40);
    actor->cancel_at = -1;
    if (world_chance(world, actor->abandons ? 600 : 200))
        actor->cancel_at = actor->start_at + (int64_t)world_draw(world, 10000);
}

static void
shape_crowd(struct world *world, struct actor *actor)
{
    actor->config = (struct hf_contender_config){
        .terms = {HF_TAKEOVER, {30000}, {2000}},
        .grace = {10000},
        .limit = HF_FOREVER,
        .seed = world_die(&world->dice),
    };
    actor->start_at = 1000;
    actor->hold_ms = world->shape.held ? 60000 : 0;
    actor->cancel_at = -1;
}

/* Locks with a ttl of 10 s, and its usual terms, share their commits with locks
 * whose answers are of use for an hour. */
static void
shape_silence(struct world *world, struct actor *actor)
{
    bool brief = world_chance(world, 500);

    shape_crowd(world, actor);
    actor->config.terms.ttl = (struct hf_duration){brief ? 10000 : 3600 * 1000};
    actor->config.grace = (struct hf_duration){brief ? 3333 : 10000};
}

/* A few hold their own, by short beats; the others come, and go at once. */
static void
shape_storm(struct world *world, struct actor *actor, size_t index)
{
    shape_crowd(world, actor);
    actor->key = index < STORM_HOLDERS + STORM_KEYS
                     ? index
                     : STORM_HOLDERS + index % STORM_KEYS;
    if (index >= STORM_HOLDERS)
        return;
    actor->config.terms = (struct hf_terms){HF_TAKEOVER, {LEAST_TTL_MS}, {250}};
    actor->config.grace = (struct hf_duration){200};
    actor->hold_ms = 20000;
}

/* One client holds many, and others of it wait for what another one holds. */
static void
shape_far(struct world *world, struct actor *actor, size_t index)
{
    bool other = index >= world->shape.far && index % 2 == 0;

    shape_crowd(world, actor);
    actor->client = other ? 1 : 0;
    actor->key = index < world->shape.far
                     ? index
                     : world->shape.far + (index - world->shape.far) / 2;
    actor->start_at = index < world->shape.far || other ? 1000 : 10000;
    actor->hold_ms = index < world->shape.far ? 90000 : other ? 30000 : 1000;
}

/* A try's limit is its ttl, whatever was drawn. */
static void
set_up(struct world *world, struct actor *actor)
{
    static char lanes[][2] = {"a", "b"};
    struct hf_contender_config *config = &actor->config;

    actor->settings = (struct hf_settings){
        .name = world->names[actor->key],
        .if_dead = config->terms.if_dead,
        .ttl = config->terms.ttl,
        .beat = config->terms.beat,
        .grace = config->grace,
        .grace_set = true,
        .wait = config->limit,
        .wait_set = true,
        .try_only = config->try_only,
        .fail_suspected = config->fail_suspected,
    };
    if (config->try_only)
        config->limit = config->terms.ttl;
    if (world_chance(world, world->shape.lanes))
        actor->settings.lane = lanes[world_draw(world, 2)];
}

/* Looks at what others hold, or held. */
static void
make_look(struct world *world, struct actor *actor)
{
    static const int64_t watches[] = {0, 0, 700, 5000, 30000, -1};
    int64_t watch_ms = watches[world_draw(world, 6)];

    if (!world_chance(world, world->shape.looks))
        return;
    actor->kind = ACTOR_EXAMINE;
    actor->driver.kind = HF_DRIVER_EXAMINE;
    actor->settings.lane = NULL;
    actor->look = (struct hf_examiner_config){
        .watch = watch_ms < 0 ? HF_FOREVER : (struct hf_duration){watch_ms},
        .patience = {LOOK_PATIENCE_MS},
    };
    if (!world_chance(world, world->shape.clears))
        return;
    actor->kind = ACTOR_CLEAR;
    actor->look.watch = HF_FOREVER;
    actor->look.clear = true;
    actor->look.force = world_chance(world, 400);
    actor->of_former = world_chance(world, 400);
}

static void
make_actor(struct world *world, size_t index)
{
    struct actor *actor = &world->actors[index];
    bool crowd = world->shape.one_line || world->shape.held;

    if (world->shape.far > 0)
        shape_far(world, actor, index);
    else if (world->shape.storm)
        shape_storm(world, actor, index);
    else if (world->shape.swallow_ms > 0)
        shape_silence(world, actor);
    else if (crowd)
        shape_crowd(world, actor);
    else
        shape_actor(world, actor);
    if (!crowd && !world->shape.storm && world->shape.far == 0) {
        actor->client = world_draw(world, world->shape.clients);
        actor->key = world_draw(world, world->shape.keys);
    } else if (world->shape.held) {
        actor->key = index;
    }
    snprintf(actor->name, sizeof(actor->name), "actor %zu of %zu", index,
             actor->client);
    set_up(world, actor);
    actor->cleared_at = actor->deleted_at = -1;
    actor->owned_until = actor->stood_until = LONG_AGO;
    actor->driver.settings = &actor->settings;
    actor->driver.seed = actor->config.seed;
    actor->driver.owner = actor;
    actor->driver.kind = HF_DRIVER_LOCK;
    make_look(world, actor);
    actor->alarm.kind = ALARM_ACTOR;
    hf_heap_set(&world->alarms, &actor->alarm,
                (struct hf_instant){actor->start_at});
}

static void
trace(void *ctx, const char *line)
{
    struct world *world = ctx;

    world_say(world, "  %s", line);
}

static void
make_client(struct world *world, size_t index)
{
    struct client *client = &world->clients[index];
    struct hf_manager_config config = {
        .alloc = &hf_alloc_libc,
        .self = &client->self,
        .wake = {world->shape.wake_ms},
        .operations_max = world->shape.operations_max,
        .bytes_max = 1 << 20,
        .remembers = index % 2 == 0,
        .trace = world->tracing ? trace : NULL,
        .trace_ctx = world,
    };

    client->self.host.pidns = 1 + world_draw(world, 2);
    memcpy(client->self.host.boot, BOOT, sizeof(BOOT));
    client->self.process =
        (struct hf_process){1000 + (int64_t)index, 77 + index};
    client->dies_at = -1;
    client->last_fault = INT64_MIN;
    if (world->shape.clients > 1 && world->shape.far == 0 &&
        world_chance(world, 250))
        client->dies_at = 2000 + (int64_t)world_draw(world, 25000);
    hf_manager_init(&client->manager, &config);
}

void
world_make(struct world *world)
{
    const struct world_shape *shape = &world->shape;

    world->now = (struct hf_instant){1000};
    world->alarms.alloc = &hf_alloc_libc;
    world->table.floor = 1;
    world->keys = calloc(shape->keys, sizeof(*world->keys));
    world->names = calloc(shape->keys, sizeof(*world->names));
    world->actors = calloc(shape->actors, sizeof(*world->actors));
    HF_CHECK(world->keys != NULL && world->names != NULL &&
             world->actors != NULL);
    HF_CHECK(hf_heap_reserve(&world->alarms, 4 * shape->actors + 100000));
    for (size_t k = 0; k < shape->keys; k++) {
        snprintf(world->names[k], sizeof(world->names[k]), "key-%028zu", k);
        world->keys[k].owned_until = LONG_AGO;
        world->keys[k].since_ms = LONG_AGO;
        world->keys[k].changed_at = LONG_AGO;
        world->keys[k].believers =
            calloc(shape->held ? 2 : shape->actors, sizeof(struct actor *));
        HF_CHECK(world->keys[k].believers != NULL);
    }
    for (size_t c = 0; c < shape->clients; c++)
        make_client(world, c);
    if (shape->fault_chance > 0 && world_chance(world, 300)) {
        world->away_from = 2000 + (int64_t)world_draw(world, 20000);
        world->away_until = world->away_from + (int64_t)world_draw(world, 8000);
    }
    for (size_t a = 0; a < shape->actors; a++)
        make_actor(world, a);
}
