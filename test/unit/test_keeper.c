#include <string.h>

#include "unit/support/keeper_bench.h"

static void
a_granted_keeper_beats_at_its_own_version(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    assert_int_equal(b.keeper.token, 8);
    assert_int_equal(hf_keeper_deadline(&b.keeper).ms, 200);
    step(&b, at_clock(199));
    step(&b, at_clock(200));
    step(&b, applied(220, 2, 9));
    step(&b, at_clock(399));
    step(&b, at_clock(400));
    assert_int_equal(b.keeper.token, 8);
    EXPECT_TRACE(&b.tale, "200 ask #2 put lock v8 5_1\n"
                          "400 ask #3 put lock v9 5_2\n");
}

static void
a_beat_goes_early_when_others_beat_and_it_is_nearly_due(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, hf_event(HF_ON_HINT, T(149)));
    step(&b, hf_event(HF_ON_HINT, T(150)));
    step(&b, hf_event(HF_ON_HINT, T(151)));
    EXPECT_TRACE(&b.tale, "150 ask #2 put lock v8 5_1\n");
}

static void
a_beat_that_carries_something_goes_at_once(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, hf_event(HF_ON_WRITE, T(51)));
    step(&b, hf_event(HF_ON_WRITE, T(52))); /* one is out */
    step(&b, applied(60, 2, 9));
    step(&b, hf_event(HF_ON_WRITE, T(60)));
    step(&b, unknown(70, 3));
    step(&b, hf_event(HF_ON_WRITE, T(71))); /* what failed keeps its pause */
    step(&b, at_clock(80));
    EXPECT_TRACE(&b.tale, "51 ask #2 put lock v8 5_1\n"
                          "60 ask #3 put lock v9 5_2\n"
                          "80 ask #4 put lock v9 5_2\n");
    assert_int_equal(b.keeper.right_until.ms, 801);
}

static void
nothing_is_written_before_it_is_granted_nor_after_it_is_given_back(void **state)
{
    struct bench b = claiming(&quick);

    (void)state;
    step(&b, hf_event(HF_ON_WRITE, T(10)));
    step(&b, applied(50, 1, 8));
    step(&b, release(60));
    step(&b, hf_event(HF_ON_WRITE, T(61)));
    EXPECT_TRACE(&b.tale, "50 granted\n"
                          "60 ask #2 delete lock v8\n");
}

static void
a_beat_with_no_answer_is_sent_again_as_the_same_beat(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, at_clock(200));
    step(&b, at_clock(399));
    step(&b, at_clock(400)); /* overdue: unknown */
    step(&b, at_clock(410));
    step(&b, applied(420, 3, 9));
    step(&b, at_clock(610));
    EXPECT_TRACE(&b.tale, "200 ask #2 put lock v8 5_1\n"
                          "410 ask #3 put lock v8 5_1\n"
                          "610 ask #4 put lock v9 5_2\n");
}

static void
an_unknown_beat_that_applied_is_found_by_a_read(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, at_clock(200));
    step(&b, unknown(210, 2)); /* applied as v9 */
    step(&b, at_clock(220));
    step(&b, refused(230, 3));
    step(&b, found_mine(240, 4, 9, 1));
    step(&b, applied(250, 5, 10));
    assert_int_equal(b.keeper.token, 8);
    EXPECT_TRACE(&b.tale, "200 ask #2 put lock v8 5_1\n"
                          "220 ask #3 put lock v8 5_1\n"
                          "230 ask #4 read\n"
                          "240 ask #5 put lock v9 5_2\n");
    step(&b, at_clock(989)); /* 240 + 750: the right of #5 */
    assert_int_equal(b.keeper.state, HF_KEEPER_HELD);
    step(&b, at_clock(990));
    assert_int_equal(b.keeper.state, HF_KEEPER_SETTLING);
}

/* What a read shows as mine is no right: only the beat after it is. */
static void
a_record_read_as_mine_does_not_extend_the_right(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, at_clock(600));
    step(&b, refused(610, 2));
    step(&b, found_mine(740, 3, 9, 1));
    step(&b, at_clock(749));
    step(&b, at_clock(750));
    EXPECT_TRACE(&b.tale, "600 ask #2 put lock v8 5_1\n"
                          "610 ask #3 read\n"
                          "740 ask #4 put lock v9 5_2\n"
                          "750 lost\n"
                          "750 ask #5 delete lock v9\n");
}

static void
no_number_of_failed_beats_ends_the_loop_while_the_right_lasts(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, at_clock(200));
    step(&b, unavailable(200, 2));
    step(&b, at_clock(210));
    step(&b, unknown(210, 3));
    step(&b, at_clock(230));
    step(&b, unavailable(230, 4));
    step(&b, at_clock(270));
    step(&b, unavailable(270, 5));
    step(&b, at_clock(350));
    step(&b, unavailable(350, 6));
    step(&b, at_clock(510));
    step(&b, unavailable(510, 7));
    step(&b, at_clock(710));
    step(&b, applied(740, 8, 9));
    step(&b, at_clock(909));
    step(&b, at_clock(910));
    EXPECT_TRACE(&b.tale, "200 ask #2 put lock v8 5_1\n"
                          "210 ask #3 put lock v8 5_1\n"
                          "230 ask #4 put lock v8 5_1\n"
                          "270 ask #5 put lock v8 5_1\n"
                          "350 ask #6 put lock v8 5_1\n"
                          "510 ask #7 put lock v8 5_1\n"
                          "710 ask #8 put lock v8 5_1\n"
                          "910 ask #9 put lock v9 5_2\n");
}

static void
a_read_that_fails_is_sent_again(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, at_clock(200));
    step(&b, refused(210, 2));
    step(&b, found_nothing(220, 3));
    step(&b, at_clock(230));
    step(&b, at_clock(554)); /* its call may still be under way */
    step(&b, at_clock(555));
    step(&b, at_clock(575));
    EXPECT_TRACE(&b.tale, "200 ask #2 put lock v8 5_1\n"
                          "210 ask #3 read\n"
                          "230 ask #4 read\n"
                          "575 ask #5 read\n");
}

static void
a_beat_refused_because_of_another_holder_is_lost_and_settled(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, at_clock(200));
    step(&b, refused(210, 2));
    step(&b, found_theirs(220, 3, 12));
    step(&b, at_clock(5000));
    assert_int_equal(hf_keeper_deadline(&b.keeper).ms, HF_NEVER.ms);
    EXPECT_TRACE(&b.tale, "200 ask #2 put lock v8 5_1\n"
                          "210 ask #3 read\n"
                          "220 lost\n"
                          "220 settled\n");
}

static void
a_record_cleared_by_hand_is_lost(void **state)
{
    struct bench b = holding(&careful);

    (void)state;
    step(&b, at_clock(200));
    step(&b, refused(210, 2));
    step(&b, found_absent(220, 3, 9));
    EXPECT_TRACE(&b.tale, "200 ask #2 put lock v8 5_1\n"
                          "210 ask #3 read\n"
                          "220 lost\n"
                          "220 settled\n");
}

static void
repeated_and_foreign_answers_are_ignored(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, applied(60, 1, 99)); /* twice */
    step(&b, refused(70, 1));
    step(&b, at_clock(200));
    step(&b, applied(210, 7, 99)); /* to nothing ever asked */
    step(&b, applied(220, 2, 9));
    step(&b, applied(221, 2, 9));
    step(&b, refused(222, 2));
    step(&b, at_clock(399));
    step(&b, at_clock(400));
    EXPECT_TRACE(&b.tale, "200 ask #2 put lock v8 5_1\n"
                          "400 ask #3 put lock v9 5_2\n");
}

/* The answer proves only what was true when the question was asked. */
static void
the_right_counts_from_the_sending_not_from_the_answer(void **state)
{
    struct bench b = claiming(&quick);

    (void)state;
    step(&b, applied(300, 1, 8));
    step(&b, unknown(310, 2));
    step(&b, at_clock(749));
    step(&b, at_clock(750));
    EXPECT_TRACE(&b.tale, "300 granted\n"
                          "300 ask #2 put lock v8 5_1\n"
                          "749 ask #3 put lock v8 5_1\n"
                          "750 lost\n"
                          "750 ask #4 delete lock v8\n");
}

/* #2 was given up at 400 and sent again: what is known of it counts for it. */
static void
a_late_beat_gives_the_right_of_its_own_sending(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, at_clock(200));
    step(&b, at_clock(400));
    step(&b, at_clock(410));
    step(&b, applied(500, 2, 9));
    assert_int_equal(b.keeper.right_until.ms, 950);
    EXPECT_TRACE(&b.tale, "200 ask #2 put lock v8 5_1\n"
                          "410 ask #3 put lock v8 5_1\n"
                          "500 ask #4 put lock v9 5_2\n");

    step(&b, refused(510, 3)); /* of a version that is past: no news */
    step(&b, applied(520, 4, 10));
    assert_int_equal(b.keeper.right_until.ms, 1250);
    EXPECT_TRACE(&b.tale, "");
}

/* #2 was applied, and nobody heard of it until much later. */
static void
an_answer_that_a_later_one_overtook_takes_nothing_back(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, at_clock(200));
    step(&b, at_clock(400));
    step(&b, at_clock(410));
    step(&b, refused(420, 3));
    step(&b, found_mine(430, 4, 9, 1));
    step(&b, applied(440, 5, 10));
    assert_int_equal(b.keeper.right_until.ms, 1180);
    step(&b, applied(450, 2, 9));
    assert_int_equal(b.keeper.right_until.ms, 1180);
    assert_int_equal(b.keeper.version, 10);
    assert_int_equal(b.keeper.heartbeat.count, 2);
}

/* A place whose every write takes 300 ms is no place that does not answer. */
static void
a_slow_place_keeps_its_holder(void **state)
{
    struct bench b = claiming(&quick);
    int64_t now_ms = 0;

    (void)state;
    for (int i = 0; i < 50; i++) {
        uint64_t number = b.keeper.question.number;
        uint64_t version = b.keeper.version;
        int64_t answered_ms = b.keeper.question.asked_at.ms + 300;

        for (; now_ms < answered_ms; now_ms += 10)
            step(&b, at_clock(now_ms));
        step(&b, applied(now_ms, number, version + 1));
        assert_int_equal(b.keeper.state, HF_KEEPER_HELD);
    }
    assert_null(strstr(b.tale.text, "lost"));
}

static void
a_late_refusal_of_the_version_known_leads_to_a_read(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, at_clock(200));
    step(&b, at_clock(400));
    step(&b, at_clock(410));
    step(&b, refused(420, 2));
    step(&b, refused(430, 3)); /* while that read is out */
    step(&b, found_mine(440, 4, 9, 1));
    EXPECT_TRACE(&b.tale, "200 ask #2 put lock v8 5_1\n"
                          "410 ask #3 put lock v8 5_1\n"
                          "420 ask #4 read\n"
                          "440 ask #5 put lock v9 5_2\n");
}

/* A read that was executed before the claim shows a version before it: that is
 * no sign that the place went back. */
static void
a_read_from_before_a_late_claim_takes_nothing_away(void **state)
{
    struct bench b = claiming(&quick);

    (void)state;
    step(&b, at_clock(200));
    step(&b, at_clock(210));
    step(&b, refused(220, 2)); /* for a marker that somebody left */
    step(&b, applied(230, 1, 8));
    step(&b, found_absent(240, 3, 7));
    assert_int_equal(b.keeper.state, HF_KEEPER_HELD);
    EXPECT_TRACE(&b.tale, "210 ask #2 put lock v7 5_0 new\n"
                          "220 ask #3 read\n"
                          "230 granted\n"
                          "230 ask #4 put lock v8 5_1\n");
}

static void
more_writes_than_are_remembered_do_no_harm(void **state)
{
    struct bench b = holding(&careful);
    uint64_t first;

    (void)state;
    step(&b, at_clock(200));
    first = b.keeper.question.number;
    for (int64_t ms = 200; b.keeper.question.number <= first + 8; ms += 10)
        step(&b, at_clock(ms));
    step(&b, applied(5000, first, 9)); /* fell out: nobody knows its sending */
    assert_int_equal(b.keeper.version, 8);
    step(&b, applied(5010, first + 8, 9));
    assert_int_equal(b.keeper.version, 9);
}

static void
a_claim_whose_right_is_over_beats_before_it_is_granted(void **state)
{
    struct bench b = claiming(&quick);

    (void)state;
    step(&b, applied(750, 1, 8));
    step(&b, applied(800, 2, 9));
    assert_int_equal(b.keeper.token, 8);
    assert_int_equal(b.keeper.right_until.ms, 1500);
    EXPECT_TRACE(&b.tale, "750 ask #2 put lock v8 5_1\n"
                          "800 granted\n");
}

static void
nothing_is_granted_that_could_not_be_beaten_in_time(void **state)
{
    struct bench b = claiming(&quick);
    struct bench just = b;

    (void)state;
    /* 325 + 325 + a grace of 100 are the 750 that the right lasts. */
    step(&b, applied(325, 1, 8));
    EXPECT_TRACE(&b.tale, "325 ask #2 put lock v8 5_1\n");
    step(&just, applied(324, 1, 8));
    EXPECT_TRACE(&just.tale, "324 granted\n"
                             "324 ask #2 put lock v8 5_1\n");
}

static void
a_confirming_beat_that_comes_too_late_is_sent_again(void **state)
{
    struct bench b = confirming(&quick);

    (void)state;
    step(&b, applied(1075, 2, 9)); /* as late again, and its grace is lost */
    step(&b, applied(1399, 3, 10));
    EXPECT_TRACE(&b.tale, "1075 ask #3 put lock v9 5_2\n"
                          "1399 granted\n"
                          "1399 ask #4 put lock v10 5_3\n");
}

static void
a_takeover_lock_is_lost_when_its_right_is_over(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, at_clock(200));
    step(&b, at_clock(400));
    step(&b, at_clock(410));
    step(&b, at_clock(610));
    step(&b, at_clock(630));
    assert_int_equal(hf_keeper_deadline(&b.keeper).ms, 750);
    step(&b, at_clock(749));
    step(&b, at_clock(750));
    step(&b, found_mine(751, 4, 9, 1)); /* to a question long given up */
    step(&b, applied(760, 5, 9));
    EXPECT_TRACE(&b.tale, "200 ask #2 put lock v8 5_1\n"
                          "410 ask #3 put lock v8 5_1\n"
                          "630 ask #4 put lock v8 5_1\n"
                          "750 lost\n"
                          "750 ask #5 delete lock v8\n"
                          "760 settled\n");
}

static void
an_applied_answer_never_revives_a_right_that_is_over(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, at_clock(600));
    step(&b, applied(750, 2, 9));
    step(&b, applied(780, 4, 10));
    EXPECT_TRACE(&b.tale, "600 ask #2 put lock v8 5_1\n"
                          "750 lost\n"
                          "750 ask #4 delete lock v9\n"
                          "780 settled\n");
}

static void
a_frozen_takeover_holder_learns_at_once_that_it_lost(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, at_clock(1000000));
    step(&b, refused(1000010, 2));
    step(&b, found_theirs(1000020, 3, 70));
    EXPECT_TRACE(&b.tale, "1000000 lost\n"
                          "1000000 ask #2 delete lock v8\n"
                          "1000010 ask #3 read\n"
                          "1000020 settled\n");
}

static void
a_refuse_lock_past_its_right_is_in_doubt_and_goes_on_beating(void **state)
{
    struct bench b = holding(&careful);

    (void)state;
    step(&b, at_clock(700));
    step(&b, unavailable(701, 2));
    step(&b, at_clock(750));
    step(&b, at_clock(800));
    step(&b, applied(810, 4, 9));
    EXPECT_TRACE(&b.tale, "700 ask #2 put lock v8 5_1\n"
                          "750 in doubt\n"
                          "750 ask #3 put lock v8 5_1\n");
    assert_int_equal(b.keeper.state, HF_KEEPER_IN_DOUBT);
    step(&b, applied(820, 3, 9));
    assert_int_equal(b.keeper.right_until.ms, 1500);
    EXPECT_TRACE(&b.tale, "820 certain\n");
}

/* The doubt is told even when it ends in the same instant: a caller may have
 * asked in between. */
static void
a_frozen_refuse_holder_is_told_of_the_doubt_that_is_over(void **state)
{
    struct bench b = holding(&careful);

    (void)state;
    step(&b, at_clock(700));
    step(&b, applied(800, 2, 9));
    EXPECT_TRACE(&b.tale, "700 ask #2 put lock v8 5_1\n"
                          "800 in doubt\n"
                          "800 certain\n");
    step(&b, at_clock(1000000));
    step(&b, applied(2000000, 3, 10)); /* its own right is over as well */
    step(&b, applied(2000010, 4, 11));
    EXPECT_TRACE(&b.tale, "1000000 in doubt\n"
                          "1000000 ask #3 put lock v9 5_2\n"
                          "2000000 ask #4 put lock v10 5_3\n"
                          "2000010 certain\n");
}

static void
a_lock_in_doubt_is_lost_only_when_a_read_shows_it(void **state)
{
    struct bench b = holding(&careful);

    (void)state;
    step(&b, at_clock(750));
    step(&b, refused(760, 2));
    step(&b, found_nothing(770, 3));
    step(&b, at_clock(780));
    step(&b, found_theirs(790, 4, 20));
    EXPECT_TRACE(&b.tale, "750 in doubt\n"
                          "750 ask #2 put lock v8 5_1\n"
                          "760 ask #3 read\n"
                          "780 ask #4 read\n"
                          "790 lost\n"
                          "790 settled\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_granted_keeper_beats_at_its_own_version),
        cmocka_unit_test(
            a_beat_goes_early_when_others_beat_and_it_is_nearly_due),
        cmocka_unit_test(a_beat_that_carries_something_goes_at_once),
        cmocka_unit_test(
            nothing_is_written_before_it_is_granted_nor_after_it_is_given_back),
        cmocka_unit_test(a_beat_with_no_answer_is_sent_again_as_the_same_beat),
        cmocka_unit_test(an_unknown_beat_that_applied_is_found_by_a_read),
        cmocka_unit_test(a_record_read_as_mine_does_not_extend_the_right),
        cmocka_unit_test(
            no_number_of_failed_beats_ends_the_loop_while_the_right_lasts),
        cmocka_unit_test(a_read_that_fails_is_sent_again),
        cmocka_unit_test(
            a_beat_refused_because_of_another_holder_is_lost_and_settled),
        cmocka_unit_test(a_record_cleared_by_hand_is_lost),
        cmocka_unit_test(repeated_and_foreign_answers_are_ignored),
        cmocka_unit_test(the_right_counts_from_the_sending_not_from_the_answer),
        cmocka_unit_test(a_late_beat_gives_the_right_of_its_own_sending),
        cmocka_unit_test(
            an_answer_that_a_later_one_overtook_takes_nothing_back),
        cmocka_unit_test(a_slow_place_keeps_its_holder),
        cmocka_unit_test(a_late_refusal_of_the_version_known_leads_to_a_read),
        cmocka_unit_test(a_read_from_before_a_late_claim_takes_nothing_away),
        cmocka_unit_test(more_writes_than_are_remembered_do_no_harm),
        cmocka_unit_test(
            a_claim_whose_right_is_over_beats_before_it_is_granted),
        cmocka_unit_test(nothing_is_granted_that_could_not_be_beaten_in_time),
        cmocka_unit_test(a_confirming_beat_that_comes_too_late_is_sent_again),
        cmocka_unit_test(a_takeover_lock_is_lost_when_its_right_is_over),
        cmocka_unit_test(an_applied_answer_never_revives_a_right_that_is_over),
        cmocka_unit_test(a_frozen_takeover_holder_learns_at_once_that_it_lost),
        cmocka_unit_test(
            a_refuse_lock_past_its_right_is_in_doubt_and_goes_on_beating),
        cmocka_unit_test(
            a_frozen_refuse_holder_is_told_of_the_doubt_that_is_over),
        cmocka_unit_test(a_lock_in_doubt_is_lost_only_when_a_read_shows_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
