#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tale/support/cluster.h"

/* Each test names the source of its rule: Riak's documentation by its page,
 * riak_kv and riak_core by module and function. */

/* riak_kv_put_fsm: execute_local, and only then execute_remote. */
static void
a_write_reaches_a_coordinator_and_then_the_others(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "");
    send_write(&riak, 0, 1);
    assert_false(can(&riak, RIAK_WRITE_ARRIVES, 0, 1));
    happen(&riak, RIAK_COORDINATES, 0, 0);
    assert_int_equal(at_home(&riak, 0), 1);
    assert_true(bare(&riak, 1));
    assert_true(can(&riak, RIAK_WRITE_ARRIVES, 0, 1));
    assert_true(can(&riak, RIAK_WRITE_ARRIVES, 0, 2));
    assert_false(can(&riak, RIAK_WRITE_ARRIVES, 0, 0));
}

/* riak_kv_put_fsm:prepare: the node asked if it is of the preference list,
 * else any of the list. */
static void
any_node_of_the_list_may_coordinate(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "");
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 1);
    send_write(&riak, 0, 1);
    assert_true(can(&riak, RIAK_COORDINATES, 0, 0));
    assert_true(can(&riak, RIAK_COORDINATES, 0, 2));
    happen(&riak, RIAK_COORDINATES, 0, 1);
    assert_int_equal(at_fallback(&riak, 1), 1);
    assert_true(bare(&riak, 1));
}

/* riak_core_apl:get_apl_ann: primaries that are up, then fallbacks. */
static void
the_first_of_the_list_is_a_primary_that_is_up(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "coordinator=first");
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 0);
    send_write(&riak, 0, 1);
    assert_false(can(&riak, RIAK_COORDINATES, 0, 0));
    assert_false(can(&riak, RIAK_COORDINATES, 0, 2));
    assert_true(can(&riak, RIAK_COORDINATES, 0, 1));
}

/* riak_kv_put_core:enough; what was sent still arrives. */
static void
the_answer_comes_when_w_replicas_have_it(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "w=2");
    send_write(&riak, 0, 1);
    happen(&riak, RIAK_COORDINATES, 0, 0);
    assert_false(riak_answered(&riak, 0));
    happen(&riak, RIAK_WRITE_ARRIVES, 0, 2);
    assert_int_equal(take(&riak, 0).kind, KEY_OK);
    assert_true(bare(&riak, 1));
    happen(&riak, RIAK_WRITE_ARRIVES, NOBODY, 1);
    assert_int_equal(at_home(&riak, 1), 1);
}

/* riak_kv_put_core:enough: dw, where the stored are counted, beside w; and
 * riak_kv_put_fsm:validate: dw is at least one. */
static void
dw_replicas_have_to_store_it(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "w=1 dw=all");
    send_write(&riak, 0, 1);
    happen(&riak, RIAK_COORDINATES, 0, 0);
    happen(&riak, RIAK_WRITE_ARRIVES, 0, 1);
    assert_false(riak_answered(&riak, 0));
    happen(&riak, RIAK_WRITE_ARRIVES, 0, 2);
    assert_int_equal(take(&riak, 0).kind, KEY_OK);

    start(&riak, "w=0 dw=0");
    send_write(&riak, 0, 1);
    assert_false(riak_answered(&riak, 0));
    happen(&riak, RIAK_COORDINATES, 0, 0);
    assert_int_equal(take(&riak, 0).kind, KEY_OK);
}

/* Documentation, Eventual Consistency: sloppy quorum. */
static void
a_fallback_counts_for_w(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "w=all");
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 2);
    assert_int_equal(write_by(&riak, 0, 1, 0), KEY_OK);
    assert_int_equal(at_fallback(&riak, 2), 1);
    assert_true(bare(&riak, 2));
}

/* riak_kv_put_fsm:validate: pw above the primaries that are up. */
static void
riak_refuses_what_it_knows_to_fail_and_stores_nothing(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "pw=quorum");
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 1);
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 2);
    send_write(&riak, 0, 1);
    assert_false(can(&riak, RIAK_COORDINATES, 0, 1)); /* it does not matter */
    happen(&riak, RIAK_COORDINATES, 0, 0);
    assert_int_equal(take(&riak, 0).kind, KEY_ERROR);
    drain(&riak);
    assert_true(bare(&riak, 0));
    assert_int_equal(at_fallback(&riak, 1), 0);
}

/* The tale: an error, and the value at the third server and two fallbacks
 * (riak_kv_put_core:enough, all stored and pw not met). */
static void
the_seed_stores_first_and_then_says_no(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "pw=quorum pw_precheck=seed");
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 1);
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 2);
    assert_int_equal(write_by(&riak, 0, 1, 0), KEY_ERROR);
    assert_int_equal(at_home(&riak, 0), 1);
    assert_int_equal(at_fallback(&riak, 1), 1);
    assert_int_equal(at_fallback(&riak, 2), 1);
}

/* riak_kv_put_fsm: nothing is taken back when the answer is an error. */
static void
what_fails_stays_where_it_got_to(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "pw=quorum");
    send_write(&riak, 0, 1);
    happen(&riak, RIAK_COORDINATES, 0, 0);
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 1);
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 2);
    happen(&riak, RIAK_WRITE_ARRIVES, 0, 1);
    assert_false(riak_answered(&riak, 0));
    happen(&riak, RIAK_WRITE_ARRIVES, 0, 2);
    assert_int_equal(take(&riak, 0).kind, KEY_ERROR);
    happen(&riak, RIAK_COMES_BACK, NOBODY, 1);
    happen(&riak, RIAK_COMES_BACK, NOBODY, 2);
    drain(&riak);
    assert_int_equal(at_home(&riak, 0), 1);
    assert_true(bare(&riak, 1) && bare(&riak, 2));
}

/* riak_kv_put_fsm:init_putcore: n - pw + 1 failures, n - dw + 1. */
static void
the_error_comes_when_pw_or_dw_cannot_be_met_any_more(void **state)
{
    static const char *const settings[] = {"pw=all dw=1 w=1", "dw=all"};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct riak riak;

        start(&riak, settings[i]);
        send_write(&riak, 0, 1);
        happen(&riak, RIAK_COORDINATES, 0, 0);
        happen(&riak, RIAK_GOES_DOWN, NOBODY, 1);
        happen(&riak, RIAK_WRITE_ARRIVES, 0, 1);
        assert_int_equal(take(&riak, 0).kind, KEY_ERROR);
        happen(&riak, RIAK_WRITE_ARRIVES, NOBODY, 2);
        assert_int_equal(at_home(&riak, 2), 1);
    }
}

/* riak_object:update and merge_contents: Causal Context. */
static void
without_a_context_a_write_makes_a_sibling(void **state)
{
    struct key_answer answer;
    struct riak riak;

    (void)state;
    start(&riak, "");
    assert_int_equal(write_by(&riak, 0, 1, 0), KEY_OK);
    assert_int_equal(read_by(&riak, 1).kind, KEY_FOUND);
    assert_int_equal(write_by(&riak, 1, 2, 0), KEY_OK);
    answer = read_by(&riak, 0);
    assert_int_equal(answer.count, 2);
    assert_int_equal(answer.siblings[0].id, 1);
    assert_int_equal(answer.siblings[1].id, 2);
}

/* riak_object:update: what the context has seen goes. */
static void
with_a_context_it_replaces_what_the_read_showed(void **state)
{
    struct key_answer answer;
    struct riak riak;

    (void)state;
    start(&riak, "");
    write_by(&riak, 0, 1, 0);
    write_by(&riak, 1, 2, 1);
    read_by(&riak, 0);
    write_by(&riak, 1, 3, 2); /* not seen by worker 0 */
    assert_int_equal(update_by(&riak, 0, 4, 0), KEY_OK);
    answer = read_by(&riak, 1);
    assert_int_equal(answer.count, 2);
    assert_int_equal(answer.siblings[0].id, 3);
    assert_int_equal(answer.siblings[1].id, 4);
}

/* riak_object:reconcile: concurrent writes at different coordinators. */
static void
replicas_that_went_apart_merge_to_siblings(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "");
    send_write(&riak, 0, 1);
    send_write(&riak, 1, 2);
    happen(&riak, RIAK_COORDINATES, 0, 0);
    happen(&riak, RIAK_COORDINATES, 1, 1);
    drain(&riak);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(riak.home[i].siblings, 3);
}

/* riak_object:fold_contents: the other side has seen it, and has it not. */
static void
a_sibling_that_one_side_replaced_goes_in_the_merge(void **state)
{
    struct key_answer answer;
    struct riak riak;

    (void)state;
    start(&riak, "");
    write_by(&riak, 0, 1, 0);
    read_by(&riak, 0);
    send_write(&riak, 1, 2);
    happen(&riak, RIAK_COORDINATES, 1, 1);
    send_update(&riak, 0, 3);
    happen(&riak, RIAK_COORDINATES, 0, 0);
    drain(&riak);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(riak.home[i].siblings, riak.home[0].siblings);
        assert_int_equal(riak.home[i].clock, riak.home[0].clock);
    }
    take(&riak, 0);
    answer = read_by(&riak, 0);
    assert_int_equal(answer.count, 2);
    assert_int_equal(answer.siblings[0].id, 2);
    assert_int_equal(answer.siblings[1].id, 3);
}

/* riak_kv_put_fsm:waiting_local_vnode: what the coordinator made of it. */
static void
the_coordinator_sends_on_what_it_merged(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "w=1 dw=1");
    send_write(&riak, 0, 1);
    happen(&riak, RIAK_COORDINATES, 0, 0);
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 1);
    happen(&riak, RIAK_WRITE_ARRIVES, NOBODY, 1);
    happen(&riak, RIAK_COMES_BACK, NOBODY, 1);
    drain(&riak);
    assert_true(bare(&riak, 1));
    send_write(&riak, 1, 2);
    happen(&riak, RIAK_COORDINATES, 1, 0);
    happen(&riak, RIAK_WRITE_ARRIVES, NOBODY, 1);
    assert_int_equal(riak.home[1].siblings, 3);
}

/* riak_object:strict_descendant: an ancestor that comes late is discarded. */
static void
an_older_write_that_comes_late_replaces_nothing(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "");
    send_write(&riak, 0, 1);
    happen(&riak, RIAK_COORDINATES, 0, 0);
    happen(&riak, RIAK_WRITE_ARRIVES, 0, 1);
    take(&riak, 0);
    send_read(&riak, 0);
    happen(&riak, RIAK_READ_ARRIVES, 0, 0);
    happen(&riak, RIAK_READ_ARRIVES, 0, 1);
    take(&riak, 0);
    send_update(&riak, 0, 2);
    happen(&riak, RIAK_COORDINATES, 0, 0);
    happen(&riak, RIAK_WRITE_ARRIVES, 0, 2);
    take(&riak, 0);
    drain(&riak);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(at_home(&riak, i), 2);
}

/* riak_kv_vnode:enforce_allow_mult: Conflict Resolution. */
static void
without_siblings_the_newest_is_kept(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "allow_mult=false");
    write_by(&riak, 1, 2, 1);
    write_by(&riak, 0, 1, 0);
    assert_int_equal(read_by(&riak, 1).count, 1);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(at_home(&riak, i), 1);
}

/* riak_object:update_last_modified: the coordinator's clock stamps a write,
 * and select_newest_content goes by that, not by who came last. */
static void
newest_is_what_the_servers_clock_says(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "allow_mult=false slow_clock=1");
    write_by(&riak, 1, 2, 1);
    assert_int_equal(write_by(&riak, 0, 1, 0), KEY_OK);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(at_home(&riak, i), 2);
    write_by(&riak, 0, 3, 2);
    assert_int_equal(at_home(&riak, 0), 3);
    happen(&riak, RIAK_GOES_DOWN, NOBODY,
           0); /* its fallback's clock is right */
    write_by(&riak, 0, 4, 0);
    assert_int_equal(at_home(&riak, 1), 4);
}

/* A slow clock and a context, between them, make replicas keep one value each
 * and have seen the other's: one stays, not none. */
static void
of_two_that_dropped_each_other_one_stays(void **state)
{
    struct key_answer answer;
    struct riak riak;

    (void)state;
    start(&riak, "allow_mult=false slow_clock=3 r=1 w=2 dw=2");
    send_write(&riak, 0, 1);
    happen(&riak, RIAK_COORDINATES, 0, 0);
    send_write(&riak, 1, 2);
    happen(&riak, RIAK_COORDINATES, 1, 1);
    send_read(&riak, 2);
    happen(&riak, RIAK_READ_ARRIVES, 2, 1);
    assert_int_equal(take(&riak, 2).siblings[0].id, 2);
    send_update(&riak, 2, 3);
    happen(&riak, RIAK_COORDINATES, 2, 2);
    happen(&riak, RIAK_WRITE_ARRIVES, 0, 1);
    happen(&riak, RIAK_WRITE_ARRIVES, 2, 1);
    happen(&riak, RIAK_WRITE_ARRIVES, NOBODY, 0);
    assert_int_equal(at_home(&riak, 0), 1);
    assert_int_equal(at_home(&riak, 1), 3);
    assert_int_equal(riak.home[0].clock, riak.home[1].clock);
    drain(&riak);
    take(&riak, 0);
    answer = read_by(&riak, 0);
    assert_int_equal(answer.count, 1);
    assert_int_equal(answer.siblings[0].id, 1);
}

/* riak_kv_vnode:put_merge with last_write_wins: what comes is stored. */
static void
with_last_write_wins_the_last_to_arrive_stays(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "allow_mult=false last_write_wins=true w=1 dw=1");
    send_write(&riak, 0, 1);
    happen(&riak, RIAK_COORDINATES, 0, 0);
    take(&riak, 0);
    send_write(&riak, 1, 2);
    happen(&riak, RIAK_COORDINATES, 1, 1);
    take(&riak, 1);
    assert_int_equal(at_home(&riak, 1), 2);
    while (at_home(&riak, 1) == 2)
        happen(&riak, RIAK_WRITE_ARRIVES, NOBODY, 1);
    assert_int_equal(at_home(&riak, 1), 1);
}

/* riak_object:update with last_write_wins: whatever the clocks say. */
static void
with_last_write_wins_a_coordinator_looks_at_nothing(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "allow_mult=false last_write_wins=true slow_clock=1");
    write_by(&riak, 0, 1, 1);
    assert_int_equal(at_home(&riak, 0), 1);
    send_write(&riak, 1, 2);
    happen(&riak, RIAK_COORDINATES, 1, 0);
    assert_int_equal(at_home(&riak, 0), 2);
}

/* The same key after either history: an equal riak is equal bytes. */
static void
what_nobody_can_tell_any_more_is_forgotten(void **state)
{
    struct riak direct;
    struct riak detour;

    (void)state;
    start(&direct, "");
    write_by(&direct, 0, 7, 0);
    start(&detour, "");
    write_by(&detour, 1, 3, 1);
    read_by(&detour, 0);
    update_by(&detour, 0, 7, 2);
    drain(&detour);
    riak_done(&detour, 0);
    assert_memory_equal(&direct, &detour, sizeof(direct));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_reaches_a_coordinator_and_then_the_others),
        cmocka_unit_test(any_node_of_the_list_may_coordinate),
        cmocka_unit_test(the_first_of_the_list_is_a_primary_that_is_up),
        cmocka_unit_test(the_answer_comes_when_w_replicas_have_it),
        cmocka_unit_test(dw_replicas_have_to_store_it),
        cmocka_unit_test(a_fallback_counts_for_w),
        cmocka_unit_test(riak_refuses_what_it_knows_to_fail_and_stores_nothing),
        cmocka_unit_test(the_seed_stores_first_and_then_says_no),
        cmocka_unit_test(what_fails_stays_where_it_got_to),
        cmocka_unit_test(the_error_comes_when_pw_or_dw_cannot_be_met_any_more),
        cmocka_unit_test(without_a_context_a_write_makes_a_sibling),
        cmocka_unit_test(with_a_context_it_replaces_what_the_read_showed),
        cmocka_unit_test(replicas_that_went_apart_merge_to_siblings),
        cmocka_unit_test(a_sibling_that_one_side_replaced_goes_in_the_merge),
        cmocka_unit_test(the_coordinator_sends_on_what_it_merged),
        cmocka_unit_test(an_older_write_that_comes_late_replaces_nothing),
        cmocka_unit_test(without_siblings_the_newest_is_kept),
        cmocka_unit_test(newest_is_what_the_servers_clock_says),
        cmocka_unit_test(of_two_that_dropped_each_other_one_stays),
        cmocka_unit_test(with_last_write_wins_the_last_to_arrive_stays),
        cmocka_unit_test(with_last_write_wins_a_coordinator_looks_at_nothing),
        cmocka_unit_test(what_nobody_can_tell_any_more_is_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
