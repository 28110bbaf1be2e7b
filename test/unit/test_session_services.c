#include "unit/support/session_script.h"

/* What a session asks for, and whom, whose nodes are not known to be of one
 * service [S7].  A ttl of 10 s, see client_fixture.h. */

static const struct CMUnitTest tests[] = {
    STORY(nothing_is_asked_for_before_all_were_asked_who_they_are,
          "services 0 0 0 unheard\n"
          "want 1\n"
          "clock 1500\n"
          "services 10 10 10 one | 1: #1 open\n"
          "hear #1 opened        | 1: #2 acquire 1.1.1\n"),
    STORY(where_ids_differ_what_was_asked_is_given_back_and_asked_for_later,
          "services 10 10 10 one\n"
          "want 1                   | 1: #1 open\n"
          "hear #1 opened           | 1: #2 acquire 1.1.1\n"
          "services 10 11 10 differ | close #2; 1: #3 release 1.1\n"
          "want 2\n"
          "hear #2 granted 101\n" /* too late: nobody waits for it */
          "hear #3 released\n"
          "services 10 10 10 one | 1: #4 acquire 1.2.1; 1: #5 acquire 2.1.1\n"),
    STORY(a_grant_that_was_not_told_is_given_back_too,
          "services 10 10 10 one\n"
          "want 1                   | 1: #1 open\n"
          "hear #1 opened           | 1: #2 acquire 1.1.1\n"
          /* too little is left of the right to tell it */
          "clock 8600\n"
          "| close #2\n"
          "| 1: #3 keep-alive\n"
          "| 1: #4 acquire 1.1.2, waited 7600 ms\n"
          "hear #2 granted 101\n"
          "services 10 11 10 differ | close #4; 1: #5 release 1.1\n"),
    STORY(where_they_are_two_services_all_who_wait_end,
          "holding of two\n"
          "want 2\n"
          "services 10 11 10 two | wish 2 ended: HF_E_UNAVAILABLE\n"
          "want 3, label 9       | wish 3 ended: HF_E_UNAVAILABLE\n"
          "want 4, try, label 9  | wish 4 ended: HF_E_UNAVAILABLE\n"
          /* of what is held */
          "clock 2000            | 1: #3 keep-alive\n"
          "release 1             | 1: #4 release 1.1\n"),
    STORY(a_limit_that_comes_before_is_no_holders_doing,
          "services 10 11 10 differ\n"
          "want 1, wait 500\n"
          "clock 1500 | wish 1 ended: HF_E_UNAVAILABLE\n"),
    STORY(a_session_of_another_service_than_its_nodes_is_not_used,
          "services 0 11 0 one\n"
          "want 1               | 1: #1 open\n"
          "hear #1 opened, service 10\n"
          "services 11 11 0 one | 1: #2 acquire 1.2.1\n"),
    /* Node 2 is of another, and node 3 of its own. */
    STORY(what_is_held_is_kept_alive_at_nodes_of_its_own_service_alone,
          "holding of two\n"
          "clock 2000                    | 1: #3 keep-alive\n"
          "stream-ends 3                 | 1: #4 keep-alive\n"
          "stream-ends 4                 | 1: #5 keep-alive\n"
          "stream-ends 5                 | 3: #6 keep-alive\n"
          "hear #6 not-leading, leader 2 | 1: #7 keep-alive\n"
          "may-ask 2                     | no\n"
          "may-ask 3                     | yes\n"),
    /* It has not said that it is of this one. */
    STORY(nor_is_it_at_a_node_that_said_nothing,
          "holding of two\n"
          "services 10 0 0 one\n"
          "clock 2000    | 1: #3 keep-alive\n"
          "stream-ends 3 | 1: #4 keep-alive\n"
          "stream-ends 4 | 1: #5 keep-alive\n"
          "stream-ends 5 | 1: #6 keep-alive\n"
          "stream-ends 6 | 1: #7 keep-alive\n"),
    /* Its place was restored: the session is where it was. */
    STORY(a_service_of_a_new_id_keeps_its_session,
          "holding of two\n"
          "services 11 11 10 differ\n"
          "may-ask 2  | yes\n"
          "may-ask 3  | no\n"
          "clock 2000 | 1: #3 keep-alive\n"),
    /* Its service has been silent for so long that it counts for nothing. */
    STORY(who_waits_goes_to_the_service_that_is_left,
          "holding of two\n"
          "want 2\n"
          "clock 10500 | wish 1 lost; 1: #3 keep-alive; 1: #4 release 1.1\n"
          "services 0 11 0 one\n"
          "| wish 1 ended: lost\n"
          "| close #4\n"
          "| close #3\n"
          "| 1: #5 open, lowest 2\n"),
    /* What is to be refused is not taken by time. */
    STORY(what_is_in_doubt_waits_for_its_own_service,
          "start refuse\n"
          "holding of two\n"
          "clock 10500 | wish 1 in doubt; 1: #3 keep-alive\n"
          "services 0 11 0 one\n"
          "release 1   | 1: #4 release 1.1\n"
          "services 0 11 11 one\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
