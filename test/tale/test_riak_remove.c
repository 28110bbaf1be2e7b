#include "tale/support/riak_script.h"

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

static const struct CMUnitTest tests[] = {
    /* Documentation, Object Deletion; riak_kv_delete:delete. */
    STORY(a_remove_writes_a_tombstone_that_reads_as_nothing,
          "start delete_mode=keep\n"
          "0 has it\n"
          "0 removes it everywhere\n"
          "drain\n"
          "= home 0 0 0\n"
          "1 gets | not found\n"),
    /* riak_kv_delete:delete without a vector clock. */
    STORY(without_a_context_a_remove_reads_one_first,
          "1 removes\n"
          "read-arrives 1 at 0\n"
          "read-arrives 1 at 1\n"
          "1 takes       | not found\n"
          "0 puts 1 at 0 | ok\n"
          "1 removes\n"
          "read-arrives 1 at 0\n"
          "read-arrives 1 at 1\n"
          "1 is answered | no\n"
          "coordinates 1 at 0\n"
          "write-arrives 1 at 1\n"
          "1 takes       | ok\n"
          "= home 0 0 1\n"),
    /* A read that found nothing showed no vector clock. */
    STORY(a_context_of_nothing_is_none, "0 gets                 | not found\n"
                                        "1 puts 2 at 0          | ok\n"
                                        "0 removes with context\n"
                                        "can coordinates 0 at 0 | no\n"
                                        "read-arrives 0 at 0\n"
                                        "read-arrives 0 at 1\n"
                                        "coordinates 0 at 0\n"
                                        "= home 0 2 2\n"),
    /* riak_object:update: the tombstone replaces what its context has seen. */
    STORY(a_write_that_a_remove_did_not_see_survives_beside_it,
          "start delete_mode=keep\n"
          "0 has it\n"
          "1 puts 2 at 1 | ok\n"
          "0 removes it everywhere\n"
          "1 gets        | found 2 0\n"),
    /* A vector clock that all objects descend from by now is one all the
     * same. */
    STORY(a_stale_context_is_not_taken_for_none,
          "start delete_mode=keep\n"
          "0 has it\n"
          "1 gets               | found 1\n"
          "1 puts-update 2 at 1 | ok\n"
          "done 1\n"
          "drain\n"
          "0 removes it everywhere\n"
          "1 gets               | found 2 0\n"),
    /* riak_kv_get_core:final_action, riak_kv_get_fsm:maybe_delete. */
    STORY(tombstones_are_reaped_when_all_primaries_answered_with_them,
          "start delete_mode=immediate\n"
          "0 has it\n"
          "0 removes it everywhere\n"
          "all are looked at\n"
          "= home 0 0 0\n"
          "reaps at 0\n"
          "= home - 0 0\n"
          "reaps at 1\n"
          "= home - - 0\n"
          "reaps at 2\n"
          "= home - - -\n"),
    cmocka_unit_test(of_what_was_reaped_nothing_is_left),
    /* riak_kv_get_fsm:maybe_delete: it was sent to N primaries. */
    STORY(with_a_fallback_among_those_asked_nothing_is_reaped,
          "start delete_mode=immediate\n"
          "0 has it\n"
          "goes-down at 2\n"
          "0 removes it everywhere\n"
          "all are looked at\n"
          "drain\n"
          "= home 0 0 1\n"),
    /* riak_kv_get_core:final_action: all replied, and with the same. */
    STORY(with_one_that_does_not_answer_nothing_is_reaped,
          "start delete_mode=immediate\n"
          "0 has it\n"
          "0 removes it everywhere\n"
          "looks-back at 0\n"
          "goes-down at 2\n"
          "drain\n"
          "= home 0 0 0\n"),
    /* riak_kv_get_core:final_action: a repair goes before a delete. */
    STORY(with_a_replica_behind_it_is_repaired_and_nothing_reaped,
          "start delete_mode=immediate\n"
          "0 has it\n"
          "0 removes with context\n"
          "coordinates 0 at 0\n"
          "write-arrives 0 at 1\n"
          "0 takes        | ok\n"
          "all are looked at\n"
          "= home 0 0 1\n"
          "can reaps at 0 | no\n"
          "drain\n"
          "= home 0 0 0\n"
          /* Whoever reads next has them reaped. */
          "1 gets         | not found\n"
          "drain\n"
          "= home - - -\n"),
    STORY(without_repair_it_stays_behind,
          "start delete_mode=immediate read_repair=false\n"
          "0 has it\n"
          "0 removes with context\n"
          "coordinates 0 at 0\n"
          "goes-down at 2\n"
          "write-arrives 0 at 1\n"
          "write-arrives at 2\n"
          "comes-back at 2\n"
          "0 takes | ok\n"
          "all are looked at\n"
          "drain\n"
          "= home 0 0 1\n"),
    /* riak_kv_vnode:do_delete: only what is a tombstone there. */
    STORY(a_value_written_meanwhile_is_not_reaped,
          "start delete_mode=immediate\n"
          "0 has it\n"
          "0 removes it everywhere\n"
          "all are looked at\n"
          "1 puts 2 at 1 | ok\n"
          "drain\n"
          "= home 0+2 0+2 0+2\n"
          "1 gets        | found 2 0\n"),
    /* riak_kv_vnode:do_delete, delete_mode keep. */
    STORY(keep_keeps_tombstones_for_ever, "start delete_mode=keep\n"
                                          "0 has it\n"
                                          "0 removes it everywhere\n"
                                          "all are looked at\n"
                                          "1 gets | not found\n"
                                          "drain\n"
                                          "= home 0 0 0\n"),
    /* riak_kv_vnode:do_delete with a delay, and its final_delete. */
    STORY(later_is_when_its_time_is_over_and_it_is_the_same,
          "start delete_mode=later\n"
          "0 has it\n"
          "0 removes it everywhere\n"
          "all are looked at\n"
          "reaps at 0\n"
          "reaps at 1\n"
          "reaps at 2\n"
          "= home 0 0 0\n"
          "forgets at 0\n"
          "= home - 0 0\n"
          "goes-down at 2\n" /* which forgets its timer */
          "comes-back at 2\n"
          "can forgets at 2 | no\n"
          "1 writes 2\n"
          "coordinates 1 at 1\n"
          "can forgets at 1 | no\n"),
    /* riak_kv_put_fsm answers an error: riak_kv_delete reads no more. */
    STORY(after_a_remove_that_failed_nobody_looks_back,
          "start pw=all\n"
          "0 has it\n"
          "0 removes with context\n"
          "coordinates 0 at 0\n"
          "goes-down at 1\n"
          "write-arrives 0 at 1\n"
          "0 takes             | error\n"
          "can looks-back at 0 | no\n"
          "= home 0 1 1\n"),
    /* Documentation, Eventual Consistency: hinted handoff;
     * riak_kv_vnode:do_diffobj_put. */
    STORY(a_fallback_hands_over_when_its_primary_is_back,
          "goes-down at 2\n"
          "0 puts 1 at 0      | ok\n"
          "can hands-off at 2 | no\n"
          "comes-back at 2\n"
          "= home 1 1 -\n"
          "hands-off at 2\n"
          "= home 1 1 1; away - - -\n"
          "can hands-off at 2 | no\n"),
    /* riak_object:strict_descendant: a tombstone is an object like others. */
    STORY(what_is_handed_over_yields_to_a_tombstone_of_it,
          "start delete_mode=keep\n"
          "goes-down at 2\n"
          "0 puts 1 at 0 | ok\n"
          "comes-back at 2\n"
          "0 gets        | found 1\n"
          "0 removes it everywhere\n"
          "= away - - 1\n"
          "drain\n"
          "hands-off at 2\n"
          "= home 0 0 0\n"
          "1 gets        | not found\n"),
    /* Documentation, Object Deletion: why keep is the safe one. */
    STORY(what_is_handed_over_after_the_reaping_is_back,
          "start delete_mode=immediate\n"
          "goes-down at 2\n"
          "0 puts 1 at 0 | ok\n"
          "comes-back at 2\n"
          "0 gets        | found 1\n"
          "0 removes it everywhere\n"
          "= away - - 1\n"
          "drain\n"
          "= home - - -\n"
          "hands-off at 2\n"
          "1 reads\n"
          "read-arrives 1 at 2\n"
          "read-arrives 1 at 0\n"
          "1 takes       | found 1\n"
          "drain\n" /* and the repair spreads it */
          "= home 1 1 1\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
