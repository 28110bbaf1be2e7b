#include "tale/drafts/draft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tale/specimen/specimens.h"
#include "tale/support/finding.h"

/* The failure scenarios of "Locks, a cautionary tale": what the search finds
 * by itself must be what the document tells. */

struct scenario {
    const char *name;
    const char *property; /* NULL: clean */
    unsigned operations;
    const char *events;
};

#define WHILE_THE_OTHER_PROCESSES                                              \
    "1 read, 2 read, 2 write, 2 read, 2 start, 1 write, 1 read, 1 start"

static const struct scenario scenarios[] = {
    {"draft1", PROMISE_OVERLAP, 4,
     "1 read, 2 read, 2 write, 2 start, 1 write, 1 start"},
    {"draft2", PROMISE_OVERLAP, 6,
     "1 read, 2 read, 2 write, 2 read, 1 write, 1 read, closing"},
    {"draft3", SPECIMEN_NOBODY, 6,
     "1 read, 2 read, 2 write, 1 write, 1 read, 2 read, closing"},
    {"draft4", PROMISE_OVERLAP, 6, WHILE_THE_OTHER_PROCESSES},
    {"draft4-skew", PROMISE_OVERLAP, 6, WHILE_THE_OTHER_PROCESSES},
    {"draft4-ids", PROMISE_OVERLAP, 6, WHILE_THE_OTHER_PROCESSES},
    {"draft4-perfect", NULL, 0, ""},
};

static void
assert_property(const struct finding *f, const char *property)
{
    if (property == NULL) {
        assert_int_equal(f->verdict, EXPLORE_PROVED);
        return;
    }
    assert_int_equal(f->verdict, EXPLORE_VIOLATED);
    assert_string_equal(f->property, property);
}

static void
two_workers_fail_as_the_document_tells(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        const struct scenario *s = &scenarios[i];
        struct finding f;

        print_message("%s\n", s->name);
        find_named(s->name, 2, NULL, &f);
        assert_property(&f, s->property);
        assert_int_equal(f.told.operations, s->operations);
        assert_string_equal(f.brief, s->events);
    }
}

/* Only when nobody processes must the others have read, too: "3 read". */
static void
assert_same_way(const struct scenario *s, unsigned workers,
                const struct finding *f)
{
    static const char end[] = "closing";
    bool nobody =
        s->property != NULL && strcmp(s->property, SPECIMEN_NOBODY) == 0;
    char events[200];
    struct hf_text text;

    hf_text_init(&text, events, sizeof(events));
    hf_text_add_bytes(&text, s->events,
                      strlen(s->events) - (nobody ? strlen(end) : 0));
    for (unsigned i = 3; nobody && i <= workers; i++)
        hf_text_addf(&text, "%u read, ", i);
    hf_text_add(&text, nobody ? end : "");
    assert_string_equal(f->brief, events);
    assert_int_equal(f->told.operations,
                     s->operations + (nobody ? workers - 2 : 0));
}

static void
three_and_four_workers_fail_the_same_way(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
        for (unsigned workers = 3; workers <= 4; workers++) {
            const struct scenario *s = &scenarios[i];
            struct finding f;

            print_message("%s, %u workers\n", s->name, workers);
            find_named(s->name, workers, NULL, &f);
            assert_property(&f, s->property);
            assert_same_way(s, workers, &f);
        }
}

static void
sentences_are_those_of_the_tale(void **state)
{
    struct finding f;

    (void)state;
    find_named("draft1", 2, NULL, &f);
    assert_string_equal(finding_sentence(&f, 1),
                        "Worker #1 reads the non-existent lock");
    assert_string_equal(finding_sentence(&f, 3),
                        "Worker #2 writes its ID to the lock");
    assert_string_equal(finding_sentence(&f, 4),
                        "Worker #2 starts processing the data set");
    find_named("draft2", 2, NULL, &f);
    assert_string_equal(finding_sentence(&f, 6),
                        "Worker #1 reads the lock and sees its ID");
    assert_string_equal(finding_sentence(&f, 7),
                        "Both workers process the data set");
    find_named("draft3", 2, NULL, &f);
    assert_string_equal(finding_sentence(&f, 5),
                        "Worker #1 reads the lock and sees a conflict");
    assert_string_equal(finding_sentence(&f, 7),
                        "Both workers move on to another data set");
    find_named("draft4-skew", 2, NULL, &f);
    assert_string_equal(
        finding_sentence(&f, 7),
        "Worker #1 reads the lock and sees its ID with the lowest timestamp");
}

/* ---- The finding follows from the text ---------------------------------- */

static void
perfect_timestamps_fail_once_a_write_takes_time(void **state)
{
    struct finding f;

    (void)state;
    find_named("draft4-perfect", 2, "writes=split", &f);
    assert_property(&f, PROMISE_OVERLAP);
    assert_string_equal(f.brief, WHILE_THE_OTHER_PROCESSES);
}

static void
clocks_that_agree_are_no_longer_skewed(void **state)
{
    struct finding f;

    (void)state;
    find_named("draft4-skew", 2, "skew=0", &f);
    assert_property(&f, NULL);
}

static void
a_write_only_where_nothing_is_makes_the_first_draft_a_lock(void **state)
{
    struct finding f;

    (void)state;
    for (unsigned workers = 2; workers <= 4; workers++) {
        find_named("draft1", workers, "if_absent=yes", &f);
        assert_property(&f, NULL);
    }
}

static void
the_third_draft_without_siblings_overlaps(void **state)
{
    struct finding f;

    (void)state;
    find_named("draft3", 2, "allow_mult=false", &f);
    assert_property(&f, PROMISE_OVERLAP);
}

/* The first draft with the lines 4 and 5 of the third before it processes. */
static bool
anything_but_mine_alone(const struct draft_sight *sight)
{
    return draft_sees_other(sight) || draft_sees_siblings(sight);
}

static const struct draft_line longer[] = {
    {.number = 1, .verb = DRAFT_READ},
    {.number = 2, .verb = DRAFT_MOVE_ON_IF, .when = draft_sees_lock},
    {.number = 3, .verb = DRAFT_WRITE},
    {.number = 4, .verb = DRAFT_READ},
    {.number = 5, .verb = DRAFT_MOVE_ON_IF, .when = anything_but_mine_alone},
    {.number = 6, .verb = DRAFT_PROCESS},
    {.number = 7, .verb = DRAFT_REMOVE},
};

static void
other_lines_in_the_first_draft_fail_otherwise(void **state)
{
    struct specimen specimen = specimen_draft1;
    struct specimen_run run;
    struct finding f;

    (void)state;
    specimen.text = DRAFT_TEXT(longer);
    specimen.defaults[DRAFT_MULT] = 1;
    run = specimen_run_of(&specimen, 2);
    find(&run, 0, &f);
    assert_property(&f, SPECIMEN_NOBODY);
}

/* The first draft without its last line. */
static const struct draft_line shorter[] = {
    {.number = 1, .verb = DRAFT_WRITE},
    {.number = 2, .verb = DRAFT_PROCESS},
};

static void
without_a_remove_a_lock_is_left_behind(void **state)
{
    struct specimen specimen = specimen_draft1;
    struct specimen_run run;
    struct finding f;

    (void)state;
    specimen.text = DRAFT_TEXT(shorter);
    specimen.workers = 1;
    run = specimen_run_of(&specimen, 0);
    find(&run, 0, &f);
    assert_property(&f, SPECIMEN_NOBODY);
    assert_string_equal(f.brief, "1 write, 1 start, 1 end, closing");
    assert_string_equal(finding_sentence(&f, 4),
                        "The lock is left behind for ever");
}

/* ---- Faults ------------------------------------------------------------- */

static void
a_lock_without_an_end_is_left_behind_by_a_crash(void **state)
{
    struct specimen_run run = specimen_run_of(&specimen_draft4_perfect, 2);
    struct finding f;

    (void)state;
    find(&run, 1, &f);
    assert_property(&f, SPECIMEN_NOBODY);
    assert_true(f.told.events[f.told.count - 1].holds[0] != '\0');
}

static void
a_worker_whose_write_answers_an_error_moves_on(void **state)
{
    struct specimen_run run = specimen_run_of(&specimen_draft1, 1);
    struct finding f;

    (void)state;
    find(&run, 1, &f);
    assert_property(&f, SPECIMEN_NOBODY);
    assert_string_equal(f.brief, "1 read, 1 write, closing");
    assert_true(f.told.events[1].fault && f.told.events[1].error);
    assert_false(f.told.events[1].lost);
    assert_string_equal(f.told.events[1].holds, "#1");
    assert_int_equal(f.told.events[1].where[0], WHERE_MOVED_ON);
}

/* ---- For pictures ------------------------------------------------------- */

static void
an_arrival_knows_its_issue_and_counts_once(void **state)
{
    struct finding f;
    unsigned issues = 0;

    (void)state;
    find_named("draft4", 2, NULL, &f);
    for (unsigned i = 0; i < f.told.count; i++) {
        const struct told_event *event = &f.told.events[i];
        const struct told_event *issue;

        assert_int_equal(event->number, i + 1);
        issues += event->kind == TOLD_ISSUE;
        if (event->kind != TOLD_WRITE)
            continue;
        assert_in_range(event->issue, 1, i);
        issue = &f.told.events[event->issue - 1];
        assert_int_equal(issue->kind, TOLD_ISSUE);
        assert_int_equal(issue->worker, event->worker);
    }
    assert_int_equal(issues, 2);
    assert_int_equal(f.told.operations, 6);
}

static void
every_event_shows_what_the_store_holds_and_where_workers_stand(void **state)
{
    struct finding f;

    (void)state;
    find_named("draft1", 2, NULL, &f);
    assert_string_equal(f.told.events[1].holds, "");
    assert_string_equal(f.told.events[2].holds, "#2");
    assert_string_equal(f.told.events[4].holds, "#1");
    assert_int_equal(f.told.events[3].where[1], WHERE_INSIDE);
    assert_int_equal(f.told.events[3].where[0], WHERE_OUTSIDE);
    assert_int_equal(f.told.events[5].where[0], WHERE_INSIDE);
    find_named("draft4-skew", 2, NULL, &f);
    assert_string_equal(f.told.events[7].holds, "#2 at 4 + #1 at 2");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_workers_fail_as_the_document_tells),
        cmocka_unit_test(three_and_four_workers_fail_the_same_way),
        cmocka_unit_test(sentences_are_those_of_the_tale),
        cmocka_unit_test(perfect_timestamps_fail_once_a_write_takes_time),
        cmocka_unit_test(clocks_that_agree_are_no_longer_skewed),
        cmocka_unit_test(
            a_write_only_where_nothing_is_makes_the_first_draft_a_lock),
        cmocka_unit_test(the_third_draft_without_siblings_overlaps),
        cmocka_unit_test(other_lines_in_the_first_draft_fail_otherwise),
        cmocka_unit_test(without_a_remove_a_lock_is_left_behind),
        cmocka_unit_test(a_lock_without_an_end_is_left_behind_by_a_crash),
        cmocka_unit_test(a_worker_whose_write_answers_an_error_moves_on),
        cmocka_unit_test(an_arrival_knows_its_issue_and_counts_once),
        cmocka_unit_test(
            every_event_shows_what_the_store_holds_and_where_workers_stand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
