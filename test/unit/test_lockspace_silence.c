#include "unit/support/lockspace_script.h"

/* The silence of a session counts over changes of leader [S10]: what is put
 * into its record, and when. */

static const struct CMUnitTest tests[] = {
    /* ---- Those that are silent ------------------------------------------- */

    STORY(who_is_silent_after_a_load_has_the_begin_of_that_put,
          "start empty\n"
          "load-session 1\n"
          "serve 1000, served 5000\n"
          "clock 2000\n"
          "= pending yes\n"
          "batch 100 | put session 1, silent from 5000\n"
          "| batch 1, fence 101, all is due\n"
          "applied 1\n"
          "= pending no\n"),
    STORY(a_service_that_served_nothing_begins_to_count_at_one,
          "start empty\n"
          "load-session 1\n"
          "serve 1000\n"
          "clock 2000\n"
          "batch 100 | put session 1, silent from 1\n"
          "| batch 1, fence 101, all is due\n"),
    STORY(what_is_known_already_is_not_put_again,
          "start empty\n"
          "load-session 1, silent 300, from 4700\n"
          "serve 1000, served 5000\n"
          "= pending no\n"),
    /* The record names a time that no leader has served yet. */
    STORY(a_count_beyond_the_heads_is_put_anew,
          "start empty\n"
          "load-session 1, from 9000\n"
          "serve 1000, served 5000\n"
          "batch 100 | put session 1, silent from 5000\n"
          "| batch 1, fence 101, all is due\n"),
    STORY(what_was_silent_before_the_load_counts,
          "start empty\n"
          "load-session 1, ttl 2000, silent 1500, from 4000\n"
          "load-session 2, ttl 2000\n"
          "load-grant 90 A of 1, n 90\n"
          "serve 1000, served 5500\n"
          "2 acquire A on 11\n"
          "clock 1499\n"
          "clock 1500 | 11 granted 101\n"),
    STORY(a_refuse_session_is_suspected_as_soon,
          "start empty\n"
          "load-session 1, ttl 2000, silent 1500, from 4000, refuse\n"
          "load-grant 90 A of 1, n 90\n"
          "serve 1000, served 5500\n"
          "clock 1499\n"
          "clear-suspected A 90 on 12\n"
          "| 12 not suspected: silent 1999 ms, in 1 ms\n"
          "clock 1500\n"
          "clear-suspected A 90 on 13 | 13 cleared\n"),
    STORY(nothing_is_put_while_a_client_may_come_back,
          "start empty\n"
          "load-session 1, ttl 2000\n"
          "load-session 2, ttl 2000\n"
          "serve 1000, served 5000\n"
          "= deadline 1200\n"
          "2 keep-alive on 12 | 12 alive\n"
          "clock 1199\n"
          "= pending no\n"
          "clock 1200\n"
          "= pending yes\n"
          "= deadline 3000\n"
          "batch 100 | put session 1, silent from 5000\n"
          "| batch 1, fence 101, all is due\n"),
    STORY(however_long_its_ttl_is_that_is_two_seconds,
          "start empty\n"
          "load-session 1, ttl 3600000\n"
          "serve 1000, served 5000\n"
          "= deadline 3000\n"
          "clock 2999\n"
          "= pending no\n"
          "clock 3000\n"
          "= pending yes\n"),
    STORY(a_tenth_of_a_batch_is_of_those_who_are_silent,
          "start empty\n"
          "load-session 1\n"
          "load-session 2\n"
          "load-session 3\n"
          "serve 1000, served 5000\n"
          "clock 2000\n"
          "3 acquire B on 13 | 13 granted 101\n"
          "batch 20 | put 101 of 3.1 B\n"
          "| put session 1, silent from 5000\n"
          "| put session 2, silent from 5000\n"
          "| batch 1, fence 102, all is due\n"),
    STORY(more_of_them_wait_for_the_next_batch,
          "start empty\n"
          "load-session 1\n"
          "load-session 2\n"
          "serve 1000, served 5000\n"
          "clock 2000\n"
          "batch 10 | put session 1, silent from 5000\n"
          "| batch 1, fence 101, all is due\n"
          "applied 1\n"
          "= pending yes\n"
          "batch 10 | put session 2, silent from 5000\n"
          "| batch 2, fence 101, all is due\n"),
    STORY(who_ends_is_deleted_and_not_put,
          "start empty\n"
          "load-session 1\n"
          "serve 1000, served 5000\n"
          "1 end on 11 | 11 ended\n"
          "batch 100 | delete session 1\n"
          "| batch 1, fence 101, all is due\n"),

    /* ---- Those that speak ------------------------------------------------ */

    STORY(who_speaks_before_that_is_put_needs_no_put,
          "start empty\n"
          "load-session 1\n"
          "serve 1000, served 5000\n"
          "1 keep-alive on 11 | 11 alive\n"
          "= pending no\n"),
    /* [J2]: the zero is in the batch that lets the answer out. */
    STORY(who_speaks_after_it_has_a_zero_before_the_answer,
          "start empty\n"
          "load-session 1, silent 300, from 4700\n"
          "serve 1000, served 5000\n"
          "1 keep-alive on 11 | 11 alive\n"
          "batch 100 | put session 1\n"
          "| batch 1, fence 101, all is due\n"
          "applied 1\n"
          "1 keep-alive on 12 | 12 alive\n"
          "= pending no\n"),
    STORY(an_answer_waits_for_a_zero_that_does_not_fit,
          "start empty\n"
          "load-session 1, silent 300, from 4700\n"
          "load-session 2, silent 300, from 4700\n"
          "load-session 3, silent 300, from 4700\n"
          "serve 1000, served 5000\n"
          "1 keep-alive on 11 | 11 alive\n"
          "2 keep-alive on 12 | 12 alive\n"
          "3 keep-alive on 13 | 13 alive\n"
          "batch 2 | put session 1\n"
          "| put session 2\n"
          "| batch 1, fence 101, some is not due\n"),
    STORY(so_has_who_speaks_while_the_silence_is_being_put,
          "start empty\n"
          "load-session 1\n"
          "serve 1000, served 5000\n"
          "clock 2000\n"
          "batch 100 | put session 1, silent from 5000\n"
          "| batch 1, fence 101, all is due\n"
          "1 keep-alive on 11 | 11 alive\n"
          "applied 1\n"
          "batch 100 | put session 1\n"
          "| batch 2, fence 101, all is due\n"),
    STORY(who_speaks_and_ends_at_once_is_only_deleted,
          "start empty\n"
          "load-session 1, silent 300, from 4700\n"
          "serve 1000, served 5000\n"
          "1 keep-alive on 11 | 11 alive\n"
          "1 end on 12 | 12 ended\n"
          "batch 100 | delete session 1\n"
          "| batch 1, fence 101, all is due\n"),
    STORY(who_speaks_has_its_whole_ttl,
          "start empty\n"
          "load-session 1, ttl 2000, silent 1500, from 3500\n"
          "serve 1000, served 5000\n"
          "1 keep-alive on 11 | 11 alive\n"
          "clock 2999\n"
          "1 keep-alive on 12 | 12 alive\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
