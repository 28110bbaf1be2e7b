#include "unit/support/events.h"

#include "core/evidence.h"

static struct hf_sight
a_lock(uint64_t version, uint64_t token)
{
    return (struct hf_sight){
        .kind = HF_SIGHT_LOCK,
        .version = version,
        .token = token,
        .heartbeat = {9, 0},
        .terms = {HF_TAKEOVER, {1000}, {100}},
    };
}

static bool
note(struct hf_evidence *s, int64_t at_ms, uint64_t version, uint64_t token)
{
    struct hf_sight sight = a_lock(version, token);

    return hf_evidence_lock(s, &sight, T(at_ms));
}

static void
nothing_seen_proves_nothing(void **state)
{
    struct hf_evidence s = {0};

    (void)state;
    assert_int_equal(hf_evidence_proof(&s, T(INT64_MAX)), HF_PROOF_NONE);
    assert_int_equal(hf_evidence_stale_at(&s).ms, HF_NEVER.ms);
}

static void
an_unchanged_version_is_dead_after_its_own_ttl(void **state)
{
    struct hf_evidence s = {0};

    (void)state;
    assert_false(note(&s, 50, 7, 7));
    assert_true(note(&s, 900, 7, 7));
    assert_int_equal(hf_evidence_stale_at(&s).ms, 1050);
    assert_int_equal(hf_evidence_proof(&s, T(1049)), HF_PROOF_NONE);
    assert_int_equal(hf_evidence_proof(&s, T(1050)), HF_PROOF_UNCHANGED);
}

static void
every_new_version_starts_anew(void **state)
{
    struct hf_evidence s = {0};

    (void)state;
    note(&s, 0, 7, 7);
    assert_false(note(&s, 999, 8, 7));
    assert_true(s.beat_seen);
    assert_true(s.same_holder);
    assert_int_equal(s.first_at.ms, 0);
    assert_int_equal(hf_evidence_proof(&s, T(1998)), HF_PROOF_NONE);
    assert_int_equal(hf_evidence_proof(&s, T(1999)), HF_PROOF_UNCHANGED);
}

static void
a_new_token_is_another_holder_that_has_not_beaten(void **state)
{
    struct hf_evidence s = {0};

    (void)state;
    note(&s, 0, 7, 7);
    note(&s, 100, 8, 7);
    assert_false(note(&s, 200, 9, 9));
    assert_false(s.beat_seen);
    assert_false(s.same_holder);
    note(&s, 300, 10, 9);
    assert_true(s.beat_seen);
    assert_false(s.same_holder);
}

static void
an_absent_lock_proves_nothing_and_ends_the_holder(void **state)
{
    struct hf_evidence s = {0};

    (void)state;
    note(&s, 0, 7, 7);
    hf_evidence_processes(&s, 7, true);
    hf_evidence_absent(&s);
    assert_int_equal(hf_evidence_proof(&s, T(5000)), HF_PROOF_NONE);
    assert_int_equal(hf_evidence_stale_at(&s).ms, HF_NEVER.ms);
    assert_false(note(&s, 6000, 9, 9));
    assert_false(s.same_holder);
    assert_false(s.gone);
}

static void
gone_is_proof_at_its_version_only(void **state)
{
    struct hf_evidence s = {0};

    (void)state;
    note(&s, 0, 7, 7);
    hf_evidence_processes(&s, 6, true);
    assert_int_equal(hf_evidence_proof(&s, T(1)), HF_PROOF_NONE);
    hf_evidence_processes(&s, 7, true);
    assert_int_equal(hf_evidence_proof(&s, T(1)), HF_PROOF_GONE);
    assert_int_equal(hf_evidence_proof(&s, T(5000)), HF_PROOF_GONE);

    note(&s, 100, 8, 7);
    assert_int_equal(hf_evidence_proof(&s, T(101)), HF_PROOF_NONE);
}

static void
evidence_about_an_absent_lock_is_ignored(void **state)
{
    struct hf_evidence s = {0};

    (void)state;
    hf_evidence_processes(&s, 0, true);
    assert_int_equal(hf_evidence_proof(&s, T(1)), HF_PROOF_NONE);
    note(&s, 0, 7, 7);
    hf_evidence_absent(&s);
    hf_evidence_processes(&s, 7, true);
    assert_int_equal(hf_evidence_proof(&s, T(1)), HF_PROOF_NONE);
}

static void
a_running_process_is_remembered_for_its_holder(void **state)
{
    struct hf_evidence s = {0};

    (void)state;
    note(&s, 0, 7, 7);
    hf_evidence_processes(&s, 7, false);
    note(&s, 10, 8, 7);
    assert_true(s.running);
    note(&s, 20, 9, 9);
    assert_false(s.running);
}

/* A process that is there does not beat: it may be stopped, or hang. */
static void
a_running_process_does_not_keep_an_unchanged_lock_alive(void **state)
{
    struct hf_evidence s = {0};

    (void)state;
    note(&s, 0, 7, 7);
    hf_evidence_processes(&s, 7, false);
    assert_int_equal(hf_evidence_proof(&s, T(1000)), HF_PROOF_UNCHANGED);
}

static void
a_session_is_alive_if_it_was_heard_within_half_its_ttl(void **state)
{
    const struct hf_duration ttl = {1000};
    static const struct {
        bool suspected;
        bool heard;
        struct hf_duration silent;
        enum hf_life life;
    } cases[] = {
        {false, true, {0}, HF_LIFE_BEATING},
        {false, true, {500}, HF_LIFE_BEATING},
        {false, true, {501}, HF_LIFE_UNKNOWN},
        {false, false, {0}, HF_LIFE_UNKNOWN},
        {true, true, {2000}, HF_LIFE_SUSPECTED},
        {true, false, {0}, HF_LIFE_SUSPECTED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(hf_evidence_of_session(cases[i].suspected,
                                                cases[i].heard, cases[i].silent,
                                                ttl),
                         cases[i].life);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_seen_proves_nothing),
        cmocka_unit_test(an_unchanged_version_is_dead_after_its_own_ttl),
        cmocka_unit_test(every_new_version_starts_anew),
        cmocka_unit_test(a_new_token_is_another_holder_that_has_not_beaten),
        cmocka_unit_test(an_absent_lock_proves_nothing_and_ends_the_holder),
        cmocka_unit_test(gone_is_proof_at_its_version_only),
        cmocka_unit_test(evidence_about_an_absent_lock_is_ignored),
        cmocka_unit_test(a_running_process_is_remembered_for_its_holder),
        cmocka_unit_test(
            a_running_process_does_not_keep_an_unchanged_lock_alive),
        cmocka_unit_test(
            a_session_is_alive_if_it_was_heard_within_half_its_ttl),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
