#include "lab/world/walk.h"

#include <stddef.h>

#include "lab/world/attempt.h"
#include "lab/world/pack.h"
#include "lab/world/step.h"

/* xorshift64* (Vigna 2016): small, and the same everywhere. */
static uint64_t
roll(uint64_t *dice)
{
    *dice ^= *dice >> 12;
    *dice ^= *dice << 25;
    *dice ^= *dice >> 27;
    return *dice * UINT64_C(0x2545f4914f6cdd1d);
}

/* Trouble that ends at once is little trouble. */
static bool
ends_trouble(enum world_act act)
{
    return act == ACT_WAKE || act == ACT_HEAL;
}

/* One of the steps that are possible, each as likely as any other; or, now and
 * then, one of the faults, or the end of one. */
static struct world_action
choose(const struct world *world, uint64_t *dice)
{
    bool fault = roll(dice) % 30 == 0;
    bool relief = roll(dice) % 30 == 0;
    struct world_action chosen = {ACT_TICK, 0};
    unsigned found = 0;

    for (unsigned who = 0; who < WORLD_LATE_MAX; who++)
        for (enum world_act act = 0; act < ACT_COUNT; act++) {
            struct world_action action = {act, who};

            if (!step_allowed(world, action) ||
                step_is_fault(world, action) != fault ||
                (ends_trouble(act) && !relief))
                continue;
            if (roll(dice) % ++found == 0)
                chosen = action;
        }
    return chosen;
}

const char *
walk_at_random(const struct world_config *config, struct walk *walk)
{
    struct world world;
    uint8_t packed[PACKED_MAX];
    uint64_t dice = walk->seed * UINT64_C(0x9e3779b97f4a7c15) | 1;

    world_start(&world, config);
    for (walk->len = 0; walk->len < walk->max;) {
        struct world_action action;
        const char *check;

        pack(&world, packed);
        unpack(config, packed, &world);
        action = choose(&world, &dice);
        if (!step_allowed(&world, action))
            continue; /* no fault is possible here: roll again */
        walk->schedule[walk->len++] = world_action_number(action);
        check = attempt_step(&world, action);
        if (check != NULL || world.violated != NULL)
            return check != NULL ? check : world.violated;
    }
    return NULL;
}
