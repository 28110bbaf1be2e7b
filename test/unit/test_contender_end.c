#include <string.h>

#include "unit/support/contender_script.h"

static void
a_place_that_never_answers_is_unavailable_however_short_the_beat(void **state)
{
    int64_t at_ms = 0;

    (void)state;
    PLAY("start beat 20\n"
         "looking\n");
    while (scripted_contender.state != HF_CONTENDER_ENDED && at_ms < 5000) {
        at_ms = hf_contender_deadline(&scripted_contender).ms;
        contender_gives(at_clock(at_ms));
    }
    PLAY_ON("= ended HF_E_UNAVAILABLE not held\n");
    assert_true(at_ms >= 2000); /* a busy machine may be silent for a while */
}

static void
a_place_that_comes_back_is_forgiven(void **state)
{
    uint64_t version;

    (void)state;
    PLAY("watching\n");
    for (uint64_t i = 2; i < 20; i++) {
        int64_t at_ms = hf_contender_deadline(&scripted_contender).ms;

        contender_gives(at_clock(at_ms));
        contender_gives(found_nothing(at_ms, i));
        assert_false(hf_contender_watching(&scripted_contender, &version));
        contender_gives(
            hf_event(HF_ON_HINT, T(at_ms + 1))); /* keeps its pauses */
        assert_int_equal(scripted_contender.keeper.question.number, i);
    }
    PLAY_ON("4000 clock             | ask #20 read\n"
            "4010 found #20 absent v9 | ask #21 put lock v9 id1_0 new\n"
            "4020 applied #21 v10    | granted\n"
            "4020 check | granted\n");
}

/* A place that can be read and not written must not outlast the limit. */
static void
claims_that_surely_do_nothing_end_at_the_limit(void **state)
{
    (void)state;
    PLAY("start limit 700\n"
         "claiming\n"
         "10 unavailable #2\n");
    while (scripted_contender.state == HF_CONTENDER_CLAIMING) {
        int64_t at_ms = hf_contender_deadline(&scripted_contender).ms;
        uint64_t number;

        assert_true(at_ms <= 700);
        assert_null(strstr(contender_gives(at_clock(at_ms)), "delete"));
        number = scripted_contender.keeper.question.number;
        assert_null(
            strstr(contender_gives(unavailable(at_ms, number)), "delete"));
    }
    PLAY_ON("= ended HF_E_UNAVAILABLE not held\n");
}

static const struct CMUnitTest tests[] = {
    STORY(a_place_that_never_answers_is_unavailable_soon,
          "looking\n"
          "1 found #1 nothing\n"
          "11 clock             | ask #2 read\n"
          "12 found #2 nothing\n"
          "32 clock             | ask #3 read\n"
          "33 found #3 nothing\n"
          "73 clock             | ask #4 read\n"
          "74 found #4 nothing\n"
          "154 clock            | ask #5 read\n"
          "155 found #5 nothing | ended\n"
          "= ended HF_E_UNAVAILABLE not held\n"),
    cmocka_unit_test(
        a_place_that_never_answers_is_unavailable_however_short_the_beat),
    cmocka_unit_test(a_place_that_comes_back_is_forgiven),
    STORY(a_place_that_is_away_at_the_limit_is_unavailable,
          "start limit 600\n"
          "watching\n"
          "210 clock | ask #2 read\n"
          "220 found #2 nothing\n"
          "600 clock | ended\n"
          "= ended HF_E_UNAVAILABLE not held\n"),
    STORY(a_value_that_is_not_ours_ends_the_wait,
          "looking\n"
          "10 found #1 corrupt v7   | ended\n"
          "= ended HF_E_CORRUPT not held\n"
          "start\n"
          "watching\n"
          /* unchanged: but corrupt is never dead */
          "5000 clock               | ask #2 read\n"
          "5010 found #2 corrupt v7 | ended\n"
          "= ended HF_E_CORRUPT not held\n"),
    STORY(late_and_foreign_answers_are_ignored,
          "looking\n"
          "1 applied #1 v9\n" /* a write's answer to a read */
          "325 clock\n"       /* given up */
          "335 clock                | ask #2 read\n"
          "336 found #1 absent v7\n"
          "337 found #9 absent v7\n"
          "340 found #2 lock v8 8_0 | waiting\n"
          "341 found #2 absent v7\n"),
    /* Its first answer is late, and the limit comes before its call is over. */
    STORY(a_place_that_is_silent_ends_the_wait_at_its_limit,
          "start limit 250\n"
          "looking\n"
          "200 clock\n"
          "= deadline 250\n"
          "250 clock | ended\n"
          "= ended HF_E_UNAVAILABLE not held\n"),
    STORY(what_does_not_fit_the_state_is_ignored,
          "claiming\n"
          "11 evidence v7 gone\n"
          "12 hint\n"
          "13 found #1 absent v7\n"
          "20 applied #2 v8 | granted\n"
          "21 evidence v8 gone\n"
          "22 release       | ask #3 delete lock v8\n"
          "30 applied #3 v9 | ended\n"
          "31 release\n"
          "32 hint\n"
          "33 abandon\n"
          "5000 clock\n"
          "= ended HF_OK not held\n"),
    STORY(a_claim_on_its_way_at_the_limit_gets_its_answer,
          "start limit 100\n"
          "claiming\n"
          "100 clock\n"
          "150 applied #2 v8 | granted\n"
          "150 check         | granted\n"),
    STORY(an_unsettled_claim_is_settled_at_the_limit,
          "start limit 100\n"
          "claiming\n"
          "20 unknown #2\n"
          "30 clock                   | ask #3 put lock v7 id1_0 new\n"
          "40 unknown #3\n"
          "= deadline 60\n"
          "60 clock                   | ask #4 put lock v7 id1_0 new\n"
          "= deadline 100\n"
          "100 clock                  | ask #5 delete lock v7\n"
          "100 check                  | not held\n"
          /* #4 was applied before it */
          "120 refused #5             | ask #6 read\n"
          "130 found #6 lock v8 id1_0 | ask #7 delete lock v8\n"
          "140 applied #7 v9          | ended\n"
          "= ended HF_E_UNAVAILABLE not held; too-slow 0\n"),
    STORY(a_claim_without_right_is_given_up_at_the_limit,
          "start limit 800\n"
          "claiming\n"
          /* its right ended at 760 */
          "790 applied #2 v8 | ask #3 put lock v8 id1_1\n"
          "800 clock         | ask #4 delete lock v8\n"
          "810 applied #4 v9 | ended\n"
          "= ended HF_E_UNAVAILABLE not held; too-slow 780\n"),
    cmocka_unit_test(claims_that_surely_do_nothing_end_at_the_limit),
    STORY(cancel_ends_a_wait_at_once, "0 cancel | ended\n"
                                      "= ended HF_E_CANCELLED not held\n"
                                      "start\n"
                                      "looking\n"
                                      "5 cancel | ended\n"
                                      "10 found #1 absent v7\n"
                                      "= ended HF_E_CANCELLED not held\n"
                                      "start\n"
                                      "watching\n"
                                      "20 cancel | ended\n"
                                      "= ended HF_E_CANCELLED not held\n"),
    STORY(cancel_settles_a_claim_that_is_out,
          "claiming\n"
          "15 cancel         | ask #3 delete lock v7\n"
          "16 cancel\n"
          /* too late to be granted */
          "20 applied #2 v8  | ask #4 delete lock v8\n"
          "220 clock\n" /* the delete is overdue */
          "230 clock         | ask #5 delete lock v8\n"
          "235 applied #5 v9 | ended\n"
          "= ended HF_E_CANCELLED not held\n"),
    STORY(cancel_ends_at_once_when_the_claim_surely_did_nothing,
          "claiming\n"
          "15 unavailable #2\n"
          "16 cancel | ended\n"
          "= ended HF_E_CANCELLED not held\n"),
    STORY(abandon_says_whether_something_may_be_left_behind,
          "watching\n"
          "30 abandon   | ended\n"
          "= ended HF_E_CANCELLED not held\n"
          "start\n"
          "claiming\n"
          "30 abandon   | ended\n"
          "= ended HF_E_UNKNOWN not held\n"
          "start\n"
          "holding\n"
          "5000 abandon | ended\n"
          "= ended HF_E_UNKNOWN not held\n"
          "5000 check   | not held\n"
          "start\n"
          "holding\n"
          "25 release   | ask #3 delete lock v8\n"
          "30 abandon   | ended\n"
          "= ended HF_E_UNKNOWN not held\n"),
    STORY(a_release_ends_when_its_delete_is_settled,
          "holding\n"
          "30 release            | ask #3 delete lock v8\n"
          "30 check              | not held\n"
          "40 unknown #3\n"
          "50 clock              | ask #4 delete lock v8\n"
          "60 refused #4         | ask #5 read\n"
          "70 found #5 absent v9 | ended\n"
          "= ended HF_OK not held\n"),
    STORY(a_takeover_lock_past_its_right_is_lost_at_the_very_call,
          "holding\n"
          "759 check     | granted\n"
          "760 check     | lost\n"
          "1000000 check | lost\n"),
    /* Frozen, told LOST by the clock, then every kind of late good news. */
    STORY(once_lost_it_is_never_granted_again,
          "holding\n"
          "mark\n"
          "700 clock                  | ask #3 put lock v8 id1_1\n"
          "800 check                  | lost\n"
          "800 applied #3 v9          | lost; ask #5 delete lock v9\n"
          "801 check                  | lost\n"
          "810 refused #5             | ask #6 read\n"
          "820 found #6 lock v9 id1_0 | ask #7 delete lock v9\n"
          "821 check                  | lost\n"
          "830 release\n"
          "840 applied #7 v10         | ended\n"
          "841 check                  | lost\n"
          "= ended HF_OK lost\n"
          "back\n"
          "5000 release               | lost; ask #3 delete lock v8\n"
          "5000 check                 | lost\n"),
    STORY(a_holder_whose_record_was_taken_is_lost_and_done,
          "holding\n"
          "210 clock                  | ask #3 put lock v8 id1_1\n"
          "220 refused #3             | ask #4 read\n"
          "230 found #4 lock v30 30_0 | lost; ended\n"
          "231 check                  | lost\n"
          "= ended HF_OK lost\n"),
    STORY(a_refuse_lock_past_its_right_is_in_doubt_and_comes_back,
          "start refuse\n"
          "holding\n"
          "760 check         | in doubt\n"
          "760 clock         | in doubt; ask #3 put lock v8 id1_1\n"
          "760 check         | in doubt\n"
          "770 applied #3 v9 | certain\n"
          "770 check         | granted\n"),
    STORY(a_refuse_lock_in_doubt_is_lost_when_a_person_cleared_it,
          "start refuse\n"
          "holding\n"
          "760 clock               | in doubt; ask #3 put lock v8 id1_1\n"
          "770 refused #3          | ask #4 read\n"
          "780 found #4 absent v10 | lost; ended\n"
          "780 check               | lost\n"
          "= ended HF_OK lost\n"),
    STORY(a_hint_makes_a_held_lock_beat_when_it_is_nearly_due,
          "holding\n"
          "159 hint\n"
          "160 hint | ask #3 put lock v8 id1_1\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
