#include "unit/support/contender_bench.h"

static void
a_free_lock_is_claimed_at_the_version_to_expect(void **state)
{
    struct bench b = looking(patient);

    (void)state;
    assert_int_equal(check(&b, 0), HF_NOT_HELD);
    step(&b, found_absent(10, 1, 7));
    assert_int_equal(check(&b, 15), HF_NOT_HELD);
    step(&b, applied(20, 2, 8));
    assert_int_equal(check(&b, 20), HF_GRANTED);
    assert_int_equal(b.contender.keeper.token, 8);
    step(&b, at_clock(210));
    EXPECT_TRACE(&b.tale, "10 ask #2 put lock v7 " ID1 "_0 new\n"
                          "20 granted\n"
                          "210 ask #3 put lock v8 " ID1 "_1\n");
}

static void
who_loses_the_race_for_a_free_lock_waits(void **state)
{
    struct bench b = claiming(patient);

    (void)state;
    step(&b, refused(20, 2));
    step(&b, found_held(30, 3, 8, 8, HF_TAKEOVER));
    step(&b, found_held(40, 4, 8, 8, HF_TAKEOVER));
    assert_int_equal(hf_contender_deadline(&b.contender).ms, 240);
    EXPECT_TRACE(&b.tale, "20 ask #3 read\n"
                          "30 ask #4 read\n"
                          "40 waiting\n");
}

static void
each_version_is_claimed_under_a_new_id(void **state)
{
    struct bench b = claiming(patient);

    (void)state;
    step(&b, refused(20, 2));
    step(&b, found_absent(30, 3, 9));
    step(&b, found_absent(40, 4, 9));
    step(&b, unknown(50, 5));
    step(&b, at_clock(60));
    step(&b, refused(70, 6));
    step(&b, found_absent(80, 7, 11));
    step(&b, found_absent(90, 8, 11));
    EXPECT_TRACE(&b.tale, "20 ask #3 read\n"
                          "30 ask #4 read\n"
                          "40 ask #5 put lock v9 " ID2 "_0 new\n"
                          "60 ask #6 put lock v9 " ID2 "_0 new\n"
                          "70 ask #7 read\n"
                          "80 ask #8 read\n"
                          "90 ask #9 put lock v11 " ID3 "_0 new\n");
}

/* Another contender's record is not mine, though it stands where I claimed. */
static void
an_unknown_claim_that_applied_is_recognised_by_its_id(void **state)
{
    struct bench b = claiming(patient);

    (void)state;
    step(&b, unknown(20, 2));
    step(&b, at_clock(30));
    step(&b, refused(40, 3));
    step(&b, found_id(50, 4, 8, UINT64_C(7070836379803831727)));
    assert_int_equal(check(&b, 50), HF_NOT_HELD);
    step(&b, applied(60, 5, 9));
    assert_int_equal(check(&b, 60), HF_GRANTED);
    assert_int_equal(b.contender.keeper.token, 8);
    EXPECT_TRACE(&b.tale, "30 ask #3 put lock v7 " ID1 "_0 new\n"
                          "40 ask #4 read\n"
                          "50 ask #5 put lock v8 " ID1 "_1\n"
                          "60 granted\n");
}

static void
seeds_and_claims_give_distinct_ids(void **state)
{
    enum { SEEDS = 64, CLAIMS = 32 };
    static uint64_t ids[SEEDS * CLAIMS];
    size_t count = 0;

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct hf_contender_config config = patient;
        struct hf_contender c;
        struct hf_effect effect = {.kind = HF_DO_ASK};

        config.seed = seed;
        hf_contender_init(&c, &config);
        hf_contender_step(&c, hf_event(HF_ON_ACQUIRE, T(0)));
        for (uint64_t i = 0; i < CLAIMS; i++) {
            assert_true(hf_contender_next(&c, &effect));
            hf_contender_step(&c,
                              found_absent(0, effect.request.number, 7 + i));
            assert_true(hf_contender_next(&c, &effect));
            assert_true(effect.request.ops[0].heartbeat.id <= INT64_MAX);
            ids[count++] = effect.request.ops[0].heartbeat.id;
            hf_contender_step(&c, refused(0, effect.request.number));
            assert_true(hf_contender_next(&c, &effect));
            hf_contender_step(&c,
                              found_absent(0, effect.request.number, 8 + i));
        }
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(ids[i] != ids[j]);
}

static void
a_holder_that_beats_is_waited_for(void **state)
{
    struct bench b = watching(patient, HF_TAKEOVER);
    uint64_t version;

    (void)state;
    assert_true(hf_contender_watching(&b.contender, &version));
    assert_int_equal(version, 7);
    step(&b, at_clock(209));
    step(&b, at_clock(210));
    step(&b, found_held(220, 2, 8, 7, HF_TAKEOVER));
    assert_true(hf_contender_watching(&b.contender, &version));
    assert_int_equal(version, 8);
    step(&b, at_clock(420));
    EXPECT_TRACE(&b.tale, "210 ask #2 read\n"
                          "420 ask #3 read\n");
}

static void
a_hint_makes_it_look_at_once(void **state)
{
    struct bench b = watching(patient, HF_TAKEOVER);

    (void)state;
    step(&b, hf_event(HF_ON_HINT, T(50)));
    step(&b, hf_event(HF_ON_HINT, T(51)));
    step(&b, found_absent(60, 2, 9));
    EXPECT_TRACE(&b.tale, "50 ask #2 read\n"
                          "60 ask #3 put lock v9 " ID1 "_0 new\n");
}

static void
one_holder_that_beats_past_the_limit_held_too_long(void **state)
{
    struct bench b = watching(patient, HF_TAKEOVER);
    uint64_t number = 2;
    uint64_t version = 7;

    (void)state;
    while (b.contender.state == HF_CONTENDER_WATCHING) {
        int64_t at_ms = hf_contender_deadline(&b.contender).ms;

        step(&b, at_clock(at_ms));
        if (b.contender.state == HF_CONTENDER_WATCHING)
            step(&b,
                 found_held(at_ms + 5, number++, ++version, 7, HF_TAKEOVER));
        else
            assert_int_equal(at_ms, 10000);
    }
    EXPECT_ENDED(&b, HF_OK, HF_HELD_TOO_LONG);
    assert_int_equal(check(&b, 10000), HF_NOT_HELD);
}

static void
holders_that_take_turns_past_the_limit_time_out(void **state)
{
    struct bench b = watching(waiting_up_to(500), HF_TAKEOVER);

    (void)state;
    step(&b, hf_event(HF_ON_HINT, T(100)));
    step(&b, found_held(110, 2, 8, 7, HF_TAKEOVER)); /* beats */
    step(&b, hf_event(HF_ON_HINT, T(200)));
    step(&b, found_held(210, 3, 20, 20, HF_TAKEOVER)); /* another holder */
    step(&b, hf_event(HF_ON_HINT, T(300)));
    step(&b, found_held(310, 4, 21, 20, HF_TAKEOVER)); /* that beats, too */
    step(&b, at_clock(499));
    assert_int_equal(b.contender.state, HF_CONTENDER_WATCHING);
    step(&b, at_clock(500));
    EXPECT_ENDED(&b, HF_OK, HF_TIMED_OUT);
}

static void
a_holder_never_seen_to_beat_before_the_limit_times_out(void **state)
{
    struct bench b = watching(waiting_up_to(500), HF_REFUSE);

    (void)state;
    step(&b, at_clock(210));
    step(&b, found_held(220, 2, 7, 7, HF_REFUSE));
    step(&b, at_clock(500));
    EXPECT_ENDED(&b, HF_OK, HF_TIMED_OUT);
    EXPECT_TRACE(&b.tale, "210 ask #2 read\n"
                          "500 ended\n");
}

static void
a_limit_of_zero_takes_a_free_lock_and_no_other(void **state)
{
    struct bench b = looking(waiting_up_to(0));
    struct bench held = b;

    (void)state;
    step(&b, found_absent(10, 1, 7));
    step(&b, applied(20, 2, 8));
    assert_int_equal(check(&b, 20), HF_GRANTED);
    step(&held, found_held(10, 1, 7, 7, HF_TAKEOVER));
    EXPECT_ENDED(&held, HF_OK, HF_TIMED_OUT);
}

/* "Never" is the end of the number line, and sums stop there. */
static void
without_a_limit_it_waits_for_ever(void **state)
{
    const int64_t year_ms = INT64_C(365) * 24 * 3600 * 1000;
    struct hf_contender_config config = patient;
    struct bench b;

    (void)state;
    config.limit = HF_FOREVER;
    b = watching(config, HF_REFUSE);
    for (uint64_t i = 2; i < 300; i++) {
        int64_t at_ms = (int64_t)i * year_ms;

        step(&b, at_clock(at_ms));
        step(&b, found_held(at_ms + 5, i, 7 + i / 3, 7, HF_REFUSE));
        assert_int_equal(b.contender.state, HF_CONTENDER_WATCHING);
        assert_true(hf_contender_deadline(&b.contender).ms <= at_ms + 205);
        b.tale = (struct tale){0};
    }
    step(&b, cancel(300 * year_ms));
    EXPECT_ENDED(&b, HF_E_CANCELLED, HF_NOT_HELD);
}

/* The holder's beat says how often to look, within reason. */
static void
looks_keep_between_a_tenth_of_a_second_and_five(void **state)
{
    static const int64_t beats[] = {1, 99, 100, 3000, 5000, 60000};
    static const int64_t looks[] = {100, 100, 100, 3000, 5000, 5000};

    (void)state;
    for (size_t i = 0; i < sizeof(beats) / sizeof(beats[0]); i++) {
        struct bench b = looking(waiting_up_to(1000000));
        struct hf_event event = found_held(10, 1, 7, 7, HF_TAKEOVER);

        event.found.sight.terms.beat.ms = beats[i];
        event.found.sight.terms.ttl.ms = 300000;
        step(&b, event);
        assert_int_equal(hf_contender_deadline(&b.contender).ms, 10 + looks[i]);
    }
}

static void
try_gives_up_at_the_first_beat(void **state)
{
    struct bench b = watching(trying(), HF_TAKEOVER);

    (void)state;
    step(&b, at_clock(210));
    step(&b, found_held(220, 2, 8, 7, HF_TAKEOVER));
    EXPECT_ENDED(&b, HF_OK, HF_TIMED_OUT);
    EXPECT_TRACE(&b.tale, "210 ask #2 read\n"
                          "220 ended\n");
}

static void
try_gives_up_when_a_process_of_the_holder_is_there(void **state)
{
    struct bench b = watching(trying(), HF_TAKEOVER);

    (void)state;
    step(&b, hf_processes(T(20), 6, false));
    assert_int_equal(b.contender.state, HF_CONTENDER_WATCHING);
    step(&b, hf_processes(T(30), 7, false));
    EXPECT_ENDED(&b, HF_OK, HF_TIMED_OUT);
}

static void
try_gives_up_to_whoever_came_after_its_first_look(void **state)
{
    struct bench b = watching(trying(), HF_TAKEOVER);

    (void)state;
    step(&b, at_clock(210));
    step(&b, found_held(220, 2, 20, 20, HF_TAKEOVER));
    EXPECT_ENDED(&b, HF_OK, HF_TIMED_OUT);
}

static void
try_gives_up_to_whoever_won_the_race(void **state)
{
    struct bench b = claiming(trying());

    (void)state;
    step(&b, refused(20, 2));
    step(&b, found_held(30, 3, 8, 8, HF_TAKEOVER));
    step(&b, found_held(40, 4, 8, 8, HF_TAKEOVER));
    EXPECT_ENDED(&b, HF_OK, HF_TIMED_OUT);
}

static void
try_still_takes_over_a_dead_holder(void **state)
{
    struct bench b = nearly_sure(trying(), HF_TAKEOVER);

    (void)state;
    assert_int_equal(b.contender.state, HF_CONTENDER_WATCHING);
    step(&b, at_clock(1010));
    step(&b, found_held(1020, 7, 7, 7, HF_TAKEOVER));
    EXPECT_TRACE(&b.tale, "1010 ask #7 read\n"
                          "1020 ask #8 put lock v7 " ID1
                          "_0 new, put marker 7 absent new\n");
}

static void
try_ends_at_once_when_a_refuse_holder_is_suspected(void **state)
{
    struct bench b = nearly_sure(trying(), HF_REFUSE);

    (void)state;
    step(&b, at_clock(1010));
    step(&b, found_held(1020, 7, 7, 7, HF_REFUSE));
    EXPECT_ENDED(&b, HF_OK, HF_SUSPECTED_DEAD);
}

static void
try_does_not_wait_for_a_place_that_went_away(void **state)
{
    struct bench b = watching(trying(), HF_TAKEOVER);

    (void)state;
    while (b.contender.state == HF_CONTENDER_WATCHING) {
        int64_t at_ms = hf_contender_deadline(&b.contender).ms;

        assert_true(at_ms < 2000);
        step(&b, at_clock(at_ms));
    }
    EXPECT_ENDED(&b, HF_E_UNAVAILABLE, HF_NOT_HELD);
}

static struct hf_contender_config
trying_for_long(void)
{
    struct hf_contender_config config = trying();

    config.terms = (struct hf_terms){HF_TAKEOVER, {30000}, {2000}};
    config.limit = config.terms.ttl;
    return config;
}

static int64_t
until_it_ends(struct bench *b)
{
    int64_t at_ms = 0;

    while (b->contender.state != HF_CONTENDER_ENDED) {
        at_ms = hf_contender_deadline(&b->contender).ms;
        step(b, at_clock(at_ms));
    }
    return at_ms;
}

static void
try_does_not_wait_for_a_place_that_gives_no_answer(void **state)
{
    struct bench b = looking(trying_for_long());

    (void)state;
    assert_int_equal(until_it_ends(&b), 2000);
    EXPECT_ENDED(&b, HF_E_UNAVAILABLE, HF_NOT_HELD);
}

/* It says each time that it has not taken it. */
static void
try_does_not_wait_for_a_place_that_takes_no_claim(void **state)
{
    struct bench b = looking(trying_for_long());
    int64_t at_ms = 100;
    uint64_t number;

    (void)state;
    step(&b, found_absent(at_ms, 1, 7));
    while (b.contender.state != HF_CONTENDER_ENDED) {
        if (hf_contender_asking(&b.contender, &number))
            step(&b, hf_answer(T(at_ms), number, HF_UNAVAILABLE, 0));
        at_ms = hf_contender_deadline(&b.contender).ms;
        step(&b, at_clock(at_ms));
    }
    assert_in_range(at_ms, 1900, 2100);
    EXPECT_ENDED(&b, HF_E_UNAVAILABLE, HF_NOT_HELD);
}

static void
try_settles_a_claim_that_may_be_there(void **state)
{
    struct bench b = looking(trying_for_long());

    (void)state;
    step(&b, found_absent(100, 1, 7));
    step(&b, at_clock(1500)); /* it is sent again */
    step(&b, at_clock(2100));
    assert_int_equal(b.contender.state, HF_CONTENDER_LEAVING);
    step(&b, applied(2200, 2, 8));
    assert_int_equal(b.contender.state, HF_CONTENDER_LEAVING);
}

static void
try_looks_for_a_sign_of_life_to_its_limit(void **state)
{
    struct bench b = looking(trying_for_long());

    (void)state;
    step(&b, found_held(1900, 1, 7, 7, HF_TAKEOVER));
    step(&b, at_clock(2100));
    assert_int_equal(b.contender.state, HF_CONTENDER_WATCHING);
    assert_int_equal(b.contender.limit_at.ms, 31900);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_lock_is_claimed_at_the_version_to_expect),
        cmocka_unit_test(who_loses_the_race_for_a_free_lock_waits),
        cmocka_unit_test(each_version_is_claimed_under_a_new_id),
        cmocka_unit_test(an_unknown_claim_that_applied_is_recognised_by_its_id),
        cmocka_unit_test(seeds_and_claims_give_distinct_ids),
        cmocka_unit_test(a_holder_that_beats_is_waited_for),
        cmocka_unit_test(a_hint_makes_it_look_at_once),
        cmocka_unit_test(one_holder_that_beats_past_the_limit_held_too_long),
        cmocka_unit_test(holders_that_take_turns_past_the_limit_time_out),
        cmocka_unit_test(
            a_holder_never_seen_to_beat_before_the_limit_times_out),
        cmocka_unit_test(a_limit_of_zero_takes_a_free_lock_and_no_other),
        cmocka_unit_test(without_a_limit_it_waits_for_ever),
        cmocka_unit_test(looks_keep_between_a_tenth_of_a_second_and_five),
        cmocka_unit_test(try_gives_up_at_the_first_beat),
        cmocka_unit_test(try_gives_up_when_a_process_of_the_holder_is_there),
        cmocka_unit_test(try_gives_up_to_whoever_came_after_its_first_look),
        cmocka_unit_test(try_gives_up_to_whoever_won_the_race),
        cmocka_unit_test(try_still_takes_over_a_dead_holder),
        cmocka_unit_test(try_ends_at_once_when_a_refuse_holder_is_suspected),
        cmocka_unit_test(try_does_not_wait_for_a_place_that_went_away),
        cmocka_unit_test(try_does_not_wait_for_a_place_that_gives_no_answer),
        cmocka_unit_test(try_does_not_wait_for_a_place_that_takes_no_claim),
        cmocka_unit_test(try_settles_a_claim_that_may_be_there),
        cmocka_unit_test(try_looks_for_a_sign_of_life_to_its_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
