/* The worlds: what must be found is found, and told so that it can be had
 * again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explore/program.h"
#include "lab/prove.h"
#include "lab/world/model.h"
#include "lab/world/promise.h"
#include "lab/world/promises.h"
#include "lab/world/walk.h"
#include "lab/world/worlds.h"

static struct explore_report
explore(const struct world_config *config, unsigned faults)
{
    struct explore_system system = model_system(config);
    struct explore_report report;

    assert_true(explore_all(
        &system,
        &(struct explore_limits){.faults = faults, .states_max = 5000000},
        &report));
    return report;
}

/* What is kept in parts is what is kept whole. */
static void
parts_change_nothing_but_the_memory(void **unused)
{
    const char *const names[] = {"takeover", "fenced", "examine", "drift"};

    (void)unused;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct explore_system parts = model_system(worlds_find(names[i]));
        struct explore_system whole = parts;
        struct explore_limits limits = {.faults = 1, .states_max = 200000};
        struct explore_report a;
        struct explore_report b;

        whole.parts[0] = 0;
        assert_true(explore_all(&parts, &limits, &a));
        assert_true(explore_all(&whole, &limits, &b));
        assert_int_equal(a.verdict, b.verdict);
        assert_int_equal(a.states, b.states);
        assert_int_equal(a.transitions, b.transitions);
        assert_int_equal(a.depth, b.depth);
        assert_true(a.bytes < b.bytes);
        explore_report_fini(&a);
        explore_report_fini(&b);
    }
}

/* `make test` says that the product works. */
static void
make_test_has_a_proof_of_every_world(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < subject_count(); i++) {
        struct subject subject = subject_at(i);
        const char *name = subject_name(&subject);
        bool any = false;

        for (unsigned j = 0; j < subject_proofs_count(); j++)
            any |= subject_proof(j)->target == WORLDS_TEST &&
                   strcmp(subject_proof(j)->world, name) == 0;
        if (!any && !subject_is_whole(&subject))
            fail_msg("make test has no proof of %s", name);
    }
}

static void
what_must_be_found_is_explained(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < worlds_count; i++)
        if (worlds[i].expect != NULL)
            assert_non_null(promises_broken(worlds[i].expect));
}

static void
count_faults(void *ctx, unsigned number, const struct model_step *step)
{
    unsigned *faults = ctx;

    (void)number;
    *faults += step->fault;
}

static void
what_must_be_found_is_found_and_its_schedule_breaks_it_again(void **unused)
{
    unsigned found = 0;

    (void)unused;
    for (unsigned i = 0; i < worlds_count; i++) {
        struct world_config config = worlds[i];
        struct explore_report report;
        unsigned faults = 0;
        bool valid;

        if (config.expect == NULL)
            continue;
        found++;
        config.symmetric = false;
        report = explore(&config, 1);
        assert_int_equal(report.verdict, EXPLORE_VIOLATED);
        assert_string_equal(report.violated, config.expect);
        assert_int_equal(report.schedule_len, report.depth);
        assert_ptr_equal(model_replay(&config, report.schedule,
                                      report.schedule_len, count_faults,
                                      &faults, &valid),
                         report.violated);
        assert_true(valid);
        assert_int_equal(faults, report.faults);
        /* One step less breaks nothing. */
        assert_null(model_replay(&config, report.schedule,
                                 report.schedule_len - 1, NULL, NULL, &valid));
        assert_true(valid);
        explore_report_fini(&report);
    }
    assert_true(found >= 3);
}

static void
without_a_fault_nothing_is_found_where_it_takes_one(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < worlds_count; i++) {
        struct explore_report report;

        if (worlds[i].expect == NULL)
            continue;
        report = explore(&worlds[i], 0);
        assert_int_equal(report.verdict, EXPLORE_PROVED);
        explore_report_fini(&report);
    }
}

/* A place so slow that nothing is granted there: no promise can be broken. */
static void
where_nobody_is_ever_inside_nothing_is_proved(void **unused)
{
    struct world_config config = *worlds_find("slow-place");
    struct subject subject;
    struct prove prove = {0};
    char *text;
    size_t size;

    (void)unused;
    config.latency *= 4;
    subject = subject_of_table(&config);
    prove.how.out = open_memstream(&text, &size);
    assert_non_null(prove.how.out);
    assert_int_equal(prove_world(&subject, 1, 0, &prove), EXIT_FINDING);
    assert_int_equal(fclose(prove.how.out), 0);
    assert_non_null(strstr(text, " vacuous "));
    assert_non_null(strstr(text, "nobody was ever inside"));
    free(text);
}

static void
workers_that_are_alike_need_at_most_half_as_many_states(void **unused)
{
    struct world_config alike = *worlds_find("takeover");
    struct world_config named = alike;
    struct explore_report a;
    struct explore_report n;

    (void)unused;
    assert_true(alike.symmetric);
    named.symmetric = false;
    a = explore(&alike, 1);
    n = explore(&named, 1);
    assert_int_equal(a.verdict, EXPLORE_PROVED);
    assert_int_equal(n.verdict, EXPLORE_PROVED);
    assert_int_equal(a.depth, n.depth);
    assert_true(n.states <= 2 * a.states);
    assert_true(2 * n.states > 3 * a.states);
    explore_report_fini(&a);
    explore_report_fini(&n);
}

static void
a_random_walk_finds_it_too(void **unused)
{
    struct world_config config = *worlds_find("frozen-unfenced");
    uint16_t schedule[1000];
    struct walk walk = {.schedule = schedule, .max = 1000};
    const char *violated = NULL;
    bool valid;

    (void)unused;
    config.symmetric = false;
    for (walk.seed = 1; violated == NULL && walk.seed < 2000; walk.seed++)
        violated = walk_at_random(&config, &walk);
    assert_non_null(violated);
    assert_string_equal(violated, config.expect);
    assert_ptr_equal(
        model_replay(&config, schedule, walk.len, NULL, NULL, &valid),
        violated);
    assert_true(valid);
}

static void
one_seed_is_one_walk(void **unused)
{
    struct world_config config = worlds_with(worlds_find("takeover"), 4);
    uint16_t schedules[2][300];
    struct walk walks[3] = {
        {.seed = 3, .schedule = schedules[0], .max = 300},
        {.seed = 3, .schedule = schedules[1], .max = 300},
        {.seed = 4, .schedule = schedules[1], .max = 300},
    };

    (void)unused;
    config.symmetric = false;
    assert_null(walk_at_random(&config, &walks[0]));
    assert_null(walk_at_random(&config, &walks[1]));
    assert_int_equal(walks[0].len, walks[1].len);
    assert_memory_equal(schedules[0], schedules[1], sizeof(schedules[0]));
    assert_null(walk_at_random(&config, &walks[2]));
    assert_memory_not_equal(schedules[0], schedules[1], sizeof(schedules[0]));
}

/* Not far, but into every world: with sanitizers nothing else goes there. */
static void
a_few_walks_in_every_world_break_no_promise(void **unused)
{
    uint16_t schedule[1000];

    (void)unused;
    for (unsigned i = 0; i < subject_count(); i++) {
        struct subject subject = subject_at(i);
        struct walk walk = {.schedule = schedule, .max = 1000};

        subject_tell_apart(&subject);
        if (subject_expect(&subject) != NULL)
            continue;
        for (walk.seed = 1; walk.seed <= 5; walk.seed++)
            assert_null(subject_walk(&subject, &walk));
    }
}

static void
every_proof_has_its_world(void **unused)
{
    struct subject subject;

    (void)unused;
    for (unsigned i = 0; i < subject_proofs_count(); i++) {
        const struct worlds_proof *proof = subject_proof(i);

        assert_true(subject_find(proof->world, &subject));
        assert_in_range(proof->workers, 1, WORLD_WORKERS_MAX);
        assert_true(proof->faults <= 15);
    }
    assert_false(subject_find("nowhere", &subject));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_change_nothing_but_the_memory),
        cmocka_unit_test(make_test_has_a_proof_of_every_world),
        cmocka_unit_test(what_must_be_found_is_explained),
        cmocka_unit_test(
            what_must_be_found_is_found_and_its_schedule_breaks_it_again),
        cmocka_unit_test(without_a_fault_nothing_is_found_where_it_takes_one),
        cmocka_unit_test(where_nobody_is_ever_inside_nothing_is_proved),
        cmocka_unit_test(
            workers_that_are_alike_need_at_most_half_as_many_states),
        cmocka_unit_test(a_random_walk_finds_it_too),
        cmocka_unit_test(one_seed_is_one_walk),
        cmocka_unit_test(a_few_walks_in_every_world_break_no_promise),
        cmocka_unit_test(every_proof_has_its_world),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
