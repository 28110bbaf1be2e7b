#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/support/room.h"

/* The first holds the lock; the next two want it.  A grace is 200 ms, and a
 * blocking timeout a second. */

static struct call
first(uint64_t stream)
{
    return (struct call){.stream = stream, .session = 1};
}

/* ---- One that waits ------------------------------------------------------ */

static void
who_is_cut_off_and_comes_back_has_its_place(void **state)
{
    struct room r = room_held();

    (void)state;
    room_acquire(&r, room_attempt(11, 2, 1));
    room_acquire(&r, room_attempt(12, 3, 1));
    room_cut(&r, room_attempt(11, 2, 1));
    room_clock(&r, 1199);
    room_acquire(&r, room_attempt(13, 2, 2));
    room_clock(&r, 1300);
    room_release(&r, first(14));
    EXPECT_TOLD(&r, "14 released\n"
                    "13 granted 102\n");
    room_fini(&r);
}

static void
who_is_cut_off_holds_up_those_behind_for_a_grace(void **state)
{
    struct room r = room_held();

    (void)state;
    room_acquire(&r, room_attempt(11, 2, 1));
    room_acquire(&r, room_attempt(12, 3, 1));
    room_cut(&r, room_attempt(11, 2, 1));
    room_release(&r, first(13));
    room_clock(&r, 1199);
    EXPECT_TOLD(&r, "13 released\n");
    room_clock(&r, 1200);
    EXPECT_TOLD(&r, "12 granted 102\n");
    room_acquire(&r, room_attempt(14, 2, 2));
    EXPECT_TOLD(&r, "");
    room_fini(&r);
}

static void
nobody_is_waited_for_longer_than_it_waits_itself(void **state)
{
    struct room r = room_held();
    struct call short_wait = room_attempt(11, 2, 1);

    (void)state;
    short_wait.wait_ms = 50;
    room_acquire(&r, short_wait);
    room_acquire(&r, room_attempt(12, 3, 1));
    room_cut(&r, short_wait);
    room_release(&r, first(13));
    room_hush(&r);
    room_clock(&r, 1049);
    EXPECT_TOLD(&r, "");
    room_clock(&r, 1050);
    EXPECT_TOLD(&r, "12 granted 102\n");
    room_fini(&r);
}

static void
who_polls_is_waited_for_as_long_as_it_asked_to_be(void **state)
{
    struct room r = room_held();
    struct call poll = room_attempt(11, 2, 1);

    (void)state;
    poll.wait_ms = 50;
    poll.park_ms = 400;
    room_acquire(&r, poll);
    room_acquire(&r, room_attempt(12, 3, 1));
    room_cut(&r, poll);
    room_release(&r, first(13));
    room_hush(&r);
    room_clock(&r, 1399);
    EXPECT_TOLD(&r, "");
    room_clock(&r, 1400);
    EXPECT_TOLD(&r, "12 granted 102\n");
    room_fini(&r);
}

static void
a_try_beside_who_is_cut_off_is_put_off(void **state)
{
    struct room r = room_held();
    struct call tries = room_attempt(14, 3, 1);

    (void)state;
    tries.try_only = true;
    room_acquire(&r, room_attempt(11, 2, 1));
    room_cut(&r, room_attempt(11, 2, 1));
    room_release(&r, first(13));
    room_acquire(&r, tries);
    EXPECT_TOLD(&r, "13 released\n"
                    "14 later, 200 ms: place\n");
    room_fini(&r);
}

/* ---- A grant that nobody was told of ------------------------------------- */

/* The second is granted the lock, and cut off before it is told. */
static struct room
granted(void)
{
    struct room r = room_held();

    room_acquire(&r, room_attempt(11, 2, 1));
    room_acquire(&r, room_attempt(12, 3, 1));
    room_release(&r, first(13));
    room_cut(&r, room_attempt(11, 2, 1));
    EXPECT_TOLD(&r, "13 released\n"
                    "11 granted 102\n");
    return r;
}

static void
a_grant_is_kept_for_who_comes_back_before_it_was_told(void **state)
{
    struct room r = granted();

    (void)state;
    room_clock(&r, 1199);
    room_acquire(&r, room_attempt(14, 2, 2));
    room_clock(&r, 1500);
    EXPECT_TOLD(&r, "14 granted 102\n");
    room_fini(&r);
}

static void
a_grant_that_nobody_comes_back_for_is_the_next_ones(void **state)
{
    struct room r = granted();

    (void)state;
    room_clock(&r, 1199);
    EXPECT_TOLD(&r, "");
    room_clock(&r, 1200);
    EXPECT_TOLD(&r, "12 granted 103\n");
    room_acquire(&r, room_attempt(14, 2, 2));
    EXPECT_TOLD(&r, "");
    room_fini(&r);
}

static void
a_grant_that_is_cut_off_again_is_kept_again(void **state)
{
    struct room r = granted();

    (void)state;
    room_clock(&r, 1100);
    room_acquire(&r, room_attempt(14, 2, 2));
    room_cut(&r, room_attempt(14, 2, 2));
    room_hush(&r);
    room_clock(&r, 1299);
    EXPECT_TOLD(&r, "");
    room_clock(&r, 1300);
    EXPECT_TOLD(&r, "12 granted 103\n");
    room_fini(&r);
}

static void
who_cancels_gives_a_kept_grant_back_at_once(void **state)
{
    struct room r = granted();

    (void)state;
    room_release(&r, (struct call){.stream = 14, .session = 2});
    EXPECT_TOLD(&r, "14 released\n"
                    "12 granted 103\n");
    room_fini(&r);
}

/* A lane asks for one thing at a time: so its client has the grant [R2]. */
static void
the_next_request_shows_that_a_kept_grant_was_told(void **state)
{
    struct room r = granted();
    struct call next = {.stream = 14, .session = 2, .n = 2, .names = "B"};

    (void)state;
    room_acquire(&r, next);
    room_clock(&r, 1500);
    EXPECT_TOLD(&r, "14 granted 103\n");
    room_fini(&r);
}

/* There is room for two who wait, of whom one does. */
static void
what_is_kept_counts_as_one_that_waits(void **state)
{
    struct hf_lockspace_config config = room_config();
    struct room r;
    struct call second = {.stream = 12, .session = 2, .names = "B"};
    struct call third = {.stream = 13, .session = 3, .names = "C"};

    (void)state;
    config.limits.waiters = 2;
    r = room_with(&config);
    room_acquire(&r, (struct call){.stream = 1, .session = 1, .names = "A"});
    room_acquire(
        &r, (struct call){.stream = 11, .session = 1, .lane = 2, .names = "A"});
    room_acquire(&r, second);
    room_acquire(&r, third);
    room_cut(&r, second);
    room_cut(&r, third); /* there is no room for it */
    room_hush(&r);
    room_acquire(
        &r, (struct call){.stream = 14, .session = 1, .lane = 3, .names = "C"});
    room_acquire(
        &r, (struct call){.stream = 15, .session = 1, .lane = 4, .names = "A"});
    EXPECT_TOLD(&r, "14 granted 104\n"
                    "15 over: limit\n");
    room_clock(&r, 1200);
    room_acquire(
        &r, (struct call){.stream = 16, .session = 1, .lane = 5, .names = "A"});
    EXPECT_TOLD(&r, "");
    room_fini(&r);
}

static void
what_was_told_is_no_grant_that_is_kept(void **state)
{
    struct room r = room_held();

    (void)state;
    room_acquire(&r, room_attempt(12, 3, 1));
    room_cut(&r, first(1));
    room_clock(&r, 1500);
    EXPECT_TOLD(&r, "");
    room_fini(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_cut_off_and_comes_back_has_its_place),
        cmocka_unit_test(who_is_cut_off_holds_up_those_behind_for_a_grace),
        cmocka_unit_test(nobody_is_waited_for_longer_than_it_waits_itself),
        cmocka_unit_test(who_polls_is_waited_for_as_long_as_it_asked_to_be),
        cmocka_unit_test(a_try_beside_who_is_cut_off_is_put_off),
        cmocka_unit_test(a_grant_is_kept_for_who_comes_back_before_it_was_told),
        cmocka_unit_test(a_grant_that_nobody_comes_back_for_is_the_next_ones),
        cmocka_unit_test(a_grant_that_is_cut_off_again_is_kept_again),
        cmocka_unit_test(who_cancels_gives_a_kept_grant_back_at_once),
        cmocka_unit_test(the_next_request_shows_that_a_kept_grant_was_told),
        cmocka_unit_test(what_is_kept_counts_as_one_that_waits),
        cmocka_unit_test(what_was_told_is_no_grant_that_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
