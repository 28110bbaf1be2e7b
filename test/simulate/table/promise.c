#include "simulate/table/promise.h"

#include "simulate/table/truth.h"

/* ---- One holder at a time ------------------------------------------------ */

static void
forget_believer(struct key_truth *key, const struct actor *actor)
{
    for (size_t i = 0; i < key->believers_count; i++)
        if (key->believers[i] == actor) {
            key->believers[i] = key->believers[--key->believers_count];
            return;
        }
}

/* A person took its record away, and it need not know yet: by force; or, of a
 * refuse lock, for it stood still. */
static bool
is_cleared(const struct actor *actor)
{
    return actor->cleared_at >= 0 &&
           (actor->forced || actor->config.terms.if_dead == HF_REFUSE);
}

/* One was granted it in the place that was, the other in the one that is; and
 * the former has not found that out, or, in doubt, has not looked yet. */
static bool
are_of_two_places(const struct world *world, const struct actor *actor,
                  const struct actor *other, enum hf_outcome believes)
{
    bool former = truth_is_former(world, actor->driver.fence);

    if (former == truth_is_former(world, other->driver.fence))
        return false;
    return truth_is_behind(world, former ? actor : other) ||
           (!former && believes == HF_IN_DOUBT);
}

/* Nobody else holds it at this instant, if it is not over by now. */
static void
check_alone(struct world *world, const struct actor *actor)
{
    const struct key_truth *key = &world->keys[actor->key];

    if (hf_manager_check(&actor->driver, world->now) != HF_GRANTED)
        return;
    for (size_t i = 0; i < key->believers_count; i++) {
        const struct actor *other = key->believers[i];
        enum hf_outcome believes = hf_manager_check(&other->driver, world->now);
        bool refuse = other->config.terms.if_dead == HF_REFUSE;

        if (believes != HF_GRANTED && !(refuse && believes == HF_IN_DOUBT))
            continue;
        if (world->clients[other->client].dead || other->abandoned ||
            is_cleared(other) || is_cleared(actor) ||
            are_of_two_places(world, actor, other, believes))
            continue;
        world_break(world, "two hold it", "%s: %s is granted, %s is %s",
                    actor->settings.name, actor->name, other->name,
                    hf_outcome_word(believes));
    }
}

/* It is the highest so far; but of a record that is gone, as that of a place
 * that was, one may be told late. */
static void
check_fence(struct world *world, const struct actor *actor)
{
    struct key_truth *key = &world->keys[actor->key];
    uint64_t fence = actor->driver.fence;
    bool late =
        is_cleared(actor) || (truth_is_former(world, fence) &&
                              !truth_is_former(world, key->highest_fence));

    if (fence <= key->highest_fence && !late)
        world_break(world, "fences grow", "%s: %s", actor->settings.name,
                    actor->name);
    if (fence > key->highest_fence)
        key->highest_fence = fence;
}

/* ---- The end of a right -------------------------------------------------- */

/* Whose record was cleared learns it by its next beat, which is refused, and by
 * the read after it. */
static void
check_learns(struct world *world, const struct actor *actor)
{
    int64_t late_ms = world->now.ms - actor->cleared_at -
                      actor->config.terms.beat.ms - 2 * truth_turn(world);

    if (actor->cleared_at >= 0 && !actor->told_lost && late_ms > 0 &&
        truth_is_healthy(world, actor->client, actor->cleared_at))
        world_break(world, "who was cleared learns it by the next beat",
                    "%s: %lld ms late", actor->name, (long long)late_ms);
}

/* Not a moment later than the right, but for the loop's own lateness. */
static void
on_lost(struct world *world, struct actor *actor)
{
    int64_t right = hf_manager_right(&actor->driver).ms;
    const struct client *client = &world->clients[actor->client];

    world->losses++;
    if (world->shape.fault_chance == 0 && world->shape.latency_ms <= 60 &&
        world->shape.operations_max > 8 && actor->cleared_at < 0)
        world_break(world, "nobody is lost while the place answers", "%s",
                    actor->name);
    if (actor->config.terms.if_dead == HF_TAKEOVER &&
        world->now.ms > right + 5 && client->frozen_until < right)
        world_break(world, "told in time", "%s: %lld ms late", actor->name,
                    (long long)(world->now.ms - right));
    check_learns(world, actor);
    actor->told_lost = true;
}

/* ---- How soon ------------------------------------------------------------ */

/* How long it takes at most until one who looks at this holder sees a beat, or
 * that there is none; whose process he sees he need not wait for. */
static int64_t
sign_of_life(const struct world *world, const struct actor *holder,
             const struct actor *actor)
{
    const struct hf_terms *terms = &holder->config.terms;
    bool beats = truth_is_healthy(world, holder->client, actor->began_at) &&
                 !holder->abandoned && holder->cleared_at < 0;

    if (truth_is_seen(world, holder, actor))
        return 0;
    return beats ? terms->beat.ms + truth_turn(world) : terms->ttl.ms;
}

static void
check_soon(struct world *world, const struct actor *actor)
{
    int64_t joined = actor->began_at;
    int64_t late_ms;

    if (!actor->config.try_only ||
        !truth_is_healthy(world, actor->client, joined))
        return;
    late_ms = world->now.ms - joined -
              truth_longest(world, actor, sign_of_life) - truth_lateness(world);
    if (late_ms > 0)
        world_break(world, "a try is answered soon", "%s: %lld ms late",
                    actor->name, (long long)late_ms);
}

/* Since when this actor's client looks at the holder: not while it takes the
 * lock for one of its own.  INT64_MAX: it does not. */
static int64_t
looks_since(const struct world *world, const struct actor *actor)
{
    int64_t since = actor->began_at;

    for (size_t i = 0; i < world->shape.actors; i++) {
        const struct actor *other = &world->actors[i];

        if (other->key != actor->key || other->client != actor->client ||
            !other->driver.granted)
            continue;
        if (!other->told_ended)
            return INT64_MAX;
        since = other->ended_at > since ? other->ended_at : since;
    }
    return since;
}

/* Who fails at a suspected holder does not wait for longer than it takes to
 * suspect it. */
static void
check_fails(struct world *world, const struct actor *actor)
{
    const struct key_truth *key = &world->keys[actor->key];
    int64_t since;
    int64_t late_ms;

    if (!actor->config.fail_suspected || key->owner == NULL ||
        key->owner == actor ||
        key->owner->config.terms.if_dead == HF_TAKEOVER ||
        !truth_is_healthy(world, actor->client, actor->began_at))
        return;
    since = looks_since(world, actor);
    if (since == INT64_MAX)
        return;
    if (since < key->changed_at)
        since = key->changed_at;
    late_ms = world->now.ms - since - key->owner->config.terms.ttl.ms -
              truth_lateness(world);
    if (late_ms > 0)
        world_break(world, "who fails at a suspected holder does so soon",
                    "%s: %lld ms late", actor->name, (long long)late_ms);
}

/* ---- The truth about the place and the holder ---------------------------- */

static void
check_status(struct world *world, const struct actor *actor)
{
    const struct hf_driver *d = &actor->driver;

    if (d->status == HF_E_UNAVAILABLE &&
        truth_is_healthy(world, actor->client, actor->began_at) &&
        world->now.ms - actor->began_at > truth_turn(world) &&
        actor->config.terms.beat.ms > 2 * world->shape.latency_ms)
        world_break(world, "unavailable is true", "%s", actor->name);
    if (d->status == HF_E_CORRUPT)
        world_break(world, "corrupt is true", "%s", actor->name);
    if (d->status == HF_E_CANCELLED && !actor->stopped)
        world_break(world, "cancelled is true", "%s", actor->name);
    if (d->status == HF_E_UNKNOWN && !actor->abandoned)
        world_break(world, "unknown is true", "%s", actor->name);
}

/* Does another of its client want the same lock?  Then that one may have it. */
static bool
has_rivals(const struct world *world, const struct actor *actor)
{
    for (size_t i = 0; i < world->shape.actors; i++) {
        const struct actor *other = &world->actors[i];

        if (other != actor && other->kind == ACTOR_LOCK &&
            other->key == actor->key && other->client == actor->client &&
            other->started && !other->told_ended)
            return true;
    }
    return false;
}

/* Does one of this client not know yet that its record was cleared? */
static bool
is_unaware(const struct world *world, const struct actor *actor)
{
    const struct key_truth *key = &world->keys[actor->key];

    for (size_t i = 0; i < key->believers_count; i++)
        if (key->believers[i]->client == actor->client &&
            is_cleared(key->believers[i]))
            return true;
    return false;
}

static void
check_held_too_long(struct world *world, const struct actor *actor)
{
    const struct key_truth *key = &world->keys[actor->key];
    int64_t joined = actor->began_at;
    int64_t known = world->now.ms - truth_lateness(world);

    if (!truth_is_healthy(world, actor->client, joined) ||
        is_unaware(world, actor))
        return; /* it may have seen next to nothing of it */
    if (key->owner == NULL ? key->owned_until < known
                           : key->since_ms > joined + truth_lateness(world) &&
                                 key->since_ms < known)
        world_break(world, "held too long is true", "%s", actor->name);
}

/* A version stood for its ttl, and not long ago, if that could be known. */
static void
check_suspected(struct world *world, const struct actor *actor,
                const struct actor *holder)
{
    int64_t stood = truth_stood_until(world, holder);
    bool healthy = truth_is_healthy(world, actor->client, actor->began_at);

    if (stood == LONG_AGO ||
        (healthy && stood < world->now.ms - truth_lateness(world)))
        world_break(world, "suspected is true", "%s of %s", actor->name,
                    holder->name);
}

/* What is said of the holder, to one who did not get it. */
static void
check_life(struct world *world, const struct actor *actor)
{
    const struct hf_result *ending = actor->driver.result;
    const struct actor *holder;

    if (ending == NULL || truth_is_behind(world, actor))
        return;
    holder = truth_holder(world, actor->key, ending->seen.token);
    if (holder == NULL)
        return;
    if ((actor->driver.outcome == HF_GONE || ending->life == HF_LIFE_GONE) &&
        !world->clients[holder->client].dead)
        world_break(world, "gone is true", "%s of %s", actor->name,
                    holder->name);
    if (actor->driver.outcome == HF_SUSPECTED_DEAD ||
        ending->life == HF_LIFE_SUSPECTED)
        check_suspected(world, actor, holder);
}

static void
check_outcome(struct world *world, const struct actor *actor)
{
    const struct hf_driver *d = &actor->driver;
    const struct key_truth *key = &world->keys[actor->key];
    bool quick = actor->config.try_only || actor->config.fail_suspected;
    bool early = world->now.ms < hf_after(d->joined_at, actor->config.limit).ms;

    switch (d->outcome) {
    case HF_HELD_TOO_LONG:
        if (early)
            world_break(world, "waits to the limit", "%s", actor->name);
        check_held_too_long(world, actor);
        break;
    case HF_TIMED_OUT:
        if (!quick && early)
            world_break(world, "waits to the limit", "%s", actor->name);
        if (actor->config.try_only && key->owner == NULL &&
            truth_is_healthy(world, actor->client, actor->began_at) &&
            key->owned_until < actor->began_at && !has_rivals(world, actor) &&
            !truth_is_behind(world, actor))
            world_break(world, "a try takes what is free", "%s", actor->name);
        break;
    case HF_SUSPECTED_DEAD:
    case HF_GONE:
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

/* ---- What an actor is told ----------------------------------------------- */

static void
on_granted(struct world *world, struct actor *actor)
{
    struct key_truth *key = &world->keys[actor->key];

    world->grants++;
    if (hf_between(world->now, hf_manager_right(&actor->driver)).ms <
        actor->config.grace.ms)
        world_break(world, "what is granted lasts for its grace", "%s",
                    actor->name);
    check_alone(world, actor);
    check_fence(world, actor);
    check_soon(world, actor);
    key->believers[key->believers_count++] = actor;
}

/* Nothing of it is in the place, or can come. */
static void
on_ended(struct world *world, struct actor *actor)
{
    struct key_truth *key = &world->keys[actor->key];
    const struct hf_driver *d = &actor->driver;

    actor->told_ended = true;
    actor->ended_at = world->now.ms;
    forget_believer(key, actor);
    world->outcomes[d->status == HF_OK ? (unsigned)d->outcome : 15]++;
    if (d->status == HF_OK && d->outcome == HF_ALREADY_HELD)
        return; /* looked at when it began */
    if (key->owner == actor && !actor->abandoned)
        world_break(world, "nothing is left behind", "%s", actor->name);
    if (d->granted && d->outcome == HF_LOST && !actor->told_lost)
        world_break(world, "told of the loss", "%s", actor->name);
    check_status(world, actor);
    if (d->granted) {
        check_learns(world, actor);
        return;
    }
    check_life(world, actor);
    check_soon(world, actor);
    check_fails(world, actor);
    if (d->status == HF_OK)
        check_outcome(world, actor);
}

void
promise_started(struct world *world, struct actor *actor, bool same_lane)
{
    const struct hf_driver *d = &actor->driver;
    bool refused =
        d->ended && d->status == HF_OK && d->outcome == HF_ALREADY_HELD;

    if (refused != same_lane)
        world_break(world, "a lane is told that it has the key, and no other",
                    "%s", actor->name);
}

void
promise_told(struct world *world, struct actor *actor, unsigned news)
{
    if (actor->kind != ACTOR_LOCK) {
        if (news & HF_NEWS_ENDED)
            promise_looked(world, actor);
        return;
    }
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
    bool dead = world->clients[actor->client].dead;

    if (actor->kind != ACTOR_LOCK)
        promise_cleared(world, actor);
    else if (op->kind == HF_PUT && actor->told_ended && !actor->abandoned &&
             !dead)
        world_break(world, "nothing comes after the end", "%s", actor->name);
}
