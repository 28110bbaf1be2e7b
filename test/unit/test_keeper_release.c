#include "unit/support/keeper_script.h"

/* Five were sent, four are remembered, and those four surely did nothing. */
static void
a_claim_that_is_no_longer_remembered_is_settled_all_the_same(void **state)
{
    uint64_t last = 1 + HF_INFLIGHT_MAX;
    int64_t ms = 0;

    (void)state;
    PLAY("claiming\n");
    for (; scripted_keeper.question.number < last; ms += 10)
        keeper_gives(at_clock(ms));
    for (uint64_t number = 2; number <= last; number++)
        keeper_gives(unavailable(ms, number));
    assert_int_equal(last, 5);
    PLAY_ON("10000 release | ask #6 delete lock v7\n"
            "10001 unavailable #6\n"
            "= state settling\n");
}

static void
settling_outlasts_any_number_of_failures(void **state)
{
    const char *given = NULL;
    int64_t at_ms = 60;

    (void)state;
    PLAY("holding\n"
         "60 release | ask #2 delete lock v8\n");
    for (uint64_t number = 2; number < 200; number++) {
        assert_int_equal(scripted_keeper.question.number, number);
        keeper_gives(unavailable(at_ms, number));
        at_ms = hf_keeper_deadline(&scripted_keeper).ms;
        given = keeper_gives(at_clock(at_ms));
    }
    assert_string_equal(given, "ask #200 delete lock v8\n");
    assert_int_equal(at_ms, 38970);
    PLAY_ON("38970 applied #200 v9 | settled\n");
}

/* Whatever its question is answered. */
#define STOPS(question)                                                        \
    "760 abandon\n"                                                            \
    "770 applied " question " v20\n"                                           \
    "100000 clock\n"                                                           \
    "= state idle; deadline never\n"
#define STOPS_AT_1 STOPS("#1")
#define STOPS_AT_2 STOPS("#2")

static const struct CMUnitTest tests[] = {
    STORY(a_release_stops_beating_and_deletes_at_my_version,
          "holding\n"
          "60 release       | ask #2 delete lock v8\n"
          "61 release\n"
          "70 applied #2 v9 | settled\n"
          "5000 clock\n"
          "5001 release\n"
          "= deadline never\n"),
    STORY(a_release_erases_the_marker_that_is_left,
          "0 claim 5 v7 over 3\n"
          "| ask #1 put lock v7 5_0 new, put marker 3 absent new\n"
          "10 applied #1 v8 | granted\n"
          "20 release       | ask #2 delete lock v8, erase marker 3 any\n"),
    /* A beat that was out applies before the delete: delete what it left. */
    STORY(a_release_overtaken_by_its_own_beat_deletes_at_the_new_version,
          "holding\n"
          "200 clock          | ask #2 put lock v8 5_1\n"
          "210 release        | ask #3 delete lock v8\n"
          "215 applied #2 v9  | ask #4 delete lock v9\n"
          "220 refused #3\n"
          "240 applied #4 v10 | settled\n"),
    STORY(an_unknown_delete_is_repeated_until_it_is_settled,
          "holding\n"
          "60 release             | ask #2 delete lock v8\n"
          "70 unknown #2\n"
          "80 clock               | ask #3 delete lock v8\n"
          "280 clock\n" /* overdue */
          "300 clock              | ask #4 delete lock v8\n"
          "mark\n"
          "310 applied #4 v9      | settled\n"
          "back\n"
          "310 refused #4         | ask #5 read\n"
          "320 found #5 absent v9 | settled\n"),
    STORY(nobody_elses_record_is_touched_by_a_release,
          "holding\n"
          "60 release               | ask #2 delete lock v8\n"
          "70 refused #2            | ask #3 read\n"
          "80 found #3 lock v30 6_0 | settled\n"
          "5000 clock\n"),
    STORY(a_claim_given_up_while_it_is_out_is_settled_at_its_version,
          "claiming\n"
          "10 release              | ask #2 delete lock v7\n"
          "mark\n"
          /* no right any more: delete that */
          "20 applied #1 v8        | ask #3 delete lock v8\n"
          "30 applied #3 v9        | settled\n"
          "back\n"
          "30 refused #2           | ask #3 read\n"
          "40 found #3 lock v8 5_0 | ask #4 delete lock v8\n"
          "50 applied #4 v9        | settled\n"),
    STORY(a_claim_given_up_after_an_unknown_answer_is_settled,
          "claiming\n"
          "10 unknown #1\n"
          "12 release | ask #2 delete lock v7\n"
          "211 clock\n"
          "212 clock\n" /* overdue */
          "232 clock  | ask #3 delete lock v7\n"),
    /* Of a file that somebody keeps locked: nothing is to be undone. */
    STORY(a_claim_that_surely_did_nothing_needs_no_settling,
          "claiming\n"
          "mark\n"
          "10 release        | ask #2 delete lock v7\n"
          "20 unavailable #1 | settled\n"
          "back\n"
          "10 release        | ask #2 delete lock v7\n"
          "20 refused #1     | settled\n"),
    /* The first sending was lost; the second surely did nothing; the first may
     * still apply. */
    STORY(an_unavailable_answer_does_not_settle_an_earlier_unknown,
          "claiming\n"
          "10 unknown #1\n"
          "20 clock   | ask #2 put lock v7 5_0 new\n"
          "21 unavailable #2\n"
          "22 release | ask #3 delete lock v7\n"),
    /* #1 and #2 are out, and either may be the one that applies. */
    STORY(one_claim_that_surely_did_nothing_does_not_settle_another,
          "claiming\n"
          "200 clock\n"
          "210 clock          | ask #2 put lock v7 5_0 new\n"
          "220 release        | ask #3 delete lock v7\n"
          "230 unavailable #2\n"
          "240 unavailable #1 | settled\n"),
    cmocka_unit_test(
        a_claim_that_is_no_longer_remembered_is_settled_all_the_same),
    /* It was given up at 260 and sent again; the lock is free all the same. */
    STORY(a_delete_whose_answer_comes_late_settles,
          "holding\n"
          "60 release        | ask #2 delete lock v8\n"
          "260 clock\n"
          "270 clock         | ask #3 delete lock v8\n"
          "280 applied #2 v9 | settled\n"
          "290 refused #3\n"),
    STORY(a_takeover_given_up_deletes_the_dead_record_and_the_marker,
          "0 claim 5 v7 over 3\n"
          "| ask #1 put lock v7 5_0 new, put marker 3 absent new\n"
          "10 release       | ask #2 delete lock v7, erase marker 3 any\n"
          "20 applied #2 v8 | settled\n"),
    STORY(a_claim_that_surely_did_nothing_is_given_up_at_once,
          "claiming\n"
          "10 unavailable #1\n"
          "12 release | settled\n"
          "5000 clock\n"),
    STORY(a_refused_claim_is_given_up_at_once, "claiming\n"
                                               "10 refused #1 | ask #2 read\n"
                                               "12 release    | settled\n"
                                               "20 found #2 lock v12 6_0\n"),
    STORY(a_confirming_keeper_deletes_its_record,
          "confirming\n"
          "760 release       | ask #3 delete lock v8\n"
          "770 applied #3 v9 | settled\n"),
    STORY(a_keeper_in_doubt_deletes_its_record,
          "start refuse\n"
          "holding\n"
          "750 clock         | in doubt; ask #2 put lock v8 5_1\n"
          "760 release       | ask #3 delete lock v8\n"
          "770 applied #3 v9 | settled\n"),
    STORY(a_release_after_the_right_is_over_says_lost_and_settles_once,
          "holding\n"
          "2000 release       | lost; ask #2 delete lock v8\n"
          "2010 applied #2 v9 | settled\n"),
    STORY(settling_is_repeated_while_the_version_stands,
          "holding\n"
          "60 release    | ask #2 delete lock v8\n"
          "70 refused #2 | ask #3 read\n"
          "80 found #3 absent v8\n"
          "90 clock      | ask #4 delete lock v8\n"),
    cmocka_unit_test(settling_outlasts_any_number_of_failures),
    STORY(abandon_stops_at_once_in_every_state,
          "start\n"
          "claiming\n" STOPS_AT_1 "start\n"
          "confirming\n" STOPS_AT_2 "start\n"
          "holding\n" STOPS_AT_1 "start refuse\n"
          "holding\n"
          "750 clock | in doubt; ask #2 put lock v8 5_1\n" STOPS_AT_2 "start\n"
          "holding\n"
          "60 release | ask #2 delete lock v8\n" STOPS_AT_2),
    STORY(an_abandoned_holder_past_its_right_asks_for_nothing,
          "holding\n"
          "2000 abandon\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
