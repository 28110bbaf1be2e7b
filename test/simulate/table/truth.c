#include "simulate/table/truth.h"

#include <string.h>

/* As src/client/table/line.c has it. */
#define BACK_OFF_LEAST_MS 20

/* What failed before rests for so long at most: the patience of the longest ttl
 * here. */
#define PAUSE_MS 10000

/* ---- Records ------------------------------------------------------------- */

/* The version that is there gives way to another, or to none. */
static void
end_version(struct world *world, struct key_truth *key)
{
    struct actor *owner = key->owner;

    if (owner == NULL)
        return;
    owner->stood_until = truth_stood_until(world, owner);
    owner->owned_until = world->now.ms;
    key->owned_until = world->now.ms;
}

static void
begin_version(struct world *world, struct key_truth *key, struct actor *owner,
              uint64_t version)
{
    if (key->owner != owner)
        key->since_ms = world->now.ms;
    key->owner = owner;
    key->version = version;
    key->changed_at = world->now.ms;
}

void
truth_applied(struct world *world, struct actor *actor,
              const struct hf_store_op *op)
{
    struct key_truth *key = &world->keys[actor->key];

    end_version(world, key);
    if (op->kind == HF_PUT && op->new_generation) {
        actor->token = op->version;
        actor->stood_until = LONG_AGO;
        actor->cleared_at = -1;
        actor->forced = false;
        key->owner = NULL;
    }
    begin_version(world, key, op->kind == HF_PUT ? actor : NULL, op->version);
}

void
truth_went_back(struct world *world)
{
    world->went_back_at = world->now.ms;
    world->new_floor = world->table.floor;
    for (size_t k = 0; k < world->shape.keys; k++) {
        end_version(world, &world->keys[k]);
        begin_version(world, &world->keys[k], NULL, world->new_floor);
    }
}

bool
truth_is_former(const struct world *world, uint64_t token)
{
    return token <= world->new_floor;
}

struct actor *
truth_holder(const struct world *world, size_t key, uint64_t token)
{
    for (size_t i = 0; token != 0 && i < world->shape.actors; i++)
        if (world->actors[i].key == key && world->actors[i].token == token)
            return &world->actors[i];
    return NULL;
}

int64_t
truth_stood_until(const struct world *world, const struct actor *holder)
{
    const struct key_truth *key = &world->keys[holder->key];
    int64_t now = world->now.ms;

    if (key->owner == holder &&
        now - key->changed_at >= holder->config.terms.ttl.ms)
        return now;
    return holder->stood_until;
}

bool
truth_is_seen(const struct world *world, const struct actor *holder,
              const struct actor *actor)
{
    return world->clients[holder->client].self.host.pidns ==
           world->clients[actor->client].self.host.pidns;
}

bool
truth_is_seen_gone(const struct world *world, const struct actor *holder,
                   const struct actor *actor)
{
    return world->clients[holder->client].dead &&
           truth_is_seen(world, holder, actor);
}

int64_t
truth_longest(const struct world *world, const struct actor *actor,
              truth_span_fn *span)
{
    int64_t longest = 0;

    for (size_t i = 0; i < world->shape.actors; i++) {
        const struct actor *other = &world->actors[i];
        bool had_it = world->keys[actor->key].owner == other ||
                      other->owned_until >= actor->began_at;
        int64_t span_ms;

        if (other->key != actor->key || !had_it)
            continue;
        span_ms = span(world, other, actor);
        longest = span_ms > longest ? span_ms : longest;
    }
    return longest;
}

/* ---- Lanes --------------------------------------------------------------- */

bool
truth_lane_is_there(const struct world *world, const struct actor *actor)
{
    const char *lane = actor->settings.lane;

    if (lane == NULL)
        return false;
    for (size_t i = 0; i < world->shape.actors; i++) {
        const struct actor *other = &world->actors[i];

        if (other != actor && other->client == actor->client &&
            other->key == actor->key && other->settings.lane != NULL &&
            strcmp(other->settings.lane, lane) == 0 && other->started &&
            !other->stopped && !other->told_ended)
            return true;
    }
    return false;
}

/* ---- How late ------------------------------------------------------------ */

bool
truth_is_behind(const struct world *world, const struct actor *actor)
{
    const struct client *client = &world->clients[actor->client];

    return client->behind || client->untold;
}

bool
truth_is_healthy(const struct world *world, size_t client, int64_t since)
{
    return !world->clients[client].dead && !world->clients[client].behind &&
           world->clients[client].last_fault < since - PAUSE_MS;
}

/* It waits for the call that is out, four commits that may go before a read,
 * and its own; and for more of them where one call does not hold all. */
int64_t
truth_turn(const struct world *world)
{
    int64_t call_ms = 2 * world->shape.latency_ms;
    int64_t calls =
        6 + (int64_t)(2 * world->shape.actors / world->shape.operations_max);

    return calls * (call_ms < SLOW_MS ? call_ms : SLOW_MS) + 5;
}

/* It is told of the change, waits for the look that is out, which may not show
 * it, and for another; and what a client has handed over inside itself it
 * leaves alone for a moment. */
int64_t
truth_lateness(const struct world *world)
{
    int64_t back_off_ms = BACK_OFF_LEAST_MS + 2 * world->shape.wake_ms;

    return 2 * truth_turn(world) + 2 * world->shape.wake_ms + back_off_ms;
}
