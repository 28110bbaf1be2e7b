#include "unit/support/guest.h"

/* Which node is asked, and when [R4, R6]. */

static void
not_leading(struct guest *g, uint64_t stream, uint32_t leader)
{
    guest_hears(g, (struct said){.stream = stream,
                                 .kind = HF_ANSWER_NOT_LEADING,
                                 .leader = leader});
}

static void
who_leads_as_another_says_is_asked_next(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1});
    not_leading(&g, 1, 3);
    EXPECT_SAID(&g, "1: #1 open\n"
                    "3: #2 open\n");
    guest_opened(&g, 2);
    EXPECT_SAID(&g, "3: #3 acquire 1.1.1\n");
    not_leading(&g, 3, 0); /* it knows none */
    EXPECT_SAID(&g, "1: #4 acquire 1.1.2\n");
    guest_fini(&g);
}

static void
a_node_is_asked_three_times_and_then_another(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1});
    guest_stream_ends(&g, 1);
    guest_stream_ends(&g, 2);
    guest_stream_ends(&g, 3);
    EXPECT_SAID(&g, "1: #1 open\n"
                    "1: #2 open\n"
                    "1: #3 open\n"
                    "2: #4 open\n");
    guest_fini(&g);
}

static void
break_five(struct guest *g, uint64_t first)
{
    for (uint64_t stream = first; stream < first + 5; stream++)
        guest_stream_ends(g, stream);
}

/* What one broken connection did is one failure. */
static void
streams_that_break_together_are_one_failure(void **state)
{
    struct guest g = guest_new();

    (void)state;
    for (uint64_t id = 1; id <= 5; id++)
        guest_want(&g, (struct want){.id = id});
    guest_opened(&g, 1);
    guest_hush(&g);
    break_five(&g, 2);
    EXPECT_SAID(&g, "1: #7 acquire 1.1.2\n"
                    "1: #8 acquire 2.1.2\n"
                    "1: #9 acquire 3.1.2\n"
                    "1: #10 acquire 4.1.2\n"
                    "1: #11 acquire 5.1.2\n");
    break_five(&g, 7);
    guest_hush(&g);
    break_five(&g, 12);
    EXPECT_SAID(&g, "2: #17 acquire 1.1.4\n"
                    "2: #18 acquire 2.1.4\n"
                    "2: #19 acquire 3.1.4\n"
                    "2: #20 acquire 4.1.4\n"
                    "2: #21 acquire 5.1.4\n");
    guest_fini(&g);
}

static void
a_blocking_timeout_forgives_failures(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1});
    guest_opened(&g, 1);
    guest_stream_ends(&g, 2);
    guest_stream_ends(&g, 3);
    guest_hears(&g,
                (struct said){.stream = 4, .kind = HF_ANSWER_BLOCKING_TIMEOUT});
    guest_hush(&g);
    guest_stream_ends(&g, 5);
    EXPECT_SAID(&g, "1: #6 acquire 1.1.5\n");
    guest_fini(&g);
}

static void
after_a_lap_there_is_a_pause(void **state)
{
    struct guest g = guest_new();
    int64_t pause_end;

    (void)state;
    guest_want(&g, (struct want){.id = 1});
    not_leading(&g, 1, 0);
    not_leading(&g, 2, 0);
    EXPECT_SAID(&g, "1: #1 open\n"
                    "2: #2 open\n"
                    "3: #3 open\n");
    not_leading(&g, 3, 0);
    EXPECT_SAID(&g, "");
    pause_end = hf_session_deadline(g.session).ms;
    assert_in_range(pause_end, 1250, 1750);
    guest_clock(&g, pause_end - 1);
    EXPECT_SAID(&g, "");
    guest_clock(&g, pause_end);
    EXPECT_SAID(&g, "1: #4 open\n");
    guest_fini(&g);
}

/* Two that name one another are a lap, too. */
static void
who_is_sent_in_a_circle_comes_to_a_pause(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1});
    not_leading(&g, 1, 2);
    not_leading(&g, 2, 1);
    not_leading(&g, 3, 2);
    EXPECT_SAID(&g, "1: #1 open\n"
                    "2: #2 open\n"
                    "1: #3 open\n");
    guest_fini(&g);
}

/* The time that three of them take leaves some of the right to the others. */
static void
who_is_silent_is_left_before_the_right_is_at_risk(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_clock(&g, 2000);
    guest_clock(&g, 3250);
    guest_clock(&g, 4500);
    guest_clock(&g, 5750);
    EXPECT_SAID(&g, "1: #3 keep-alive\n"
                    "1: #4 keep-alive\n"
                    "1: #5 keep-alive\n"
                    "2: #6 keep-alive\n");
    guest_fini(&g);
}

static void
a_leader_of_an_older_term_is_no_leader(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_clock(&g, 2000);
    guest_hush(&g);
    guest_hears(&g,
                (struct said){.stream = 3, .kind = HF_ANSWER_TERM, .term = 6});
    EXPECT_SAID(&g, "1: #4 keep-alive\n");
    guest_fini(&g);
}

/* Whatever it may be, it is no answer to what was asked. */
static void
an_answer_that_does_not_fit_is_a_failure(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_release(&g, 1);
    for (uint64_t stream = 3; stream < 6; stream++)
        guest_hears(&g,
                    (struct said){.stream = stream, .kind = HF_ANSWER_CHANGED});
    EXPECT_SAID(&g, "1: #3 release 1.1\n"
                    "1: #4 release 1.1\n"
                    "1: #5 release 1.1\n"
                    "2: #6 release 1.1\n");
    guest_fini(&g);
}

/* Nor does it keep out what is held. */
static void
a_change_that_is_told_of_a_limit_is_a_failure(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_change(&g, 1, 0);
    guest_hears(&g, (struct said){.stream = 3, .kind = HF_ANSWER_LIMIT});
    EXPECT_SAID(&g, "1: #3 change 1.1 [0]\n"
                    "1: #4 change 1.1 [0]\n");
    guest_fini(&g);
}

/* It names none: whoever answers by them is asked as often as who is silent. */
static void
an_open_is_of_no_term_and_of_no_session(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1});
    guest_hears(&g,
                (struct said){.stream = 1, .kind = HF_ANSWER_TERM, .term = 8});
    guest_hears(&g, (struct said){.stream = 2, .kind = HF_ANSWER_GONE});
    guest_hears(&g,
                (struct said){.stream = 3, .kind = HF_ANSWER_TERM, .term = 9});
    EXPECT_SAID(&g, "1: #1 open\n"
                    "1: #2 open\n"
                    "1: #3 open\n"
                    "2: #4 open\n");
    guest_fini(&g);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_leads_as_another_says_is_asked_next),
        cmocka_unit_test(a_node_is_asked_three_times_and_then_another),
        cmocka_unit_test(streams_that_break_together_are_one_failure),
        cmocka_unit_test(a_blocking_timeout_forgives_failures),
        cmocka_unit_test(after_a_lap_there_is_a_pause),
        cmocka_unit_test(who_is_sent_in_a_circle_comes_to_a_pause),
        cmocka_unit_test(who_is_silent_is_left_before_the_right_is_at_risk),
        cmocka_unit_test(a_leader_of_an_older_term_is_no_leader),
        cmocka_unit_test(an_answer_that_does_not_fit_is_a_failure),
        cmocka_unit_test(a_change_that_is_told_of_a_limit_is_a_failure),
        cmocka_unit_test(an_open_is_of_no_term_and_of_no_session),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
