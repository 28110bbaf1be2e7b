#include "unit/support/lockspace_script.h"

/* The stories of requests that have a key, and of its session [R3].  Session 9
 * is that of a key, and session 1 holds A at the begin of each. */

static const struct CMUnitTest tests[] = {
    /* ---- What a key is for ----------------------------------------------- */

    STORY(the_same_key_is_the_same_grant,
          "keyed\n"
          "9 acquire B on 21, attempt 21, keyed           | 21 granted 102\n"
          "9 acquire B on 22, attempt 22, keyed, key-ttl 2000\n"
          "| 22 granted 102\n"
          "9 acquire B on 23, attempt 23, wait 50, keyed, note another\n"
          "| 23 granted 102\n"
          "9 acquire B on 24, attempt 24, keyed, key-takeover\n"
          "| 24 granted 102\n"
          "9 acquire B on 25, attempt 25, keyed, any-mode | 25 granted 102\n"),
    STORY(what_asks_for_something_else_is_told_so_and_gets_nothing,
          "keyed\n"
          "9 acquire B on 21, attempt 21, keyed            | 21 granted 102\n"
          "9 acquire B on 22, attempt 22, keyed, key-ttl 1999 | 22 other\n"
          "9 acquire B on 23, attempt 23, keyed, key-refuse   | 23 other\n"
          "9 acquire B:s on 24, attempt 24, keyed             | 24 other\n"
          "9 acquire C on 25, attempt 25, keyed               | 25 other\n"
          "9 acquire B C on 26, attempt 26, keyed             | 26 other\n"
          "9 acquire B on 27, attempt 27, until-free, keyed   | 27 other\n"
          "9 acquire B on 28, attempt 28, keyed            | 28 granted 102\n"),
    STORY(another_number_under_a_key_is_for_the_same,
          "keyed\n"
          "9 acquire B on 21, attempt 21, keyed      | 21 granted 102\n"
          "9 acquire C on 22, n 2, attempt 22, keyed | 22 other\n"),
    STORY(after_a_change_the_present_mode_counts,
          "keyed\n"
          "9 acquire B on 21, attempt 21, keyed           | 21 granted 102\n"
          "9 lower B on 22                                | 22 changed\n"
          "9 acquire B on 23, attempt 23, keyed           | 23 other\n"
          "9 acquire B:s on 24, attempt 24, keyed         | 24 granted 102\n"
          "9 acquire B on 25, attempt 25, keyed, any-mode | 25 granted 102\n"),
    STORY(what_was_asked_for_is_known_when_nothing_of_it_is_left,
          "keyed\n"
          "9 acquire B A:s on 21, attempt 21, try, keyed    | 21 over: held\n"
          "9 acquire A:s B on 26, attempt 26, until-free, keyed | 26 other\n"
          "9 acquire B on 22, attempt 22, keyed                 | 22 other\n"
          "9 acquire A B:s on 23, attempt 23, keyed             | 23 other\n"
          "9 acquire A:s B on 24, attempt 24, keyed         | 24 over: held\n"
          "9 acquire A B on 25, attempt 25, keyed, any-mode | 25 over: held\n"),
    STORY(who_has_lost_the_place_asks_for_the_same_again,
          "keyed\n"
          "9 acquire B A:s on 21, attempt 21, keyed\n"
          "9 stream-ends on 21\n"
          "9 acquire B A on 22, attempt 22, keyed | 22 other\n"
          "9 acquire A B on 23, attempt 23, keyed, any-mode\n"
          "1 release on 24                    | 24 released; 23 granted 102\n"
          "2 acquire A:s on 25                    | 25 granted 103\n"),
    /* The key was for B, shared; the same session asks for C without it, and
     * another has that. */
    STORY(in_any_mode_is_as_its_own_request_was,
          "keyed\n"
          "2 acquire C:s on 24                    | 24 granted 102\n"
          "9 acquire B:s on 21, attempt 21, keyed | 21 granted 103\n"
          "9 acquire C on 22, n 2\n"
          "9 acquire C on 23, n 2, attempt 23, try, keyed, any-mode\n"
          "| 22 superseded\n"
          "| 23 over: held\n"),
    STORY(what_was_waited_for_under_a_key_is_in_no_mode,
          "keyed\n"
          "9 acquire A on 21, attempt 21, until-free, keyed\n"
          "9 stream-ends on 21\n"
          "9 acquire A:s on 22, attempt 22, until-free, keyed\n"
          "1 release on 23 | 23 released; 22 over: free\n"),

    /* ---- What is for something else changes nothing ---------------------- */

    STORY(what_is_for_something_else_is_no_sign_of_life,
          "keyed\n"
          "9 acquire B on 21, attempt 21, keyed | 21 granted 102\n"
          "at 2900\n"
          "9 acquire C on 22, attempt 22, keyed | 22 other\n"
          "clock 3000\n"
          "2 acquire B on 23                    | 23 granted 103\n"),
    STORY(what_is_for_something_else_supersedes_nobody,
          "keyed\n"
          "9 acquire A on 21, attempt 21, keyed\n"
          "9 acquire A:s on 22, attempt 22, keyed | 22 other\n"
          "1 release on 23                    | 23 released; 21 granted 102\n"),
    STORY(what_is_for_something_else_takes_no_parked_place,
          "keyed\n"
          "9 acquire A on 21, attempt 21, keyed\n"
          "clock 1999                    | 21 blocking timeout, 0 before it\n"
          "2 acquire A on 22\n"
          "clock 2000\n"
          "1 release on 23                                    | 23 released\n"
          "batch                           | batch 1, fence 102, all is due\n"
          "applied 1\n"
          "at 2199\n"
          "9 acquire B on 24, attempt 24, keyed, key-ttl 5000 | 24 other\n"
          "9 acquire A:s on 25, attempt 25, keyed             | 25 other\n"
          "clock 2199\n"
          "clock 2200                                      | 22 granted 102\n"),

    /* ---- Sessions that were ended ---------------------------------------- */

    STORY(a_session_of_a_key_that_was_ended_is_not_opened_anew,
          "keyed\n"
          "at 1500\n"
          "9 acquire B on 21, attempt 21, keyed | 21 granted 102\n"
          "9 release on 22                      | 22 released\n"
          "9 end on 23                          | 23 ended\n"
          "batch\n"
          "| put session 1\n"
          "| put 101 of 1.1 A\n"
          "| batch 1, fence 103, all is due\n"
          "applied 1\n"
          "clock 3499\n"
          "open 9, ttl 2000, of-key             | 9 gone\n"
          "9 acquire B on 24, attempt 24, keyed | 24 gone\n"
          "clock 3500\n"
          "open 9, ttl 2000, of-key             | 9 opened\n"),
    STORY(a_session_that_ends_by_time_is_remembered_by_nobody,
          "keyed\n"
          "clock 3000\n"
          "open 9, ttl 2000, of-key | 9 opened\n"
          "9 end on 21              | 21 ended\n"
          "open 8, ttl 2000         | 8 opened\n"
          "8 end on 22              | 22 ended\n"
          "open 8, ttl 2000         | 8 opened\n"),
    /* Three, with those that were ended. */
    STORY(more_keys_than_can_be_remembered_are_not_opened,
          "keyed\n"
          "open 10, ttl 2000, of-key | 10 opened\n"
          "open 11, ttl 5000, of-key | 11 opened\n"
          "open 12, ttl 2000, of-key | 12 limit\n"
          "10 end on 21              | 21 ended\n"
          "open 12, ttl 2000, of-key | 12 limit\n"
          "open 13, ttl 2000         | 13 opened\n"
          "clock 3000\n" /* 9 and 13 are silent, */
          "clock 3000\n" /* and 10 was remembered until now */
          "clock 3000\n"
          "open 12, ttl 2000, of-key | 12 opened\n"
          "open 10, ttl 2000, of-key | 10 opened\n"
          "open 9, ttl 2000, of-key  | 9 limit\n"),

    /* ---- Under the next leader ------------------------------------------- */

    STORY(the_next_leader_knows_what_the_grant_keeps,
          "keyed and taken over\n"
          "9 acquire B on 21, attempt 21, keyed, key-ttl 5000 | 21 other\n"
          "9 acquire C on 22, attempt 22, keyed               | 22 other\n"
          "9 acquire B:s on 23, attempt 23, keyed             | 23 other\n"
          "9 acquire B on 24, attempt 24, keyed             | 24 granted 90\n"
          "9 release on 25                                    | 25 released\n"
          "9 acquire C on 26, attempt 26, keyed         | 26 over: released\n"),
    STORY(the_next_leader_learns_of_a_key_when_it_comes,
          "keyed and taken over\n"
          "9 acquire B on 21, attempt 21, keyed | 21 granted 90\n"
          "9 end on 22                          | 22 ended\n"
          "batch\n"
          "| delete session 9\n"
          "| delete 90\n"
          "| batch 1, fence 101, all is due\n"
          "applied 1\n"
          "open 9, ttl 2000, of-key             | 9 gone\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
