#include "unit/support/room.h"

/* The stories of waiting: who is granted what, and when [W, J3]. */

static void
what_is_free_is_granted_at_once(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "B"});
    EXPECT_TOLD(&r, "11 granted 101\n"
                    "12 granted 102\n");
    room_fini(&r);
}

static void
those_who_wait_are_granted_in_order_of_arrival(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "A"});
    room_acquire(&r, (struct call){.stream = 13, .session = 3, .names = "A"});
    room_hush(&r);
    room_release(&r, (struct call){.stream = 14, .session = 1});
    room_release(&r, (struct call){.stream = 15, .session = 2});
    EXPECT_TOLD(&r, "14 released\n"
                    "12 granted 102\n"
                    "15 released\n"
                    "13 granted 103\n");
    room_fini(&r);
}

static void
shared_ones_hold_together_and_pass_nobody(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A:s"});
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "A:s"});
    EXPECT_TOLD(&r, "11 granted 101\n"
                    "12 granted 102\n");
    room_acquire(&r, (struct call){.stream = 13, .session = 3, .names = "A"});
    room_acquire(
        &r,
        (struct call){.stream = 14, .session = 1, .lane = 2, .names = "A:s"});
    EXPECT_TOLD(&r, "");
    room_release(&r, (struct call){.stream = 15, .session = 1});
    room_release(&r, (struct call){.stream = 16, .session = 2});
    room_release(&r, (struct call){.stream = 17, .session = 3});
    EXPECT_TOLD(&r, "15 released\n"
                    "16 released\n"
                    "13 granted 103\n"
                    "17 released\n"
                    "14 granted 104\n");
    room_fini(&r);
}

/* B is free all the while, but whoever waits for A and B holds its place. */
static void
several_names_are_granted_all_or_none_in_one_place(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "A B"});
    room_acquire(&r, (struct call){.stream = 13, .session = 3, .names = "B"});
    EXPECT_TOLD(&r, "11 granted 101\n");
    room_release(&r, (struct call){.stream = 14, .session = 1});
    room_release(&r, (struct call){.stream = 15, .session = 2});
    EXPECT_TOLD(&r, "14 released\n"
                    "12 granted 102\n"
                    "15 released\n"
                    "13 granted 103\n");
    room_fini(&r);
}

/* What waits elsewhere holds up only what conflicts with it. */
static void
a_shared_place_holds_up_no_other_shared_one(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(&r,
                 (struct call){.stream = 12, .session = 2, .names = "A B:s"});
    room_acquire(&r, (struct call){.stream = 13, .session = 3, .names = "B:s"});
    EXPECT_TOLD(&r, "11 granted 101\n"
                    "13 granted 102\n");
    room_fini(&r);
}

static void
a_name_of_one_space_is_not_that_of_another(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "x/A"});
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "y/A"});
    EXPECT_TOLD(&r, "11 granted 101\n"
                    "12 granted 102\n");
    room_fini(&r);
}

static void
a_try_is_told_no_only_if_it_is_held_or_waited_for(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A:s"});
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "A"});
    room_hush(&r);
    room_acquire(
        &r, (struct call){
                .stream = 13, .session = 3, .names = "A:s", .try_only = true});
    room_acquire(&r, (struct call){.stream = 14,
                                   .session = 3,
                                   .lane = 2,
                                   .names = "B",
                                   .try_only = true});
    /* Final: when A is free, the answer to the same request is the same. */
    room_end(&r, (struct call){.stream = 15, .session = 2});
    room_release(&r, (struct call){.stream = 16, .session = 1});
    room_acquire(&r, (struct call){.stream = 17,
                                   .session = 3,
                                   .a = 2,
                                   .names = "A:s",
                                   .try_only = true});
    EXPECT_TOLD(&r, "13 over: held\n"
                    "14 granted 102\n"
                    "15 ended\n"
                    "12 gone\n"
                    "16 released\n"
                    "17 over: held\n");
    room_fini(&r);
}

static void
who_waits_until_it_is_free_is_told_once_and_holds_nothing(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(
        &r,
        (struct call){.stream = 12, .session = 2, .names = "A", .free = true});
    room_acquire(&r, (struct call){.stream = 13, .session = 3, .names = "A"});
    room_hush(&r);
    room_release(&r, (struct call){.stream = 14, .session = 1});
    room_acquire(
        &r,
        (struct call){
            .stream = 15, .session = 2, .a = 2, .names = "A", .free = true});
    EXPECT_TOLD(&r, "14 released\n"
                    "12 over: free\n"
                    "13 granted 102\n"
                    "15 over: free\n");
    room_fini(&r);
}

/* ---- Up and down [W7] ---------------------------------------------------- */

static void
what_a_lane_holds_it_is_not_granted_again(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r,
                 (struct call){.stream = 11, .session = 1, .names = "A B:s"});
    room_acquire(
        &r, (struct call){.stream = 12, .session = 1, .n = 2, .names = "A"});
    room_acquire(
        &r, (struct call){.stream = 13, .session = 1, .n = 3, .names = "B:s"});
    room_acquire(&r, (struct call){
                         .stream = 14, .session = 1, .n = 4, .names = "C A:s"});
    /* Another lane of the session waits, as anybody would. */
    room_acquire(
        &r, (struct call){.stream = 15, .session = 1, .lane = 2, .names = "A"});
    EXPECT_TOLD(&r, "11 granted 101\n"
                    "12 over: already held\n"
                    "13 over: already held\n"
                    "14 over: already held\n");
    room_fini(&r);
}

static void
a_shared_hold_of_its_own_does_not_keep_a_lane_out(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A:s"});
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "A:s"});
    room_acquire(
        &r, (struct call){.stream = 13, .session = 1, .n = 2, .names = "A"});
    EXPECT_TOLD(&r, "11 granted 101\n"
                    "12 granted 102\n");
    room_release(&r, (struct call){.stream = 14, .session = 2});
    EXPECT_TOLD(&r, "14 released\n"
                    "13 granted 103\n");
    /* Its release gives back what it added, and the first hold goes on. */
    room_acquire(&r, (struct call){.stream = 15, .session = 3, .names = "A"});
    room_acquire(
        &r, (struct call){.stream = 16, .session = 2, .n = 2, .names = "A:s"});
    room_release(&r, (struct call){.stream = 17, .session = 1, .n = 2});
    EXPECT_TOLD(&r, "17 released\n");
    room_release(&r, (struct call){.stream = 18, .session = 1, .n = 1});
    EXPECT_TOLD(&r, "18 released\n"
                    "15 granted 104\n");
    room_fini(&r);
}

static void
a_lane_holds_a_name_by_two_grants_at_most(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A:s"});
    room_acquire(
        &r, (struct call){.stream = 12, .session = 1, .n = 2, .names = "A"});
    room_lower(&r,
               (struct call){.stream = 13, .session = 1, .n = 2, .names = "A"});
    room_acquire(
        &r, (struct call){.stream = 14, .session = 1, .n = 3, .names = "A"});
    EXPECT_TOLD(&r, "11 granted 101\n"
                    "12 granted 102\n"
                    "13 changed\n"
                    "14 over: already held\n");
    room_fini(&r);
}

static void
a_lowered_hold_lets_in_who_may_share_it(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A B"});
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "A:s"});
    room_acquire(&r, (struct call){.stream = 13, .session = 3, .names = "A"});
    room_hush(&r);
    room_lower(&r, (struct call){.stream = 14, .session = 1, .names = "A"});
    room_lower(&r, (struct call){.stream = 15, .session = 1, .names = "A"});
    room_lower(&r, (struct call){.stream = 16, .session = 1, .names = "C"});
    EXPECT_TOLD(&r, "14 changed\n"
                    "12 granted 102\n"
                    "15 changed\n"
                    "16 not held\n");
    room_fini(&r);
}

/* ---- Cycles [W6] --------------------------------------------------------- */

static void
a_request_that_closes_a_circle_is_told_which(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "B"});
    room_acquire(&r, (struct call){.stream = 13, .session = 3, .names = "C"});
    room_acquire(
        &r, (struct call){.stream = 21, .session = 1, .n = 2, .names = "B"});
    room_acquire(
        &r, (struct call){.stream = 22, .session = 2, .n = 2, .names = "C"});
    room_hush(&r);
    room_acquire(
        &r, (struct call){.stream = 23, .session = 3, .n = 2, .names = "A"});
    EXPECT_TOLD(&r, "23 over: deadlock 3.1 1.1 2.1\n");
    room_fini(&r);
}

/* 3 waits behind 2 for B, which waits for A, which 3 holds. */
static void
a_circle_may_go_through_a_place_in_line(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 3, .names = "A"});
    room_acquire(&r, (struct call){.stream = 12, .session = 1, .names = "B:s"});
    room_acquire(&r, (struct call){.stream = 13, .session = 2, .names = "A B"});
    room_hush(&r);
    room_acquire(
        &r, (struct call){.stream = 14, .session = 3, .n = 2, .names = "B:s"});
    EXPECT_TOLD(&r, "14 over: deadlock 3.1 2.1\n");
    room_fini(&r);
}

static void
two_who_both_want_more_than_their_share_are_a_circle(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A:s"});
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "A:s"});
    room_acquire(
        &r, (struct call){.stream = 13, .session = 1, .n = 2, .names = "A"});
    room_hush(&r);
    room_acquire(
        &r, (struct call){.stream = 14, .session = 2, .n = 2, .names = "A"});
    EXPECT_TOLD(&r, "14 over: deadlock 2.1 1.1\n");
    room_release(&r, (struct call){.stream = 15, .session = 2, .n = 1});
    EXPECT_TOLD(&r, "15 released\n"
                    "13 granted 103\n");
    room_fini(&r);
}

static void
a_circle_that_is_too_long_to_find_is_waited_in(void **state)
{
    struct hf_lockspace_config config = room_config();
    struct room r;

    (void)state;
    config.limits.search = 3;
    r = room_with(&config);
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "B"});
    room_acquire(&r, (struct call){.stream = 13, .session = 3, .names = "C"});
    room_acquire(
        &r, (struct call){.stream = 21, .session = 1, .n = 2, .names = "B"});
    room_acquire(
        &r, (struct call){.stream = 22, .session = 2, .n = 2, .names = "C"});
    room_hush(&r);
    room_acquire(
        &r,
        (struct call){
            .stream = 23, .session = 3, .n = 2, .names = "A", .wait_ms = 100});
    EXPECT_TOLD(&r, "");
    room_clock(&r, 1100);
    EXPECT_TOLD(&r, "23 blocking timeout, 0 before it, 0 ms\n");
    room_fini(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_free_is_granted_at_once),
        cmocka_unit_test(those_who_wait_are_granted_in_order_of_arrival),
        cmocka_unit_test(shared_ones_hold_together_and_pass_nobody),
        cmocka_unit_test(several_names_are_granted_all_or_none_in_one_place),
        cmocka_unit_test(a_shared_place_holds_up_no_other_shared_one),
        cmocka_unit_test(a_name_of_one_space_is_not_that_of_another),
        cmocka_unit_test(a_try_is_told_no_only_if_it_is_held_or_waited_for),
        cmocka_unit_test(
            who_waits_until_it_is_free_is_told_once_and_holds_nothing),
        cmocka_unit_test(what_a_lane_holds_it_is_not_granted_again),
        cmocka_unit_test(a_shared_hold_of_its_own_does_not_keep_a_lane_out),
        cmocka_unit_test(a_lane_holds_a_name_by_two_grants_at_most),
        cmocka_unit_test(a_lowered_hold_lets_in_who_may_share_it),
        cmocka_unit_test(a_request_that_closes_a_circle_is_told_which),
        cmocka_unit_test(a_circle_may_go_through_a_place_in_line),
        cmocka_unit_test(two_who_both_want_more_than_their_share_are_a_circle),
        cmocka_unit_test(a_circle_that_is_too_long_to_find_is_waited_in),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
