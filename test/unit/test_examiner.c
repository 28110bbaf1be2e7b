#include "unit/support/examiner_script.h"

#define STORY(name, text) SCRIPT(&examiner_script, name, text)
#define PLAY(text)        SCRIPT_PLAY(&examiner_script, text)
#define PLAY_ON(text)     SCRIPT_PLAY_ON(&examiner_script, text)

/* A refuse lock of token 7, with a ttl of 1 s. */
static struct hf_event
found_held(int64_t ms, uint64_t number, uint64_t version)
{
    return hf_found(T(ms), number,
                    (struct hf_sight){
                        .kind = HF_SIGHT_LOCK,
                        .version = version,
                        .token = 7,
                        .heartbeat = {7, version - 7},
                        .terms = {HF_REFUSE, {1000}, {200}},
                    });
}

static void
force_does_not_run_after_beats_for_ever(void **state)
{
    const struct hf_examiner *x = &scripted_examiner;
    uint64_t version = 7;
    int64_t now = 10;

    (void)state;
    PLAY("start force\n"
         "looking\n");
    examiner_gives(found_held(now, 1, version));
    while (x->state != HF_EXAMINER_ENDED) {
        examiner_gives(refused(++now, x->question.number));
        examiner_gives(found_held(++now, x->question.number, ++version));
        assert_true(now < 1000);
    }
    PLAY_ON("= ended HF_OK alive\n");
}

static void
a_clear_that_is_refused_for_ever_ends(void **state)
{
    const struct hf_examiner *x = &scripted_examiner;
    int64_t at_ms = 40;

    (void)state;
    PLAY("start clear\n"
         "clearing\n");
    for (int i = 0; i < 20 && x->state == HF_EXAMINER_CLEARING; i++) {
        examiner_gives(refused(at_ms, x->question.number));
        examiner_gives(found_held(at_ms, x->question.number, 7));
        at_ms = hf_examiner_deadline(x).ms;
        if (x->state == HF_EXAMINER_CLEARING)
            examiner_gives(at_clock(at_ms));
    }
    PLAY_ON("= ended HF_E_UNAVAILABLE gone\n");
}

static void
a_person_is_told_when_the_place_does_not_answer(void **state)
{
    const struct hf_examiner *x = &scripted_examiner;

    (void)state;
    PLAY("looking\n");
    for (uint64_t i = 1; i <= 5; i++) {
        examiner_gives(found_nothing(hf_examiner_deadline(x).ms, i));
        examiner_gives(at_clock(hf_examiner_deadline(x).ms));
    }
    PLAY_ON("= ended HF_E_UNAVAILABLE nothing\n");

    PLAY("start clear\n"
         "clearing\n");
    for (int i = 0; i < 9; i++)
        examiner_gives(at_clock(hf_examiner_deadline(x).ms));
    PLAY_ON("= ended HF_E_UNKNOWN gone\n");

    PLAY("start clear\n"
         "clearing\n");
    for (uint64_t i = 3; i <= 7; i++) {
        examiner_gives(unavailable(40, i));
        examiner_gives(at_clock(hf_examiner_deadline(x).ms));
    }
    PLAY_ON("= ended HF_E_UNAVAILABLE gone\n");
}

static const struct CMUnitTest tests[] = {
    STORY(a_lock_that_is_not_there_ends_the_look,
          "start clear\n"
          "looking\n"
          "10 found #1 absent v7 | ended\n"
          "= ended HF_OK nothing; found absent\n"),
    STORY(a_beat_shows_that_the_holder_lives,
          "start clear\n"
          "watching\n"
          "510 clock                               | ask #2 read\n"
          "520 found #2 lock v8 7_1 token 7 refuse | ended\n"
          "= ended HF_OK alive\n"),
    STORY(a_hint_makes_it_look_at_once, "watching\n"
                                        "= watching v7\n"
                                        "50 hint | ask #2 read\n"
                                        "51 hint\n"),
    STORY(a_lock_unchanged_for_its_ttl_is_suspected,
          "watching\n"
          "510 clock                        | ask #2 read\n"
          "520 found #2 lock v7 7_0 refuse\n"
          "1009 clock\n"
          "1010 clock                       | ask #3 read\n"
          "1020 found #3 lock v7 7_0 refuse | ended\n"
          "= ended HF_OK unchanged\n"),
    STORY(a_suspected_lock_is_cleared_at_the_version_watched,
          "start clear\n"
          "watching\n"
          "1009 clock                       | ask #2 read\n"
          /* sent too early to prove it */
          "1020 found #2 lock v7 7_0 refuse | ask #3 read\n"
          "1030 found #3 lock v7 7_0 refuse\n"
          "| ask #4 delete lock v7, put audit 7 absent new\n"
          "1040 applied #4 v8               | ended\n"
          "= ended HF_OK unchanged, cleared\n"),
    STORY(gone_counts_only_with_a_read_sent_after_it,
          "watching\n"
          "510 clock                       | ask #2 read\n"
          "515 evidence v7 gone\n"
          "520 found #2 lock v7 7_0 refuse | ask #3 read\n"
          "530 found #3 lock v7 7_0 refuse | ended\n"
          "= ended HF_OK gone\n"),
    STORY(evidence_about_an_older_version_is_ignored,
          "start clear\n"
          "watching\n"
          "20 evidence v6 gone\n"
          "510 clock | ask #2 read\n"
          "520 found #2 lock v7 7_0 refuse\n"
          "= state watching\n"),
    STORY(a_process_that_is_there_proves_no_life,
          "watching\n"
          "20 evidence v7 running\n"
          "= state watching; running yes\n"
          "1010 clock                       | ask #2 read\n"
          "1020 found #2 lock v7 7_0 refuse | ended\n"
          "= ended HF_OK unchanged\n"),
    STORY(a_short_watch_ends_without_a_finding,
          "start clear, watch 300\n"
          "looking\n"
          "10 found #1 lock v7 7_0 refuse\n"
          "= deadline 310\n"
          "309 clock\n"
          "310 clock | ended\n"
          "= ended HF_OK nothing\n"
          "start clear, watch 0\n"
          "looking\n"
          "10 found #1 lock v7 7_0 refuse | ended\n"
          "= ended HF_OK nothing\n"),
    STORY(force_clears_without_watching,
          "start force\n"
          "looking\n"
          "10 found #1 lock v7 7_0 refuse\n"
          "| ask #2 delete lock v7, put audit 7 absent new\n"
          "20 applied #2 v8 | ended\n"
          "= ended HF_OK nothing, cleared\n"),
    STORY(force_goes_on_at_the_version_of_a_beat_that_fell_between,
          "start force\n"
          "looking\n"
          "10 found #1 lock v7 7_0 refuse\n"
          "| ask #2 delete lock v7, put audit 7 absent new\n"
          "20 refused #2    | ask #3 read\n"
          "30 found #3 lock v8 7_1 token 7 refuse\n"
          "| ask #4 delete lock v8, put audit 8 absent new\n"
          "40 applied #4 v9 | ended\n"
          "= ended HF_OK nothing, cleared\n"),
    STORY(a_clear_before_a_beat_that_is_answered_late_says_nothing,
          "start force\n"
          "looking\n"
          "10 found #1 lock v7 7_0 refuse\n"
          "| ask #2 delete lock v7, put audit 7 absent new\n"
          "20 unknown #2\n"
          "30 clock         | ask #3 delete lock v7, put audit 7 absent new\n"
          "60 refused #3    | ask #4 read\n"
          "70 found #4 lock v8 7_1 token 7 refuse\n"
          "| ask #5 delete lock v8, put audit 8 absent new\n"
          "80 refused #2\n"
          "90 applied #5 v9 | ended\n"
          "= ended HF_OK nothing, cleared\n"),
    STORY(force_spares_the_holder_that_came_meanwhile,
          "start force\n"
          "looking\n"
          "10 found #1 lock v7 7_0 refuse\n"
          "| ask #2 delete lock v7, put audit 7 absent new\n"
          "20 refused #2                  | ask #3 read\n"
          "30 found #3 lock v8 8_0 refuse | ended\n"
          "= ended HF_OK alive\n"),
    cmocka_unit_test(force_does_not_run_after_beats_for_ever),
    STORY(a_clear_spares_all_but_the_one_it_was_told_to_clear,
          "start force, token 7\n"
          "looking\n"
          "10 found #1 lock v9 9_0 refuse | ended\n"
          "= ended HF_OK nothing\n"
          "start force, token 7\n"
          "looking\n"
          "10 found #1 corrupt v9 | ended\n"
          "start force, token 7\n"
          "looking\n"
          "10 found #1 lock v8 7_1 token 7 refuse\n"
          "| ask #2 delete lock v8, put audit 8 absent new\n"
          "20 applied #2 v9 | ended\n"
          "= ended HF_OK nothing, cleared\n"),
    STORY(only_force_clears_a_value_that_is_not_ours,
          "start clear\n"
          "looking\n"
          "10 found #1 corrupt v7 | ended\n"
          "= ended HF_OK nothing; found corrupt\n"
          "start force\n"
          "looking\n"
          "10 found #1 corrupt v7\n"
          "| ask #2 delete lock v7, put audit 7 absent new\n"
          "20 applied #2 v8       | ended\n"
          "= ended HF_OK nothing, cleared\n"),
    STORY(a_holder_that_beat_before_the_clear_is_left_alone,
          "start clear\n"
          "clearing\n"
          "40 refused #3                          | ask #4 read\n"
          "50 found #4 lock v8 7_1 token 7 refuse | ended\n"
          "= ended HF_OK alive\n"),
    STORY(a_holder_that_released_before_the_clear_was_not_cleared,
          "start clear\n"
          "clearing\n"
          "40 refused #3         | ask #4 read\n"
          "50 found #4 absent v8 | ended\n"
          "= ended HF_OK gone\n"),
    STORY(an_unknown_clear_is_repeated_at_the_same_version,
          "start clear\n"
          "clearing\n"
          "mark\n"
          "40 unknown #3\n"
          "50 clock         | ask #4 delete lock v7, put audit 7 absent new\n"
          "60 applied #4 v8       | ended\n"
          "= ended HF_OK gone, cleared\n"
          "back\n"
          "230 clock\n" /* overdue */
          "240 clock        | ask #4 delete lock v7, put audit 7 absent new\n"
          "250 refused #4         | ask #5 read\n"
          "260 found #5 absent v8 | ended\n"
          "= ended HF_E_UNKNOWN gone\n"),
    /* On a place that is slower than a person's patience. */
    STORY(a_clear_answered_late_was_done_or_not_all_the_same,
          "start clear\n"
          "clearing\n"
          "mark\n"
          "230 clock\n" /* overdue */
          "235 applied #3 v8                       | ended\n"
          "= ended HF_OK gone, cleared\n"
          "back\n"
          "230 clock\n"
          "240 clock        | ask #4 delete lock v7, put audit 7 absent new\n"
          "245 refused #3                          | ask #5 read\n"
          "250 found #5 lock v9 7_2 token 7 refuse | ended\n"
          "= ended HF_OK alive\n"),
    /* It was past before our only clear: somebody else's doing. */
    STORY(a_clear_refused_late_did_not_clear,
          "start clear\n"
          "clearing\n"
          "230 clock\n" /* overdue */
          "235 refused #3         | ask #4 read\n"
          "240 found #4 absent v8 | ended\n"
          "= ended HF_OK gone\n"),
    cmocka_unit_test(a_clear_that_is_refused_for_ever_ends),
    /* Or another's: who stood still may give back, and who is gone be taken
     * over, or cleared by another person. */
    STORY(a_clear_answered_unknown_may_have_been_ours,
          "start clear\n"
          "clearing\n"
          "40 unknown #3\n"
          "50 clock         | ask #4 delete lock v7, put audit 7 absent new\n"
          "60 refused #4                          | ask #5 read\n"
          "mark\n"
          "70 found #5 absent v8                  | ended\n"
          "= ended HF_E_UNKNOWN gone\n"
          "back\n"
          "70 found #5 lock v9 9_0 refuse         | ended\n"
          "= ended HF_E_UNKNOWN alive\n"
          "back\n"
          "70 found #5 lock v9 7_2 token 7 refuse | ended\n"
          "= ended HF_OK alive\n"
          "start clear\n"
          "clearing\n"
          "40 unknown #3\n"
          "45 cancel                              | ended\n"
          "= ended HF_E_UNKNOWN gone\n"
          "start clear\n"
          "watching\n"
          "1010 clock                             | ask #2 read\n"
          "1020 found #2 lock v7 7_0 refuse\n"
          "| ask #3 delete lock v7, put audit 7 absent new\n"
          "1030 unknown #3\n"
          "1040 clock       | ask #4 delete lock v7, put audit 7 absent new\n"
          "1050 refused #4                        | ask #5 read\n"
          "1060 found #5 absent v8                | ended\n"
          "= ended HF_E_UNKNOWN unchanged\n"),
    cmocka_unit_test(a_person_is_told_when_the_place_does_not_answer),
    STORY(a_failing_look_is_not_hurried_by_hints, "watching\n"
                                                  "510 clock | ask #2 read\n"
                                                  "520 found #2 nothing\n"
                                                  "= watching nothing\n"
                                                  "521 hint\n"
                                                  "530 clock | ask #3 read\n"),
    STORY(cancel_says_whether_the_clear_may_still_happen,
          "0 cancel   | ended\n"
          "= ended HF_E_CANCELLED nothing\n"
          "start clear\n"
          "watching\n"
          "20 cancel  | ended\n"
          "21 abandon\n"
          "= ended HF_E_CANCELLED nothing\n"
          "start clear\n"
          "clearing\n"
          "40 abandon | ended\n"
          "50 applied #3 v8\n"
          "= ended HF_E_UNKNOWN gone\n"
          "start clear\n"
          "clearing\n"
          "40 unavailable #3\n"
          "45 cancel  | ended\n"
          "= ended HF_E_CANCELLED gone\n"),
    STORY(a_read_given_up_is_never_answered,
          "start clear\n"
          "watching\n"
          "20 found #1 absent v9\n"
          "20 hint  | ask #2 read\n"
          "220 clock\n" /* late, and still waited for */
          "800 found #2 lock v7 7_0 refuse\n"
          "810 hint | ask #3 read\n"
          "1810 clock\n"
          "1815 found #3 absent v9\n"
          "= state watching\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
