#include "model.h"

#include <string.h>

#include "pack.h"
#include "promise.h"

enum {
    PACKED_MAX = 256,
    /* The longest fair way to a grant: some ttls of some ten steps a tick. */
    FAIR_STEPS_MAX = 2000,
};

static void
start(const void *ctx, void *state)
{
    struct world world;

    world_start(&world, ctx);
    pack(&world, state);
}

/* Who acts: the worker, or nobody in particular. */
static uint8_t
actor_of(struct world_action action)
{
    return world_is_workers(action.act) ? (uint8_t)action.who
                                        : WORLD_WORKERS_MAX;
}

static void
try_action(const struct world *world, struct world_action action,
           struct lab_explorer *explorer)
{
    struct world next;
    uint8_t packed[PACKED_MAX];
    struct lab_step step = {
        .state = packed,
        .action = world_action_number(action),
        .actor = actor_of(action),
    };

    if (!world_allows(world, action))
        return;
    step.fault = world_is_fault(world, action);
    if (!lab_explore_wants(explorer, step.fault))
        return;
    next = *world;
    world_apply(&next, action);
    pack(&next, packed);
    if (next.violated == NULL && world->config->judge_stuck &&
        !model_reaches_grant(world->config, packed))
        next.violated = PROMISE_STUCK;
    step.violated = next.violated;
    lab_explore_add(explorer, &step);
}

static void
expand(const void *ctx, const void *state, struct lab_explorer *explorer)
{
    const struct world_config *config = ctx;
    struct world world;

    unpack(config, state, &world);
    for (unsigned who = 0; who < config->workers; who++)
        for (enum world_act act = 0; act < ACT_COUNT; act++)
            if (act != ACT_LATE)
                try_action(&world, (struct world_action){act, who}, explorer);
    for (unsigned i = 0; i < world.late_count; i++)
        try_action(&world, (struct world_action){ACT_LATE, i}, explorer);
}

struct lab_system
model_system(const struct world_config *config)
{
    return (struct lab_system){
        .state_size = pack_size(config->workers),
        .ctx = config,
        .start = start,
        .expand = expand,
    };
}

const char *
model_replay(const struct world_config *config, const uint16_t *schedule,
             size_t len, model_step_fn *show, void *ctx, bool *valid)
{
    struct model_step step;
    uint8_t packed[PACKED_MAX];

    *valid = true;
    world_start(&step.after, config);
    for (size_t i = 0; i < len; i++) {
        pack(&step.after, packed);
        unpack(config, packed, &step.before);
        step.action = world_action_of(schedule[i]);
        *valid = world_allows(&step.before, step.action);
        if (!*valid)
            return NULL;
        step.fault = world_is_fault(&step.before, step.action);
        step.after = step.before;
        world_apply(&step.after, step.action);
        if (show != NULL)
            show(ctx, (unsigned)i + 1, &step);
        if (step.after.violated != NULL)
            return step.after.violated;
    }
    return NULL;
}

/* ---- Random walks ------------------------------------------------------- */

/* xorshift64* (Vigna 2016): small, and the same everywhere. */
static uint64_t
roll(uint64_t *dice)
{
    *dice ^= *dice >> 12;
    *dice ^= *dice << 25;
    *dice ^= *dice >> 27;
    return *dice * UINT64_C(0x2545f4914f6cdd1d);
}

/* One of the steps that are possible, each as likely as any other; or, now and
 * then, one of the faults. */
static struct world_action
choose(const struct world *world, uint64_t *dice)
{
    bool fault = roll(dice) % 30 == 0;
    struct world_action chosen = {ACT_TICK, 0};
    unsigned found = 0;

    for (unsigned who = 0; who < WORLD_LATE_MAX; who++)
        for (enum world_act act = 0; act < ACT_COUNT; act++) {
            struct world_action action = {act, who};

            if (!world_allows(world, action) ||
                world_is_fault(world, action) != fault)
                continue;
            if (roll(dice) % ++found == 0)
                chosen = action;
        }
    return chosen;
}

const char *
model_wander(const struct world_config *config, struct model_walk *walk)
{
    struct world world;
    uint8_t packed[PACKED_MAX];
    uint64_t dice = walk->seed * UINT64_C(0x9e3779b97f4a7c15) | 1;

    world_start(&world, config);
    for (walk->len = 0; walk->len < walk->max;) {
        struct world_action action;

        pack(&world, packed);
        unpack(config, packed, &world);
        action = choose(&world, &dice);
        if (!world_allows(&world, action))
            continue; /* no fault is possible here: roll again */
        walk->schedule[walk->len++] = world_action_number(action);
        world_apply(&world, action);
        if (world.violated != NULL)
            return world.violated;
    }
    return NULL;
}

/* ---- The fair schedule -------------------------------------------------- */

/* In the order in which a fair and prompt world would do them. */
static const enum world_act fair_order[] = {
    ACT_WAKE,     ACT_HEAL,    ACT_SERVE, ACT_DELIVER,
    ACT_EVIDENCE, ACT_RELEASE, ACT_BEGIN, ACT_CLOCK,
};

static bool
do_something_fair(struct world *world)
{
    for (size_t i = 0; i < sizeof(fair_order) / sizeof(fair_order[0]); i++)
        for (unsigned who = 0; who < world->config->workers; who++) {
            struct world_action action = {fair_order[i], who};

            if (!world_allows(world, action))
                continue;
            world_apply(world, action);
            return true;
        }
    return false;
}

bool
model_reaches_grant(const struct world_config *config, const uint8_t *state)
{
    struct world world;
    uint8_t packed[PACKED_MAX];

    unpack(config, state, &world);
    /* Who is inside now may leave; it is the next grant that counts. */
    world.highest = 0;
    for (unsigned i = 0; i < FAIR_STEPS_MAX; i++) {
        if (!do_something_fair(&world))
            world_apply(&world, (struct world_action){ACT_TICK, 0});
        if (world.highest != 0)
            return true;
        pack(&world, packed);
        unpack(config, packed, &world);
        world.highest = 0;
    }
    return false;
}
