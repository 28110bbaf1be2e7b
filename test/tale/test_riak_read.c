#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tale/support/cluster.h"

/* Each test names the source of its rule: Riak's documentation by its page,
 * riak_kv and riak_core by module and function. */

/* A write of worker 3 that has reached the first `count` primaries, and is on
 * its way to the others. */
static void
write_to_first(struct riak *riak, unsigned count, uint8_t id)
{
    send_write(riak, 3, id);
    happen(riak, RIAK_COORDINATES, 3, 0);
    for (unsigned i = 1; i < count; i++)
        happen(riak, RIAK_WRITE_ARRIVES, riak_answered(riak, 3) ? NOBODY : 3,
               i);
}

/* riak_kv_get_core:response: the results so far, not all. */
static void
an_answer_merges_the_replicas_heard_so_far(void **state)
{
    struct key_answer answer;
    struct riak riak;

    (void)state;
    start(&riak, "r=2");
    write_to_first(&riak, 1, 1);
    send_read(&riak, 0);
    happen(&riak, RIAK_READ_ARRIVES, 0, 1);
    assert_false(riak_answered(&riak, 0));
    happen(&riak, RIAK_READ_ARRIVES, 0, 2);
    assert_int_equal(take(&riak, 0).kind, KEY_NOT_FOUND);

    send_read(&riak, 1);
    happen(&riak, RIAK_READ_ARRIVES, 1, 2);
    happen(&riak, RIAK_READ_ARRIVES, 1, 0);
    answer = take(&riak, 1);
    assert_int_equal(answer.kind, KEY_FOUND);
    assert_int_equal(answer.count, 1);
    assert_int_equal(answer.siblings[0].id, 1);
}

/* riak_kv_get_core:add_result: with notfound_ok a miss counts for r. */
static void
a_miss_counts_for_r_or_not(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "r=1");
    write_to_first(&riak, 1, 1);
    send_read(&riak, 0);
    happen(&riak, RIAK_READ_ARRIVES, 0, 2);
    assert_int_equal(take(&riak, 0).kind, KEY_NOT_FOUND);

    start(&riak, "r=1 notfound_ok=false");
    write_to_first(&riak, 1, 1);
    send_read(&riak, 0);
    happen(&riak, RIAK_READ_ARRIVES, 0, 2);
    happen(&riak, RIAK_READ_ARRIVES, 0, 1);
    assert_false(riak_answered(&riak, 0));
    happen(&riak, RIAK_READ_ARRIVES, 0, 0);
    assert_int_equal(take(&riak, 0).siblings[0].id, 1);
}

/* riak_kv_get_core:response: misses only are "not found", and a value with
 * too few beside it is an error (n - r + 1 misses, get_fsm:validate). */
static void
misses_that_do_not_count_end_the_read(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "r=2 notfound_ok=false");
    send_read(&riak, 0);
    happen(&riak, RIAK_READ_ARRIVES, 0, 1);
    assert_false(riak_answered(&riak, 0));
    happen(&riak, RIAK_READ_ARRIVES, 0, 2);
    assert_int_equal(take(&riak, 0).kind, KEY_NOT_FOUND);

    start(&riak, "r=2 notfound_ok=false");
    write_to_first(&riak, 1, 1);
    assert_int_equal(read_by(&riak, 0).kind, KEY_ERROR);
}

/* riak_kv_get_fsm:validate_quorum. */
static void
a_read_is_refused_when_pr_cannot_be_met(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "pr=quorum");
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 0);
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 1);
    send_read(&riak, 0);
    assert_int_equal(take(&riak, 0).kind, KEY_ERROR);
}

/* riak_kv_get_core:num_pr: a fallback counts for r, not for pr. */
static void
only_primaries_count_for_pr(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "pr=2 r=2");
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 0);
    send_read(&riak, 0);
    happen(&riak, RIAK_READ_ARRIVES, 0, 0);
    happen(&riak, RIAK_READ_ARRIVES, 0, 1);
    assert_false(riak_answered(&riak, 0));
    happen(&riak, RIAK_READ_ARRIVES, 0, 2);
    assert_int_equal(take(&riak, 0).kind, KEY_NOT_FOUND);

    start(&riak, "pr=0 r=2");
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 0);
    send_read(&riak, 0);
    happen(&riak, RIAK_READ_ARRIVES, 0, 0);
    happen(&riak, RIAK_READ_ARRIVES, 0, 1);
    assert_int_equal(take(&riak, 0).kind, KEY_NOT_FOUND);
}

/* Documentation, Eventual Consistency: a fallback that never got the value
 * says that there is none. */
static void
a_fallback_knows_only_what_it_got(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "r=2");
    write_to_first(&riak, 2, 1);
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 0);
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 1);
    send_read(&riak, 0);
    happen(&riak, RIAK_READ_ARRIVES, 0, 0);
    happen(&riak, RIAK_READ_ARRIVES, 0, 1);
    assert_int_equal(take(&riak, 0).kind, KEY_NOT_FOUND);
}

/* riak_kv_get_core:enough: n - max(r, pr) + 1 failures. */
static void
a_read_whose_replicas_are_lost_is_an_error(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "r=2");
    send_read(&riak, 0);
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 0);
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 1);
    happen(&riak, RIAK_READ_ARRIVES, 0, 0);
    assert_false(riak_answered(&riak, 0));
    happen(&riak, RIAK_READ_ARRIVES, 0, 1);
    assert_int_equal(take(&riak, 0).kind, KEY_ERROR);

    /* A miss beside one that is lost is not "not found" (response). */
    start(&riak, "r=2 notfound_ok=false");
    send_read(&riak, 0);
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 0);
    happen(&riak, RIAK_READ_ARRIVES, 0, 1);
    happen(&riak, RIAK_READ_ARRIVES, 0, 0);
    assert_int_equal(take(&riak, 0).kind, KEY_ERROR);
}

/* riak_kv_get_core:final_action: when all have answered, those that are
 * behind or have nothing are sent what was merged. */
static void
a_read_repairs_replicas_that_are_behind(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "");
    write_to_first(&riak, 1, 1);
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 1);
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 2);
    happen(&riak, RIAK_WRITE_ARRIVES, 3, 1);
    happen(&riak, RIAK_WRITE_ARRIVES, 3, 2);
    happen(&riak, RIAK_COMES_BACK, NOBODY, 1);
    happen(&riak, RIAK_COMES_BACK, NOBODY, 2);
    assert_int_equal(take(&riak, 3).kind, KEY_ERROR);

    send_read(&riak, 0);
    happen(&riak, RIAK_READ_ARRIVES, 0, 1);
    happen(&riak, RIAK_READ_ARRIVES, 0, 2);
    assert_int_equal(take(&riak, 0).kind, KEY_NOT_FOUND);
    assert_false(can(&riak, RIAK_WRITE_ARRIVES, NOBODY, 1));
    happen(&riak, RIAK_READ_ARRIVES, NOBODY, 0);
    assert_false(can(&riak, RIAK_WRITE_ARRIVES, NOBODY, 0));
    happen(&riak, RIAK_WRITE_ARRIVES, NOBODY, 1);
    happen(&riak, RIAK_WRITE_ARRIVES, NOBODY, 2);
    assert_int_equal(at_home(&riak, 1), 1);
    assert_int_equal(at_home(&riak, 2), 1);
    assert_int_equal(read_by(&riak, 0).kind, KEY_FOUND);
}

/* riak_kv_get_fsm:maybe_read_repair leaves it out when there is too much of it;
 * riak_kv_get_core:final_action asks for none where nothing is behind. */
static void
repair_can_be_switched_off_and_is_not_for_nothing(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "read_repair=false");
    write_to_first(&riak, 2, 1);
    take(&riak, 3);
    happen(&riak, RIAK_GOES_DOWN, NOBODY, 2);
    happen(&riak, RIAK_WRITE_ARRIVES, NOBODY, 2);
    happen(&riak, RIAK_COMES_BACK, NOBODY, 2);
    read_by(&riak, 0);
    drain(&riak);
    assert_true(bare(&riak, 2));

    start(&riak, "");
    read_by(&riak, 0);
    assert_false(can(&riak, RIAK_WRITE_ARRIVES, NOBODY, 0));
    drain(&riak);
    assert_true(bare(&riak, 0) && bare(&riak, 1) && bare(&riak, 2));
}

/* riak_object:reconcile: what another replica's object descends from is not
 * shown; what is concurrent is. */
static void
an_answer_shows_siblings_and_no_ancestors(void **state)
{
    struct key_answer answer;
    struct riak riak;

    (void)state;
    start(&riak, "r=all");
    write_by(&riak, 0, 1, 0);
    read_by(&riak, 0);
    send_update(&riak, 0, 2);
    happen(&riak, RIAK_COORDINATES, 0, 0);
    answer = read_by(&riak, 1);
    assert_int_equal(answer.count, 1);
    assert_int_equal(answer.siblings[0].id, 2);
    send_write(&riak, 2, 3);
    happen(&riak, RIAK_COORDINATES, 2, 1);
    answer = read_by(&riak, 1);
    assert_int_equal(answer.count, 2);
    assert_int_equal(answer.siblings[0].id, 2);
    assert_int_equal(answer.siblings[1].id, 3);
}

/* A request more than there is room for waits; room always comes. */
static void
there_is_room_again_when_what_is_under_way_has_ended(void **state)
{
    struct riak riak;

    (void)state;
    start(&riak, "r=1");
    for (unsigned i = 0; i < RIAK_OPS_MAX; i++) {
        assert_true(riak_ready(&riak));
        send_read(&riak, 0);
        happen(&riak, RIAK_READ_ARRIVES, 0, 0);
        take(&riak, 0);
    }
    assert_false(riak_ready(&riak));
    happen(&riak, RIAK_READ_ARRIVES, NOBODY, 1);
    happen(&riak, RIAK_READ_ARRIVES, NOBODY, 2);
    drain(&riak);
    assert_true(riak_ready(&riak));
}

static void
the_order_of_sending_leaves_no_trace(void **state)
{
    struct riak one;
    struct riak other;

    (void)state;
    start(&one, "");
    send_read(&one, 0);
    send_write(&one, 1, 2);
    start(&other, "");
    send_write(&other, 1, 2);
    send_read(&other, 0);
    assert_memory_equal(&one, &other, sizeof(one));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_merges_the_replicas_heard_so_far),
        cmocka_unit_test(a_miss_counts_for_r_or_not),
        cmocka_unit_test(misses_that_do_not_count_end_the_read),
        cmocka_unit_test(a_read_is_refused_when_pr_cannot_be_met),
        cmocka_unit_test(only_primaries_count_for_pr),
        cmocka_unit_test(a_fallback_knows_only_what_it_got),
        cmocka_unit_test(a_read_whose_replicas_are_lost_is_an_error),
        cmocka_unit_test(a_read_repairs_replicas_that_are_behind),
        cmocka_unit_test(repair_can_be_switched_off_and_is_not_for_nothing),
        cmocka_unit_test(an_answer_shows_siblings_and_no_ancestors),
        cmocka_unit_test(there_is_room_again_when_what_is_under_way_has_ended),
        cmocka_unit_test(the_order_of_sending_leaves_no_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
