#include "unit/support/contender_script.h"

/* Only somebody's own marker can refuse a takeover at the version seen. */
static void
a_foreign_marker_makes_it_wait_and_does_not_spin(void **state)
{
    const uint64_t *asked = &scripted_contender.keeper.question.number;
    uint64_t asked_before;

    (void)state;
    PLAY("start limit 3000\n"
         "nearly sure\n"
         "1010 clock      | ask #7 read\n"
         "1020 found #7 lock v7 7_0\n"
         "| ask #8 put lock v7 id1_0 new, put marker 7 absent new\n"
         "1030 refused #8 | ask #9 read\n"
         "1040 found #9 lock v7 7_0 | ask #10 read\n");
    asked_before = *asked;
    for (int64_t at_ms = 1050; at_ms < 3000; at_ms++) {
        contender_gives(at_clock(at_ms));
        contender_gives(found_held(at_ms, *asked, 7, 7, HF_TAKEOVER));
    }
    assert_in_range(*asked - asked_before, 5, 12);
    PLAY_ON("3000 clock | ended\n"
            "= ended HF_OK timed out\n");
}

/* Its shell says again after every look that the holder is gone. */
static void
a_gone_holder_behind_a_foreign_marker_is_not_looked_at_for_ever(void **state)
{
    const uint64_t *asked = &scripted_contender.keeper.question.number;
    uint64_t asked_before;

    (void)state;
    PLAY("start limit 3000\n"
         "watching\n"
         "20 evidence v7 gone | ask #2 read\n"
         "30 found #2 lock v7 7_0\n"
         "| ask #3 put lock v7 id1_0 new, put marker 7 absent new\n"
         "40 refused #3       | ask #4 read\n"
         "50 found #4 lock v7 7_0 | ask #5 read\n");
    asked_before = *asked;
    for (int64_t at_ms = 60; at_ms < 3000; at_ms++) {
        contender_gives(found_held(at_ms, *asked, 7, 7, HF_TAKEOVER));
        contender_gives(hf_processes(T(at_ms), 7, true));
    }
    assert_in_range(*asked - asked_before, 10, 20);
}

/* Whatever the waiter's own terms and whatever the evidence: no write. */
static void
a_refuse_record_is_never_overridden(void **state)
{
    static const char *const starts[] = {"start\n", "start refuse\n",
                                         "start try\n"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct hf_contender *c = &scripted_contender;
        struct hf_effect effect;

        PLAY(starts[i]);
        PLAY_ON("watching refuse\n");
        for (int64_t at_ms = 20; at_ms < 12000; at_ms += 7) {
            uint64_t number = c->keeper.question.number;

            if (at_ms % 3 == 0)
                hf_contender_step(c, at_clock(at_ms));
            else if (at_ms % 2 == 0)
                hf_contender_step(c,
                                  found_held(at_ms, number, 7, 7, HF_REFUSE));
            else if (at_ms > 9000)
                hf_contender_step(c, hf_processes(T(at_ms), 7, true));
            while (hf_contender_next(c, &effect))
                assert_true(effect.kind == HF_DO_NOTIFY || effect.request.read);
        }
        assert_int_equal(c->state, HF_CONTENDER_ENDED);
    }
}

static const struct CMUnitTest tests[] = {
    STORY(an_unchanged_takeover_lock_is_taken_over_in_one_group,
          "nearly sure\n"
          "1009 clock\n"
          "1010 clock         | ask #7 read\n"
          "1020 found #7 lock v7 7_0\n"
          "| ask #8 put lock v7 id1_0 new, put marker 7 absent new\n"
          "1030 applied #8 v8 | granted\n"
          "1030 check         | granted\n"),
    /* That read may have been served before the ttl was over. */
    STORY(a_read_sent_before_the_ttl_was_over_proves_nothing,
          "watching\n"
          "1009 clock                | ask #2 read\n"
          "1100 found #2 lock v7 7_0 | ask #3 read\n"
          "1110 found #3 lock v7 7_0\n"
          "| ask #4 put lock v7 id1_0 new, put marker 7 absent new\n"),
    STORY(a_beat_in_the_last_moment_starts_the_ttl_anew,
          "nearly sure\n"
          "1010 clock | ask #7 read\n"
          "1020 found #7 lock v8 7_1 token 7\n"
          "2019 clock | ask #8 read\n"
          "2019 found #8 lock v8 7_1 token 7\n"
          "2020 clock | ask #9 read\n"
          "2021 found #9 lock v8 7_1 token 7\n"
          "| ask #10 put lock v8 id1_0 new, put marker 7 absent new\n"),
    STORY(another_holder_in_the_last_moment_starts_the_ttl_anew,
          "nearly sure\n"
          "1010 clock | ask #7 read\n"
          "1020 found #7 lock v20 20_0\n"
          "= state watching\n"),
    /* What the store promises is a proof by itself, also for who comes late. */
    STORY(
        a_lock_that_the_store_says_has_stood_for_its_ttl_is_taken_over_at_once,
        "looking\n"
        "10 found #1 lock v7 7_0 stood 1000\n"
        "| waiting; ask #2 put lock v7 id1_0 new, put marker 7 absent new\n"
        "20 applied #2 v8 | granted\n"),
    STORY(a_try_takes_it_over_too,
          "start try\n"
          "looking\n"
          "10 found #1 lock v7 7_0 stood 5000\n"
          "| waiting; ask #2 put lock v7 id1_0 new, put marker 7 absent new\n"),
    STORY(a_lock_that_has_stood_for_less_is_looked_at_when_it_may_be_stale,
          "looking\n"
          "10 found #1 lock v7 7_0 stood 880 | waiting\n"
          "129 clock\n"
          "130 clock | ask #2 read\n"
          "131 found #2 lock v7 7_0 stood 1000\n"
          "| ask #3 put lock v7 id1_0 new, put marker 7 absent new\n"),
    STORY(a_clock_that_stands_still_makes_nobody_look_all_the_time,
          "looking\n"
          "10 found #1 lock v7 7_0 stood 999 | waiting\n"
          "109 clock\n"
          "110 clock | ask #2 read\n"
          "120 found #2 lock v7 7_0 stood 999\n"
          "219 clock\n"
          "220 clock | ask #3 read\n"),
    STORY(what_the_store_says_of_the_time_proves_nothing_of_a_refuse_lock,
          "looking\n"
          "10 found #1 lock v7 7_0 refuse stood 9000 | waiting\n"
          "= state watching\n"
          "209 clock\n"
          "210 clock | ask #2 read\n"
          "220 found #2 lock v7 7_0 refuse stood 9000\n"
          "= state watching\n"),
    STORY(the_records_ttl_counts_for_that_too,
          "start ttl 5000\n"
          "looking\n"
          "10 found #1 lock v7 7_0 stood 1000\n"
          "| waiting; ask #2 put lock v7 id1_0 new, put marker 7 absent new\n"),
    STORY(a_stale_lock_with_a_foreign_marker_is_claimed_once_a_version,
          "looking\n"
          "10 found #1 lock v7 7_0 stood 1000\n"
          "| waiting; ask #2 put lock v7 id1_0 new, put marker 7 absent new\n"
          "20 refused #2 | ask #3 read\n"
          "30 found #3 lock v7 7_0 stood 1020 | ask #4 read\n"
          "40 found #4 lock v7 7_0 stood 1030\n"
          "= state watching\n"),
    STORY(a_frozen_waiter_looks_again_before_it_believes,
          "watching\n"
          "210 clock                 | ask #2 read\n"
          "9000 found #2 lock v7 7_0 | ask #3 read\n"
          "9010 found #3 lock v30 7_23 token 7\n"),
    /* The ttl is the holder's, and so is the choice. */
    STORY(the_records_ttl_counts_not_the_waiters,
          "start ttl 5000\n"
          "nearly sure\n"
          "1010 clock | ask #7 read\n"
          "1020 found #7 lock v7 7_0\n"
          "| ask #8 put lock v7 id1_0 new, put marker 7 absent new\n"
          "= state claiming\n"
          "start\n"
          "looking\n"
          "10 found #1 lock v7 7_0 ttl 5000   | waiting\n"
          "5009 clock                         | ask #2 read\n"
          "5009 found #2 lock v7 7_0 ttl 5000\n"
          "= state watching\n"
          "5010 clock                         | ask #3 read\n"
          "5011 found #3 lock v7 7_0 ttl 5000\n"
          "| ask #4 put lock v7 id1_0 new, put marker 7 absent new\n"
          "= state claiming\n"),
    STORY(who_loses_the_race_for_a_dead_lock_waits_for_the_taker,
          "nearly sure\n"
          "1010 clock                | ask #7 read\n"
          "1020 found #7 lock v7 7_0\n"
          "| ask #8 put lock v7 id1_0 new, put marker 7 absent new\n"
          "1030 refused #8           | ask #9 read\n"
          "1040 found #9 lock v8 8_0 | ask #10 read\n"
          "1050 found #10 lock v8 8_0\n"
          "= deadline 1250\n"),
    cmocka_unit_test(a_foreign_marker_makes_it_wait_and_does_not_spin),
    cmocka_unit_test(
        a_gone_holder_behind_a_foreign_marker_is_not_looked_at_for_ever),
    STORY(try_does_not_wait_behind_a_foreign_marker,
          "start try\n"
          "nearly sure\n"
          "1010 clock                 | ask #7 read\n"
          "1020 found #7 lock v7 7_0\n"
          "| ask #8 put lock v7 id1_0 new, put marker 7 absent new\n"
          "1030 refused #8            | ask #9 read\n"
          "1040 found #9 lock v7 7_0  | ask #10 read\n"
          "1050 found #10 lock v7 7_0 | ended\n"
          "= ended HF_OK timed out\n"),
    STORY(a_holder_that_is_gone_is_taken_over_after_one_more_read,
          "watching\n"
          "20 evidence v7 gone | ask #2 read\n"
          "30 found #2 lock v7 7_0\n"
          "| ask #3 put lock v7 id1_0 new, put marker 7 absent new\n"),
    /* Its end may have come between a last beat or release and the look. */
    STORY(gone_at_a_version_that_is_past_proves_nothing,
          "watching\n"
          "mark\n"
          "20 evidence v7 gone   | ask #2 read\n"
          "30 found #2 lock v8 7_1 token 7\n"
          "= state watching\n"
          "back\n"
          "20 evidence v7 gone   | ask #2 read\n"
          "30 found #2 absent v8 | ask #3 put lock v8 id1_0 new\n"),
    STORY(evidence_about_an_older_version_is_ignored,
          "watching\n"
          "20 evidence v6 gone\n"
          "210 clock | ask #2 read\n"
          "220 found #2 lock v7 7_0\n"
          "= state watching\n"),
    /* The read that was out may have been served before the end; the next one
     * is sent as soon as it is answered. */
    STORY(gone_counts_only_with_a_read_sent_after_it,
          "watching refuse\n"
          "210 clock                       | ask #2 read\n"
          "215 evidence v7 gone\n"
          "220 found #2 lock v7 7_0 refuse | ask #3 read\n"
          "= state watching\n"
          "230 found #3 lock v7 7_0 refuse | ended\n"
          "= ended HF_OK gone\n"),
    STORY(a_process_that_turns_out_to_be_there_withdraws_the_evidence,
          "watching refuse\n"
          "210 clock | ask #2 read\n"
          "215 evidence v7 gone\n"
          "216 evidence v7 running\n"
          "220 found #2 lock v7 7_0 refuse\n"
          "= state watching\n"),
    STORY(a_refuse_holder_that_is_gone_ends_the_wait_at_once,
          "watching refuse\n"
          "20 evidence v7 gone            | ask #2 read\n"
          "30 found #2 lock v7 7_0 refuse | ended\n"
          "= ended HF_OK gone\n"
          "30 check                       | not held\n"),
    STORY(a_suspected_refuse_holder_is_said_once_and_fails_at_the_limit,
          "start limit 1500\n"
          "nearly sure refuse\n"
          "1010 clock                       | ask #7 read\n"
          "1020 found #7 lock v7 7_0 refuse | suspected\n"
          "1220 clock                       | ask #8 read\n"
          "1230 found #8 lock v7 7_0 refuse\n"
          "1430 clock                       | ask #9 read\n"
          "1440 found #9 lock v7 7_0 refuse\n"
          "1499 clock\n"
          "1500 clock                       | ended\n"
          "= ended HF_OK suspected dead\n"),
    STORY(a_suspected_refuse_holder_ends_the_wait_at_once_if_so_wished,
          "start fail-suspected\n"
          "nearly sure refuse\n"
          "1010 clock | ask #7 read\n"
          "1020 found #7 lock v7 7_0 refuse | ended\n"
          "= ended HF_OK suspected dead\n"),
    /* One that may be taken over is, whatever was wished. */
    STORY(if_so_wished_a_takeover_holder_is_taken_over_all_the_same,
          "start fail-suspected\n"
          "nearly sure\n"
          "1010 clock | ask #7 read\n"
          "1020 found #7 lock v7 7_0\n"
          "| ask #8 put lock v7 id1_0 new, put marker 7 absent new\n"
          "= state claiming\n"),
    STORY(a_suspected_holder_that_beats_again_is_suspected_no_more,
          "start limit 2500\n"
          "nearly sure refuse\n"
          "1010 clock                               | ask #7 read\n"
          "1020 found #7 lock v7 7_0 refuse         | suspected\n"
          "1220 clock                               | ask #8 read\n"
          "1230 found #8 lock v8 7_1 token 7 refuse\n"
          "2230 clock                               | ask #9 read\n"
          "2231 found #9 lock v8 7_1 token 7 refuse | suspected\n"
          "2240 found #10 lock v8 7_1 token 7 refuse\n"
          "2300 hint                                | ask #10 read\n"
          "2310 found #10 lock v9 7_2 token 7 refuse\n"
          "2500 clock                               | ended\n"
          "= ended HF_OK held too long\n"),
    STORY(a_suspected_holder_that_releases_makes_room,
          "nearly sure refuse\n"
          "1010 clock                       | ask #7 read\n"
          "1020 found #7 lock v7 7_0 refuse | suspected\n"
          "1220 clock                       | ask #8 read\n"
          "1230 found #8 absent v8          | ask #9 put lock v8 id1_0 new\n"),
    cmocka_unit_test(a_refuse_record_is_never_overridden),
    STORY(a_refuse_contender_takes_over_a_takeover_record,
          "start refuse\n"
          "watching\n"
          "20 evidence v7 gone | ask #2 read\n"
          "30 found #2 lock v7 7_0\n"
          "| ask #3 put lock v7 id1_0 new, put marker 7 absent new\n"
          "40 applied #3 v8    | granted\n"
          "780 clock\n"
          "| in doubt\n"
          "| ask #4 put lock v8 id1_1, erase marker 7 any\n"
          "780 check           | in doubt\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
