#include "unit/support/guest.h"

#include <string.h>

/* What a session may believe, and until when [S1, S2, S4, S5, S6].  Wish 1 is
 * granted 101; the session was opened at 1,000 ms, so that its right is at risk
 * at 8,500 and over at 10,500, if nothing is answered. */

static void
answer(struct guest *g, uint64_t stream, enum hf_answer_kind kind)
{
    guest_hears(g, (struct said){.stream = stream, .kind = kind});
}

/* The session is alive, and holds these: by a list of them, or a sum. */
static void
lists(struct guest *g, uint64_t stream, const char *fences)
{
    guest_hears(g, (struct said){.stream = stream,
                                 .kind = HF_ANSWER_ALIVE,
                                 .holds = fences});
}

static void
sums(struct guest *g, uint64_t stream, const char *fences)
{
    guest_hears(g, (struct said){.stream = stream,
                                 .kind = HF_ANSWER_ALIVE,
                                 .holds = fences,
                                 .summed = true});
}

static enum hf_outcome
holds(const struct guest *g, int64_t ms)
{
    return hf_session_holds(g->session, 1, (struct hf_instant){ms});
}

/* Wish 2 is granted 102 and wish 3 103. */
static struct guest
holding_three(void)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    guest_want(&g, (struct want){.id = 2});
    guest_want(&g, (struct want){.id = 3});
    guest_granted(&g, 3, 102);
    guest_granted(&g, 4, 103);
    guest_hush(&g);
    return g;
}

/* ---- The right ----------------------------------------------------------- */

static void
the_right_is_counted_from_the_sending(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    assert_int_equal(hf_session_right(g.session).ms, 10500);
    guest_clock(&g, 2000);
    g.now.ms = 3000;
    guest_alive(&g, 3);
    assert_int_equal(hf_session_right(g.session).ms, 11500);
    assert_int_equal(holds(&g, 11499), HF_GRANTED);
    assert_int_equal(holds(&g, 11500), HF_LOST);
    guest_fini(&g);
}

/* Each of them is a fact about its own sending. */
static void
a_late_answer_gives_the_right_of_its_own_sending(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_clock(&g, 2000);
    guest_clock(&g, 3250); /* the first is overdue */
    EXPECT_SAID(&g, "1: #3 keep-alive\n"
                    "1: #4 keep-alive\n");
    guest_alive(&g, 4);
    assert_int_equal(hf_session_right(g.session).ms, 12750);
    guest_alive(&g, 3);
    assert_int_equal(hf_session_right(g.session).ms, 12750);
    guest_clock(&g, 4250);
    guest_clock(&g, 5500);
    guest_alive(&g, 5);
    assert_int_equal(hf_session_right(g.session).ms, 13750);
    guest_fini(&g);
}

static void
a_takeover_lock_is_at_risk_and_then_lost(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_clock(&g, 2000);
    guest_hush(&g);
    for (int64_t ms = 3000; ms < 8500; ms += 500)
        guest_clock(&g, ms);
    guest_hush(&g);
    guest_clock(&g, 8500);
    assert_non_null(strstr(g.text, "wish 1 at risk\n"));
    guest_hush(&g);
    guest_clock(&g, 10499);
    assert_null(strstr(g.text, "wish"));
    guest_hush(&g);
    guest_clock(&g, 10500);
    assert_non_null(strstr(g.text, "wish 1 lost\n"));
    assert_int_equal(holds(&g, 10500), HF_LOST);
    guest_fini(&g);
}

static void
a_lost_lock_is_released_and_never_held_again(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_clock(&g, 10500); /* it was frozen */
    EXPECT_SAID(&g, "wish 1 lost\n"
                    "1: #3 keep-alive\n"
                    "1: #4 release 1.1\n");
    guest_alive(&g, 3);
    EXPECT_SAID(&g, "");
    assert_int_equal(holds(&g, 10500), HF_LOST);
    answer(&g, 4, HF_ANSWER_RELEASED);
    EXPECT_SAID(&g, "wish 1 ended: lost\n");
    guest_fini(&g);
}

static void
a_refuse_lock_is_in_doubt_and_certain_again(void **state)
{
    struct guest g = guest_holding(HF_REFUSE);

    (void)state;
    guest_clock(&g, 10500);
    EXPECT_SAID(&g, "wish 1 in doubt\n"
                    "1: #3 keep-alive\n");
    assert_int_equal(holds(&g, 10500), HF_IN_DOUBT);
    guest_alive(&g, 3);
    EXPECT_SAID(&g, "wish 1 certain\n");
    assert_int_equal(holds(&g, 10500), HF_GRANTED);
    guest_fini(&g);
}

/* An answer that comes with the end of the right revives nothing. */
static void
an_answer_at_the_end_of_the_right_is_too_late(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_clock(&g, 2000);
    guest_hush(&g);
    g.now.ms = 10500;
    guest_alive(&g, 3);
    assert_non_null(strstr(g.text, "wish 1 lost\n"));
    guest_fini(&g);
}

/* The server may be slow enough to grant what its client cannot keep. */
static void
who_finds_the_right_over_renews_before_a_grant_is_told(void **state)
{
    struct hf_session_config config = guest_config(HF_TAKEOVER);
    struct guest g;

    (void)state;
    config.silence.ms = 60000;
    g = guest_with(&config);
    guest_want(&g, (struct want){.id = 1});
    guest_opened(&g, 1);
    guest_hush(&g);
    g.now.ms = 8499;
    guest_clock(&g, 8499);
    guest_hush(&g);
    g.now.ms = 8500; /* a grace is left */
    guest_granted(&g, 2, 101);
    EXPECT_SAID(&g, "");
    assert_int_equal(holds(&g, 8500), HF_NOT_HELD);
    guest_stream_ends(&g, 3);
    EXPECT_SAID(&g, "1: #4 keep-alive\n");
    guest_alive(&g, 4);
    EXPECT_SAID(&g, "wish 1 granted 101\n");
    guest_fini(&g);
}

static void
a_grant_that_cannot_be_told_by_its_deadline_is_released(void **state)
{
    struct hf_session_config config = guest_config(HF_TAKEOVER);
    struct guest g;

    (void)state;
    config.silence.ms = 60000;
    g = guest_with(&config);
    guest_want(&g, (struct want){.id = 1, .wait_ms = 8000});
    guest_opened(&g, 1);
    guest_clock(&g, 8500);
    guest_granted(&g, 2, 101);
    guest_hush(&g);
    guest_clock(&g, 9000);
    EXPECT_SAID(&g, "wish 1 ended: timed out\n"
                    "1: #4 release 1.1\n");
    guest_alive(&g, 3);
    assert_null(strstr(g.text, "granted"));
    guest_fini(&g);
}

/* ---- Gone ---------------------------------------------------------------- */

static void
what_is_gone_is_lost_at_once_and_what_waits_is_asked_anew(void **state)
{
    struct guest g = guest_holding(HF_REFUSE);

    (void)state;
    guest_want(&g, (struct want){.id = 2});
    guest_clock(&g, 2000);
    guest_hush(&g);
    answer(&g, 4, HF_ANSWER_GONE);
    EXPECT_SAID(&g, "wish 1 lost\n"
                    "wish 1 ended: lost\n"
                    "close #3\n"
                    "1: #5 open, lowest 2\n");
    guest_granted(&g, 3, 102);
    EXPECT_SAID(&g, "");
    guest_opened(&g, 5);
    EXPECT_SAID(&g, "1: #6 acquire 2.1.2, waited 1000 ms, lowest 2\n");
    guest_fini(&g);
}

/* Who holds nothing is in no record; its place in line is kept for a while. */
static void
who_is_unknown_to_a_new_leader_is_back_soon(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1});
    guest_opened(&g, 1);
    guest_hush(&g);
    guest_hears(&g,
                (struct said){.stream = 2, .kind = HF_ANSWER_TERM, .term = 8});
    EXPECT_SAID(&g, "1: #3 keep-alive, term 8\n");
    answer(&g, 3, HF_ANSWER_GONE);
    guest_clock(&g, g.now.ms + 75);
    EXPECT_SAID(&g, "1: #4 open\n");
    guest_fini(&g);
}

static void
what_is_denied_is_as_gone_and_an_open_that_is_ends_all(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_want(&g, (struct want){.id = 2});
    guest_hush(&g);
    answer(&g, 3, HF_ANSWER_DENIED);
    EXPECT_SAID(&g, "wish 1 lost\n"
                    "wish 1 ended: lost\n");
    guest_clock(&g, 1750); /* it was opened a moment ago */
    EXPECT_SAID(&g, "1: #4 open, lowest 2\n");
    answer(&g, 4, HF_ANSWER_DENIED);
    EXPECT_SAID(&g, "wish 2 ended: HF_E_DENIED\n");
    guest_fini(&g);
}

static void
what_a_session_may_not_ask_for_ends_all(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1});
    guest_hush(&g);
    guest_hears(&g, (struct said){.stream = 1,
                                  .kind = HF_ANSWER_OVER,
                                  .over = HF_OVER_INVALID});
    EXPECT_SAID(&g, "wish 1 ended: HF_E_INVALID\n");
    guest_fini(&g);
}

/* ---- Cleared ------------------------------------------------------------- */

static void
a_grant_that_is_named_as_cleared_is_lost_and_released(void **state)
{
    struct guest g = holding_three();

    (void)state;
    guest_clock(&g, 2000);
    guest_hush(&g);
    guest_hears(
        &g, (struct said){.stream = 5, .kind = HF_ANSWER_ALIVE, .fence = 102});
    EXPECT_SAID(&g, "wish 2 lost\n"
                    "1: #6 release 2.1\n");
    guest_fini(&g);
}

/* ---- What the server does not have --------------------------------------- */

static void
what_an_alive_does_not_list_is_lost_at_once(void **state)
{
    struct guest g = holding_three();

    (void)state;
    guest_clock(&g, 2000);
    lists(&g, 5, "101 103");
    EXPECT_SAID(&g, "1: #5 keep-alive\n"
                    "wish 2 lost\n"
                    "1: #6 release 2.1\n");
    assert_int_equal(hf_session_right(g.session).ms, 11500);
    guest_fini(&g);
}

/* It comes behind the keep-alive, and its answer before that one's. */
static void
a_grant_that_came_after_a_keep_alive_is_not_missing_in_its_answer(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_want(&g, (struct want){.id = 2});
    guest_clock(&g, 2000);
    guest_granted(&g, 3, 102);
    guest_hush(&g);
    lists(&g, 4, "101");
    EXPECT_SAID(&g, "");
    guest_clock(&g, 3000);
    lists(&g, 5, "101");
    EXPECT_SAID(&g, "1: #5 keep-alive\n"
                    "wish 2 lost\n"
                    "1: #6 release 2.1\n");
    guest_fini(&g);
}

/* The second keep-alive is answered first. */
static void
a_late_alive_tells_of_what_was_believed_when_it_was_sent(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_want(&g, (struct want){.id = 2});
    guest_clock(&g, 2000);
    guest_granted(&g, 3, 102);
    guest_clock(&g, 3250); /* the first is overdue */
    lists(&g, 5, "101 102");
    guest_hush(&g);
    lists(&g, 4, "101");
    EXPECT_SAID(&g, "");
    guest_clock(&g, 4250);
    lists(&g, 6, "102");
    EXPECT_SAID(&g, "1: #6 keep-alive\n"
                    "wish 1 lost\n"
                    "1: #7 release 1.1\n");
    guest_fini(&g);
}

static void
what_was_released_after_a_keep_alive_is_not_lost(void **state)
{
    struct guest g = holding_three();

    (void)state;
    guest_clock(&g, 2000);
    guest_release(&g, 2);
    guest_hush(&g);
    lists(&g, 5, "101 103");
    EXPECT_SAID(&g, "");
    guest_fini(&g);
}

/* While that is going on nothing else waits for it. */
static void
a_sum_that_differs_gives_its_right_once_pages_were_compared(void **state)
{
    struct guest g = holding_three();

    (void)state;
    guest_clock(&g, 2000);
    guest_hush(&g);
    sums(&g, 5, "101 103 104");
    EXPECT_SAID(&g, "1: #6 page 101 102\n");
    assert_int_equal(hf_session_right(g.session).ms, 10500);
    guest_want(&g, (struct want){.id = 4});
    guest_hears(
        &g, (struct said){.stream = 6, .kind = HF_ANSWER_PAGE, .fence = 102});
    EXPECT_SAID(&g, "1: #7 acquire 4.1.1\n"
                    "wish 2 lost\n"
                    "1: #8 page 103\n"
                    "1: #9 release 2.1\n");
    assert_int_equal(hf_session_right(g.session).ms, 10500);
    answer(&g, 8, HF_ANSWER_PAGE);
    assert_int_equal(hf_session_right(g.session).ms, 11500);
    guest_clock(&g, 3000);
    EXPECT_SAID(&g, "1: #10 keep-alive\n");
    guest_fini(&g);
}

static void
a_sum_is_compared_with_that_of_what_was_believed_by_then(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_want(&g, (struct want){.id = 2});
    guest_clock(&g, 2000);
    guest_granted(&g, 3, 102);
    guest_hush(&g);
    sums(&g, 4, "101");
    EXPECT_SAID(&g, "");
    assert_int_equal(hf_session_right(g.session).ms, 11500);
    guest_fini(&g);
}

/* It says nothing of what the pages are asked for. */
static void
an_alive_that_comes_late_while_pages_are_out_gives_no_right(void **state)
{
    struct guest g = holding_three();

    (void)state;
    guest_clock(&g, 2000);
    guest_clock(&g, 3250);
    sums(&g, 6, "101 103 104");
    assert_int_equal(hf_session_right(g.session).ms, 10500);
    sums(&g, 5, "101 102 103");
    assert_int_equal(hf_session_right(g.session).ms, 10500);
    guest_fini(&g);
}

/* ---- A new leader -------------------------------------------------------- */

static void
meet(struct guest *g)
{
    guest_clock(g, 2000);
    guest_hush(g);
    guest_hears(g, (struct said){.stream = 5,
                                 .kind = HF_ANSWER_TERM,
                                 .term = 8,
                                 .pause_us = 300001});
}

static void
a_new_leader_is_met_and_asked_after_its_pause(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_want(&g, (struct want){.id = 2});
    guest_clock(&g, 2000);
    guest_hush(&g);
    guest_hears(&g, (struct said){.stream = 4,
                                  .kind = HF_ANSWER_TERM,
                                  .term = 8,
                                  .pause_us = 300001});
    EXPECT_SAID(&g, "close #3\n"
                    "1: #5 keep-alive, term 8\n");
    guest_alive(&g, 5);
    EXPECT_SAID(&g, "");
    guest_clock(&g, 2300);
    EXPECT_SAID(&g, "");
    guest_clock(&g, 2301);
    EXPECT_SAID(&g, "1: #6 acquire 2.1.2, waited 1301 ms, term 8\n");
    guest_fini(&g);
}

/* Its store may have been put back.  Wish 2 is left: it is asked of that
 * leader, in that term. */
static void
a_leader_of_an_older_term_is_met_once_the_right_is_over(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_want(&g, (struct want){.id = 2});
    guest_clock(&g, 10500);
    guest_hush(&g);
    guest_hears(&g,
                (struct said){.stream = 6, .kind = HF_ANSWER_TERM, .term = 6});
    guest_alive(&g, 7);
    EXPECT_SAID(&g, "close #5\n"
                    "close #4\n"
                    "1: #7 keep-alive, term 6\n"
                    "1: #8 acquire 2.1.3, waited 9500 ms, term 6\n"
                    "1: #9 release 1.1, term 6\n");
    guest_fini(&g);
}

static void
no_pause_is_longer_than_a_server_may_be_silent(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_want(&g, (struct want){.id = 2});
    guest_clock(&g, 2000);
    guest_hears(&g, (struct said){.stream = 4,
                                  .kind = HF_ANSWER_TERM,
                                  .term = 8,
                                  .pause_us = UINT64_MAX});
    guest_alive(&g, 5);
    guest_hush(&g);
    for (int second = 3; second < 7; second++) {
        guest_clock(&g, second * 1000);
        guest_alive(&g, (uint64_t)second + 3);
    }
    EXPECT_SAID(&g, "1: #6 keep-alive, term 8\n"
                    "1: #7 keep-alive, term 8\n"
                    "1: #8 keep-alive, term 8\n"
                    "1: #9 keep-alive, term 8\n");
    guest_clock(&g, 7000);
    EXPECT_SAID(&g, "1: #10 keep-alive, term 8\n"
                    "1: #11 acquire 2.1.2, waited 6000 ms, term 8\n");
    guest_fini(&g);
}

static void
nothing_is_asked_of_a_leader_before_it_says_alive(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_want(&g, (struct want){.id = 2});
    guest_clock(&g, 2000);
    guest_hears(&g,
                (struct said){.stream = 4, .kind = HF_ANSWER_TERM, .term = 8});
    guest_hush(&g);
    guest_clock(&g, 2500);
    EXPECT_SAID(&g, "");
    guest_alive(&g, 5);
    EXPECT_SAID(&g, "1: #6 acquire 2.1.2, waited 1500 ms, term 8\n");
    guest_fini(&g);
}

static void
where_the_sums_differ_the_list_follows_in_pages(void **state)
{
    struct guest g = holding_three();

    (void)state;
    meet(&g);
    sums(&g, 6, "101 103 104");
    EXPECT_SAID(&g, "1: #6 keep-alive, term 8\n"
                    "1: #7 page 101 102, term 8\n");
    guest_hears(
        &g, (struct said){.stream = 7, .kind = HF_ANSWER_PAGE, .fence = 102});
    EXPECT_SAID(&g, "wish 2 lost\n"
                    "1: #8 page 103, term 8\n");
    guest_stream_ends(&g, 8);
    answer(&g, 9, HF_ANSWER_PAGE);
    EXPECT_SAID(&g, "1: #9 page 103, term 8\n");
    guest_clock(&g, 2301);
    EXPECT_SAID(&g, "1: #10 release 2.1, term 8\n");
    guest_fini(&g);
}

/* It knew the session, and the next may not. */
static void
who_led_before_cannot_answer_for_the_next_leader(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_clock(&g, 2000);
    guest_hears(&g,
                (struct said){.stream = 3, .kind = HF_ANSWER_TERM, .term = 8});
    guest_clock(&g, 3250);
    EXPECT_SAID(&g, "1: #3 keep-alive\n"
                    "1: #4 keep-alive, term 8\n"
                    "1: #5 keep-alive, term 8\n");
    guest_hears(&g,
                (struct said){.stream = 5, .kind = HF_ANSWER_TERM, .term = 9});
    EXPECT_SAID(&g, "close #4\n"
                    "1: #6 keep-alive, term 9\n");
    guest_alive(&g, 4);
    assert_int_equal(hf_session_right(g.session).ms, 10500);
    guest_alive(&g, 6);
    assert_int_equal(hf_session_right(g.session).ms, 12750);
    guest_fini(&g);
}

/* It says that the session is alive, and not yet that its grants are. */
static void
an_alive_gives_no_right_before_the_lists_were_compared(void **state)
{
    struct guest g = holding_three();

    (void)state;
    meet(&g);
    sums(&g, 6, "101 103 104");
    assert_int_equal(hf_session_right(g.session).ms, 10500);
    answer(&g, 7, HF_ANSWER_PAGE);
    assert_int_equal(hf_session_right(g.session).ms, 10500);
    g.now.ms = 2500;
    answer(&g, 8, HF_ANSWER_PAGE);
    assert_int_equal(hf_session_right(g.session).ms, 11500);
    guest_fini(&g);
}

/* A page that was sent twice is answered once. */
static void
the_answer_to_a_page_is_one_to_that_page_alone(void **state)
{
    struct guest g = holding_three();

    (void)state;
    meet(&g);
    sums(&g, 6, "101 103 104");
    guest_hush(&g);
    guest_clock(&g, 3250); /* the first page is overdue */
    EXPECT_SAID(&g, "close #7\n"
                    "1: #8 page 101 102, term 8\n");
    answer(&g, 7, HF_ANSWER_PAGE);
    EXPECT_SAID(&g, "");
    answer(&g, 8, HF_ANSWER_PAGE);
    EXPECT_SAID(&g, "1: #9 page 103, term 8\n");
    guest_fini(&g);
}

/* Wish 1 was granted 101 as its right was nearly over, and its user was told
 * nothing.  The leader that granted it is no more, and the store was restored:
 * at 9,000 it is released.  Unless `alone`, wish 2 asks in its lane by now. */
static struct guest
missing_what_was_not_told(bool alone)
{
    struct hf_session_config config = guest_config(HF_TAKEOVER);
    struct guest g;

    config.silence.ms = 60000;
    g = guest_with(&config);
    guest_want(&g, (struct want){.id = 1, .label = 5, .wait_ms = 11000});
    if (!alone)
        guest_want(&g, (struct want){.id = 2, .label = 5});
    guest_opened(&g, 1);
    guest_clock(&g, 9000);
    guest_granted(&g, 2, 101);
    guest_hears(&g,
                (struct said){.stream = 3, .kind = HF_ANSWER_TERM, .term = 8});
    guest_hush(&g);
    sums(&g, alone ? 4 : 5, "100");
    guest_hears(&g, (struct said){.stream = alone ? 5 : 6,
                                  .kind = HF_ANSWER_PAGE,
                                  .fence = 101});
    return g;
}

static void
a_grant_that_was_not_told_and_is_missing_is_asked_for_anew(void **state)
{
    struct guest g = missing_what_was_not_told(true);

    (void)state;
    EXPECT_SAID(&g, "1: #5 page 101, term 8\n"
                    "1: #6 release 1.1, term 8\n");
    answer(&g, 6, HF_ANSWER_RELEASED);
    EXPECT_SAID(&g, "1: #7 acquire 1.2.1, 3000 ms, waited 8000 ms, term 8\n");
    guest_fini(&g);
}

/* Its user has waited all the while. */
static void
what_is_missing_and_to_be_asked_for_anew_keeps_its_deadline(void **state)
{
    struct guest g = missing_what_was_not_told(true);

    (void)state;
    guest_clock(&g, 10250); /* the release is overdue */
    guest_clock(&g, 11500);
    guest_hush(&g);
    assert_true(hf_session_deadline(g.session).ms <= 12000);
    guest_clock(&g, 12000);
    EXPECT_SAID(&g, "wish 1 ended: HF_E_UNAVAILABLE\n");
    answer(&g, 10, HF_ANSWER_RELEASED);
    EXPECT_SAID(&g, "");
    assert_true(hf_session_settled(g.session));
    guest_fini(&g);
}

/* Its lane asks for something else meanwhile. */
static void
what_is_to_be_asked_for_anew_may_be_given_up_behind_its_lane(void **state)
{
    struct guest g = missing_what_was_not_told(false);

    (void)state;
    EXPECT_SAID(&g, "1: #6 page 101, term 8\n"
                    "1: #7 acquire 1.2.2, term 8\n"
                    "1: #8 release 1.1, term 8\n");
    answer(&g, 8, HF_ANSWER_RELEASED);
    EXPECT_SAID(&g, "");
    guest_clock(&g, 12000);
    assert_non_null(strstr(g.text, "wish 1 ended: timed out\n"));
    assert_null(strstr(g.text, "release"));
    guest_fini(&g);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_right_is_counted_from_the_sending),
        cmocka_unit_test(a_late_answer_gives_the_right_of_its_own_sending),
        cmocka_unit_test(a_takeover_lock_is_at_risk_and_then_lost),
        cmocka_unit_test(a_lost_lock_is_released_and_never_held_again),
        cmocka_unit_test(a_refuse_lock_is_in_doubt_and_certain_again),
        cmocka_unit_test(an_answer_at_the_end_of_the_right_is_too_late),
        cmocka_unit_test(
            who_finds_the_right_over_renews_before_a_grant_is_told),
        cmocka_unit_test(
            a_grant_that_cannot_be_told_by_its_deadline_is_released),
        cmocka_unit_test(
            what_is_gone_is_lost_at_once_and_what_waits_is_asked_anew),
        cmocka_unit_test(who_is_unknown_to_a_new_leader_is_back_soon),
        cmocka_unit_test(
            what_is_denied_is_as_gone_and_an_open_that_is_ends_all),
        cmocka_unit_test(what_a_session_may_not_ask_for_ends_all),
        cmocka_unit_test(a_grant_that_is_named_as_cleared_is_lost_and_released),
        cmocka_unit_test(what_an_alive_does_not_list_is_lost_at_once),
        cmocka_unit_test(
            a_grant_that_came_after_a_keep_alive_is_not_missing_in_its_answer),
        cmocka_unit_test(
            a_late_alive_tells_of_what_was_believed_when_it_was_sent),
        cmocka_unit_test(what_was_released_after_a_keep_alive_is_not_lost),
        cmocka_unit_test(
            a_sum_that_differs_gives_its_right_once_pages_were_compared),
        cmocka_unit_test(
            a_sum_is_compared_with_that_of_what_was_believed_by_then),
        cmocka_unit_test(
            an_alive_that_comes_late_while_pages_are_out_gives_no_right),
        cmocka_unit_test(a_new_leader_is_met_and_asked_after_its_pause),
        cmocka_unit_test(no_pause_is_longer_than_a_server_may_be_silent),
        cmocka_unit_test(
            a_leader_of_an_older_term_is_met_once_the_right_is_over),
        cmocka_unit_test(nothing_is_asked_of_a_leader_before_it_says_alive),
        cmocka_unit_test(where_the_sums_differ_the_list_follows_in_pages),
        cmocka_unit_test(who_led_before_cannot_answer_for_the_next_leader),
        cmocka_unit_test(
            an_alive_gives_no_right_before_the_lists_were_compared),
        cmocka_unit_test(the_answer_to_a_page_is_one_to_that_page_alone),
        cmocka_unit_test(
            a_grant_that_was_not_told_and_is_missing_is_asked_for_anew),
        cmocka_unit_test(
            what_is_missing_and_to_be_asked_for_anew_keeps_its_deadline),
        cmocka_unit_test(
            what_is_to_be_asked_for_anew_may_be_given_up_behind_its_lane),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
