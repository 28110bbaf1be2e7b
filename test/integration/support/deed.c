#include "deed.h"

#include <stddef.h>
#include <string.h>

/* Longer than a round of all lanes takes when nothing goes wrong. */
#define STRIKE_WITHIN_MS 80

/* Of 1,000 tries, how many it befalls, after the slow ones. */
static const unsigned odds[DEEDS] = {
    [DEED_KILL_HOLDFAST] = 25, [DEED_KILL_GUARD] = 25,
    [DEED_KILL_COMMAND] = 25,  [DEED_STRIKE_HOLDFAST] = 30,
    [DEED_STRIKE_GUARD] = 20,  [DEED_STRIKE_COMMAND] = 10,
};

static const char *const words[DEEDS] = {
    [DEED_NONE] = "none",
    [DEED_KILL_HOLDFAST] = "kill-holdfast",
    [DEED_KILL_HOLDFAST_DEAF] = "kill-holdfast-deaf",
    [DEED_KILL_GUARD] = "kill-guard",
    [DEED_KILL_COMMAND] = "kill-command",
    [DEED_FREEZE] = "freeze",
    [DEED_STRIKE_HOLDFAST] = "strike-holdfast",
    [DEED_STRIKE_GUARD] = "strike-guard",
    [DEED_STRIKE_COMMAND] = "strike-command",
};

/* splitmix64. */
static uint64_t
mix(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t
deed_random(uint64_t seed, uint32_t lane, uint32_t seq, uint32_t attempt)
{
    return mix(mix(mix(seed + lane) + seq) + attempt);
}

enum deed
deed_draw(uint64_t random, unsigned slow)
{
    unsigned die = (unsigned)(random % 1000);

    if (die < slow)
        return DEED_FREEZE;
    if (die < 2 * slow)
        return DEED_KILL_HOLDFAST_DEAF;
    die -= 2 * slow;
    for (int deed = 0; deed < DEEDS; deed++) {
        if (die < odds[deed])
            return (enum deed)deed;
        die -= odds[deed];
    }
    return DEED_NONE;
}

int64_t
deed_strike_ms(uint64_t random)
{
    return (int64_t)(mix(random) % STRIKE_WITHIN_MS);
}

const char *
deed_word(enum deed deed)
{
    return words[deed];
}

enum deed
deed_of_word(const char *word)
{
    int deed = 0;

    while (deed < DEEDS && strcmp(words[deed], word) != 0)
        deed++;
    return (enum deed)deed;
}
