#include "simulate/table/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attrs.h"
#include "base/check.h"
#include "simulate/table/place.h"
#include "simulate/table/promise.h"
#include "simulate/table/truth.h"

/* Steps at one instant: far more than all who wait have to do in it. */
enum { AT_ONCE_MAX = 1000 * 1000 };

/* ---- Chance -------------------------------------------------------------- */

/* splitmix64 (Steele, Lea, Flood 2014). */
uint64_t
world_die(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t
world_draw(struct world *world, uint64_t below)
{
    return below == 0 ? 0 : world_die(&world->dice) % below;
}

bool
world_chance(struct world *world, uint64_t of_thousand)
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

void
world_say(const struct world *world, const char *format, ...)
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
    world_say(world, "%s told %x: %s", actor->name, news,
              hf_state_word(hf_manager_state(&actor->driver, world->now)));
    promise_told(world, actor, news);
    world->risks += (news & HF_NEWS_AT_RISK) != 0;
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
    while ((driver = hf_manager_take_news(&client->manager)) != NULL) {
        unsigned news = driver->news;

        driver->news = 0;
        hear(world, (struct actor *)driver, news);
    }
    while (client->calls_count < world->shape.max_calls &&
           place_call(world, index))
        continue;
}

/* ---- Actors -------------------------------------------------------------- */

/* A clear may be for one who has the key, or had it: of whom a person was told
 * a while ago. */
static uint64_t
fence_of_somebody(struct world *world, const struct actor *actor)
{
    const struct actor *other =
        &world->actors[world_draw(world, world->shape.actors)];

    return other->key == actor->key && other->token != 0
               ? other->token
               : world->keys[actor->key].highest_fence;
}

/* Set up as the library's own: see src/client/table/queries.c. */
static void
set_up_look(struct world *world, struct actor *actor)
{
    if (actor->of_former)
        actor->look.token = fence_of_somebody(world, actor);
    hf_examiner_init(&actor->examine.examiner, &actor->look);
}

static void
start(struct world *world, struct actor *actor)
{
    struct client *client = &world->clients[actor->client];
    bool same_lane = truth_lane_is_there(world, actor);
    struct hf_error error;

    world_say(world, "%s starts for %s", actor->name, actor->settings.name);
    actor->started = true;
    actor->began_at = world->now.ms;
    if (actor->kind != ACTOR_LOCK)
        set_up_look(world, actor);
    hf_heap_set(&world->alarms, &actor->alarm,
                actor->cancel_at < 0 ? HF_NEVER
                                     : (struct hf_instant){actor->cancel_at});
    HF_CHECK(hf_manager_start(&client->manager, &actor->driver, world->now,
                              &error) == HF_OK);
    promise_started(world, actor, same_lane);
}

/* Its time is over: released if it holds, given up if it waits. */
static void
stop(struct world *world, struct actor *actor)
{
    struct hf_manager *manager = &world->clients[actor->client].manager;

    world_say(world, "%s stops", actor->name);
    hf_heap_set(&world->alarms, &actor->alarm, HF_NEVER);
    actor->stopped = true;
    if (actor->driver.ended)
        return;
    if (actor->abandons) {
        actor->abandoned = true;
        hf_manager_abandon(manager, &actor->driver, world->now);
    } else if (world_chance(world, 500)) {
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
            struct hf_queue *queue = hf_queue_find(
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
    world_say(world, "client %d dies", (int)(client - world->clients));
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
            (int64_t)world_draw(world, world_chance(world, 300) ? 9000 : 900);
    if (client->frozen_until < until)
        client->frozen_until = until;
    if (client->last_fault < until)
        client->last_fault = until;
    world_say(world, "client %d freezes until %lld",
              (int)(client - world->clients), (long long)client->frozen_until);
}

/* ---- One step ------------------------------------------------------------ */

/* One who waits for a change of a key is told, and again until he has seen what
 * is there: he waits for another version than the one that he knows. */
static void
wake(struct world *world, struct hint *hint)
{
    struct client *client = &world->clients[hint->client];
    size_t index = hint->client;
    struct hf_key key = {"default", world->names[hint->key]};
    int64_t again_at =
        world->now.ms + 1 + world->shape.wake_ms + world->shape.latency_ms;
    const struct hf_queue *queue;

    if (client->frozen_until > world->now.ms)
        again_at = client->frozen_until;
    else if (!client->dead)
        hf_manager_changed(&client->manager, key, world->now);
    if (!client->dead)
        flush(world, index);
    queue = client->dead || client->behind
                ? NULL
                : hf_queue_find(&client->manager, key);
    if (queue != NULL &&
        (queue->watched || queue->changed || queue->calls > 0) &&
        queue->seen.version != world->keys[hint->key].version) {
        hf_heap_set(&world->alarms, &hint->alarm,
                    (struct hf_instant){again_at});
        return;
    }
    hf_heap_set(&world->alarms, &hint->alarm, HF_NEVER);
    free(hint);
}

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
    case ALARM_HINT:
        wake(world, HF_CONTAINER(alarm, struct hint, alarm));
        break;
    }
}

/* Somebody put an empty place where the other was: each client finds it by its
 * next call. */
static void
go_back(struct world *world)
{
    world_say(world, "the place goes back");
    hf_memory_table_fini(&world->table);
    world->table = (struct hf_memory_table){.floor = (uint64_t)hf_wall_us()};
    truth_went_back(world);
    for (size_t c = 0; c < world->shape.clients; c++)
        world->clients[c].behind = true;
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
    world->steps++;
    if (at.ms > world->now.ms) {
        world->now = at;
        world->moved_at_step = world->steps;
    } else if (world->steps - world->moved_at_step > AT_ONCE_MAX) {
        world_break(world, "time goes on", "it wakes at %lld ms for ever",
                    (long long)at.ms);
    }
    if (world->shape.fault_chance > 0 && world_chance(world, 1) &&
        world->shape.clients > 1)
        freeze_somebody(world);
    if (world->shape.goes_back && world->went_back_at == INT64_MAX &&
        world->now.ms > 6000 && world_chance(world, 5))
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
    *world = (struct world){
        .seed = seed, .dice = seed, .shape = *shape, .went_back_at = INT64_MAX};
    world->tracing = tracing;
    world_make(world);
    while (world->broken == NULL && step(world))
        continue;
    if (world->broken == NULL)
        look_at_the_end(world);
    unmake(world);
    return world->broken == NULL;
}
