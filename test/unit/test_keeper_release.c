#include "unit/support/keeper_bench.h"

static void
a_release_stops_beating_and_deletes_at_my_version(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, release(60));
    step(&b, release(61));
    step(&b, applied(70, 2, 9));
    step(&b, at_clock(5000));
    step(&b, release(5001));
    EXPECT_TRACE(&b.tale, "60 ask #2 delete lock v8\n"
                          "70 settled\n");
    assert_int_equal(hf_keeper_deadline(&b.keeper).ms, HF_NEVER.ms);
}

static void
a_release_erases_the_marker_that_is_left(void **state)
{
    struct bench b = {0};

    (void)state;
    hf_keeper_init(&b.keeper, &quick);
    step(&b, claim(0, 7, 3));
    step(&b, applied(10, 1, 8));
    step(&b, release(20));
    EXPECT_TRACE(&b.tale,
                 "0 ask #1 put lock v7 5_0 new, put marker 3 absent new\n"
                 "10 granted\n"
                 "20 ask #2 delete lock v8, erase marker 3 any\n");
}

/* A beat that was out applies before the delete: delete what it left. */
static void
a_release_overtaken_by_its_own_beat_deletes_at_the_new_version(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, at_clock(200));
    step(&b, release(210));
    step(&b, applied(215, 2, 9));
    step(&b, refused(220, 3));
    step(&b, applied(240, 4, 10));
    EXPECT_TRACE(&b.tale, "200 ask #2 put lock v8 5_1\n"
                          "210 ask #3 delete lock v8\n"
                          "215 ask #4 delete lock v9\n"
                          "240 settled\n");
}

static void
an_unknown_delete_is_repeated_until_it_is_settled(void **state)
{
    struct bench b = holding(&quick);
    struct bench had_applied;

    (void)state;
    step(&b, release(60));
    step(&b, unknown(70, 2));
    step(&b, at_clock(80));
    step(&b, at_clock(280)); /* overdue */
    step(&b, at_clock(300));
    EXPECT_TRACE(&b.tale, "60 ask #2 delete lock v8\n"
                          "80 ask #3 delete lock v8\n"
                          "300 ask #4 delete lock v8\n");
    had_applied = b;

    step(&b, applied(310, 4, 9));
    EXPECT_TRACE(&b.tale, "310 settled\n");

    step(&had_applied, refused(310, 4));
    step(&had_applied, found_absent(320, 5, 9));
    EXPECT_TRACE(&had_applied.tale, "310 ask #5 read\n"
                                    "320 settled\n");
}

static void
nobody_elses_record_is_touched_by_a_release(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, release(60));
    step(&b, refused(70, 2));
    step(&b, found_theirs(80, 3, 30));
    step(&b, at_clock(5000));
    EXPECT_TRACE(&b.tale, "60 ask #2 delete lock v8\n"
                          "70 ask #3 read\n"
                          "80 settled\n");
}

static void
a_claim_given_up_while_it_is_out_is_settled_at_its_version(void **state)
{
    struct bench b = claiming(&quick);
    struct bench had_applied;

    (void)state;
    step(&b, release(10));
    EXPECT_TRACE(&b.tale, "10 ask #2 delete lock v7\n");
    had_applied = b;

    step(&b, applied(20, 1, 8)); /* no right any more: delete that */
    step(&b, applied(30, 3, 9));
    EXPECT_TRACE(&b.tale, "20 ask #3 delete lock v8\n"
                          "30 settled\n");

    step(&had_applied, refused(30, 2));
    step(&had_applied, found_mine(40, 3, 8, 0));
    step(&had_applied, applied(50, 4, 9));
    EXPECT_TRACE(&had_applied.tale, "30 ask #3 read\n"
                                    "40 ask #4 delete lock v8\n"
                                    "50 settled\n");
}

static void
a_claim_given_up_after_an_unknown_answer_is_settled(void **state)
{
    struct bench b = claiming(&quick);

    (void)state;
    step(&b, unknown(10, 1));
    step(&b, release(12));
    step(&b, at_clock(211));
    step(&b, at_clock(212)); /* overdue */
    step(&b, at_clock(232));
    EXPECT_TRACE(&b.tale, "12 ask #2 delete lock v7\n"
                          "232 ask #3 delete lock v7\n");
}

/* Of a file that somebody keeps locked: nothing is to be undone. */
static void
a_claim_that_surely_did_nothing_needs_no_settling(void **state)
{
    struct bench b = claiming(&quick);
    struct bench refusal = b;

    (void)state;
    step(&b, release(10));
    step(&b, unavailable(20, 1));
    EXPECT_TRACE(&b.tale, "10 ask #2 delete lock v7\n"
                          "20 settled\n");

    step(&refusal, release(10));
    step(&refusal, refused(20, 1));
    EXPECT_TRACE(&refusal.tale, "10 ask #2 delete lock v7\n"
                                "20 settled\n");
}

/* The first sending was lost; the second surely did nothing; the first may
 * still apply. */
static void
an_unavailable_answer_does_not_settle_an_earlier_unknown(void **state)
{
    struct bench b = claiming(&quick);

    (void)state;
    step(&b, unknown(10, 1));
    step(&b, at_clock(20));
    step(&b, unavailable(21, 2));
    step(&b, release(22));
    EXPECT_TRACE(&b.tale, "20 ask #2 put lock v7 5_0 new\n"
                          "22 ask #3 delete lock v7\n");
}

/* #1 and #2 are out, and either may be the one that applies. */
static void
one_claim_that_surely_did_nothing_does_not_settle_another(void **state)
{
    struct bench b = claiming(&quick);

    (void)state;
    step(&b, at_clock(200));
    step(&b, at_clock(210));
    step(&b, release(220));
    step(&b, unavailable(230, 2));
    EXPECT_TRACE(&b.tale, "210 ask #2 put lock v7 5_0 new\n"
                          "220 ask #3 delete lock v7\n");
    step(&b, unavailable(240, 1));
    EXPECT_TRACE(&b.tale, "240 settled\n");
}

/* Five were sent, four are remembered, and those four surely did nothing. */
static void
a_claim_that_is_no_longer_remembered_is_settled_all_the_same(void **state)
{
    struct bench b = claiming(&quick);
    uint64_t last = 1 + HF_INFLIGHT_MAX;
    int64_t ms = 0;

    (void)state;
    for (; b.keeper.question.number < last; ms += 10)
        step(&b, at_clock(ms));
    for (uint64_t number = 2; number <= last; number++)
        step(&b, unavailable(ms, number));
    b.tale = (struct tale){0};
    step(&b, release(10000));
    step(&b, unavailable(10001, last + 1));
    assert_int_equal(b.keeper.state, HF_KEEPER_SETTLING);
    EXPECT_TRACE(&b.tale, "10000 ask #6 delete lock v7\n");
}

/* It was given up at 260 and sent again; the lock is free all the same. */
static void
a_delete_whose_answer_comes_late_settles(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, release(60));
    step(&b, at_clock(260));
    step(&b, at_clock(270));
    step(&b, applied(280, 2, 9));
    step(&b, refused(290, 3));
    EXPECT_TRACE(&b.tale, "60 ask #2 delete lock v8\n"
                          "270 ask #3 delete lock v8\n"
                          "280 settled\n");
}

static void
a_takeover_given_up_deletes_the_dead_record_and_the_marker(void **state)
{
    struct bench b = {0};

    (void)state;
    hf_keeper_init(&b.keeper, &quick);
    step(&b, claim(0, 7, 3));
    step(&b, release(10));
    step(&b, applied(20, 2, 8));
    EXPECT_TRACE(&b.tale,
                 "0 ask #1 put lock v7 5_0 new, put marker 3 absent new\n"
                 "10 ask #2 delete lock v7, erase marker 3 any\n"
                 "20 settled\n");
}

static void
a_claim_that_surely_did_nothing_is_given_up_at_once(void **state)
{
    struct bench b = claiming(&quick);

    (void)state;
    step(&b, unavailable(10, 1));
    step(&b, release(12));
    step(&b, at_clock(5000));
    EXPECT_TRACE(&b.tale, "12 settled\n");
}

static void
a_refused_claim_is_given_up_at_once(void **state)
{
    struct bench b = claiming(&quick);

    (void)state;
    step(&b, refused(10, 1));
    step(&b, release(12));
    step(&b, found_theirs(20, 2, 12));
    EXPECT_TRACE(&b.tale, "10 ask #2 read\n"
                          "12 settled\n");
}

static void
a_confirming_keeper_deletes_its_record(void **state)
{
    struct bench b = confirming(&quick);

    (void)state;
    step(&b, release(760));
    step(&b, applied(770, 3, 9));
    EXPECT_TRACE(&b.tale, "760 ask #3 delete lock v8\n"
                          "770 settled\n");
}

static void
a_keeper_in_doubt_deletes_its_record(void **state)
{
    struct bench b = holding(&careful);

    (void)state;
    step(&b, at_clock(750));
    step(&b, release(760));
    step(&b, applied(770, 3, 9));
    EXPECT_TRACE(&b.tale, "750 in doubt\n"
                          "750 ask #2 put lock v8 5_1\n"
                          "760 ask #3 delete lock v8\n"
                          "770 settled\n");
}

static void
a_release_after_the_right_is_over_says_lost_and_settles_once(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, release(2000));
    step(&b, applied(2010, 2, 9));
    EXPECT_TRACE(&b.tale, "2000 lost\n"
                          "2000 ask #2 delete lock v8\n"
                          "2010 settled\n");
}

static void
settling_is_repeated_while_the_version_stands(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, release(60));
    step(&b, refused(70, 2));
    step(&b, found_absent(80, 3, 8));
    step(&b, at_clock(90));
    EXPECT_TRACE(&b.tale, "60 ask #2 delete lock v8\n"
                          "70 ask #3 read\n"
                          "90 ask #4 delete lock v8\n");
}

static void
settling_outlasts_any_number_of_failures(void **state)
{
    struct bench b = holding(&quick);
    int64_t at_ms = 60;

    (void)state;
    step(&b, release(at_ms));
    for (uint64_t number = 2; number < 200; number++) {
        assert_int_equal(b.keeper.question.number, number);
        step(&b, unavailable(at_ms, number));
        at_ms = hf_keeper_deadline(&b.keeper).ms;
        b.tale = (struct tale){0};
        step(&b, at_clock(at_ms));
    }
    EXPECT_TRACE(&b.tale, "38970 ask #200 delete lock v8\n");
    step(&b, applied(at_ms, 200, 9));
    EXPECT_TRACE(&b.tale, "38970 settled\n");
}

static void
abandon_stops_at_once_in_every_state(void **state)
{
    struct bench benches[5];

    (void)state;
    benches[0] = claiming(&quick);
    benches[1] = confirming(&quick);
    benches[2] = holding(&quick);
    benches[3] = holding(&careful);
    step(&benches[3], at_clock(750));
    benches[4] = holding(&quick);
    step(&benches[4], release(60));

    for (size_t i = 0; i < sizeof(benches) / sizeof(benches[0]); i++) {
        struct bench *b = &benches[i];

        b->tale = (struct tale){0};
        step(b, hf_event(HF_ON_ABANDON, T(760)));
        step(b, applied(770, b->keeper.question.number, 20));
        step(b, at_clock(100000));
        EXPECT_TRACE(&b->tale, "");
        assert_int_equal(b->keeper.state, HF_KEEPER_IDLE);
        assert_int_equal(hf_keeper_deadline(&b->keeper).ms, HF_NEVER.ms);
    }
}

static void
an_abandoned_holder_past_its_right_asks_for_nothing(void **state)
{
    struct bench b = holding(&quick);

    (void)state;
    step(&b, hf_event(HF_ON_ABANDON, T(2000)));
    EXPECT_TRACE(&b.tale, "");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_release_stops_beating_and_deletes_at_my_version),
        cmocka_unit_test(a_release_erases_the_marker_that_is_left),
        cmocka_unit_test(
            a_release_overtaken_by_its_own_beat_deletes_at_the_new_version),
        cmocka_unit_test(an_unknown_delete_is_repeated_until_it_is_settled),
        cmocka_unit_test(nobody_elses_record_is_touched_by_a_release),
        cmocka_unit_test(
            a_claim_given_up_while_it_is_out_is_settled_at_its_version),
        cmocka_unit_test(a_claim_given_up_after_an_unknown_answer_is_settled),
        cmocka_unit_test(a_claim_that_surely_did_nothing_needs_no_settling),
        cmocka_unit_test(
            an_unavailable_answer_does_not_settle_an_earlier_unknown),
        cmocka_unit_test(
            one_claim_that_surely_did_nothing_does_not_settle_another),
        cmocka_unit_test(
            a_claim_that_is_no_longer_remembered_is_settled_all_the_same),
        cmocka_unit_test(a_delete_whose_answer_comes_late_settles),
        cmocka_unit_test(
            a_takeover_given_up_deletes_the_dead_record_and_the_marker),
        cmocka_unit_test(a_claim_that_surely_did_nothing_is_given_up_at_once),
        cmocka_unit_test(a_refused_claim_is_given_up_at_once),
        cmocka_unit_test(a_confirming_keeper_deletes_its_record),
        cmocka_unit_test(a_keeper_in_doubt_deletes_its_record),
        cmocka_unit_test(
            a_release_after_the_right_is_over_says_lost_and_settles_once),
        cmocka_unit_test(settling_is_repeated_while_the_version_stands),
        cmocka_unit_test(settling_outlasts_any_number_of_failures),
        cmocka_unit_test(abandon_stops_at_once_in_every_state),
        cmocka_unit_test(an_abandoned_holder_past_its_right_asks_for_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
