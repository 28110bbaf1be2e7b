/* The search, on a system whose states can be counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "explore/explore.h"

/* Two workers, each with a counter that only grows, and faults, each of which
 * is counted; a state is violated where `is_bad` says so. */
struct toy {
    uint8_t most;   /* of each counter */
    uint8_t breaks; /* faults that can happen at all */
    bool (*is_bad)(const uint8_t *state);
};

enum { FIRST, SECOND, BREAKS, STATE_SIZE };

static void
start(const void *ctx, void *state)
{
    (void)ctx;
    memset(state, 0, STATE_SIZE);
}

static void
step(const struct toy *toy, const uint8_t *state, unsigned what,
     struct explorer *explorer)
{
    uint8_t next[STATE_SIZE];
    bool bad;

    if (state[what] == (what == BREAKS ? toy->breaks : toy->most) ||
        !explore_wants(explorer, what == BREAKS))
        return;
    memcpy(next, state, STATE_SIZE);
    next[what]++;
    bad = toy->is_bad != NULL && toy->is_bad(next);
    explore_add(explorer, &(struct explore_step){
                              .state = next,
                              .action = (uint16_t)(10 + what),
                              .actor = (uint8_t)what,
                              .fault = what == BREAKS,
                              .violated = bad ? "bad" : NULL,
                          });
}

static void
expand(const void *ctx, const void *state, struct explorer *explorer)
{
    for (unsigned what = FIRST; what <= BREAKS; what++)
        step(ctx, state, what, explorer);
}

/* Every test is run with states that are kept whole, and then in parts. */
static bool in_parts;

static struct explore_report
explore(const struct toy *toy, const struct explore_limits *limits)
{
    struct explore_system system = {
        .state_size = STATE_SIZE,
        .ctx = toy,
        .start = start,
        .expand = expand,
    };
    struct explore_report report;

    if (in_parts) {
        system.parts[0] = 2;
        system.parts[1] = STATE_SIZE - 2;
    }
    assert_true(explore_all(&system, limits, &report));
    return report;
}

static void
every_state_is_visited_once(void **unused)
{
    struct toy toy = {.most = 9};
    struct explore_report report = explore(&toy, &(struct explore_limits){0});

    (void)unused;
    assert_int_equal(report.verdict, EXPLORE_PROVED);
    assert_int_equal(report.states, 10 * 10);
    assert_int_equal(report.transitions, 2 * 9 * 10);
    assert_null(report.violated);
    explore_report_fini(&report);
}

static void
only_so_many_faults_are_spent(void **unused)
{
    struct toy toy = {.most = 9, .breaks = 5};

    (void)unused;
    for (unsigned faults = 0; faults <= 6; faults++) {
        struct explore_report report =
            explore(&toy, &(struct explore_limits){.faults = faults});

        assert_int_equal(report.verdict, EXPLORE_PROVED);
        assert_int_equal(report.states, 100 * (1 + (faults < 5 ? faults : 5)));
        explore_report_fini(&report);
    }
}

static bool
is_two_and_two(const uint8_t *state)
{
    return state[FIRST] == 2 && state[SECOND] == 2;
}

static void
the_schedule_is_shortest_with_fewest_switches_lowest_worker_first(void **unused)
{
    struct toy toy = {.most = 9, .is_bad = is_two_and_two};
    struct explore_report report = explore(&toy, &(struct explore_limits){0});
    const uint16_t expected[] = {10, 10, 11, 11};

    (void)unused;
    assert_int_equal(report.verdict, EXPLORE_VIOLATED);
    assert_string_equal(report.violated, "bad");
    assert_int_equal(report.schedule_len, 4);
    assert_memory_equal(report.schedule, expected, sizeof(expected));
    explore_report_fini(&report);
}

/* One that is easier to read would take memory that there is not. */
static void
without_memory_to_find_a_better_one_a_schedule_is_shortest(void **unused)
{
    struct toy toy = {.most = 9, .is_bad = is_two_and_two};
    struct explore_report report = explore(
        &toy, &(struct explore_limits){.memory_max = 100 * (STATE_SIZE + 16)});
    unsigned firsts = 0;

    (void)unused;
    assert_int_equal(report.verdict, EXPLORE_VIOLATED);
    assert_int_equal(report.schedule_len, 4);
    for (size_t i = 0; i < report.schedule_len; i++) {
        assert_in_range(report.schedule[i], 10, 11);
        firsts += report.schedule[i] == 10;
    }
    assert_int_equal(firsts, 2);
    explore_report_fini(&report);
}

/* One counter, which the first worker's fault and the second's free step count
 * alike, up to a step that is bad. */
static void
expand_either_way(const void *ctx, const void *state, struct explorer *explorer)
{
    uint8_t next = (uint8_t)(*(const uint8_t *)state + 1);

    (void)ctx;
    for (uint8_t actor = FIRST; actor <= SECOND; actor++)
        explore_add(explorer, &(struct explore_step){
                                  .state = &next,
                                  .action = actor,
                                  .actor = actor,
                                  .fault = actor == FIRST,
                                  .violated = next == 4 ? "bad" : NULL,
                              });
}

static void
start_either_way(const void *ctx, void *state)
{
    (void)ctx;
    memset(state, 0, 1);
}

static void
without_memory_a_schedule_has_no_fault_that_it_does_not_need(void **unused)
{
    struct explore_system system = {
        .state_size = 1,
        .start = start_either_way,
        .expand = expand_either_way,
    };
    struct explore_limits limits = {.faults = 2, .memory_max = 1000};
    struct explore_report report;

    (void)unused;
    assert_true(explore_all(&system, &limits, &report));
    assert_int_equal(report.verdict, EXPLORE_VIOLATED);
    assert_int_equal(report.faults, 0);
    assert_int_equal(report.schedule_len, 4);
    for (size_t i = 0; i < report.schedule_len; i++)
        assert_int_equal(report.schedule[i], SECOND);
    explore_report_fini(&report);
}

/* After one fault at once, or after five steps of each without any. */
static bool
is_broken_or_worn(const uint8_t *state)
{
    return state[BREAKS] == 1 || (state[FIRST] == 5 && state[SECOND] == 5);
}

static void
fewer_faults_go_before_fewer_steps(void **unused)
{
    struct toy toy = {.most = 9, .breaks = 2, .is_bad = is_broken_or_worn};
    struct explore_report report =
        explore(&toy, &(struct explore_limits){.faults = 2});

    (void)unused;
    assert_int_equal(report.verdict, EXPLORE_VIOLATED);
    assert_int_equal(report.faults, 0);
    assert_int_equal(report.schedule_len, 10);
    assert_int_equal(report.depth, 10);
    explore_report_fini(&report);
}

static bool
is_broken_twice(const uint8_t *state)
{
    return state[BREAKS] == 2 && state[SECOND] == 1;
}

static void
what_takes_two_faults_is_not_found_with_one(void **unused)
{
    struct toy toy = {.most = 9, .breaks = 5, .is_bad = is_broken_twice};
    struct explore_report one =
        explore(&toy, &(struct explore_limits){.faults = 1});
    struct explore_report two =
        explore(&toy, &(struct explore_limits){.faults = 3});
    const uint16_t expected[] = {11, 12, 12};

    (void)unused;
    assert_int_equal(one.verdict, EXPLORE_PROVED);
    assert_int_equal(two.verdict, EXPLORE_VIOLATED);
    assert_int_equal(two.faults, 2);
    assert_int_equal(two.schedule_len, 3);
    assert_memory_equal(two.schedule, expected, sizeof(expected));
    explore_report_fini(&one);
    explore_report_fini(&two);
}

static void
a_search_that_is_cut_short_proves_nothing(void **unused)
{
    size_t kept = in_parts ? 2 * sizeof(uint32_t) : STATE_SIZE;
    struct toy toy = {.most = 200};
    volatile int stop = 1;
    struct explore_report report =
        explore(&toy, &(struct explore_limits){.states_max = 777});

    (void)unused;
    assert_int_equal(report.verdict, EXPLORE_BOUNDED);
    assert_int_equal(report.states, 777);
    explore_report_fini(&report);

    report = explore(
        &toy, &(struct explore_limits){.memory_max = 1000ul * (kept + 16)});
    assert_int_equal(report.verdict, EXPLORE_BOUNDED);
    assert_int_equal(report.states, 1000);
    assert_true(in_parts || report.bytes <= 1024ul * (kept + 16));
    explore_report_fini(&report);

    report = explore(&toy, &(struct explore_limits){.stop = &stop});
    assert_int_equal(report.verdict, EXPLORE_BOUNDED);
    explore_report_fini(&report);
}

/* Here almost every state is a part that no other has. */
static void
what_parts_take_is_limited_too(void **unused)
{
    struct toy toy = {.most = 200};
    struct explore_report report =
        explore(&toy, &(struct explore_limits){.memory_max = 1000000});

    (void)unused;
    assert_int_equal(report.verdict,
                     in_parts ? EXPLORE_BOUNDED : EXPLORE_PROVED);
    assert_true(report.bytes <= 1300000);
    explore_report_fini(&report);
}

/* A limit that is just enough is no limit. */
static void
a_bound_that_is_not_reached_takes_nothing_from_a_proof(void **unused)
{
    struct toy toy = {.most = 9};
    struct explore_report report =
        explore(&toy, &(struct explore_limits){.states_max = 100});

    (void)unused;
    assert_int_equal(report.verdict, EXPLORE_PROVED);
    assert_int_equal(report.states, 100);
    explore_report_fini(&report);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_is_visited_once),
        cmocka_unit_test(only_so_many_faults_are_spent),
        cmocka_unit_test(
            the_schedule_is_shortest_with_fewest_switches_lowest_worker_first),
        cmocka_unit_test(
            without_memory_to_find_a_better_one_a_schedule_is_shortest),
        cmocka_unit_test(fewer_faults_go_before_fewer_steps),
        cmocka_unit_test(what_takes_two_faults_is_not_found_with_one),
        cmocka_unit_test(
            without_memory_a_schedule_has_no_fault_that_it_does_not_need),
        cmocka_unit_test(a_search_that_is_cut_short_proves_nothing),
        cmocka_unit_test(what_parts_take_is_limited_too),
        cmocka_unit_test(
            a_bound_that_is_not_reached_takes_nothing_from_a_proof),
    };

    int whole = cmocka_run_group_tests_name("whole", tests, NULL, NULL);
    int parts;

    in_parts = true;
    parts = cmocka_run_group_tests_name("in parts", tests, NULL, NULL);
    return whole + parts;
}
