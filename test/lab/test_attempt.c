/* A check of a machine that fails in a step: found, told and replayed, as a
 * promise that is broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/check.h"
#include "explore/program.h"
#include "lab/print.h"
#include "lab/prove.h"
#include "lab/world/attempt.h"
#include "lab/world/model.h"
#include "lab/world/story.h"
#include "lab/world/walk.h"
#include "lab/world/worlds.h"

#define CHECK "check failed: hf_terms_valid(&config->terms, config->grace)"

/* A world in which that worker's machine cannot begin: its ttl is too short,
 * which the shell would have refused. */
static struct world_config
unsound(const char *name, unsigned worker)
{
    struct world_config config = worlds_with(worlds_find(name), 2);

    config.terms[worker].ttl = 1;
    config.symmetric = false;
    return config;
}

static uint16_t
begin(unsigned worker)
{
    return world_action_number((struct world_action){ACT_BEGIN, worker});
}

/* ---- By itself ---------------------------------------------------------- */

static void
check_number(void *ctx)
{
    const int *number = ctx;

    HF_CHECK(*number == 1);
}

static void
attempt_inside(void *ctx)
{
    int two = 2;

    assert_non_null(attempt(check_number, &two));
    check_number(ctx);
}

static void
an_attempt_names_the_check_that_failed(void **unused)
{
    int one = 1;
    int two = 2;

    (void)unused;
    assert_null(attempt(check_number, &one));
    assert_string_equal(attempt(check_number, &two),
                        "check failed: *number == 1");
    assert_null(attempt(check_number, &one));
}

static void
attempts_may_stand_in_each_other(void **unused)
{
    int one = 1;
    int two = 2;

    (void)unused;
    assert_null(attempt(attempt_inside, &one));
    assert_non_null(attempt(attempt_inside, &two));
    assert_null(hf_check_listen(NULL)); /* nobody listens any more */
}

/* ---- In a world --------------------------------------------------------- */

static void
assert_found(const struct explore_system *system)
{
    struct explore_report report;

    assert_true(explore_all(
        system, &(struct explore_limits){.states_max = 100000}, &report));
    assert_int_equal(report.verdict, EXPLORE_VIOLATED);
    assert_string_equal(report.violated, CHECK);
    assert_int_equal(report.schedule_len, 1);
    assert_int_equal(report.schedule[0], begin(1));
    explore_report_fini(&report);
}

static void
a_search_finds_it_with_the_shortest_schedule(void **unused)
{
    struct world_config config = unsound("takeover", 1);
    struct explore_system full = model_system(&config);
    struct explore_system reduced = model_reduced_system(&config);

    (void)unused;
    assert_found(&full);
    assert_found(&reduced);
}

static void
a_walk_ends_with_it(void **unused)
{
    struct world_config config = unsound("takeover", 1);
    uint16_t schedule[1000];
    struct walk walk = {.seed = 1, .schedule = schedule, .max = 1000};
    bool valid;

    (void)unused;
    assert_string_equal(walk_at_random(&config, &walk), CHECK);
    assert_int_equal(schedule[walk.len - 1], begin(1));
    assert_string_equal(
        model_replay(&config, schedule, walk.len, NULL, NULL, &valid), CHECK);
    assert_true(valid);
}

static struct verdict_replay
tell(const struct world_config *config, const uint16_t *schedule, size_t len,
     char **text)
{
    size_t size;
    FILE *out = open_memstream(text, &size);
    struct print how = {.out = out};
    struct verdict_replay told;
    struct subject subject;

    assert_non_null(out);
    subject = subject_of_table(config);
    told = print_story(&how, &subject, schedule, len);
    assert_int_equal(fclose(out), 0);
    return told;
}

static void
a_replay_stops_there_and_tells_it(void **unused)
{
    struct world_config config = unsound("takeover", 1);
    const uint16_t schedule[] = {begin(0), begin(1), begin(0)};
    struct verdict_replay told;
    char *text;

    (void)unused;
    told = tell(&config, schedule, 3, &text);
    assert_string_equal(told.violated, CHECK);
    assert_true(told.possible);
    assert_int_equal(told.steps, 2);
    assert_string_equal(text, "  1. Worker #1 wants the lock, and sends a "
                              "read.\n"
                              "  2. Worker #2 wants the lock; " CHECK ".\n");
    assert_int_equal(verdict_print_replay(&told, 3), EXIT_FINDING);
    free(text);
}

/* Where what must happen in the end is judged, it is found on the way there:
 * the second worker releases its lock, and then the first one begins. */
static void
on_the_fair_schedule_it_is_told_after_the_story(void **unused)
{
    struct world_config config = unsound("live", 0);
    struct subject sound;
    uint16_t schedule[5];
    const char *why;
    struct verdict_replay told;
    char *text;

    (void)unused;
    assert_true(config.judge_stuck);
    assert_int_equal(
        subject_parse("live:2:begin2,serve2,deliver2,serve2,deliver2", &sound,
                      schedule, 5, &why),
        5);
    told = tell(&config, schedule, 5, &text);
    assert_non_null(told.violated);
    assert_string_equal(told.violated, CHECK);
    assert_non_null(strstr(text, "From here, though nothing goes wrong"));
    assert_non_null(strstr(text, "Worker #1 wants the lock; " CHECK ".\n"));
    assert_null(strstr(text, "nobody gets the lock"));
    free(text);
}

static void
a_proof_exits_as_with_a_broken_promise_and_has_it_in_its_json(void **unused)
{
    struct world_config config = unsound("takeover", 1);
    struct subject subject = subject_of_table(&config);
    struct prove prove = {.json = true};
    char *text;
    size_t size;

    (void)unused;
    prove.how.out = open_memstream(&text, &size);
    assert_non_null(prove.how.out);
    assert_int_equal(prove_world(&subject, 2, 0, &prove), EXIT_FINDING);
    assert_int_equal(fclose(prove.how.out), 0);
    assert_non_null(strstr(text, "\"verdict\":\"violated\",\"property\":"
                                 "\"" CHECK "\",\"expected\":false,"));
    assert_non_null(strstr(text, "\"schedule\":[\"Worker #2 wants the lock; "));
    assert_non_null(strstr(text, "\"replay\":\"takeover:2:begin2\"}"));
    free(text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_attempt_names_the_check_that_failed),
        cmocka_unit_test(attempts_may_stand_in_each_other),
        cmocka_unit_test(a_search_finds_it_with_the_shortest_schedule),
        cmocka_unit_test(a_walk_ends_with_it),
        cmocka_unit_test(a_replay_stops_there_and_tells_it),
        cmocka_unit_test(on_the_fair_schedule_it_is_told_after_the_story),
        cmocka_unit_test(
            a_proof_exits_as_with_a_broken_promise_and_has_it_in_its_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
