#include "unit/support/room.h"

/* The stories of sessions [S1, S2, S4, S5, S6, R4]. */

static void
a_session_that_is_silent_for_its_ttl_is_over(void **state)
{
    struct room r = room_new();

    (void)state;
    room_open(&r, 4, 500, HF_TAKEOVER);
    room_acquire(&r, (struct call){.stream = 11, .session = 4, .names = "A"});
    room_acquire(
        &r, (struct call){.stream = 12, .session = 4, .lane = 2, .names = "A"});
    room_acquire(&r, (struct call){.stream = 13, .session = 1, .names = "A"});
    room_hush(&r);
    room_clock(&r, 1499);
    EXPECT_TOLD(&r, "");
    room_clock(&r, 1500);
    EXPECT_TOLD(&r, "12 gone\n"
                    "13 granted 102\n");
    room_keep_alive(&r, (struct call){.stream = 14, .session = 4});
    EXPECT_TOLD(&r, "14 gone\n");
    room_fini(&r);
}

/* The loop stood still past both: a stream is answered once. */
static void
who_was_answered_in_the_step_that_ends_its_session_is_told_no_more(void **state)
{
    struct room r = room_new();

    (void)state;
    room_open(&r, 4, 1500, HF_TAKEOVER);
    room_open(&r, 5, 1500, HF_REFUSE);
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(&r, (struct call){.stream = 12, .session = 5, .names = "B"});
    room_acquire(&r, (struct call){.stream = 13, .session = 4, .names = "A"});
    room_acquire(
        &r, (struct call){.stream = 14, .session = 5, .lane = 2, .names = "A"});
    room_hush(&r);
    room_clock(&r, 2600);
    EXPECT_TOLD(&r, "14 blocking timeout, 0 before it\n"
                    "13 blocking timeout, 0 before it\n");
    room_fini(&r);
}

/* Each kind of message counts, from its arrival. */
static void
a_session_is_counted_from_its_last_message(void **state)
{
    struct room r = room_new();

    (void)state;
    room_open(&r, 4, 500, HF_TAKEOVER);
    room_clock(&r, 1300);
    room_keep_alive(&r, (struct call){.stream = 11, .session = 4});
    room_clock(&r, 1700);
    room_release(&r, (struct call){.stream = 12, .session = 4});
    room_clock(&r, 2199);
    room_keep_alive(&r, (struct call){.stream = 13, .session = 4});
    room_clock(&r, 2699);
    room_keep_alive(&r, (struct call){.stream = 14, .session = 4});
    EXPECT_TOLD(&r, "4 opened\n"
                    "11 alive\n"
                    "12 released\n"
                    "13 alive\n"
                    "14 gone\n");
    room_fini(&r);
}

/* The loop stood still: what has arrived is read before the time is told. */
static void
a_message_that_is_read_before_the_time_saves_its_session(void **state)
{
    struct room r = room_new();

    (void)state;
    room_open(&r, 4, 500, HF_TAKEOVER);
    room_acquire(&r, (struct call){.stream = 11, .session = 4, .names = "A"});
    r.now.ms = 9000;
    room_keep_alive(&r, (struct call){.stream = 12, .session = 4});
    room_clock(&r, 9000);
    room_acquire(
        &r, (struct call){.stream = 13, .session = 4, .n = 2, .names = "B"});
    EXPECT_TOLD(&r, "4 opened\n"
                    "11 granted 101\n"
                    "12 alive, holds 101\n"
                    "13 granted 102\n");
    room_fini(&r);
}

/* So does one that waits to be read when the time is told; and who is silent
 * ends though others wait. */
static void
silence_counts_until_the_instant_to_which_all_was_read(void **state)
{
    struct room r = room_new();

    (void)state;
    room_open(&r, 4, 500, HF_TAKEOVER);
    room_open(&r, 5, 800, HF_TAKEOVER);
    room_hush(&r);
    room_clock_read(&r, 9000, 1499);
    assert_true(hf_reached(r.now, hf_lockspace_deadline(r.ls)));
    room_keep_alive(&r, (struct call){.stream = 11, .session = 4});
    room_clock_read(&r, 9100, 1800);
    room_clock_read(&r, 9100, 1800);
    room_keep_alive(&r, (struct call){.stream = 12, .session = 4});
    room_keep_alive(&r, (struct call){.stream = 13, .session = 5});
    EXPECT_TOLD(&r, "11 alive\n"
                    "12 alive\n"
                    "13 gone\n");
    room_fini(&r);
}

/* Who had much takes its time, and what has arrived meanwhile is read before
 * the next is judged. */
static void
a_step_ends_one_silent_session_and_messages_go_before_the_next(void **state)
{
    struct room r = room_new();

    (void)state;
    for (uint64_t id = 4; id <= 6; id++)
        room_open(&r, id, 500, HF_TAKEOVER);
    room_hush(&r);
    room_clock(&r, 1600);
    assert_int_equal(hf_lockspace_deadline(r.ls).ms, 1500);
    room_keep_alive(&r, (struct call){.stream = 11, .session = 4});
    room_keep_alive(&r, (struct call){.stream = 12, .session = 5});
    room_clock(&r, 1600);
    assert_true(hf_lockspace_deadline(r.ls).ms > 1600);
    room_keep_alive(&r, (struct call){.stream = 13, .session = 5});
    room_keep_alive(&r, (struct call){.stream = 14, .session = 6});
    EXPECT_TOLD(&r, "11 gone\n"
                    "12 alive\n"
                    "13 alive\n"
                    "14 gone\n");
    room_fini(&r);
}

static void
an_end_gives_all_back_at_once(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(
        &r, (struct call){.stream = 12, .session = 1, .lane = 2, .names = "A"});
    room_acquire(&r, (struct call){.stream = 13, .session = 2, .names = "A"});
    room_hush(&r);
    room_end(&r, (struct call){.stream = 14, .session = 1});
    room_end(&r, (struct call){.stream = 15, .session = 1});
    EXPECT_TOLD(&r, "14 ended\n"
                    "12 gone\n"
                    "13 granted 102\n"
                    "15 gone\n");
    room_fini(&r);
}

static void
nobody_speaks_for_a_session_without_its_secret(void **state)
{
    struct room r = room_new();
    struct hf_lockspace_event event = {
        .kind = HF_SPACE_MESSAGE,
        .message = {.kind = HF_MESSAGE_END,
                    .stream = 11,
                    .session = 1,
                    .term = 7},
    };

    (void)state;
    room_step(&r, event);
    room_keep_alive(&r, (struct call){.stream = 12, .session = 1});
    EXPECT_TOLD(&r, "11 denied\n"
                    "12 alive\n");
    room_fini(&r);
}

static void
a_message_of_another_term_changes_nothing(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(
        &r, (struct call){.stream = 11, .session = 1, .term = 6, .names = "A"});
    room_acquire(
        &r, (struct call){.stream = 12, .session = 1, .term = 8, .names = "A"});
    room_acquire(&r, (struct call){.stream = 13, .session = 2, .names = "A"});
    EXPECT_TOLD(&r, "11 term\n"
                    "12 term\n"
                    "13 granted 101\n");
    room_fini(&r);
}

/* They need no session, and all who come back wait as long as they are told. */
static void
no_number_of_messages_makes_a_pause_longer_than_half_a_second(void **state)
{
    struct room r = room_new();
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
    room_fini(&r);
}

/* ---- What a client believes in [S4] -------------------------------------- */

static void
every_alive_tells_of_all_that_is_held(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(
        &r, (struct call){.stream = 12, .session = 1, .lane = 2, .names = "B"});
    room_acquire(&r, (struct call){.stream = 13, .session = 2, .names = "C"});
    room_hush(&r);
    room_keep_alive(&r, (struct call){.stream = 14, .session = 1});
    room_release(&r, (struct call){.stream = 15, .session = 1});
    room_keep_alive(&r, (struct call){.stream = 16, .session = 1});
    EXPECT_TOLD(&r, "14 alive, holds 101 102\n"
                    "15 released\n"
                    "16 alive, holds 102\n");
    assert_false(hf_lockspace_believes(r.ls, 1, 101));
    assert_true(hf_lockspace_believes(r.ls, 1, 102));
    assert_false(hf_lockspace_believes(r.ls, 1, 103)); /* another session's */
    assert_false(hf_lockspace_believes(r.ls, 1, 104));
    room_fini(&r);
}

/* ---- Refuse [S5] --------------------------------------------------------- */

static void
a_refuse_session_that_holds_is_never_over_by_time(void **state)
{
    struct room r = room_new();

    (void)state;
    room_open(&r, 4, 500, HF_REFUSE);
    room_acquire(&r, (struct call){.stream = 11, .session = 4, .names = "A"});
    room_acquire(&r, (struct call){.stream = 12, .session = 1, .names = "B"});
    room_acquire(
        &r, (struct call){.stream = 13, .session = 4, .lane = 2, .names = "B"});
    room_acquire(&r, (struct call){.stream = 14, .session = 2, .names = "A"});
    room_acquire(&r, (struct call){.stream = 15, .session = 3, .names = "B"});
    room_hush(&r);
    room_clock(&r, 1500); /* suspected: who waits for it leaves */
    EXPECT_TOLD(&r, "13 later\n");
    room_release(&r, (struct call){.stream = 16, .session = 1});
    EXPECT_TOLD(&r, "16 released\n"
                    "15 granted 103\n");
    room_keep_alive(&r, (struct call){.stream = 17, .session = 4});
    room_release(&r, (struct call){.stream = 18, .session = 4});
    EXPECT_TOLD(&r, "17 alive, holds 101\n"
                    "18 released\n"
                    "14 granted 104\n");
    room_clock(&r, 2000); /* it holds nothing now */
    room_keep_alive(&r, (struct call){.stream = 19, .session = 4});
    EXPECT_TOLD(&r, "19 gone\n");
    room_fini(&r);
}

/* Nobody was told of the grant, and it goes back with its stream. */
static void
a_suspected_session_is_over_when_its_last_grant_goes_back(void **state)
{
    struct room r = room_new();
    const struct call call = {.stream = 11, .session = 4, .names = "A"};

    (void)state;
    room_open(&r, 4, 500, HF_REFUSE);
    room_acquire(&r, call);
    room_clock(&r, 1500);
    room_stream_ends(&r, call);
    room_hush(&r);
    room_clock(&r, 1500);
    room_keep_alive(&r, (struct call){.stream = 12, .session = 4});
    EXPECT_TOLD(&r, "12 gone\n");
    room_fini(&r);
}

/* ---- Clear [S6] ---------------------------------------------------------- */

static void
a_cleared_grant_is_free_and_named_until_its_release(void **state)
{
    struct room r = room_new();
    uint32_t cursor = 0;
    uint64_t fence = 0;

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A B"});
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "A"});
    room_acquire(&r, (struct call){.stream = 13, .session = 3, .names = "B"});
    room_hush(&r);
    room_clear(&r, 14, "A", 101);
    EXPECT_TOLD(&r, "14 cleared\n"
                    "13 granted 102\n"
                    "12 granted 103\n");
    room_keep_alive(&r, (struct call){.stream = 15, .session = 1});
    assert_true(hf_lockspace_revoked(r.ls, 1, &cursor, &fence));
    assert_int_equal(fence, 101);
    assert_false(hf_lockspace_revoked(r.ls, 1, &cursor, &fence));
    room_acquire(
        &r, (struct call){.stream = 16, .session = 1, .a = 2, .names = "A B"});
    room_release(&r, (struct call){.stream = 17, .session = 1});
    room_keep_alive(&r, (struct call){.stream = 18, .session = 1});
    EXPECT_TOLD(&r, "15 alive, 1 revoked\n"
                    "16 over: cleared\n"
                    "17 released\n"
                    "18 alive\n");
    room_fini(&r);
}

static void
a_clear_takes_only_the_grant_that_was_shown(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_release(&r, (struct call){.stream = 12, .session = 1});
    room_acquire(&r, (struct call){.stream = 13, .session = 2, .names = "A"});
    room_hush(&r);
    room_clear(&r, 14, "A", 101);
    room_clear(&r, 15, "B", 102);
    room_clear(&r, 16, "A", 102);
    room_clear(&r, 17, "A", 102);
    EXPECT_TOLD(&r, "14 not held\n"
                    "15 not held\n"
                    "16 cleared\n"
                    "17 not held\n");
    room_fini(&r);
}

static void
a_clear_spares_who_was_heard_within_its_ttl(void **state)
{
    struct room r = room_new();

    (void)state;
    room_open(&r, 4, 500, HF_REFUSE);
    room_acquire(&r, (struct call){.stream = 11, .session = 4, .names = "A"});
    room_acquire(&r, (struct call){.stream = 12, .session = 1, .names = "B"});
    room_clock(&r, 1499);
    room_hush(&r);
    room_clear_suspected(&r, 13, "A", 101);
    room_clear_suspected(&r, 14, "B", 102);
    EXPECT_TOLD(&r, "13 not suspected: silent 499 ms, in 1 ms\n"
                    "14 not suspected: silent 499 ms, in 9501 ms\n");
    room_clock(&r, 1500);
    room_clear_suspected(&r, 15, "A", 101);
    room_clear(&r, 16, "B", 102);
    EXPECT_TOLD(&r, "15 cleared\n"
                    "16 cleared\n");
    room_fini(&r);
}

/* It is judged by CLOCK alone: what came during a pause is read before. */
static void
a_clear_that_is_read_before_the_time_spares_its_holder(void **state)
{
    struct room r = room_new();

    (void)state;
    room_open(&r, 4, 500, HF_REFUSE);
    room_acquire(&r, (struct call){.stream = 11, .session = 4, .names = "A"});
    room_hush(&r);
    r.now.ms = 2000;
    room_clear_suspected(&r, 12, "A", 101);
    room_keep_alive(&r, (struct call){.stream = 13, .session = 4});
    room_clock(&r, 2499);
    room_clear_suspected(&r, 14, "A", 101);
    EXPECT_TOLD(&r, "12 not suspected: silent 1000 ms, in 0 ms\n"
                    "13 alive, holds 101\n"
                    "14 not suspected: silent 499 ms, in 1 ms\n");
    room_fini(&r);
}

static void
a_suspected_session_that_speaks_is_spared_again(void **state)
{
    struct room r = room_new();

    (void)state;
    room_open(&r, 4, 500, HF_REFUSE);
    room_acquire(&r, (struct call){.stream = 11, .session = 4, .names = "A"});
    room_clock(&r, 1500);
    room_keep_alive(&r, (struct call){.stream = 12, .session = 4});
    room_hush(&r);
    room_clear_suspected(&r, 13, "A", 101);
    room_clear(&r, 14, "A", 101);
    room_clear_suspected(&r, 15, "A", 101);
    EXPECT_TOLD(&r, "13 not suspected: silent 0 ms, in 500 ms\n"
                    "14 cleared\n"
                    "15 not held\n");
    room_fini(&r);
}

static void
a_suspected_session_is_over_when_a_clear_took_all(void **state)
{
    struct room r = room_new();

    (void)state;
    room_open(&r, 4, 500, HF_REFUSE);
    room_acquire(&r, (struct call){.stream = 11, .session = 4, .names = "A"});
    room_clock(&r, 1500);
    room_clear(&r, 12, "A", 101);
    room_clock(&r, 1500);
    room_keep_alive(&r, (struct call){.stream = 13, .session = 4});
    EXPECT_TOLD(&r, "4 opened\n"
                    "11 granted 101\n"
                    "12 cleared\n"
                    "13 gone\n");
    room_fini(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_that_is_silent_for_its_ttl_is_over),
        cmocka_unit_test(
            who_was_answered_in_the_step_that_ends_its_session_is_told_no_more),
        cmocka_unit_test(a_session_is_counted_from_its_last_message),
        cmocka_unit_test(
            a_message_that_is_read_before_the_time_saves_its_session),
        cmocka_unit_test(
            silence_counts_until_the_instant_to_which_all_was_read),
        cmocka_unit_test(
            a_step_ends_one_silent_session_and_messages_go_before_the_next),
        cmocka_unit_test(an_end_gives_all_back_at_once),
        cmocka_unit_test(nobody_speaks_for_a_session_without_its_secret),
        cmocka_unit_test(a_message_of_another_term_changes_nothing),
        cmocka_unit_test(
            no_number_of_messages_makes_a_pause_longer_than_half_a_second),
        cmocka_unit_test(every_alive_tells_of_all_that_is_held),
        cmocka_unit_test(a_refuse_session_that_holds_is_never_over_by_time),
        cmocka_unit_test(
            a_suspected_session_is_over_when_its_last_grant_goes_back),
        cmocka_unit_test(a_cleared_grant_is_free_and_named_until_its_release),
        cmocka_unit_test(a_clear_takes_only_the_grant_that_was_shown),
        cmocka_unit_test(a_clear_spares_who_was_heard_within_its_ttl),
        cmocka_unit_test(
            a_clear_that_is_read_before_the_time_spares_its_holder),
        cmocka_unit_test(a_suspected_session_that_speaks_is_spared_again),
        cmocka_unit_test(a_suspected_session_is_over_when_a_clear_took_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
