#include "plan.h"

#include <stdio.h>

#include "support/splitmix.h"

/*
 * A command that nobody is to end lives a short time.  One that must be ended,
 * since its holdfast or its guard is killed, would live longer than the record
 * is believed in: whoever fails to end it is found out.
 */
enum { LIFE_MIN_MS = 50, LIFE_MAX_MS = 400, LIFE_TO_BE_ENDED_MS = 5000 };

/* The latest kill after each moment: a wait takes about a second. */
static const unsigned within_us[ROUND_MOMENTS] = {
    [ROUND_AT_ANY] = 1500000,
    [ROUND_WHILE_RUNNING] = 100000,
    [ROUND_AT_END] = 8000,
};

/* Nor are the guard and the command there for long then. */
#define WITHIN_END_US 1000

static const char *const habits[ROUND_HABITS] = {
    [ROUND_PLAIN] = "plain",
    [ROUND_SESSION] = "setsid",
    [ROUND_THREAD] = "thread",
    [ROUND_TWICE] = "fork twice",
};

static const char *const victims[VICTIMS] = {
    [VICTIM_HOLDFAST] = "holdfast",
    [VICTIM_GUARD] = "guard",
    [VICTIM_COMMAND] = "command",
};

static const char *const moments[ROUND_MOMENTS] = {
    [ROUND_AT_ANY] = "after the start",
    [ROUND_WHILE_RUNNING] = "while it runs",
    [ROUND_AT_END] = "after its end",
};

static unsigned
below(uint64_t *state, unsigned limit)
{
    return (unsigned)(splitmix64(state) % limit);
}

struct round_plan
round_plan_draw(uint64_t seed, uint32_t round)
{
    uint64_t state = seed * UINT64_C(0x100000001b3) + round;
    unsigned moment = below(&state, 10);
    struct round_plan plan = {
        .lock = below(&state, ROUND_LOCKS),
        .habit = (enum round_habit)below(&state, ROUND_HABITS),
        .deaf = below(&state, 3) == 0,
        .victim = (enum victim)below(&state, VICTIMS),
    };

    plan.moment = moment < 3   ? ROUND_AT_ANY
                  : moment < 8 ? ROUND_WHILE_RUNNING
                               : ROUND_AT_END;
    plan.delay_us = below(&state, within_us[plan.moment]);
    if (plan.moment == ROUND_AT_END && plan.victim != VICTIM_HOLDFAST)
        plan.delay_us %= WITHIN_END_US;
    plan.life_ms = LIFE_MIN_MS + below(&state, LIFE_MAX_MS - LIFE_MIN_MS);
    if (plan.moment == ROUND_WHILE_RUNNING)
        plan.life_ms = plan.victim == VICTIM_COMMAND
                           ? plan.life_ms + plan.delay_us / 1000
                           : LIFE_TO_BE_ENDED_MS;
    return plan;
}

const char *
victim_word(enum victim victim)
{
    return victims[victim];
}

const char *
round_moment_word(enum round_moment moment)
{
    return moments[moment];
}

void
round_plan_text(const struct round_plan *plan, char *text, size_t size)
{
    snprintf(text, size,
             "lock %u, command %s%s for %u ms; kill %s %u.%03u ms %s",
             plan->lock, habits[plan->habit], plan->deaf ? " and deaf" : "",
             plan->life_ms, victims[plan->victim], plan->delay_us / 1000,
             plan->delay_us % 1000, moments[plan->moment]);
}
