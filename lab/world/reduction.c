#include "lab/world/reduction.h"

#include "lab/world/attempt.h"
#include "lab/world/promise.h"
#include "lab/world/step.h"

bool
reduction_holds_in(const struct world_config *config)
{
    return !config->lazy && config->latency == 0 && !config->forgets &&
           !config->same_host && !config->suspects && !config->hands_on &&
           !config->judge_stuck && config->resource == RESOURCE_NONE;
}

/* The step that the worker takes by itself, whatever the others do. */
static bool
next_step(const struct world *world, unsigned worker, struct world_action *step)
{
    const struct world_mail *mail = &world->workers[worker].mail;

    if (mail->out && mail->slow)
        return false;
    *step = (struct world_action){mail->out ? ACT_DELIVER : ACT_CLOCK, worker};
    return step_allowed(world, *step);
}

bool
reduction_first(const struct world *world, unsigned worker,
                struct world_action *step)
{
    struct world next;

    if (!next_step(world, worker, step))
        return false;
    world_copy(&next, world);
    return attempt_step(&next, *step) == NULL && next.violated == NULL &&
           promise_sees_same(world, &next, worker);
}

unsigned
reduction_worker(const struct world *world)
{
    struct world_action step;

    for (unsigned who = 0; who < world->config->workers; who++)
        if (reduction_first(world, who, &step))
            return who;
    return WORLD_WORKERS_MAX;
}
