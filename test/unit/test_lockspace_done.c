#include "unit/support/room.h"

/* The stories of a session that an acquire opened, which ends with its last
 * release [S8].  Session 9 is one at the begin of each. */

static struct room
begun(void)
{
    struct room r = room_new();

    room_open_of_acquire(&r, 9, 2000, false);
    room_hush(&r);
    return r;
}

static void
a_session_that_an_acquire_opened_ends_with_its_last_release(void **state)
{
    struct room r = begun();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 9, .names = "A"});
    room_applied(&r, room_batch(&r, 100));
    room_hush(&r);
    room_release(&r, (struct call){.stream = 12, .session = 9});
    room_keep_alive(&r, (struct call){.stream = 13, .session = 9});
    room_applied(&r, room_batch(&r, 100));
    EXPECT_TOLD(&r, "12 released\n"
                    "13 gone\n"
                    "delete 101\n"
                    "delete session 9\n"
                    "batch 2, fence 102, all is due\n");
    room_fini(&r);
}

static void
one_that_was_opened_by_itself_stays(void **state)
{
    struct room r = begun();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_release(&r, (struct call){.stream = 12, .session = 1});
    room_keep_alive(&r, (struct call){.stream = 13, .session = 1});
    EXPECT_TOLD(&r, "11 granted 101\n"
                    "12 released\n"
                    "13 alive\n");
    room_fini(&r);
}

static void
it_stays_while_it_holds_or_waits_for_something(void **state)
{
    struct room r = begun();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "C"});
    room_acquire(&r, (struct call){.stream = 12, .session = 9, .names = "A"});
    room_acquire(
        &r, (struct call){.stream = 13, .session = 9, .n = 2, .names = "B"});
    room_acquire(
        &r, (struct call){.stream = 14, .session = 9, .lane = 2, .names = "C"});
    room_hush(&r);
    room_release(&r, (struct call){.stream = 15, .session = 9, .n = 2});
    room_release(&r, (struct call){.stream = 16, .session = 9});
    room_keep_alive(&r, (struct call){.stream = 17, .session = 9});
    room_clock(&r, 2000); /* its place is parked, and kept */
    room_release(&r, (struct call){.stream = 18, .session = 9});
    room_keep_alive(&r, (struct call){.stream = 19, .session = 9});
    room_release(&r, (struct call){.stream = 20, .session = 9, .lane = 2});
    room_keep_alive(&r, (struct call){.stream = 21, .session = 9});
    EXPECT_TOLD(&r, "15 released\n"
                    "16 released\n"
                    "17 alive\n"
                    "14 blocking timeout, 0 before it\n"
                    "18 released\n"
                    "19 alive\n"
                    "20 released\n"
                    "21 gone\n");
    room_fini(&r);
}

static void
it_stays_until_what_was_cleared_is_released(void **state)
{
    struct room r = begun();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 9, .names = "A"});
    room_acquire(
        &r, (struct call){.stream = 12, .session = 9, .n = 2, .names = "B"});
    room_clear(&r, 13, "A", 101);
    room_hush(&r);
    room_release(&r, (struct call){.stream = 14, .session = 9, .n = 2});
    room_keep_alive(&r, (struct call){.stream = 15, .session = 9});
    room_release(&r, (struct call){.stream = 16, .session = 9});
    room_keep_alive(&r, (struct call){.stream = 17, .session = 9});
    EXPECT_TOLD(&r, "14 released\n"
                    "15 alive, 1 revoked\n"
                    "16 released\n"
                    "17 gone\n");
    room_fini(&r);
}

/* Busy: nothing was released. */
static void
a_release_that_is_refused_ends_nothing(void **state)
{
    struct room r = begun();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(&r, (struct call){.stream = 12, .session = 9, .names = "A"});
    room_stream_ends(&r, (struct call){.stream = 12, .session = 9});
    room_hush(&r);
    room_release(&r, (struct call){.stream = 13, .session = 9, .n = 2});
    room_keep_alive(&r, (struct call){.stream = 14, .session = 9});
    EXPECT_TOLD(&r, "13 busy\n"
                    "14 alive\n");
    room_fini(&r);
}

/* As one that its client ended [R3]. */
static void
one_of_a_key_is_remembered_for_its_ttl(void **state)
{
    struct room r = room_new();
    struct call keyed = {
        .stream = 11, .session = 8, .names = "A", .key = {.given = true}};

    (void)state;
    room_open_of_acquire(&r, 8, 2000, true);
    room_acquire(&r, keyed);
    room_release(&r, (struct call){.stream = 12, .session = 8});
    room_applied(&r, room_batch(&r, 100));
    room_hush(&r);
    room_clock(&r, 2999);
    room_open_of_acquire(&r, 8, 2000, true);
    keyed.stream = 13;
    room_acquire(&r, keyed);
    EXPECT_TOLD(&r, "8 gone\n"
                    "13 gone\n");
    room_clock(&r, 3000);
    room_open_of_acquire(&r, 8, 2000, true);
    EXPECT_TOLD(&r, "8 opened\n");
    room_fini(&r);
}

/* ---- Whose answer nobody read [W5] --------------------------------------- */

static void
one_whose_answer_nobody_read_ends_with_what_it_has(void **state)
{
    struct room r = begun();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 9, .names = "A"});
    room_handed(&r, (struct call){.stream = 11, .session = 9});
    room_applied(&r, room_batch(&r, 100));
    room_acquire(&r, (struct call){.stream = 12, .session = 1, .names = "A"});
    room_hush(&r);
    room_unread(&r, 9);
    EXPECT_TOLD(&r, "12 granted 102\n");
    room_keep_alive(&r, (struct call){.stream = 13, .session = 9});
    EXPECT_TOLD(&r, "13 gone\n");
    room_fini(&r);
}

static void
one_that_was_heard_since_stays(void **state)
{
    struct room r = begun();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 9, .names = "A"});
    room_keep_alive(&r, (struct call){.stream = 12, .session = 9});
    room_hush(&r);
    room_unread(&r, 9);
    room_keep_alive(&r, (struct call){.stream = 13, .session = 9});
    EXPECT_TOLD(&r, "13 alive, holds 101\n");
    room_fini(&r);
}

/* Its client finds it again by that key. */
static void
one_of_a_key_stays_though_its_answer_was_not_read(void **state)
{
    struct room r = room_new();

    (void)state;
    room_open_of_acquire(&r, 8, 2000, true);
    room_acquire(&r, (struct call){.stream = 11,
                                   .session = 8,
                                   .names = "A",
                                   .key = {.given = true}});
    room_hush(&r);
    room_unread(&r, 8);
    room_keep_alive(&r, (struct call){.stream = 12, .session = 8});
    EXPECT_TOLD(&r, "12 alive, holds 101\n");
    room_fini(&r);
}

/* Nor is one that is over anybody's. */
static void
one_that_was_opened_by_itself_is_known(void **state)
{
    struct room r = begun();

    (void)state;
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_hush(&r);
    room_unread(&r, 1);
    room_unread(&r, 77);
    room_keep_alive(&r, (struct call){.stream = 12, .session = 1});
    EXPECT_TOLD(&r, "12 alive, holds 101\n");
    room_fini(&r);
}

/* There is room for eight, three of which are open. */
static void
no_number_of_requests_fills_the_server(void **state)
{
    struct room r = room_new();

    (void)state;
    for (uint64_t id = 9; id < 200; id++) {
        room_open_of_acquire(&r, id, 2000, false);
        room_acquire(&r,
                     (struct call){.stream = 11, .session = id, .names = "A"});
        room_hush(&r);
        room_release(&r, (struct call){.stream = 12, .session = id});
        EXPECT_TOLD(&r, "12 released\n");
        room_applied(&r, room_batch(&r, 100));
    }
    room_fini(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_session_that_an_acquire_opened_ends_with_its_last_release),
        cmocka_unit_test(one_that_was_opened_by_itself_stays),
        cmocka_unit_test(it_stays_while_it_holds_or_waits_for_something),
        cmocka_unit_test(it_stays_until_what_was_cleared_is_released),
        cmocka_unit_test(a_release_that_is_refused_ends_nothing),
        cmocka_unit_test(one_of_a_key_is_remembered_for_its_ttl),
        cmocka_unit_test(one_whose_answer_nobody_read_ends_with_what_it_has),
        cmocka_unit_test(one_that_was_heard_since_stays),
        cmocka_unit_test(one_of_a_key_stays_though_its_answer_was_not_read),
        cmocka_unit_test(one_that_was_opened_by_itself_is_known),
        cmocka_unit_test(no_number_of_requests_fills_the_server),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
