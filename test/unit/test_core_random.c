#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit/support/events.h"
#include "unit/support/promises.h"

/*
 * Worlds from fixed seeds.  HF_SEED=N runs one seed of each test, and prints
 * its whole story; HF_WORLDS=N runs so many of each; HF_SHARE=N one in so many,
 * where a sanitizer makes everything slow.
 */

#define WORLDS 400

static struct world world;

/* What has been seen in all worlds of one test: a test that never met what it
 * is about proves nothing. */
struct seen {
    size_t grants;
    size_t takeovers;
    size_t losses;
    size_t doubts;
    size_t clears;
};

static uint64_t
from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static size_t
share(void)
{
    return (size_t)from_environment("HF_SHARE", 1);
}

/* A check inside a machine failed, or a promise was broken. */
static void
on_abort(int number)
{
    (void)number;
    world_tell(&world);
    _exit(1);
}

static struct seen
run_worlds(struct world_options options, uint64_t count)
{
    uint64_t seed = from_environment("HF_SEED", 0);
    struct seen seen = {0};

    options.prints = seed != 0;
    if (seed == 0)
        count = from_environment("HF_WORLDS", count / share());
    else
        count = 1;
    for (uint64_t i = 0; i < count; i++) {
        options.seed = seed != 0 ? seed : i + 1;
        world_run(&world, &options);
        seen.grants += world.grants;
        seen.takeovers += world.takeovers;
        seen.losses += world.losses;
        seen.doubts += world.doubts;
        seen.clears += world.clears;
    }
    printf("%llu worlds: %zu grants, %zu takeovers, %zu losses, %zu doubts, "
           "%zu clears\n",
           (unsigned long long)count, seen.grants, seen.takeovers, seen.losses,
           seen.doubts, seen.clears);
    return seen;
}

static bool
one_seed_only(void)
{
    return getenv("HF_SEED") != NULL;
}

static void
takeover_locks_keep_every_promise(void **state)
{
    struct seen seen = run_worlds(
        (struct world_options){.takeover = true, .faults = true}, WORLDS);

    (void)state;
    if (one_seed_only())
        return;
    assert_true(seen.grants > 1000 / share());
    assert_true(seen.takeovers > 300 / share());
    assert_true(seen.losses > 100 / share());
}

static void
refuse_locks_keep_every_promise(void **state)
{
    struct seen seen = run_worlds(
        (struct world_options){.refuse = true, .faults = true, .clears = true},
        WORLDS);

    (void)state;
    if (one_seed_only())
        return;
    assert_true(seen.grants > 500 / share());
    assert_int_equal(seen.takeovers, 0);
    assert_true(seen.doubts > 50 / share());
    assert_true(seen.clears > 50 / share());
}

static void
mixed_locks_keep_every_promise(void **state)
{
    struct seen seen = run_worlds(
        (struct world_options){
            .refuse = true,
            .takeover = true,
            .faults = true,
            .clears = true,
            .force = true,
        },
        WORLDS);

    (void)state;
    if (one_seed_only())
        return;
    assert_true(seen.grants > 1000 / share());
    assert_true(seen.takeovers > 50 / share());
    assert_true(seen.clears > 50 / share());
}

/* Where nothing fails, nobody is told that something did. */
static void
nothing_is_lost_where_nothing_fails(void **state)
{
    struct seen seen = run_worlds(
        (struct world_options){.takeover = true, .refuse = true}, WORLDS / 4);

    (void)state;
    if (one_seed_only())
        return;
    assert_true(seen.grants > 1000 / share());
    assert_int_equal(seen.takeovers, 0);
    assert_int_equal(seen.losses, 0);
    assert_int_equal(seen.doubts, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takeover_locks_keep_every_promise),
        cmocka_unit_test(refuse_locks_keep_every_promise),
        cmocka_unit_test(mixed_locks_keep_every_promise),
        cmocka_unit_test(nothing_is_lost_where_nothing_fails),
    };
    struct sigaction action = {.sa_handler = on_abort};

    sigaction(SIGABRT, &action, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
