#include "unit/support/keeper_script.h"

#include <string.h>

/* A place whose every write takes 300 ms is no place that does not answer. */
static void
a_slow_place_keeps_its_holder(void **state)
{
    const struct hf_keeper *k = &scripted_keeper;
    int64_t now_ms = 0;

    (void)state;
    PLAY("claiming\n");
    for (int i = 0; i < 50; i++) {
        uint64_t number = k->question.number;
        uint64_t version = k->version;
        int64_t answered_ms = k->question.asked_at.ms + 300;

        for (; now_ms < answered_ms; now_ms += 10)
            assert_null(strstr(keeper_gives(at_clock(now_ms)), "lost"));
        assert_null(
            strstr(keeper_gives(applied(now_ms, number, version + 1)), "lost"));
        assert_int_equal(k->state, HF_KEEPER_HELD);
    }
}

static void
more_writes_than_are_remembered_do_no_harm(void **state)
{
    const struct hf_keeper *k = &scripted_keeper;
    uint64_t first;

    (void)state;
    PLAY("start refuse\n"
         "holding\n");
    keeper_gives(at_clock(200));
    first = k->question.number;
    for (int64_t ms = 200; k->question.number <= first + 8; ms += 10)
        keeper_gives(at_clock(ms));
    /* It fell out: nobody knows its sending. */
    keeper_gives(applied(5000, first, 9));
    assert_int_equal(k->version, 8);
    keeper_gives(applied(5010, first + 8, 9));
    assert_int_equal(k->version, 9);
}

static const struct CMUnitTest tests[] = {
    STORY(a_granted_keeper_beats_at_its_own_version,
          "holding\n"
          "= token 8; deadline 200\n"
          "199 clock\n"
          "200 clock | ask #2 put lock v8 5_1\n"
          "220 applied #2 v9\n"
          "399 clock\n"
          "400 clock | ask #3 put lock v9 5_2\n"
          "= token 8\n"),
    STORY(a_beat_goes_early_when_others_beat_and_it_is_nearly_due,
          "holding\n"
          "149 hint\n"
          "150 hint | ask #2 put lock v8 5_1\n"
          "151 hint\n"),
    STORY(a_beat_that_carries_something_goes_at_once,
          "holding\n"
          "51 write | ask #2 put lock v8 5_1\n"
          "52 write\n" /* one is out */
          "60 applied #2 v9\n"
          "60 write | ask #3 put lock v9 5_2\n"
          "70 unknown #3\n"
          "71 write\n" /* what failed keeps its pause */
          "80 clock | ask #4 put lock v9 5_2\n"
          "= right 801\n"),
    STORY(nothing_is_written_before_it_is_granted_nor_after_it_is_given_back,
          "claiming\n"
          "10 write\n"
          "50 applied #1 v8 | granted\n"
          "60 release       | ask #2 delete lock v8\n"
          "61 write\n"),
    STORY(a_beat_with_no_answer_is_sent_again_as_the_same_beat,
          "holding\n"
          "200 clock | ask #2 put lock v8 5_1\n"
          "399 clock\n"
          "400 clock\n" /* overdue: unknown */
          "410 clock | ask #3 put lock v8 5_1\n"
          "420 applied #3 v9\n"
          "610 clock | ask #4 put lock v9 5_2\n"),
    STORY(an_unknown_beat_that_applied_is_found_by_a_read,
          "holding\n"
          "200 clock                        | ask #2 put lock v8 5_1\n"
          "210 unknown #2\n" /* applied as v9 */
          "220 clock                        | ask #3 put lock v8 5_1\n"
          "230 refused #3                   | ask #4 read\n"
          "240 found #4 lock v9 5_1 token 8 | ask #5 put lock v9 5_2\n"
          "250 applied #5 v10\n"
          "= token 8\n"
          /* 240 + 750: the right of #5 */
          "989 clock                        | ask #6 put lock v10 5_3\n"
          "= state held\n"
          "990 clock                        | lost; ask #7 delete lock v10\n"
          "= state settling\n"),
    /* What a read shows as mine is no right: only the beat after it is. */
    STORY(a_record_read_as_mine_does_not_extend_the_right,
          "holding\n"
          "600 clock                        | ask #2 put lock v8 5_1\n"
          "610 refused #2                   | ask #3 read\n"
          "740 found #3 lock v9 5_1 token 8 | ask #4 put lock v9 5_2\n"
          "749 clock\n"
          "750 clock                        | lost; ask #5 delete lock v9\n"),
    STORY(no_number_of_failed_beats_ends_the_loop_while_the_right_lasts,
          "holding\n"
          "200 clock | ask #2 put lock v8 5_1\n"
          "200 unavailable #2\n"
          "210 clock | ask #3 put lock v8 5_1\n"
          "210 unknown #3\n"
          "230 clock | ask #4 put lock v8 5_1\n"
          "230 unavailable #4\n"
          "270 clock | ask #5 put lock v8 5_1\n"
          "270 unavailable #5\n"
          "350 clock | ask #6 put lock v8 5_1\n"
          "350 unavailable #6\n"
          "510 clock | ask #7 put lock v8 5_1\n"
          "510 unavailable #7\n"
          "710 clock | ask #8 put lock v8 5_1\n"
          "740 applied #8 v9\n"
          "909 clock\n"
          "910 clock | ask #9 put lock v9 5_2\n"),
    STORY(a_read_that_fails_is_sent_again,
          "holding\n"
          "200 clock      | ask #2 put lock v8 5_1\n"
          "210 refused #2 | ask #3 read\n"
          "220 found #3 nothing\n"
          "230 clock      | ask #4 read\n"
          "554 clock\n" /* its call may still be under way */
          "555 clock\n"
          "575 clock      | ask #5 read\n"),
    STORY(a_beat_refused_because_of_another_holder_is_lost_and_settled,
          "holding\n"
          "200 clock                 | ask #2 put lock v8 5_1\n"
          "210 refused #2            | ask #3 read\n"
          "220 found #3 lock v12 6_0 | lost; settled\n"
          "5000 clock\n"
          "= deadline never\n"),
    STORY(a_record_cleared_by_hand_is_lost,
          "start refuse\n"
          "holding\n"
          "200 clock              | ask #2 put lock v8 5_1\n"
          "210 refused #2         | ask #3 read\n"
          "220 found #3 absent v9 | lost; settled\n"),
    STORY(repeated_and_foreign_answers_are_ignored,
          "holding\n"
          "60 applied #1 v99\n" /* twice */
          "70 refused #1\n"
          "200 clock | ask #2 put lock v8 5_1\n"
          "210 applied #7 v99\n" /* to nothing ever asked */
          "220 applied #2 v9\n"
          "221 applied #2 v9\n"
          "222 refused #2\n"
          "399 clock\n"
          "400 clock | ask #3 put lock v9 5_2\n"),
    /* The answer proves only what was true when the question was asked. */
    STORY(the_right_counts_from_the_sending_not_from_the_answer,
          "claiming\n"
          "300 applied #1 v8 | granted; ask #2 put lock v8 5_1\n"
          "310 unknown #2\n"
          "749 clock         | ask #3 put lock v8 5_1\n"
          "750 clock         | lost; ask #4 delete lock v8\n"),
    /* #2 was given up at 400 and sent again: what is known of it counts for
     * it. */
    STORY(a_late_beat_gives_the_right_of_its_own_sending,
          "holding\n"
          "200 clock         | ask #2 put lock v8 5_1\n"
          "400 clock\n"
          "410 clock         | ask #3 put lock v8 5_1\n"
          "500 applied #2 v9 | ask #4 put lock v9 5_2\n"
          "= right 950\n"
          "510 refused #3\n" /* of a version that is past: no news */
          "520 applied #4 v10\n"
          "= right 1250\n"),
    /* #2 was applied, and nobody heard of it until much later. */
    STORY(an_answer_that_a_later_one_overtook_takes_nothing_back,
          "holding\n"
          "200 clock                        | ask #2 put lock v8 5_1\n"
          "400 clock\n"
          "410 clock                        | ask #3 put lock v8 5_1\n"
          "420 refused #3                   | ask #4 read\n"
          "430 found #4 lock v9 5_1 token 8 | ask #5 put lock v9 5_2\n"
          "440 applied #5 v10\n"
          "= right 1180\n"
          "450 applied #2 v9                | ask #6 put lock v10 5_3\n"
          "= right 1180; version 10; count 2\n"),
    cmocka_unit_test(a_slow_place_keeps_its_holder),
    STORY(a_late_refusal_of_the_version_known_leads_to_a_read,
          "holding\n"
          "200 clock                        | ask #2 put lock v8 5_1\n"
          "400 clock\n"
          "410 clock                        | ask #3 put lock v8 5_1\n"
          "420 refused #2                   | ask #4 read\n"
          "430 refused #3\n" /* while that read is out */
          "440 found #4 lock v9 5_1 token 8 | ask #5 put lock v9 5_2\n"),
    /* A read that was executed before the claim shows a version before it: that
     * is no sign that the place went back. */
    STORY(a_read_from_before_a_late_claim_takes_nothing_away,
          "claiming\n"
          "200 clock\n"
          "210 clock         | ask #2 put lock v7 5_0 new\n"
          /* for a marker that somebody left */
          "220 refused #2    | ask #3 read\n"
          "230 applied #1 v8 | granted; ask #4 put lock v8 5_1\n"
          "240 found #3 absent v7\n"
          "= state held\n"),
    cmocka_unit_test(more_writes_than_are_remembered_do_no_harm),
    STORY(a_claim_whose_right_is_over_beats_before_it_is_granted,
          "claiming\n"
          "750 applied #1 v8 | ask #2 put lock v8 5_1\n"
          "800 applied #2 v9 | granted\n"
          "= token 8; right 1500\n"),
    STORY(nothing_is_granted_that_could_not_be_beaten_in_time,
          "claiming\n"
          "mark\n"
          /* 325 + 325 + a grace of 100 are the 750 that the right lasts. */
          "325 applied #1 v8 | ask #2 put lock v8 5_1\n"
          "back\n"
          "324 applied #1 v8 | granted; ask #2 put lock v8 5_1\n"),
    STORY(a_confirming_beat_that_comes_too_late_is_sent_again,
          "confirming\n"
          /* as late again, and its grace is lost */
          "1075 applied #2 v9  | ask #3 put lock v9 5_2\n"
          "1399 applied #3 v10 | granted; ask #4 put lock v10 5_3\n"),
    STORY(a_takeover_lock_is_lost_when_its_right_is_over,
          "holding\n"
          "200 clock         | ask #2 put lock v8 5_1\n"
          "400 clock\n"
          "410 clock         | ask #3 put lock v8 5_1\n"
          "610 clock\n"
          "630 clock         | ask #4 put lock v8 5_1\n"
          "= deadline 750\n"
          "749 clock\n"
          "750 clock         | lost; ask #5 delete lock v8\n"
          /* to a question long given up */
          "751 found #4 lock v9 5_1 token 8\n"
          "760 applied #5 v9 | settled\n"),
    STORY(an_applied_answer_never_revives_a_right_that_is_over,
          "holding\n"
          "600 clock          | ask #2 put lock v8 5_1\n"
          "750 applied #2 v9  | lost; ask #4 delete lock v9\n"
          "780 applied #4 v10 | settled\n"),
    STORY(a_frozen_takeover_holder_learns_at_once_that_it_lost,
          "holding\n"
          "1000000 clock                 | lost; ask #2 delete lock v8\n"
          "1000010 refused #2            | ask #3 read\n"
          "1000020 found #3 lock v70 6_0 | settled\n"),
    STORY(a_refuse_lock_past_its_right_is_in_doubt_and_goes_on_beating,
          "start refuse\n"
          "holding\n"
          "700 clock         | ask #2 put lock v8 5_1\n"
          "701 unavailable #2\n"
          "750 clock         | in doubt; ask #3 put lock v8 5_1\n"
          "800 clock\n"
          "810 applied #4 v9\n"
          "= state in doubt\n"
          "820 applied #3 v9 | certain\n"
          "= right 1500\n"),
    /* The doubt is told even when it ends in the same instant: a caller may
     * have asked in between. */
    STORY(a_frozen_refuse_holder_is_told_of_the_doubt_that_is_over,
          "start refuse\n"
          "holding\n"
          "700 clock              | ask #2 put lock v8 5_1\n"
          "800 applied #2 v9      | in doubt; certain\n"
          "1000000 clock          | in doubt; ask #3 put lock v9 5_2\n"
          /* its own right is over as well */
          "2000000 applied #3 v10 | ask #4 put lock v10 5_3\n"
          "2000010 applied #4 v11 | certain\n"),
    STORY(a_lock_in_doubt_is_lost_only_when_a_read_shows_it,
          "start refuse\n"
          "holding\n"
          "750 clock                 | in doubt; ask #2 put lock v8 5_1\n"
          "760 refused #2            | ask #3 read\n"
          "770 found #3 nothing\n"
          "780 clock                 | ask #4 read\n"
          "790 found #4 lock v20 6_0 | lost; settled\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
