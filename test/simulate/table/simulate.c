#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/table/world.h"

/*
 * simulate [--from SEED] [--seeds COUNT]: small worlds, each seed another.
 * simulate --replay SEED: one of them, told line by line.
 * simulate --far COUNT: so many seeds of a place that is 50 ms away, with 1,000
 *     locks that are held and 500 that are waited for.
 * simulate --silence COUNT: so many seeds of a place of which a connection
 *     swallows all, again and again, with locks that are held.
 * simulate --crowd COUNT [--seeds COUNT]: so many waiters in one line, and
 *     beside one another.
 */

static struct world world;

static void
sum_up(const struct world *of, struct world *all)
{
    all->steps += of->steps;
    all->grants += of->grants;
    all->losses += of->losses;
    all->looks += of->looks;
    all->clears += of->clears;
    all->store_calls += of->store_calls;
    for (size_t i = 0; i < 16; i++)
        all->outcomes[i] += of->outcomes[i];
}

static bool
run(uint64_t seed, const struct world_shape *shape, bool tracing)
{
    if (world_run(&world, seed, shape, tracing))
        return true;
    printf("seed %llu: broken: %s: %s (at %lld ms)\n", (unsigned long long)seed,
           world.broken, world.detail, (long long)world.now.ms);
    return false;
}

static int
run_small(uint64_t from, uint64_t count)
{
    static struct world all;
    int bad = 0;

    for (uint64_t seed = from; seed < from + count && bad < 5; seed++) {
        struct world_shape shape = world_small(seed);

        bad += !run(seed, &shape, false);
        sum_up(&world, &all);
    }
    printf("%llu seeds: %llu steps, %llu calls, %llu grants, %llu losses, "
           "%llu looks, %llu clears;",
           (unsigned long long)count, (unsigned long long)all.steps,
           (unsigned long long)all.store_calls, (unsigned long long)all.grants,
           (unsigned long long)all.losses, (unsigned long long)all.looks,
           (unsigned long long)all.clears);
    for (unsigned i = 0; i < 15; i++)
        if (all.outcomes[i] > 0)
            printf(" %s %llu,", hf_outcome_word((enum hf_outcome)i),
                   (unsigned long long)all.outcomes[i]);
    printf(" errors %llu\n", (unsigned long long)all.outcomes[15]);
    return bad;
}

static int
run_crowd(uint64_t from, size_t count)
{
    struct world_shape line = {
        .clients = 1,
        .keys = 1,
        .actors = count,
        .max_calls = 1,
        .latency_ms = 50,
        .wake_ms = 3,
        .horizon = INT64_MAX / 4,
        .one_line = true,
        .operations_max = 10000,
    };
    struct world_shape beside = line;
    int bad = 0;

    beside.one_line = false;
    beside.held = true;
    beside.keys = count;
    bad += !run(from, &line, false);
    printf("%zu in one line: %.2f calls a hand-over, %.1f ms of a place up to "
           "50 ms away\n",
           count, (double)world.store_calls / (double)world.grants,
           (double)(world.now.ms - 1000) / (double)world.grants);
    bad += !run(from, &beside, false);
    printf("%zu beside one another: %llu grants, %llu losses, %llu calls\n",
           count, (unsigned long long)world.grants,
           (unsigned long long)world.losses,
           (unsigned long long)world.store_calls);
    return bad + (world.losses > 0);
}

/* 1,000 held and 500 waited for, in a place that is 50 ms away. */
static int
run_far(uint64_t from, uint64_t count)
{
    struct world_shape shape = {
        .clients = 2,
        .keys = 1500,
        .actors = 2000,
        .max_calls = 1,
        .latency_ms = 50,
        .wake_ms = 3,
        .horizon = INT64_MAX / 4,
        .far = 1000,
        .operations_max = 256,
    };
    int bad = 0;

    for (uint64_t seed = from; seed < from + count; seed++) {
        bad += !run(seed, &shape, false) || world.grants != shape.actors;
        printf("far away, seed %llu: %llu grants, %llu losses, %llu errors, "
               "%llu calls\n",
               (unsigned long long)seed, (unsigned long long)world.grants,
               (unsigned long long)world.losses,
               (unsigned long long)world.outcomes[15],
               (unsigned long long)world.store_calls);
    }
    return bad;
}

/* 50 hold locks, and every 9 s another of the three connections begins to
 * swallow all that comes back.  Where answers take up to 1.8 s a right of 10 s
 * may come to its grace, but not to its end; and who looks for the first time
 * may be told that the place does not answer. */
static int
run_silence(uint64_t from, uint64_t count)
{
    static const int64_t latencies[] = {50, 300, 900};
    struct world_shape shape = {
        .clients = 1,
        .keys = 50,
        .actors = 50,
        .max_calls = HF_STORE_REMOTE_CALLS,
        .latency_ms = 50,
        .wake_ms = 3,
        .horizon = INT64_MAX / 4,
        .held = true,
        .operations_max = 256,
        .swallow_ms = 9000,
    };
    int bad = 0;

    for (uint64_t seed = from; seed < from + count; seed++) {
        shape.latency_ms = latencies[seed % 3];
        bad += !run(seed, &shape, false) || world.losses > 0 ||
               world.swallowed < 6 ||
               (shape.latency_ms <= 300 &&
                (world.grants != shape.actors || world.risks > 0));
        printf("silence, seed %llu: %llu calls swallowed of %llu, %llu grants, "
               "%llu at risk, %llu losses\n",
               (unsigned long long)seed, (unsigned long long)world.swallowed,
               (unsigned long long)world.store_calls,
               (unsigned long long)world.grants,
               (unsigned long long)world.risks,
               (unsigned long long)world.losses);
    }
    return bad;
}

int
main(int argc, char **argv)
{
    uint64_t from = 1;
    uint64_t seeds = 100;
    uint64_t replay = 0;
    size_t crowd = 0;
    uint64_t far = 0;
    uint64_t silence = 0;
    struct world_shape shape;

    for (int i = 1; i + 1 < argc; i += 2) {
        uint64_t value = strtoull(argv[i + 1], NULL, 10);

        if (strcmp(argv[i], "--from") == 0)
            from = value;
        else if (strcmp(argv[i], "--seeds") == 0)
            seeds = value;
        else if (strcmp(argv[i], "--replay") == 0)
            replay = value;
        else if (strcmp(argv[i], "--crowd") == 0)
            crowd = value;
        else if (strcmp(argv[i], "--far") == 0)
            far = value;
        else if (strcmp(argv[i], "--silence") == 0)
            silence = value;
    }
    if (silence != 0)
        return run_silence(from, silence) != 0;
    if (far != 0)
        return run_far(from, far) != 0;
    if (replay != 0) {
        shape = world_small(replay);
        printf("%zu clients, %zu keys, %zu actors, %u calls, latency %lld, "
               "wake %lld, faults %u\n",
               shape.clients, shape.keys, shape.actors, shape.max_calls,
               (long long)shape.latency_ms, (long long)shape.wake_ms,
               shape.fault_chance);
        return run(replay, &shape, true) ? 0 : 1;
    }
    if (crowd != 0) {
        int bad = 0;

        for (uint64_t seed = from; seed < from + seeds; seed++)
            bad += run_crowd(seed, crowd);
        return bad != 0;
    }
    return run_small(from, seeds) != 0;
}
