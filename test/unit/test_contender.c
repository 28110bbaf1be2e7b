#include "unit/support/contender_script.h"

static void
seeds_and_claims_give_distinct_ids(void **state)
{
    enum { SEEDS = 64, CLAIMS = 32 };
    static uint64_t ids[SEEDS * CLAIMS];
    size_t count = 0;

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct hf_contender_config config = {
            .terms = {HF_TAKEOVER, {1000}, {200}},
            .grace = {100},
            .limit = {10000},
            .seed = seed,
        };
        struct hf_contender c;
        struct hf_effect effect = {.kind = HF_DO_ASK};

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

/* One that waits, and knows a tombstone of version 7; the number of what it
 * asks first. */
static uint64_t
return_to_seven(struct hf_contender *c, struct hf_effect *effect)
{
    const struct hf_contender_config config = {
        .terms = {HF_TAKEOVER, {1000}, {200}},
        .grace = {100},
        .limit = {10000},
        .seed = 1,
    };

    hf_contender_init(c, &config);
    hf_contender_return(c, 7);
    hf_contender_step(c, hf_event(HF_ON_ACQUIRE, T(0)));
    assert_true(hf_contender_next(c, effect));
    assert_int_equal(effect->kind, HF_DO_ASK);
    assert_false(effect->request.read);
    assert_int_equal(effect->request.ops_count, 1);
    assert_true(effect->request.ops[0].new_generation);
    assert_int_equal(effect->request.ops[0].expect.version, 7);
    return effect->request.number;
}

/* The next thing that it asks is a read; its number. */
static uint64_t
next_read(struct hf_contender *c)
{
    struct hf_effect effect;

    assert_true(hf_contender_next(c, &effect));
    assert_int_equal(effect.kind, HF_DO_ASK);
    assert_true(effect.request.read);
    return effect.request.number;
}

/* Who tries must end soon, also where the claim is not answered. */
static void
who_returns_to_try_looks(void **state)
{
    const struct hf_contender_config config = {
        .terms = {HF_TAKEOVER, {1000}, {200}},
        .grace = {100},
        .limit = {10000},
        .try_only = true,
        .seed = 1,
    };
    struct hf_contender c;

    (void)state;
    hf_contender_init(&c, &config);
    hf_contender_return(&c, 7);
    hf_contender_step(&c, hf_event(HF_ON_ACQUIRE, T(0)));
    (void)next_read(&c);
}

static void
who_returns_claims_at_the_tombstone(void **state)
{
    struct hf_contender c;
    struct hf_effect effect;
    uint64_t number = return_to_seven(&c, &effect);

    (void)state;
    hf_contender_step(&c, hf_answer(T(10), number, HF_APPLIED, 8));
    assert_int_equal(hf_contender_check(&c, T(10)), HF_GRANTED);
}

static void
who_returns_in_vain_looks_and_claims_by_another_id(void **state)
{
    struct hf_contender c;
    struct hf_effect effect;
    uint64_t number = return_to_seven(&c, &effect);
    uint64_t id = effect.request.ops[0].heartbeat.id;

    (void)state;
    hf_contender_step(&c, refused(10, number));
    hf_contender_step(&c, found_absent(20, next_read(&c), 9));
    hf_contender_step(&c, found_absent(30, next_read(&c), 9));
    assert_true(hf_contender_next(&c, &effect));
    assert_int_equal(effect.request.ops[0].expect.version, 9);
    assert_true(effect.request.ops[0].heartbeat.id != id);
}

/* Who has it may have come long ago, and be dead. */
static void
who_returns_in_vain_has_not_lost_a_race(void **state)
{
    struct hf_contender c;
    struct hf_effect effect;
    uint64_t number = return_to_seven(&c, &effect);

    (void)state;
    hf_contender_step(&c, refused(10, number));
    hf_contender_step(&c, found_held(20, next_read(&c), 8, 8, HF_TAKEOVER));
    hf_contender_step(&c, found_held(30, next_read(&c), 8, 8, HF_TAKEOVER));
    assert_int_equal(c.state, HF_CONTENDER_WATCHING);
    assert_int_equal(hf_contender_blocker(&c, &c.evidence).life,
                     HF_LIFE_UNKNOWN);
}

/* Each look at the place fails; when it ends, and how. */
static struct hf_instant
fail_to_the_end(struct hf_contender *c,
                const struct hf_contender_config *config)
{
    struct hf_instant now = T(0);
    struct hf_effect effect;

    hf_contender_init(c, config);
    hf_contender_step(c, hf_event(HF_ON_ACQUIRE, now));
    while (c->state != HF_CONTENDER_ENDED) {
        while (hf_contender_next(c, &effect)) {
            const struct hf_sight none = {.kind = HF_SIGHT_NONE};

            if (effect.kind == HF_DO_ASK)
                hf_contender_step(c,
                                  hf_found(now, effect.request.number, none));
        }
        if (c->state == HF_CONTENDER_ENDED)
            break;
        now = hf_contender_deadline(c);
        hf_contender_step(c, hf_event(HF_ON_CLOCK, now));
    }
    while (hf_contender_next(c, &effect))
        continue;
    assert_int_equal(c->status, HF_E_UNAVAILABLE);
    return now;
}

static void
a_place_that_may_come_back_is_waited_for(void **state)
{
    struct hf_contender c;
    struct hf_contender_config config = {
        .terms = {HF_TAKEOVER, {30000}, {2000}},
        .grace = {10000},
        .limit = {20000},
        .seed = 1,
    };

    (void)state;
    assert_true(fail_to_the_end(&c, &config).ms < 1000);
    config.waits_for_place = true;
    assert_int_equal(fail_to_the_end(&c, &config).ms, 20000);
    config.try_only = true;
    assert_int_equal(fail_to_the_end(&c, &config).ms, 2000);
    config.silent.ms = 700;
    assert_int_equal(fail_to_the_end(&c, &config).ms, 1300);
    config.silent.ms = 3000;
    assert_int_equal(fail_to_the_end(&c, &config).ms, 0);
}

/* Its first look is not answered by then. */
static void
a_wait_at_a_place_that_was_silent_before_ends_at_its_limit(void **state)
{
    struct hf_contender c;
    const struct hf_contender_config config = {
        .terms = {HF_TAKEOVER, {30000}, {2000}},
        .grace = {10000},
        .limit = {500},
        .waits_for_place = true,
        .silent = {1000},
        .seed = 1,
    };

    (void)state;
    hf_contender_init(&c, &config);
    hf_contender_step(&c, hf_event(HF_ON_ACQUIRE, T(0)));
    (void)next_read(&c);
    assert_int_equal(hf_contender_deadline(&c).ms, 500);
    hf_contender_step(&c, hf_event(HF_ON_CLOCK, T(500)));
    assert_int_equal(c.state, HF_CONTENDER_ENDED);
    assert_int_equal(c.status, HF_E_UNAVAILABLE);
}

static void
one_holder_that_beats_past_the_limit_held_too_long(void **state)
{
    uint64_t number = 2;
    uint64_t version = 7;

    (void)state;
    PLAY("watching\n");
    while (scripted_contender.state == HF_CONTENDER_WATCHING) {
        int64_t at_ms = hf_contender_deadline(&scripted_contender).ms;

        contender_gives(at_clock(at_ms));
        if (scripted_contender.state == HF_CONTENDER_WATCHING)
            contender_gives(
                found_held(at_ms + 5, number++, ++version, 7, HF_TAKEOVER));
        else
            assert_int_equal(at_ms, 10000);
    }
    PLAY_ON("= ended HF_OK held too long\n"
            "10000 check | not held\n");
}

/* "Never" is the end of the number line, and sums stop there. */
static void
without_a_limit_it_waits_for_ever(void **state)
{
    const int64_t year_ms = INT64_C(365) * 24 * 3600 * 1000;

    (void)state;
    PLAY("start forever\n"
         "watching refuse\n");
    for (uint64_t i = 2; i < 300; i++) {
        int64_t at_ms = (int64_t)i * year_ms;

        contender_gives(at_clock(at_ms));
        contender_gives(found_held(at_ms + 5, i, 7 + i / 3, 7, HF_REFUSE));
        assert_int_equal(scripted_contender.state, HF_CONTENDER_WATCHING);
        assert_true(hf_contender_deadline(&scripted_contender).ms <=
                    at_ms + 205);
    }
    contender_gives(hf_event(HF_ON_CANCEL, T(300 * year_ms)));
    PLAY_ON("= ended HF_E_CANCELLED not held\n");
}

/* The holder's beat says how often to look, within reason. */
static void
looks_keep_between_a_tenth_of_a_second_and_five(void **state)
{
    static const int64_t beats[] = {1, 99, 100, 3000, 5000, 60000};
    static const int64_t looks[] = {100, 100, 100, 3000, 5000, 5000};

    (void)state;
    for (size_t i = 0; i < sizeof(beats) / sizeof(beats[0]); i++) {
        struct hf_event event = found_held(10, 1, 7, 7, HF_TAKEOVER);

        PLAY("start limit 1000000\n"
             "looking\n");
        event.found.sight.terms.beat.ms = beats[i];
        event.found.sight.terms.ttl.ms = 300000;
        contender_gives(event);
        assert_int_equal(hf_contender_deadline(&scripted_contender).ms,
                         10 + looks[i]);
    }
}

static void
try_does_not_wait_for_a_place_that_went_away(void **state)
{
    (void)state;
    PLAY("start try\n"
         "watching\n");
    while (scripted_contender.state == HF_CONTENDER_WATCHING) {
        int64_t at_ms = hf_contender_deadline(&scripted_contender).ms;

        assert_true(at_ms < 2000);
        contender_gives(at_clock(at_ms));
    }
    PLAY_ON("= ended HF_E_UNAVAILABLE not held\n");
}

static int64_t
until_it_ends(void)
{
    int64_t at_ms = 0;

    while (scripted_contender.state != HF_CONTENDER_ENDED) {
        at_ms = hf_contender_deadline(&scripted_contender).ms;
        contender_gives(at_clock(at_ms));
    }
    return at_ms;
}

static void
try_does_not_wait_for_a_place_that_gives_no_answer(void **state)
{
    (void)state;
    PLAY("start ttl 30000, beat 2000, try\n"
         "looking\n");
    assert_int_equal(until_it_ends(), 2000);
    PLAY_ON("= ended HF_E_UNAVAILABLE not held\n");
}

/* It says each time that it has not taken it. */
static void
try_does_not_wait_for_a_place_that_takes_no_claim(void **state)
{
    int64_t at_ms = 100;
    uint64_t number;

    (void)state;
    PLAY("start ttl 30000, beat 2000, try\n"
         "looking\n");
    contender_gives(found_absent(at_ms, 1, 7));
    while (scripted_contender.state != HF_CONTENDER_ENDED) {
        if (hf_contender_asking(&scripted_contender, &number))
            contender_gives(hf_answer(T(at_ms), number, HF_UNAVAILABLE, 0));
        at_ms = hf_contender_deadline(&scripted_contender).ms;
        contender_gives(at_clock(at_ms));
    }
    assert_in_range(at_ms, 1900, 2100);
    PLAY_ON("= ended HF_E_UNAVAILABLE not held\n");
}

static const struct CMUnitTest tests[] = {
    STORY(a_free_lock_is_claimed_at_the_version_to_expect,
          "looking\n"
          "0 check               | not held\n"
          "10 found #1 absent v7 | ask #2 put lock v7 id1_0 new\n"
          "15 check              | not held\n"
          "20 applied #2 v8      | granted\n"
          "20 check              | granted\n"
          "= token 8\n"
          "210 clock             | ask #3 put lock v8 id1_1\n"),
    STORY(who_loses_the_race_for_a_free_lock_waits,
          "claiming\n"
          "20 refused #2           | ask #3 read\n"
          "30 found #3 lock v8 8_0 | ask #4 read\n"
          "40 found #4 lock v8 8_0 | waiting\n"
          "= deadline 240\n"),
    STORY(each_version_is_claimed_under_a_new_id,
          "claiming\n"
          "20 refused #2          | ask #3 read\n"
          "30 found #3 absent v9  | ask #4 read\n"
          "40 found #4 absent v9  | ask #5 put lock v9 id2_0 new\n"
          "50 unknown #5\n"
          "60 clock               | ask #6 put lock v9 id2_0 new\n"
          "70 refused #6          | ask #7 read\n"
          "80 found #7 absent v11 | ask #8 read\n"
          "90 found #8 absent v11 | ask #9 put lock v11 id3_0 new\n"),
    /* Another contender's record is not mine, though it stands where I
     * claimed. */
    STORY(an_unknown_claim_that_applied_is_recognised_by_its_id,
          "claiming\n"
          "20 unknown #2\n"
          "30 clock                  | ask #3 put lock v7 id1_0 new\n"
          "40 refused #3             | ask #4 read\n"
          "50 found #4 lock v8 id1_0 | ask #5 put lock v8 id1_1\n"
          "50 check                  | not held\n"
          "60 applied #5 v9          | granted\n"
          "60 check                  | granted\n"
          "= token 8\n"),
    cmocka_unit_test(seeds_and_claims_give_distinct_ids),
    cmocka_unit_test(who_returns_claims_at_the_tombstone),
    cmocka_unit_test(a_place_that_may_come_back_is_waited_for),
    cmocka_unit_test(
        a_wait_at_a_place_that_was_silent_before_ends_at_its_limit),
    cmocka_unit_test(who_returns_in_vain_looks_and_claims_by_another_id),
    cmocka_unit_test(who_returns_in_vain_has_not_lost_a_race),
    cmocka_unit_test(who_returns_to_try_looks),
    STORY(a_holder_that_beats_is_waited_for,
          "watching\n"
          "= watching v7\n"
          "209 clock\n"
          "210 clock | ask #2 read\n"
          "220 found #2 lock v8 7_1 token 7\n"
          "= watching v8\n"
          "420 clock | ask #3 read\n"),
    STORY(a_hint_makes_it_look_at_once,
          "watching\n"
          "50 hint               | ask #2 read\n"
          "51 hint\n"
          "60 found #2 absent v9 | ask #3 put lock v9 id1_0 new\n"),
    cmocka_unit_test(one_holder_that_beats_past_the_limit_held_too_long),
    STORY(holders_that_take_turns_past_the_limit_time_out,
          "start limit 500\n"
          "watching\n"
          "100 hint  | ask #2 read\n"
          "110 found #2 lock v8 7_1 token 7\n" /* beats */
          "200 hint  | ask #3 read\n"
          "210 found #3 lock v20 20_0\n" /* another holder */
          "300 hint  | ask #4 read\n"
          "310 found #4 lock v21 20_1 token 20\n" /* that beats, too */
          "499 clock\n"
          "= state watching\n"
          "500 clock | ended\n"
          "= ended HF_OK timed out\n"),
    STORY(a_holder_never_seen_to_beat_before_the_limit_times_out,
          "start limit 500\n"
          "watching refuse\n"
          "210 clock | ask #2 read\n"
          "220 found #2 lock v7 7_0 refuse\n"
          "500 clock | ended\n"
          "= ended HF_OK timed out\n"),
    STORY(a_limit_of_zero_takes_a_free_lock_and_no_other,
          "start limit 0\n"
          "looking\n"
          "mark\n"
          "10 found #1 absent v7   | ask #2 put lock v7 id1_0 new\n"
          "20 applied #2 v8        | granted\n"
          "20 check                | granted\n"
          "back\n"
          "10 found #1 lock v7 7_0 | waiting; ended\n"
          "= ended HF_OK timed out\n"),
    cmocka_unit_test(without_a_limit_it_waits_for_ever),
    cmocka_unit_test(looks_keep_between_a_tenth_of_a_second_and_five),
    STORY(try_gives_up_at_the_first_beat,
          "start try\n"
          "watching\n"
          "210 clock                        | ask #2 read\n"
          "220 found #2 lock v8 7_1 token 7 | ended\n"
          "= ended HF_OK timed out\n"),
    STORY(try_gives_up_when_a_process_of_the_holder_is_there,
          "start try\n"
          "watching\n"
          "20 evidence v6 running\n"
          "= state watching\n"
          "30 evidence v7 running | ended\n"
          "= ended HF_OK timed out\n"),
    STORY(try_gives_up_to_whoever_came_after_its_first_look,
          "start try\n"
          "watching\n"
          "210 clock                  | ask #2 read\n"
          "220 found #2 lock v20 20_0 | ended\n"
          "= ended HF_OK timed out\n"),
    STORY(try_gives_up_to_whoever_won_the_race,
          "start try\n"
          "claiming\n"
          "20 refused #2           | ask #3 read\n"
          "30 found #3 lock v8 8_0 | ask #4 read\n"
          "40 found #4 lock v8 8_0 | waiting; ended\n"
          "= ended HF_OK timed out\n"),
    STORY(try_still_takes_over_a_dead_holder,
          "start try\n"
          "nearly sure\n"
          "= state watching\n"
          "1010 clock | ask #7 read\n"
          "1020 found #7 lock v7 7_0\n"
          "| ask #8 put lock v7 id1_0 new, put marker 7 absent new\n"),
    STORY(try_ends_at_once_when_a_refuse_holder_is_suspected,
          "start try\n"
          "nearly sure refuse\n"
          "1010 clock                       | ask #7 read\n"
          "1020 found #7 lock v7 7_0 refuse | ended\n"
          "= ended HF_OK suspected dead\n"),
    cmocka_unit_test(try_does_not_wait_for_a_place_that_went_away),
    cmocka_unit_test(try_does_not_wait_for_a_place_that_gives_no_answer),
    cmocka_unit_test(try_does_not_wait_for_a_place_that_takes_no_claim),
    STORY(try_settles_a_claim_that_may_be_there,
          "start ttl 30000, beat 2000, try\n"
          "looking\n"
          "100 found #1 absent v7 | ask #2 put lock v7 id1_0 new\n"
          "1500 clock\n" /* it is sent again */
          "2100 clock             | ask #3 delete lock v7\n"
          "= state leaving\n"
          "2200 applied #2 v8     | ask #4 delete lock v8\n"
          "= state leaving\n"),
    STORY(try_looks_for_a_sign_of_life_to_its_limit,
          "start ttl 30000, beat 2000, try\n"
          "looking\n"
          "1900 found #1 lock v7 7_0 | waiting\n"
          "2100 clock                | ask #2 read\n"
          "= state watching; limit 31900\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
