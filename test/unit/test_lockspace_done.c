#include "unit/support/lockspace_script.h"

/* The stories of a session that an acquire opened, which ends with its last
 * release [S8].  Session 9 is one at the begin of each. */

/* There is room for eight, three of which are open. */
static void
no_number_of_requests_fills_the_server(void **state)
{
    struct server_fixture r = server_new();

    (void)state;
    for (uint64_t id = 9; id < 200; id++) {
        server_open_as(&r, (struct server_opening){.session = id,
                                                   .ttl_ms = 2000,
                                                   .of_acquire = true});
        server_acquire(
            &r, (struct call){.stream = 11, .session = id, .names = "A"});
        server_hush(&r);
        server_release(&r, (struct call){.stream = 12, .session = id});
        EXPECT_TOLD(&r, "12 released\n");
        server_applied(&r, server_batch(&r, 100));
    }
    server_fini(&r);
}

static const struct CMUnitTest tests[] = {
    STORY(a_session_that_an_acquire_opened_ends_with_its_last_release,
          "opened by an acquire\n"
          "9 acquire A on 11  | 11 granted 101\n"
          "batch\n"
          "| put session 9\n"
          "| put 101 of 9.1 A\n"
          "| batch 1, fence 102, all is due\n"
          "applied 1\n"
          "9 release on 12    | 12 released\n"
          "9 keep-alive on 13 | 13 gone\n"
          "batch\n"
          "| delete 101\n"
          "| delete session 9\n"
          "| batch 2, fence 102, all is due\n"
          "applied 2\n"),
    STORY(one_that_was_opened_by_itself_stays,
          "opened by an acquire\n"
          "1 acquire A on 11  | 11 granted 101\n"
          "1 release on 12    | 12 released\n"
          "1 keep-alive on 13 | 13 alive\n"),
    STORY(it_stays_while_it_holds_or_waits_for_something,
          "opened by an acquire\n"
          "1 acquire C on 11       | 11 granted 101\n"
          "9 acquire A on 12       | 12 granted 102\n"
          "9 acquire B on 13, n 2  | 13 granted 103\n"
          "9 acquire C on 14, lane 2\n"
          "9 release on 15, n 2    | 15 released\n"
          "9 release on 16         | 16 released\n"
          "9 keep-alive on 17      | 17 alive\n"
          /* its place is parked, and kept */
          "clock 2000              | 14 blocking timeout, 0 before it\n"
          "9 release on 18         | 18 released\n"
          "9 keep-alive on 19      | 19 alive\n"
          "9 release on 20, lane 2 | 20 released\n"
          "9 keep-alive on 21      | 21 gone\n"),
    STORY(it_stays_until_what_was_cleared_is_released,
          "opened by an acquire\n"
          "9 acquire A on 11      | 11 granted 101\n"
          "9 acquire B on 12, n 2 | 12 granted 102\n"
          "clear A 101 on 13      | 13 cleared\n"
          "9 release on 14, n 2   | 14 released\n"
          "9 keep-alive on 15     | 15 alive, 1 revoked\n"
          "9 release on 16        | 16 released\n"
          "9 keep-alive on 17     | 17 gone\n"),
    /* Busy: nothing was released. */
    STORY(a_release_that_is_refused_ends_nothing,
          "opened by an acquire\n"
          "1 acquire A on 11    | 11 granted 101\n"
          "9 acquire A on 12\n"
          "9 stream-ends on 12\n"
          "9 release on 13, n 2 | 13 busy\n"
          "9 keep-alive on 14   | 14 alive\n"),
    /* As one that its client ended [R3]. */
    STORY(one_of_a_key_is_remembered_for_its_ttl,
          "open 8, ttl 2000, of-key, of-acquire | 8 opened\n"
          "8 acquire A on 11, keyed             | 11 granted 101\n"
          "8 release on 12                      | 12 released\n"
          "batch                           | batch 1, fence 102, all is due\n"
          "applied 1\n"
          "clock 2999\n"
          "open 8, ttl 2000, of-key, of-acquire | 8 gone\n"
          "8 acquire A on 13, keyed             | 13 gone\n"
          "clock 3000\n"
          "open 8, ttl 2000, of-key, of-acquire | 8 opened\n"),

    /* ---- Whose answer nobody read [W5] ----------------------------------- */

    STORY(one_whose_answer_nobody_read_ends_with_what_it_has,
          "opened by an acquire\n"
          "9 acquire A on 11  | 11 granted 101\n"
          "9 handed on 11\n"
          "batch\n"
          "| put session 9\n"
          "| put 101 of 9.1 A\n"
          "| batch 1, fence 102, all is due\n"
          "applied 1\n"
          "1 acquire A on 12\n"
          "9 unread           | 12 granted 102\n"
          "9 keep-alive on 13 | 13 gone\n"),
    STORY(one_that_was_heard_since_stays,
          "opened by an acquire\n"
          "9 acquire A on 11  | 11 granted 101\n"
          "9 keep-alive on 12 | 12 alive, holds 101\n"
          "9 unread\n"
          "9 keep-alive on 13 | 13 alive, holds 101\n"),
    /* Its client finds it again by that key. */
    STORY(one_of_a_key_stays_though_its_answer_was_not_read,
          "open 8, ttl 2000, of-key, of-acquire | 8 opened\n"
          "8 acquire A on 11, keyed             | 11 granted 101\n"
          "8 unread\n"
          "8 keep-alive on 12                   | 12 alive, holds 101\n"),
    /* Nor is one that is over anybody's. */
    STORY(one_that_was_opened_by_itself_is_known,
          "opened by an acquire\n"
          "1 acquire A on 11  | 11 granted 101\n"
          "1 unread\n"
          "77 unread\n"
          "1 keep-alive on 12 | 12 alive, holds 101\n"),
    cmocka_unit_test(no_number_of_requests_fills_the_server),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
