#include "core/examiner.h"
#include "unit/support/tale.h"

/* An examiner, and the text of everything it has asked for and told. */
struct bench {
    struct hf_examiner examiner;
    struct tale tale;
};

static const struct hf_examiner_config why = {
    .watch = {INT64_MAX},
    .patience = {200},
};

static const struct hf_examiner_config clear = {
    .watch = {INT64_MAX},
    .patience = {200},
    .clear = true,
};

static const struct hf_examiner_config force = {
    .watch = {INT64_MAX},
    .patience = {200},
    .clear = true,
    .force = true,
};

static void
step(struct bench *b, struct hf_event event)
{
    struct hf_effect effect;

    hf_examiner_step(&b->examiner, event);
    while (hf_examiner_next(&b->examiner, &effect))
        tale_add(&b->tale, event.at, &effect);
}

/* A refuse lock with a ttl of 1 s. */
static struct hf_event
found_held(int64_t ms, uint64_t number, uint64_t version, uint64_t token)
{
    return hf_found(T(ms), number,
                    (struct hf_sight){
                        .kind = HF_SIGHT_LOCK,
                        .version = version,
                        .token = token,
                        .heartbeat = {token, version - token},
                        .terms = {HF_REFUSE, {1000}, {200}},
                    });
}

/* Its first look, #1, is out since 0. */
static struct bench
looking(const struct hf_examiner_config *config)
{
    struct bench b = {0};

    hf_examiner_init(&b.examiner, config);
    step(&b, hf_event(HF_ON_EXAMINE, T(0)));
    EXPECT_TRACE(&b.tale, "0 ask #1 read\n");
    return b;
}

/* Saw v7 of token 7 at 10; the next look, #2, is due at 510. */
static struct bench
watching(const struct hf_examiner_config *config)
{
    struct bench b = looking(config);

    step(&b, found_held(10, 1, 7, 7));
    assert_int_equal(hf_examiner_deadline(&b.examiner).ms, 510);
    EXPECT_TRACE(&b.tale, "");
    return b;
}

/* Its holder is gone; the clear of v7, #3, is out since 30. */
static struct bench
clearing(const struct hf_examiner_config *config)
{
    struct bench b = watching(config);

    step(&b, hf_processes(T(20), 7, true));
    step(&b, found_held(30, 2, 7, 7));
    EXPECT_TRACE(&b.tale, "20 ask #2 read\n"
                          "30 ask #3 delete lock v7, put audit 7 absent new\n");
    return b;
}

#define EXPECT_ENDED(b, want_status, want_finding, want_cleared)               \
    do {                                                                       \
        assert_int_equal((b)->examiner.state, HF_EXAMINER_ENDED);              \
        assert_int_equal((b)->examiner.status, (want_status));                 \
        assert_int_equal((b)->examiner.finding, (want_finding));               \
        assert_int_equal((b)->examiner.cleared, (want_cleared));               \
        assert_int_equal(hf_examiner_deadline(&(b)->examiner).ms,              \
                         HF_NEVER.ms);                                         \
    } while (0)

static void
a_lock_that_is_not_there_ends_the_look(void **state)
{
    struct bench b = looking(&clear);

    (void)state;
    step(&b, found_absent(10, 1, 7));
    EXPECT_TRACE(&b.tale, "10 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_NONE, false);
    assert_int_equal(b.examiner.found, HF_SIGHT_ABSENT);
}

static void
a_beat_shows_that_the_holder_lives(void **state)
{
    struct bench b = watching(&clear);

    (void)state;
    step(&b, at_clock(510));
    step(&b, found_held(520, 2, 8, 7));
    EXPECT_TRACE(&b.tale, "510 ask #2 read\n"
                          "520 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_ALIVE, false);
}

static void
a_hint_makes_it_look_at_once(void **state)
{
    struct bench b = watching(&why);
    uint64_t version = 0;

    (void)state;
    assert_true(hf_examiner_watching(&b.examiner, &version));
    assert_int_equal(version, 7);
    step(&b, hf_event(HF_ON_HINT, T(50)));
    step(&b, hf_event(HF_ON_HINT, T(51)));
    EXPECT_TRACE(&b.tale, "50 ask #2 read\n");
}

static void
a_lock_unchanged_for_its_ttl_is_suspected(void **state)
{
    struct bench b = watching(&why);

    (void)state;
    step(&b, at_clock(510));
    step(&b, found_held(520, 2, 7, 7));
    step(&b, at_clock(1009));
    step(&b, at_clock(1010));
    step(&b, found_held(1020, 3, 7, 7));
    EXPECT_TRACE(&b.tale, "510 ask #2 read\n"
                          "1010 ask #3 read\n"
                          "1020 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_UNCHANGED, false);
}

static void
a_suspected_lock_is_cleared_at_the_version_watched(void **state)
{
    struct bench b = watching(&clear);

    (void)state;
    step(&b, at_clock(1009));
    step(&b, found_held(1020, 2, 7, 7)); /* sent too early to prove it */
    step(&b, found_held(1030, 3, 7, 7));
    step(&b, applied(1040, 4, 8));
    EXPECT_TRACE(&b.tale, "1009 ask #2 read\n"
                          "1020 ask #3 read\n"
                          "1030 ask #4 delete lock v7, put audit 7 absent new\n"
                          "1040 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_UNCHANGED, true);
}

static void
gone_counts_only_with_a_read_sent_after_it(void **state)
{
    struct bench b = watching(&why);

    (void)state;
    step(&b, at_clock(510));
    step(&b, hf_processes(T(515), 7, true));
    step(&b, found_held(520, 2, 7, 7));
    step(&b, found_held(530, 3, 7, 7));
    EXPECT_TRACE(&b.tale, "510 ask #2 read\n"
                          "520 ask #3 read\n"
                          "530 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_GONE, false);
}

static void
evidence_about_an_older_version_is_ignored(void **state)
{
    struct bench b = watching(&clear);

    (void)state;
    step(&b, hf_processes(T(20), 6, true));
    step(&b, at_clock(510));
    step(&b, found_held(520, 2, 7, 7));
    EXPECT_TRACE(&b.tale, "510 ask #2 read\n");
    assert_int_equal(b.examiner.state, HF_EXAMINER_WATCHING);
}

static void
a_process_that_is_there_proves_no_life(void **state)
{
    struct bench b = watching(&why);

    (void)state;
    step(&b, hf_processes(T(20), 7, false));
    assert_int_equal(b.examiner.state, HF_EXAMINER_WATCHING);
    assert_true(b.examiner.evidence.running);
    step(&b, at_clock(1010));
    step(&b, found_held(1020, 2, 7, 7));
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_UNCHANGED, false);
}

static void
a_short_watch_ends_without_a_finding(void **state)
{
    struct hf_examiner_config config = clear;
    struct bench b;

    (void)state;
    config.watch.ms = 300;
    b = looking(&config);
    step(&b, found_held(10, 1, 7, 7));
    assert_int_equal(hf_examiner_deadline(&b.examiner).ms, 310);
    step(&b, at_clock(309));
    step(&b, at_clock(310));
    EXPECT_TRACE(&b.tale, "310 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_NONE, false);

    config.watch.ms = 0;
    b = looking(&config);
    step(&b, found_held(10, 1, 7, 7));
    EXPECT_TRACE(&b.tale, "10 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_NONE, false);
}

static void
force_clears_without_watching(void **state)
{
    struct bench b = looking(&force);

    (void)state;
    step(&b, found_held(10, 1, 7, 7));
    step(&b, applied(20, 2, 8));
    EXPECT_TRACE(&b.tale, "10 ask #2 delete lock v7, put audit 7 absent new\n"
                          "20 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_NONE, true);
}

static void
force_goes_on_at_the_version_of_a_beat_that_fell_between(void **state)
{
    struct bench b = looking(&force);

    (void)state;
    step(&b, found_held(10, 1, 7, 7));
    step(&b, refused(20, 2));
    step(&b, found_held(30, 3, 8, 7));
    step(&b, applied(40, 4, 9));
    EXPECT_TRACE(&b.tale, "10 ask #2 delete lock v7, put audit 7 absent new\n"
                          "20 ask #3 read\n"
                          "30 ask #4 delete lock v8, put audit 8 absent new\n"
                          "40 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_NONE, true);
}

static void
a_clear_before_a_beat_that_is_answered_late_says_nothing(void **state)
{
    struct bench b = looking(&force);

    (void)state;
    step(&b, found_held(10, 1, 7, 7));
    step(&b, unknown(20, 2));
    step(&b, at_clock(hf_examiner_deadline(&b.examiner).ms));
    step(&b, refused(60, 3));
    step(&b, found_held(70, 4, 8, 7));
    b.tale = (struct tale){0};
    step(&b, refused(80, 2));
    step(&b, applied(90, 5, 9));
    EXPECT_TRACE(&b.tale, "90 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_NONE, true);
}

static void
force_spares_the_holder_that_came_meanwhile(void **state)
{
    struct bench b = looking(&force);

    (void)state;
    step(&b, found_held(10, 1, 7, 7));
    step(&b, refused(20, 2));
    step(&b, found_held(30, 3, 8, 8));
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_ALIVE, false);
}

static void
force_does_not_run_after_beats_for_ever(void **state)
{
    struct bench b = looking(&force);
    uint64_t version = 7;
    int64_t now = 10;

    (void)state;
    step(&b, found_held(now, 1, version, 7));
    while (b.examiner.state != HF_EXAMINER_ENDED) {
        b.tale = (struct tale){0};
        step(&b, refused(++now, b.examiner.question.number));
        step(&b, found_held(++now, b.examiner.question.number, ++version, 7));
        assert_true(now < 1000);
    }
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_ALIVE, false);
}

static void
a_clear_spares_all_but_the_one_it_was_told_to_clear(void **state)
{
    struct hf_examiner_config told = force;
    struct bench b;

    (void)state;
    told.token = 7;
    b = looking(&told);
    step(&b, found_held(10, 1, 9, 9));
    EXPECT_TRACE(&b.tale, "10 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_NONE, false);

    b = looking(&told);
    step(&b, found_corrupt(10, 1, 9));
    EXPECT_TRACE(&b.tale, "10 ended\n");

    b = looking(&told);
    step(&b, found_held(10, 1, 8, 7));
    step(&b, applied(20, 2, 9));
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_NONE, true);
}

static void
only_force_clears_a_value_that_is_not_ours(void **state)
{
    struct bench b = looking(&clear);
    struct bench forced = looking(&force);

    (void)state;
    step(&b, found_corrupt(10, 1, 7));
    EXPECT_TRACE(&b.tale, "10 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_NONE, false);
    assert_int_equal(b.examiner.found, HF_SIGHT_CORRUPT);

    step(&forced, found_corrupt(10, 1, 7));
    step(&forced, applied(20, 2, 8));
    EXPECT_TRACE(&forced.tale,
                 "10 ask #2 delete lock v7, put audit 7 absent new\n"
                 "20 ended\n");
    EXPECT_ENDED(&forced, HF_OK, HF_FINDING_NONE, true);
}

static void
a_holder_that_beat_before_the_clear_is_left_alone(void **state)
{
    struct bench b = clearing(&clear);

    (void)state;
    step(&b, refused(40, 3));
    step(&b, found_held(50, 4, 8, 7));
    EXPECT_TRACE(&b.tale, "40 ask #4 read\n"
                          "50 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_ALIVE, false);
}

static void
a_holder_that_released_before_the_clear_was_not_cleared(void **state)
{
    struct bench b = clearing(&clear);

    (void)state;
    step(&b, refused(40, 3));
    step(&b, found_absent(50, 4, 8));
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_GONE, false);
}

static void
an_unknown_clear_is_repeated_at_the_same_version(void **state)
{
    struct bench b = clearing(&clear);
    struct bench had_applied = b;

    (void)state;
    step(&b, unknown(40, 3));
    step(&b, at_clock(50));
    step(&b, applied(60, 4, 8));
    EXPECT_TRACE(&b.tale, "50 ask #4 delete lock v7, put audit 7 absent new\n"
                          "60 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_GONE, true);

    step(&had_applied, at_clock(230)); /* overdue */
    step(&had_applied, at_clock(240));
    step(&had_applied, refused(250, 4));
    step(&had_applied, found_absent(260, 5, 8));
    EXPECT_TRACE(&had_applied.tale,
                 "240 ask #4 delete lock v7, put audit 7 absent new\n"
                 "250 ask #5 read\n"
                 "260 ended\n");
    EXPECT_ENDED(&had_applied, HF_E_UNKNOWN, HF_FINDING_GONE, false);
}

/* On a place that is slower than a person's patience. */
static void
a_clear_answered_late_was_done_or_not_all_the_same(void **state)
{
    struct bench b = clearing(&clear);
    struct bench late_refusal = b;

    (void)state;
    step(&b, at_clock(230)); /* overdue */
    step(&b, applied(235, 3, 8));
    EXPECT_TRACE(&b.tale, "235 ended\n");
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_GONE, true);

    step(&late_refusal, at_clock(230));
    step(&late_refusal, at_clock(240));
    step(&late_refusal, refused(245, 3));
    step(&late_refusal, found_held(250, 5, 9, 7));
    EXPECT_TRACE(&late_refusal.tale,
                 "240 ask #4 delete lock v7, put audit 7 absent new\n"
                 "245 ask #5 read\n"
                 "250 ended\n");
    EXPECT_ENDED(&late_refusal, HF_OK, HF_FINDING_ALIVE, false);
}

/* It was past before our only clear: somebody else's doing. */
static void
a_clear_refused_late_did_not_clear(void **state)
{
    struct bench b = clearing(&clear);

    (void)state;
    step(&b, at_clock(230)); /* overdue */
    step(&b, refused(235, 3));
    step(&b, found_absent(240, 4, 8));
    EXPECT_ENDED(&b, HF_OK, HF_FINDING_GONE, false);
}

static void
a_clear_that_is_refused_for_ever_ends(void **state)
{
    struct bench b = clearing(&clear);
    int64_t at_ms = 40;

    (void)state;
    for (int i = 0; i < 20 && b.examiner.state == HF_EXAMINER_CLEARING; i++) {
        step(&b, refused(at_ms, b.examiner.question.number));
        step(&b, found_held(at_ms, b.examiner.question.number, 7, 7));
        at_ms = hf_examiner_deadline(&b.examiner).ms;
        if (b.examiner.state == HF_EXAMINER_CLEARING)
            step(&b, at_clock(at_ms));
    }
    EXPECT_ENDED(&b, HF_E_UNAVAILABLE, HF_FINDING_GONE, false);
}

/* Or another's: who stood still may give back, and who is gone be taken over,
 * or cleared by another person. */
static void
a_clear_answered_unknown_may_have_been_ours(void **state)
{
    struct bench absent = clearing(&clear);
    struct bench suspected;
    struct bench another;
    struct bench beaten;
    struct bench cancelled = clearing(&clear);

    (void)state;
    step(&absent, unknown(40, 3));
    step(&absent, at_clock(50));
    step(&absent, refused(60, 4));
    suspected = another = beaten = absent;
    step(&absent, found_absent(70, 5, 8));
    EXPECT_ENDED(&absent, HF_E_UNKNOWN, HF_FINDING_GONE, false);

    suspected.examiner.finding = HF_FINDING_UNCHANGED;
    step(&suspected, found_absent(70, 5, 8));
    EXPECT_ENDED(&suspected, HF_E_UNKNOWN, HF_FINDING_UNCHANGED, false);

    step(&another, found_held(70, 5, 9, 9));
    EXPECT_ENDED(&another, HF_E_UNKNOWN, HF_FINDING_ALIVE, false);

    step(&beaten, found_held(70, 5, 9, 7));
    EXPECT_ENDED(&beaten, HF_OK, HF_FINDING_ALIVE, false);

    step(&cancelled, unknown(40, 3));
    step(&cancelled, hf_event(HF_ON_CANCEL, T(45)));
    EXPECT_ENDED(&cancelled, HF_E_UNKNOWN, HF_FINDING_GONE, false);
}

static void
a_person_is_told_when_the_place_does_not_answer(void **state)
{
    struct bench b = looking(&why);
    struct bench unsettled = clearing(&clear);
    struct bench undone = clearing(&clear);

    (void)state;
    for (uint64_t i = 1; i <= 5; i++) {
        step(&b, found_nothing(hf_examiner_deadline(&b.examiner).ms, i));
        step(&b, at_clock(hf_examiner_deadline(&b.examiner).ms));
    }
    EXPECT_ENDED(&b, HF_E_UNAVAILABLE, HF_FINDING_NONE, false);

    for (int i = 0; i < 9; i++)
        step(&unsettled,
             at_clock(hf_examiner_deadline(&unsettled.examiner).ms));
    EXPECT_ENDED(&unsettled, HF_E_UNKNOWN, HF_FINDING_GONE, false);

    for (uint64_t i = 3; i <= 7; i++) {
        step(&undone, unavailable(40, i));
        step(&undone, at_clock(hf_examiner_deadline(&undone.examiner).ms));
    }
    EXPECT_ENDED(&undone, HF_E_UNAVAILABLE, HF_FINDING_GONE, false);
}

static void
a_failing_look_is_not_hurried_by_hints(void **state)
{
    struct bench b = watching(&why);
    uint64_t version;

    (void)state;
    step(&b, at_clock(510));
    step(&b, found_nothing(520, 2));
    assert_false(hf_examiner_watching(&b.examiner, &version));
    step(&b, hf_event(HF_ON_HINT, T(521)));
    step(&b, at_clock(530));
    EXPECT_TRACE(&b.tale, "510 ask #2 read\n"
                          "530 ask #3 read\n");
}

static void
cancel_says_whether_the_clear_may_still_happen(void **state)
{
    struct bench idle = {0};
    struct bench b = watching(&clear);
    struct bench out = clearing(&clear);
    struct bench undone = clearing(&clear);

    (void)state;
    hf_examiner_init(&idle.examiner, &why);
    step(&idle, hf_event(HF_ON_CANCEL, T(0)));
    EXPECT_ENDED(&idle, HF_E_CANCELLED, HF_FINDING_NONE, false);

    step(&b, hf_event(HF_ON_CANCEL, T(20)));
    step(&b, hf_event(HF_ON_ABANDON, T(21)));
    EXPECT_TRACE(&b.tale, "20 ended\n");
    EXPECT_ENDED(&b, HF_E_CANCELLED, HF_FINDING_NONE, false);

    step(&out, hf_event(HF_ON_ABANDON, T(40)));
    step(&out, applied(50, 3, 8));
    EXPECT_TRACE(&out.tale, "40 ended\n");
    EXPECT_ENDED(&out, HF_E_UNKNOWN, HF_FINDING_GONE, false);

    step(&undone, unavailable(40, 3));
    step(&undone, hf_event(HF_ON_CANCEL, T(45)));
    EXPECT_ENDED(&undone, HF_E_CANCELLED, HF_FINDING_GONE, false);
}

static void
a_read_given_up_is_never_answered(void **state)
{
    struct bench b = watching(&clear);

    (void)state;
    step(&b, found_absent(20, 1, 9));
    step(&b, hf_event(HF_ON_HINT, T(20)));
    step(&b, at_clock(220)); /* late, and still waited for */
    step(&b, found_held(800, 2, 7, 7));
    step(&b, hf_event(HF_ON_HINT, T(810)));
    step(&b, at_clock(1810));
    step(&b, found_absent(1815, 3, 9));
    EXPECT_TRACE(&b.tale, "20 ask #2 read\n"
                          "810 ask #3 read\n");
    assert_int_equal(b.examiner.state, HF_EXAMINER_WATCHING);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_that_is_not_there_ends_the_look),
        cmocka_unit_test(a_beat_shows_that_the_holder_lives),
        cmocka_unit_test(a_hint_makes_it_look_at_once),
        cmocka_unit_test(a_lock_unchanged_for_its_ttl_is_suspected),
        cmocka_unit_test(a_suspected_lock_is_cleared_at_the_version_watched),
        cmocka_unit_test(gone_counts_only_with_a_read_sent_after_it),
        cmocka_unit_test(evidence_about_an_older_version_is_ignored),
        cmocka_unit_test(a_process_that_is_there_proves_no_life),
        cmocka_unit_test(a_short_watch_ends_without_a_finding),
        cmocka_unit_test(force_clears_without_watching),
        cmocka_unit_test(
            force_goes_on_at_the_version_of_a_beat_that_fell_between),
        cmocka_unit_test(
            a_clear_before_a_beat_that_is_answered_late_says_nothing),
        cmocka_unit_test(force_spares_the_holder_that_came_meanwhile),
        cmocka_unit_test(force_does_not_run_after_beats_for_ever),
        cmocka_unit_test(a_clear_spares_all_but_the_one_it_was_told_to_clear),
        cmocka_unit_test(only_force_clears_a_value_that_is_not_ours),
        cmocka_unit_test(a_holder_that_beat_before_the_clear_is_left_alone),
        cmocka_unit_test(
            a_holder_that_released_before_the_clear_was_not_cleared),
        cmocka_unit_test(an_unknown_clear_is_repeated_at_the_same_version),
        cmocka_unit_test(a_clear_answered_late_was_done_or_not_all_the_same),
        cmocka_unit_test(a_clear_refused_late_did_not_clear),
        cmocka_unit_test(a_clear_that_is_refused_for_ever_ends),
        cmocka_unit_test(a_clear_answered_unknown_may_have_been_ours),
        cmocka_unit_test(a_person_is_told_when_the_place_does_not_answer),
        cmocka_unit_test(a_failing_look_is_not_hurried_by_hints),
        cmocka_unit_test(cancel_says_whether_the_clear_may_still_happen),
        cmocka_unit_test(a_read_given_up_is_never_answered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
