#include "unit/support/contender_script.h"
#include "unit/support/examiner_script.h"

/*
 * A place that is not the one that it was: its file was removed or replaced, or
 * an old copy was put in its place.
 */

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
    SCRIPT(&examiner_script, a_person_looks_again_and_clears_nothing_unseen,
           "start force\n"
           "looking\n"
           "5 went-back | ask #2 read\n"
           "10 found #2 lock v8 8_0 refuse\n"
           "| ask #3 delete lock v8, put audit 8 absent new\n"
           "20 went-back | ended\n"
           "= ended HF_E_UNAVAILABLE nothing\n"),
    /* What is there now is no sign of life of what was. */
    SCRIPT(&examiner_script, a_person_begins_to_watch_anew,
           "start watch 5000\n"
           "looking\n"
           "10 found #1 lock v8 8_0 refuse\n"
           "20 went-back | ask #2 read\n"
           "30 found #2 lock v20 20_0 refuse\n"
           "= state watching; finding nothing\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
