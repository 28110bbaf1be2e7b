#include "unit/support/guest.h"

/* What a session asks, and when it is content [R1, R2, R5, W3]. */

static void
answer(struct guest *g, uint64_t stream, enum hf_answer_kind kind)
{
    guest_hears(g, (struct said){.stream = stream, .kind = kind});
}

static void
over(struct guest *g, uint64_t stream, enum hf_over why)
{
    guest_hears(g, (struct said){
                       .stream = stream, .kind = HF_ANSWER_OVER, .over = why});
}

/* ---- From the first wish to the last ------------------------------------- */

static void
a_session_is_opened_asked_with_and_kept_alive_while_it_is_used(void **state)
{
    struct guest g = guest_new();

    (void)state;
    assert_int_equal(hf_session_deadline(g.session).ms, INT64_MAX);
    guest_want(&g, (struct want){.id = 1});
    EXPECT_SAID(&g, "1: #1 open\n");
    guest_opened(&g, 1);
    EXPECT_SAID(&g, "1: #2 acquire 1.1.1\n");
    guest_granted(&g, 2, 101);
    EXPECT_SAID(&g, "wish 1 granted 101\n");
    assert_int_equal(hf_session_deadline(g.session).ms, 2000);
    guest_clock(&g, 2000);
    EXPECT_SAID(&g, "1: #3 keep-alive\n");
    guest_alive(&g, 3);
    guest_release(&g, 1);
    EXPECT_SAID(&g, "1: #4 release 1.1\n");
    assert_false(hf_session_settled(g.session));
    answer(&g, 4, HF_ANSWER_RELEASED);
    EXPECT_SAID(&g, "wish 1 ended: not held\n");
    assert_true(hf_session_settled(g.session));
    assert_int_equal(hf_session_deadline(g.session).ms, INT64_MAX);
    guest_fini(&g);
}

static void
what_was_idle_past_its_right_is_opened_anew(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_release(&g, 1);
    answer(&g, 3, HF_ANSWER_RELEASED);
    guest_clock(&g, 10499);
    guest_hush(&g);
    guest_want(&g, (struct want){.id = 2});
    EXPECT_SAID(&g, "1: #4 keep-alive\n"
                    "1: #5 acquire 1.2.1\n");
    over(&g, 5, HF_OVER_INVALID);
    guest_clock(&g, 10500);
    guest_hush(&g);
    guest_want(&g, (struct want){.id = 3});
    EXPECT_SAID(&g, "close #4\n"
                    "1: #6 open\n");
    guest_fini(&g);
}

static void
who_is_told_why_a_request_is_over_ends_with_it(void **state)
{
    static const struct {
        struct want want;
        enum hf_over over;
        const char *text;
    } cases[] = {
        {{.id = 1, .try_only = true, .wait_ms = 9000},
         HF_OVER_HELD,
         "wish 1 ended: timed out\n"},
        {{.id = 1}, HF_OVER_ALREADY_HELD, "wish 1 ended: already held\n"},
        {{.id = 1}, HF_OVER_DEADLOCK, "wish 1 ended: deadlock\n"},
        {{.id = 1}, HF_OVER_LIMIT, "wish 1 ended: limit\n"},
        {{.id = 1}, HF_OVER_INVALID, "wish 1 ended: HF_E_INVALID\n"},
        {{.id = 1, .free = true},
         HF_OVER_FREE,
         "wish 1 granted 0\n"
         "wish 1 ended: granted\n"},
        {{.id = 1}, HF_OVER_CLEARED, "1: #3 release 1.1\n"},
        {{.id = 1}, HF_OVER_FORGOTTEN, "1: #3 acquire 1.2.1\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct guest g = guest_new();

        guest_want(&g, cases[i].want);
        guest_opened(&g, 1);
        guest_hush(&g);
        over(&g, 2, cases[i].over);
        EXPECT_SAID(&g, cases[i].text);
        guest_fini(&g);
    }
}

static void
what_answers_something_else_is_no_answer(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_want(&g, (struct want){.id = 2});
    over(&g, 3, HF_OVER_FREE);
    over(&g, 4, HF_OVER_HELD);
    guest_granted(&g, 5, 101); /* which is wish 1's */
    EXPECT_SAID(&g, "1: #3 acquire 2.1.1\n"
                    "1: #4 acquire 2.1.2\n"
                    "1: #5 acquire 2.1.3\n"
                    "2: #6 acquire 2.1.4\n");
    guest_granted(&g, 6, 102);
    EXPECT_SAID(&g, "wish 2 granted 102\n");
    guest_want(&g, (struct want){.id = 3, .free = true});
    guest_granted(&g, 7, 103);
    EXPECT_SAID(&g, "2: #7 acquire 3.1.1, until free\n"
                    "2: #8 acquire 3.1.2, until free\n");
    guest_fini(&g);
}

/* A person took what nobody had been told of: so nothing is lost, and it is
 * wanted as before. */
static void
what_was_cleared_before_it_was_told_is_asked_for_anew(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1});
    guest_opened(&g, 1);
    guest_hush(&g);
    over(&g, 2, HF_OVER_CLEARED);
    answer(&g, 3, HF_ANSWER_RELEASED);
    EXPECT_SAID(&g, "1: #3 release 1.1\n"
                    "1: #4 acquire 1.2.1\n");
    guest_fini(&g);
}

/* ---- Attempts ------------------------------------------------------------ */

static void
who_is_told_to_ask_again_does_so_with_the_next_attempt(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1, .wait_ms = 9000});
    guest_opened(&g, 1);
    guest_clock(&g, 1300);
    answer(&g, 2, HF_ANSWER_BLOCKING_TIMEOUT);
    answer(&g, 3, HF_ANSWER_SUPERSEDED);
    guest_clock(&g, 1400);
    guest_hears(&g, (struct said){
                        .stream = 4, .kind = HF_ANSWER_LATER, .grace_ms = 100});
    guest_clock(&g, 1500);
    EXPECT_SAID(&g, "1: #1 open\n"
                    "1: #2 acquire 1.1.1, 9000 ms\n"
                    "1: #3 acquire 1.1.2, 8700 ms, waited 300 ms\n"
                    "1: #4 acquire 1.1.3, 8700 ms, waited 300 ms\n"
                    "1: #5 acquire 1.1.4, 8500 ms, waited 500 ms\n");
    guest_fini(&g);
}

/* What a dead connection still brings is no news of the newest attempt. */
static void
what_an_older_attempt_is_told_is_not_listened_to(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1});
    guest_opened(&g, 1);
    guest_stream_ends(&g, 2);
    EXPECT_SAID(&g, "1: #1 open\n"
                    "1: #2 acquire 1.1.1\n"
                    "1: #3 acquire 1.1.2\n");
    answer(&g, 2, HF_ANSWER_SUPERSEDED);
    over(&g, 2, HF_OVER_HELD);
    EXPECT_SAID(&g, "");
    guest_granted(&g, 3, 101);
    EXPECT_SAID(&g, "wish 1 granted 101\n");
    guest_fini(&g);
}

static void
what_is_not_answered_in_time_is_closed_and_asked_again(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1});
    guest_opened(&g, 1);
    guest_clock(&g, 2000);
    guest_alive(&g, 3);
    guest_clock(&g, 4000);
    guest_alive(&g, 4);
    guest_clock(&g, 5999);
    guest_alive(&g, 5);
    guest_hush(&g);
    guest_clock(&g, 6000);
    EXPECT_SAID(&g, "close #2\n"
                    "1: #6 acquire 1.1.2, waited 5000 ms\n");
    guest_granted(&g, 2, 101);
    EXPECT_SAID(&g, "");
    guest_fini(&g);
}

static void
a_server_that_lets_wait_for_longer_is_not_asked_before(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1});
    guest_hears(&g, (struct said){.stream = 1,
                                  .kind = HF_ANSWER_OPENED,
                                  .blocking_ms = 6000});
    for (int second = 2; second < 9; second++) {
        guest_clock(&g, second * 1000);
        guest_alive(&g, (uint64_t)second + 1);
    }
    guest_hush(&g);
    guest_clock(&g, 8999);
    EXPECT_SAID(&g, "");
    guest_clock(&g, 9000); /* a third longer */
    EXPECT_SAID(&g, "close #2\n"
                    "1: #10 keep-alive\n"
                    "1: #11 acquire 1.1.2, waited 8000 ms\n");
    guest_fini(&g);
}

static void
no_grace_is_longer_than_a_server_may_be_silent(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1});
    guest_opened(&g, 1);
    guest_hears(&g, (struct said){.stream = 2,
                                  .kind = HF_ANSWER_LATER,
                                  .grace_ms = INT64_MAX});
    for (int second = 2; second < 6; second++) {
        guest_clock(&g, second * 1000);
        guest_alive(&g, (uint64_t)second + 1);
    }
    guest_hush(&g);
    guest_clock(&g, 6000);
    EXPECT_SAID(&g, "1: #7 keep-alive\n"
                    "1: #8 acquire 1.1.2, waited 5000 ms\n");
    guest_fini(&g);
}

/* ---- Deadlines ----------------------------------------------------------- */

static void
no_retry_stretches_the_deadline(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1, .wait_ms = 1000});
    guest_opened(&g, 1);
    guest_clock(&g, 1900);
    answer(&g, 2, HF_ANSWER_BLOCKING_TIMEOUT);
    guest_hush(&g);
    assert_int_equal(hf_session_deadline(g.session).ms, 2000);
    guest_clock(&g, 1999);
    EXPECT_SAID(&g, "");
    guest_clock(&g, 2000);
    EXPECT_SAID(&g, "wish 1 ended: timed out\n"
                    "close #3\n"
                    "1: #4 keep-alive\n"
                    "1: #5 release 1.1\n");
    guest_fini(&g);
}

static void
a_grant_that_comes_at_the_deadline_is_released(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1, .wait_ms = 500});
    guest_opened(&g, 1);
    guest_hush(&g);
    g.now.ms = 1500;
    guest_granted(&g, 2, 101);
    EXPECT_SAID(&g, "wish 1 ended: timed out\n"
                    "close #2\n"
                    "1: #3 release 1.1\n");
    assert_false(hf_session_settled(g.session));
    assert_false(hf_session_at_rest(g.session));
    answer(&g, 3, HF_ANSWER_RELEASED);
    EXPECT_SAID(&g, "");
    assert_true(hf_session_settled(g.session));
    assert_true(hf_session_at_rest(g.session));
    guest_fini(&g);
}

static void
what_kept_a_wish_waiting_is_said_at_its_deadline(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1, .wait_ms = 100});
    guest_hush(&g);
    guest_clock(&g, 1100);
    EXPECT_SAID(&g, "wish 1 ended: HF_E_UNAVAILABLE\n");
    assert_true(hf_session_settled(g.session));
    guest_opened(&g, 1);
    guest_want(&g, (struct want){.id = 2});
    guest_granted(&g, 2, 101);
    guest_want(&g, (struct want){.id = 3, .wait_ms = 100});
    answer(&g, 3, HF_ANSWER_LIMIT);
    guest_hush(&g);
    guest_clock(&g, 1200);
    EXPECT_SAID(&g, "wish 3 ended: limit\n"
                    "1: #4 release 2.1\n");
    guest_fini(&g);
}

/* ---- Patience ------------------------------------------------------------ */

static void
a_short_wait_lasts_until_its_first_answer(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1, .wait_ms = 100, .patience_ms = 2000});
    guest_hush(&g);
    guest_clock(&g, 1100);
    EXPECT_SAID(&g, "");
    g.now.ms = 1150;
    guest_opened(&g, 1);
    EXPECT_SAID(&g, "1: #2 acquire 1.1.1, 0 ms\n");
    answer(&g, 2, HF_ANSWER_BLOCKING_TIMEOUT);
    EXPECT_SAID(&g, "wish 1 ended: timed out\n"
                    "1: #3 release 1.1\n");
    guest_fini(&g);
}

static void
what_is_granted_by_the_first_answer_is_granted(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1, .wait_ms = 100, .patience_ms = 2000});
    guest_opened(&g, 1);
    guest_hush(&g);
    guest_clock(&g, 1200);
    EXPECT_SAID(&g, "");
    guest_granted(&g, 2, 101);
    EXPECT_SAID(&g, "wish 1 granted 101\n");
    guest_fini(&g);
}

static void
a_wait_that_is_not_answered_ends_with_its_patience(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1, .wait_ms = 100, .patience_ms = 2000});
    guest_hush(&g);
    guest_clock(&g, 2999);
    guest_hush(&g); /* the open is sent once more */
    guest_clock(&g, 3000);
    EXPECT_SAID(&g, "wish 1 ended: HF_E_UNAVAILABLE\n");
    guest_fini(&g);
}

static void
a_wait_is_no_longer_for_its_patience(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g,
               (struct want){.id = 1, .wait_ms = 2500, .patience_ms = 2000});
    guest_opened(&g, 1);
    guest_hush(&g);
    guest_clock(&g, 3499);
    guest_hush(&g);
    guest_clock(&g, 3500);
    EXPECT_SAID(&g, "wish 1 ended: timed out\n"
                    "close #2\n"
                    "1: #4 release 1.1\n");
    guest_fini(&g);
}

static void
a_try_ends_where_nobody_answers(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1,
                                 .try_only = true,
                                 .wait_ms = 30000,
                                 .patience_ms = 2000});
    guest_clock(&g, 2999);
    guest_hush(&g);
    guest_clock(&g, 3000);
    EXPECT_SAID(&g, "wish 1 ended: HF_E_UNAVAILABLE\n");
    guest_fini(&g);
}

/* Nobody leads for seconds: that is no server that is not there. */
static void
a_try_goes_on_while_nodes_answer(void **state)
{
    struct guest g = guest_new();
    uint64_t stream = 1;

    (void)state;
    guest_want(&g, (struct want){.id = 1,
                                 .try_only = true,
                                 .wait_ms = 30000,
                                 .patience_ms = 2000});
    for (int64_t at_ms = 1500; at_ms < 8000; at_ms += 1500) {
        g.now.ms = at_ms;
        for (int i = 0; i < 3; i++) /* a lap of all nodes */
            answer(&g, stream++, HF_ANSWER_NOT_LEADING);
        guest_clock(&g, at_ms + 750);
        guest_hush(&g);
    }
    guest_opened(&g, stream);
    guest_granted(&g, stream + 1, 101);
    EXPECT_SAID(&g, "1: #17 acquire 1.1.1, try\n"
                    "wish 1 granted 101\n");
    guest_fini(&g);
}

/* It answered once, and then nothing at all. */
static void
a_try_ends_when_all_nodes_were_asked_in_vain(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1,
                                 .try_only = true,
                                 .wait_ms = 30000,
                                 .patience_ms = 2000});
    guest_opened(&g, 1);
    for (uint64_t stream = 2; stream <= 10; stream++)
        guest_stream_ends(&g, stream);
    guest_hush(&g);
    guest_clock(&g, 2999);
    guest_hush(&g);
    guest_clock(&g, 3000);
    EXPECT_SAID(&g, "wish 1 ended: HF_E_UNAVAILABLE\n"
                    "close #12\n"
                    "1: #13 release 1.1\n");
    guest_fini(&g);
}

/* No other message's answer is its own [W4]. */
static void
a_try_is_told_that_others_hold_it_by_the_server_alone(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_want(&g, (struct want){.id = 2, .try_only = true, .wait_ms = 1000});
    guest_hush(&g);
    g.now.ms = 1900;
    guest_hears(&g, (struct said){
                        .stream = 3, .kind = HF_ANSWER_LATER, .grace_ms = 500});
    guest_clock(&g, 2000);
    EXPECT_SAID(&g, "wish 2 ended: HF_E_UNAVAILABLE\n"
                    "1: #4 keep-alive\n"
                    "1: #5 release 2.1\n");
    guest_fini(&g);
}

/* ---- Nobody walks away --------------------------------------------------- */

static void
who_wants_no_more_releases_until_that_is_answered(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_want(&g, (struct want){.id = 2});
    guest_hush(&g);
    guest_release(&g, 2);
    EXPECT_SAID(&g, "close #3\n"
                    "1: #4 release 2.1\n");
    guest_stream_ends(&g, 4);
    EXPECT_SAID(&g, "1: #5 release 2.1\n");
    answer(&g, 5, HF_ANSWER_LIMIT); /* which settles nothing */
    EXPECT_SAID(&g, "");
    guest_clock(&g, 1750);
    EXPECT_SAID(&g, "1: #6 release 2.1\n");
    answer(&g, 6, HF_ANSWER_RELEASED);
    EXPECT_SAID(&g, "wish 2 ended: HF_E_CANCELLED\n");
    guest_fini(&g);
}

/* The server knows two lanes, both idle, and lets no third one in; but it can
 * forget none before the lowest is settled, which is the third. */
static void
who_is_kept_out_and_holds_nothing_ends_the_session(void **state)
{
    struct guest g = guest_new();

    (void)state;
    for (uint64_t id = 1; id <= 3; id++)
        guest_want(&g, (struct want){.id = id});
    guest_opened(&g, 1);
    answer(&g, 2, HF_ANSWER_LIMIT);
    over(&g, 3, HF_OVER_DEADLOCK);
    over(&g, 4, HF_OVER_DEADLOCK);
    guest_release(&g, 1);
    guest_hush(&g);
    answer(&g, 5, HF_ANSWER_LIMIT);
    EXPECT_SAID(&g, "1: #6 end\n");
    guest_want(&g, (struct want){.id = 4});
    answer(&g, 6, HF_ANSWER_ENDED);
    EXPECT_SAID(&g, "wish 1 ended: HF_E_CANCELLED\n"
                    "1: #7 open, lowest 2\n");
    guest_opened(&g, 7);
    EXPECT_SAID(&g, "1: #8 acquire 2.2.1, lowest 2\n");
    guest_fini(&g);
}

static void
what_was_never_sent_needs_no_release(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1, .label = 5});
    guest_want(&g, (struct want){.id = 2, .label = 5});
    guest_hush(&g);
    guest_release(&g, 1);
    EXPECT_SAID(&g, "wish 1 ended: HF_E_CANCELLED\n");
    guest_opened(&g, 1);
    EXPECT_SAID(&g, "1: #2 acquire 1.2.1\n");
    guest_fini(&g);
}

static void
a_session_that_ends_gives_all_back_at_once(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_want(&g, (struct want){.id = 2});
    guest_hush(&g);
    guest_end(&g);
    EXPECT_SAID(&g, "close #3\n"
                    "1: #4 end\n");
    assert_int_equal(hf_session_holds(g.session, 1, g.now), HF_NOT_HELD);
    guest_stream_ends(&g, 4);
    answer(&g, 5, HF_ANSWER_ENDED);
    EXPECT_SAID(&g, "1: #5 end\n"
                    "wish 1 ended: not held\n"
                    "wish 2 ended: HF_E_CANCELLED\n");
    assert_true(hf_session_over(g.session));
    assert_false(hf_session_room(g.session));
    guest_fini(&g);
}

/* ---- Lanes --------------------------------------------------------------- */

static void
a_lane_asks_for_one_thing_at_a_time(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1, .label = 5});
    guest_want(&g, (struct want){.id = 2, .label = 5});
    guest_want(&g, (struct want){.id = 3, .label = 6});
    guest_opened(&g, 1);
    EXPECT_SAID(&g, "1: #1 open\n"
                    "1: #2 acquire 1.1.1\n"
                    "1: #3 acquire 2.1.1\n");
    guest_granted(&g, 2, 101);
    EXPECT_SAID(&g, "wish 1 granted 101\n"
                    "1: #4 acquire 1.2.1\n");
    guest_release(&g, 2);
    guest_want(&g, (struct want){.id = 4, .label = 5});
    EXPECT_SAID(&g, "close #4\n"
                    "1: #5 release 1.2\n");
    answer(&g, 5, HF_ANSWER_RELEASED);
    EXPECT_SAID(&g, "wish 2 ended: HF_E_CANCELLED\n"
                    "1: #6 acquire 1.3.1\n");
    guest_fini(&g);
}

static void
idle_lanes_are_used_again_unless_they_are_below_the_lowest(void **state)
{
    struct guest g = guest_new();

    (void)state;
    for (uint64_t id = 1; id <= 3; id++)
        guest_want(&g, (struct want){.id = id});
    guest_opened(&g, 1);
    over(&g, 3, HF_OVER_DEADLOCK);
    guest_hush(&g);
    guest_want(&g, (struct want){.id = 4});
    EXPECT_SAID(&g, "1: #5 acquire 2.2.1\n");
    over(&g, 2, HF_OVER_DEADLOCK);
    over(&g, 5, HF_OVER_DEADLOCK);
    guest_hush(&g);
    guest_clock(&g, 2000);
    EXPECT_SAID(&g, "1: #6 keep-alive, lowest 3\n");
    guest_want(&g, (struct want){.id = 5});
    EXPECT_SAID(&g, "1: #7 acquire 4.1.1, lowest 3\n");
    guest_fini(&g);
}

static void
hundreds_of_lanes_are_driven_at_once(void **state)
{
    struct hf_session_config config = guest_config(HF_TAKEOVER);
    struct guest g;

    (void)state;
    config.limits.wishes = 300;
    g = guest_with(&config);
    for (uint64_t id = 1; id <= 300; id++)
        guest_want(&g, (struct want){.id = id});
    assert_false(hf_session_room(g.session));
    guest_opened(&g, 1);
    for (uint64_t id = 1; id <= 300; id++) {
        guest_hush(&g);
        guest_granted(&g, 1 + id, 100 + id);
    }
    EXPECT_SAID(&g, "wish 300 granted 400\n");
    for (uint64_t id = 1; id < 300; id++) {
        guest_release(&g, id);
        answer(&g, 301 + id, HF_ANSWER_RELEASED);
        guest_hush(&g);
    }
    guest_clock(&g, 2000);
    EXPECT_SAID(&g, "1: #601 keep-alive, lowest 300\n");
    assert_int_equal(hf_session_holds(g.session, 300, g.now), HF_GRANTED);
    guest_fini(&g);
}

static void
what_cannot_be_kept_is_no_config(void **state)
{
    struct hf_session_config config = guest_config(HF_TAKEOVER);

    (void)state;
    assert_true(hf_session_valid(&config));
    config.terms.beat.ms = 3000; /* three beats, and no grace */
    assert_false(hf_session_valid(&config));
    config = guest_config(HF_TAKEOVER);
    config.margin.ms = 8000;
    assert_false(hf_session_valid(&config));
    config = guest_config(HF_TAKEOVER);
    config.limits.nodes = 0;
    assert_false(hf_session_valid(&config));
}

/* ---- Change -------------------------------------------------------------- */

static void
names_are_lowered_one_by_one_until_that_is_answered(void **state)
{
    struct guest g = guest_holding(HF_TAKEOVER);

    (void)state;
    guest_change(&g, 1, 2);
    guest_change(&g, 1, 0);
    answer(&g, 3, HF_ANSWER_CHANGED);
    guest_stream_ends(&g, 4);
    answer(&g, 5, HF_ANSWER_CHANGED);
    EXPECT_SAID(&g, "1: #3 change 1.1 [2]\n"
                    "wish 1 changed\n"
                    "1: #4 change 1.1 [0]\n"
                    "1: #5 change 1.1 [0]\n"
                    "wish 1 changed\n");
    guest_change(&g, 1, 1);
    answer(&g, 6, HF_ANSWER_NOT_HELD);
    EXPECT_SAID(&g, "1: #6 change 1.1 [1]\n"
                    "wish 1 lost\n"
                    "1: #7 release 1.1\n");
    guest_fini(&g);
}

/* It is held on, for a person to clear. */
static void
what_is_left_is_not_changed_any_more(void **state)
{
    struct guest g = guest_holding(HF_REFUSE);

    (void)state;
    guest_change(&g, 1, 2);
    guest_change(&g, 1, 0);
    guest_leave(&g, 1);
    EXPECT_SAID(&g, "1: #3 change 1.1 [2]\n"
                    "close #3\n");
    assert_true(hf_session_at_rest(g.session));
    guest_leave(&g, 1);
    answer(&g, 3, HF_ANSWER_CHANGED);
    EXPECT_SAID(&g, "");
    assert_int_equal(hf_session_holds(g.session, 1, g.now), HF_GRANTED);
    guest_fini(&g);
}

/* A change of leader is soon over.  It may enter after all, by a duplicate, so
 * it is released. */
static void
a_try_is_put_off_for_no_longer_than_an_answer_takes(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1, .try_only = true, .wait_ms = 9000});
    guest_opened(&g, 1);
    guest_hears(
        &g,
        (struct said){.stream = 2, .kind = HF_ANSWER_LATER, .grace_ms = 1250});
    guest_hush(&g);
    guest_clock(&g, 2250);
    EXPECT_SAID(&g, "1: #3 keep-alive\n"
                    "1: #4 acquire 1.1.2, try, waited 1250 ms\n");
    guest_hears(
        &g,
        (struct said){.stream = 4, .kind = HF_ANSWER_LATER, .grace_ms = 1251});
    EXPECT_SAID(&g, "wish 1 ended: HF_E_UNAVAILABLE\n"
                    "1: #5 release 1.1\n");
    guest_fini(&g);
}

/* That is no trouble of the server's. */
static void
a_try_beside_a_place_that_is_kept_is_timed_out(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1, .try_only = true, .wait_ms = 9000});
    guest_opened(&g, 1);
    guest_hush(&g);
    guest_hears(&g, (struct said){.stream = 2,
                                  .kind = HF_ANSWER_LATER,
                                  .cause = HF_LATER_PLACE,
                                  .grace_ms = 1251});
    EXPECT_SAID(&g, "wish 1 ended: timed out\n"
                    "1: #3 release 1.1\n");
    guest_fini(&g);
}

/* One that is kept beyond the try's own end, too. */
static void
a_try_waits_for_no_place_that_is_kept_beyond_its_end(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1, .try_only = true, .wait_ms = 900});
    guest_opened(&g, 1);
    guest_hush(&g);
    guest_hears(&g, (struct said){.stream = 2,
                                  .kind = HF_ANSWER_LATER,
                                  .cause = HF_LATER_PLACE,
                                  .grace_ms = 900});
    EXPECT_SAID(&g, "wish 1 ended: timed out\n"
                    "1: #3 release 1.1\n");
    guest_fini(&g);
}

/* Whatever became of what it was granted, and of its session. */
static void
an_acquire_tells_the_highest_fence_that_was_ever_granted(void **state)
{
    struct guest g = guest_new();

    (void)state;
    guest_want(&g, (struct want){.id = 1});
    guest_opened(&g, 1);
    assert_int_equal(g.seen, 0);
    guest_granted(&g, 2, 102);
    guest_want(&g, (struct want){.id = 2});
    assert_int_equal(g.seen, 102);
    guest_granted(&g, 3, 101);
    guest_clock(&g, 2000);
    guest_hears(&g, (struct said){.stream = 4, .kind = HF_ANSWER_GONE});
    guest_want(&g, (struct want){.id = 3});
    guest_opened(&g, 5);
    assert_int_equal(g.seen, 102);
    guest_fini(&g);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_session_is_opened_asked_with_and_kept_alive_while_it_is_used),
        cmocka_unit_test(what_was_idle_past_its_right_is_opened_anew),
        cmocka_unit_test(who_is_told_why_a_request_is_over_ends_with_it),
        cmocka_unit_test(what_answers_something_else_is_no_answer),
        cmocka_unit_test(what_was_cleared_before_it_was_told_is_asked_for_anew),
        cmocka_unit_test(
            who_is_told_to_ask_again_does_so_with_the_next_attempt),
        cmocka_unit_test(what_an_older_attempt_is_told_is_not_listened_to),
        cmocka_unit_test(
            what_is_not_answered_in_time_is_closed_and_asked_again),
        cmocka_unit_test(
            a_server_that_lets_wait_for_longer_is_not_asked_before),
        cmocka_unit_test(no_grace_is_longer_than_a_server_may_be_silent),
        cmocka_unit_test(no_retry_stretches_the_deadline),
        cmocka_unit_test(a_grant_that_comes_at_the_deadline_is_released),
        cmocka_unit_test(a_short_wait_lasts_until_its_first_answer),
        cmocka_unit_test(what_is_granted_by_the_first_answer_is_granted),
        cmocka_unit_test(a_wait_that_is_not_answered_ends_with_its_patience),
        cmocka_unit_test(a_wait_is_no_longer_for_its_patience),
        cmocka_unit_test(a_try_ends_where_nobody_answers),
        cmocka_unit_test(a_try_goes_on_while_nodes_answer),
        cmocka_unit_test(a_try_ends_when_all_nodes_were_asked_in_vain),
        cmocka_unit_test(what_kept_a_wish_waiting_is_said_at_its_deadline),
        cmocka_unit_test(a_try_is_told_that_others_hold_it_by_the_server_alone),
        cmocka_unit_test(who_wants_no_more_releases_until_that_is_answered),
        cmocka_unit_test(who_is_kept_out_and_holds_nothing_ends_the_session),
        cmocka_unit_test(what_was_never_sent_needs_no_release),
        cmocka_unit_test(a_session_that_ends_gives_all_back_at_once),
        cmocka_unit_test(a_try_is_put_off_for_no_longer_than_an_answer_takes),
        cmocka_unit_test(a_try_beside_a_place_that_is_kept_is_timed_out),
        cmocka_unit_test(a_try_waits_for_no_place_that_is_kept_beyond_its_end),
        cmocka_unit_test(
            an_acquire_tells_the_highest_fence_that_was_ever_granted),
        cmocka_unit_test(a_lane_asks_for_one_thing_at_a_time),
        cmocka_unit_test(
            idle_lanes_are_used_again_unless_they_are_below_the_lowest),
        cmocka_unit_test(hundreds_of_lanes_are_driven_at_once),
        cmocka_unit_test(what_cannot_be_kept_is_no_config),
        cmocka_unit_test(names_are_lowered_one_by_one_until_that_is_answered),
        cmocka_unit_test(what_is_left_is_not_changed_any_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
