#include "unit/support/session_script.h"

/* What a session may believe, and until when [S1, S2, S4, S5, S6].  Wish 1 is
 * granted 101; the session was opened at 1,000 ms, so that its right is at risk
 * at 8,500 and over at 10,500, if nothing is answered. */

static const struct CMUnitTest tests[] = {
    /* ---- The right ------------------------------------------------------- */

    STORY(the_right_is_counted_from_the_sending,
          "holding\n"
          "= right 10500\n"
          "clock 2000       | 1: #3 keep-alive\n"
          "at 3000\n"
          "hear #3 alive    | 1: #4 keep-alive\n"
          "= right 11500\n"
          "holds 1 at 11499 | granted\n"
          "holds 1 at 11500 | lost\n"),
    /* Each of them is a fact about its own sending. */
    STORY(a_late_answer_gives_the_right_of_its_own_sending,
          "holding\n"
          "clock 2000 | 1: #3 keep-alive\n"
          /* the first is overdue */
          "clock 3250 | 1: #4 keep-alive\n"
          "hear #4 alive\n"
          "= right 12750\n"
          "hear #3 alive\n"
          "= right 12750\n"
          "clock 4250 | 1: #5 keep-alive\n"
          "clock 5500 | 1: #6 keep-alive\n"
          "hear #5 alive\n"
          "= right 13750\n"),
    STORY(a_takeover_lock_is_at_risk_and_then_lost,
          "holding\n"
          "clock 2000  | 1: #3 keep-alive\n"
          "clock 3000\n"
          "clock 3500  | 1: #4 keep-alive\n"
          "clock 4000\n"
          "clock 4500\n"
          "clock 5000  | 1: #5 keep-alive\n"
          "clock 5500\n"
          "clock 6000\n"
          "clock 6500  | 2: #6 keep-alive\n"
          "clock 7000\n"
          "clock 7500\n"
          "clock 8000  | close #3; 2: #7 keep-alive\n"
          "clock 8500  | wish 1 at risk\n"
          "clock 10499 | close #4; 2: #8 keep-alive\n"
          "clock 10500 | wish 1 lost; 2: #9 release 1.1\n"
          "holds 1     | lost\n"),
    STORY(a_lost_lock_is_released_and_never_held_again,
          "holding\n"
          /* it was frozen */
          "clock 10500   | wish 1 lost; 1: #3 keep-alive; 1: #4 release 1.1\n"
          "hear #3 alive\n"
          "holds 1          | lost\n"
          "hear #4 released | wish 1 ended: lost\n"),
    STORY(a_refuse_lock_is_in_doubt_and_certain_again,
          "start refuse\n"
          "holding\n"
          "clock 10500   | wish 1 in doubt; 1: #3 keep-alive\n"
          "holds 1       | in doubt\n"
          "hear #3 alive | wish 1 certain\n"
          "holds 1       | granted\n"),
    /* An answer that comes with the end of the right revives nothing. */
    STORY(an_answer_at_the_end_of_the_right_is_too_late,
          "holding\n"
          "clock 2000    | 1: #3 keep-alive\n"
          "at 10500\n"
          "hear #3 alive | wish 1 lost; 1: #4 keep-alive; 1: #5 release 1.1\n"),
    /* The server may be slow enough to grant what its client cannot keep. */
    STORY(who_finds_the_right_over_renews_before_a_grant_is_told,
          "start silence 60000\n"
          "want 1         | 1: #1 open\n"
          "hear #1 opened | 1: #2 acquire 1.1.1\n"
          /* a grace is left */
          "clock 8499     | 1: #3 keep-alive\n"
          "at 8500\n"
          "hear #2 granted 101\n"
          "holds 1        | not held\n"
          "stream-ends 3  | 1: #4 keep-alive\n"
          "hear #4 alive  | wish 1 granted 101\n"),
    STORY(a_grant_that_cannot_be_told_by_its_deadline_is_released,
          "start silence 60000\n"
          "want 1, wait 8000 | 1: #1 open\n"
          "hear #1 opened    | 1: #2 acquire 1.1.1, 8000 ms\n"
          "clock 8500        | 1: #3 keep-alive\n"
          "hear #2 granted 101\n"
          "clock 9000        | wish 1 ended: timed out; 1: #4 release 1.1\n"
          "hear #3 alive     | 1: #5 keep-alive\n"),

    /* ---- Gone ------------------------------------------------------------ */

    STORY(what_is_gone_is_lost_at_once_and_what_waits_is_asked_anew,
          "start refuse\n"
          "holding\n"
          "want 2         | 1: #3 acquire 2.1.1\n"
          "clock 2000     | 1: #4 keep-alive\n"
          "hear #4 gone\n"
          "| wish 1 lost\n"
          "| wish 1 ended: lost\n"
          "| close #3\n"
          "| 1: #5 open, lowest 2\n"
          "hear #3 granted 102\n"
          "hear #5 opened | 1: #6 acquire 2.1.2, waited 1000 ms, lowest 2\n"),
    /* Who holds nothing is in no record; its place in line is kept for a
     * while. */
    STORY(who_is_unknown_to_a_new_leader_is_back_soon,
          "want 1         | 1: #1 open\n"
          "hear #1 opened | 1: #2 acquire 1.1.1\n"
          "hear #2 term 8 | 1: #3 keep-alive, term 8\n"
          "hear #3 gone\n"
          "clock 1075     | 1: #4 open\n"),
    STORY(what_is_denied_is_as_gone_and_an_open_that_is_ends_all,
          "holding\n"
          "want 2         | 1: #3 acquire 2.1.1\n"
          "hear #3 denied | wish 1 lost; wish 1 ended: lost\n"
          /* it was opened a moment ago */
          "clock 1750     | 1: #4 open, lowest 2\n"
          "hear #4 denied | wish 2 ended: HF_E_DENIED\n"),
    STORY(what_a_session_may_not_ask_for_ends_all,
          "want 1               | 1: #1 open\n"
          "hear #1 over invalid | wish 1 ended: HF_E_INVALID\n"),

    /* ---- Cleared --------------------------------------------------------- */

    STORY(a_grant_that_is_named_as_cleared_is_lost_and_released,
          "holding three\n"
          "clock 2000                 | 1: #5 keep-alive\n"
          "hear #5 alive, revoked 102 | wish 2 lost; 1: #6 release 2.1\n"),

    /* ---- What the server does not have ----------------------------------- */

    STORY(what_an_alive_does_not_list_is_lost_at_once,
          "holding three\n"
          "clock 2000                   | 1: #5 keep-alive\n"
          "hear #5 alive, holds 101 103 | wish 2 lost; 1: #6 release 2.1\n"
          "= right 11500\n"),
    /* It comes behind the keep-alive, and its answer before that one's. */
    STORY(a_grant_that_came_after_a_keep_alive_is_not_missing_in_its_answer,
          "holding\n"
          "want 2                   | 1: #3 acquire 2.1.1\n"
          "clock 2000               | 1: #4 keep-alive\n"
          "hear #3 granted 102      | wish 2 granted 102\n"
          "hear #4 alive, holds 101\n"
          "clock 3000               | 1: #5 keep-alive\n"
          "hear #5 alive, holds 101 | wish 2 lost; 1: #6 release 2.1\n"),
    /* The second keep-alive is answered first. */
    STORY(a_late_alive_tells_of_what_was_believed_when_it_was_sent,
          "holding\n"
          "want 2                   | 1: #3 acquire 2.1.1\n"
          "clock 2000               | 1: #4 keep-alive\n"
          "hear #3 granted 102      | wish 2 granted 102\n"
          /* the first is overdue */
          "clock 3250               | 1: #5 keep-alive\n"
          "hear #5 alive, holds 101 102\n"
          "hear #4 alive, holds 101\n"
          "clock 4250               | 1: #6 keep-alive\n"
          "hear #6 alive, holds 102 | wish 1 lost; 1: #7 release 1.1\n"),
    STORY(what_was_released_after_a_keep_alive_is_not_lost,
          "holding three\n"
          "clock 2000 | 1: #5 keep-alive\n"
          "release 2  | 1: #6 release 2.1\n"
          "hear #5 alive, holds 101 103\n"),
    /* While that is going on nothing else waits for it. */
    STORY(a_sum_that_differs_gives_its_right_once_pages_were_compared,
          "holding three\n"
          "clock 2000                               | 1: #5 keep-alive\n"
          "hear #5 alive, holds 101 103 104, summed | 1: #6 page 101 102\n"
          "= right 10500\n"
          "want 4                                   | 1: #7 acquire 4.1.1\n"
          "hear #6 page 102\n"
          "| wish 2 lost\n"
          "| 1: #8 page 103\n"
          "| 1: #9 release 2.1\n"
          "= right 10500\n"
          "hear #8 page\n"
          "= right 11500\n"
          "clock 3000                               | 1: #10 keep-alive\n"),
    STORY(a_sum_is_compared_with_that_of_what_was_believed_by_then,
          "holding\n"
          "want 2              | 1: #3 acquire 2.1.1\n"
          "clock 2000          | 1: #4 keep-alive\n"
          "hear #3 granted 102 | wish 2 granted 102\n"
          "hear #4 alive, holds 101, summed\n"
          "= right 11500\n"),
    /* It says nothing of what the pages are asked for. */
    STORY(an_alive_that_comes_late_while_pages_are_out_gives_no_right,
          "holding three\n"
          "clock 2000                               | 1: #5 keep-alive\n"
          "clock 3250                               | 1: #6 keep-alive\n"
          "hear #6 alive, holds 101 103 104, summed | 1: #7 page 101 102\n"
          "= right 10500\n"
          "hear #5 alive, holds 101 102 103, summed\n"
          "= right 10500\n"),

    /* ---- A new leader ---------------------------------------------------- */

    STORY(a_new_leader_is_met_and_asked_after_its_pause,
          "holding\n"
          "want 2     | 1: #3 acquire 2.1.1\n"
          "clock 2000 | 1: #4 keep-alive\n"
          "hear #4 term 8, pause 300001\n"
          "| close #3\n"
          "| 1: #5 keep-alive, term 8\n"
          "hear #5 alive\n"
          "clock 2300\n"
          "clock 2301 | 1: #6 acquire 2.1.2, waited 1301 ms, term 8\n"),
    /* Its store may have been put back.  Wish 2 is left: it is asked of that
     * leader, in that term. */
    STORY(a_leader_of_an_older_term_is_met_once_the_right_is_over,
          "holding\n"
          "want 2         | 1: #3 acquire 2.1.1\n"
          "clock 10500\n"
          "| wish 1 lost\n"
          "| close #3\n"
          "| 1: #4 keep-alive\n"
          "| 1: #5 release 1.1\n"
          "| 1: #6 acquire 2.1.2, waited 9500 ms\n"
          "hear #6 term 6 | close #5; close #4; 1: #7 keep-alive, term 6\n"
          "hear #7 alive\n"
          "| 1: #8 acquire 2.1.3, waited 9500 ms, term 6\n"
          "| 1: #9 release 1.1, term 6\n"),
    STORY(no_pause_is_longer_than_a_server_may_be_silent,
          "holding\n"
          "want 2     | 1: #3 acquire 2.1.1\n"
          "clock 2000 | 1: #4 keep-alive\n"
          "hear #4 term 8, pause 18446744073709551615\n"
          "| close #3\n"
          "| 1: #5 keep-alive, term 8\n"
          "hear #5 alive\n"
          "clock 3000 | 1: #6 keep-alive, term 8\n"
          "hear #6 alive\n"
          "clock 4000 | 1: #7 keep-alive, term 8\n"
          "hear #7 alive\n"
          "clock 5000 | 1: #8 keep-alive, term 8\n"
          "hear #8 alive\n"
          "clock 6000 | 1: #9 keep-alive, term 8\n"
          "hear #9 alive\n"
          "clock 7000\n"
          "| 1: #10 keep-alive, term 8\n"
          "| 1: #11 acquire 2.1.2, waited 6000 ms, term 8\n"),
    STORY(nothing_is_asked_of_a_leader_before_it_says_alive,
          "holding\n"
          "want 2         | 1: #3 acquire 2.1.1\n"
          "clock 2000     | 1: #4 keep-alive\n"
          "hear #4 term 8 | close #3; 1: #5 keep-alive, term 8\n"
          "clock 2500\n"
          "hear #5 alive  | 1: #6 acquire 2.1.2, waited 1500 ms, term 8\n"),
    STORY(where_the_sums_differ_the_list_follows_in_pages,
          "holding three\n"
          "clock 2000                   | 1: #5 keep-alive\n"
          "hear #5 term 8, pause 300001 | 1: #6 keep-alive, term 8\n"
          "hear #6 alive, holds 101 103 104, summed\n"
          "| 1: #7 page 101 102, term 8\n"
          "hear #7 page 102           | wish 2 lost; 1: #8 page 103, term 8\n"
          "stream-ends 8                | 1: #9 page 103, term 8\n"
          "hear #9 page\n"
          "clock 2301                   | 1: #10 release 2.1, term 8\n"),
    /* It knew the session, and the next may not. */
    STORY(who_led_before_cannot_answer_for_the_next_leader,
          "holding\n"
          "clock 2000     | 1: #3 keep-alive\n"
          "hear #3 term 8 | 1: #4 keep-alive, term 8\n"
          "clock 3250     | 1: #5 keep-alive, term 8\n"
          "hear #5 term 9 | close #4; 1: #6 keep-alive, term 9\n"
          "hear #4 alive\n"
          "= right 10500\n"
          "hear #6 alive\n"
          "= right 12750\n"),
    /* It says that the session is alive, and not yet that its grants are. */
    STORY(an_alive_gives_no_right_before_the_lists_were_compared,
          "holding three\n"
          "clock 2000                   | 1: #5 keep-alive\n"
          "hear #5 term 8, pause 300001 | 1: #6 keep-alive, term 8\n"
          "hear #6 alive, holds 101 103 104, summed\n"
          "| 1: #7 page 101 102, term 8\n"
          "= right 10500\n"
          "hear #7 page                 | 1: #8 page 103, term 8\n"
          "= right 10500\n"
          "at 2500\n"
          "hear #8 page\n"
          "= right 11500\n"),
    /* A page that was sent twice is answered once. */
    STORY(the_answer_to_a_page_is_one_to_that_page_alone,
          "holding three\n"
          "clock 2000                   | 1: #5 keep-alive\n"
          "hear #5 term 8, pause 300001 | 1: #6 keep-alive, term 8\n"
          "hear #6 alive, holds 101 103 104, summed\n"
          "| 1: #7 page 101 102, term 8\n"
          /* the first page is overdue */
          "clock 3250                | close #7; 1: #8 page 101 102, term 8\n"
          "hear #7 page\n"
          "hear #8 page                 | 1: #9 page 103, term 8\n"),
    /* It came as its right was nearly over, and its user was told nothing.  The
     * leader that granted it is no more, and the store was restored. */
    STORY(a_grant_that_was_not_told_and_is_missing_is_asked_for_anew,
          "start silence 60000\n"
          "want 1, wait 11000, label 5      | 1: #1 open\n"
          "hear #1 opened                   | 1: #2 acquire 1.1.1, 11000 ms\n"
          "clock 9000                       | 1: #3 keep-alive\n"
          "hear #2 granted 101\n"
          "hear #3 term 8                   | 1: #4 keep-alive, term 8\n"
          "hear #4 alive, holds 100, summed | 1: #5 page 101, term 8\n"
          "hear #5 page 101                 | 1: #6 release 1.1, term 8\n"
          "hear #6 released\n"
          "| 1: #7 acquire 1.2.1, 3000 ms, waited 8000 ms, term 8\n"),
    /* Its user has waited all the while. */
    STORY(what_is_missing_and_to_be_asked_for_anew_keeps_its_deadline,
          "start silence 60000\n"
          "want 1, wait 11000, label 5      | 1: #1 open\n"
          "hear #1 opened                   | 1: #2 acquire 1.1.1, 11000 ms\n"
          "clock 9000                       | 1: #3 keep-alive\n"
          "hear #2 granted 101\n"
          "hear #3 term 8                   | 1: #4 keep-alive, term 8\n"
          "hear #4 alive, holds 100, summed | 1: #5 page 101, term 8\n"
          "hear #5 page 101                 | 1: #6 release 1.1, term 8\n"
          /* the release is overdue */
          "clock 10250\n"
          "| close #6\n"
          "| 1: #7 keep-alive, term 8\n"
          "| 1: #8 release 1.1, term 8\n"
          "clock 11500\n"
          "| close #8\n"
          "| 1: #9 keep-alive, term 8\n"
          "| 1: #10 release 1.1, term 8\n"
          "= deadline 12000\n"
          "clock 12000                     | wish 1 ended: HF_E_UNAVAILABLE\n"
          "hear #10 released\n"
          "= settled yes\n"),
    /* Its lane asks for something else meanwhile. */
    STORY(what_is_to_be_asked_for_anew_may_be_given_up_behind_its_lane,
          "start silence 60000\n"
          "want 1, wait 11000, label 5      | 1: #1 open\n"
          "want 2, label 5\n"
          "hear #1 opened                   | 1: #2 acquire 1.1.1, 11000 ms\n"
          "clock 9000                       | 1: #3 keep-alive\n"
          "hear #2 granted 101              | 1: #4 acquire 1.2.1\n"
          "hear #3 term 8              | close #4; 1: #5 keep-alive, term 8\n"
          "hear #5 alive, holds 100, summed | 1: #6 page 101, term 8\n"
          "hear #6 page 101\n"
          "| 1: #7 acquire 1.2.2, term 8\n"
          "| 1: #8 release 1.1, term 8\n"
          "hear #8 released\n"
          "clock 12000  | wish 1 ended: timed out; 1: #9 keep-alive, term 8\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
