#include "unit/support/lockspace_script.h"

/* The stories of sessions [S1, S2, S4, S5, S6, R4]. */

/* So does one that waits to be read when the time is told; and who is silent
 * ends though others wait. */
static void
silence_counts_until_the_instant_to_which_all_was_read(void **state)
{
    struct server_fixture r = server_new();

    (void)state;
    server_open(&r, 4, 500, HF_TAKEOVER);
    server_open(&r, 5, 800, HF_TAKEOVER);
    server_hush(&r);
    server_clock_read(&r, 9000, 1499);
    assert_true(hf_reached(r.now, hf_lockspace_deadline(r.ls)));
    server_keep_alive(&r, (struct call){.stream = 11, .session = 4});
    server_clock_read(&r, 9100, 1800);
    server_clock_read(&r, 9100, 1800);
    server_keep_alive(&r, (struct call){.stream = 12, .session = 4});
    server_keep_alive(&r, (struct call){.stream = 13, .session = 5});
    EXPECT_TOLD(&r, "11 alive\n"
                    "12 alive\n"
                    "13 gone\n");
    server_fini(&r);
}

/* Who had much takes its time, and what has arrived meanwhile is read before
 * the next is judged. */
static void
a_step_ends_one_silent_session_and_messages_go_before_the_next(void **state)
{
    struct server_fixture r = server_new();

    (void)state;
    for (uint64_t id = 4; id <= 6; id++)
        server_open(&r, id, 500, HF_TAKEOVER);
    server_hush(&r);
    server_clock(&r, 1600);
    assert_int_equal(hf_lockspace_deadline(r.ls).ms, 1500);
    server_keep_alive(&r, (struct call){.stream = 11, .session = 4});
    server_keep_alive(&r, (struct call){.stream = 12, .session = 5});
    server_clock(&r, 1600);
    assert_true(hf_lockspace_deadline(r.ls).ms > 1600);
    server_keep_alive(&r, (struct call){.stream = 13, .session = 5});
    server_keep_alive(&r, (struct call){.stream = 14, .session = 6});
    EXPECT_TOLD(&r, "11 gone\n"
                    "12 alive\n"
                    "13 alive\n"
                    "14 gone\n");
    server_fini(&r);
}

static void
nobody_speaks_for_a_session_without_its_secret(void **state)
{
    struct server_fixture r = server_new();
    struct hf_lockspace_event event = {
        .kind = HF_SPACE_MESSAGE,
        .message = {.kind = HF_MESSAGE_END,
                    .stream = 11,
                    .session = 1,
                    .term = 7},
    };

    (void)state;
    server_step(&r, event);
    server_keep_alive(&r, (struct call){.stream = 12, .session = 1});
    EXPECT_TOLD(&r, "11 denied\n"
                    "12 alive\n");
    server_fini(&r);
}

/* They need no session, and all who come back wait as long as they are told. */
static void
no_number_of_messages_makes_a_pause_longer_than_half_a_second(void **state)
{
    struct server_fixture r = server_new();
    uint64_t longest = 0;

    (void)state;
    for (unsigned i = 0; i < 60000; i++) {
        struct hf_answer answer;

        hf_lockspace_step(r.ls, &(struct hf_lockspace_event){
                                    .kind = HF_SPACE_MESSAGE,
                                    .at = r.now,
                                    .message = {.kind = HF_MESSAGE_KEEP_ALIVE,
                                                .stream = 11,
                                                .session = 99,
                                                .term = 6},
                                });
        assert_true(hf_lockspace_next(r.ls, &answer));
        assert_int_equal(answer.kind, HF_ANSWER_TERM);
        longest = answer.pause_us > longest ? answer.pause_us : longest;
        assert_false(hf_lockspace_next(r.ls, &answer));
    }
    assert_in_range(longest, 400000, 500000);
    server_fini(&r);
}

static void
every_alive_tells_of_all_that_is_held(void **state)
{
    struct server_fixture r = server_new();

    (void)state;
    server_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    server_acquire(
        &r, (struct call){.stream = 12, .session = 1, .lane = 2, .names = "B"});
    server_acquire(&r, (struct call){.stream = 13, .session = 2, .names = "C"});
    server_hush(&r);
    server_keep_alive(&r, (struct call){.stream = 14, .session = 1});
    server_release(&r, (struct call){.stream = 15, .session = 1});
    server_keep_alive(&r, (struct call){.stream = 16, .session = 1});
    EXPECT_TOLD(&r, "14 alive, holds 101 102\n"
                    "15 released\n"
                    "16 alive, holds 102\n");
    assert_false(hf_lockspace_believes(r.ls, 1, 101));
    assert_true(hf_lockspace_believes(r.ls, 1, 102));
    assert_false(hf_lockspace_believes(r.ls, 1, 103)); /* another session's */
    assert_false(hf_lockspace_believes(r.ls, 1, 104));
    server_fini(&r);
}

static void
a_cleared_grant_is_free_and_named_until_its_release(void **state)
{
    struct server_fixture r = server_new();
    uint32_t cursor = 0;
    uint64_t fence = 0;

    (void)state;
    server_acquire(&r,
                   (struct call){.stream = 11, .session = 1, .names = "A B"});
    server_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "A"});
    server_acquire(&r, (struct call){.stream = 13, .session = 3, .names = "B"});
    server_hush(&r);
    server_clear(&r, 14, "A", 101);
    EXPECT_TOLD(&r, "14 cleared\n"
                    "13 granted 102\n"
                    "12 granted 103\n");
    server_keep_alive(&r, (struct call){.stream = 15, .session = 1});
    assert_true(hf_lockspace_revoked(r.ls, 1, &cursor, &fence));
    assert_int_equal(fence, 101);
    assert_false(hf_lockspace_revoked(r.ls, 1, &cursor, &fence));
    server_acquire(
        &r, (struct call){.stream = 16, .session = 1, .a = 2, .names = "A B"});
    server_release(&r, (struct call){.stream = 17, .session = 1});
    server_keep_alive(&r, (struct call){.stream = 18, .session = 1});
    EXPECT_TOLD(&r, "15 alive, 1 revoked\n"
                    "16 over: cleared\n"
                    "17 released\n"
                    "18 alive\n");
    server_fini(&r);
}

static const struct CMUnitTest tests[] = {
    STORY(a_session_that_is_silent_for_its_ttl_is_over,
          "open 4, ttl 500    | 4 opened\n"
          "4 acquire A on 11  | 11 granted 101\n"
          "4 acquire A on 12, lane 2\n"
          "1 acquire A on 13\n"
          "clock 1499\n"
          "clock 1500         | 12 gone; 13 granted 102\n"
          "4 keep-alive on 14 | 14 gone\n"),
    /* The loop stood still past both: a stream is answered once. */
    STORY(who_was_answered_in_the_step_that_ends_its_session_is_told_no_more,
          "open 4, ttl 1500         | 4 opened\n"
          "open 5, ttl 1500, refuse | 5 opened\n"
          "1 acquire A on 11        | 11 granted 101\n"
          "5 acquire B on 12        | 12 granted 102\n"
          "4 acquire A on 13\n"
          "5 acquire A on 14, lane 2\n"
          "clock 2600\n"
          "| 14 blocking timeout, 0 before it\n"
          "| 13 blocking timeout, 0 before it\n"),
    /* Each kind of message counts, from its arrival. */
    STORY(a_session_is_counted_from_its_last_message,
          "open 4, ttl 500    | 4 opened\n"
          "clock 1300\n"
          "4 keep-alive on 11 | 11 alive\n"
          "clock 1700\n"
          "4 release on 12    | 12 released\n"
          "clock 2199\n"
          "4 keep-alive on 13 | 13 alive\n"
          "clock 2699\n"
          "4 keep-alive on 14 | 14 gone\n"),
    /* The loop stood still: what has arrived is read before the time is
     * told. */
    STORY(a_message_that_is_read_before_the_time_saves_its_session,
          "open 4, ttl 500        | 4 opened\n"
          "4 acquire A on 11      | 11 granted 101\n"
          "at 9000\n"
          "4 keep-alive on 12     | 12 alive, holds 101\n"
          "clock 9000\n"
          "4 acquire B on 13, n 2 | 13 granted 102\n"),
    cmocka_unit_test(silence_counts_until_the_instant_to_which_all_was_read),
    cmocka_unit_test(
        a_step_ends_one_silent_session_and_messages_go_before_the_next),
    STORY(an_end_gives_all_back_at_once,
          "1 acquire A on 11 | 11 granted 101\n"
          "1 acquire A on 12, lane 2\n"
          "2 acquire A on 13\n"
          "1 end on 14       | 14 ended; 12 gone; 13 granted 102\n"
          "1 end on 15       | 15 gone\n"),
    cmocka_unit_test(nobody_speaks_for_a_session_without_its_secret),
    STORY(a_message_of_another_term_changes_nothing,
          "1 acquire A on 11, term 6 | 11 term\n"
          "1 acquire A on 12, term 8 | 12 term\n"
          "2 acquire A on 13         | 13 granted 101\n"),
    cmocka_unit_test(
        no_number_of_messages_makes_a_pause_longer_than_half_a_second),

    /* ---- What a client believes in [S4] ---------------------------------- */

    cmocka_unit_test(every_alive_tells_of_all_that_is_held),

    /* ---- Refuse [S5] ----------------------------------------------------- */

    STORY(a_refuse_session_that_holds_is_never_over_by_time,
          "open 4, ttl 500, refuse | 4 opened\n"
          "4 acquire A on 11       | 11 granted 101\n"
          "1 acquire B on 12       | 12 granted 102\n"
          "4 acquire B on 13, lane 2\n"
          "2 acquire A on 14\n"
          "3 acquire B on 15\n"
          /* suspected: who waits for it leaves */
          "clock 1500              | 13 later\n"
          "1 release on 16         | 16 released; 15 granted 103\n"
          "4 keep-alive on 17      | 17 alive, holds 101\n"
          "4 release on 18         | 18 released; 14 granted 104\n"
          "clock 2000\n" /* it holds nothing now */
          "4 keep-alive on 19      | 19 gone\n"),
    /* Nobody was told of the grant, and it goes back with its stream. */
    STORY(a_suspected_session_is_over_when_its_last_grant_goes_back,
          "open 4, ttl 500, refuse | 4 opened\n"
          "4 acquire A on 11       | 11 granted 101\n"
          "clock 1500\n"
          "4 stream-ends on 11\n"
          "clock 1500\n"
          "4 keep-alive on 12      | 12 gone\n"),

    /* ---- Clear [S6] ------------------------------------------------------ */

    cmocka_unit_test(a_cleared_grant_is_free_and_named_until_its_release),
    STORY(a_clear_takes_only_the_grant_that_was_shown,
          "1 acquire A on 11 | 11 granted 101\n"
          "1 release on 12   | 12 released\n"
          "2 acquire A on 13 | 13 granted 102\n"
          "clear A 101 on 14 | 14 not held\n"
          "clear B 102 on 15 | 15 not held\n"
          "clear A 102 on 16 | 16 cleared\n"
          "clear A 102 on 17 | 17 not held\n"),
    STORY(a_clear_spares_who_was_heard_within_its_ttl,
          "open 4, ttl 500, refuse     | 4 opened\n"
          "4 acquire A on 11           | 11 granted 101\n"
          "1 acquire B on 12           | 12 granted 102\n"
          "clock 1499\n"
          "clear-suspected A 101 on 13\n"
          "| 13 not suspected: silent 499 ms, in 1 ms\n"
          "clear-suspected B 102 on 14\n"
          "| 14 not suspected: silent 499 ms, in 9501 ms\n"
          "clock 1500\n"
          "clear-suspected A 101 on 15 | 15 cleared\n"
          "clear B 102 on 16           | 16 cleared\n"),
    /* It is judged by CLOCK alone: what came during a pause is read before. */
    STORY(a_clear_that_is_read_before_the_time_spares_its_holder,
          "open 4, ttl 500, refuse | 4 opened\n"
          "4 acquire A on 11       | 11 granted 101\n"
          "at 2000\n"
          "clear-suspected A 101 on 12\n"
          "| 12 not suspected: silent 1000 ms, in 0 ms\n"
          "4 keep-alive on 13      | 13 alive, holds 101\n"
          "clock 2499\n"
          "clear-suspected A 101 on 14\n"
          "| 14 not suspected: silent 499 ms, in 1 ms\n"),
    STORY(a_suspected_session_that_speaks_is_spared_again,
          "open 4, ttl 500, refuse     | 4 opened\n"
          "4 acquire A on 11           | 11 granted 101\n"
          "clock 1500\n"
          "4 keep-alive on 12          | 12 alive, holds 101\n"
          "clear-suspected A 101 on 13\n"
          "| 13 not suspected: silent 0 ms, in 500 ms\n"
          "clear A 101 on 14           | 14 cleared\n"
          "clear-suspected A 101 on 15 | 15 not held\n"),
    STORY(a_suspected_session_is_over_when_a_clear_took_all,
          "open 4, ttl 500, refuse | 4 opened\n"
          "4 acquire A on 11       | 11 granted 101\n"
          "clock 1500\n"
          "clear A 101 on 12       | 12 cleared\n"
          "clock 1500\n"
          "4 keep-alive on 13      | 13 gone\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
