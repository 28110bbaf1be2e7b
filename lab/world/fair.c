#include "lab/world/fair.h"

#include <stddef.h>
#include <string.h>

#include "lab/world/pack.h"
#include "lab/world/person.h"
#include "lab/world/promise.h"
#include "lab/world/step.h"

/* The longest fair way anywhere: some ttls, of some ten steps a tick. */
enum { FAIR_STEPS_MAX = 2000, NOBODY = WORLD_WORKERS_MAX };

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

/* In the order in which a fair and prompt world would do them. */
static const enum world_act fair_order[] = {
    ACT_WAKE, ACT_HEAL,    ACT_SERVE, ACT_DELIVER, ACT_ARRIVE,
    ACT_GONE, ACT_RELEASE, ACT_BEGIN, ACT_CLOCK,
};

/* Before them, a person who looks; where a lock needs one, one comes. */
static const enum world_act persons_order[] = {
    ACT_PERSON_SERVE,
    ACT_PERSON_HEARS,
    ACT_PERSON_GONE,
    ACT_PERSON_CLOCK,
};

static bool
is_dead_refuse(const struct world *world)
{
    return world->exists && world_owner(world) == NOBODY &&
           world->config->terms[world->terms].if_dead == HF_REFUSE;
}

/* While a worker `keeps` the lock, it does not release, and nobody begins anew:
 * two others could pass the lock to and fro without end, and without any time.
 * Nor does anybody who was told that the holder is dead ask again before the
 * person who looks at it has ended. */
static bool
holds_back(const struct world *world, struct world_action action,
           unsigned keeps)
{
    if (action.act == ACT_RELEASE)
        return action.who == keeps;
    return action.act == ACT_BEGIN &&
           (keeps != NOBODY ||
            (person_is_there(world) && is_dead_refuse(world)));
}

/* The next step of the fair schedule. */
static struct world_action
choose(const struct world *world, unsigned keeps)
{
    if (is_dead_refuse(world) && person_may_come(world, 0))
        return (struct world_action){ACT_PERSON_COMES, 0};
    for (size_t i = 0; i < LEN(persons_order); i++)
        if (step_allowed(world, (struct world_action){persons_order[i], 0}))
            return (struct world_action){persons_order[i], 0};
    for (size_t i = 0; i < LEN(fair_order); i++)
        for (unsigned who = 0; who < world->config->workers; who++) {
            struct world_action action = {fair_order[i], who};

            if (!holds_back(world, action, keeps) &&
                step_allowed(world, action))
                return action;
        }
    if (world->config->operator&& is_dead_refuse(world))
        return (struct world_action){ACT_CLEAR, 0};
    return (struct world_action){ACT_TICK, 0};
}

/* One step, and the canonical form of what it leads to. */
static void
advance(struct world *world, unsigned keeps, uint8_t *packed)
{
    step_apply(world, choose(world, keeps));
    pack(world, packed);
    unpack(world->config, packed, world);
}

/* A worker inside may leave at once: the next grant is the one that counts. */
static bool
reaches_grant(struct world world)
{
    uint8_t packed[PACKED_MAX];

    for (unsigned i = 0; i < FAIR_STEPS_MAX; i++) {
        struct world_action action = choose(&world, NOBODY);

        world.highest = 0;
        step_apply(&world, action);
        if (world.highest != 0)
            return true;
        pack(&world, packed);
        unpack(world.config, packed, &world);
    }
    return false;
}

static bool
was_cleared(const struct world *world, unsigned worker)
{
    const struct world_worker *w = &world->workers[worker];

    return w->alive && w->in_section && !world_owns(world, worker) &&
           w->contender.state == HF_CONTENDER_HOLDING;
}

static bool
learns(struct world world, unsigned worker)
{
    uint8_t packed[PACKED_MAX];

    for (unsigned i = 0; i < FAIR_STEPS_MAX; i++) {
        if (!world.workers[worker].in_section)
            return true;
        advance(&world, worker, packed);
    }
    return false;
}

const char *
fair_judge(const struct world_config *config, const uint8_t *packed)
{
    struct world_config named = *config;
    struct world world;

    named.symmetric = false; /* workers must keep their places */
    unpack(&named, packed, &world);
    for (unsigned i = 0; i < config->workers; i++)
        if (was_cleared(&world, i) && !learns(world, i))
            return PROMISE_UNHEARD;
    return reaches_grant(world) ? NULL : PROMISE_STUCK;
}

unsigned
fair_show(const struct world *world, model_step_fn *show, void *ctx)
{
    static uint8_t seen[FAIR_STEPS_MAX][PACKED_MAX];
    size_t size = pack_size(world->config);
    unsigned count = 0;
    struct model_step step = {.after = *world};

    for (pack(world, seen[0]); count + 1 < FAIR_STEPS_MAX; count++) {
        unsigned first = 0;

        unpack(world->config, seen[count], &step.before);
        step.action = choose(&step.before, NOBODY);
        step.after = step.before;
        step.check = attempt_step(&step.after, step.action);
        if (step.check != NULL)
            step.after = step.before;
        show(ctx, count + 1, &step);
        if (step.check != NULL)
            return 0;
        pack(&step.after, seen[count + 1]);
        while (first <= count &&
               memcmp(seen[first], seen[count + 1], size) != 0)
            first++;
        if (first <= count)
            return first + 1;
    }
    return 0;
}
