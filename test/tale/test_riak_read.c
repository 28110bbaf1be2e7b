#include "tale/support/riak_script.h"

/* Each test names the source of its rule: Riak's documentation by its page,
 * riak_kv and riak_core by module and function. */

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

static const struct CMUnitTest tests[] = {
    /* riak_kv_get_core:response: the results so far, not all. */
    STORY(an_answer_merges_the_replicas_heard_so_far,
          "start r=2\n"
          "3 writes 1\n"
          "coordinates 3 at 0\n"
          "0 reads\n"
          "read-arrives 0 at 1\n"
          "0 is answered | no\n"
          "read-arrives 0 at 2\n"
          "0 takes       | not found\n"
          "1 reads\n"
          "read-arrives 1 at 2\n"
          "read-arrives 1 at 0\n"
          "1 takes       | found 1\n"),
    /* riak_kv_get_core:add_result: with notfound_ok a miss counts for r. */
    STORY(a_miss_counts_for_r_or_not, "start r=1\n"
                                      "3 writes 1\n"
                                      "coordinates 3 at 0\n"
                                      "0 reads\n"
                                      "read-arrives 0 at 2\n"
                                      "0 takes       | not found\n"
                                      "start r=1 notfound_ok=false\n"
                                      "3 writes 1\n"
                                      "coordinates 3 at 0\n"
                                      "0 reads\n"
                                      "read-arrives 0 at 2\n"
                                      "read-arrives 0 at 1\n"
                                      "0 is answered | no\n"
                                      "read-arrives 0 at 0\n"
                                      "0 takes       | found 1\n"),
    /* riak_kv_get_core:response: misses only are "not found", and a value with
     * too few beside it is an error (n - r + 1 misses, get_fsm:validate). */
    STORY(misses_that_do_not_count_end_the_read, "start r=2 notfound_ok=false\n"
                                                 "0 reads\n"
                                                 "read-arrives 0 at 1\n"
                                                 "0 is answered | no\n"
                                                 "read-arrives 0 at 2\n"
                                                 "0 takes       | not found\n"
                                                 "start r=2 notfound_ok=false\n"
                                                 "3 writes 1\n"
                                                 "coordinates 3 at 0\n"
                                                 "0 gets        | error\n"),
    /* riak_kv_get_fsm:validate_quorum. */
    STORY(a_read_is_refused_when_pr_cannot_be_met, "start pr=quorum\n"
                                                   "goes-down at 0\n"
                                                   "goes-down at 1\n"
                                                   "0 reads\n"
                                                   "0 takes | error\n"),
    /* riak_kv_get_core:num_pr: a fallback counts for r, not for pr. */
    STORY(only_primaries_count_for_pr, "start pr=2 r=2\n"
                                       "goes-down at 0\n"
                                       "0 reads\n"
                                       "read-arrives 0 at 0\n"
                                       "read-arrives 0 at 1\n"
                                       "0 is answered | no\n"
                                       "read-arrives 0 at 2\n"
                                       "0 takes       | not found\n"
                                       "start pr=0 r=2\n"
                                       "goes-down at 0\n"
                                       "0 reads\n"
                                       "read-arrives 0 at 0\n"
                                       "read-arrives 0 at 1\n"
                                       "0 takes       | not found\n"),
    /* Documentation, Eventual Consistency: a fallback that never got the value
     * says that there is none. */
    STORY(a_fallback_knows_only_what_it_got, "start r=2\n"
                                             "3 writes 1\n"
                                             "coordinates 3 at 0\n"
                                             "3 is answered | no\n"
                                             "write-arrives 3 at 1\n"
                                             "goes-down at 0\n"
                                             "goes-down at 1\n"
                                             "0 reads\n"
                                             "read-arrives 0 at 0\n"
                                             "read-arrives 0 at 1\n"
                                             "0 takes       | not found\n"),
    /* riak_kv_get_core:enough: n - max(r, pr) + 1 failures. */
    STORY(a_read_whose_replicas_are_lost_is_an_error,
          "start r=2\n"
          "0 reads\n"
          "goes-down at 0\n"
          "goes-down at 1\n"
          "read-arrives 0 at 0\n"
          "0 is answered | no\n"
          "read-arrives 0 at 1\n"
          "0 takes       | error\n"
          /* A miss beside one that is lost is not "not found" (response). */
          "start r=2 notfound_ok=false\n"
          "0 reads\n"
          "goes-down at 0\n"
          "read-arrives 0 at 1\n"
          "read-arrives 0 at 0\n"
          "0 takes       | error\n"),
    /* riak_kv_get_core:final_action: when all have answered, those that are
     * behind or have nothing are sent what was merged. */
    STORY(a_read_repairs_replicas_that_are_behind,
          "3 writes 1\n"
          "coordinates 3 at 0\n"
          "goes-down at 1\n"
          "goes-down at 2\n"
          "write-arrives 3 at 1\n"
          "write-arrives 3 at 2\n"
          "comes-back at 1\n"
          "comes-back at 2\n"
          "3 takes                | error\n"
          "0 reads\n"
          "read-arrives 0 at 1\n"
          "read-arrives 0 at 2\n"
          "0 takes                | not found\n"
          "can write-arrives at 1 | no\n"
          "read-arrives at 0\n"
          "can write-arrives at 0 | no\n"
          "write-arrives at 1\n"
          "write-arrives at 2\n"
          "= home 1 1 1\n"
          "0 gets                 | found 1\n"),
    /* riak_kv_get_fsm:maybe_read_repair leaves it out when there is too
     * much of it; riak_kv_get_core:final_action asks for none where nothing
     * is behind. */
    STORY(repair_can_be_switched_off_and_is_not_for_nothing,
          "start read_repair=false\n"
          "3 writes 1\n"
          "coordinates 3 at 0\n"
          "3 is answered          | no\n"
          "write-arrives 3 at 1\n"
          "3 takes                | ok\n"
          "goes-down at 2\n"
          "write-arrives at 2\n"
          "comes-back at 2\n"
          "0 gets                 | found 1\n"
          "drain\n"
          "= home 1 1 -\n"
          "start\n"
          "0 gets                 | not found\n"
          "can write-arrives at 0 | no\n"
          "drain\n"
          "= home - - -\n"),
    /* riak_object:reconcile: what another replica's object descends from is not
     * shown; what is concurrent is. */
    STORY(an_answer_shows_siblings_and_no_ancestors, "start r=all\n"
                                                     "0 has it\n"
                                                     "0 updates 2\n"
                                                     "coordinates 0 at 0\n"
                                                     "1 gets | found 2\n"
                                                     "2 writes 3\n"
                                                     "coordinates 2 at 1\n"
                                                     "1 gets | found 2 3\n"),
    cmocka_unit_test(there_is_room_again_when_what_is_under_way_has_ended),
    cmocka_unit_test(the_order_of_sending_leaves_no_trace),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
