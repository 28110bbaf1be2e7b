#include "tale/support/riak_script.h"

/* Each test names the source of its rule: Riak's documentation by its page,
 * riak_kv and riak_core by module and function. */

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

static const struct CMUnitTest tests[] = {
    /* riak_kv_put_fsm: execute_local, and only then execute_remote. */
    STORY(a_write_reaches_a_coordinator_and_then_the_others,
          "0 writes 1\n"
          "can write-arrives 0 at 1 | no\n"
          "coordinates 0 at 0\n"
          "= home 1 - -\n"
          "can write-arrives 0 at 1 | yes\n"
          "can write-arrives 0 at 2 | yes\n"
          "can write-arrives 0 at 0 | no\n"),
    /* riak_kv_put_fsm:prepare: the node asked if it is of the preference list,
     * else any of the list. */
    STORY(any_node_of_the_list_may_coordinate, "goes-down at 1\n"
                                               "0 writes 1\n"
                                               "can coordinates 0 at 0 | yes\n"
                                               "can coordinates 0 at 2 | yes\n"
                                               "coordinates 0 at 1\n"
                                               "= away - 1 -; home - - -\n"),
    /* riak_core_apl:get_apl_ann: primaries that are up, then fallbacks. */
    STORY(the_first_of_the_list_is_a_primary_that_is_up,
          "start coordinator=first\n"
          "goes-down at 0\n"
          "0 writes 1\n"
          "can coordinates 0 at 0 | no\n"
          "can coordinates 0 at 2 | no\n"
          "can coordinates 0 at 1 | yes\n"),
    /* riak_kv_put_core:enough; what was sent still arrives. */
    STORY(the_answer_comes_when_w_replicas_have_it, "start w=2\n"
                                                    "0 writes 1\n"
                                                    "coordinates 0 at 0\n"
                                                    "0 is answered | no\n"
                                                    "write-arrives 0 at 2\n"
                                                    "0 takes       | ok\n"
                                                    "= home 1 - 1\n"
                                                    "write-arrives at 1\n"
                                                    "= home 1 1 1\n"),
    /* riak_kv_put_core:enough: dw, where the stored are counted, beside w; and
     * riak_kv_put_fsm:validate: dw is at least one. */
    STORY(dw_replicas_have_to_store_it, "start w=1 dw=all\n"
                                        "0 writes 1\n"
                                        "coordinates 0 at 0\n"
                                        "write-arrives 0 at 1\n"
                                        "0 is answered | no\n"
                                        "write-arrives 0 at 2\n"
                                        "0 takes       | ok\n"
                                        "start w=0 dw=0\n"
                                        "0 writes 1\n"
                                        "0 is answered | no\n"
                                        "coordinates 0 at 0\n"
                                        "0 takes       | ok\n"),
    /* Documentation, Eventual Consistency: sloppy quorum. */
    STORY(a_fallback_counts_for_w, "start w=all\n"
                                   "goes-down at 2\n"
                                   "0 puts 1 at 0 | ok\n"
                                   "= away - - 1; home 1 1 -\n"),
    /* riak_kv_put_fsm:validate: pw above the primaries that are up. */
    STORY(riak_refuses_what_it_knows_to_fail_and_stores_nothing,
          "start pw=quorum\n"
          "goes-down at 1\n"
          "goes-down at 2\n"
          "0 writes 1\n"
          /* it does not matter */
          "can coordinates 0 at 1 | no\n"
          "coordinates 0 at 0\n"
          "0 takes                | error\n"
          "drain\n"
          "= home - - -; away - - -\n"),
    /* The tale: an error, and the value at the third server and two fallbacks
     * (riak_kv_put_core:enough, all stored and pw not met). */
    STORY(the_seed_stores_first_and_then_says_no,
          "start pw=quorum pw_precheck=seed\n"
          "goes-down at 1\n"
          "goes-down at 2\n"
          "0 puts 1 at 0 | error\n"
          "= home 1 - -; away - 1 1\n"),
    /* riak_kv_put_fsm: nothing is taken back when the answer is an error. */
    STORY(what_fails_stays_where_it_got_to, "start pw=quorum\n"
                                            "0 writes 1\n"
                                            "coordinates 0 at 0\n"
                                            "goes-down at 1\n"
                                            "goes-down at 2\n"
                                            "write-arrives 0 at 1\n"
                                            "0 is answered | no\n"
                                            "write-arrives 0 at 2\n"
                                            "0 takes       | error\n"
                                            "comes-back at 1\n"
                                            "comes-back at 2\n"
                                            "drain\n"
                                            "= home 1 - -\n"),
    cmocka_unit_test(the_error_comes_when_pw_or_dw_cannot_be_met_any_more),
    /* riak_object:update and merge_contents: Causal Context. */
    STORY(without_a_context_a_write_makes_a_sibling,
          "0 puts 1 at 0 | ok\n"
          "1 gets        | found 1\n"
          "1 puts 2 at 0 | ok\n"
          "0 gets        | found 1 2\n"),
    /* riak_object:update: what the context has seen goes. */
    STORY(with_a_context_it_replaces_what_the_read_showed,
          "0 puts 1 at 0        | ok\n"
          "1 puts 2 at 1        | ok\n"
          "0 gets               | found 1 2\n"
          /* not seen by worker 0 */
          "1 puts 3 at 2        | ok\n"
          "0 puts-update 4 at 0 | ok\n"
          "1 gets               | found 3 4\n"),
    /* riak_object:reconcile: concurrent writes at different coordinators. */
    STORY(replicas_that_went_apart_merge_to_siblings, "0 writes 1\n"
                                                      "1 writes 2\n"
                                                      "coordinates 0 at 0\n"
                                                      "coordinates 1 at 1\n"
                                                      "drain\n"
                                                      "= home 1+2 1+2 1+2\n"),
    cmocka_unit_test(a_sibling_that_one_side_replaced_goes_in_the_merge),
    /* riak_kv_put_fsm:waiting_local_vnode: what the coordinator made of it. */
    STORY(the_coordinator_sends_on_what_it_merged, "start w=1 dw=1\n"
                                                   "0 writes 1\n"
                                                   "coordinates 0 at 0\n"
                                                   "goes-down at 1\n"
                                                   "write-arrives at 1\n"
                                                   "comes-back at 1\n"
                                                   "drain\n"
                                                   "= home 1 - 1\n"
                                                   "1 writes 2\n"
                                                   "coordinates 1 at 0\n"
                                                   "write-arrives at 1\n"
                                                   "= home 1+2 1+2 1\n"),
    /* riak_object:strict_descendant: an ancestor that comes late is
     * discarded. */
    STORY(an_older_write_that_comes_late_replaces_nothing,
          "0 writes 1\n"
          "coordinates 0 at 0\n"
          "write-arrives 0 at 1\n"
          "0 takes | ok\n"
          "0 reads\n"
          "read-arrives 0 at 0\n"
          "read-arrives 0 at 1\n"
          "0 takes | found 1\n"
          "0 updates 2\n"
          "coordinates 0 at 0\n"
          "write-arrives 0 at 2\n"
          "0 takes | ok\n"
          "drain\n"
          "= home 2 2 2\n"),
    /* riak_kv_vnode:enforce_allow_mult: Conflict Resolution. */
    STORY(without_siblings_the_newest_is_kept, "start allow_mult=false\n"
                                               "1 puts 2 at 1 | ok\n"
                                               "0 puts 1 at 0 | ok\n"
                                               "1 gets        | found 1\n"
                                               "= home 1 1 1\n"),
    /* riak_object:update_last_modified: the coordinator's clock stamps a write,
     * and select_newest_content goes by that, not by who came last. */
    STORY(newest_is_what_the_servers_clock_says,
          "start allow_mult=false slow_clock=1\n"
          "1 puts 2 at 1 | ok\n"
          "0 puts 1 at 0 | ok\n"
          "= home 2 2 2\n"
          "0 puts 3 at 2 | ok\n"
          "= home 3 3 3\n"
          "goes-down at 0\n" /* its fallback's clock is right */
          "0 puts 4 at 0 | ok\n"
          "= home 3 4 4\n"),
    cmocka_unit_test(of_two_that_dropped_each_other_one_stays),
    /* riak_kv_vnode:put_merge with last_write_wins: what comes is stored. */
    STORY(with_last_write_wins_the_last_to_arrive_stays,
          "start allow_mult=false last_write_wins=true w=1 dw=1\n"
          "0 writes 1\n"
          "coordinates 0 at 0\n"
          "0 takes | ok\n"
          "1 writes 2\n"
          "coordinates 1 at 1\n"
          "1 takes | ok\n"
          "= home 1 2 -\n"
          "write-arrives at 1\n"
          "= home 1 1 -\n"),
    /* riak_object:update with last_write_wins: whatever the clocks say. */
    STORY(with_last_write_wins_a_coordinator_looks_at_nothing,
          "start allow_mult=false last_write_wins=true slow_clock=1\n"
          "0 puts 1 at 1 | ok\n"
          "= home 1 1 1\n"
          "1 writes 2\n"
          "coordinates 1 at 0\n"
          "= home 2 1 1\n"),
    cmocka_unit_test(what_nobody_can_tell_any_more_is_forgotten),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
