#include "lab/world/model.h"

#include <string.h>

#include "lab/world/fair.h"
#include "lab/world/pack.h"
#include "lab/world/reduction.h"
#include "lab/world/step.h"

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

/* A step as it is tried: any of it may be ended by a check. */
struct trial {
    struct world_action action;
    struct world world;
    uint8_t packed[PACKED_MAX];
};

static void
try_step(void *ctx)
{
    struct trial *trial = ctx;
    struct world *world = &trial->world;

    step_apply(world, trial->action);
    pack(world, trial->packed);
    if (world->violated == NULL && world->config->judge_stuck)
        world->violated = fair_judge(world->config, trial->packed);
}

static uint64_t
seen_in(const struct world *world, bool fault)
{
    uint64_t seen = fault ? MODEL_SEEN_FAULT : 0;

    for (unsigned i = 0; i < world->config->workers; i++)
        if (world->workers[i].in_section)
            seen |= MODEL_SEEN_INSIDE;
    return seen;
}

static void
take(const struct world *world, struct world_action action,
     struct explorer *explorer)
{
    struct trial trial;
    struct explore_step step = {
        .state = trial.packed,
        .action = world_action_number(action),
        .actor = actor_of(action),
        .fault = step_is_fault(world, action),
    };

    if (!explore_wants(explorer, step.fault))
        return;
    trial.action = action;
    world_copy(&trial.world, world);
    step.violated = attempt(try_step, &trial);
    if (step.violated == NULL)
        step.violated = trial.world.violated;
    step.seen = seen_in(&trial.world, step.fault);
    explore_add(explorer, &step);
}

static void
try_action(const struct world *world, struct world_action action,
           struct explorer *explorer)
{
    if (step_allowed(world, action))
        take(world, action, explorer);
}

static void
try_workers(const struct world *world, unsigned who, struct explorer *explorer)
{
    uint64_t acts = step_acts(world->config);

    for (enum world_act act = 0; act < ACT_COUNT; act++)
        if ((acts >> act & 1) != 0 && world_is_workers(act))
            try_action(world, (struct world_action){act, who}, explorer);
}

/* All that anybody may do. */
static void
try_all(const struct world *world, struct explorer *explorer)
{
    uint64_t acts = step_acts(world->config);

    for (unsigned who = 0; who < world->config->workers; who++)
        for (enum world_act act = 0; act < ACT_COUNT; act++)
            if ((acts >> act & 1) != 0 && act != ACT_LATE)
                try_action(world, (struct world_action){act, who}, explorer);
    for (unsigned i = 0; i < world->late_count; i++)
        try_action(world, (struct world_action){ACT_LATE, i}, explorer);
}

static void
expand(const void *ctx, const void *state, struct explorer *explorer)
{
    struct world world;

    unpack(ctx, state, &world);
    try_all(&world, explorer);
}

static void
expand_reduced(const void *ctx, const void *state, struct explorer *explorer)
{
    struct world world;
    unsigned worker;

    unpack(ctx, state, &world);
    worker = reduction_worker(&world);
    if (worker < WORLD_WORKERS_MAX)
        try_workers(&world, worker, explorer);
    else
        try_all(&world, explorer);
}

struct explore_system
model_system(const struct world_config *config)
{
    struct explore_system system = {
        .state_size = pack_size(config),
        .ctx = config,
        .start = start,
        .expand = expand,
        .must_see = MODEL_SEEN_INSIDE,
    };

    pack_parts(config, system.parts);
    return system;
}

struct explore_system
model_reduced_system(const struct world_config *config)
{
    struct explore_system system = model_system(config);

    if (reduction_holds_in(config))
        system.expand = expand_reduced;
    return system;
}

struct judged {
    const struct world *world;
    const char *violated;
};

static void
judge(void *ctx)
{
    struct judged *judged = ctx;
    uint8_t packed[PACKED_MAX];

    pack(judged->world, packed);
    judged->violated = fair_judge(judged->world->config, packed);
}

/* What must happen in the end, from here. */
static const char *
judge_end(const struct world *world)
{
    struct judged judged = {.world = world};
    const char *check;

    if (!world->config->judge_stuck)
        return NULL;
    check = attempt(judge, &judged);
    return check != NULL ? check : judged.violated;
}

/* Returns the property that it breaks, or NULL. */
static const char *
replay_step(struct model_step *step)
{
    step->fault = step_is_fault(&step->before, step->action);
    step->after = step->before;
    step->check = attempt_step(&step->after, step->action);
    if (step->check == NULL)
        return step->after.violated;
    step->after = step->before;
    return step->check;
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
        const char *violated;

        pack(&step.after, packed);
        unpack(config, packed, &step.before);
        step.action = world_action_of(schedule[i]);
        *valid = step_allowed(&step.before, step.action);
        if (!*valid)
            return NULL;
        violated = replay_step(&step);
        if (show != NULL)
            show(ctx, (unsigned)i + 1, &step);
        if (violated != NULL)
            return violated;
    }
    return judge_end(&step.after);
}
