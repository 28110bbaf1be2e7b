#include "fault.h"

#include <stddef.h>
#include <string.h>

#include "support/splitmix.h"

/* Longer than a round of all competitors takes when nothing goes wrong. */
#define STRIKE_WITHIN_MS 80

/* Of 1,000 tries, how many it befalls, after the slow ones. */
static const unsigned odds[FAULTS] = {
    [FAULT_KILL_HOLDFAST] = 25, [FAULT_KILL_GUARD] = 25,
    [FAULT_KILL_COMMAND] = 25,  [FAULT_STRIKE_HOLDFAST] = 30,
    [FAULT_STRIKE_GUARD] = 20,  [FAULT_STRIKE_COMMAND] = 10,
};

static const char *const words[FAULTS] = {
    [FAULT_NONE] = "none",
    [FAULT_KILL_HOLDFAST] = "kill-holdfast",
    [FAULT_KILL_HOLDFAST_DEAF] = "kill-holdfast-deaf",
    [FAULT_KILL_GUARD] = "kill-guard",
    [FAULT_KILL_COMMAND] = "kill-command",
    [FAULT_FREEZE] = "freeze",
    [FAULT_STRIKE_HOLDFAST] = "strike-holdfast",
    [FAULT_STRIKE_GUARD] = "strike-guard",
    [FAULT_STRIKE_COMMAND] = "strike-command",
};

static uint64_t
mix(uint64_t state)
{
    return splitmix64(&state);
}

uint64_t
fault_random(uint64_t seed, uint32_t competitor, uint32_t seq, uint32_t attempt)
{
    return mix(mix(mix(seed + competitor) + seq) + attempt);
}

enum fault
fault_draw(uint64_t random, unsigned slow)
{
    unsigned die = (unsigned)(random % 1000);

    if (die < slow)
        return FAULT_FREEZE;
    if (die < 2 * slow)
        return FAULT_KILL_HOLDFAST_DEAF;
    die -= 2 * slow;
    for (int fault = 0; fault < FAULTS; fault++) {
        if (die < odds[fault])
            return (enum fault)fault;
        die -= odds[fault];
    }
    return FAULT_NONE;
}

int64_t
fault_strike_ms(uint64_t random)
{
    return (int64_t)(mix(random) % STRIKE_WITHIN_MS);
}

const char *
fault_word(enum fault fault)
{
    return words[fault];
}

enum fault
fault_of_word(const char *word)
{
    int fault = 0;

    while (fault < FAULTS && strcmp(words[fault], word) != 0)
        fault++;
    return (enum fault)fault;
}
