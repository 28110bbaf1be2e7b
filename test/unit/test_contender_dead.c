#include "unit/support/contender_bench.h"

static void
an_unchanged_takeover_lock_is_taken_over_in_one_group(void **state)
{
    struct bench b = nearly_sure(patient, HF_TAKEOVER);

    (void)state;
    step(&b, at_clock(1009));
    step(&b, at_clock(1010));
    step(&b, found_held(1020, 7, 7, 7, HF_TAKEOVER));
    step(&b, applied(1030, 8, 8));
    assert_int_equal(check(&b, 1030), HF_GRANTED);
    EXPECT_TRACE(&b.tale, "1010 ask #7 read\n"
                          "1020 ask #8 put lock v7 " ID1
                          "_0 new, put marker 7 absent new\n"
                          "1030 granted\n");
}

/* That read may have been served before the ttl was over. */
static void
a_read_sent_before_the_ttl_was_over_proves_nothing(void **state)
{
    struct bench b = watching(patient, HF_TAKEOVER);

    (void)state;
    step(&b, at_clock(1009));
    step(&b, found_held(1100, 2, 7, 7, HF_TAKEOVER));
    step(&b, found_held(1110, 3, 7, 7, HF_TAKEOVER));
    EXPECT_TRACE(&b.tale, "1009 ask #2 read\n"
                          "1100 ask #3 read\n"
                          "1110 ask #4 put lock v7 " ID1
                          "_0 new, put marker 7 absent new\n");
}

static void
a_beat_in_the_last_moment_starts_the_ttl_anew(void **state)
{
    struct bench b = nearly_sure(patient, HF_TAKEOVER);

    (void)state;
    step(&b, at_clock(1010));
    step(&b, found_held(1020, 7, 8, 7, HF_TAKEOVER));
    step(&b, at_clock(2019));
    step(&b, found_held(2019, 8, 8, 7, HF_TAKEOVER));
    step(&b, at_clock(2020));
    step(&b, found_held(2021, 9, 8, 7, HF_TAKEOVER));
    EXPECT_TRACE(&b.tale, "1010 ask #7 read\n"
                          "2019 ask #8 read\n"
                          "2020 ask #9 read\n"
                          "2021 ask #10 put lock v8 " ID1
                          "_0 new, put marker 7 absent new\n");
}

static void
another_holder_in_the_last_moment_starts_the_ttl_anew(void **state)
{
    struct bench b = nearly_sure(patient, HF_TAKEOVER);

    (void)state;
    step(&b, at_clock(1010));
    step(&b, found_held(1020, 7, 20, 20, HF_TAKEOVER));
    assert_int_equal(b.contender.state, HF_CONTENDER_WATCHING);
    EXPECT_TRACE(&b.tale, "1010 ask #7 read\n");
}

static void
a_frozen_waiter_looks_again_before_it_believes(void **state)
{
    struct bench b = watching(patient, HF_TAKEOVER);

    (void)state;
    step(&b, at_clock(210));
    step(&b, found_held(9000, 2, 7, 7, HF_TAKEOVER));
    EXPECT_TRACE(&b.tale, "210 ask #2 read\n"
                          "9000 ask #3 read\n");
    step(&b, found_held(9010, 3, 30, 7, HF_TAKEOVER));
    EXPECT_TRACE(&b.tale, "");
}

/* The ttl is the holder's, and so is the choice. */
static void
the_records_ttl_counts_not_the_waiters(void **state)
{
    struct hf_contender_config config = patient;
    struct bench b;

    (void)state;
    config.terms.ttl.ms = 5000;
    b = nearly_sure(config, HF_TAKEOVER);
    step(&b, at_clock(1010));
    step(&b, found_held(1020, 7, 7, 7, HF_TAKEOVER));
    assert_int_equal(b.contender.state, HF_CONTENDER_CLAIMING);

    b = looking(patient);
    struct hf_event slow = found_held(10, 1, 7, 7, HF_TAKEOVER);
    slow.found.sight.terms.ttl.ms = 5000;
    step(&b, slow);
    step(&b, at_clock(5009));
    slow.at = T(5009);
    slow.found.number = 2;
    step(&b, slow);
    assert_int_equal(b.contender.state, HF_CONTENDER_WATCHING);
    step(&b, at_clock(5010));
    slow.at = T(5011);
    slow.found.number = 3;
    step(&b, slow);
    assert_int_equal(b.contender.state, HF_CONTENDER_CLAIMING);
}

static void
who_loses_the_race_for_a_dead_lock_waits_for_the_taker(void **state)
{
    struct bench b = nearly_sure(patient, HF_TAKEOVER);

    (void)state;
    step(&b, at_clock(1010));
    step(&b, found_held(1020, 7, 7, 7, HF_TAKEOVER));
    step(&b, refused(1030, 8));
    step(&b, found_held(1040, 9, 8, 8, HF_TAKEOVER));
    step(&b, found_held(1050, 10, 8, 8, HF_TAKEOVER));
    assert_int_equal(hf_contender_deadline(&b.contender).ms, 1250);
    EXPECT_TRACE(&b.tale, "1010 ask #7 read\n"
                          "1020 ask #8 put lock v7 " ID1
                          "_0 new, put marker 7 absent new\n"
                          "1030 ask #9 read\n"
                          "1040 ask #10 read\n");
}

/* Only somebody's own marker can refuse a takeover at the version seen. */
static void
a_foreign_marker_makes_it_wait_and_does_not_spin(void **state)
{
    struct bench b = nearly_sure(waiting_up_to(3000), HF_TAKEOVER);
    uint64_t asked_before;

    (void)state;
    step(&b, at_clock(1010));
    step(&b, found_held(1020, 7, 7, 7, HF_TAKEOVER));
    step(&b, refused(1030, 8));
    step(&b, found_held(1040, 9, 7, 7, HF_TAKEOVER));
    asked_before = b.contender.keeper.question.number;
    for (int64_t at_ms = 1050; at_ms < 3000; at_ms++) {
        step(&b, at_clock(at_ms));
        step(&b, found_held(at_ms, b.contender.keeper.question.number, 7, 7,
                            HF_TAKEOVER));
    }
    assert_in_range(b.contender.keeper.question.number - asked_before, 5, 12);
    step(&b, at_clock(3000));
    EXPECT_ENDED(&b, HF_OK, HF_TIMED_OUT);
}

/* Its shell says again after every look that the holder is gone. */
static void
a_gone_holder_behind_a_foreign_marker_is_not_looked_at_for_ever(void **state)
{
    struct bench b = watching(waiting_up_to(3000), HF_TAKEOVER);
    uint64_t asked_before;

    (void)state;
    step(&b, hf_processes(T(20), 7, true));
    step(&b, found_held(30, 2, 7, 7, HF_TAKEOVER));
    step(&b, refused(40, 3));
    step(&b, found_held(50, 4, 7, 7, HF_TAKEOVER));
    asked_before = b.contender.keeper.question.number;
    for (int64_t at_ms = 60; at_ms < 3000; at_ms++) {
        step(&b, found_held(at_ms, b.contender.keeper.question.number, 7, 7,
                            HF_TAKEOVER));
        step(&b, hf_processes(T(at_ms), 7, true));
    }
    assert_in_range(b.contender.keeper.question.number - asked_before, 10, 20);
}

static void
try_does_not_wait_behind_a_foreign_marker(void **state)
{
    struct bench b = nearly_sure(trying(), HF_TAKEOVER);

    (void)state;
    step(&b, at_clock(1010));
    step(&b, found_held(1020, 7, 7, 7, HF_TAKEOVER));
    step(&b, refused(1030, 8));
    step(&b, found_held(1040, 9, 7, 7, HF_TAKEOVER));
    step(&b, found_held(1050, 10, 7, 7, HF_TAKEOVER));
    EXPECT_ENDED(&b, HF_OK, HF_TIMED_OUT);
}

static void
a_holder_that_is_gone_is_taken_over_after_one_more_read(void **state)
{
    struct bench b = watching(patient, HF_TAKEOVER);

    (void)state;
    step(&b, hf_processes(T(20), 7, true));
    step(&b, found_held(30, 2, 7, 7, HF_TAKEOVER));
    EXPECT_TRACE(&b.tale, "20 ask #2 read\n"
                          "30 ask #3 put lock v7 " ID1
                          "_0 new, put marker 7 absent new\n");
}

/* Its end may have come between a last beat or release and the look. */
static void
gone_at_a_version_that_is_past_proves_nothing(void **state)
{
    struct bench b = watching(patient, HF_TAKEOVER);
    struct bench released = b;

    (void)state;
    step(&b, hf_processes(T(20), 7, true));
    step(&b, found_held(30, 2, 8, 7, HF_TAKEOVER));
    EXPECT_TRACE(&b.tale, "20 ask #2 read\n");
    assert_int_equal(b.contender.state, HF_CONTENDER_WATCHING);

    step(&released, hf_processes(T(20), 7, true));
    step(&released, found_absent(30, 2, 8));
    EXPECT_TRACE(&released.tale, "20 ask #2 read\n"
                                 "30 ask #3 put lock v8 " ID1 "_0 new\n");
}

static void
evidence_about_an_older_version_is_ignored(void **state)
{
    struct bench b = watching(patient, HF_TAKEOVER);

    (void)state;
    step(&b, hf_processes(T(20), 6, true));
    step(&b, at_clock(210));
    step(&b, found_held(220, 2, 7, 7, HF_TAKEOVER));
    EXPECT_TRACE(&b.tale, "210 ask #2 read\n");
    assert_int_equal(b.contender.state, HF_CONTENDER_WATCHING);
}

/* The read that was out may have been served before the end; the next one is
 * sent as soon as it is answered. */
static void
gone_counts_only_with_a_read_sent_after_it(void **state)
{
    struct bench b = watching(patient, HF_REFUSE);

    (void)state;
    step(&b, at_clock(210));
    step(&b, hf_processes(T(215), 7, true));
    step(&b, found_held(220, 2, 7, 7, HF_REFUSE));
    assert_int_equal(b.contender.state, HF_CONTENDER_WATCHING);
    step(&b, found_held(230, 3, 7, 7, HF_REFUSE));
    EXPECT_TRACE(&b.tale, "210 ask #2 read\n"
                          "220 ask #3 read\n"
                          "230 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_GONE);
}

static void
a_process_that_turns_out_to_be_there_withdraws_the_evidence(void **state)
{
    struct bench b = watching(patient, HF_REFUSE);

    (void)state;
    step(&b, at_clock(210));
    step(&b, hf_processes(T(215), 7, true));
    step(&b, hf_processes(T(216), 7, false));
    step(&b, found_held(220, 2, 7, 7, HF_REFUSE));
    assert_int_equal(b.contender.state, HF_CONTENDER_WATCHING);
    EXPECT_TRACE(&b.tale, "210 ask #2 read\n");
}

static void
a_refuse_holder_that_is_gone_ends_the_wait_at_once(void **state)
{
    struct bench b = watching(patient, HF_REFUSE);

    (void)state;
    step(&b, hf_processes(T(20), 7, true));
    step(&b, found_held(30, 2, 7, 7, HF_REFUSE));
    EXPECT_TRACE(&b.tale, "20 ask #2 read\n"
                          "30 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_GONE);
    assert_int_equal(check(&b, 30), HF_NOT_HELD);
}

static void
a_suspected_refuse_holder_is_said_once_and_fails_at_the_limit(void **state)
{
    struct bench b = nearly_sure(waiting_up_to(1500), HF_REFUSE);

    (void)state;
    step(&b, at_clock(1010));
    step(&b, found_held(1020, 7, 7, 7, HF_REFUSE));
    step(&b, at_clock(1220));
    step(&b, found_held(1230, 8, 7, 7, HF_REFUSE));
    step(&b, at_clock(1430));
    step(&b, found_held(1440, 9, 7, 7, HF_REFUSE));
    step(&b, at_clock(1499));
    step(&b, at_clock(1500));
    EXPECT_TRACE(&b.tale, "1010 ask #7 read\n"
                          "1020 suspected\n"
                          "1220 ask #8 read\n"
                          "1430 ask #9 read\n"
                          "1500 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_SUSPECTED_DEAD);
}

static void
a_suspected_refuse_holder_ends_the_wait_at_once_if_so_wished(void **state)
{
    struct hf_contender_config config = patient;
    struct bench b;

    (void)state;
    config.fail_suspected = true;
    b = nearly_sure(config, HF_REFUSE);
    step(&b, at_clock(1010));
    step(&b, found_held(1020, 7, 7, 7, HF_REFUSE));
    EXPECT_TRACE(&b.tale, "1010 ask #7 read\n"
                          "1020 ended\n");
    assert_int_equal(b.contender.status, HF_OK);
    assert_int_equal(b.contender.outcome, HF_SUSPECTED_DEAD);

    /* One that may be taken over is, whatever was wished. */
    b = nearly_sure(config, HF_TAKEOVER);
    step(&b, at_clock(1010));
    step(&b, found_held(1020, 7, 7, 7, HF_TAKEOVER));
    assert_int_equal(b.contender.state, HF_CONTENDER_CLAIMING);
}

static void
a_suspected_holder_that_beats_again_is_suspected_no_more(void **state)
{
    struct bench b = nearly_sure(waiting_up_to(2500), HF_REFUSE);

    (void)state;
    step(&b, at_clock(1010));
    step(&b, found_held(1020, 7, 7, 7, HF_REFUSE));
    step(&b, at_clock(1220));
    step(&b, found_held(1230, 8, 8, 7, HF_REFUSE));
    step(&b, at_clock(2230));
    step(&b, found_held(2231, 9, 8, 7, HF_REFUSE));
    step(&b, found_held(2240, 10, 8, 7, HF_REFUSE));
    EXPECT_TRACE(&b.tale, "1010 ask #7 read\n"
                          "1020 suspected\n"
                          "1220 ask #8 read\n"
                          "2230 ask #9 read\n"
                          "2231 suspected\n");
    step(&b, hf_event(HF_ON_HINT, T(2300)));
    step(&b, found_held(2310, 10, 9, 7, HF_REFUSE));
    step(&b, at_clock(2500));
    EXPECT_ENDED(&b, HF_OK, HF_HELD_TOO_LONG);
}

static void
a_suspected_holder_that_releases_makes_room(void **state)
{
    struct bench b = nearly_sure(patient, HF_REFUSE);

    (void)state;
    step(&b, at_clock(1010));
    step(&b, found_held(1020, 7, 7, 7, HF_REFUSE));
    step(&b, at_clock(1220));
    step(&b, found_absent(1230, 8, 8));
    EXPECT_TRACE(&b.tale, "1010 ask #7 read\n"
                          "1020 suspected\n"
                          "1220 ask #8 read\n"
                          "1230 ask #9 put lock v8 " ID1 "_0 new\n");
}

/* Whatever the waiter's own terms and whatever the evidence: no write. */
static void
a_refuse_record_is_never_overridden(void **state)
{
    struct hf_contender_config configs[] = {patient, of_refuse(), trying()};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct bench b = watching(configs[i], HF_REFUSE);
        struct hf_effect effect;

        for (int64_t at_ms = 20; at_ms < 12000; at_ms += 7) {
            uint64_t number = b.contender.keeper.question.number;

            if (at_ms % 3 == 0)
                hf_contender_step(&b.contender, at_clock(at_ms));
            else if (at_ms % 2 == 0)
                hf_contender_step(&b.contender,
                                  found_held(at_ms, number, 7, 7, HF_REFUSE));
            else if (at_ms > 9000)
                hf_contender_step(&b.contender,
                                  hf_processes(T(at_ms), 7, true));
            while (hf_contender_next(&b.contender, &effect))
                assert_true(effect.kind == HF_DO_NOTIFY || effect.request.read);
        }
        assert_int_equal(b.contender.state, HF_CONTENDER_ENDED);
    }
}

static void
a_refuse_contender_takes_over_a_takeover_record(void **state)
{
    struct bench b = watching(of_refuse(), HF_TAKEOVER);

    (void)state;
    step(&b, hf_processes(T(20), 7, true));
    step(&b, found_held(30, 2, 7, 7, HF_TAKEOVER));
    step(&b, applied(40, 3, 8));
    step(&b, at_clock(780));
    assert_int_equal(check(&b, 780), HF_IN_DOUBT);
    EXPECT_TRACE(&b.tale,
                 "20 ask #2 read\n"
                 "30 ask #3 put lock v7 " ID1
                 "_0 new, put marker 7 absent new\n"
                 "40 granted\n"
                 "780 in doubt\n"
                 "780 ask #4 put lock v8 " ID1 "_1, erase marker 7 any\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unchanged_takeover_lock_is_taken_over_in_one_group),
        cmocka_unit_test(a_read_sent_before_the_ttl_was_over_proves_nothing),
        cmocka_unit_test(a_beat_in_the_last_moment_starts_the_ttl_anew),
        cmocka_unit_test(another_holder_in_the_last_moment_starts_the_ttl_anew),
        cmocka_unit_test(a_frozen_waiter_looks_again_before_it_believes),
        cmocka_unit_test(the_records_ttl_counts_not_the_waiters),
        cmocka_unit_test(
            who_loses_the_race_for_a_dead_lock_waits_for_the_taker),
        cmocka_unit_test(a_foreign_marker_makes_it_wait_and_does_not_spin),
        cmocka_unit_test(
            a_gone_holder_behind_a_foreign_marker_is_not_looked_at_for_ever),
        cmocka_unit_test(try_does_not_wait_behind_a_foreign_marker),
        cmocka_unit_test(
            a_holder_that_is_gone_is_taken_over_after_one_more_read),
        cmocka_unit_test(gone_at_a_version_that_is_past_proves_nothing),
        cmocka_unit_test(evidence_about_an_older_version_is_ignored),
        cmocka_unit_test(gone_counts_only_with_a_read_sent_after_it),
        cmocka_unit_test(
            a_process_that_turns_out_to_be_there_withdraws_the_evidence),
        cmocka_unit_test(a_refuse_holder_that_is_gone_ends_the_wait_at_once),
        cmocka_unit_test(
            a_suspected_refuse_holder_is_said_once_and_fails_at_the_limit),
        cmocka_unit_test(
            a_suspected_refuse_holder_ends_the_wait_at_once_if_so_wished),
        cmocka_unit_test(
            a_suspected_holder_that_beats_again_is_suspected_no_more),
        cmocka_unit_test(a_suspected_holder_that_releases_makes_room),
        cmocka_unit_test(a_refuse_record_is_never_overridden),
        cmocka_unit_test(a_refuse_contender_takes_over_a_takeover_record),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
