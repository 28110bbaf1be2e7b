#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tale/support/cluster.h"

/* Each test names the source of its rule: Riak's documentation by its page,
 * riak_kv and riak_core by module and function. */

/* A value that worker 0 wrote and read, so that it can remove it. */
static void
start_with_value(struct riak *riak, const char *settings)
{
    start(riak, settings);
    assert_int_equal(write_by(riak, 0, 1, 0), KEY_OK);
    assert_int_equal(read_by(riak, 0).kind, KEY_FOUND);
}

/* The tombstone goes to all replicas, nothing more. */
static void
bury(struct riak *riak)
{
    send_remove(riak, 0, true);
    happen(riak, RIAK_COORDINATES, 0, 0);
    arrive(riak, 0, 0);
    assert_int_equal(take(riak, 0).kind, KEY_OK);
}

/* All replicas are read, as the delete process does. */
static void
look_back(struct riak *riak)
{
    happen(riak, RIAK_LOOKS_BACK, NOBODY, 0);
    for (unsigned i = 0; i < 3; i++)
        happen(riak, RIAK_READ_ARRIVES, NOBODY, i);
}

/* Documentation, Object Deletion; riak_kv_delete:delete. */
static void
a_remove_writes_a_tombstone_that_reads_as_nothing(void **state)
{
    struct riak riak;

    (void)state;
    start_with_value(&riak, "delete_mode=keep");
    bury(&riak);
    drain(&riak);
    for (unsigned i = 0; i < 3; i++) {
        assert_false(bare(&riak, i));
        assert_int_equal(at_home(&riak, i), 0);
    }
    assert_int_equal(read_by(&riak, 1).kind, KEY_NOT_FOUND);
}

/* riak_kv_delete:delete without a vector clock. */
static void
without_a_context_a_remove_reads_one_first(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "");
    send_remove(&riak, 1, false);
    happen(&riak, RIAK_READ_ARRIVES, 1, 0);
    happen(&riak, RIAK_READ_ARRIVES, 1, 1);
    assert_int_equal(take(&riak, 1).kind, KEY_NOT_FOUND);

    write_by(&riak, 0, 1, 0);
    send_remove(&riak, 1, false);
    happen(&riak, RIAK_READ_ARRIVES, 1, 0);
    happen(&riak, RIAK_READ_ARRIVES, 1, 1);
    assert_false(riak_answered(&riak, 1));
    happen(&riak, RIAK_COORDINATES, 1, 0);
    happen(&riak, RIAK_WRITE_ARRIVES, 1, 1);
    assert_int_equal(take(&riak, 1).kind, KEY_OK);
    assert_int_equal(at_home(&riak, 0), 0);
}

/* A read that found nothing showed no vector clock. */
static void
a_context_of_nothing_is_none(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "");
    assert_int_equal(read_by(&riak, 0).kind, KEY_NOT_FOUND);
    write_by(&riak, 1, 2, 0);
    send_remove(&riak, 0, true);
    assert_false(can(&riak, RIAK_COORDINATES, 0, 0));
    happen(&riak, RIAK_READ_ARRIVES, 0, 0);
    happen(&riak, RIAK_READ_ARRIVES, 0, 1);
    happen(&riak, RIAK_COORDINATES, 0, 0);
    assert_int_equal(at_home(&riak, 0), 0);
}

/* riak_object:update: the tombstone replaces what its context has seen. */
static void
a_write_that_a_remove_did_not_see_survives_beside_it(void **state)
{
    struct key_answer answer;
    struct riak riak;

    (void)state;
    start_with_value(&riak, "delete_mode=keep");
    write_by(&riak, 1, 2, 1);
    bury(&riak);
    answer = read_by(&riak, 1);
    assert_int_equal(answer.kind, KEY_FOUND);
    assert_int_equal(answer.count, 2);
    assert_int_equal(answer.siblings[0].id, 2);
    assert_int_equal(answer.siblings[1].id, 0);
}

/* A vector clock that all objects descend from by now is one all the same. */
static void
a_stale_context_is_not_taken_for_none(void **state)
{
    struct key_answer answer;
    struct riak riak;

    (void)state;
    start_with_value(&riak, "delete_mode=keep");
    read_by(&riak, 1);
    update_by(&riak, 1, 2, 1);
    riak_done(&riak, 1);
    drain(&riak);
    bury(&riak);
    answer = read_by(&riak, 1);
    assert_int_equal(answer.count, 2);
    assert_int_equal(answer.siblings[0].id, 2);
    assert_int_equal(answer.siblings[1].id, 0);
}

/* riak_kv_get_core:final_action, riak_kv_get_fsm:maybe_delete. */
static void
tombstones_are_reaped_when_all_primaries_answered_with_them(void **state)
{
    struct riak riak;

    (void)state;
    start_with_value(&riak, "delete_mode=immediate");
    bury(&riak);
    look_back(&riak);
    for (unsigned i = 0; i < 3; i++) {
        assert_false(bare(&riak, i));
        happen(&riak, RIAK_REAPS, NOBODY, i);
        assert_true(bare(&riak, i));
    }
}

/* Not even that a slow clock stamped it. */
static void
of_what_was_reaped_nothing_is_left(void **state)
{
    struct riak fresh;
    struct riak riak;

    (void)state;
    start(&fresh, "delete_mode=immediate allow_mult=false slow_clock=1");
    start_with_value(&riak,
                     "delete_mode=immediate allow_mult=false slow_clock=1");
    bury(&riak);
    drain(&riak);
    riak_done(&riak, 0);
    assert_memory_equal(&riak, &fresh, sizeof(riak));
}

/* riak_kv_get_fsm:maybe_delete: it was sent to N primaries. */
static void
with_a_fallback_among_those_asked_nothing_is_reaped(void **state)
{
    struct riak riak;

    (void)state;
    start_with_value(&riak, "delete_mode=immediate");
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 2);
    bury(&riak);
    look_back(&riak);
    drain(&riak);
    assert_false(bare(&riak, 0) || bare(&riak, 1));
    assert_int_equal(at_home(&riak, 2), 1);
}

/* riak_kv_get_core:final_action: all replied, and with the same. */
static void
with_one_that_does_not_answer_nothing_is_reaped(void **state)
{
    struct riak riak;

    (void)state;
    start_with_value(&riak, "delete_mode=immediate");
    bury(&riak);
    happen(&riak, RIAK_LOOKS_BACK, NOBODY, 0);
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 2);
    drain(&riak);
    assert_false(bare(&riak, 0) || bare(&riak, 1));
}

/* riak_kv_get_core:final_action: a repair goes before a delete. */
static void
with_a_replica_behind_it_is_repaired_and_nothing_reaped(void **state)
{
    struct riak riak;

    (void)state;
    start_with_value(&riak, "delete_mode=immediate");
    send_remove(&riak, 0, true);
    happen(&riak, RIAK_COORDINATES, 0, 0);
    happen(&riak, RIAK_WRITE_ARRIVES, 0, 1);
    take(&riak, 0);
    look_back(&riak);
    assert_int_equal(at_home(&riak, 2), 1);
    assert_false(can(&riak, RIAK_REAPS, NOBODY, 0));
    drain(&riak);
    assert_int_equal(at_home(&riak, 2), 0);
    assert_false(bare(&riak, 2));
    /* Whoever reads next has them reaped. */
    assert_int_equal(read_by(&riak, 1).kind, KEY_NOT_FOUND);
    drain(&riak);
    assert_true(bare(&riak, 0) && bare(&riak, 1) && bare(&riak, 2));
}

static void
without_repair_it_stays_behind(void **state)
{
    struct riak riak;

    (void)state;
    start_with_value(&riak, "delete_mode=immediate read_repair=false");
    send_remove(&riak, 0, true);
    happen(&riak, RIAK_COORDINATES, 0, 0);
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 2);
    happen(&riak, RIAK_WRITE_ARRIVES, 0, 1);
    happen(&riak, RIAK_WRITE_ARRIVES, NOBODY, 2);
    happen(&riak, RIAK_COMES_BACK, NOBODY, 2);
    take(&riak, 0);
    look_back(&riak);
    drain(&riak);
    assert_int_equal(at_home(&riak, 2), 1);
    assert_false(bare(&riak, 0) || bare(&riak, 1));
}

/* riak_kv_vnode:do_delete: only what is a tombstone there. */
static void
a_value_written_meanwhile_is_not_reaped(void **state)
{
    struct riak riak;

    (void)state;
    start_with_value(&riak, "delete_mode=immediate");
    bury(&riak);
    look_back(&riak);
    assert_int_equal(write_by(&riak, 1, 2, 1), KEY_OK);
    drain(&riak);
    for (unsigned i = 0; i < 3; i++)
        assert_false(bare(&riak, i));
    assert_int_equal(read_by(&riak, 1).kind, KEY_FOUND);
}

/* riak_kv_vnode:do_delete, delete_mode keep. */
static void
keep_keeps_tombstones_for_ever(void **state)
{
    struct riak riak;

    (void)state;
    start_with_value(&riak, "delete_mode=keep");
    bury(&riak);
    look_back(&riak);
    read_by(&riak, 1);
    drain(&riak);
    assert_false(bare(&riak, 0) || bare(&riak, 1) || bare(&riak, 2));
}

/* riak_kv_vnode:do_delete with a delay, and its final_delete. */
static void
later_is_when_its_time_is_over_and_it_is_the_same(void **state)
{
    struct riak riak;

    (void)state;
    start_with_value(&riak, "delete_mode=later");
    bury(&riak);
    look_back(&riak);
    for (unsigned i = 0; i < 3; i++)
        happen(&riak, RIAK_REAPS, NOBODY, i);
    assert_false(bare(&riak, 0));
    happen(&riak, RIAK_FORGETS, NOBODY, 0);
    assert_true(bare(&riak, 0));

    happen(&riak, RIAK_GOES_DOWN, NOBODY, 2); /* which forgets its timer */
    happen(&riak, RIAK_COMES_BACK, NOBODY, 2);
    assert_false(can(&riak, RIAK_FORGETS, NOBODY, 2));

    send_write(&riak, 1, 2);
    happen(&riak, RIAK_COORDINATES, 1, 1);
    assert_false(can(&riak, RIAK_FORGETS, NOBODY, 1));
}

/* riak_kv_put_fsm answers an error: riak_kv_delete reads no more. */
static void
after_a_remove_that_failed_nobody_looks_back(void **state)
{
    struct riak riak;

    (void)state;
    start_with_value(&riak, "pw=all");
    send_remove(&riak, 0, true);
    happen(&riak, RIAK_COORDINATES, 0, 0);
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 1);
    happen(&riak, RIAK_WRITE_ARRIVES, 0, 1);
    assert_int_equal(take(&riak, 0).kind, KEY_ERROR);
    assert_false(can(&riak, RIAK_LOOKS_BACK, NOBODY, 0));
    assert_int_equal(at_home(&riak, 0), 0);
}

/* Documentation, Eventual Consistency: hinted handoff;
 * riak_kv_vnode:do_diffobj_put. */
static void
a_fallback_hands_over_when_its_primary_is_back(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "");
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 2);
    write_by(&riak, 0, 1, 0);
    assert_false(can(&riak, RIAK_HANDS_OFF, NOBODY, 2));
    happen(&riak, RIAK_COMES_BACK, NOBODY, 2);
    assert_true(bare(&riak, 2));
    happen(&riak, RIAK_HANDS_OFF, NOBODY, 2);
    assert_int_equal(at_home(&riak, 2), 1);
    assert_int_equal(riak.away[2].clock, 0);
    assert_false(can(&riak, RIAK_HANDS_OFF, NOBODY, 2));
}

/* The lock at the fallback, its tombstone at every primary. */
static void
remove_behind_a_fallback(struct riak *riak, const char *settings)
{
    start(riak, settings);
    happen(riak, RIAK_GOES_DOWN, NOBODY, 2);
    write_by(riak, 0, 1, 0);
    happen(riak, RIAK_COMES_BACK, NOBODY, 2);
    read_by(riak, 0);
    bury(riak);
    assert_int_equal(at_fallback(riak, 2), 1);
}

/* riak_object:strict_descendant: a tombstone is an object like others. */
static void
what_is_handed_over_yields_to_a_tombstone_of_it(void **state)
{
    struct riak riak;

    (void)state;
    remove_behind_a_fallback(&riak, "delete_mode=keep");
    drain(&riak);
    happen(&riak, RIAK_HANDS_OFF, NOBODY, 2);
    assert_int_equal(at_home(&riak, 2), 0);
    assert_int_equal(read_by(&riak, 1).kind, KEY_NOT_FOUND);
}

/* Documentation, Object Deletion: why keep is the safe one. */
static void
what_is_handed_over_after_the_reaping_is_back(void **state)
{
    struct riak riak;

    (void)state;
    remove_behind_a_fallback(&riak, "delete_mode=immediate");
    drain(&riak);
    assert_true(bare(&riak, 0) && bare(&riak, 1) && bare(&riak, 2));
    happen(&riak, RIAK_HANDS_OFF, NOBODY, 2);
    send_read(&riak, 1);
    happen(&riak, RIAK_READ_ARRIVES, 1, 2);
    happen(&riak, RIAK_READ_ARRIVES, 1, 0);
    assert_int_equal(take(&riak, 1).siblings[0].id, 1);
    drain(&riak); /* and the repair spreads it */
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(at_home(&riak, i), 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_remove_writes_a_tombstone_that_reads_as_nothing),
        cmocka_unit_test(without_a_context_a_remove_reads_one_first),
        cmocka_unit_test(a_context_of_nothing_is_none),
        cmocka_unit_test(a_write_that_a_remove_did_not_see_survives_beside_it),
        cmocka_unit_test(a_stale_context_is_not_taken_for_none),
        cmocka_unit_test(
            tombstones_are_reaped_when_all_primaries_answered_with_them),
        cmocka_unit_test(of_what_was_reaped_nothing_is_left),
        cmocka_unit_test(with_a_fallback_among_those_asked_nothing_is_reaped),
        cmocka_unit_test(with_one_that_does_not_answer_nothing_is_reaped),
        cmocka_unit_test(
            with_a_replica_behind_it_is_repaired_and_nothing_reaped),
        cmocka_unit_test(without_repair_it_stays_behind),
        cmocka_unit_test(a_value_written_meanwhile_is_not_reaped),
        cmocka_unit_test(keep_keeps_tombstones_for_ever),
        cmocka_unit_test(later_is_when_its_time_is_over_and_it_is_the_same),
        cmocka_unit_test(after_a_remove_that_failed_nobody_looks_back),
        cmocka_unit_test(a_fallback_hands_over_when_its_primary_is_back),
        cmocka_unit_test(what_is_handed_over_yields_to_a_tombstone_of_it),
        cmocka_unit_test(what_is_handed_over_after_the_reaping_is_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
