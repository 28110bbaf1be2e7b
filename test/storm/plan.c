#include "plan.h"

#include <stdio.h>

/*
 * A command that nobody is to end lives a short time.  One that must be ended,
 * since its holdfast or its guard is killed, would live longer than the record
 * is believed in: whoever fails to end it is found out.
 */
enum { LIFE_MIN_MS = 50, LIFE_MAX_MS = 400, LIFE_TO_BE_ENDED_MS = 5000 };

/* The latest kill after each moment: a wait takes about a second. */
static const unsigned within_us[STORM_MOMENTS] = {
    [STORM_AT_ANY] = 1500000,
    [STORM_WHILE_RUNNING] = 100000,
    [STORM_AT_END] = 8000,
};

/* Nor are the guard and the command there for long then. */
#define WITHIN_END_US 1000

static const char *const habits[STORM_HABITS] = {
    [STORM_PLAIN] = "plain",
    [STORM_SESSION] = "setsid",
    [STORM_THREAD] = "thread",
    [STORM_TWICE] = "fork twice",
};

static const char *const victims[STORM_VICTIMS] = {
    [STORM_HOLDFAST] = "holdfast",
    [STORM_GUARD] = "guard",
    [STORM_COMMAND] = "command",
};

static const char *const moments[STORM_MOMENTS] = {
    [STORM_AT_ANY] = "after the start",
    [STORM_WHILE_RUNNING] = "while it runs",
    [STORM_AT_END] = "after its end",
};

/* splitmix64: each call gives the next number. */
static uint64_t
next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static unsigned
below(uint64_t *state, unsigned limit)
{
    return (unsigned)(next(state) % limit);
}

struct storm_plan
storm_plan_draw(uint64_t seed, uint32_t round)
{
    uint64_t state = seed * UINT64_C(0x100000001b3) + round;
    unsigned moment = below(&state, 10);
    struct storm_plan plan = {
        .lock = below(&state, STORM_LOCKS),
        .habit = (enum storm_habit)below(&state, STORM_HABITS),
        .deaf = below(&state, 3) == 0,
        .victim = (enum storm_victim)below(&state, STORM_VICTIMS),
    };

    plan.moment = moment < 3   ? STORM_AT_ANY
                  : moment < 8 ? STORM_WHILE_RUNNING
                               : STORM_AT_END;
    plan.delay_us = below(&state, within_us[plan.moment]);
    if (plan.moment == STORM_AT_END && plan.victim != STORM_HOLDFAST)
        plan.delay_us %= WITHIN_END_US;
    plan.life_ms = LIFE_MIN_MS + below(&state, LIFE_MAX_MS - LIFE_MIN_MS);
    if (plan.moment == STORM_WHILE_RUNNING)
        plan.life_ms = plan.victim == STORM_COMMAND
                           ? plan.life_ms + plan.delay_us / 1000
                           : LIFE_TO_BE_ENDED_MS;
    return plan;
}

const char *
storm_victim_word(enum storm_victim victim)
{
    return victims[victim];
}

const char *
storm_moment_word(enum storm_moment moment)
{
    return moments[moment];
}

void
storm_plan_text(const struct storm_plan *plan, char *text, size_t size)
{
    snprintf(text, size,
             "lock %u, command %s%s for %u ms; kill %s %u.%03u ms %s",
             plan->lock, habits[plan->habit], plan->deaf ? " and deaf" : "",
             plan->life_ms, victims[plan->victim], plan->delay_us / 1000,
             plan->delay_us % 1000, moments[plan->moment]);
}
