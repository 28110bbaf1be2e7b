#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simulate/server/failovers.h"
#include "simulate/server/world.h"

/*
 * simulate_server [--from SEED] [--seeds COUNT]: worlds, each seed another.
 * simulate_server --replay SEED: one of them, told line by line.
 * simulate_server --failovers COUNT: so many worlds in which the leader dies
 *     once, and how long it took the next to grant something.
 */

static struct world world;

/* What a machine checked did not hold. */
static void
on_abort(int number)
{
    (void)number;
    printf("seed %llu: aborted (at %lld ms)\n", (unsigned long long)world.seed,
           (long long)world.now);
    fflush(stdout);
    _exit(1);
}

static bool
run(uint64_t seed, bool tracing)
{
    struct shape shape = shape_small(seed);
    bool kept = world_run(&world, seed, &shape, tracing);

    if (!kept)
        printf("seed %llu: broken: %s: %s (at %lld ms)\n",
               (unsigned long long)seed, world.broken, world.detail,
               (long long)world.now);
    world_fini(&world);
    return kept;
}

static void
sum_up(struct sim_counts *all, const struct sim_counts *of)
{
    uint64_t *to = (uint64_t *)all;
    const uint64_t *from = (const uint64_t *)of;

    for (size_t i = 0; i < sizeof(*all) / sizeof(*to); i++)
        to[i] += from[i];
}

static void
print_counts(uint64_t seeds, const struct sim_counts *all)
{
    const struct {
        const char *word;
        uint64_t count;
    } counts[] = {
        {"steps", all->steps},
        {"grants", all->grants},
        {"timed out", all->timeouts},
        {"unavailable", all->unavailable},
        {"lost", all->losses},
        {"in doubt", all->doubts},
        {"gone", all->gones},
        {"terms", all->terms},
        {"batches", all->commits},
        {"unknown", all->unknowns},
        {"refused", all->refusals},
        {"late", all->late},
        {"nodes killed", all->kills},
        {"of these leaders", all->failovers},
        {"clients killed", all->deaths},
        {"frozen", all->freezes},
        {"cut off", all->cuts},
        {"cleared", all->clears},
        {"of these suspected", all->judged},
        {"spared", all->spared},
        {"pages", all->pages},
        {"restored", all->restores},
        {"spoke before the time", all->spoke},
        {"removed", all->removals},
        {"terms that began in a grace", all->graces},
        {"waits that named a holder", all->named},
    };

    printf("%llu seeds", (unsigned long long)seeds);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        printf("%s %s %llu", i == 0 ? ":" : ",", counts[i].word,
               (unsigned long long)counts[i].count);
    printf("\n");
}

/* What never happened proves nothing. */
static bool
much_happened(uint64_t seeds, const struct sim_counts *all)
{
    return seeds < 100 ||
           (all->grants > 20 * seeds && all->timeouts > seeds &&
            all->unavailable > seeds && all->losses > seeds &&
            all->doubts > seeds / 4 && all->terms > 3 * seeds &&
            all->failovers > seeds / 4 && all->late > seeds / 2 &&
            all->clears > seeds / 4 && all->judged > seeds / 50 &&
            all->spared > seeds / 20 && all->pages > seeds / 50 &&
            all->restores > seeds / 100 && all->spoke > seeds / 10 &&
            all->removals > seeds / 100 && all->graces > seeds / 50 &&
            all->named > seeds / 50);
}

static int
run_worlds(uint64_t from, uint64_t seeds)
{
    struct sim_counts all = {0};
    int bad = 0;

    for (uint64_t seed = from; seed < from + seeds && bad < 5; seed++) {
        bad += !run(seed, false);
        sum_up(&all, &world.counts);
    }
    print_counts(seeds, &all);
    if (bad == 0 && !much_happened(seeds, &all)) {
        printf("too little happened\n");
        bad++;
    }
    return bad != 0;
}

int
main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_abort};
    uint64_t from = 1;
    uint64_t seeds = 100;
    uint64_t replay = 0;
    uint64_t failovers = 0;

    sigaction(SIGABRT, &action, NULL);
    for (int i = 1; i + 1 < argc; i += 2) {
        uint64_t value = strtoull(argv[i + 1], NULL, 10);

        if (strcmp(argv[i], "--from") == 0)
            from = value;
        else if (strcmp(argv[i], "--seeds") == 0)
            seeds = value;
        else if (strcmp(argv[i], "--replay") == 0)
            replay = value;
        else if (strcmp(argv[i], "--failovers") == 0)
            failovers = value;
    }
    if (failovers != 0)
        return failovers_run(&world, from, failovers);
    if (replay != 0)
        return !run(replay, true);
    return run_worlds(from, seeds);
}
