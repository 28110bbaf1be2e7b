#include <string.h>

#include "simulate/world.h"

/*
 * The promises of docs/guarantees.md that a client can keep, looked at whenever
 * somebody is told something or a write is applied.
 */

/* How late anybody may know what is true of a key. */
static int64_t
slack_of(const struct world *world)
{
    return 4 * world->shape.latency_ms + world->shape.wake_ms + 5200;
}

static void
forget_believer(struct key_truth *key, const struct actor *actor)
{
    for (size_t i = 0; i < key->believers_count; i++)
        if (key->believers[i] == actor) {
            key->believers[i] = key->believers[--key->believers_count];
            return;
        }
}

/* Nobody else holds it at this instant; the fence is the highest so far. */
static void
on_granted(struct world *world, struct actor *actor)
{
    struct key_truth *key = &world->keys[actor->key];

    world->grants++;
    for (size_t i = 0; i < key->believers_count; i++) {
        const struct actor *other = key->believers[i];
        enum hf_outcome believes = hf_manager_check(&other->driver, world->now);
        bool refuse = other->config.terms.if_dead == HF_REFUSE;

        if (world->clients[other->client].dead || other->abandoned ||
            world->went_back)
            continue;
        if (believes == HF_GRANTED || (refuse && believes == HF_IN_DOUBT))
            world_break(world, "two hold it", "%s: %s is granted, %s is %s",
                        actor->settings.name, actor->name, other->name,
                        hf_outcome_word(believes));
    }
    if (actor->driver.fence <= key->highest_fence && !world->went_back)
        world_break(world, "fences grow", "%s: %s", actor->settings.name,
                    actor->name);
    key->highest_fence = actor->driver.fence;
    key->believers[key->believers_count++] = actor;
}

/* Not a moment later than the right, but for the loop's own lateness. */
static void
on_lost(struct world *world, struct actor *actor)
{
    int64_t right = hf_manager_right(&actor->driver).ms;
    const struct client *client = &world->clients[actor->client];

    world->losses++;
    if (world->shape.fault_chance == 0 && world->shape.latency_ms <= 60 &&
        world->shape.operations_max > 8)
        world_break(world, "nobody is lost while the place answers", "%s",
                    actor->name);
    if (actor->config.terms.if_dead == HF_TAKEOVER &&
        world->now.ms > right + 5 && client->frozen_until < right &&
        !world->went_back)
        world_break(world, "told in time", "%s: %lld ms late", actor->name,
                    (long long)(world->now.ms - right));
    actor->told_lost = true;
}

/* Until when a version last stood for as long as the shortest ttl here. */
static int64_t
quiet_until(const struct key_truth *key, int64_t now)
{
    return now - key->changed_at >= LEAST_TTL_MS ? now : key->quiet_until;
}

/* Does another of its client want the same lock?  Then that one may have it. */
static bool
has_rivals(const struct world *world, const struct actor *actor)
{
    for (size_t i = 0; i < world->shape.actors; i++) {
        const struct actor *other = &world->actors[i];

        if (other != actor && other->key == actor->key &&
            other->client == actor->client && other->started &&
            !other->told_ended)
            return true;
    }
    return false;
}

static void
check_untruth(struct world *world, const struct actor *actor)
{
    const struct hf_driver *d = &actor->driver;
    const struct key_truth *key = &world->keys[actor->key];
    const struct client *client = &world->clients[actor->client];
    int64_t now = world->now.ms;
    int64_t joined = d->joined_at.ms;
    int64_t slack = slack_of(world);
    int64_t limit_at = hf_after(d->joined_at, actor->config.limit).ms;
    bool quick = actor->config.try_only || actor->config.fail_suspected;

    if (d->status == HF_E_UNAVAILABLE && client->last_fault < joined &&
        client->last_good[actor->key % KEYS_MAX] > client->last_fault &&
        now - joined > 12 * world->shape.latency_ms &&
        actor->config.terms.beat.ms > 2 * world->shape.latency_ms)
        world_break(world, "unavailable is true", "%s", actor->name);
    if (d->status == HF_E_CORRUPT)
        world_break(world, "corrupt is true", "%s", actor->name);
    if (d->status == HF_E_CANCELLED && !actor->stopped)
        world_break(world, "cancelled is true", "%s", actor->name);
    if (d->status != HF_OK || actor->driver.granted || world->went_back)
        return;
    switch (d->outcome) {
    case HF_HELD_TOO_LONG:
        if (now < limit_at)
            world_break(world, "waits to the limit", "%s", actor->name);
        if (client->last_fault >= joined)
            break; /* it may have seen next to nothing of it */
        if (key->owner == NULL
                ? now - key->owned_until > slack
                : key->since_ms > joined + slack && now - key->since_ms > slack)
            world_break(world, "held too long is true", "%s", actor->name);
        break;
    case HF_TIMED_OUT:
        if (!quick && now < limit_at)
            world_break(world, "waits to the limit", "%s", actor->name);
        if (actor->config.try_only && key->owner == NULL &&
            joined - key->owned_until > slack && !has_rivals(world, actor))
            world_break(world, "a try takes what is free", "%s", actor->name);
        break;
    case HF_SUSPECTED_DEAD:
        if (client->last_fault < joined && now - quiet_until(key, now) > slack)
            world_break(world, "suspected is true", "%s", actor->name);
        break;
    case HF_GONE:
        if (key->owner != NULL && !world->clients[key->owner->client].dead &&
            now - key->since_ms > slack)
            world_break(world, "gone is true", "%s", actor->name);
        break;
    case HF_NOT_HELD:
    case HF_GRANTED:
    case HF_IN_DOUBT:
    case HF_LOST:
    case HF_ALREADY_HELD:
    case HF_DEADLOCK:
    case HF_AT_LIMIT:
        world_break(world, "an outcome that is none", "%s: %s", actor->name,
                    hf_outcome_word(d->outcome));
        break;
    }
}

/* Nothing of it is in the place, or can come. */
static void
on_ended(struct world *world, struct actor *actor)
{
    struct key_truth *key = &world->keys[actor->key];
    const struct hf_driver *d = &actor->driver;

    actor->told_ended = true;
    forget_believer(key, actor);
    world->outcomes[d->status == HF_OK ? (unsigned)d->outcome : 15]++;
    if (key->owner == actor && !actor->abandoned && !world->went_back)
        world_break(world, "nothing is left behind", "%s", actor->name);
    if (d->granted && d->outcome == HF_LOST && !actor->told_lost)
        world_break(world, "told of the loss", "%s", actor->name);
    check_untruth(world, actor);
}

void
promise_told(struct world *world, struct actor *actor, unsigned news)
{
    if (news & HF_NEWS_GRANTED)
        on_granted(world, actor);
    if (news & HF_NEWS_LOST)
        on_lost(world, actor);
    if (news & HF_NEWS_ENDED)
        on_ended(world, actor);
}

void
promise_applied(struct world *world, struct actor *actor,
                const struct hf_store_op *op)
{
    struct key_truth *key = &world->keys[actor->key];
    bool dead = world->clients[actor->client].dead;

    if (op->kind == HF_PUT && actor->told_ended && !actor->abandoned && !dead &&
        !world->went_back)
        world_break(world, "nothing comes after the end", "%s", actor->name);
    if (world->now.ms - key->changed_at >= LEAST_TTL_MS)
        key->quiet_until = world->now.ms;
    key->changed_at = world->now.ms;
    if (op->kind == HF_PUT && key->owner != actor) {
        if (key->owner != NULL)
            key->owned_until = world->now.ms;
        key->owner = actor;
        key->since_ms = world->now.ms;
    } else if (op->kind == HF_DELETE) {
        key->owned_until = world->now.ms;
        key->owner = NULL;
        key->since_ms = world->now.ms;
    }
}
