#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/support/lockspace_script.h"

/* The first holds the lock; the next two want it.  A grace is 200 ms, and a
 * blocking timeout a second. */

static const struct CMUnitTest tests[] = {
    /* ---- One that waits -------------------------------------------------- */

    STORY(who_is_cut_off_and_comes_back_has_its_place,
          "held\n"
          "2 acquire A on 11\n"
          "3 acquire A on 12\n"
          "2 cut on 11\n"
          "clock 1199\n"
          "2 acquire A on 13, attempt 2\n"
          "clock 1300\n"
          "1 release on 14 | 14 released; 13 granted 102\n"),
    STORY(who_is_cut_off_holds_up_those_behind_for_a_grace,
          "held\n"
          "2 acquire A on 11\n"
          "3 acquire A on 12\n"
          "2 cut on 11\n"
          "1 release on 13 | 13 released\n"
          "clock 1199\n"
          "clock 1200      | 12 granted 102\n"
          "2 acquire A on 14, attempt 2\n"),
    STORY(nobody_is_waited_for_longer_than_it_waits_itself,
          "held\n"
          "2 acquire A on 11, wait 50\n"
          "3 acquire A on 12\n"
          "2 cut on 11, wait 50\n"
          "1 release on 13 | 13 released\n"
          "clock 1049\n"
          "clock 1050      | 12 granted 102\n"),
    STORY(who_polls_is_waited_for_as_long_as_it_asked_to_be,
          "held\n"
          "2 acquire A on 11, wait 50, park 400\n"
          "3 acquire A on 12\n"
          "2 cut on 11, wait 50, park 400\n"
          "1 release on 13 | 13 released\n"
          "clock 1399\n"
          "clock 1400      | 12 granted 102\n"),
    STORY(a_try_beside_who_is_cut_off_is_put_off,
          "held\n"
          "2 acquire A on 11\n"
          "2 cut on 11\n"
          "1 release on 13        | 13 released\n"
          "3 acquire A on 14, try | 14 later, 200 ms: place\n"),

    /* ---- A grant that nobody was told of --------------------------------- */

    STORY(a_grant_is_kept_for_who_comes_back_before_it_was_told,
          "granted back\n"
          "clock 1199\n"
          "2 acquire A on 14, attempt 2 | 14 granted 102\n"
          "clock 1500\n"),
    STORY(a_grant_that_nobody_comes_back_for_is_the_next_ones,
          "granted back\n"
          "clock 1199\n"
          "clock 1200 | 12 granted 103\n"
          "2 acquire A on 14, attempt 2\n"),
    STORY(a_grant_that_is_cut_off_again_is_kept_again,
          "granted back\n"
          "clock 1100\n"
          "2 acquire A on 14, attempt 2 | 14 granted 102\n"
          "2 cut on 14, attempt 2\n"
          "clock 1299\n"
          "clock 1300                   | 12 granted 103\n"),
    STORY(who_cancels_gives_a_kept_grant_back_at_once,
          "granted back\n"
          "2 release on 14 | 14 released; 12 granted 103\n"),
    /* A lane asks for one thing at a time: so its client has the grant [R2]. */
    STORY(the_next_request_shows_that_a_kept_grant_was_told,
          "granted back\n"
          "2 acquire B on 14, n 2 | 14 granted 103\n"
          "clock 1500\n"),
    /* There is room for two who wait, of whom one does. */
    STORY(what_is_kept_counts_as_one_that_waits,
          "start waiters 2\n"
          "1 acquire A on 1          | 1 granted 101\n"
          "1 acquire A on 11, lane 2\n"
          "2 acquire B on 12         | 12 granted 102\n"
          "3 acquire C on 13         | 13 granted 103\n"
          "2 cut on 12\n"
          "3 cut on 13\n" /* there is no room for it */
          "1 acquire C on 14, lane 3 | 14 granted 104\n"
          "1 acquire A on 15, lane 4 | 15 over: limit\n"
          "clock 1200\n"
          "1 acquire A on 16, lane 5\n"),
    STORY(what_was_told_is_no_grant_that_is_kept, "held\n"
                                                  "3 acquire A on 12\n"
                                                  "1 cut on 1\n"
                                                  "clock 1500\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
