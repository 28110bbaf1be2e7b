#include "tale/specimen/specimens.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "explore/program.h"
#include "tale/run.h"
#include "tale/support/finding.h"

/* Other people's locks, each broken in the way its source tells; and clean
 * where its source says so, or once what it lacks is given to it. */

struct row {
    const char *name;
    const char *setting;  /* or NULL */
    const char *property; /* NULL: clean */
    unsigned operations;
    size_t steps;
};

static const struct row rows[] = {
    {"redlock-clock-jump", NULL, PROMISE_OVERLAP, 6, 9},
    {"redlock-restart", NULL, PROMISE_OVERLAP, 6, 9},
    {"lease-no-fence", NULL, PROMISE_FENCE, 4, 6},
    {"blind-del", NULL, PROMISE_LOST_LOCK, 3, 5},
    {"stale-lock-file", NULL, PROMISE_OVERLAP, 7, 8},
    {"etcd-11456", NULL, PROMISE_LATE_ANSWER, 3, 5},
    {"reclaim-two-transactions", NULL, PROMISE_TWO_TAKERS, 7, 7},
    {"reclaim-token-only", NULL, PROMISE_STOLEN, 4, 6},
    {"close-two-steps", NULL, PROMISE_LOST_LOCK, 5, 6},
    {"heartbeat-override", NULL, PROMISE_OVERLAP, 3, 5},
    {"heartbeat-truncate", NULL, PROMISE_OVERLAP, 4, 6},
    {"ghost-grant", NULL, SPECIMEN_GHOST, 2, 6},
    {"lease-no-fence", "fence=yes", NULL, 0, 0},
    {"blind-del", "del=compared", NULL, 0, 0},
    {"etcd-11456", "check=yes", NULL, 0, 0},
    {"reclaim-two-transactions", "transactions=one", NULL, 0, 0},
    {"reclaim-token-only", "check=freshness", NULL, 0, 0},
    {"close-two-steps", "close=one", NULL, 0, 0},
    {"heartbeat-override", "suspicion=throw", NULL, 0, 0},
    {"heartbeat-truncate", "operator=checks", NULL, 0, 0},
};

static void
assert_row(const struct row *row, const struct finding *f)
{
    if (row->property == NULL) {
        assert_int_equal(f->verdict, EXPLORE_PROVED);
        return;
    }
    assert_int_equal(f->verdict, EXPLORE_VIOLATED);
    assert_string_equal(f->property, row->property);
    assert_int_equal(f->told.operations, row->operations);
    assert_int_equal(f->steps, row->steps);
}

static void
each_is_broken_as_its_source_tells_or_clean(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct finding f;

        print_message("%s %s\n", rows[i].name,
                      rows[i].setting == NULL ? "" : rows[i].setting);
        find_named(rows[i].name, 0, rows[i].setting, &f);
        assert_row(&rows[i], &f);
    }
}

/* But for Redlock: five nodes and three workers are millions of states. */
static void
a_third_worker_changes_no_finding(void **state)
{
    (void)state;
    for (size_t i = 2; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct finding f;

        print_message("%s\n", rows[i].name);
        find_named(rows[i].name, 3, rows[i].setting, &f);
        assert_row(&rows[i], &f);
    }
}

/* What is expected of it by itself is what its list says. */
static void
every_specimen_does_what_the_list_says(void **state)
{
    (void)state;
    for (unsigned i = 0; i < specimens_count; i++) {
        const struct specimen *specimen = specimens[i];
        struct finding f;

        print_message("%s\n", specimen->name);
        assert_true(specimen->size <= SPECIMEN_STATE_MAX);
        assert_ptr_equal(specimens_find(specimen->name), specimen);
        find_named(specimen->name, 0, NULL, &f);
        if (specimen->expect == NULL)
            assert_int_equal(f.verdict, EXPLORE_PROVED);
        else
            assert_string_equal(f.property, specimen->expect);
    }
}

static void
without_a_fault_leases_and_quorums_hold(void **state)
{
    static const char *const names[] = {
        "redlock-clock-jump", "redlock-restart",    "lease-no-fence",
        "blind-del",          "etcd-11456",         "reclaim-token-only",
        "heartbeat-override", "heartbeat-truncate",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct specimen_run run = specimen_run_of(specimens_find(names[i]), 2);
        struct finding f;

        print_message("%s\n", names[i]);
        find(&run, 0, &f);
        assert_int_equal(f.verdict, EXPLORE_PROVED);
    }
}

/* ---- Proofs of nothing -------------------------------------------------- */

enum { GIVES_UP, TRIES, CRASHES, TRY_CHOICES };

/* A lock that may be there from the start, for ever: setting 0. */
static bool
try_act(struct scene *scene, void *state, unsigned who, unsigned choice)
{
    bool taken = scene_setting(scene, 0) != 0;

    if (who == SPECIMEN_WORLD || !scene_stands(state, who, WHERE_OUTSIDE))
        return false;
    switch (choice) {
    case GIVES_UP:
        scene_stand(state, who, WHERE_MOVED_ON);
        return true;
    case TRIES:
        if (!taken)
            scene_stand(state, who, WHERE_DONE);
        return !taken;
    default:
        scene->fault = true;
        scene_stand(state, who, WHERE_CRASHED);
        return true;
    }
}

static const struct specimen try_once = {
    .name = "try-once",
    .about = "a try at a lock",
    .source = "this test",
    .workers = 2,
    .faults = 1,
    .settings = SPECIMEN_SETTING("taken", "it is", "no", "yes"),
    .choices = TRY_CHOICES,
    .size = sizeof(struct cast),
    .act = try_act,
};

static struct explore_report
search_for_overlap(const struct specimen *specimen, const char *setting)
{
    struct specimen_run run = specimen_run_of(specimen, 2);
    struct explore_system system = specimen_system(&run);
    struct explore_report report;
    const char *why;

    run.only = PROMISE_OVERLAP;
    assert_true(specimen_set(&run, setting, &why));
    assert_true(explore_all(
        &system, &(struct explore_limits){.faults = specimen->faults},
        &report));
    return report;
}

static void
what_was_possible_is_seen(void **state)
{
    struct explore_report report = search_for_overlap(&try_once, "taken=no");

    (void)state;
    assert_int_equal(report.verdict, EXPLORE_PROVED);
    assert_true(report.seen == (SPECIMEN_SEEN_INSIDE | SPECIMEN_SEEN_FAULT |
                                1 << GIVES_UP | 1 << TRIES | 1 << CRASHES));
}

static void
where_nobody_was_ever_inside_nothing_is_proved(void **state)
{
    struct explore_report report = search_for_overlap(&try_once, "taken=yes");

    (void)state;
    assert_int_equal(report.verdict, EXPLORE_VACUOUS);
    assert_true(report.seen ==
                (SPECIMEN_SEEN_FAULT | 1 << GIVES_UP | 1 << CRASHES));
}

static void
with_a_choice_too_few_no_fault_is_seen(void **state)
{
    struct specimen few = try_once;
    struct explore_report report;

    (void)state;
    few.choices = CRASHES;
    report = search_for_overlap(&few, "taken=no");
    assert_int_equal(report.verdict, EXPLORE_PROVED);
    assert_true(report.seen ==
                (SPECIMEN_SEEN_INSIDE | 1 << GIVES_UP | 1 << TRIES));
}

static void
a_specimen_without_choices_is_refused(void **state)
{
    struct specimen none = try_once;
    struct specimen_run run = specimen_run_of(&none, 2);
    struct hf_error error;

    (void)state;
    assert_true(specimen_check(&run, &error));
    none.choices = 0;
    assert_false(specimen_check(&run, &error));
    assert_non_null(strstr(error.text, "try-once has 0 choices"));
    none.choices = SPECIMEN_CHOICES_SEEN + 1;
    assert_false(specimen_check(&run, &error));
}

/* As it stands, when something is changed, and with a limit. */
static void
the_exit_code_tells_what_was_expected(void **state)
{
    struct specimen specimen = try_once;
    const struct explore_limits whole = {.faults = 1};
    const struct explore_limits less = {.faults = 1, .states_max = 3};
    struct specimen_run run = specimen_run_of(&specimen, 2);
    static struct told told;

    (void)state;
    specimen.expect = SPECIMEN_NOBODY; /* both give up */
    assert_int_equal(run_explore(&run, &whole, false, &told), 0);
    specimen.expect = NULL;
    assert_int_equal(run_explore(&run, &whole, false, &told), EXIT_FINDING);
    run.only = PROMISE_OVERLAP;
    assert_int_equal(run_explore(&run, &whole, false, &told), 0);
    assert_int_equal(run_explore(&run, &less, false, &told), EXIT_BOUNDED);
    run.settings[0] = 1; /* nobody gets in */
    assert_int_equal(run_explore(&run, &whole, false, &told), EXIT_FINDING);
}

/* ---- Lines -------------------------------------------------------------- */

static void
a_line_tells_the_same_schedule_again(void **state)
{
    (void)state;
    for (unsigned i = 0; i < specimens_count; i++) {
        struct specimen_run run = specimen_run_of(specimens[i], 2);
        struct specimen_run read;
        uint16_t schedule[] = {0, 64, 65, 4 * 64, 4 * 64 + 3};
        uint16_t again[RUN_SCHEDULE_MAX];
        char line[RUN_LINE_MAX];
        struct hf_text text;
        const char *why;

        if (run.specimen->settings != NULL)
            run.settings[0] = run.settings[0] == 0;
        hf_text_init(&text, line, sizeof(line));
        run_line(&run, schedule, 5, &text);
        assert_true(run_is_specimen(line));
        assert_int_equal(run_parse(line, &read, again, &why), 5);
        assert_memory_equal(again, schedule, sizeof(schedule));
        assert_int_equal(read.workers, 2);
        assert_memory_equal(read.settings, run.settings, sizeof(run.settings));
    }
}

static void
lines_that_mean_nothing_are_refused(void **state)
{
    static const char *const lines[] = {
        "",
        "draft1",
        "draft1:",
        "draft1:2",
        "draft1:0:",
        "draft1:5:1",
        "draft1:2:x",
        "draft1:2:1;2",
        "draft1:2:1.",
        "draft1:2:6",
        "draft1:2:1.64",
        "draft1,skew:2:1",
        "draft1,skew=21:2:1",
        "draft1,colour=red:2:1",
        "draft9:2:1",
        "draft1,writes=1:2:1",
        "draft1:2:1.x",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct specimen_run run;
        uint16_t schedule[RUN_SCHEDULE_MAX];
        const char *why = NULL;

        print_message("%s\n", lines[i]);
        assert_int_equal(run_parse(lines[i], &run, schedule, &why), -1);
        assert_non_null(why);
    }
}

static void
a_schedule_is_told_up_to_a_step_that_is_not_possible(void **state)
{
    static const struct {
        uint16_t schedule[2];
        unsigned told;
    } cases[] = {
        {{0, 3}, 1},      /* nothing of worker #1's is on its way */
        {{0, 2 * 64}, 1}, /* there is no worker #3 */
        {{4 * 64, 0}, 0}, /* the world does nothing here */
        {{7, 0}, 0},      /* there is no such choice */
    };
    struct specimen_run run = specimen_run_of(&specimen_draft1, 2);
    static struct told told;
    bool valid;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_null(specimen_tell(&run, cases[i].schedule, 2, &told, &valid));
        assert_false(valid);
        assert_int_equal(told.count, cases[i].told);
    }
}

static void
a_list_of_events_keeps_its_bounds(void **state)
{
    static struct told told;

    (void)state;
    for (unsigned i = 0; i < TOLD_EVENTS_MAX; i++)
        told_add(&told, TOLD_READ, 0, "%0200u", i);
    assert_false(told.short_of_room);
    assert_int_equal(strlen(told.events[0].sentence),
                     sizeof(told.events[0].sentence) - 1);
    told_add(&told, TOLD_READ, 0, "one more");
    assert_true(told.short_of_room);
    assert_int_equal(told.count, TOLD_EVENTS_MAX);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_broken_as_its_source_tells_or_clean),
        cmocka_unit_test(a_third_worker_changes_no_finding),
        cmocka_unit_test(every_specimen_does_what_the_list_says),
        cmocka_unit_test(without_a_fault_leases_and_quorums_hold),
        cmocka_unit_test(what_was_possible_is_seen),
        cmocka_unit_test(where_nobody_was_ever_inside_nothing_is_proved),
        cmocka_unit_test(with_a_choice_too_few_no_fault_is_seen),
        cmocka_unit_test(a_specimen_without_choices_is_refused),
        cmocka_unit_test(the_exit_code_tells_what_was_expected),
        cmocka_unit_test(a_line_tells_the_same_schedule_again),
        cmocka_unit_test(lines_that_mean_nothing_are_refused),
        cmocka_unit_test(a_schedule_is_told_up_to_a_step_that_is_not_possible),
        cmocka_unit_test(a_list_of_events_keeps_its_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
