#include "core/examiner.h"
#include "unit/support/contender_bench.h"

/*
 * A place that is not the one that it was: its file was removed or replaced, or
 * an old copy was put in its place.
 */

static struct hf_event
went_back(int64_t ms)
{
    return hf_event(HF_ON_WENT_BACK, T(ms));
}

/* Claimed v7 with #2 at 10, granted v8 at 20. */
static struct bench
holding_as(struct hf_contender_config config)
{
    struct bench b = {0};

    hf_contender_init(&b.contender, &config);
    step(&b, hf_event(HF_ON_ACQUIRE, T(0)));
    step(&b, found_absent(10, 1, 7));
    step(&b, applied(20, 2, 8));
    EXPECT_TRACE(&b.tale, "0 ask #1 read\n"
                          "10 ask #2 put lock v7 " ID1 "_0 new\n"
                          "20 granted\n");
    return b;
}

static void
a_takeover_holder_has_lost(void **state)
{
    struct bench b = holding_as(patient);

    (void)state;
    step(&b, went_back(30));
    assert_int_equal(hf_contender_check(&b.contender, T(30)), HF_LOST);
    step(&b, found_absent(40, 3, 3));
    EXPECT_TRACE(&b.tale, "30 lost\n"
                          "30 ask #3 read\n"
                          "40 ended\n");
}

/* Its record may be in the copy: then it must not stay there. */
static void
a_takeover_holder_deletes_what_is_left_of_its_record(void **state)
{
    struct bench b = holding_as(patient);

    (void)state;
    step(&b, went_back(30));
    step(&b, found_id(40, 3, 5, UINT64_C(7070836379803831727)));
    step(&b, applied(50, 4, 99));
    EXPECT_TRACE(&b.tale, "30 lost\n"
                          "30 ask #3 read\n"
                          "40 ask #4 delete lock v5\n"
                          "50 ended\n");
}

static void
a_refuse_holder_is_in_doubt_until_a_read_shows_that_it_lost(void **state)
{
    struct bench b = holding_as(of_refuse());

    (void)state;
    step(&b, went_back(30));
    assert_int_equal(hf_contender_check(&b.contender, T(30)), HF_IN_DOUBT);
    step(&b, found_held(40, 3, 5, 5, HF_REFUSE));
    EXPECT_TRACE(&b.tale, "30 in doubt\n"
                          "30 ask #3 read\n"
                          "40 lost\n"
                          "40 ended\n");
}

static void
a_refuse_holder_whose_record_is_there_is_certain_after_a_beat(void **state)
{
    struct bench b = holding_as(of_refuse());

    (void)state;
    step(&b, went_back(30));
    step(&b, found_id(40, 3, 5, UINT64_C(7070836379803831727)));
    step(&b, applied(50, 4, 99));
    assert_int_equal(hf_contender_check(&b.contender, T(50)), HF_GRANTED);
    EXPECT_TRACE(&b.tale, "30 in doubt\n"
                          "30 ask #3 read\n"
                          "40 ask #4 put lock v5 " ID1 "_1\n"
                          "50 certain\n");
}

/* Nobody told; but no version ever comes back by itself. */
static void
a_lower_version_tells_as_much(void **state)
{
    struct bench b = holding_as(patient);
    struct bench refuse = holding_as(of_refuse());

    (void)state;
    step(&b, at_clock(210));
    step(&b, refused(220, 3));
    step(&b, found_id(230, 4, 5, UINT64_C(7070836379803831727)));
    EXPECT_TRACE(&b.tale, "210 ask #3 put lock v8 " ID1 "_1\n"
                          "220 ask #4 read\n"
                          "230 lost\n"
                          "230 ask #5 delete lock v5\n");

    step(&refuse, at_clock(210));
    step(&refuse, refused(220, 3));
    step(&refuse, found_id(230, 4, 5, UINT64_C(7070836379803831727)));
    EXPECT_TRACE(&refuse.tale, "210 ask #3 put lock v8 " ID1 "_1\n"
                               "220 ask #4 read\n"
                               "230 in doubt\n"
                               "230 ask #5 put lock v5 " ID1 "_1\n");
}

/* What was answered before, late or twice, is about what the place was. */
static void
no_answer_from_before_gives_a_right(void **state)
{
    struct bench b = holding_as(of_refuse());

    (void)state;
    step(&b, at_clock(210));
    step(&b, went_back(220));
    step(&b, applied(230, 3, 9));
    assert_int_equal(hf_contender_check(&b.contender, T(230)), HF_IN_DOUBT);
}

static void
a_claim_is_looked_for_before_it_is_made_again(void **state)
{
    struct bench b = {0};

    (void)state;
    hf_contender_init(&b.contender, &patient);
    step(&b, hf_event(HF_ON_ACQUIRE, T(0)));
    step(&b, found_absent(10, 1, 7));
    step(&b, went_back(20));
    step(&b, found_absent(30, 3, 7));
    step(&b, found_absent(40, 4, 7)); /* the same version, and it is free */
    EXPECT_TRACE(&b.tale, "0 ask #1 read\n"
                          "10 ask #2 put lock v7 " ID1 "_0 new\n"
                          "20 ask #3 read\n"
                          "30 ask #4 read\n"
                          "40 ask #5 put lock v7 " ID2 "_0 new\n");
}

static void
a_waiter_begins_to_watch_anew(void **state)
{
    struct bench b = {0};

    (void)state;
    hf_contender_init(&b.contender, &patient);
    step(&b, hf_event(HF_ON_ACQUIRE, T(0)));
    step(&b, found_held(10, 1, 8, 8, HF_TAKEOVER));
    step(&b, went_back(900));
    step(&b, found_held(910, 2, 8, 8, HF_TAKEOVER));
    step(&b, at_clock(1100));
    step(&b, found_held(1110, 3, 8, 8, HF_TAKEOVER));
    assert_int_equal(b.contender.state, HF_CONTENDER_WATCHING);
    assert_int_equal(b.contender.evidence.shown_at.ms, 910);
}

static void
a_person_looks_again_and_clears_nothing_unseen(void **state)
{
    static const struct hf_examiner_config clear = {
        .watch = {INT64_MAX}, .patience = {200}, .clear = true, .force = true};
    struct hf_examiner x;
    struct hf_effect effect;

    (void)state;
    hf_examiner_init(&x, &clear);
    hf_examiner_step(&x, hf_event(HF_ON_EXAMINE, T(0)));
    assert_true(hf_examiner_next(&x, &effect));
    hf_examiner_step(&x, went_back(5));
    assert_true(hf_examiner_next(&x, &effect));
    assert_true(effect.request.read);
    hf_examiner_step(&x, found_held(10, 2, 8, 8, HF_REFUSE));
    assert_true(hf_examiner_next(&x, &effect));
    assert_false(effect.request.read);
    hf_examiner_step(&x, went_back(20));
    assert_true(hf_examiner_next(&x, &effect));
    assert_int_equal(effect.notice, HF_NOTICE_ENDED);
    assert_int_equal(x.status, HF_E_UNAVAILABLE);
    assert_false(x.cleared);
}

/* What is there now is no sign of life of what was. */
static void
a_person_begins_to_watch_anew(void **state)
{
    static const struct hf_examiner_config why = {.watch = {5000},
                                                  .patience = {200}};
    struct hf_examiner x;
    struct hf_effect effect;

    (void)state;
    hf_examiner_init(&x, &why);
    hf_examiner_step(&x, hf_event(HF_ON_EXAMINE, T(0)));
    assert_true(hf_examiner_next(&x, &effect));
    hf_examiner_step(&x, found_held(10, 1, 8, 8, HF_REFUSE));
    hf_examiner_step(&x, went_back(20));
    assert_true(hf_examiner_next(&x, &effect));
    assert_true(effect.request.read);
    hf_examiner_step(&x, found_held(30, 2, 20, 20, HF_REFUSE));
    assert_int_equal(x.state, HF_EXAMINER_WATCHING);
    assert_int_equal(x.finding, HF_FINDING_NONE);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_takeover_holder_has_lost),
        cmocka_unit_test(a_takeover_holder_deletes_what_is_left_of_its_record),
        cmocka_unit_test(
            a_refuse_holder_is_in_doubt_until_a_read_shows_that_it_lost),
        cmocka_unit_test(
            a_refuse_holder_whose_record_is_there_is_certain_after_a_beat),
        cmocka_unit_test(a_lower_version_tells_as_much),
        cmocka_unit_test(no_answer_from_before_gives_a_right),
        cmocka_unit_test(a_claim_is_looked_for_before_it_is_made_again),
        cmocka_unit_test(a_waiter_begins_to_watch_anew),
        cmocka_unit_test(a_person_looks_again_and_clears_nothing_unseen),
        cmocka_unit_test(a_person_begins_to_watch_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
