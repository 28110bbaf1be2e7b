#include "unit/support/keeper_script.h"

static const struct CMUnitTest tests[] = {
    STORY(an_unknown_claim_is_sent_again_with_pauses_that_grow,
          "claiming\n"
          "10 unknown #1\n"
          "19 clock\n"
          "20 clock  | ask #2 put lock v7 5_0 new\n"
          "30 unknown #2\n"
          "50 clock  | ask #3 put lock v7 5_0 new\n"
          "249 clock\n"
          "250 clock\n" /* overdue */
          "289 clock\n"
          "290 clock | ask #4 put lock v7 5_0 new\n"),
    STORY(an_unknown_claim_that_had_not_applied_is_granted_later,
          "claiming\n"
          "10 unknown #1\n"
          "20 clock         | ask #2 put lock v7 5_0 new\n"
          "30 applied #2 v8 | granted\n"
          "= right 770\n"),
    STORY(an_unknown_claim_that_had_applied_beats_before_it_is_granted,
          "claiming\n"
          "10 unknown #1\n"
          "20 clock                | ask #2 put lock v7 5_0 new\n"
          "30 refused #2           | ask #3 read\n"
          "40 found #3 lock v8 5_0 | ask #4 put lock v8 5_1\n"
          "= state confirming\n"
          "50 applied #4 v9        | granted\n"
          "= token 8; right 790\n"),
    /* #2 is the same claim, sent again; it can only be refused. */
    STORY(a_claim_whose_answer_comes_late_is_granted_from_its_own_sending,
          "claiming\n"
          "200 clock\n"
          "210 clock         | ask #2 put lock v7 5_0 new\n"
          "220 applied #1 v8 | granted; ask #3 put lock v8 5_1\n"
          "230 refused #2\n"
          "= state held; token 8; right 750\n"),
    /* Every answer comes late: it is the refusals that tell that somebody else
     * was first, and #2 may not be taken for settled by that of #1. */
    STORY(a_claim_refused_late_is_settled_by_a_read,
          "claiming\n"
          "mark\n"
          "200 clock\n"
          "210 clock                | ask #2 put lock v7 5_0 new\n"
          "220 refused #1           | ask #3 read\n"
          "230 found #3 lock v8 6_0 | not mine\n"
          "back\n"
          "200 clock\n"
          "210 clock                | ask #2 put lock v7 5_0 new\n"
          "220 refused #1           | ask #3 read\n"
          "230 found #3 lock v7 6_0\n" /* #2 may yet apply */
          "250 clock                | ask #4 put lock v7 5_0 new\n"),
    STORY(a_claim_lost_to_another_is_not_mine,
          "claiming\n"
          "10 unknown #1\n"
          "20 clock                 | ask #2 put lock v7 5_0 new\n"
          "30 refused #2            | ask #3 read\n"
          "40 found #3 lock v12 6_0 | not mine\n"
          "5000 clock\n"
          "= state idle\n"),
    STORY(a_confirming_keeper_that_was_taken_over_is_not_mine,
          "confirming\n"
          "760 refused #2            | ask #3 read\n"
          "770 found #3 lock v12 6_0 | not mine\n"),
    STORY(a_claim_refused_while_its_version_stands_is_not_mine,
          "0 claim 5 v7 over 3\n"
          "| ask #1 put lock v7 5_0 new, put marker 3 absent new\n"
          "10 refused #1           | ask #2 read\n"
          "20 found #2 lock v7 6_0 | not mine\n"),
    /* Something unsettled may still apply at that version: no walking away. */
    STORY(an_unsettled_claim_is_repeated_while_its_version_stands,
          "0 claim 5 v7 over 3\n"
          "| ask #1 put lock v7 5_0 new, put marker 3 absent new\n"
          "5 unknown #1\n"
          "15 clock   | ask #2 put lock v7 5_0 new, put marker 3 absent new\n"
          "20 refused #2 | ask #3 read\n"
          "30 found #3 lock v7 6_0\n"
          "49 clock\n"
          "50 clock   | ask #4 put lock v7 5_0 new, put marker 3 absent new\n"),
    STORY(a_keeper_whose_claim_was_not_mine_can_claim_again,
          "claiming\n"
          "10 refused #1         | ask #2 read\n"
          "20 found #2 absent v9 | not mine\n"
          "30 claim 77 v9        | ask #3 put lock v9 77_0 new\n"
          "40 applied #3 v10     | granted\n"
          "= token 10\n"),
    STORY(the_marker_of_a_takeover_goes_with_the_first_applied_beat,
          "0 claim 5 v7 over 3\n"
          "| ask #1 put lock v7 5_0 new, put marker 3 absent new\n"
          "10 applied #1 v8 | granted\n"
          "200 clock        | ask #2 put lock v8 5_1, erase marker 3 any\n"
          "210 unknown #2\n"
          "220 clock        | ask #3 put lock v8 5_1, erase marker 3 any\n"
          "230 applied #3 v9\n"
          "420 clock        | ask #4 put lock v9 5_2\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
