#include "unit/support/session_script.h"

/* What a session asks, and when it is content [R1, R2, R5, W3]. */

static void
answer(struct client_fixture *g, uint64_t stream, enum hf_answer_kind kind)
{
    client_hears(g, (struct said){.stream = stream, .kind = kind});
}

static void
over(struct client_fixture *g, uint64_t stream, enum hf_over why)
{
    client_hears(g, (struct said){
                        .stream = stream, .kind = HF_ANSWER_OVER, .over = why});
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
        struct client_fixture g = client_new();

        client_want(&g, cases[i].want);
        client_opened(&g, 1);
        client_hush(&g);
        over(&g, 2, cases[i].over);
        EXPECT_SAID(&g, cases[i].text);
        client_fini(&g);
    }
}

/* Nobody leads for seconds: that is no server that is not there. */
static void
a_try_goes_on_while_nodes_answer(void **state)
{
    struct client_fixture g = client_new();
    uint64_t stream = 1;

    (void)state;
    client_want(&g, (struct want){.id = 1,
                                  .try_only = true,
                                  .wait_ms = 30000,
                                  .patience_ms = 2000});
    for (int64_t at_ms = 1500; at_ms < 8000; at_ms += 1500) {
        g.now.ms = at_ms;
        for (int i = 0; i < 3; i++) /* a lap of all nodes */
            answer(&g, stream++, HF_ANSWER_NOT_LEADING);
        client_clock(&g, at_ms + 750);
        client_hush(&g);
    }
    client_opened(&g, stream);
    client_granted(&g, stream + 1, 101);
    EXPECT_SAID(&g, "1: #17 acquire 1.1.1, try\n"
                    "wish 1 granted 101\n");
    client_fini(&g);
}

static void
hundreds_of_lanes_are_driven_at_once(void **state)
{
    struct hf_session_config config = client_config(HF_TAKEOVER);
    struct client_fixture g;

    (void)state;
    config.limits.wishes = 300;
    g = client_with(&config);
    for (uint64_t id = 1; id <= 300; id++)
        client_want(&g, (struct want){.id = id});
    assert_false(hf_session_room(g.session));
    client_opened(&g, 1);
    for (uint64_t id = 1; id <= 300; id++) {
        client_hush(&g);
        client_granted(&g, 1 + id, 100 + id);
    }
    EXPECT_SAID(&g, "wish 300 granted 400\n");
    for (uint64_t id = 1; id < 300; id++) {
        client_release(&g, id);
        answer(&g, 301 + id, HF_ANSWER_RELEASED);
        client_hush(&g);
    }
    client_clock(&g, 2000);
    EXPECT_SAID(&g, "1: #601 keep-alive, lowest 300\n");
    assert_int_equal(hf_session_holds(g.session, 300, g.now), HF_GRANTED);
    client_fini(&g);
}

static void
what_cannot_be_kept_is_no_config(void **state)
{
    struct hf_session_config config = client_config(HF_TAKEOVER);

    (void)state;
    assert_true(hf_session_valid(&config));
    config.terms.beat.ms = 3000; /* three beats, and no grace */
    assert_false(hf_session_valid(&config));
    config = client_config(HF_TAKEOVER);
    config.margin.ms = 8000;
    assert_false(hf_session_valid(&config));
    config = client_config(HF_TAKEOVER);
    config.limits.nodes = 0;
    assert_false(hf_session_valid(&config));
}

static const struct CMUnitTest tests[] = {
    /* ---- From the first wish to the last --------------------------------- */

    STORY(a_session_is_opened_asked_with_and_kept_alive_while_it_is_used,
          "= deadline never\n"
          "want 1              | 1: #1 open\n"
          "hear #1 opened      | 1: #2 acquire 1.1.1\n"
          "hear #2 granted 101 | wish 1 granted 101\n"
          "= deadline 2000\n"
          "clock 2000          | 1: #3 keep-alive\n"
          "hear #3 alive\n"
          "release 1           | 1: #4 release 1.1\n"
          "= settled no\n"
          "hear #4 released    | wish 1 ended: not held\n"
          "= settled yes; deadline never\n"),
    STORY(what_was_idle_past_its_right_is_opened_anew,
          "holding\n"
          "release 1            | 1: #3 release 1.1\n"
          "hear #3 released     | wish 1 ended: not held\n"
          "clock 10499\n"
          "want 2               | 1: #4 keep-alive; 1: #5 acquire 1.2.1\n"
          "hear #5 over invalid | wish 2 ended: HF_E_INVALID\n"
          "clock 10500\n"
          "want 3               | close #4; 1: #6 open\n"),
    cmocka_unit_test(who_is_told_why_a_request_is_over_ends_with_it),
    STORY(what_answers_something_else_is_no_answer,
          "holding\n"
          "want 2              | 1: #3 acquire 2.1.1\n"
          "hear #3 over free   | 1: #4 acquire 2.1.2\n"
          "hear #4 over held   | 1: #5 acquire 2.1.3\n"
          /* which is wish 1's */
          "hear #5 granted 101 | 2: #6 acquire 2.1.4\n"
          "hear #6 granted 102 | wish 2 granted 102\n"
          "want 3, until-free  | 2: #7 acquire 3.1.1, until free\n"
          "hear #7 granted 103 | 2: #8 acquire 3.1.2, until free\n"),
    /* A person took what nobody had been told of: so nothing is lost, and it is
     * wanted as before. */
    STORY(what_was_cleared_before_it_was_told_is_asked_for_anew,
          "want 1               | 1: #1 open\n"
          "hear #1 opened       | 1: #2 acquire 1.1.1\n"
          "hear #2 over cleared | 1: #3 release 1.1\n"
          "hear #3 released     | 1: #4 acquire 1.2.1\n"),

    /* ---- Attempts -------------------------------------------------------- */

    STORY(who_is_told_to_ask_again_does_so_with_the_next_attempt,
          "want 1, wait 9000  | 1: #1 open\n"
          "hear #1 opened     | 1: #2 acquire 1.1.1, 9000 ms\n"
          "clock 1300\n"
          "hear #2 blocking-timeout\n"
          "| 1: #3 acquire 1.1.2, 8700 ms, waited 300 ms\n"
          "hear #3 superseded | 1: #4 acquire 1.1.3, 8700 ms, waited 300 ms\n"
          "clock 1400\n"
          "hear #4 later, grace 100\n"
          "clock 1500         | 1: #5 acquire 1.1.4, 8500 ms, waited 500 ms\n"),
    /* What a dead connection still brings is no news of the newest attempt. */
    STORY(what_an_older_attempt_is_told_is_not_listened_to,
          "want 1              | 1: #1 open\n"
          "hear #1 opened      | 1: #2 acquire 1.1.1\n"
          "stream-ends 2       | 1: #3 acquire 1.1.2\n"
          "hear #2 superseded\n"
          "hear #2 over held\n"
          "hear #3 granted 101 | wish 1 granted 101\n"),
    STORY(what_is_not_answered_in_time_is_closed_and_asked_again,
          "want 1         | 1: #1 open\n"
          "hear #1 opened | 1: #2 acquire 1.1.1\n"
          "clock 2000     | 1: #3 keep-alive\n"
          "hear #3 alive\n"
          "clock 4000     | 1: #4 keep-alive\n"
          "hear #4 alive\n"
          "clock 5999     | 1: #5 keep-alive\n"
          "hear #5 alive\n"
          "clock 6000     | close #2; 1: #6 acquire 1.1.2, waited 5000 ms\n"
          "hear #2 granted 101\n"),
    STORY(a_server_that_lets_wait_for_longer_is_not_asked_before,
          "want 1                        | 1: #1 open\n"
          "hear #1 opened, blocking 6000 | 1: #2 acquire 1.1.1\n"
          "clock 2000                    | 1: #3 keep-alive\n"
          "hear #3 alive\n"
          "clock 3000                    | 1: #4 keep-alive\n"
          "hear #4 alive\n"
          "clock 4000                    | 1: #5 keep-alive\n"
          "hear #5 alive\n"
          "clock 5000                    | 1: #6 keep-alive\n"
          "hear #6 alive\n"
          "clock 6000                    | 1: #7 keep-alive\n"
          "hear #7 alive\n"
          "clock 7000                    | 1: #8 keep-alive\n"
          "hear #8 alive\n"
          "clock 8000                    | 1: #9 keep-alive\n"
          "hear #9 alive\n"
          "clock 8999\n"
          /* a third longer */
          "clock 9000\n"
          "| close #2\n"
          "| 1: #10 keep-alive\n"
          "| 1: #11 acquire 1.1.2, waited 8000 ms\n"),
    STORY(no_grace_is_longer_than_a_server_may_be_silent,
          "want 1         | 1: #1 open\n"
          "hear #1 opened | 1: #2 acquire 1.1.1\n"
          "hear #2 later, grace 9223372036854775807\n"
          "clock 2000     | 1: #3 keep-alive\n"
          "hear #3 alive\n"
          "clock 3000     | 1: #4 keep-alive\n"
          "hear #4 alive\n"
          "clock 4000     | 1: #5 keep-alive\n"
          "hear #5 alive\n"
          "clock 5000     | 1: #6 keep-alive\n"
          "hear #6 alive\n"
          "clock 6000\n"
          "| 1: #7 keep-alive\n"
          "| 1: #8 acquire 1.1.2, waited 5000 ms\n"),

    /* ---- Deadlines ------------------------------------------------------- */

    STORY(no_retry_stretches_the_deadline,
          "want 1, wait 1000 | 1: #1 open\n"
          "hear #1 opened    | 1: #2 acquire 1.1.1, 1000 ms\n"
          "clock 1900\n"
          "hear #2 blocking-timeout\n"
          "| 1: #3 acquire 1.1.2, 100 ms, waited 900 ms\n"
          "= deadline 2000\n"
          "clock 1999\n"
          "clock 2000\n"
          "| wish 1 ended: timed out\n"
          "| close #3\n"
          "| 1: #4 keep-alive\n"
          "| 1: #5 release 1.1\n"),
    STORY(a_grant_that_comes_at_the_deadline_is_released,
          "want 1, wait 500 | 1: #1 open\n"
          "hear #1 opened   | 1: #2 acquire 1.1.1, 500 ms\n"
          "at 1500\n"
          "hear #2 granted 101\n"
          "| wish 1 ended: timed out\n"
          "| close #2\n"
          "| 1: #3 release 1.1\n"
          "= settled no; at-rest no\n"
          "hear #3 released\n"
          "= settled yes; at-rest yes\n"),
    STORY(what_kept_a_wish_waiting_is_said_at_its_deadline,
          "want 1, wait 100    | 1: #1 open\n"
          "clock 1100          | wish 1 ended: HF_E_UNAVAILABLE\n"
          "= settled yes\n"
          "hear #1 opened\n"
          "want 2              | 1: #2 acquire 1.2.1\n"
          "hear #2 granted 101 | wish 2 granted 101\n"
          "want 3, wait 100    | 1: #3 acquire 2.1.1, 100 ms\n"
          "hear #3 limit\n"
          "clock 1200          | wish 3 ended: limit; 1: #4 release 2.1\n"),

    /* ---- Patience -------------------------------------------------------- */

    STORY(a_short_wait_lasts_until_its_first_answer,
          "want 1, wait 100, patience 2000 | 1: #1 open\n"
          "clock 1100\n"
          "at 1150\n"
          "hear #1 opened                  | 1: #2 acquire 1.1.1, 0 ms\n"
          "hear #2 blocking-timeout\n"
          "| wish 1 ended: timed out\n"
          "| 1: #3 release 1.1\n"),
    STORY(what_is_granted_by_the_first_answer_is_granted,
          "want 1, wait 100, patience 2000 | 1: #1 open\n"
          "hear #1 opened                  | 1: #2 acquire 1.1.1, 100 ms\n"
          "clock 1200\n"
          "hear #2 granted 101             | wish 1 granted 101\n"),
    STORY(a_wait_that_is_not_answered_ends_with_its_patience,
          "want 1, wait 100, patience 2000 | 1: #1 open\n"
          /* the open is sent once more */
          "clock 2999                      | 1: #2 open\n"
          "clock 3000                      | wish 1 ended: HF_E_UNAVAILABLE\n"),
    STORY(a_wait_is_no_longer_for_its_patience,
          "want 1, wait 2500, patience 2000 | 1: #1 open\n"
          "hear #1 opened                   | 1: #2 acquire 1.1.1, 2500 ms\n"
          "clock 3499                       | 1: #3 keep-alive\n"
          "clock 3500\n"
          "| wish 1 ended: timed out\n"
          "| close #2\n"
          "| 1: #4 release 1.1\n"),
    STORY(a_try_ends_where_nobody_answers,
          "want 1, try, wait 30000, patience 2000 | 1: #1 open\n"
          "clock 2999                             | 1: #2 open\n"
          "clock 3000                      | wish 1 ended: HF_E_UNAVAILABLE\n"),
    cmocka_unit_test(a_try_goes_on_while_nodes_answer),
    /* It answered once, and then nothing at all. */
    STORY(a_try_ends_when_all_nodes_were_asked_in_vain,
          "want 1, try, wait 30000, patience 2000 | 1: #1 open\n"
          "hear #1 opened                        | 1: #2 acquire 1.1.1, try\n"
          "stream-ends 2                         | 1: #3 acquire 1.1.2, try\n"
          "stream-ends 3                         | 1: #4 acquire 1.1.3, try\n"
          "stream-ends 4                         | 2: #5 acquire 1.1.4, try\n"
          "stream-ends 5                         | 2: #6 acquire 1.1.5, try\n"
          "stream-ends 6                         | 2: #7 acquire 1.1.6, try\n"
          "stream-ends 7                         | 3: #8 acquire 1.1.7, try\n"
          "stream-ends 8                         | 3: #9 acquire 1.1.8, try\n"
          "stream-ends 9                        | 3: #10 acquire 1.1.9, try\n"
          "stream-ends 10\n"
          "clock 2999\n"
          "| 1: #11 keep-alive\n"
          "| 1: #12 acquire 1.1.10, try, waited 1999 ms\n"
          "clock 3000\n"
          "| wish 1 ended: HF_E_UNAVAILABLE\n"
          "| close #12\n"
          "| 1: #13 release 1.1\n"),
    /* No other message's answer is its own [W4]. */
    STORY(a_try_is_told_that_others_hold_it_by_the_server_alone,
          "holding\n"
          "want 2, try, wait 1000 | 1: #3 acquire 2.1.1, try\n"
          "at 1900\n"
          "hear #3 later, grace 500\n"
          "clock 2000\n"
          "| wish 2 ended: HF_E_UNAVAILABLE\n"
          "| 1: #4 keep-alive\n"
          "| 1: #5 release 2.1\n"),

    /* ---- Nobody walks away ----------------------------------------------- */

    STORY(who_wants_no_more_releases_until_that_is_answered,
          "holding\n"
          "want 2           | 1: #3 acquire 2.1.1\n"
          "release 2        | close #3; 1: #4 release 2.1\n"
          "stream-ends 4    | 1: #5 release 2.1\n"
          "hear #5 limit\n" /* which settles nothing */
          "clock 1750       | 1: #6 release 2.1\n"
          "hear #6 released | wish 2 ended: HF_E_CANCELLED\n"),
    /* The server knows two lanes, both idle, and lets no third one in; but it
     * can forget none before the lowest is settled, which is the third. */
    STORY(who_is_kept_out_and_holds_nothing_ends_the_session,
          "want 1                | 1: #1 open\n"
          "want 2\n"
          "want 3\n"
          "hear #1 opened\n"
          "| 1: #2 acquire 1.1.1\n"
          "| 1: #3 acquire 2.1.1\n"
          "| 1: #4 acquire 3.1.1\n"
          "hear #2 limit\n"
          "hear #3 over deadlock | wish 2 ended: deadlock\n"
          "hear #4 over deadlock | wish 3 ended: deadlock\n"
          "release 1             | 1: #5 release 1.1\n"
          "hear #5 limit         | 1: #6 end\n"
          "want 4\n"
          "hear #6 ended\n"
          "| wish 1 ended: HF_E_CANCELLED\n"
          "| 1: #7 open, lowest 2\n"
          "hear #7 opened        | 1: #8 acquire 2.2.1, lowest 2\n"),
    STORY(what_was_never_sent_needs_no_release,
          "want 1, label 5 | 1: #1 open\n"
          "want 2, label 5\n"
          "release 1       | wish 1 ended: HF_E_CANCELLED\n"
          "hear #1 opened  | 1: #2 acquire 1.2.1\n"),
    STORY(a_session_that_ends_gives_all_back_at_once,
          "holding\n"
          "want 2        | 1: #3 acquire 2.1.1\n"
          "end           | close #3; 1: #4 end\n"
          "holds 1       | not held\n"
          "stream-ends 4 | 1: #5 end\n"
          "hear #5 ended\n"
          "| wish 1 ended: not held\n"
          "| wish 2 ended: HF_E_CANCELLED\n"
          "= over yes; room no\n"),

    /* ---- Lanes ----------------------------------------------------------- */

    STORY(a_lane_asks_for_one_thing_at_a_time,
          "want 1, label 5     | 1: #1 open\n"
          "want 2, label 5\n"
          "want 3, label 6\n"
          "hear #1 opened      | 1: #2 acquire 1.1.1; 1: #3 acquire 2.1.1\n"
          "hear #2 granted 101 | wish 1 granted 101; 1: #4 acquire 1.2.1\n"
          "release 2           | close #4; 1: #5 release 1.2\n"
          "want 4, label 5\n"
          "hear #5 released\n"
          "| wish 2 ended: HF_E_CANCELLED\n"
          "| 1: #6 acquire 1.3.1\n"),
    STORY(idle_lanes_are_used_again_unless_they_are_below_the_lowest,
          "want 1                | 1: #1 open\n"
          "want 2\n"
          "want 3\n"
          "hear #1 opened\n"
          "| 1: #2 acquire 1.1.1\n"
          "| 1: #3 acquire 2.1.1\n"
          "| 1: #4 acquire 3.1.1\n"
          "hear #3 over deadlock | wish 2 ended: deadlock\n"
          "want 4                | 1: #5 acquire 2.2.1\n"
          "hear #2 over deadlock | wish 1 ended: deadlock\n"
          "hear #5 over deadlock | wish 4 ended: deadlock\n"
          "clock 2000            | 1: #6 keep-alive, lowest 3\n"
          "want 5                | 1: #7 acquire 4.1.1, lowest 3\n"),
    cmocka_unit_test(hundreds_of_lanes_are_driven_at_once),
    cmocka_unit_test(what_cannot_be_kept_is_no_config),

    /* ---- Change ---------------------------------------------------------- */

    STORY(names_are_lowered_one_by_one_until_that_is_answered,
          "holding\n"
          "change 1, index 2 | 1: #3 change 1.1 [2]\n"
          "change 1, index 0\n"
          "hear #3 changed   | wish 1 changed; 1: #4 change 1.1 [0]\n"
          "stream-ends 4     | 1: #5 change 1.1 [0]\n"
          "hear #5 changed   | wish 1 changed\n"
          "change 1, index 1 | 1: #6 change 1.1 [1]\n"
          "hear #6 not-held  | wish 1 lost; 1: #7 release 1.1\n"),
    /* It is held on, for a person to clear. */
    STORY(what_is_left_is_not_changed_any_more,
          "start refuse\n"
          "holding\n"
          "change 1, index 2 | 1: #3 change 1.1 [2]\n"
          "change 1, index 0\n"
          "leave 1           | close #3\n"
          "= at-rest yes\n"
          "leave 1\n"
          "hear #3 changed\n"
          "holds 1           | granted\n"),
    /* A change of leader is soon over.  It may enter after all, by a duplicate,
     * so it is released. */
    STORY(a_try_is_put_off_for_no_longer_than_an_answer_takes,
          "want 1, try, wait 9000 | 1: #1 open\n"
          "hear #1 opened         | 1: #2 acquire 1.1.1, try\n"
          "hear #2 later, grace 1250\n"
          "clock 2250\n"
          "| 1: #3 keep-alive\n"
          "| 1: #4 acquire 1.1.2, try, waited 1250 ms\n"
          "hear #4 later, grace 1251\n"
          "| wish 1 ended: HF_E_UNAVAILABLE\n"
          "| 1: #5 release 1.1\n"),
    /* That is no trouble of the server's. */
    STORY(a_try_beside_a_place_that_is_kept_is_timed_out,
          "want 1, try, wait 9000 | 1: #1 open\n"
          "hear #1 opened         | 1: #2 acquire 1.1.1, try\n"
          "hear #2 later, grace 1251, cause place\n"
          "| wish 1 ended: timed out\n"
          "| 1: #3 release 1.1\n"),
    /* One that is kept beyond the try's own end, too. */
    STORY(a_try_waits_for_no_place_that_is_kept_beyond_its_end,
          "want 1, try, wait 900 | 1: #1 open\n"
          "hear #1 opened        | 1: #2 acquire 1.1.1, try\n"
          "hear #2 later, grace 900, cause place\n"
          "| wish 1 ended: timed out\n"
          "| 1: #3 release 1.1\n"),
    /* Whatever became of what it was granted, and of its session. */
    STORY(an_acquire_tells_the_highest_fence_that_was_ever_granted,
          "want 1              | 1: #1 open\n"
          "hear #1 opened      | 1: #2 acquire 1.1.1\n"
          "= seen 0\n"
          "hear #2 granted 102 | wish 1 granted 102\n"
          "want 2              | 1: #3 acquire 2.1.1\n"
          "= seen 102\n"
          "hear #3 granted 101 | wish 2 granted 101\n"
          "clock 2000          | 1: #4 keep-alive\n"
          "hear #4 gone\n"
          "| wish 1 lost\n"
          "| wish 1 ended: lost\n"
          "| wish 2 lost\n"
          "| wish 2 ended: lost\n"
          "want 3              | 1: #5 open\n"
          "hear #5 opened      | 1: #6 acquire 1.2.1\n"
          "= seen 102\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
