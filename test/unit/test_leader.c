#include "unit/support/leader_bench.h"

/* ---- Who may lead [L1] --------------------------------------------------- */

static void
a_head_that_was_never_there_is_claimed_with_the_first_fence(void **state)
{
    struct bench b = seeking();

    (void)state;
    found_none(&b, 10, 1, 4);
    step(&b, applied(20, 2, 5));
    EXPECT_TRACE(&b.tale, "10 ask #2 put lock v4 " ID1 "_0 new: fence 1\n"
                          "20 leads in term 5\n");
}

static void
a_head_without_a_node_is_absent_and_its_fence_is_kept(void **state)
{
    struct bench b = leading();

    (void)state;
    assert_int_equal(b.leader.state, HF_LEADER_LEADING);
    assert_int_equal(b.leader.next_fence, 50);
}

/* The holder beat while it was watched, so its fence is not the one first
 * seen; the claim carries that of the version which it replaces. */
static void
a_dead_leaders_head_is_claimed_with_the_fence_it_last_had(void **state)
{
    struct bench b = seeking();

    (void)state;
    found_head(&b, 10, 1, 7, (struct hf_heartbeat){6, 3},
               (struct hf_head_state){.led = true, .next_fence = 50});
    step(&b, at_clock(210));
    found_head(&b, 220, 2, 9, (struct hf_heartbeat){6, 4},
               (struct hf_head_state){.led = true, .next_fence = 60});
    step(&b, at_clock(1219));
    found_head(&b, 1220, 3, 9, (struct hf_heartbeat){6, 4},
               (struct hf_head_state){.led = true, .next_fence = 60});
    step(&b, at_clock(1420));
    found_head(&b, 1430, 4, 9, (struct hf_heartbeat){6, 4},
               (struct hf_head_state){.led = true, .next_fence = 60});
    EXPECT_TRACE(&b.tale, "210 ask #2 read\n"
                          "1219 ask #3 read\n"
                          "1220 ask #4 read\n"
                          "1430 ask #5 put lock v9 " ID1
                          "_0 new, put marker 9 absent new: fence 60\n");
}

static void
what_is_no_head_is_not_led(void **state)
{
    struct bench b = seeking();

    (void)state;
    found(&b, 10, 1,
          (struct hf_sight){.kind = HF_SIGHT_CORRUPT, .version = 7, .token = 7},
          (struct hf_head_state){0});
    EXPECT_TRACE(&b.tale, "10 ended HF_E_CORRUPT\n");
}

/* No answer ever said that it was applied. */
static void
who_finds_its_own_claim_in_the_head_leads_by_its_next_beat(void **state)
{
    struct bench b = claiming();

    (void)state;
    step(&b, unknown(10, 2)); /* it was applied */
    step(&b, at_clock(20));
    step(&b, refused(30, 3));
    found_head(&b, 40, 4, 8, (struct hf_heartbeat){MINE, 0},
               (struct hf_head_state){.led = true, .next_fence = 50});
    assert_int_equal(b.leader.state, HF_LEADER_SEEKING); /* it has no right */
    step(&b, applied(50, 5, 9));
    step(&b, write_now(60));
    EXPECT_TRACE(&b.tale,
                 "20 ask #3 put lock v7 " ID1 "_0 new: fence 50\n"
                 "30 ask #4 read\n"
                 "40 ask #5 put lock v8 " ID1 "_1: fence 50\n"
                 "50 leads in term 8\n"
                 "60 ask #6 put lock v9 " ID1 "_2: fence 60 batch 1\n");
}

/* The place went back to it while nobody led: whoever writes that head now, it
 * is not this node. */
static void
a_claim_of_its_own_that_is_settled_is_that_of_a_dead_leader(void **state)
{
    struct bench b = leading();

    (void)state;
    step(&b, resign(30));
    step(&b, applied(40, 3, 9));
    hf_leader_seek(&b.leader, T(50));
    drain(&b, T(50));
    step(&b, hf_event(HF_ON_WENT_BACK, T(60)));
    found_head(&b, 70, 5, 8, (struct hf_heartbeat){MINE, 0},
               (struct hf_head_state){.led = true, .next_fence = 50});
    step(&b, at_clock(270));
    found_head(&b, 280, 6, 8, (struct hf_heartbeat){MINE, 0},
               (struct hf_head_state){.led = true, .next_fence = 50});
    step(&b, at_clock(1070));
    found_head(&b, 1080, 7, 8, (struct hf_heartbeat){MINE, 0},
               (struct hf_head_state){.led = true, .next_fence = 50});
    EXPECT_TRACE(&b.tale,
                 "30 over\n"
                 "30 ask #3 put lock v8 " ID1 "_0 new: no node, fence 50\n"
                 "40 ended HF_OK\n"
                 "50 ask #4 read\n"
                 "60 ask #5 read\n"
                 "270 ask #6 read\n"
                 "1070 ask #7 read\n"
                 "1080 ask #8 put lock v8 " ID2
                 "_0 new, put marker 8 absent new: fence 50\n");
}

/* ---- Batches [J1, J4] ---------------------------------------------------- */

static void
every_beat_is_a_batch_and_every_batch_a_beat(void **state)
{
    struct bench b = leading();

    (void)state;
    step(&b, at_clock(200));
    step(&b, applied(210, 3, 9));
    b.idle = true; /* nothing to write: the head is put all the same */
    step(&b, at_clock(400));
    step(&b, applied(410, 4, 10));
    b.idle = false;
    step(&b, write_now(411));
    EXPECT_TRACE(&b.tale,
                 "200 ask #3 put lock v8 " ID1 "_1: fence 60 batch 1\n"
                 "210 batch 1\n"
                 "400 ask #4 put lock v9 " ID1 "_2: fence 60\n"
                 "411 ask #5 put lock v10 " ID1 "_3: fence 70 batch 2\n");
}

static void
every_sending_for_one_version_carries_the_same(void **state)
{
    struct bench b = leading();

    (void)state;
    step(&b, write_now(30));
    step(&b, write_now(31)); /* decided later: waits for the next */
    step(&b, unknown(40, 3));
    step(&b, at_clock(50));
    step(&b, unavailable(60, 4));
    step(&b, at_clock(80));
    step(&b, applied(90, 5, 9));
    step(&b, write_now(90));
    EXPECT_TRACE(&b.tale,
                 "30 ask #3 put lock v8 " ID1 "_1: fence 60 batch 1\n"
                 "50 ask #4 put lock v8 " ID1 "_1: fence 60 batch 1\n"
                 "80 ask #5 put lock v8 " ID1 "_1: fence 60 batch 1\n"
                 "90 batch 1\n"
                 "90 ask #6 put lock v9 " ID1 "_2: fence 70 batch 2\n");
}

static void
a_batch_is_applied_if_any_sending_of_it_was_however_late(void **state)
{
    struct bench b = leading();

    (void)state;
    step(&b, write_now(30));
    step(&b, unknown(40, 3));
    step(&b, at_clock(50));
    step(&b, applied(60, 3, 9)); /* the first sending, after the second */
    step(&b, write_now(65));
    step(&b, refused(70, 4)); /* of a version that is past */
    step(&b, applied(75, 3, 9));
    step(&b, applied(80, 5, 10));
    EXPECT_TRACE(&b.tale, "30 ask #3 put lock v8 " ID1 "_1: fence 60 batch 1\n"
                          "50 ask #4 put lock v8 " ID1 "_1: fence 60 batch 1\n"
                          "60 batch 1\n"
                          "65 ask #5 put lock v9 " ID1 "_2: fence 70 batch 2\n"
                          "80 batch 2\n");
    assert_int_equal(b.leader.next_fence, 70);
}

static void
a_batch_that_a_read_shows_is_applied(void **state)
{
    struct bench b = leading();

    (void)state;
    step(&b, write_now(30));
    step(&b, unknown(40, 3)); /* it was */
    step(&b, at_clock(50));
    step(&b, refused(60, 4));
    found_head(&b, 70, 5, 9, (struct hf_heartbeat){MINE, 1},
               (struct hf_head_state){.led = true, .next_fence = 60});
    EXPECT_TRACE(&b.tale,
                 "30 ask #3 put lock v8 " ID1 "_1: fence 60 batch 1\n"
                 "50 ask #4 put lock v8 " ID1 "_1: fence 60 batch 1\n"
                 "60 ask #5 read\n"
                 "70 batch 1\n"
                 "70 ask #6 put lock v9 " ID1 "_2: fence 70 batch 2\n");
}

static void
a_batch_that_was_refused_and_is_not_there_ends_the_leadership(void **state)
{
    struct bench b = leading();

    (void)state;
    step(&b, write_now(30));
    step(&b, refused(40, 3)); /* for another reason than the version */
    found_head(&b, 50, 4, 8, (struct hf_heartbeat){MINE, 0},
               (struct hf_head_state){.led = true, .next_fence = 50});
    step(&b, applied(60, 6, 9));
    EXPECT_TRACE(&b.tale,
                 "30 ask #3 put lock v8 " ID1 "_1: fence 60 batch 1\n"
                 "40 ask #4 read\n"
                 "50 over\n"
                 "50 ask #6 put lock v8 " ID1 "_0 new: no node, fence 50\n"
                 "60 ended HF_OK\n");
}

static void
a_read_that_fails_after_a_refusal_decides_nothing(void **state)
{
    struct bench b = leading();

    (void)state;
    step(&b, write_now(30));
    step(&b, refused(40, 3));
    found(&b, 50, 4, (struct hf_sight){.kind = HF_SIGHT_NONE},
          (struct hf_head_state){0});
    assert_int_equal(b.leader.state, HF_LEADER_LEADING);
    step(&b, at_clock(60));
    found_head(&b, 70, 5, 9, (struct hf_heartbeat){MINE, 1},
               (struct hf_head_state){.led = true, .next_fence = 60});
    EXPECT_TRACE(&b.tale,
                 "30 ask #3 put lock v8 " ID1 "_1: fence 60 batch 1\n"
                 "40 ask #4 read\n"
                 "60 ask #5 read\n"
                 "70 batch 1\n"
                 "70 ask #6 put lock v9 " ID1 "_2: fence 70 batch 2\n");
}

static void
a_head_with_this_claim_and_a_count_that_is_not_its_own_is_not_led(void **state)
{
    struct bench b = leading();

    (void)state;
    step(&b, write_now(30));
    step(&b, refused(40, 3));
    found_head(&b, 50, 4, 11, (struct hf_heartbeat){MINE, 3},
               (struct hf_head_state){.led = true, .next_fence = 90});
    EXPECT_TRACE(&b.tale,
                 "30 ask #3 put lock v8 " ID1 "_1: fence 60 batch 1\n"
                 "40 ask #4 read\n"
                 "50 over\n"
                 "50 ask #6 put lock v11 " ID1 "_3 new: no node, fence 90\n");
}

/* A claim whose answer was lost is confirmed by a beat, which is no batch; the
 * answer comes after all, and the beat is still out. */
static void
what_confirmed_a_claim_carries_nothing_however_often_it_is_sent(void **state)
{
    struct bench b = claiming();

    (void)state;
    step(&b, unknown(10, 2)); /* it was applied */
    step(&b, at_clock(20));
    step(&b, refused(30, 3));
    found_head(&b, 40, 4, 8, (struct hf_heartbeat){MINE, 0},
               (struct hf_head_state){.led = true, .next_fence = 50});
    step(&b, applied(50, 2, 8));
    step(&b, unknown(60, 5));
    step(&b, at_clock(80));
    step(&b, applied(90, 6, 9));
    step(&b, write_now(91));
    EXPECT_TRACE(&b.tale,
                 "20 ask #3 put lock v7 " ID1 "_0 new: fence 50\n"
                 "30 ask #4 read\n"
                 "40 ask #5 put lock v8 " ID1 "_1: fence 50\n"
                 "50 leads in term 8\n"
                 "80 ask #6 put lock v8 " ID1 "_1: fence 50\n"
                 "91 ask #7 put lock v9 " ID1 "_2: fence 60 batch 1\n");
}

/* ---- The end [L4] -------------------------------------------------------- */

static void
who_resigns_leaves_a_head_without_a_node(void **state)
{
    struct bench b = leading();

    (void)state;
    step(&b, write_now(30));
    step(&b, applied(40, 3, 9));
    step(&b, resign(50));
    step(&b, unknown(60, 4));
    step(&b, at_clock(70));
    step(&b, refused(80, 5)); /* the first was applied */
    found_head(&b, 90, 6, 10, (struct hf_heartbeat){MINE, 1},
               (struct hf_head_state){.led = false, .next_fence = 60});
    step(&b, at_clock(9000));
    EXPECT_TRACE(&b.tale,
                 "30 ask #3 put lock v8 " ID1 "_1: fence 60 batch 1\n"
                 "40 batch 1\n"
                 "50 over\n"
                 "50 ask #4 put lock v9 " ID1 "_1 new: no node, fence 60\n"
                 "70 ask #5 put lock v9 " ID1 "_1 new: no node, fence 60\n"
                 "80 ask #6 read\n"
                 "90 ended HF_OK\n");
}

static void
a_right_that_is_over_ends_the_leadership_without_a_node(void **state)
{
    struct bench b = leading();

    (void)state;
    step(&b, at_clock(750));
    step(&b, applied(760, 3, 9));
    EXPECT_TRACE(&b.tale,
                 "750 over\n"
                 "750 ask #3 put lock v8 " ID1 "_0 new: no node, fence 50\n"
                 "760 ended HF_OK\n");
}

/* A batch of which nothing is known does not move the fence; if it was applied
 * after all, the head without a node finds another version. */
static void
over_an_unknown_batch_the_last_fence_that_is_known_is_put(void **state)
{
    struct bench b = leading();
    struct bench applied_after_all;

    (void)state;
    step(&b, write_now(30));
    step(&b, unknown(40, 3));
    step(&b, resign(41));
    EXPECT_TRACE(&b.tale,
                 "30 ask #3 put lock v8 " ID1 "_1: fence 60 batch 1\n"
                 "41 over\n"
                 "41 ask #4 put lock v8 " ID1 "_0 new: no node, fence 50\n");
    applied_after_all = b;

    step(&b, applied(50, 4, 9));
    step(&b, refused(60, 3));
    EXPECT_TRACE(&b.tale, "50 ended HF_OK\n");

    step(&applied_after_all, refused(50, 4));
    found_head(&applied_after_all, 60, 5, 9, (struct hf_heartbeat){MINE, 1},
               (struct hf_head_state){.led = true, .next_fence = 60});
    EXPECT_TRACE(&applied_after_all.tale,
                 "50 ask #5 read\n"
                 "60 ask #6 put lock v9 " ID1 "_1 new: no node, fence 60\n");
}

static void
a_batch_that_is_known_late_moves_the_fence_and_is_told_to_nobody(void **state)
{
    struct bench b = leading();

    (void)state;
    step(&b, write_now(30));
    step(&b, unknown(40, 3));
    step(&b, resign(41));
    step(&b, applied(50, 3, 9));
    EXPECT_TRACE(&b.tale,
                 "30 ask #3 put lock v8 " ID1 "_1: fence 60 batch 1\n"
                 "41 over\n"
                 "41 ask #4 put lock v8 " ID1 "_0 new: no node, fence 50\n"
                 "50 ask #5 put lock v9 " ID1 "_1 new: no node, fence 60\n");
}

/* It may have applied, so it cannot be walked away from; and if it did not, the
 * fence that was there is there again. */
static void
a_claim_that_is_given_up_leaves_the_fence_that_it_found(void **state)
{
    struct bench b = claiming();

    (void)state;
    step(&b, unknown(10, 2));
    step(&b, resign(11));
    step(&b, applied(20, 3, 8));
    EXPECT_TRACE(&b.tale,
                 "11 ask #3 put lock v7 " ID1 "_0 new: no node, fence 50\n"
                 "20 ended HF_E_CANCELLED\n");
}

static void
who_was_deposed_writes_nothing_more(void **state)
{
    struct bench b = leading();

    (void)state;
    step(&b, write_now(30));
    step(&b, refused(40, 3));
    found_head(&b, 50, 4, 20, (struct hf_heartbeat){6, 0},
               (struct hf_head_state){.led = true, .next_fence = 50});
    step(&b, applied(60, 3, 9));
    step(&b, at_clock(9000));
    EXPECT_TRACE(&b.tale, "30 ask #3 put lock v8 " ID1 "_1: fence 60 batch 1\n"
                          "40 ask #4 read\n"
                          "50 over\n"
                          "50 ended HF_OK\n");
}

static void
a_place_that_went_back_ends_the_leadership(void **state)
{
    struct bench b = leading();

    (void)state;
    step(&b, write_now(30));
    step(&b, applied(40, 3, 9));
    step(&b, hf_event(HF_ON_WENT_BACK, T(50)));
    found_head(&b, 60, 4, 8, (struct hf_heartbeat){MINE, 0},
               (struct hf_head_state){.led = true, .next_fence = 50});
    EXPECT_TRACE(&b.tale,
                 "30 ask #3 put lock v8 " ID1 "_1: fence 60 batch 1\n"
                 "40 batch 1\n"
                 "50 over\n"
                 "50 ask #4 read\n"
                 "60 ask #5 put lock v8 " ID1 "_0 new: no node, fence 60\n");
}

static void
a_place_that_went_back_keeps_the_fence_that_is_there(void **state)
{
    struct bench b = leading();

    (void)state;
    step(&b, write_now(30));
    step(&b, unknown(40, 3));
    step(&b, hf_event(HF_ON_WENT_BACK, T(50)));
    found_head(&b, 60, 4, 9, (struct hf_heartbeat){MINE, 1},
               (struct hf_head_state){.led = true, .next_fence = 60});
    EXPECT_TRACE(&b.tale,
                 "30 ask #3 put lock v8 " ID1 "_1: fence 60 batch 1\n"
                 "50 over\n"
                 "50 ask #4 read\n"
                 "60 ask #5 put lock v9 " ID1 "_1 new: no node, fence 60\n");
}

static void
a_place_that_went_back_to_nothing_gets_a_head_without_a_node(void **state)
{
    struct bench b = leading();

    (void)state;
    step(&b, hf_event(HF_ON_WENT_BACK, T(50)));
    found_none(&b, 60, 3, 0);
    step(&b, at_clock(70));
    step(&b, applied(80, 4, 1));
    EXPECT_TRACE(&b.tale, "50 over\n"
                          "50 ask #3 read\n"
                          "70 ask #4 put lock v0 " ID1
                          "_0 new: no node, fence 50 grace 980\n"
                          "80 ended HF_OK\n");
}

/* ---- Once more ----------------------------------------------------------- */

static void
who_seeks_again_claims_with_another_id_and_hears_no_old_answers(void **state)
{
    struct bench b = leading();

    (void)state;
    step(&b, resign(30));
    step(&b, applied(40, 3, 9));
    hf_leader_seek(&b.leader, T(50));
    drain(&b, T(50));
    found_head(&b, 55, 1, 7, (struct hf_heartbeat){6, 3},
               (struct hf_head_state){.led = false, .next_fence = 50});
    found_head(&b, 60, 4, 9, (struct hf_heartbeat){MINE, 0},
               (struct hf_head_state){.led = false, .next_fence = 50});
    step(&b, applied(65, 2, 8));
    step(&b, applied(70, 5, 10));
    EXPECT_TRACE(&b.tale,
                 "30 over\n"
                 "30 ask #3 put lock v8 " ID1 "_0 new: no node, fence 50\n"
                 "40 ended HF_OK\n"
                 "50 ask #4 read\n"
                 "60 ask #5 put lock v9 " ID2 "_0 new: fence 50\n"
                 "70 leads in term 10\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_head_that_was_never_there_is_claimed_with_the_first_fence),
        cmocka_unit_test(a_head_without_a_node_is_absent_and_its_fence_is_kept),
        cmocka_unit_test(
            a_dead_leaders_head_is_claimed_with_the_fence_it_last_had),
        cmocka_unit_test(what_is_no_head_is_not_led),
        cmocka_unit_test(
            who_finds_its_own_claim_in_the_head_leads_by_its_next_beat),
        cmocka_unit_test(
            a_claim_of_its_own_that_is_settled_is_that_of_a_dead_leader),
        cmocka_unit_test(every_beat_is_a_batch_and_every_batch_a_beat),
        cmocka_unit_test(every_sending_for_one_version_carries_the_same),
        cmocka_unit_test(
            a_batch_is_applied_if_any_sending_of_it_was_however_late),
        cmocka_unit_test(a_batch_that_a_read_shows_is_applied),
        cmocka_unit_test(
            a_batch_that_was_refused_and_is_not_there_ends_the_leadership),
        cmocka_unit_test(a_read_that_fails_after_a_refusal_decides_nothing),
        cmocka_unit_test(
            a_head_with_this_claim_and_a_count_that_is_not_its_own_is_not_led),
        cmocka_unit_test(
            what_confirmed_a_claim_carries_nothing_however_often_it_is_sent),
        cmocka_unit_test(who_resigns_leaves_a_head_without_a_node),
        cmocka_unit_test(
            a_right_that_is_over_ends_the_leadership_without_a_node),
        cmocka_unit_test(
            over_an_unknown_batch_the_last_fence_that_is_known_is_put),
        cmocka_unit_test(
            a_batch_that_is_known_late_moves_the_fence_and_is_told_to_nobody),
        cmocka_unit_test(
            a_claim_that_is_given_up_leaves_the_fence_that_it_found),
        cmocka_unit_test(who_was_deposed_writes_nothing_more),
        cmocka_unit_test(a_place_that_went_back_ends_the_leadership),
        cmocka_unit_test(a_place_that_went_back_keeps_the_fence_that_is_there),
        cmocka_unit_test(
            a_place_that_went_back_to_nothing_gets_a_head_without_a_node),
        cmocka_unit_test(
            who_seeks_again_claims_with_another_id_and_hears_no_old_answers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
