#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tale/drafts/draft.h"
#include "tale/specimen/specimens.h"
#include "tale/support/finding.h"

/* The closing words of "Locks, a cautionary tale", as specimens: a write that
 * answered an error and is there all the same, and a removed lock that comes
 * back.  Each follows from Riak's rules, and goes when its cause goes. */

static void
find_with(const char *name, unsigned workers, unsigned faults,
          const char *const *settings, struct finding *finding)
{
    struct specimen_run run = specimen_run_of(specimens_find(name), workers);
    const char *why;

    for (; settings != NULL && *settings != NULL; settings++)
        if (!specimen_set(&run, *settings, &why))
            fail_msg("%s: %s", *settings, why);
    assert_true(specimen_check(&run, NULL));
    find(&run, faults, finding);
}

#define WITH(...)                                                              \
    (const char *const[])                                                      \
    {                                                                          \
        __VA_ARGS__, NULL                                                      \
    }

/* The number of the first event with these words; 0: there is none. */
static unsigned
number_of(const struct finding *f, const char *words)
{
    for (unsigned i = 0; i < f->told.count; i++)
        if (strstr(f->told.events[i].sentence, words) != NULL)
            return i + 1;
    return 0;
}

static void
assert_order(const struct finding *f, const char *const *words)
{
    unsigned last = 0;

    for (; *words != NULL; words++) {
        unsigned number = number_of(f, *words);

        if (number <= last)
            fail_msg("not there, or not after the one before: %s", *words);
        last = number;
    }
}

/* ---- A write that failed ------------------------------------------------ */

/* "Pw=quorum writes will return an error to the client if 2 of the primary
 * servers are not available, but the value will still be written to the 3rd
 * server and 2 fallback servers." */
static void
a_failed_write_is_there_and_everybody_moves_on(void **state)
{
    struct finding f;
    const struct told_event *written;

    (void)state;
    find_with("put-failed", 2, 2, NULL, &f);
    assert_int_equal(f.verdict, EXPLORE_VIOLATED);
    assert_string_equal(f.property, SPECIMEN_NOBODY);
    assert_int_equal(f.told.operations, 3);
    assert_order(
        &f, WITH("A crash takes down node 1", "A crash takes down node 2",
                 "Worker #1 starts to write its ID",
                 "write is coordinated by the fallback of node 1",
                 "write arrives at the fallback of node 2",
                 "write arrives at node 3",
                 "Worker #1 writes its ID to the lock, and is answered with an "
                 "error",
                 "A restart brings back",
                 "Worker #2 reads the lock and sees worker #1's ID",
                 "Both workers move on to another data set"));
    written = &f.told.events[number_of(&f, "answered with an error") - 1];
    assert_true(written->error);
    assert_false(written->lost);
    assert_string_equal(written->holds,
                        "1: - (handoff: #1)  2: - (handoff: #1)  3: #1");
}

static void
three_and_four_workers_all_move_on(void **state)
{
    (void)state;
    for (unsigned workers = 3; workers <= 4; workers++) {
        struct finding f;

        find_with("put-failed", workers, 2, NULL, &f);
        assert_int_equal(f.verdict, EXPLORE_VIOLATED);
        assert_string_equal(f.property, SPECIMEN_NOBODY);
        assert_int_equal(f.told.operations, workers + 1);
    }
}

/* It takes two primaries, and a write that asks for them. */
static void
without_its_cause_no_write_fails(void **state)
{
    struct finding f;

    (void)state;
    find_with("put-failed", 2, 1, NULL, &f);
    assert_int_equal(f.verdict, EXPLORE_PROVED);
    find_with("put-failed", 2, 2, WITH("pw=one"), &f);
    assert_int_equal(number_of(&f, "answered with an error"), 0);
}

/* riak_kv_put_fsm, validate: what it knows to be too few it refuses. */
static void
riak_refuses_a_write_when_it_knows(void **state)
{
    struct finding f;

    (void)state;
    find_with("put-failed", 2, 2, WITH("pw_precheck=riak"), &f);
    assert_int_equal(f.verdict, EXPLORE_PROVED);
    find_with("put-failed", 3, 2, WITH("pw_precheck=riak"), &f);
    assert_int_equal(f.verdict, EXPLORE_PROVED);
}

static void
riak_cannot_refuse_a_write_that_is_under_way(void **state)
{
    struct finding f;

    (void)state;
    find_with("put-failed", 2, 2, WITH("pw_precheck=riak", "pace=turns"), &f);
    assert_int_equal(f.verdict, EXPLORE_VIOLATED);
    assert_string_equal(f.property, SPECIMEN_NOBODY);
    assert_order(&f, WITH("write is coordinated", "A crash takes down",
                          "which is down", "answered with an error",
                          "sees worker #1's ID", "Both workers move on"));
}

/* The same text, whose remove is not sent again: now it is the remove that
 * fails, though Riak refuses the write. */
static const struct draft_line once[] = {
    {.number = 1, .verb = DRAFT_READ, .again = true},
    {.number = 2, .verb = DRAFT_MOVE_ON_IF, .when = draft_sees_lock},
    {.number = 3, .verb = DRAFT_WRITE},
    {.number = 4, .verb = DRAFT_PROCESS},
    {.number = 5, .verb = DRAFT_REMOVE},
};

static void
another_text_fails_otherwise(void **state)
{
    struct specimen specimen = specimen_put_failed;
    struct specimen_run run;
    struct finding f;
    const char *why;

    (void)state;
    specimen.text = DRAFT_TEXT(once);
    run = specimen_run_of(&specimen, 2);
    assert_true(specimen_set(&run, "pw_precheck=riak", &why));
    find(&run, 2, &f);
    assert_string_equal(f.property, SPECIMEN_NOBODY);
    assert_order(&f, WITH("Worker #1 writes its ID to the lock",
                          "Worker #1 removes the lock, and is answered with an "
                          "error",
                          "The lock is left behind for ever"));
}

/* ---- A removed lock that comes back ------------------------------------- */

static void
a_removed_lock_comes_back_by_a_late_handoff(void **state)
{
    struct finding f;

    (void)state;
    for (unsigned workers = 2; workers <= 4; workers++) {
        find_with("resurrection", workers, 1, NULL, &f);
        assert_int_equal(f.verdict, EXPLORE_VIOLATED);
        assert_string_equal(f.property, SPECIMEN_RESURRECTION);
        assert_int_equal(f.told.operations, 4);
        assert_order(&f,
                     WITH("A crash takes down node 1",
                          "write is coordinated by the fallback of node 1",
                          "Worker #1 writes its ID to the lock",
                          "A restart brings back node 1",
                          "Worker #1 removes the lock",
                          "The tombstone is forgotten by node 1",
                          "What waited for it is handed over to node 1",
                          "Worker #2 reads the lock and sees worker #1's ID",
                          "The lock that was removed is there again"));
    }
}

/* A tombstone that stays is what the handoff finds. */
static void
with_delete_mode_keep_it_stays_removed(void **state)
{
    struct finding f;

    (void)state;
    for (unsigned workers = 2; workers <= 3; workers++) {
        find_with("resurrection", workers, 1, WITH("delete_mode=keep"), &f);
        assert_int_equal(f.verdict, EXPLORE_PROVED);
    }
    find_with("resurrection", 2, 1, WITH("delete_mode=keep", "pace=turns"), &f);
    assert_int_equal(f.verdict, EXPLORE_PROVED);
}

static void
other_buckets_do_no_better(void **state)
{
    struct finding f;

    (void)state;
    find_with("resurrection", 2, 1, WITH("delete_mode=immediate"), &f);
    assert_string_equal(f.property, SPECIMEN_RESURRECTION);
    find_with("resurrection", 2, 1, WITH("allow_mult=true"), &f);
    assert_string_equal(f.property, SPECIMEN_RESURRECTION);
    find_with("resurrection", 2, 1, WITH("w=all", "read_repair=false"), &f);
    assert_string_equal(f.property, SPECIMEN_RESURRECTION);
}

static void
without_a_fault_nothing_is_handed_over(void **state)
{
    struct finding f;

    (void)state;
    find_with("resurrection", 2, 0, NULL, &f);
    assert_int_equal(f.verdict, EXPLORE_PROVED);
}

/* Reaping forgets what a late write descends from. */
static void
a_write_that_overtakes_brings_it_back_without_a_fault(void **state)
{
    struct finding f;

    (void)state;
    find_with("resurrection", 2, 1, WITH("pace=turns"), &f);
    assert_string_equal(f.property, SPECIMEN_RESURRECTION);
    assert_order(&f, WITH("Worker #1 removes the lock",
                          "The tombstone is forgotten by node 3",
                          "A write that nobody waits for arrives at node 3",
                          "The lock that was removed is there again"));
    assert_int_equal(number_of(&f, "A crash"), 0);
}

/* A read that was sent before the lock was removed may still show it. */
static void
what_was_read_before_is_no_resurrection(void **state)
{
    struct specimen_run run = specimen_run_of(&specimen_draft1, 2);
    struct finding f;
    const char *why;

    (void)state;
    assert_true(specimen_set(&run, "on=riak", &why));
    assert_true(specimen_set(&run, "coordinator=first", &why));
    assert_true(specimen_set(&run, "delete_mode=keep", &why));
    assert_true(specimen_set(&run, "read_repair=false", &why));
    run.only = SPECIMEN_RESURRECTION;
    find(&run, 0, &f);
    assert_int_equal(f.verdict, EXPLORE_PROVED);
}

/* ---- Pace --------------------------------------------------------------- */

static void
one_worker_at_a_time_makes_the_first_draft_a_lock(void **state)
{
    struct finding f;

    (void)state;
    for (unsigned workers = 2; workers <= 4; workers++) {
        find_with("draft1", workers, 0, WITH("pace=turns"), &f);
        assert_int_equal(f.verdict, EXPLORE_PROVED);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_write_is_there_and_everybody_moves_on),
        cmocka_unit_test(three_and_four_workers_all_move_on),
        cmocka_unit_test(without_its_cause_no_write_fails),
        cmocka_unit_test(riak_refuses_a_write_when_it_knows),
        cmocka_unit_test(riak_cannot_refuse_a_write_that_is_under_way),
        cmocka_unit_test(another_text_fails_otherwise),
        cmocka_unit_test(a_removed_lock_comes_back_by_a_late_handoff),
        cmocka_unit_test(with_delete_mode_keep_it_stays_removed),
        cmocka_unit_test(other_buckets_do_no_better),
        cmocka_unit_test(without_a_fault_nothing_is_handed_over),
        cmocka_unit_test(a_write_that_overtakes_brings_it_back_without_a_fault),
        cmocka_unit_test(what_was_read_before_is_no_resurrection),
        cmocka_unit_test(one_worker_at_a_time_makes_the_first_draft_a_lock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
