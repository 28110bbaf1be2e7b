#include "simulate/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attrs.h"
#include "base/check.h"
#include "base/random.h"
#include "simulate/place.h"

/* Every so many seeds are a storm: so many hold, and three for each of so many
 * keys come and go. */
#define STORM_EVERY   50
#define STORM_HOLDERS 20
#define STORM_KEYS    400

#define BOOT          "01234567-89ab-cdef-0123-456789abcdef"

/* ---- Chance -------------------------------------------------------------- */

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t
next_die(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t
world_draw(struct world *world, uint64_t below)
{
    return below == 0 ? 0 : next_die(&world->dice) % below;
}

static bool
chance(struct world *world, uint64_t of_thousand)
{
    return world_draw(world, 1000) < of_thousand;
}

void
world_break(struct world *world, const char *promise, const char *format, ...)
{
    va_list args;

    if (world->broken != NULL)
        return;
    world->broken = promise;
    va_start(args, format);
    vsnprintf(world->detail, sizeof(world->detail), format, args);
    va_end(args);
}

/* ---- What a client's manager lets out ------------------------------------ */

HF_PRINTF(2, 3)
static void
say(struct world *world, const char *format, ...)
{
    va_list args;

    if (!world->tracing)
        return;
    printf("%8lld ", (long long)world->now.ms);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

/* The processes of the holder, as this client sees them. */
static void
observe(struct world *world, size_t index, struct hf_queue *queue, bool wanted)
{
    struct client *client = &world->clients[index];
    struct hf_value value;
    struct client *holder = NULL;
    bool here = false;

    if (wanted && hf_seen_value(&queue->seen, &value) &&
        value.owner.processes_count == 1) {
        holder = &world->clients[value.owner.processes[0].pid - 1000];
        here = holder->self.host.pidns == client->self.host.pidns;
    }
    queue->observed = here ? &holder->holder : NULL;
    hf_manager_observed(&client->manager, queue);
    if (wanted)
        hf_manager_presence(&client->manager, queue, here,
                            !here          ? HF_PRESENCE_UNKNOWN
                            : holder->dead ? HF_PRESENCE_GONE
                                           : HF_PRESENCE_THERE,
                            world->now);
}

/* What an actor does when it is told. */
static void
hear(struct world *world, struct actor *actor, unsigned news)
{
    say(world, "%s told %x: %s", actor->name, news,
        hf_state_word(hf_manager_state(&actor->driver, world->now)));
    promise_told(world, actor, news);
    if ((news & HF_NEWS_GRANTED) && !actor->told_ended) {
        int64_t until = world->now.ms + actor->hold_ms;

        if (actor->cancel_at < 0 || actor->cancel_at > until)
            hf_heap_set(&world->alarms, &actor->alarm,
                        (struct hf_instant){until});
    }
    if (news & HF_NEWS_ENDED)
        hf_heap_set(&world->alarms, &actor->alarm, HF_NEVER);
}

/* The shell around a manager: what comes out goes where it belongs. */
static void
flush(struct world *world, size_t index)
{
    struct client *client = &world->clients[index];
    struct hf_queue *queue;
    struct hf_driver *driver;
    bool wanted;

    if (client->dead)
        return;
    while ((queue = hf_manager_take_observe(&client->manager, &wanted)) != NULL)
        observe(world, index, queue, wanted);
    while ((driver = hf_manager_take_told(&client->manager)) != NULL) {
        unsigned news = driver->news;

        driver->news = 0;
        hear(world, (struct actor *)driver, news);
    }
    while (client->calls_count < world->shape.max_calls &&
           place_call(world, index))
        continue;
}

/* ---- Actors -------------------------------------------------------------- */

static void
start(struct world *world, struct actor *actor)
{
    struct client *client = &world->clients[actor->client];
    struct hf_error error;

    say(world, "%s starts for %s", actor->name, actor->settings.name);
    actor->started = true;
    hf_heap_set(&world->alarms, &actor->alarm,
                actor->cancel_at < 0 ? HF_NEVER
                                     : (struct hf_instant){actor->cancel_at});
    HF_CHECK(hf_manager_start(&client->manager, &actor->driver, world->now,
                              &error) == HF_OK);
}

/* Its time is over: released if it holds, given up if it waits. */
static void
stop(struct world *world, struct actor *actor)
{
    struct hf_manager *manager = &world->clients[actor->client].manager;

    say(world, "%s stops", actor->name);
    hf_heap_set(&world->alarms, &actor->alarm, HF_NEVER);
    actor->stopped = true;
    if (actor->driver.ended)
        return;
    if (actor->abandons) {
        actor->abandoned = true;
        hf_manager_abandon(manager, &actor->driver, world->now);
    } else if (chance(world, 500)) {
        hf_manager_release(manager, &actor->driver, world->now);
    } else {
        hf_manager_cancel(manager, &actor->driver, world->now);
    }
}

static void
act(struct world *world, struct actor *actor)
{
    struct client *client = &world->clients[actor->client];

    if (client->dead) {
        hf_heap_set(&world->alarms, &actor->alarm, HF_NEVER);
        return;
    }
    if (client->frozen_until > world->now.ms) {
        hf_heap_set(&world->alarms, &actor->alarm,
                    (struct hf_instant){client->frozen_until});
        return;
    }
    if (actor->started)
        stop(world, actor);
    else
        start(world, actor);
    flush(world, actor->client);
}

/* ---- Clients ------------------------------------------------------------- */

/* The process of `dead` has ended: who observes it hears of it. */
static void
tell_death(struct world *world, struct client *dead)
{
    for (size_t c = 0; c < world->shape.clients; c++) {
        struct hf_manager *manager = &world->clients[c].manager;

        if (world->clients[c].dead)
            continue;
        for (size_t k = 0; k < world->shape.keys; k++) {
            struct hf_queue *queue = hf_manager_find(
                manager, (struct hf_key){"default", world->names[k]});

            if (queue != NULL && queue->observed == &dead->holder)
                hf_manager_presence(manager, queue, true, HF_PRESENCE_GONE,
                                    world->now);
        }
        flush(world, c);
    }
}

static void
die(struct world *world, struct client *client)
{
    say(world, "client %d dies", (int)(client - world->clients));
    client->dead = true;
    client->dies_at = -1;
    tell_death(world, client);
}

static void
tick(struct world *world, size_t index)
{
    hf_manager_tick(&world->clients[index].manager, world->now);
    flush(world, index);
}

/* When this client has something to do by itself. */
static struct hf_instant
client_due(const struct client *client)
{
    struct hf_instant due = HF_NEVER;

    if (client->dead)
        return HF_NEVER;
    due = hf_later(hf_manager_deadline(&client->manager),
                   (struct hf_instant){client->frozen_until});
    if (client->dies_at >= 0)
        due = hf_earlier(due, (struct hf_instant){client->dies_at});
    return due;
}

static void
freeze_somebody(struct world *world)
{
    struct client *client =
        &world->clients[world_draw(world, world->shape.clients)];
    int64_t until;

    if (client->dead || world->now.ms > world->shape.faults_end)
        return;
    until = world->now.ms +
            (int64_t)world_draw(world, chance(world, 300) ? 9000 : 900);
    if (client->frozen_until < until)
        client->frozen_until = until;
    if (client->last_fault < until)
        client->last_fault = until;
    say(world, "client %d freezes until %lld", (int)(client - world->clients),
        (long long)client->frozen_until);
}

/* ---- One step ------------------------------------------------------------ */

static void
ring(struct world *world, struct hf_heap_node *alarm)
{
    switch (alarm->kind) {
    case ALARM_ACTOR:
        act(world, HF_CONTAINER(alarm, struct actor, alarm));
        break;
    case ALARM_CALL: {
        struct call *call = HF_CONTAINER(alarm, struct call, alarm);
        size_t client = call->client;

        place_step(world, call);
        flush(world, client);
        break;
    }
    case ALARM_HINT: {
        struct hint *hint = HF_CONTAINER(alarm, struct hint, alarm);
        struct client *client = &world->clients[hint->client];
        size_t index = hint->client;

        hf_heap_set(&world->alarms, alarm, HF_NEVER);
        if (!client->dead && client->frozen_until <= world->now.ms)
            hf_manager_changed(
                &client->manager,
                (struct hf_key){"default", world->names[hint->key]},
                world->now);
        free(hint);
        flush(world, index);
        break;
    }
    }
}

/* Somebody put an empty place where the other was: all are told at once. */
static void
go_back(struct world *world)
{
    say(world, "the place goes back");
    world->went_back = true;
    hf_memory_table_fini(&world->table);
    world->table = (struct hf_memory_table){.floor = (uint64_t)hf_wall_us()};
    for (size_t k = 0; k < world->shape.keys; k++)
        world->keys[k].owner = NULL;
    for (size_t c = 0; c < world->shape.clients; c++) {
        if (world->clients[c].dead)
            continue;
        hf_manager_went_back(&world->clients[c].manager, world->now);
        flush(world, c);
    }
}

/* Whatever comes next; false: nothing more, or not before the horizon. */
static bool
step(struct world *world)
{
    struct hf_heap_node *alarm = hf_heap_first(&world->alarms);
    struct hf_instant at = alarm == NULL ? HF_NEVER : alarm->at;
    size_t ticking = CLIENTS_MAX;

    for (size_t i = 0; i < world->shape.clients; i++) {
        struct hf_instant due = client_due(&world->clients[i]);

        if (due.ms < at.ms) {
            at = due;
            ticking = i;
        }
    }
    if (at.ms > world->shape.horizon)
        return false;
    if (at.ms > world->now.ms)
        world->now = at;
    world->steps++;
    if (world->shape.fault_chance > 0 && chance(world, 1) &&
        world->shape.clients > 1)
        freeze_somebody(world);
    if (world->shape.goes_back && !world->went_back && world->now.ms > 6000 &&
        chance(world, 5))
        go_back(world);
    else if (ticking == CLIENTS_MAX)
        ring(world, alarm);
    else if (world->clients[ticking].dies_at >= 0 &&
             world->clients[ticking].dies_at <= world->now.ms)
        die(world, &world->clients[ticking]);
    else
        tick(world, ticking);
    return true;
}

/* ---- A world ------------------------------------------------------------- */

struct world_shape
world_small(uint64_t seed)
{
    uint64_t state = seed * 77 + 5;
    uint64_t die = next_die(&state);
    bool faults = die % 5 < 3;
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
        .goes_back = faults && (die >> 56) % 8 == 0,
        .horizon = 400000,
    };
}

static void
shape_actor(struct world *world, struct actor *actor)
{
    static const int64_t ttls[] = {LEAST_TTL_MS, 2500, 6000, 20000};
    struct hf_contender_config *config = &actor->config;
    int64_t ttl_ms = ttls[world_draw(world, 4)];
    int64_t grace_ms = ttl_ms / 4;
    int64_t beat_ms = (ttl_ms - grace_ms - 1000) / 5;

    if (beat_ms < 20)
        beat_ms = 20;
    *config = (struct hf_contender_config){
        .terms = {chance(world, 300) ? HF_REFUSE : HF_TAKEOVER,
                  {ttl_ms},
                  {beat_ms}},
        .grace = {grace_ms},
        .limit = {(int64_t)world_draw(world, 60000)},
        .try_only = chance(world, 150),
        .fail_suspected = chance(world, 100),
        .seed = next_die(&world->dice),
    };
    actor->start_at = 1000 + (int64_t)world_draw(world, 20000);
    actor->hold_ms =
        (int64_t)world_draw(world, chance(world, 700) ? 300 : 9000);
    actor->abandons = chance(world, world->seed % 4 == 0 ? 500 : 40);
    actor->cancel_at = -1;
    if (chance(world, actor->abandons ? 600 : 200))
        actor->cancel_at = actor->start_at + (int64_t)world_draw(world, 10000);
}

static void
shape_crowd(struct world *world, struct actor *actor)
{
    actor->config = (struct hf_contender_config){
        .terms = {HF_TAKEOVER, {30000}, {2000}},
        .grace = {10000},
        .limit = HF_FOREVER,
        .seed = next_die(&world->dice),
    };
    actor->start_at = 1000;
    actor->hold_ms = world->shape.held ? 60000 : 0;
    actor->cancel_at = -1;
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
    actor->driver.settings = &actor->settings;
    actor->driver.seed = actor->config.seed;
    actor->driver.owner = actor;
    actor->driver.kind = HF_DRIVER_LOCK;
    actor->alarm.kind = ALARM_ACTOR;
    hf_heap_set(&world->alarms, &actor->alarm,
                (struct hf_instant){actor->start_at});
}

static void
trace(void *ctx, const char *line)
{
    struct world *world = ctx;

    say(world, "  %s", line);
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
        .trace = world->tracing ? trace : NULL,
        .trace_ctx = world,
    };

    client->self.host.pidns = 1 + world_draw(world, 2);
    memcpy(client->self.host.boot, BOOT, sizeof(BOOT));
    client->self.process =
        (struct hf_process){1000 + (int64_t)index, 77 + index};
    client->dies_at = -1;
    client->last_fault = INT64_MIN;
    if (world->shape.clients > 1 && world->shape.fault_chance > 0 &&
        chance(world, 250))
        client->dies_at = 2000 + (int64_t)world_draw(world, 25000);
    hf_manager_init(&client->manager, &config);
}

static void
make(struct world *world)
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
        world->keys[k].owned_until = INT64_MIN / 2;
        world->keys[k].since_ms = INT64_MIN / 2;
        world->keys[k].believers =
            calloc(shape->held ? 2 : shape->actors, sizeof(struct actor *));
        HF_CHECK(world->keys[k].believers != NULL);
    }
    for (size_t c = 0; c < shape->clients; c++)
        make_client(world, c);
    if (shape->fault_chance > 0 && chance(world, 300)) {
        world->away_from = 2000 + (int64_t)world_draw(world, 20000);
        world->away_until = world->away_from + (int64_t)world_draw(world, 8000);
    }
    for (size_t a = 0; a < shape->actors; a++)
        make_actor(world, a);
}

/* Everybody has ended by now, if the place has answered for long enough. */
static void
look_at_the_end(struct world *world)
{
    for (size_t a = 0; a < world->shape.actors; a++) {
        struct actor *actor = &world->actors[a];

        if (!world->clients[actor->client].dead && !actor->told_ended)
            world_break(
                world, "everybody comes to an end", "%s is %s", actor->name,
                hf_state_word(hf_manager_state(&actor->driver, world->now)));
    }
}

static void
unmake(struct world *world)
{
    struct hf_queue *queue;
    bool wanted;

    for (size_t a = 0; a < world->shape.actors; a++) {
        struct actor *actor = &world->actors[a];

        if (actor->started && !actor->driver.ended)
            hf_manager_abandon(&world->clients[actor->client].manager,
                               &actor->driver, world->now);
    }
    for (size_t c = 0; c < world->shape.clients; c++) {
        struct hf_manager *manager = &world->clients[c].manager;

        place_forget(world, c);
        while ((queue = hf_manager_take_observe(manager, &wanted)) != NULL) {
            queue->observed = NULL;
            hf_manager_observed(manager, queue);
        }
    }
    for (size_t a = 0; a < world->shape.actors; a++)
        if (world->actors[a].started)
            hf_manager_forget(&world->clients[world->actors[a].client].manager,
                              &world->actors[a].driver);
    for (size_t c = 0; c < world->shape.clients; c++)
        hf_manager_fini(&world->clients[c].manager);
    for (size_t k = 0; k < world->shape.keys; k++)
        free(world->keys[k].believers);
    place_fini(world);
    hf_heap_fini(&world->alarms);
    free(world->keys);
    free(world->names);
    free(world->actors);
}

bool
world_run(struct world *world, uint64_t seed, const struct world_shape *shape,
          bool tracing)
{
    *world = (struct world){.seed = seed, .dice = seed, .shape = *shape};
    world->tracing = tracing;
    make(world);
    while (world->broken == NULL && step(world))
        continue;
    if (world->broken == NULL)
        look_at_the_end(world);
    unmake(world);
    return world->broken == NULL;
}
