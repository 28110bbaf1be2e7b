#include "simulate/table/promise.h"
#include "simulate/table/truth.h"

/* What those are promised who look at a lock, and who clear it. */

/* ---- A record is deleted ------------------------------------------------- */

/* Without force: its process is gone, or it stood for its ttl while it was
 * watched, to this moment. */
static void
check_dead(struct world *world, const struct actor *actor,
           const struct actor *holder)
{
    int64_t since = world->keys[actor->key].changed_at;
    int64_t joined = actor->began_at;

    if (since < joined)
        since = joined;
    if (!actor->look.force && !truth_is_seen_gone(world, holder, actor) &&
        world->now.ms - since < holder->config.terms.ttl.ms)
        world_break(world, "who beats is not cleared", "%s cleared %s",
                    actor->name, holder->name);
}

void
promise_cleared(struct world *world, struct actor *actor)
{
    struct actor *holder = world->keys[actor->key].owner;

    if (actor->kind != ACTOR_CLEAR || holder == NULL) {
        world_break(world, "a clear deletes a record", "%s", actor->name);
        return;
    }
    if (actor->told_ended && actor->driver.status != HF_E_UNKNOWN)
        world_break(world, "nothing comes after the end", "%s", actor->name);
    if (holder->token != actor->examine.examiner.evidence.token ||
        (actor->look.token != 0 && holder->token != actor->look.token))
        world_break(world, "a clear spares another holder", "%s cleared %s",
                    actor->name, holder->name);
    check_dead(world, actor, holder);
    world->clears++;
    actor->deleted_at = world->now.ms;
    holder->cleared_at = world->now.ms;
    holder->forced = actor->look.force;
}

/* ---- What is said -------------------------------------------------------- */

/* Two clear one that is gone, and of the one that came too late an answer was
 * lost: it cannot tell itself from the other. */
static bool
is_another_s(const struct world *world, const struct actor *actor)
{
    const struct hf_examiner *x = &actor->examine.examiner;
    const struct actor *holder =
        truth_holder(world, actor->key, x->evidence.token);

    return x->finding == HF_FINDING_GONE && holder != NULL &&
           holder->cleared_at >= actor->began_at;
}

/* Cleared is said if and only if this clear did it; and what was not done is
 * not done later. */
static void
check_cleared(struct world *world, const struct actor *actor)
{
    bool deleted = actor->deleted_at >= 0;
    bool cleared = actor->examine.examiner.cleared;
    bool former = deleted && actor->deleted_at < world->went_back_at &&
                  world->went_back_at <= world->now.ms;

    switch (actor->driver.status) {
    case HF_OK:
        if (cleared != deleted && !(cleared && is_another_s(world, actor)))
            world_break(world, "cleared is true", "%s: %s", actor->name,
                        deleted ? "it was" : "it was not");
        break;
    case HF_E_UNAVAILABLE:
    case HF_E_CANCELLED:
        if (deleted && !former)
            world_break(world, "surely not cleared", "%s", actor->name);
        break;
    case HF_E_INVALID:
    case HF_E_UNKNOWN:
    case HF_E_CORRUPT:
    case HF_E_DENIED:
    case HF_E_LIMIT:
    case HF_E_NOMEM:
        break;
    }
}

/* What became of a clear may be unknown only if the place failed, or if a
 * question was given up, be it for other writes of the key that went first. */
static void
check_status(struct world *world, const struct actor *actor)
{
    const struct hf_driver *d = &actor->driver;
    bool patient = world->now.ms - actor->began_at < actor->look.patience.ms;
    bool healthy = truth_is_healthy(world, actor->client, actor->began_at);

    if (d->status == HF_E_CORRUPT)
        world_break(world, "corrupt is true", "%s", actor->name);
    if (d->status == HF_E_CANCELLED && !actor->stopped)
        world_break(world, "cancelled is true", "%s", actor->name);
    if (d->status == HF_E_UNAVAILABLE && healthy)
        world_break(world, "unavailable is true", "%s", actor->name);
    if (d->status == HF_E_UNKNOWN &&
        (actor->kind != ACTOR_CLEAR || (healthy && patient && !actor->stopped)))
        world_break(world, "unknown is true", "%s", actor->name);
}

/* Was the key like this at some moment since it began? */
static void
check_found(struct world *world, const struct actor *actor)
{
    const struct key_truth *key = &world->keys[actor->key];
    int64_t joined = actor->began_at;
    bool was_held = key->owner != NULL || key->owned_until >= joined;
    bool was_free = key->owner == NULL || key->since_ms >= joined;

    switch (actor->examine.examiner.found) {
    case HF_SIGHT_LOCK:
        if (!was_held)
            world_break(world, "a lock that is shown is there", "%s",
                        actor->name);
        break;
    case HF_SIGHT_ABSENT:
        if (!was_free)
            world_break(world, "a lock that is there is shown", "%s",
                        actor->name);
        break;
    case HF_SIGHT_CORRUPT:
    case HF_SIGHT_NONE:
        world_break(world, "a look shows something", "%s", actor->name);
        break;
    }
}

/* Of the holder that was looked at. */
static void
check_life(struct world *world, const struct actor *actor)
{
    const struct hf_examiner *x = &actor->examine.examiner;
    const struct actor *holder =
        truth_holder(world, actor->key, x->evidence.token);
    int64_t joined = actor->began_at;

    if (actor->driver.result == NULL || holder == NULL)
        return;
    switch (actor->driver.result->life) {
    case HF_LIFE_GONE:
        if (!truth_is_seen_gone(world, holder, actor))
            world_break(world, "gone is true", "%s of %s", actor->name,
                        holder->name);
        break;
    case HF_LIFE_SUSPECTED:
        if (truth_stood_until(world, holder) < joined)
            world_break(world, "suspected is true", "%s of %s", actor->name,
                        holder->name);
        break;
    case HF_LIFE_BEATING: /* looks that were sent before may come in late */
        if (world->keys[actor->key].changed_at < joined - truth_turn(world))
            world_break(world, "beating is true", "%s of %s", actor->name,
                        holder->name);
        break;
    case HF_LIFE_RUNNING:
    case HF_LIFE_UNKNOWN:
        break;
    }
}

/* ---- How soon ------------------------------------------------------------ */

/* A first look, a watch, which ends with the holder's ttl, and a last look; a
 * clear, and a look what became of it. */
static int64_t
ttl_of(const struct world *world, const struct actor *holder,
       const struct actor *actor)
{
    (void)world;
    (void)actor;
    return holder->config.terms.ttl.ms;
}

/* Of a key whose holder beats beside it in one client: one write of a key is
 * with the place at a time, and beats are more urgent. */
static bool
stands_behind_beats(const struct world *world, const struct actor *actor)
{
    const struct actor *holder =
        truth_holder(world, actor->key, actor->examine.examiner.evidence.token);

    return actor->kind == ACTOR_CLEAR && holder != NULL &&
           holder->client == actor->client;
}

static void
check_soon(struct world *world, const struct actor *actor)
{
    const struct hf_examiner *x = &actor->examine.examiner;
    int64_t watch_ms = truth_longest(world, actor, ttl_of);
    int64_t looks = actor->kind == ACTOR_CLEAR ? 4 : 2;
    int64_t late_ms;

    if (!truth_is_healthy(world, actor->client, actor->began_at) ||
        stands_behind_beats(world, actor))
        return;
    if (actor->look.watch.ms < watch_ms)
        watch_ms = actor->look.watch.ms;
    if (actor->look.force)
        watch_ms = 0;
    looks += 2 * x->again;
    late_ms =
        world->now.ms - actor->began_at - watch_ms - looks * truth_turn(world);
    if (late_ms > 0)
        world_break(world, "a look ends soon", "%s: %lld ms late", actor->name,
                    (long long)late_ms);
}

void
promise_looked(struct world *world, struct actor *actor)
{
    actor->told_ended = true;
    world->looks++;
    check_cleared(world, actor);
    check_status(world, actor);
    check_life(world, actor);
    check_soon(world, actor);
    if (actor->driver.status == HF_OK)
        check_found(world, actor);
}
