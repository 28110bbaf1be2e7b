#include "unit/support/room.h"

/* The stories of requests and their attempts [R2, R3, R5, W2, W3, W5].  Session
 * 1 holds A at the begin of each, and whoever else wants it waits. */

/* ---- Blocking timeouts --------------------------------------------------- */

static void
a_request_is_answered_before_the_idle_timeout_and_keeps_its_place(void **state)
{
    struct room r = room_held();

    (void)state;
    room_acquire(&r, room_attempt(11, 2, 1));
    room_acquire(&r, room_attempt(12, 3, 1));
    room_clock(&r, 1899);
    EXPECT_TOLD(&r, "");
    room_clock(&r, 2000); /* a random part apart, so that 12 was first */
    EXPECT_TOLD(&r, "12 blocking timeout, 1 before it\n"
                    "11 blocking timeout, 0 before it\n");
    room_acquire(&r, room_attempt(13, 3, 2));
    room_acquire(&r, room_attempt(14, 2, 2));
    room_release(&r, (struct call){.stream = 15, .session = 1});
    EXPECT_TOLD(&r, "15 released\n"
                    "14 granted 102\n");
    room_fini(&r);
}

static void
a_parked_place_is_granted_nothing_and_holds_up_those_behind(void **state)
{
    struct room r = room_held();

    (void)state;
    room_acquire(&r, room_attempt(11, 2, 1));
    room_clock(&r, 1500);
    room_acquire(&r, room_attempt(12, 3, 1));
    room_clock(&r, 2000);
    room_hush(&r);
    room_release(&r, (struct call){.stream = 13, .session = 1});
    EXPECT_TOLD(&r, "13 released\n");
    room_acquire(&r, room_attempt(14, 2, 2));
    EXPECT_TOLD(&r, "14 granted 102\n");
    room_fini(&r);
}

/* Its client has asked again, and the loop reads it late. */
static void
a_place_is_not_lost_while_what_came_in_time_is_not_read(void **state)
{
    struct room r = room_held();

    (void)state;
    room_acquire(&r, room_attempt(11, 2, 1));
    room_clock(&r, 1500);
    room_acquire(&r, room_attempt(12, 3, 1));
    room_clock(&r, 2000);
    room_applied(&r, room_batch(&r, 100));
    room_hush(&r);
    room_clock_read(&r, 9000, 2001);
    room_acquire(&r, room_attempt(13, 2, 2));
    room_release(&r, (struct call){.stream = 14, .session = 1});
    EXPECT_TOLD(&r, "14 released\n"
                    "13 granted 102\n");
    room_fini(&r);
}

static void
a_place_that_is_not_taken_again_in_time_is_lost(void **state)
{
    struct room r = room_held();

    (void)state;
    room_acquire(&r, room_attempt(11, 2, 1));
    room_clock(&r, 1500);
    room_acquire(&r, room_attempt(12, 3, 1));
    room_clock(&r, 2000);
    room_release(&r, (struct call){.stream = 13, .session = 1});
    room_applied(&r, room_batch(&r, 100));
    room_hush(&r);
    room_clock(&r, 2199);
    EXPECT_TOLD(&r, "");
    room_clock(&r, 2200);
    EXPECT_TOLD(&r, "12 granted 102\n");
    room_acquire(&r, room_attempt(14, 2, 2)); /* enters at the end */
    EXPECT_TOLD(&r, "");
    room_fini(&r);
}

/* No batch, or one that was begun before, has told its client of it. */
static void
a_grace_begins_when_a_batch_has_let_the_timeout_out(void **state)
{
    struct room r = room_held();
    uint64_t batch;

    (void)state;
    room_acquire(&r, room_attempt(11, 2, 1));
    room_clock(&r, 1500);
    room_acquire(&r, room_attempt(12, 3, 1));
    batch = room_batch(&r, 100);
    room_clock(&r, 2000); /* 11 is parked */
    room_release(&r, (struct call){.stream = 13, .session = 1});
    room_applied(&r, batch);
    room_hush(&r);
    room_clock(&r, 2300);
    batch = room_batch(&r, 100);
    room_hush(&r);
    room_clock(&r, 2390); /* 12 is not due */
    room_applied(&r, batch);
    room_clock(&r, 2589);
    EXPECT_TOLD(&r, "12 blocking timeout, 1 before it\n");
    room_acquire(&r, room_attempt(14, 2, 2));
    EXPECT_TOLD(&r, "14 granted 102\n");
    room_fini(&r);
}

/* A batch that had no room for all changes lets no answer out that came after
 * those that it left. */
static void
a_grace_does_not_begin_with_a_batch_that_leaves_the_timeout_back(void **state)
{
    struct room r = room_held();

    (void)state;
    room_acquire(&r, room_attempt(11, 2, 1));
    room_acquire(&r, (struct call){.stream = 12, .session = 3, .names = "B"});
    room_hush(&r);
    room_clock(&r, 2000);
    room_applied(&r, room_batch(&r, 2));
    EXPECT_TOLD(&r, "11 blocking timeout, 0 before it\n"
                    "put session 1\n"
                    "put 101 of 1.1 A\n"
                    "batch 1, fence 103, some is not due\n");
    room_clock(&r, 2300);
    room_applied(&r, room_batch(&r, 2));
    room_clock(&r, 2499);
    room_release(&r, (struct call){.stream = 13, .session = 1});
    room_hush(&r);
    room_acquire(
        &r, (struct call){.stream = 14, .session = 3, .n = 2, .names = "A"});
    EXPECT_TOLD(&r, "");
    room_clock(&r, 2500);
    EXPECT_TOLD(&r, "14 granted 103\n");
    room_fini(&r);
}

/* Whoever asks again before it was told has the place, as it always had. */
static void
who_asks_again_before_it_was_told_waits_on(void **state)
{
    struct room r = room_held();

    (void)state;
    room_acquire(&r, room_attempt(11, 2, 1));
    room_clock(&r, 2000);
    room_acquire(&r, room_attempt(12, 2, 2));
    room_applied(&r, room_batch(&r, 100));
    room_hush(&r);
    room_clock(&r, 2300);
    room_release(&r, (struct call){.stream = 13, .session = 1});
    EXPECT_TOLD(&r, "13 released\n"
                    "12 granted 102\n");
    room_fini(&r);
}

/* The server's deadline frees the stream, and says nothing final. */
static void
what_remains_ends_a_wait_and_not_the_request(void **state)
{
    struct room r = room_held();
    struct call call = room_attempt(11, 2, 1);

    (void)state;
    call.wait_ms = 300;
    room_acquire(&r, call);
    room_clock(&r, 1299);
    EXPECT_TOLD(&r, "");
    room_clock(&r, 1300);
    EXPECT_TOLD(&r, "11 blocking timeout, 0 before it, 0 ms\n");
    room_release(&r, (struct call){.stream = 12, .session = 1});
    call = room_attempt(13, 2, 2);
    call.wait_ms = 100;
    room_acquire(&r, call);
    EXPECT_TOLD(&r, "12 released\n"
                    "13 granted 102\n");
    room_fini(&r);
}

/* Else a lock is free, and is granted to nobody while those who ask for a short
 * time come again and again. */
static void
who_has_waited_as_long_as_it_was_to_holds_up_nobody(void **state)
{
    struct room r = room_held();
    struct call call = room_attempt(11, 2, 1);

    (void)state;
    call.wait_ms = 300;
    room_acquire(&r, call);
    room_acquire(&r, room_attempt(12, 3, 1));
    room_clock(&r, 1300);
    EXPECT_TOLD(&r, "11 blocking timeout, 0 before it, 0 ms\n");
    room_release(&r, (struct call){.stream = 13, .session = 1});
    EXPECT_TOLD(&r, "13 released\n"
                    "12 granted 102\n");
    room_fini(&r);
}

static void
an_attempt_shortens_a_wait_and_never_lengthens_it(void **state)
{
    struct room r = room_held();
    struct call call = room_attempt(11, 2, 1);

    (void)state;
    call.wait_ms = 300;
    room_acquire(&r, call);
    call = room_attempt(12, 2, 2);
    call.wait_ms = 900;
    room_acquire(&r, call);
    room_hush(&r);
    room_clock(&r, 1299);
    EXPECT_TOLD(&r, "");
    room_clock(&r, 1300);
    EXPECT_TOLD(&r, "12 blocking timeout, 0 before it, 0 ms\n");
    call.stream = 13;
    call.a = 3;
    room_acquire(&r, call);
    call.stream = 14;
    call.a = 4;
    call.wait_ms = 100;
    room_acquire(&r, call);
    room_hush(&r);
    room_clock(&r, 1400);
    EXPECT_TOLD(&r, "14 blocking timeout, 0 before it, 0 ms\n");
    room_fini(&r);
}

/* It is held by nobody, and nobody who listens waits for it. */
static void
a_try_beside_a_place_that_is_parked_is_put_off(void **state)
{
    struct room r = room_held();
    struct call call = room_attempt(12, 3, 1);

    (void)state;
    room_acquire(&r, room_attempt(11, 2, 1));
    room_clock(&r, 2000);
    room_hush(&r);
    call.try_only = true;
    room_acquire(&r, call);
    EXPECT_TOLD(&r, "12 over: held\n");
    room_release(&r, (struct call){.stream = 13, .session = 1});
    room_hush(&r);
    call = room_attempt(14, 3, 2);
    call.n = 2;
    call.try_only = true;
    room_acquire(&r, call);
    EXPECT_TOLD(&r, "14 later, 200 ms: place\n");
    room_fini(&r);
}

/* ---- Polls --------------------------------------------------------------- */

/* It waits for 100 ms, and keeps its place for three seconds. */
static struct call
poll(uint64_t stream, uint64_t session, uint64_t a)
{
    struct call call = room_attempt(stream, session, a);

    call.wait_ms = 100;
    call.park_ms = 3000;
    return call;
}

/* One is parked since 1100, and was told; another came behind it. */
static struct room
polled(void)
{
    struct room r = room_held();

    room_acquire(&r, poll(11, 2, 1));
    room_clock(&r, 1100);
    EXPECT_TOLD(&r, "11 blocking timeout, 0 before it, 0 ms, kept for 3000\n");
    room_applied(&r, room_batch(&r, 100));
    room_release(&r, (struct call){.stream = 12, .session = 1});
    room_hush(&r);
    return r;
}

static void
a_poll_takes_the_place_of_the_one_before(void **state)
{
    struct room r = polled();

    (void)state;
    room_clock(&r, 4000);
    room_acquire(&r, room_attempt(13, 3, 1));
    EXPECT_TOLD(&r, "");
    room_acquire(&r, poll(14, 2, 2));
    EXPECT_TOLD(&r, "14 granted 102\n");
    room_fini(&r);
}

static void
who_polls_no_more_holds_up_nobody_when_its_time_is_over(void **state)
{
    struct room r = polled();

    (void)state;
    room_clock(&r, 4000);
    room_acquire(&r, room_attempt(13, 3, 1));
    room_clock(&r, 4099);
    EXPECT_TOLD(&r, "");
    room_clock(&r, 4100);
    EXPECT_TOLD(&r, "13 granted 102\n");
    room_acquire(&r, poll(14, 2, 2)); /* at the end of the line */
    room_clock(&r, 4200);
    EXPECT_TOLD(&r, "14 blocking timeout, 0 before it, 0 ms, kept for 3000\n");
    room_fini(&r);
}

/* And the last may say that it polls no more. */
static void
each_poll_waits_for_as_long_as_it_says(void **state)
{
    struct room r = room_held();
    struct call last = room_attempt(13, 2, 3);

    (void)state;
    room_acquire(&r, poll(11, 2, 1));
    room_clock(&r, 1100);
    room_applied(&r, room_batch(&r, 100));
    room_clock(&r, 2000);
    room_acquire(&r, poll(12, 2, 2));
    room_hush(&r);
    room_clock(&r, 2099);
    EXPECT_TOLD(&r, "");
    room_clock(&r, 2100);
    EXPECT_TOLD(&r, "12 blocking timeout, 0 before it, 0 ms, kept for 3000\n");
    room_applied(&r, room_batch(&r, 100));
    room_hush(&r);
    last.wait_ms = 200;
    room_acquire(&r, last);
    room_clock(&r, 2299);
    EXPECT_TOLD(&r, "");
    room_clock(&r, 2300);
    EXPECT_TOLD(&r, "13 blocking timeout, 0 before it, 0 ms\n");
    room_fini(&r);
}

/* Who waits for longer than a stream may be silent has its place for as long as
 * who polls. */
static void
a_place_is_kept_as_long_whatever_ended_the_wait(void **state)
{
    struct room r = room_held();
    struct call call = poll(11, 2, 1);

    (void)state;
    call.wait_ms = 60000;
    room_acquire(&r, call);
    room_clock(&r, 2000);
    room_applied(&r, room_batch(&r, 100));
    room_release(&r, (struct call){.stream = 12, .session = 1});
    room_hush(&r);
    room_clock(&r, 4900);
    room_acquire(&r, room_attempt(13, 3, 1));
    room_clock(&r, 4999);
    EXPECT_TOLD(&r, "");
    room_clock(&r, 5000);
    EXPECT_TOLD(&r, "13 granted 102\n");
    room_fini(&r);
}

/* Nor for less than what an answer and the next request take. */
static void
no_place_is_kept_for_more_than_half_of_a_ttl(void **state)
{
    struct room r = room_held();
    struct call call = poll(11, 2, 1);

    (void)state;
    call.park_ms = 60000;
    room_acquire(&r, call);
    call = poll(12, 3, 1);
    call.park_ms = 1;
    room_acquire(&r, call);
    room_clock(&r, 1100);
    EXPECT_TOLD(&r, "11 blocking timeout, 0 before it, 0 ms, kept for 5000\n"
                    "12 blocking timeout, 1 before it, 0 ms, kept for 1\n");
    room_applied(&r, room_batch(&r, 100));
    room_hush(&r);
    room_clock(&r, 1299);
    room_acquire(&r, poll(13, 3, 2));
    room_clock(&r, 1399);
    EXPECT_TOLD(&r, "13 blocking timeout, 1 before it, 0 ms, kept for 3000\n");
    room_fini(&r);
}

static void
a_try_beside_the_place_of_who_polls_is_told_for_how_long(void **state)
{
    struct room r = polled();
    struct call call = room_attempt(13, 3, 1);

    (void)state;
    call.try_only = true;
    room_acquire(&r, call);
    EXPECT_TOLD(&r, "13 later, 3000 ms: place\n");
    room_fini(&r);
}

/* ---- Attempts ------------------------------------------------------------ */

static void
the_newest_attempt_is_listened_to(void **state)
{
    struct room r = room_held();

    (void)state;
    room_acquire(&r, room_attempt(11, 2, 1));
    room_acquire(&r, room_attempt(12, 2, 3));
    room_acquire(&r, room_attempt(13, 2, 2)); /* late */
    room_acquire(&r, room_attempt(14, 2, 3)); /* once more */
    EXPECT_TOLD(&r, "11 superseded\n"
                    "13 superseded\n"
                    "14 superseded\n");
    room_stream_ends(&r, room_attempt(11, 2, 1));
    room_stream_ends(&r, room_attempt(14, 2, 3));
    room_release(&r, (struct call){.stream = 15, .session = 1});
    EXPECT_TOLD(&r, "15 released\n"
                    "12 granted 102\n");
    room_fini(&r);
}

/* It came before the timeout's answer, and is as dead as its connection: were
 * it listened to, its end would take the place away. */
static void
an_attempt_that_was_answered_does_not_take_a_parked_place(void **state)
{
    struct room r = room_held();

    (void)state;
    room_acquire(&r, room_attempt(11, 2, 1));
    room_clock(&r, 2000);
    room_hush(&r);
    room_acquire(&r, room_attempt(12, 2, 1));
    room_stream_ends(&r, room_attempt(12, 2, 1));
    EXPECT_TOLD(&r, "12 superseded\n");
    room_acquire(&r, room_attempt(13, 2, 2));
    room_release(&r, (struct call){.stream = 14, .session = 1});
    EXPECT_TOLD(&r, "14 released\n"
                    "13 granted 102\n");
    room_fini(&r);
}

static void
the_end_of_the_stream_of_a_waiting_request_frees_its_place(void **state)
{
    struct room r = room_held();

    (void)state;
    room_acquire(&r, room_attempt(11, 2, 1));
    room_acquire(&r, room_attempt(12, 3, 1));
    room_stream_ends(&r, room_attempt(11, 2, 1));
    room_release(&r, (struct call){.stream = 13, .session = 1});
    EXPECT_TOLD(&r, "13 released\n"
                    "12 granted 102\n");
    /* The message comes again, though its stream has ended: it may enter. */
    room_acquire(&r, room_attempt(14, 2, 1));
    room_release(&r, (struct call){.stream = 15, .session = 3});
    EXPECT_TOLD(&r, "15 released\n"
                    "14 granted 103\n");
    room_fini(&r);
}

/* The ghost of the seed: nobody listens when the grant is decided. */
static void
a_grant_whose_answer_was_never_handed_over_goes_back(void **state)
{
    struct room r = room_held();

    (void)state;
    room_acquire(&r, room_attempt(11, 2, 1));
    room_acquire(&r, room_attempt(12, 3, 1));
    room_release(&r, (struct call){.stream = 13, .session = 1});
    room_hush(&r);
    room_stream_ends(&r, room_attempt(11, 2, 1));
    EXPECT_TOLD(&r, "12 granted 103\n");
    room_acquire(&r, room_attempt(14, 2, 2));
    EXPECT_TOLD(&r, "");
    room_fini(&r);
}

/* The first grant was handed over when it had gone back already. */
static void
what_is_handed_over_late_is_not_the_next_grant(void **state)
{
    struct room r = room_new();
    struct call late = room_attempt(12, 2, 2);

    (void)state;
    room_acquire(&r, room_attempt(11, 2, 1));
    room_acquire(&r, room_attempt(12, 2, 2));
    room_stream_ends(&r, room_attempt(12, 2, 2));
    room_acquire(&r, room_attempt(13, 2, 3));
    late.fence = 101;
    room_handed(&r, late);
    room_stream_ends(&r, room_attempt(13, 2, 3));
    room_hush(&r);
    room_acquire(&r, room_attempt(14, 3, 1));
    EXPECT_TOLD(&r, "14 granted 103\n");
    room_fini(&r);
}

static void
a_grant_that_was_handed_over_stays_when_its_stream_ends(void **state)
{
    struct room r = room_held();

    (void)state;
    room_stream_ends(&r, room_attempt(1, 1, 1));
    room_acquire(&r, room_attempt(11, 2, 1));
    EXPECT_TOLD(&r, "");
    /* The same attempt, the next, and an older one get the same grant. */
    room_acquire(&r, room_attempt(12, 1, 1));
    room_acquire(&r, room_attempt(13, 1, 2));
    room_acquire(&r, room_attempt(14, 1, 1));
    EXPECT_TOLD(&r, "12 granted 101\n"
                    "13 granted 101\n"
                    "14 superseded\n");
    room_fini(&r);
}

/* ---- Requests ------------------------------------------------------------ */

static void
a_release_that_overtakes_its_acquire_leaves_it_nothing(void **state)
{
    struct room r = room_new();

    (void)state;
    room_release(&r, (struct call){.stream = 11, .session = 1});
    room_acquire(&r, room_attempt(12, 1, 1));
    room_acquire(&r, room_attempt(13, 1, 2));
    EXPECT_TOLD(&r, "11 released\n"
                    "12 over: released\n"
                    "13 over: released\n");
    room_fini(&r);
}

static void
release_is_cancel_whatever_the_request_is(void **state)
{
    struct room r = room_held();

    (void)state;
    room_acquire(&r, room_attempt(11, 2, 1));
    room_release(&r, (struct call){.stream = 12, .session = 2});
    EXPECT_TOLD(&r, "12 released\n"
                    "11 over: released\n");
    room_acquire(&r, room_attempt(13, 3, 1));
    room_clock(&r, 2000); /* parked */
    room_release(&r, (struct call){.stream = 14, .session = 3});
    room_hush(&r);
    room_release(&r, (struct call){.stream = 15, .session = 1});
    room_release(&r, (struct call){.stream = 16, .session = 1});
    room_acquire(&r, room_attempt(17, 2, 2));
    room_acquire(&r, room_attempt(18, 3, 2));
    room_acquire(&r, room_attempt(19, 1, 2));
    EXPECT_TOLD(&r, "15 released\n"
                    "16 released\n"
                    "17 over: released\n"
                    "18 over: released\n"
                    "19 over: released\n");
    room_fini(&r);
}

static void
a_lane_asks_for_one_thing_at_a_time(void **state)
{
    struct room r = room_held();
    struct call next = room_attempt(12, 2, 1);

    (void)state;
    next.n = 2;
    next.names = "B";
    room_acquire(&r, room_attempt(11, 2, 1));
    room_acquire(&r, next);
    room_stream_ends(&r, room_attempt(11, 2, 1));
    next.stream = 13;
    room_acquire(&r, next);
    room_release(&r, (struct call){.stream = 14, .session = 2});
    next.stream = 15;
    room_acquire(&r, next);
    EXPECT_TOLD(&r, "12 busy\n"
                    "13 busy\n"
                    "14 released\n"
                    "15 granted 102\n");
    room_fini(&r);
}

static void
a_lane_holds_what_its_earlier_requests_were_granted(void **state)
{
    struct room r = room_held();
    struct call old = room_attempt(12, 1, 9);

    (void)state;
    room_acquire(
        &r, (struct call){.stream = 11, .session = 1, .n = 2, .names = "B"});
    room_acquire(&r, old);
    room_release(&r, (struct call){.stream = 13, .session = 1});
    old.stream = 14;
    room_acquire(&r, old);
    room_acquire(&r, (struct call){.stream = 15, .session = 2, .names = "A"});
    room_acquire(
        &r, (struct call){
                .stream = 16, .session = 3, .names = "B", .try_only = true});
    EXPECT_TOLD(&r, "11 granted 102\n"
                    "12 granted 101\n"
                    "13 released\n"
                    "14 over: forgotten\n"
                    "15 granted 103\n"
                    "16 over: held\n");
    room_fini(&r);
}

/* Or it would be told of what it has not. */
static void
a_number_is_for_what_it_was_first_asked_for(void **state)
{
    struct room r = room_held();
    struct call other = {.session = 1, .names = "B", .a = 2};

    (void)state;
    other.stream = 11;
    room_acquire(&r, other);
    other.stream = 12;
    other.names = "A:s";
    room_acquire(&r, other);
    other.stream = 13;
    other.names = "A B";
    room_acquire(&r, other);
    room_acquire(&r, (struct call){.stream = 14, .session = 2, .names = "B"});
    room_acquire(&r, room_attempt(15, 3, 1));
    other.stream = 16;
    other.session = 3;
    other.names = "B";
    room_acquire(&r, other);
    room_acquire(
        &r, (struct call){.stream = 17, .session = 1, .n = 2, .names = "C"});
    other.stream = 18;
    other.session = 1;
    room_acquire(&r, other);
    room_release(&r, (struct call){.stream = 19, .session = 1});
    EXPECT_TOLD(&r, "11 over: invalid\n"
                    "12 over: invalid\n"
                    "13 over: invalid\n"
                    "14 granted 102\n"
                    "16 over: invalid\n"
                    "17 granted 103\n"
                    "18 over: invalid\n"
                    "19 released\n"
                    "15 granted 104\n");
    room_fini(&r);
}

/* The next request says that the answer to the one before was seen. */
static void
the_next_request_of_a_lane_shows_that_the_last_was_answered(void **state)
{
    struct room r = room_new();

    (void)state;
    room_acquire(&r, room_attempt(11, 1, 1));
    room_acquire(
        &r, (struct call){.stream = 12, .session = 1, .n = 2, .names = "B"});
    room_hush(&r);
    room_stream_ends(&r, room_attempt(11, 1, 1));
    room_acquire(
        &r, (struct call){
                .stream = 13, .session = 2, .names = "A", .try_only = true});
    EXPECT_TOLD(&r, "13 over: held\n");
    room_fini(&r);
}

static void
lanes_below_the_lowest_are_over_and_forgotten(void **state)
{
    struct room r = room_held();

    (void)state;
    room_acquire(
        &r, (struct call){.stream = 11, .session = 2, .lane = 4, .names = "A"});
    room_acquire(
        &r, (struct call){.stream = 12, .session = 2, .lane = 5, .names = "B"});
    room_keep_alive(&r, (struct call){.stream = 13, .session = 2, .lowest = 6});
    room_acquire(
        &r, (struct call){
                .stream = 14, .session = 2, .lane = 5, .n = 9, .names = "C"});
    room_release(&r, (struct call){.stream = 15, .session = 2, .lane = 3});
    room_acquire(
        &r, (struct call){
                .stream = 16, .session = 3, .names = "B", .try_only = true});
    EXPECT_TOLD(&r, "12 granted 102\n"
                    "13 alive\n"
                    "11 over: forgotten\n"
                    "14 over: forgotten\n"
                    "15 released\n"
                    "16 granted 103\n");
    room_fini(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_request_is_answered_before_the_idle_timeout_and_keeps_its_place),
        cmocka_unit_test(
            a_parked_place_is_granted_nothing_and_holds_up_those_behind),
        cmocka_unit_test(
            a_place_is_not_lost_while_what_came_in_time_is_not_read),
        cmocka_unit_test(a_place_that_is_not_taken_again_in_time_is_lost),
        cmocka_unit_test(a_grace_begins_when_a_batch_has_let_the_timeout_out),
        cmocka_unit_test(
            a_grace_does_not_begin_with_a_batch_that_leaves_the_timeout_back),
        cmocka_unit_test(who_asks_again_before_it_was_told_waits_on),
        cmocka_unit_test(what_remains_ends_a_wait_and_not_the_request),
        cmocka_unit_test(who_has_waited_as_long_as_it_was_to_holds_up_nobody),
        cmocka_unit_test(an_attempt_shortens_a_wait_and_never_lengthens_it),
        cmocka_unit_test(a_try_beside_a_place_that_is_parked_is_put_off),
        cmocka_unit_test(a_poll_takes_the_place_of_the_one_before),
        cmocka_unit_test(
            who_polls_no_more_holds_up_nobody_when_its_time_is_over),
        cmocka_unit_test(each_poll_waits_for_as_long_as_it_says),
        cmocka_unit_test(a_place_is_kept_as_long_whatever_ended_the_wait),
        cmocka_unit_test(no_place_is_kept_for_more_than_half_of_a_ttl),
        cmocka_unit_test(
            a_try_beside_the_place_of_who_polls_is_told_for_how_long),
        cmocka_unit_test(the_newest_attempt_is_listened_to),
        cmocka_unit_test(
            an_attempt_that_was_answered_does_not_take_a_parked_place),
        cmocka_unit_test(
            the_end_of_the_stream_of_a_waiting_request_frees_its_place),
        cmocka_unit_test(a_grant_whose_answer_was_never_handed_over_goes_back),
        cmocka_unit_test(what_is_handed_over_late_is_not_the_next_grant),
        cmocka_unit_test(
            a_grant_that_was_handed_over_stays_when_its_stream_ends),
        cmocka_unit_test(
            a_release_that_overtakes_its_acquire_leaves_it_nothing),
        cmocka_unit_test(release_is_cancel_whatever_the_request_is),
        cmocka_unit_test(a_lane_asks_for_one_thing_at_a_time),
        cmocka_unit_test(a_lane_holds_what_its_earlier_requests_were_granted),
        cmocka_unit_test(a_number_is_for_what_it_was_first_asked_for),
        cmocka_unit_test(
            the_next_request_of_a_lane_shows_that_the_last_was_answered),
        cmocka_unit_test(lanes_below_the_lowest_are_over_and_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
