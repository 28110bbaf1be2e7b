#include "world.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "support/get_one.h"
#include "wire/record.h"

#define SPACE "default"
#define NAME  "lock"

void
world_expect(struct world *world, bool truth, const char *what)
{
    if (!truth && world->why[0] == '\0')
        snprintf(world->why, sizeof(world->why), "at %lld ms: %s",
                 (long long)world->now.ms, what);
}

/* ---- What must be true -------------------------------------------------- */

static bool
holds(const struct world *world, const struct actor *actor)
{
    enum hf_outcome outcome;

    if (actor->examines || actor->dead)
        return false;
    outcome = hf_contender_check(&actor->contender, world->now);
    return outcome == HF_GRANTED || outcome == HF_IN_DOUBT;
}

static void
check_holders(struct world *world)
{
    uint64_t token = lossy_sea_token(world->sea, (struct hf_key){SPACE, NAME});
    size_t holders = 0;

    for (size_t i = 0; i < world->count; i++) {
        const struct actor *actor = &world->actors[i];

        if (!holds(world, actor))
            continue;
        holders++;
        world_expect(world, actor->contender.keeper.token == token,
                     "a holder's record is not there");
    }
    world_expect(world, holders <= 1, "two hold the lock");
}

static void
on_told(struct world *world, struct actor *actor, enum hf_notice_kind told)
{
    uint64_t fence;

    world_expect(world, told != HF_NOTICE_LOST, "a holder lost its own lock");
    world_expect(world, told != HF_NOTICE_IN_DOUBT, "a holder is in doubt");
    if (told != HF_NOTICE_GRANTED)
        return;
    fence = actor->contender.keeper.token;
    world_expect(world, fence > world->highest, "a fence did not grow");
    world->highest = fence;
    world->grants++;
    actor->granted = true;
}

/* ---- Machines ----------------------------------------------------------- */

static bool
next(struct actor *actor, struct hf_effect *effect)
{
    if (actor->examines)
        return hf_examiner_next(&actor->examiner, effect);
    return hf_contender_next(&actor->contender, effect);
}

static void
step(struct world *world, struct actor *actor, struct hf_event event)
{
    struct hf_effect effect;

    if (actor->dead)
        return;
    if (actor->examines)
        hf_examiner_step(&actor->examiner, event);
    else
        hf_contender_step(&actor->contender, event);
    while (next(actor, &effect)) {
        if (effect.kind == HF_DO_NOTIFY) {
            on_told(world, actor, effect.notice);
            continue;
        }
        actor->request = effect.request;
        actor->asked = true;
        actor->arrives_at = hf_after(world->now, (struct hf_duration){1});
    }
    check_holders(world);
}

static struct hf_instant
deadline_of(const struct actor *actor)
{
    if (actor->dead)
        return HF_NEVER;
    if (actor->examines)
        return hf_examiner_deadline(&actor->examiner);
    return hf_contender_deadline(&actor->contender);
}

static bool
watches(const struct actor *actor, uint64_t *version)
{
    if (actor->dead)
        return false;
    if (actor->examines)
        return hf_examiner_watching(&actor->examiner, version);
    return hf_contender_watching(&actor->contender, version);
}

/* ---- The way to the store and back -------------------------------------- */

/* As the client packs it; names the marker and the audit by their
 * subject alone, for there is one lock. */
struct packed {
    struct hf_store_op ops[HF_REQUEST_OPS];
    char values[HF_REQUEST_OPS][1024];
    char names[HF_REQUEST_OPS][32];
};

static void
pack_op(struct packed *packed, size_t index, const struct hf_op *op)
{
    static const char *const spaces[] = {
        [HF_TARGET_LOCK] = SPACE,
        [HF_TARGET_MARKER] = "!RECLAIM",
        [HF_TARGET_AUDIT] = "!audit",
    };
    struct hf_value value = {.heartbeat = op->heartbeat, .terms = op->terms};
    struct hf_store_op *to = &packed->ops[index];

    snprintf(packed->names[index], sizeof(packed->names[index]), "%llu",
             (unsigned long long)op->subject);
    *to = (struct hf_store_op){
        .kind = op->kind,
        .key = {spaces[op->target],
                op->target == HF_TARGET_LOCK ? NAME : packed->names[index]},
        .expect = op->expect,
        .new_generation = op->new_generation,
    };
    if (op->kind != HF_PUT)
        return;
    if (op->target == HF_TARGET_AUDIT)
        snprintf(packed->values[index], sizeof(packed->values[index]), "{}");
    else
        hf_record_encode(&value, packed->values[index],
                         sizeof(packed->values[index]));
    to->value = packed->values[index];
    to->value_len = strlen(to->value);
}

static struct hf_event
carry_write(struct world *world, const struct hf_request *request)
{
    struct packed packed;
    struct hf_store_group group = {
        .ops = packed.ops,
        .ops_count = request->ops_count,
    };

    for (size_t i = 0; i < request->ops_count; i++)
        pack_op(&packed, i, &request->ops[i]);
    hf_store_commit(world->store, &group, 1, HF_NEVER, NULL);
    return hf_answer(world->now, request->number, group.verdict,
                     packed.ops[0].version);
}

static struct hf_event
carry_read(struct world *world, const struct hf_request *request)
{
    struct hf_record record;
    struct hf_value value;
    struct hf_sight sight = {.kind = HF_SIGHT_NONE};

    if (get_one(world->store, (struct hf_key){SPACE, NAME}, HF_NEVER, &record,
                NULL) == HF_OK) {
        sight.kind = HF_SIGHT_ABSENT;
        sight.version = record.version;
        sight.token = record.token;
        if (record.exists) {
            sight.kind = HF_SIGHT_LOCK;
            HF_CHECK(hf_record_decode(record.value, record.value_len, &value,
                                      NULL) == HF_OK);
            sight.heartbeat = value.heartbeat;
            sight.terms = value.terms;
        }
    }
    return hf_found(world->now, request->number, sight);
}

/* The others' wait returns: something was written. */
static void
hint_all(struct world *world)
{
    uint64_t version;

    for (size_t i = 0; i < world->count; i++)
        if (watches(&world->actors[i], &version))
            step(world, &world->actors[i], hf_event(HF_ON_HINT, world->now));
}

static void
carry(struct world *world, struct actor *actor)
{
    struct hf_request request = actor->request;

    actor->asked = false;
    step(world, actor,
         request.read ? carry_read(world, &request)
                      : carry_write(world, &request));
    if (!request.read)
        hint_all(world);
}

/* ---- Time --------------------------------------------------------------- */

/* The next thing that happens, not after `until`; false when nothing does. */
static bool
advance(struct world *world, struct hf_instant until)
{
    struct hf_instant when = until;
    struct actor *actor = NULL;
    bool arrives = false;

    for (size_t i = 0; i < world->count; i++) {
        struct actor *other = &world->actors[i];

        if (other->asked && other->arrives_at.ms <= when.ms) {
            when = other->arrives_at;
            actor = other;
            arrives = true;
        }
        if (deadline_of(other).ms < when.ms) {
            when = deadline_of(other);
            actor = other;
            arrives = false;
        }
    }
    world->now = hf_later(world->now, when);
    if (actor == NULL)
        return false;
    if (arrives)
        carry(world, actor);
    else
        step(world, actor, hf_event(HF_ON_CLOCK, world->now));
    return world->why[0] == '\0';
}

void
world_pass(struct world *world, int64_t ms)
{
    struct hf_instant until = hf_after(world->now, (struct hf_duration){ms});

    while (world->why[0] == '\0' && advance(world, until))
        continue;
}

void
world_until(struct world *world, world_condition_fn *condition,
            const struct actor *actor)
{
    struct hf_instant until =
        hf_after(world->now, (struct hf_duration){2 * WORLD_LIMIT_MS});

    while (world->why[0] == '\0' && !condition(world, actor))
        world_expect(world, advance(world, until),
                     "what must happen did not happen");
}

/* ---- Actors ------------------------------------------------------------- */

static struct actor *
add_actor(struct world *world)
{
    HF_CHECK(world->count < WORLD_ACTORS_MAX);
    return &world->actors[world->count++];
}

struct actor *
world_acquire(struct world *world, enum hf_if_dead if_dead, int64_t limit_ms)
{
    struct actor *actor = add_actor(world);
    struct hf_contender_config config = {
        .terms = {if_dead, {WORLD_TTL_MS}, {WORLD_BEAT_MS}},
        .grace = {500},
        .limit = {limit_ms},
        .seed = 1000 * world->count,
    };

    hf_contender_init(&actor->contender, &config);
    step(world, actor, hf_event(HF_ON_ACQUIRE, world->now));
    return actor;
}

struct actor *
world_clear(struct world *world)
{
    struct actor *actor = add_actor(world);
    struct hf_examiner_config config = {
        .watch = HF_FOREVER,
        .patience = {2000},
        .clear = true,
    };

    actor->examines = true;
    hf_examiner_init(&actor->examiner, &config);
    step(world, actor, hf_event(HF_ON_EXAMINE, world->now));
    return actor;
}

void
world_tell(struct world *world, struct actor *actor, enum hf_event_kind kind)
{
    if (world->why[0] == '\0')
        step(world, actor, hf_event(kind, world->now));
}

void
world_kill(struct world *world, struct actor *actor, bool evidence)
{
    uint64_t version;

    actor->dead = true;
    for (size_t i = 0; evidence && i < world->count; i++)
        if (watches(&world->actors[i], &version))
            step(world, &world->actors[i],
                 hf_processes(world->now, version, true));
}

bool
world_granted(const struct world *world, const struct actor *actor)
{
    (void)world;
    return actor->granted;
}

bool
world_ended(const struct world *world, const struct actor *actor)
{
    (void)world;
    if (actor->examines)
        return actor->examiner.state == HF_EXAMINER_ENDED;
    return actor->contender.state == HF_CONTENDER_ENDED;
}

bool
world_claiming(const struct world *world, const struct actor *actor)
{
    (void)world;
    return actor->contender.state == HF_CONTENDER_CLAIMING;
}
