#include <string.h>

#include "unit/support/contender_bench.h"

static void
a_place_that_never_answers_is_unavailable_soon(void **state)
{
    struct bench b = looking(patient);

    (void)state;
    step(&b, found_nothing(1, 1));
    step(&b, at_clock(11));
    step(&b, found_nothing(12, 2));
    step(&b, at_clock(32));
    step(&b, found_nothing(33, 3));
    step(&b, at_clock(73));
    step(&b, found_nothing(74, 4));
    step(&b, at_clock(154));
    step(&b, found_nothing(155, 5));
    EXPECT_TRACE(&b.tale, "11 ask #2 read\n"
                          "32 ask #3 read\n"
                          "73 ask #4 read\n"
                          "154 ask #5 read\n"
                          "155 ended\n");
    EXPECT_ENDED(&b, HF_E_UNAVAILABLE, HF_NOT_HELD);
}

static void
a_place_that_never_answers_is_unavailable_however_short_the_beat(void **state)
{
    struct hf_contender_config config = patient;
    struct bench b;
    int64_t at_ms = 0;

    (void)state;
    config.terms.beat.ms = 20;
    b = looking(config);
    while (b.contender.state != HF_CONTENDER_ENDED && at_ms < 5000) {
        at_ms = hf_contender_deadline(&b.contender).ms;
        step(&b, at_clock(at_ms));
    }
    EXPECT_ENDED(&b, HF_E_UNAVAILABLE, HF_NOT_HELD);
    assert_true(at_ms >= 2000); /* a busy machine may be silent for a while */
}

static void
a_place_that_comes_back_is_forgiven(void **state)
{
    struct bench b = watching(patient, HF_TAKEOVER);
    uint64_t version;

    (void)state;
    for (uint64_t i = 2; i < 20; i++) {
        int64_t at_ms = hf_contender_deadline(&b.contender).ms;

        step(&b, at_clock(at_ms));
        step(&b, found_nothing(at_ms, i));
        assert_false(hf_contender_watching(&b.contender, &version));
        step(&b, hf_event(HF_ON_HINT, T(at_ms + 1))); /* keeps its pauses */
        assert_int_equal(b.contender.keeper.question.number, i);
    }
    step(&b, at_clock(4000));
    step(&b, found_absent(4010, 20, 9));
    step(&b, applied(4020, 21, 10));
    assert_int_equal(check(&b, 4020), HF_GRANTED);
}

static void
a_place_that_is_away_at_the_limit_is_unavailable(void **state)
{
    struct bench b = watching(waiting_up_to(600), HF_TAKEOVER);

    (void)state;
    step(&b, at_clock(210));
    step(&b, found_nothing(220, 2));
    step(&b, at_clock(600));
    EXPECT_ENDED(&b, HF_E_UNAVAILABLE, HF_NOT_HELD);
}

static void
a_value_that_is_not_ours_ends_the_wait(void **state)
{
    struct bench b = looking(patient);
    struct bench later = watching(patient, HF_TAKEOVER);

    (void)state;
    step(&b, found_corrupt(10, 1, 7));
    EXPECT_ENDED(&b, HF_E_CORRUPT, HF_NOT_HELD);
    step(&later, at_clock(5000)); /* unchanged: but corrupt is never dead */
    step(&later, found_corrupt(5010, 2, 7));
    EXPECT_ENDED(&later, HF_E_CORRUPT, HF_NOT_HELD);
}

static void
late_and_foreign_answers_are_ignored(void **state)
{
    struct bench b = looking(patient);

    (void)state;
    step(&b, applied(1, 1, 9)); /* a write's answer to a read */
    step(&b, at_clock(325));    /* given up */
    step(&b, at_clock(335));
    step(&b, found_absent(336, 1, 7));
    step(&b, found_absent(337, 9, 7));
    step(&b, found_held(340, 2, 8, 8, HF_TAKEOVER));
    step(&b, found_absent(341, 2, 7));
    EXPECT_TRACE(&b.tale, "335 ask #2 read\n"
                          "340 waiting\n");
}

/* Its first answer is late, and the limit comes before its call is over. */
static void
a_place_that_is_silent_ends_the_wait_at_its_limit(void **state)
{
    struct bench b = looking(waiting_up_to(250));

    (void)state;
    step(&b, at_clock(200));
    assert_int_equal(hf_contender_deadline(&b.contender).ms, 250);
    step(&b, at_clock(250));
    EXPECT_TRACE(&b.tale, "250 ended\n");
    EXPECT_ENDED(&b, HF_E_UNAVAILABLE, HF_NOT_HELD);
}

static void
what_does_not_fit_the_state_is_ignored(void **state)
{
    struct bench b = claiming(patient);

    (void)state;
    step(&b, hf_processes(T(11), 7, true));
    step(&b, hf_event(HF_ON_HINT, T(12)));
    step(&b, found_absent(13, 1, 7));
    EXPECT_TRACE(&b.tale, "");
    step(&b, applied(20, 2, 8));
    step(&b, hf_processes(T(21), 8, true));
    step(&b, release(22));
    step(&b, applied(30, 3, 9));
    step(&b, release(31));
    step(&b, hf_event(HF_ON_HINT, T(32)));
    step(&b, hf_event(HF_ON_ABANDON, T(33)));
    step(&b, at_clock(5000));
    EXPECT_TRACE(&b.tale, "20 granted\n"
                          "22 ask #3 delete lock v8\n"
                          "30 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_NOT_HELD);
}

static void
a_claim_on_its_way_at_the_limit_gets_its_answer(void **state)
{
    struct bench b = claiming(waiting_up_to(100));

    (void)state;
    step(&b, at_clock(100));
    step(&b, applied(150, 2, 8));
    assert_int_equal(check(&b, 150), HF_GRANTED);
    EXPECT_TRACE(&b.tale, "150 granted\n");
}

static void
an_unsettled_claim_is_settled_at_the_limit(void **state)
{
    struct bench b = claiming(waiting_up_to(100));

    (void)state;
    step(&b, unknown(20, 2));
    step(&b, at_clock(30));
    step(&b, unknown(40, 3));
    assert_int_equal(hf_contender_deadline(&b.contender).ms, 60);
    step(&b, at_clock(60));
    assert_int_equal(hf_contender_deadline(&b.contender).ms, 100);
    step(&b, at_clock(100));
    assert_int_equal(check(&b, 100), HF_NOT_HELD);
    step(&b, refused(120, 5)); /* #4 was applied before it */
    step(&b, found_id(130, 6, 8, UINT64_C(7070836379803831727)));
    step(&b, applied(140, 7, 9));
    EXPECT_TRACE(&b.tale, "30 ask #3 put lock v7 " ID1 "_0 new\n"
                          "60 ask #4 put lock v7 " ID1 "_0 new\n"
                          "100 ask #5 delete lock v7\n"
                          "120 ask #6 read\n"
                          "130 ask #7 delete lock v8\n"
                          "140 ended\n");
    EXPECT_ENDED(&b, HF_E_UNAVAILABLE, HF_NOT_HELD);
    assert_int_equal(b.contender.too_slow.ms, 0);
}

static void
a_claim_without_right_is_given_up_at_the_limit(void **state)
{
    struct bench b = claiming(waiting_up_to(800));

    (void)state;
    step(&b, applied(790, 2, 8)); /* its right ended at 760 */
    step(&b, at_clock(800));
    step(&b, applied(810, 4, 9));
    EXPECT_TRACE(&b.tale, "790 ask #3 put lock v8 " ID1 "_1\n"
                          "800 ask #4 delete lock v8\n"
                          "810 ended\n");
    EXPECT_ENDED(&b, HF_E_UNAVAILABLE, HF_NOT_HELD);
    assert_int_equal(b.contender.too_slow.ms, 780);
}

/* A place that can be read and not written must not outlast the limit. */
static void
claims_that_surely_do_nothing_end_at_the_limit(void **state)
{
    struct bench b = claiming(waiting_up_to(700));

    (void)state;
    step(&b, unavailable(10, 2));
    while (b.contender.state == HF_CONTENDER_CLAIMING) {
        int64_t at_ms = hf_contender_deadline(&b.contender).ms;

        assert_true(at_ms <= 700);
        step(&b, at_clock(at_ms));
        step(&b, unavailable(at_ms, b.contender.keeper.question.number));
    }
    EXPECT_ENDED(&b, HF_E_UNAVAILABLE, HF_NOT_HELD);
    assert_null(strstr(b.tale.text, "delete"));
}

static void
cancel_ends_a_wait_at_once(void **state)
{
    struct bench idle = {0};
    struct bench first = looking(patient);
    struct bench b = watching(patient, HF_TAKEOVER);

    (void)state;
    hf_contender_init(&idle.contender, &patient);
    step(&idle, cancel(0));
    EXPECT_TRACE(&idle.tale, "0 ended\n");
    EXPECT_ENDED(&idle, HF_E_CANCELLED, HF_NOT_HELD);

    step(&first, cancel(5));
    step(&first, found_absent(10, 1, 7));
    EXPECT_TRACE(&first.tale, "5 ended\n");
    EXPECT_ENDED(&first, HF_E_CANCELLED, HF_NOT_HELD);

    step(&b, cancel(20));
    EXPECT_TRACE(&b.tale, "20 ended\n");
    EXPECT_ENDED(&b, HF_E_CANCELLED, HF_NOT_HELD);
}

static void
cancel_settles_a_claim_that_is_out(void **state)
{
    struct bench b = claiming(patient);

    (void)state;
    step(&b, cancel(15));
    step(&b, cancel(16));
    step(&b, applied(20, 2, 8)); /* too late to be granted */
    step(&b, at_clock(220));     /* the delete is overdue */
    step(&b, at_clock(230));
    step(&b, applied(235, 5, 9));
    EXPECT_TRACE(&b.tale, "15 ask #3 delete lock v7\n"
                          "20 ask #4 delete lock v8\n"
                          "230 ask #5 delete lock v8\n"
                          "235 ended\n");
    EXPECT_ENDED(&b, HF_E_CANCELLED, HF_NOT_HELD);
}

static void
cancel_ends_at_once_when_the_claim_surely_did_nothing(void **state)
{
    struct bench b = claiming(patient);

    (void)state;
    step(&b, unavailable(15, 2));
    step(&b, cancel(16));
    EXPECT_TRACE(&b.tale, "16 ended\n");
    EXPECT_ENDED(&b, HF_E_CANCELLED, HF_NOT_HELD);
}

static void
abandon_says_whether_something_may_be_left_behind(void **state)
{
    struct bench waits = watching(patient, HF_TAKEOVER);
    struct bench claims = claiming(patient);
    struct bench holds = holding(patient);
    struct bench leaves = holding(patient);

    (void)state;
    step(&waits, hf_event(HF_ON_ABANDON, T(30)));
    EXPECT_TRACE(&waits.tale, "30 ended\n");
    EXPECT_ENDED(&waits, HF_E_CANCELLED, HF_NOT_HELD);

    step(&claims, hf_event(HF_ON_ABANDON, T(30)));
    EXPECT_TRACE(&claims.tale, "30 ended\n");
    EXPECT_ENDED(&claims, HF_E_UNKNOWN, HF_NOT_HELD);

    step(&holds, hf_event(HF_ON_ABANDON, T(5000)));
    EXPECT_TRACE(&holds.tale, "5000 ended\n");
    EXPECT_ENDED(&holds, HF_E_UNKNOWN, HF_NOT_HELD);
    assert_int_equal(check(&holds, 5000), HF_NOT_HELD);

    step(&leaves, release(25));
    step(&leaves, hf_event(HF_ON_ABANDON, T(30)));
    EXPECT_TRACE(&leaves.tale, "25 ask #3 delete lock v8\n"
                               "30 ended\n");
    EXPECT_ENDED(&leaves, HF_E_UNKNOWN, HF_NOT_HELD);
}

static void
a_release_ends_when_its_delete_is_settled(void **state)
{
    struct bench b = holding(patient);

    (void)state;
    step(&b, release(30));
    assert_int_equal(check(&b, 30), HF_NOT_HELD);
    step(&b, unknown(40, 3));
    step(&b, at_clock(50));
    step(&b, refused(60, 4));
    step(&b, found_absent(70, 5, 9));
    EXPECT_TRACE(&b.tale, "30 ask #3 delete lock v8\n"
                          "50 ask #4 delete lock v8\n"
                          "60 ask #5 read\n"
                          "70 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_NOT_HELD);
}

static void
a_takeover_lock_past_its_right_is_lost_at_the_very_call(void **state)
{
    struct bench b = holding(patient);

    (void)state;
    assert_int_equal(check(&b, 759), HF_GRANTED);
    assert_int_equal(check(&b, 760), HF_LOST);
    assert_int_equal(check(&b, 1000000), HF_LOST);
}

/* Frozen, told LOST by the clock, then every kind of late good news. */
static void
once_lost_it_is_never_granted_again(void **state)
{
    struct bench b = holding(patient);
    struct bench stepped = b;

    (void)state;
    step(&b, at_clock(700));
    assert_int_equal(check(&b, 800), HF_LOST);
    step(&b, applied(800, 3, 9));
    assert_int_equal(check(&b, 801), HF_LOST);
    step(&b, refused(810, 5));
    step(&b, found_id(820, 6, 9, UINT64_C(7070836379803831727)));
    assert_int_equal(check(&b, 821), HF_LOST);
    step(&b, release(830));
    step(&b, applied(840, 7, 10));
    assert_int_equal(check(&b, 841), HF_LOST);
    EXPECT_TRACE(&b.tale, "700 ask #3 put lock v8 " ID1 "_1\n"
                          "800 lost\n"
                          "800 ask #5 delete lock v9\n"
                          "810 ask #6 read\n"
                          "820 ask #7 delete lock v9\n"
                          "840 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_LOST);

    step(&stepped, release(5000));
    assert_int_equal(check(&stepped, 5000), HF_LOST);
}

static void
a_holder_whose_record_was_taken_is_lost_and_done(void **state)
{
    struct bench b = holding(patient);

    (void)state;
    step(&b, at_clock(210));
    step(&b, refused(220, 3));
    step(&b, found_held(230, 4, 30, 30, HF_TAKEOVER));
    assert_int_equal(check(&b, 231), HF_LOST);
    EXPECT_TRACE(&b.tale, "210 ask #3 put lock v8 " ID1 "_1\n"
                          "220 ask #4 read\n"
                          "230 lost\n"
                          "230 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_LOST);
}

static void
a_refuse_lock_past_its_right_is_in_doubt_and_comes_back(void **state)
{
    struct bench b = holding(of_refuse());

    (void)state;
    assert_int_equal(check(&b, 760), HF_IN_DOUBT);
    step(&b, at_clock(760));
    assert_int_equal(check(&b, 760), HF_IN_DOUBT);
    step(&b, applied(770, 3, 9));
    assert_int_equal(check(&b, 770), HF_GRANTED);
    EXPECT_TRACE(&b.tale, "760 in doubt\n"
                          "760 ask #3 put lock v8 " ID1 "_1\n"
                          "770 certain\n");
}

static void
a_refuse_lock_in_doubt_is_lost_when_a_person_cleared_it(void **state)
{
    struct bench b = holding(of_refuse());

    (void)state;
    step(&b, at_clock(760));
    step(&b, refused(770, 3));
    step(&b, found_absent(780, 4, 10));
    assert_int_equal(check(&b, 780), HF_LOST);
    EXPECT_ENDED(&b, HF_OK, HF_LOST);
}

static void
a_hint_makes_a_held_lock_beat_when_it_is_nearly_due(void **state)
{
    struct bench b = holding(patient);

    (void)state;
    step(&b, hf_event(HF_ON_HINT, T(159)));
    step(&b, hf_event(HF_ON_HINT, T(160)));
    EXPECT_TRACE(&b.tale, "160 ask #3 put lock v8 " ID1 "_1\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_that_never_answers_is_unavailable_soon),
        cmocka_unit_test(
            a_place_that_never_answers_is_unavailable_however_short_the_beat),
        cmocka_unit_test(a_place_that_comes_back_is_forgiven),
        cmocka_unit_test(a_place_that_is_away_at_the_limit_is_unavailable),
        cmocka_unit_test(a_value_that_is_not_ours_ends_the_wait),
        cmocka_unit_test(late_and_foreign_answers_are_ignored),
        cmocka_unit_test(a_place_that_is_silent_ends_the_wait_at_its_limit),
        cmocka_unit_test(what_does_not_fit_the_state_is_ignored),
        cmocka_unit_test(a_claim_on_its_way_at_the_limit_gets_its_answer),
        cmocka_unit_test(an_unsettled_claim_is_settled_at_the_limit),
        cmocka_unit_test(a_claim_without_right_is_given_up_at_the_limit),
        cmocka_unit_test(claims_that_surely_do_nothing_end_at_the_limit),
        cmocka_unit_test(cancel_ends_a_wait_at_once),
        cmocka_unit_test(cancel_settles_a_claim_that_is_out),
        cmocka_unit_test(cancel_ends_at_once_when_the_claim_surely_did_nothing),
        cmocka_unit_test(abandon_says_whether_something_may_be_left_behind),
        cmocka_unit_test(a_release_ends_when_its_delete_is_settled),
        cmocka_unit_test(
            a_takeover_lock_past_its_right_is_lost_at_the_very_call),
        cmocka_unit_test(once_lost_it_is_never_granted_again),
        cmocka_unit_test(a_holder_whose_record_was_taken_is_lost_and_done),
        cmocka_unit_test(
            a_refuse_lock_past_its_right_is_in_doubt_and_comes_back),
        cmocka_unit_test(
            a_refuse_lock_in_doubt_is_lost_when_a_person_cleared_it),
        cmocka_unit_test(a_hint_makes_a_held_lock_beat_when_it_is_nearly_due),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
