#include "tale/specimen/specimens.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tale/support/finding.h"

/* The drafts on the simulated Riak.  Of two replicas, where a quorum is both,
 * every order of events is tried in a moment; of three, as Riak has them, those
 * that are tried before the first violation. */

#define WEAK "pr=0", "pw=0", "r=1", "w=1", "dw=1"

static struct specimen_run
run_on(const char *name, const char *replicas, const char *const *settings)
{
    struct specimen_run run = specimen_run_of(specimens_find(name), 2);
    const char *why;

    assert_true(specimen_set(&run, "on=riak", &why));
    assert_true(specimen_set(&run, replicas, &why));
    for (; *settings != NULL; settings++)
        if (!specimen_set(&run, *settings, &why))
            fail_msg("%s: %s", *settings, why);
    assert_true(specimen_check(&run, NULL));
    return run;
}

static struct specimen_run
run_on_riak(const char *name, const char *const *settings)
{
    return run_on(name, "n_val=2", settings);
}

static void
the_third_draft_is_safe_and_starves_under_strict_quorums(void **state)
{
    const char *const strict[] = {NULL};
    struct specimen_run run = run_on_riak("draft3", strict);
    struct finding f;

    (void)state;
    find(&run, 0, &f);
    assert_int_equal(f.verdict, EXPLORE_VIOLATED);
    assert_string_equal(f.property, SPECIMEN_NOBODY);
    run.only = PROMISE_OVERLAP;
    find(&run, 0, &f);
    assert_int_equal(f.verdict, EXPLORE_PROVED);
}

static void
the_third_draft_overlaps_under_weak_quorums(void **state)
{
    const char *const weak[] = {WEAK, NULL};
    struct specimen_run run = run_on_riak("draft3", weak);
    struct finding f;

    (void)state;
    run.only = PROMISE_OVERLAP;
    find(&run, 0, &f);
    assert_int_equal(f.verdict, EXPLORE_VIOLATED);
    assert_string_equal(f.property, PROMISE_OVERLAP);
    assert_int_equal(f.told.operations, 6);
}

static void
the_first_and_second_overlap_under_strict_quorums(void **state)
{
    const char *const strict[] = {"coordinator=first", NULL};
    struct finding f;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct specimen_run run =
            run_on_riak(i == 0 ? "draft1" : "draft2", strict);

        find(&run, 0, &f);
        assert_int_equal(f.verdict, EXPLORE_VIOLATED);
        assert_string_equal(f.property, PROMISE_OVERLAP);
        assert_int_equal(f.told.operations, i == 0 ? 4 : 6);
    }
}

/* ---- Three replicas ------------------------------------------------------ */

struct scenario {
    const char *name;
    const char *property;
    const char *repair;
    const char *events; /* of the workers; arrivals are the cluster's */
};

static const struct scenario scenarios[] = {
    {"draft1", PROMISE_OVERLAP, "read_repair=true",
     "1 read, 2 read, 2 write, 2 start, 1 write, 1 start"},
    {"draft2", PROMISE_OVERLAP, "read_repair=false",
     "1 read, 2 read, 2 write, 2 read, 1 write, 1 read, closing"},
    {"draft3", SPECIMEN_NOBODY, "read_repair=false",
     "1 read, 2 read, 2 write, 2 read, 1 write, 1 read, closing"},
    {"draft4", PROMISE_OVERLAP, "read_repair=false",
     "1 read, 2 read, 2 write, 2 read, 2 start, 1 write, 1 read, 1 start"},
    {"draft4-perfect", PROMISE_OVERLAP, "read_repair=false",
     "1 read, 2 read, 2 write, 2 read, 2 start, 1 write, 1 read, 1 start"},
    {"draft4-skew", PROMISE_OVERLAP, "read_repair=false",
     "1 read, 2 read, 2 write, 2 read, 2 start, 1 write, 1 read, 1 start"},
    {"draft4-ids", PROMISE_OVERLAP, "read_repair=false",
     "1 read, 2 read, 2 write, 2 read, 2 start, 1 write, 1 read, 1 start"},
};

static void
assert_events(const struct finding *f, const char *events)
{
    char buffer[200];
    struct hf_text text;

    hf_text_init(&text, buffer, sizeof(buffer));
    for (unsigned i = 0; i < f->told.count; i++) {
        const struct told_event *event = &f->told.events[i];

        if (event->kind == TOLD_ISSUE || event->kind == TOLD_ARRIVE)
            continue;
        hf_text_add(&text, text.len == 0 ? "" : ", ");
        if (event->worker != TOLD_NOBODY)
            hf_text_addf(&text, "%u ", event->worker + 1);
        hf_text_add(&text, told_kind_word(event->kind));
    }
    assert_string_equal(buffer, events);
}

/* Even the fourth draft with perfect timestamps: a write takes time here. */
static void
on_three_replicas_the_drafts_fail_as_the_document_tells(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        const char *const settings[] = {scenarios[i].repair, NULL};
        struct specimen_run run =
            run_on(scenarios[i].name, "n_val=3", settings);
        struct finding f;

        print_message("%s\n", scenarios[i].name);
        find(&run, 0, &f);
        assert_int_equal(f.verdict, EXPLORE_VIOLATED);
        assert_string_equal(f.property, scenarios[i].property);
        assert_events(&f, scenarios[i].events);
    }
}

/* Without repairs, which make its states too many to be all visited. */
static void
on_three_replicas_the_third_draft_is_safe_under_strict_quorums(void **state)
{
    const char *const strict[] = {"read_repair=false", "delete_mode=keep",
                                  NULL};
    const char *const weak[] = {WEAK, "read_repair=false", "delete_mode=keep",
                                NULL};
    struct specimen_run run = run_on("draft3", "n_val=3", strict);
    struct finding f;

    (void)state;
    run.only = PROMISE_OVERLAP;
    find(&run, 0, &f);
    assert_int_equal(f.verdict, EXPLORE_PROVED);
    run = run_on("draft3", "n_val=3", weak);
    run.only = PROMISE_OVERLAP;
    find(&run, 0, &f);
    assert_int_equal(f.verdict, EXPLORE_VIOLATED);
}

/* ---- Sentences and settings ---------------------------------------------- */

static void
a_request_arrives_at_each_replica_and_counts_once(void **state)
{
    const char *const strict[] = {"coordinator=first", NULL};
    struct specimen_run run = run_on_riak("draft1", strict);
    struct finding f;
    unsigned answered = 0;

    (void)state;
    find(&run, 0, &f);
    assert_string_equal(finding_sentence(&f, 1),
                        "Worker #1 starts to read the lock");
    assert_string_equal(finding_sentence(&f, 2),
                        "Worker #1's read arrives at node 1");
    assert_int_equal(f.told.events[1].replica, 1);
    for (unsigned i = 0; i < f.told.count; i++) {
        const struct told_event *event = &f.told.events[i];

        if (event->kind != TOLD_READ && event->kind != TOLD_WRITE)
            continue;
        answered++;
        assert_in_range(event->issue, 1, i);
        assert_int_equal(f.told.events[event->issue - 1].kind, TOLD_ISSUE);
    }
    assert_int_equal(answered, f.told.operations);
}

static void
settings_that_cannot_go_together_are_refused(void **state)
{
    struct specimen_run run = specimen_run_of(&specimen_draft1, 2);
    struct hf_error error;
    const char *why;

    (void)state;
    assert_true(specimen_set(&run, "n_val=1", &why));
    assert_true(specimen_set(&run, "pw=2", &why));
    assert_false(specimen_check(&run, &error));
    assert_string_equal(error.text, "pw needs on=riak");
    assert_true(specimen_set(&run, "on=riak", &why));
    assert_false(specimen_check(&run, &error));
    assert_string_equal(error.text, "no quorum is above n_val, which is 1");
    assert_true(specimen_set(&run, "pw=1", &why));
    assert_true(specimen_check(&run, &error));
    assert_true(specimen_set(&run, "if_absent=yes", &why));
    assert_false(specimen_check(&run, &error));
    assert_string_equal(error.text, "if_absent needs on=atomic");
    assert_false(specimen_set(&run, "pw=most", &why));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            the_third_draft_is_safe_and_starves_under_strict_quorums),
        cmocka_unit_test(the_third_draft_overlaps_under_weak_quorums),
        cmocka_unit_test(the_first_and_second_overlap_under_strict_quorums),
        cmocka_unit_test(
            on_three_replicas_the_drafts_fail_as_the_document_tells),
        cmocka_unit_test(
            on_three_replicas_the_third_draft_is_safe_under_strict_quorums),
        cmocka_unit_test(a_request_arrives_at_each_replica_and_counts_once),
        cmocka_unit_test(settings_that_cannot_go_together_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
