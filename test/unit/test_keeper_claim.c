#include "unit/support/keeper_bench.h"

static void
an_unknown_claim_is_sent_again_with_pauses_that_grow(void **state)
{
    struct bench b = claiming(&quick);

    (void)state;
    step(&b, unknown(10, 1));
    step(&b, at_clock(19));
    step(&b, at_clock(20));
    step(&b, unknown(30, 2));
    step(&b, at_clock(50));
    step(&b, at_clock(249));
    step(&b, at_clock(250)); /* overdue */
    step(&b, at_clock(289));
    step(&b, at_clock(290));
    EXPECT_TRACE(&b.tale, "20 ask #2 put lock v7 5_0 new\n"
                          "50 ask #3 put lock v7 5_0 new\n"
                          "290 ask #4 put lock v7 5_0 new\n");
}

static void
an_unknown_claim_that_had_not_applied_is_granted_later(void **state)
{
    struct bench b = claiming(&quick);

    (void)state;
    step(&b, unknown(10, 1));
    step(&b, at_clock(20));
    step(&b, applied(30, 2, 8));
    assert_int_equal(b.keeper.right_until.ms, 770);
    EXPECT_TRACE(&b.tale, "20 ask #2 put lock v7 5_0 new\n"
                          "30 granted\n");
}

static void
an_unknown_claim_that_had_applied_beats_before_it_is_granted(void **state)
{
    struct bench b = claiming(&quick);

    (void)state;
    step(&b, unknown(10, 1));
    step(&b, at_clock(20));
    step(&b, refused(30, 2));
    step(&b, found_mine(40, 3, 8, 0));
    assert_int_equal(b.keeper.state, HF_KEEPER_CONFIRMING);
    step(&b, applied(50, 4, 9));
    assert_int_equal(b.keeper.token, 8);
    assert_int_equal(b.keeper.right_until.ms, 790);
    EXPECT_TRACE(&b.tale, "20 ask #2 put lock v7 5_0 new\n"
                          "30 ask #3 read\n"
                          "40 ask #4 put lock v8 5_1\n"
                          "50 granted\n");
}

/* #2 is the same claim, sent again; it can only be refused. */
static void
a_claim_whose_answer_comes_late_is_granted_from_its_own_sending(void **state)
{
    struct bench b = claiming(&quick);

    (void)state;
    step(&b, at_clock(200));
    step(&b, at_clock(210));
    step(&b, applied(220, 1, 8));
    step(&b, refused(230, 2));
    assert_int_equal(b.keeper.state, HF_KEEPER_HELD);
    assert_int_equal(b.keeper.token, 8);
    assert_int_equal(b.keeper.right_until.ms, 750);
    EXPECT_TRACE(&b.tale, "210 ask #2 put lock v7 5_0 new\n"
                          "220 granted\n"
                          "220 ask #3 put lock v8 5_1\n");
}

/* Every answer comes late: it is the refusals that tell that somebody else was
 * first, and #2 may not be taken for settled by that of #1. */
static void
a_claim_refused_late_is_settled_by_a_read(void **state)
{
    struct bench b = claiming(&quick);
    struct bench marked = b;

    (void)state;
    step(&b, at_clock(200));
    step(&b, at_clock(210));
    step(&b, refused(220, 1));
    step(&b, found_theirs(230, 3, 8));
    EXPECT_TRACE(&b.tale, "210 ask #2 put lock v7 5_0 new\n"
                          "220 ask #3 read\n"
                          "230 not mine\n");

    step(&marked, at_clock(200));
    step(&marked, at_clock(210));
    step(&marked, refused(220, 1));
    step(&marked, found_theirs(230, 3, 7)); /* #2 may yet apply */
    step(&marked, at_clock(250));
    EXPECT_TRACE(&marked.tale, "210 ask #2 put lock v7 5_0 new\n"
                               "220 ask #3 read\n"
                               "250 ask #4 put lock v7 5_0 new\n");
}

static void
a_claim_lost_to_another_is_not_mine(void **state)
{
    struct bench b = claiming(&quick);

    (void)state;
    step(&b, unknown(10, 1));
    step(&b, at_clock(20));
    step(&b, refused(30, 2));
    step(&b, found_theirs(40, 3, 12));
    step(&b, at_clock(5000));
    EXPECT_TRACE(&b.tale, "20 ask #2 put lock v7 5_0 new\n"
                          "30 ask #3 read\n"
                          "40 not mine\n");
    assert_int_equal(b.keeper.state, HF_KEEPER_IDLE);
}

static void
a_confirming_keeper_that_was_taken_over_is_not_mine(void **state)
{
    struct bench b = confirming(&quick);

    (void)state;
    step(&b, refused(760, 2));
    step(&b, found_theirs(770, 3, 12));
    EXPECT_TRACE(&b.tale, "760 ask #3 read\n"
                          "770 not mine\n");
}

static void
a_claim_refused_while_its_version_stands_is_not_mine(void **state)
{
    struct bench b = {0};

    (void)state;
    hf_keeper_init(&b.keeper, &quick);
    step(&b, claim(0, 7, 3));
    step(&b, refused(10, 1));
    step(&b, found_theirs(20, 2, 7));
    EXPECT_TRACE(&b.tale,
                 "0 ask #1 put lock v7 5_0 new, put marker 3 absent new\n"
                 "10 ask #2 read\n"
                 "20 not mine\n");
}

/* Something unsettled may still apply at that version: no walking away. */
static void
an_unsettled_claim_is_repeated_while_its_version_stands(void **state)
{
    struct bench b = {0};

    (void)state;
    hf_keeper_init(&b.keeper, &quick);
    step(&b, claim(0, 7, 3));
    step(&b, unknown(5, 1));
    step(&b, at_clock(15));
    step(&b, refused(20, 2));
    step(&b, found_theirs(30, 3, 7));
    step(&b, at_clock(49));
    step(&b, at_clock(50));
    EXPECT_TRACE(&b.tale,
                 "0 ask #1 put lock v7 5_0 new, put marker 3 absent new\n"
                 "15 ask #2 put lock v7 5_0 new, put marker 3 absent new\n"
                 "20 ask #3 read\n"
                 "50 ask #4 put lock v7 5_0 new, put marker 3 absent new\n");
}

static void
a_keeper_whose_claim_was_not_mine_can_claim_again(void **state)
{
    struct bench b = claiming(&quick);

    (void)state;
    step(&b, refused(10, 1));
    step(&b, found_absent(20, 2, 9));
    step(&b, hf_claim(T(30), (struct hf_claim){77, 9, 0}));
    step(&b, applied(40, 3, 10));
    assert_int_equal(b.keeper.token, 10);
    EXPECT_TRACE(&b.tale, "10 ask #2 read\n"
                          "20 not mine\n"
                          "30 ask #3 put lock v9 77_0 new\n"
                          "40 granted\n");
}

static void
the_marker_of_a_takeover_goes_with_the_first_applied_beat(void **state)
{
    struct bench b = {0};

    (void)state;
    hf_keeper_init(&b.keeper, &quick);
    step(&b, claim(0, 7, 3));
    step(&b, applied(10, 1, 8));
    step(&b, at_clock(200));
    step(&b, unknown(210, 2));
    step(&b, at_clock(220));
    step(&b, applied(230, 3, 9));
    step(&b, at_clock(420));
    EXPECT_TRACE(&b.tale,
                 "0 ask #1 put lock v7 5_0 new, put marker 3 absent new\n"
                 "10 granted\n"
                 "200 ask #2 put lock v8 5_1, erase marker 3 any\n"
                 "220 ask #3 put lock v8 5_1, erase marker 3 any\n"
                 "420 ask #4 put lock v9 5_2\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unknown_claim_is_sent_again_with_pauses_that_grow),
        cmocka_unit_test(
            an_unknown_claim_that_had_not_applied_is_granted_later),
        cmocka_unit_test(
            an_unknown_claim_that_had_applied_beats_before_it_is_granted),
        cmocka_unit_test(
            a_claim_whose_answer_comes_late_is_granted_from_its_own_sending),
        cmocka_unit_test(a_claim_refused_late_is_settled_by_a_read),
        cmocka_unit_test(a_claim_lost_to_another_is_not_mine),
        cmocka_unit_test(a_confirming_keeper_that_was_taken_over_is_not_mine),
        cmocka_unit_test(a_claim_refused_while_its_version_stands_is_not_mine),
        cmocka_unit_test(
            an_unsettled_claim_is_repeated_while_its_version_stands),
        cmocka_unit_test(a_keeper_whose_claim_was_not_mine_can_claim_again),
        cmocka_unit_test(
            the_marker_of_a_takeover_goes_with_the_first_applied_beat),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
