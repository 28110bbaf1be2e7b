#include "unit/support/lockspace_script.h"

/* The stories of requests and their attempts [R2, R3, R5, W2, W3, W5].  Session
 * 1 holds A at the begin of each, and whoever else wants it waits. */

static const struct CMUnitTest tests[] = {
    /* ---- Blocking timeouts ----------------------------------------------- */

    STORY(a_request_is_answered_before_the_idle_timeout_and_keeps_its_place,
          "held\n"
          "2 acquire A on 11\n"
          "3 acquire A on 12\n"
          "clock 1899\n"
          /* a random part apart, so that 12 was first */
          "clock 2000\n"
          "| 12 blocking timeout, 1 before it\n"
          "| 11 blocking timeout, 0 before it\n"
          "3 acquire A on 13, attempt 2\n"
          "2 acquire A on 14, attempt 2\n"
          "1 release on 15 | 15 released; 14 granted 102\n"),
    STORY(a_parked_place_is_granted_nothing_and_holds_up_those_behind,
          "held\n"
          "2 acquire A on 11\n"
          "clock 1500\n"
          "3 acquire A on 12\n"
          "clock 2000                   | 11 blocking timeout, 0 before it\n"
          "1 release on 13              | 13 released\n"
          "2 acquire A on 14, attempt 2 | 14 granted 102\n"),
    /* Its client has asked again, and the loop reads it late. */
    STORY(a_place_is_not_lost_while_what_came_in_time_is_not_read,
          "held\n"
          "2 acquire A on 11\n"
          "clock 1500\n"
          "3 acquire A on 12\n"
          "clock 2000      | 11 blocking timeout, 0 before it\n"
          "batch\n"
          "| put session 1\n"
          "| put 101 of 1.1 A\n"
          "| batch 1, fence 102, all is due\n"
          "applied 1\n"
          "clock 9000, read 2001\n"
          "2 acquire A on 13, attempt 2\n"
          "1 release on 14 | 14 released; 13 granted 102\n"),
    STORY(a_place_that_is_not_taken_again_in_time_is_lost,
          "held\n"
          "2 acquire A on 11\n"
          "clock 1500\n"
          "3 acquire A on 12\n"
          "clock 2000      | 11 blocking timeout, 0 before it\n"
          "1 release on 13 | 13 released\n"
          "batch           | batch 1, fence 102, all is due\n"
          "applied 1\n"
          "clock 2199\n"
          "clock 2200      | 12 granted 102\n"
          "2 acquire A on 14, attempt 2\n"), /* enters at the end */
    /* No batch, or one that was begun before, has told its client of it. */
    STORY(a_grace_begins_when_a_batch_has_let_the_timeout_out,
          "held\n"
          "2 acquire A on 11\n"
          "clock 1500\n"
          "3 acquire A on 12\n"
          "batch\n"
          "| put session 1\n"
          "| put 101 of 1.1 A\n"
          "| batch 1, fence 102, all is due\n"
          /* 11 is parked */
          "clock 2000                   | 11 blocking timeout, 0 before it\n"
          "1 release on 13              | 13 released\n"
          "applied 1\n"
          "clock 2300\n"
          "batch               | delete 101; batch 2, fence 102, all is due\n"
          "clock 2390\n" /* 12 is not due */
          "applied 2\n"
          "clock 2589                   | 12 blocking timeout, 1 before it\n"
          "2 acquire A on 14, attempt 2 | 14 granted 102\n"),
    /* A batch that had no room for all changes lets no answer out that came
     * after those that it left. */
    STORY(a_grace_does_not_begin_with_a_batch_that_leaves_the_timeout_back,
          "held\n"
          "2 acquire A on 11\n"
          "3 acquire B on 12 | 12 granted 102\n"
          "clock 2000        | 11 blocking timeout, 0 before it\n"
          "batch 2\n"
          "| put session 1\n"
          "| put 101 of 1.1 A\n"
          "| batch 1, fence 103, some is not due\n"
          "applied 1\n"
          "clock 2300\n"
          "batch 2\n"
          "| put session 3\n"
          "| put 102 of 3.1 B\n"
          "| batch 2, fence 103, all is due\n"
          "applied 2\n"
          "clock 2499\n"
          "1 release on 13   | 13 released\n"
          "3 acquire A on 14, n 2\n"
          "clock 2500        | 14 granted 103\n"),
    /* Whoever asks again before it was told has the place, as it always had. */
    STORY(who_asks_again_before_it_was_told_waits_on,
          "held\n"
          "2 acquire A on 11\n"
          "clock 2000      | 11 blocking timeout, 0 before it\n"
          "2 acquire A on 12, attempt 2\n"
          "batch\n"
          "| put session 1\n"
          "| put 101 of 1.1 A\n"
          "| batch 1, fence 102, all is due\n"
          "applied 1\n"
          "clock 2300\n"
          "1 release on 13 | 13 released; 12 granted 102\n"),
    /* The server's deadline frees the stream, and says nothing final. */
    STORY(what_remains_ends_a_wait_and_not_the_request,
          "held\n"
          "2 acquire A on 11, wait 300\n"
          "clock 1299\n"
          "clock 1300              | 11 blocking timeout, 0 before it, 0 ms\n"
          "1 release on 12                        | 12 released\n"
          "2 acquire A on 13, attempt 2, wait 100 | 13 granted 102\n"),
    /* Else a lock is free, and is granted to nobody while those who ask for a
     * short time come again and again. */
    STORY(who_has_waited_as_long_as_it_was_to_holds_up_nobody,
          "held\n"
          "2 acquire A on 11, wait 300\n"
          "3 acquire A on 12\n"
          "clock 1300      | 11 blocking timeout, 0 before it, 0 ms\n"
          "1 release on 13 | 13 released; 12 granted 102\n"),
    STORY(an_attempt_shortens_a_wait_and_never_lengthens_it,
          "held\n"
          "2 acquire A on 11, wait 300\n"
          "2 acquire A on 12, attempt 2, wait 900 | 11 superseded\n"
          "clock 1299\n"
          "clock 1300              | 12 blocking timeout, 0 before it, 0 ms\n"
          "2 acquire A on 13, attempt 3, wait 900\n"
          "2 acquire A on 14, attempt 4, wait 100 | 13 superseded\n"
          "clock 1400              | 14 blocking timeout, 0 before it, 0 ms\n"),
    /* It is held by nobody, and nobody who listens waits for it. */
    STORY(a_try_beside_a_place_that_is_parked_is_put_off,
          "held\n"
          "2 acquire A on 11\n"
          "clock 2000                    | 11 blocking timeout, 0 before it\n"
          "3 acquire A on 12, try                 | 12 over: held\n"
          "1 release on 13                        | 13 released\n"
          "3 acquire A on 14, n 2, attempt 2, try | 14 later, 200 ms: place\n"),

    /* ---- Polls ----------------------------------------------------------- */

    STORY(a_poll_takes_the_place_of_the_one_before,
          "polled\n"
          "clock 4000\n"
          "3 acquire A on 13\n"
          "2 acquire A on 14, attempt 2, wait 100, park 3000\n"
          "| 14 granted 102\n"),
    STORY(who_polls_no_more_holds_up_nobody_when_its_time_is_over,
          "polled\n"
          "clock 4000\n"
          "3 acquire A on 13\n"
          "clock 4099\n"
          "clock 4100 | 13 granted 102\n"
          /* at the end of the line */
          "2 acquire A on 14, attempt 2, wait 100, park 3000\n"
          "clock 4200\n"
          "| 14 blocking timeout, 0 before it, 0 ms, kept for 3000\n"),
    /* And the last may say that it polls no more. */
    STORY(each_poll_waits_for_as_long_as_it_says,
          "held\n"
          "2 acquire A on 11, wait 100, park 3000\n"
          "clock 1100\n"
          "| 11 blocking timeout, 0 before it, 0 ms, kept for 3000\n"
          "batch\n"
          "| put session 1\n"
          "| put 101 of 1.1 A\n"
          "| batch 1, fence 102, all is due\n"
          "applied 1\n"
          "clock 2000\n"
          "2 acquire A on 12, attempt 2, wait 100, park 3000\n"
          "clock 2099\n"
          "clock 2100\n"
          "| 12 blocking timeout, 0 before it, 0 ms, kept for 3000\n"
          "batch      | batch 2, fence 102, all is due\n"
          "applied 2\n"
          "2 acquire A on 13, attempt 3, wait 200\n"
          "clock 2299\n"
          "clock 2300 | 13 blocking timeout, 0 before it, 0 ms\n"),
    /* Who waits for longer than a stream may be silent has its place for as
     * long as who polls. */
    STORY(a_place_is_kept_as_long_whatever_ended_the_wait,
          "held\n"
          "2 acquire A on 11, wait 60000, park 3000\n"
          "clock 2000\n"
          "| 11 blocking timeout, 0 before it, 59000 ms, kept for 3000\n"
          "batch\n"
          "| put session 1\n"
          "| put 101 of 1.1 A\n"
          "| batch 1, fence 102, all is due\n"
          "applied 1\n"
          "1 release on 12 | 12 released\n"
          "clock 4900\n"
          "3 acquire A on 13\n"
          "clock 4999\n"
          "clock 5000      | 13 granted 102\n"),
    /* Nor for less than what an answer and the next request take. */
    STORY(no_place_is_kept_for_more_than_half_of_a_ttl,
          "held\n"
          "2 acquire A on 11, wait 100, park 60000\n"
          "3 acquire A on 12, wait 100, park 1\n"
          "clock 1100\n"
          "| 11 blocking timeout, 0 before it, 0 ms, kept for 5000\n"
          "| 12 blocking timeout, 1 before it, 0 ms, kept for 1\n"
          "batch\n"
          "| put session 1\n"
          "| put 101 of 1.1 A\n"
          "| batch 1, fence 102, all is due\n"
          "applied 1\n"
          "clock 1299\n"
          "3 acquire A on 13, attempt 2, wait 100, park 3000\n"
          "clock 1399\n"
          "| 13 blocking timeout, 1 before it, 0 ms, kept for 3000\n"),
    STORY(a_try_beside_the_place_of_who_polls_is_told_for_how_long,
          "polled\n"
          "3 acquire A on 13, try | 13 later, 3000 ms: place\n"),

    /* ---- Attempts -------------------------------------------------------- */

    STORY(the_newest_attempt_is_listened_to,
          "held\n"
          "2 acquire A on 11\n"
          "2 acquire A on 12, attempt 3 | 11 superseded\n"
          /* late */
          "2 acquire A on 13, attempt 2 | 13 superseded\n"
          /* once more */
          "2 acquire A on 14, attempt 3 | 14 superseded\n"
          "2 stream-ends on 11\n"
          "2 stream-ends on 14, attempt 3\n"
          "1 release on 15              | 15 released; 12 granted 102\n"),
    /* It came before the timeout's answer, and is as dead as its connection:
     * were it listened to, its end would take the place away. */
    STORY(an_attempt_that_was_answered_does_not_take_a_parked_place,
          "held\n"
          "2 acquire A on 11\n"
          "clock 2000        | 11 blocking timeout, 0 before it\n"
          "2 acquire A on 12 | 12 superseded\n"
          "2 stream-ends on 12\n"
          "2 acquire A on 13, attempt 2\n"
          "1 release on 14   | 14 released; 13 granted 102\n"),
    STORY(the_end_of_the_stream_of_a_waiting_request_frees_its_place,
          "held\n"
          "2 acquire A on 11\n"
          "3 acquire A on 12\n"
          "2 stream-ends on 11\n"
          "1 release on 13 | 13 released; 12 granted 102\n"
          /* The message comes again, though its stream has ended: it may
           * enter. */
          "2 acquire A on 14\n"
          "3 release on 15 | 15 released; 14 granted 103\n"),
    /* The ghost of the seed: nobody listens when the grant is decided. */
    STORY(a_grant_whose_answer_was_never_handed_over_goes_back,
          "held\n"
          "2 acquire A on 11\n"
          "3 acquire A on 12\n"
          "1 release on 13     | 13 released; 11 granted 102\n"
          "2 stream-ends on 11 | 12 granted 103\n"
          "2 acquire A on 14, attempt 2\n"),
    /* The first grant was handed over when it had gone back already. */
    STORY(what_is_handed_over_late_is_not_the_next_grant,
          "2 acquire A on 11            | 11 granted 101\n"
          "2 acquire A on 12, attempt 2 | 12 granted 101\n"
          "2 stream-ends on 12, attempt 2\n"
          "2 acquire A on 13, attempt 3 | 13 granted 102\n"
          "2 handed on 12, attempt 2, fence 101\n"
          "2 stream-ends on 13, attempt 3\n"
          "3 acquire A on 14            | 14 granted 103\n"),
    STORY(a_grant_that_was_handed_over_stays_when_its_stream_ends,
          "held\n"
          "1 stream-ends on 1\n"
          "2 acquire A on 11\n"
          /* The same attempt, the next, and an older one get the same grant. */
          "1 acquire A on 12            | 12 granted 101\n"
          "1 acquire A on 13, attempt 2 | 13 granted 101\n"
          "1 acquire A on 14            | 14 superseded\n"),

    /* ---- Requests -------------------------------------------------------- */

    STORY(a_release_that_overtakes_its_acquire_leaves_it_nothing,
          "1 release on 11              | 11 released\n"
          "1 acquire A on 12            | 12 over: released\n"
          "1 acquire A on 13, attempt 2 | 13 over: released\n"),
    STORY(release_is_cancel_whatever_the_request_is,
          "held\n"
          "2 acquire A on 11\n"
          "2 release on 12              | 12 released; 11 over: released\n"
          "3 acquire A on 13\n"
          /* parked */
          "clock 2000                   | 13 blocking timeout, 0 before it\n"
          "3 release on 14              | 14 released\n"
          "1 release on 15              | 15 released\n"
          "1 release on 16              | 16 released\n"
          "2 acquire A on 17, attempt 2 | 17 over: released\n"
          "3 acquire A on 18, attempt 2 | 18 over: released\n"
          "1 acquire A on 19, attempt 2 | 19 over: released\n"),
    STORY(a_lane_asks_for_one_thing_at_a_time,
          "held\n"
          "2 acquire A on 11\n"
          "2 acquire B on 12, n 2 | 12 busy\n"
          "2 stream-ends on 11\n"
          "2 acquire B on 13, n 2 | 13 busy\n"
          "2 release on 14        | 14 released\n"
          "2 acquire B on 15, n 2 | 15 granted 102\n"),
    STORY(a_lane_holds_what_its_earlier_requests_were_granted,
          "held\n"
          "1 acquire B on 11, n 2       | 11 granted 102\n"
          "1 acquire A on 12, attempt 9 | 12 granted 101\n"
          "1 release on 13              | 13 released\n"
          "1 acquire A on 14, attempt 9 | 14 over: forgotten\n"
          "2 acquire A on 15            | 15 granted 103\n"
          "3 acquire B on 16, try       | 16 over: held\n"),
    /* Or it would be told of what it has not. */
    STORY(a_number_is_for_what_it_was_first_asked_for,
          "held\n"
          "1 acquire B on 11, attempt 2   | 11 over: invalid\n"
          "1 acquire A:s on 12, attempt 2 | 12 over: invalid\n"
          "1 acquire A B on 13, attempt 2 | 13 over: invalid\n"
          "2 acquire B on 14              | 14 granted 102\n"
          "3 acquire A on 15\n"
          "3 acquire B on 16, attempt 2   | 16 over: invalid\n"
          "1 acquire C on 17, n 2         | 17 granted 103\n"
          "1 acquire B on 18, attempt 2   | 18 over: invalid\n"
          "1 release on 19                | 19 released; 15 granted 104\n"),
    /* The next request says that the answer to the one before was seen. */
    STORY(the_next_request_of_a_lane_shows_that_the_last_was_answered,
          "1 acquire A on 11      | 11 granted 101\n"
          "1 acquire B on 12, n 2 | 12 granted 102\n"
          "1 stream-ends on 11\n"
          "2 acquire A on 13, try | 13 over: held\n"),
    STORY(lanes_below_the_lowest_are_over_and_forgotten,
          "held\n"
          "2 acquire A on 11, lane 4\n"
          "2 acquire B on 12, lane 5      | 12 granted 102\n"
          "2 keep-alive on 13, lowest 6   | 13 alive; 11 over: forgotten\n"
          "2 acquire C on 14, lane 5, n 9 | 14 over: forgotten\n"
          "2 release on 15, lane 3        | 15 released\n"
          "3 acquire B on 16, try         | 16 granted 103\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
