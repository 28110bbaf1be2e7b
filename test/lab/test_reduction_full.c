/* The reduced search sees what the search in full sees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/world/model.h"
#include "lab/world/pack.h"
#include "lab/world/reduction.h"
#include "lab/world/worlds.h"

/* The states in which nobody goes first, as far as they were visited. */
struct settled {
    const struct world_config *config;
    struct explore_system system;
    uint64_t *count;
    uint64_t *sum; /* of their hashes */
};

static void
start(const void *ctx, void *state)
{
    const struct settled *settled = ctx;

    settled->system.start(settled->config, state);
}

/* FNV-1a. */
static uint64_t
hash(const uint8_t *bytes, size_t len)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static void
count_and_expand(const void *ctx, const void *state, struct explorer *explorer)
{
    const struct settled *settled = ctx;
    struct world world;

    unpack(settled->config, state, &world);
    if (explore_wants(explorer, false) &&
        reduction_worker(&world) == WORLD_WORKERS_MAX) {
        ++*settled->count;
        *settled->sum += hash(state, settled->system.state_size);
    }
    settled->system.expand(settled->config, state, explorer);
}

/* Search to the end; the sum of the settled states, each with its level. */
static uint64_t
search(const struct world_config *config, struct explore_system system,
       unsigned faults, struct explore_report *report)
{
    uint64_t count = 0;
    uint64_t sum = 0;
    struct settled settled = {config, system, &count, &sum};

    system.ctx = &settled;
    system.start = start;
    system.expand = count_and_expand;
    assert_true(explore_all(
        &system,
        &(struct explore_limits){.faults = faults, .states_max = 10000000},
        report));
    assert_int_not_equal(report->verdict, EXPLORE_BOUNDED);
    return sum + count;
}

static void
compare(const struct world_config *config, unsigned faults)
{
    struct explore_report full;
    struct explore_report reduced;
    uint64_t all = search(config, model_system(config), faults, &full);
    uint64_t some =
        search(config, model_reduced_system(config), faults, &reduced);

    assert_int_equal(full.verdict, reduced.verdict);
    assert_ptr_equal(full.violated, reduced.violated);
    assert_int_equal(full.faults, reduced.faults);
    assert_true(reduced.states < full.states);
    if (full.verdict == EXPLORE_PROVED)
        assert_int_equal(all, some);
    explore_report_fini(&full);
    explore_report_fini(&reduced);
}

/* Both visit the same states in which nobody goes first, without a fault and
 * with one. */
static void
nothing_is_missed(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < worlds_count; i++) {
        if (!reduction_holds_in(&worlds[i]))
            continue;
        compare(&worlds[i], 0);
        if (!worlds[i].examines)
            compare(&worlds[i], 1);
    }
}

static void
what_the_argument_does_not_hold_for_is_searched_in_full(void **unused)
{
    static const char *const names[] = {
        "slow",
        "slow-place",
        "slow-place-refuse",
        "slow-place-live",
        "forgets",
        "forgets-refuse",
        "same-host",
        "same-host-refuse",
        "try",
        "fenced",
        "unfenced",
        "examine-same-host",
        "live",
        "clear-live",
        "examine-live",
        "dead-refuse",
        "shell-refuse",
        "try-refuse",
        "suspect",
        "hand-on",
        "hand-on-refuse",
        "return-refuse",
        "return-forgets",
    };
    unsigned count = 0;

    (void)unused;
    for (unsigned i = 0; i < worlds_count; i++)
        count += !reduction_holds_in(&worlds[i]);
    assert_int_equal(count, sizeof(names) / sizeof(names[0]));
    for (unsigned i = 0; i < count; i++) {
        const struct world_config *config = worlds_find(names[i]);

        assert_false(reduction_holds_in(config));
        assert_ptr_equal(model_reduced_system(config).expand,
                         model_system(config).expand);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_missed),
        cmocka_unit_test(
            what_the_argument_does_not_hold_for_is_searched_in_full),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
