#include "unit/support/lockspace_script.h"

/* The stories of waiting: who is granted what, and when [W, J3]. */

static const struct CMUnitTest tests[] = {
    STORY(what_is_free_is_granted_at_once,
          "1 acquire A on 11 | 11 granted 101\n"
          "2 acquire B on 12 | 12 granted 102\n"),
    STORY(those_who_wait_are_granted_in_order_of_arrival,
          "1 acquire A on 11 | 11 granted 101\n"
          "2 acquire A on 12\n"
          "3 acquire A on 13\n"
          "1 release on 14   | 14 released; 12 granted 102\n"
          "2 release on 15   | 15 released; 13 granted 103\n"),
    STORY(shared_ones_hold_together_and_pass_nobody,
          "1 acquire A:s on 11 | 11 granted 101\n"
          "2 acquire A:s on 12 | 12 granted 102\n"
          "3 acquire A on 13\n"
          "1 acquire A:s on 14, lane 2\n"
          "1 release on 15     | 15 released\n"
          "2 release on 16     | 16 released; 13 granted 103\n"
          "3 release on 17     | 17 released; 14 granted 104\n"),
    /* B is free all the while, but whoever waits for A and B holds its
     * place. */
    STORY(several_names_are_granted_all_or_none_in_one_place,
          "1 acquire A on 11 | 11 granted 101\n"
          "2 acquire A B on 12\n"
          "3 acquire B on 13\n"
          "1 release on 14   | 14 released; 12 granted 102\n"
          "2 release on 15   | 15 released; 13 granted 103\n"),
    /* What waits elsewhere holds up only what conflicts with it. */
    STORY(a_shared_place_holds_up_no_other_shared_one,
          "1 acquire A on 11   | 11 granted 101\n"
          "2 acquire A B:s on 12\n"
          "3 acquire B:s on 13 | 13 granted 102\n"),
    STORY(a_name_of_one_space_is_not_that_of_another,
          "1 acquire x/A on 11 | 11 granted 101\n"
          "2 acquire y/A on 12 | 12 granted 102\n"),
    STORY(
        a_try_is_told_no_only_if_it_is_held_or_waited_for,
        "1 acquire A:s on 11                 | 11 granted 101\n"
        "2 acquire A on 12\n"
        "3 acquire A:s on 13, try            | 13 over: held\n"
        "3 acquire B on 14, lane 2, try      | 14 granted 102\n"
        /* Final: when A is free, the answer to the same request is the same. */
        "2 end on 15                         | 15 ended; 12 gone\n"
        "1 release on 16                     | 16 released\n"
        "3 acquire A:s on 17, attempt 2, try | 17 over: held\n"),
    STORY(who_waits_until_it_is_free_is_told_once_and_holds_nothing,
          "1 acquire A on 11                        | 11 granted 101\n"
          "2 acquire A on 12, until-free\n"
          "3 acquire A on 13\n"
          "1 release on 14     | 14 released; 12 over: free; 13 granted 102\n"
          "2 acquire A on 15, attempt 2, until-free | 15 over: free\n"),

    /* ---- Up and down [W7] ------------------------------------------------ */

    STORY(what_a_lane_holds_it_is_not_granted_again,
          "1 acquire A B:s on 11      | 11 granted 101\n"
          "1 acquire A on 12, n 2     | 12 over: already held\n"
          "1 acquire B:s on 13, n 3   | 13 over: already held\n"
          "1 acquire C A:s on 14, n 4 | 14 over: already held\n"
          /* Another lane of the session waits, as anybody would. */
          "1 acquire A on 15, lane 2\n"),
    STORY(
        a_shared_hold_of_its_own_does_not_keep_a_lane_out,
        "1 acquire A:s on 11  | 11 granted 101\n"
        "2 acquire A:s on 12  | 12 granted 102\n"
        "1 acquire A on 13, n 2\n"
        "2 release on 14      | 14 released; 13 granted 103\n"
        /* Its release gives back what it added, and the first hold goes on. */
        "3 acquire A on 15\n"
        "2 acquire A:s on 16, n 2\n"
        "1 release on 17, n 2 | 17 released\n"
        "1 release on 18      | 18 released; 15 granted 104\n"),
    STORY(a_lane_holds_a_name_by_two_grants_at_most,
          "1 acquire A:s on 11    | 11 granted 101\n"
          "1 acquire A on 12, n 2 | 12 granted 102\n"
          "1 lower A on 13, n 2   | 13 changed\n"
          "1 acquire A on 14, n 3 | 14 over: already held\n"),
    STORY(a_lowered_hold_lets_in_who_may_share_it,
          "1 acquire A B on 11 | 11 granted 101\n"
          "2 acquire A:s on 12\n"
          "3 acquire A on 13\n"
          "1 lower A on 14     | 14 changed; 12 granted 102\n"
          "1 lower A on 15     | 15 changed\n"
          "1 lower C on 16     | 16 not held\n"),

    /* ---- Cycles [W6] ----------------------------------------------------- */

    STORY(a_request_that_closes_a_circle_is_told_which,
          "1 acquire A on 11      | 11 granted 101\n"
          "2 acquire B on 12      | 12 granted 102\n"
          "3 acquire C on 13      | 13 granted 103\n"
          "1 acquire B on 21, n 2\n"
          "2 acquire C on 22, n 2\n"
          "3 acquire A on 23, n 2 | 23 over: deadlock 3.1 1.1 2.1\n"),
    /* 3 waits behind 2 for B, which waits for A, which 3 holds. */
    STORY(a_circle_may_go_through_a_place_in_line,
          "3 acquire A on 11        | 11 granted 101\n"
          "1 acquire B:s on 12      | 12 granted 102\n"
          "2 acquire A B on 13\n"
          "3 acquire B:s on 14, n 2 | 14 over: deadlock 3.1 2.1\n"),
    STORY(two_who_both_want_more_than_their_share_are_a_circle,
          "1 acquire A:s on 11    | 11 granted 101\n"
          "2 acquire A:s on 12    | 12 granted 102\n"
          "1 acquire A on 13, n 2\n"
          "2 acquire A on 14, n 2 | 14 over: deadlock 2.1 1.1\n"
          "2 release on 15        | 15 released; 13 granted 103\n"),
    STORY(a_circle_that_is_too_long_to_find_is_waited_in,
          "start search 3\n"
          "1 acquire A on 11 | 11 granted 101\n"
          "2 acquire B on 12 | 12 granted 102\n"
          "3 acquire C on 13 | 13 granted 103\n"
          "1 acquire B on 21, n 2\n"
          "2 acquire C on 22, n 2\n"
          "3 acquire A on 23, n 2, wait 100\n"
          "clock 1100        | 23 blocking timeout, 0 before it, 0 ms\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
