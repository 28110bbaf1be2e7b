#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/twins/world.h"

/*
 * simulate_twins [--from SEED] [--seeds COUNT]: worlds, each seed another.
 * simulate_twins --replay SEED: one of them, told line by line.
 */

static struct world world;

static uint64_t
option(int argc, char **argv, const char *word, uint64_t otherwise)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], word) == 0)
            return strtoull(argv[i + 1], NULL, 10);
    return otherwise;
}

static bool
run(uint64_t seed, bool tracing)
{
    bool kept = world_run(&world, seed, tracing);

    if (!kept)
        printf("seed %llu: broken: %s (at %lld ms)\n", (unsigned long long)seed,
               world.broken, (long long)world.now);
    return kept;
}

static void
sum_up(struct counts *all, const struct counts *of)
{
    all->grants += of->grants;
    all->overlaps += of->overlaps;
    all->differ += of->differ;
    all->refused += of->refused;
    all->lost += of->lost;
    all->deaths += of->deaths;
    all->cuts += of->cuts;
}

/* What never happened proves nothing. */
static bool
print(uint64_t seeds, const struct counts *all)
{
    printf("%llu worlds: granted %llu, to two who could not know %llu, two "
           "services seen %llu, refused %llu, lost %llu, clients died %llu, "
           "servers away %llu\n",
           (unsigned long long)seeds, (unsigned long long)all->grants,
           (unsigned long long)all->overlaps, (unsigned long long)all->differ,
           (unsigned long long)all->refused, (unsigned long long)all->lost,
           (unsigned long long)all->deaths, (unsigned long long)all->cuts);
    return all->grants > 0 && all->overlaps > 0 && all->differ > 0 &&
           all->refused > 0 && all->lost > 0;
}

int
main(int argc, char **argv)
{
    uint64_t from = option(argc, argv, "--from", 1);
    uint64_t seeds = option(argc, argv, "--seeds", 100);
    uint64_t replay = option(argc, argv, "--replay", 0);
    struct counts all = {0};
    bool kept = true;

    if (replay != 0)
        return run(replay, true) ? 0 : 1;
    for (uint64_t seed = from; kept && seed < from + seeds; seed++) {
        kept = run(seed, false);
        sum_up(&all, &world.counts);
    }
    return print(seeds, &all) && kept ? 0 : 1;
}
