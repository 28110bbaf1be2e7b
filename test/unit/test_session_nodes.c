#include "unit/support/session_script.h"

/* Which node is asked, and when [R4, R6]. */

static void
not_leading(struct client_fixture *g, uint64_t stream, uint32_t leader)
{
    client_hears(g, (struct said){.stream = stream,
                                  .kind = HF_ANSWER_NOT_LEADING,
                                  .leader = leader});
}

static void
after_a_lap_there_is_a_pause(void **state)
{
    struct client_fixture g = client_new();
    int64_t pause_end;

    (void)state;
    client_want(&g, (struct want){.id = 1});
    not_leading(&g, 1, 0);
    not_leading(&g, 2, 0);
    EXPECT_SAID(&g, "1: #1 open\n"
                    "2: #2 open\n"
                    "3: #3 open\n");
    not_leading(&g, 3, 0);
    EXPECT_SAID(&g, "");
    pause_end = hf_session_deadline(g.session).ms;
    assert_in_range(pause_end, 1250, 1750);
    client_clock(&g, pause_end - 1);
    EXPECT_SAID(&g, "");
    client_clock(&g, pause_end);
    EXPECT_SAID(&g, "1: #4 open\n");
    client_fini(&g);
}

static const struct CMUnitTest tests[] = {
    STORY(who_leads_as_another_says_is_asked_next,
          "want 1                        | 1: #1 open\n"
          "hear #1 not-leading, leader 3 | 3: #2 open\n"
          "hear #2 opened                | 3: #3 acquire 1.1.1\n"
          /* it knows none */
          "hear #3 not-leading           | 1: #4 acquire 1.1.2\n"),
    STORY(a_node_is_asked_three_times_and_then_another,
          "want 1        | 1: #1 open\n"
          "stream-ends 1 | 1: #2 open\n"
          "stream-ends 2 | 1: #3 open\n"
          "stream-ends 3 | 2: #4 open\n"),
    /* What one broken connection did is one failure. */
    STORY(streams_that_break_together_are_one_failure,
          "want 1         | 1: #1 open\n"
          "want 2\n"
          "want 3\n"
          "want 4\n"
          "want 5\n"
          "hear #1 opened\n"
          "| 1: #2 acquire 1.1.1\n"
          "| 1: #3 acquire 2.1.1\n"
          "| 1: #4 acquire 3.1.1\n"
          "| 1: #5 acquire 4.1.1\n"
          "| 1: #6 acquire 5.1.1\n"
          "stream-ends 2  | 1: #7 acquire 1.1.2\n"
          "stream-ends 3  | 1: #8 acquire 2.1.2\n"
          "stream-ends 4  | 1: #9 acquire 3.1.2\n"
          "stream-ends 5  | 1: #10 acquire 4.1.2\n"
          "stream-ends 6  | 1: #11 acquire 5.1.2\n"
          "stream-ends 7  | 1: #12 acquire 1.1.3\n"
          "stream-ends 8  | 1: #13 acquire 2.1.3\n"
          "stream-ends 9  | 1: #14 acquire 3.1.3\n"
          "stream-ends 10 | 1: #15 acquire 4.1.3\n"
          "stream-ends 11 | 1: #16 acquire 5.1.3\n"
          "stream-ends 12 | 2: #17 acquire 1.1.4\n"
          "stream-ends 13 | 2: #18 acquire 2.1.4\n"
          "stream-ends 14 | 2: #19 acquire 3.1.4\n"
          "stream-ends 15 | 2: #20 acquire 4.1.4\n"
          "stream-ends 16 | 2: #21 acquire 5.1.4\n"),
    STORY(a_blocking_timeout_forgives_failures,
          "want 1                   | 1: #1 open\n"
          "hear #1 opened           | 1: #2 acquire 1.1.1\n"
          "stream-ends 2            | 1: #3 acquire 1.1.2\n"
          "stream-ends 3            | 1: #4 acquire 1.1.3\n"
          "hear #4 blocking-timeout | 1: #5 acquire 1.1.4\n"
          "stream-ends 5            | 1: #6 acquire 1.1.5\n"),
    cmocka_unit_test(after_a_lap_there_is_a_pause),
    /* Two that name one another are a lap, too. */
    STORY(who_is_sent_in_a_circle_comes_to_a_pause,
          "want 1                        | 1: #1 open\n"
          "hear #1 not-leading, leader 2 | 2: #2 open\n"
          "hear #2 not-leading, leader 1 | 1: #3 open\n"
          "hear #3 not-leading, leader 2\n"),
    /* The time that three of them take leaves some of the right to the
     * others. */
    STORY(who_is_silent_is_left_before_the_right_is_at_risk,
          "holding\n"
          "clock 2000 | 1: #3 keep-alive\n"
          "clock 3250 | 1: #4 keep-alive\n"
          "clock 4500 | 1: #5 keep-alive\n"
          "clock 5750 | 2: #6 keep-alive\n"),
    STORY(a_leader_of_an_older_term_is_no_leader,
          "holding\n"
          "clock 2000     | 1: #3 keep-alive\n"
          "hear #3 term 6 | 1: #4 keep-alive\n"),
    /* Whatever it may be, it is no answer to what was asked. */
    STORY(an_answer_that_does_not_fit_is_a_failure,
          "holding\n"
          "release 1       | 1: #3 release 1.1\n"
          "hear #3 changed | 1: #4 release 1.1\n"
          "hear #4 changed | 1: #5 release 1.1\n"
          "hear #5 changed | 2: #6 release 1.1\n"),
    /* Nor does it keep out what is held. */
    STORY(a_change_that_is_told_of_a_limit_is_a_failure,
          "holding\n"
          "change 1, index 0 | 1: #3 change 1.1 [0]\n"
          "hear #3 limit     | 1: #4 change 1.1 [0]\n"),
    /* It names none: whoever answers by them is asked as often as who is
     * silent. */
    STORY(an_open_is_of_no_term_and_of_no_session,
          "want 1         | 1: #1 open\n"
          "hear #1 term 8 | 1: #2 open\n"
          "hear #2 gone   | 1: #3 open\n"
          "hear #3 term 9 | 2: #4 open\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
