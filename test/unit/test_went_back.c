#include "core/examiner.h"
#include "unit/support/contender_script.h"

/*
 * A place that is not the one that it was: its file was removed or replaced, or
 * an old copy was put in its place.
 */

static struct hf_event
went_back(int64_t ms)
{
    return hf_event(HF_ON_WENT_BACK, T(ms));
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

static const struct CMUnitTest tests[] = {
    STORY(a_takeover_holder_has_lost,
          "holding\n"
          "30 went-back          | lost; ask #3 read\n"
          "30 check              | lost\n"
          "40 found #3 absent v3 | ended\n"),
    /* Its record may be in the copy: then it must not stay there. */
    STORY(a_takeover_holder_deletes_what_is_left_of_its_record,
          "holding\n"
          "30 went-back              | lost; ask #3 read\n"
          "40 found #3 lock v5 id1_0 | ask #4 delete lock v5\n"
          "50 applied #4 v99         | ended\n"),
    STORY(a_refuse_holder_is_in_doubt_until_a_read_shows_that_it_lost,
          "start refuse\n"
          "holding\n"
          "30 went-back                   | in doubt; ask #3 read\n"
          "30 check                       | in doubt\n"
          "40 found #3 lock v5 5_0 refuse | lost; ended\n"),
    STORY(a_refuse_holder_whose_record_is_there_is_certain_after_a_beat,
          "start refuse\n"
          "holding\n"
          "30 went-back              | in doubt; ask #3 read\n"
          "40 found #3 lock v5 id1_0 | ask #4 put lock v5 id1_1\n"
          "50 applied #4 v99         | certain\n"
          "50 check                  | granted\n"),
    /* Nobody told; but no version ever comes back by itself. */
    STORY(a_lower_version_tells_as_much,
          "holding\n"
          "210 clock                  | ask #3 put lock v8 id1_1\n"
          "220 refused #3             | ask #4 read\n"
          "230 found #4 lock v5 id1_0 | lost; ask #5 delete lock v5\n"
          "start refuse\n"
          "holding\n"
          "210 clock                  | ask #3 put lock v8 id1_1\n"
          "220 refused #3             | ask #4 read\n"
          "230 found #4 lock v5 id1_0 | in doubt; ask #5 put lock v5 id1_1\n"),
    /* What was answered before, late or twice, is about what the place was. */
    STORY(no_answer_from_before_gives_a_right,
          "start refuse\n"
          "holding\n"
          "210 clock     | ask #3 put lock v8 id1_1\n"
          "220 went-back | in doubt; ask #4 read\n"
          "230 applied #3 v9\n"
          "230 check     | in doubt\n"),
    STORY(a_claim_is_looked_for_before_it_is_made_again,
          "looking\n"
          "10 found #1 absent v7 | ask #2 put lock v7 id1_0 new\n"
          "20 went-back          | ask #3 read\n"
          "30 found #3 absent v7 | ask #4 read\n"
          /* the same version, and it is free */
          "40 found #4 absent v7 | ask #5 put lock v7 id2_0 new\n"),
    STORY(a_waiter_begins_to_watch_anew,
          "looking\n"
          "10 found #1 lock v8 8_0   | waiting\n"
          "900 went-back             | ask #2 read\n"
          "910 found #2 lock v8 8_0  | waiting\n"
          "1100 clock\n"
          "1110 found #3 lock v8 8_0 | ask #3 read\n"
          "= state watching; shown 910\n"),
    cmocka_unit_test(a_person_looks_again_and_clears_nothing_unseen),
    cmocka_unit_test(a_person_begins_to_watch_anew),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
