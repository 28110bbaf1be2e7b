/* A place that lost what was granted in it [L6]: who owes it a grace, who pays
 * it, and that every head says what is left. */
#include "unit/support/leader_bench.h"

static const struct hf_leader_config promising = {
    .terms = {HF_TAKEOVER, {1000}, {200}},
    .grace = {100},
    .max_ttl = {3000},
};

static const struct hf_head_state nobody = {
    .next_fence = 50, .service = 7, .max_ttl = {3000}};

/* Another's, of a service that has granted something. */
static struct hf_head_state
led_with(int64_t grace_ms)
{
    return (struct hf_head_state){.led = true,
                                  .next_fence = 50,
                                  .service = 7,
                                  .max_ttl = {3000},
                                  .grace = {grace_ms}};
}

static struct bench
promises(void)
{
    struct bench b = {0};

    hf_leader_init(&b.leader, &promising);
    hf_leader_seek(&b.leader, T(0));
    drain(&b, T(0));
    EXPECT_TRACE(&b.tale, "0 ask #1 read\n");
    return b;
}

/* Leads in term 8 since 20, where nothing was lost. */
static struct bench
leads(void)
{
    struct bench b = promises();

    found_head(&b, 0, 1, 7, (struct hf_heartbeat){6, 3}, nobody);
    step(&b, applied(20, 2, 8));
    hf_leader_loaded(&b.leader, (struct hf_duration){0});
    EXPECT_TRACE(&b.tale, "0 ask #2 put lock v7 " ID1 "_0 new: fence 50\n"
                          "20 leads in term 8\n");
    return b;
}

/* Watches the head of another at v9. */
static struct bench
follows(void)
{
    struct bench b = promises();

    found_head(&b, 10, 1, 9, (struct hf_heartbeat){6, 3}, led_with(0));
    EXPECT_TRACE(&b.tale, "");
    return b;
}

static void
found_no_head(struct bench *b, int64_t ms, uint64_t number, bool forgot)
{
    found(b, ms, number,
          (struct hf_sight){.kind = HF_SIGHT_ABSENT, .version = 4},
          (struct hf_head_state){.forgot = forgot});
}

static void
went_back(struct bench *b, int64_t ms)
{
    step(b, hf_event(HF_ON_WENT_BACK, T(ms)));
}

static int64_t
grace_until(const struct bench *b)
{
    return hf_leader_grace_until(&b->leader).ms;
}

/* ---- Who owes ------------------------------------------------------------ */

static void
who_reads_of_a_loss_owes_the_longest_ttl_and_the_leaders_own(void **state)
{
    struct bench b = promises();

    (void)state;
    found_no_head(&b, 10, 1, true);
    EXPECT_TRACE(&b.tale,
                 "10 ask #2 put lock v4 " ID1 "_0 new: fence 1 grace 4000\n");
    assert_int_equal(grace_until(&b), 4010);
}

static void
where_nothing_was_lost_nothing_is_owed(void **state)
{
    struct bench b = promises();

    (void)state;
    found_no_head(&b, 10, 1, false);
    EXPECT_TRACE(&b.tale, "10 ask #2 put lock v4 " ID1 "_0 new: fence 1\n");
}

static void
who_notices_while_it_leads_says_so_in_the_head_that_it_leaves(void **state)
{
    struct bench b = leads();

    (void)state;
    went_back(&b, 50);
    found_none(&b, 60, 3, 0);
    step(&b, at_clock(70));
    EXPECT_TRACE(&b.tale, "50 over\n"
                          "50 ask #3 read\n"
                          "70 ask #4 put lock v0 " ID1
                          "_0 new: no node, fence 50 grace 3980\n");
}

/* One that a node makes of what is left to it, as below the mount of another,
 * is not the one that its clients know. */
static void
a_place_that_has_no_head_is_of_another_service(void **state)
{
    struct bench b = leads();

    (void)state;
    assert_true(b.service == 7);
    went_back(&b, 50);
    found_none(&b, 60, 3, 0);
    step(&b, at_clock(70));
    assert_true(b.service == MINE + 1);
}

static void
so_is_a_copy_also_to_who_leaves(void **state)
{
    struct bench b = leads();
    struct hf_head_state copied = led_with(0);

    (void)state;
    copied.service = 0;
    copied.forgot = true;
    step(&b, resign(30));
    step(&b, hf_answer(T(40), 3, HF_REFUSED, 0));
    found_head(&b, 50, 4, 20, (struct hf_heartbeat){MINE, 0}, copied);
    step(&b, at_clock(60));
    assert_true(b.service == MINE + 1);
}

static void
who_notices_while_it_rests_owes_it_when_it_seeks(void **state)
{
    struct bench b = leads();

    (void)state;
    step(&b, resign(30));
    step(&b, applied(40, 3, 9));
    went_back(&b, 100);
    hf_leader_seek(&b.leader, T(600));
    drain(&b, T(600));
    found_no_head(&b, 610, 4, false);
    EXPECT_TRACE(&b.tale,
                 "30 over\n"
                 "30 ask #3 put lock v8 " ID1 "_0 new: no node, fence 50\n"
                 "40 ended HF_OK\n"
                 "600 ask #4 read\n"
                 "610 ask #5 put lock v4 " ID2 "_0 new: fence 1 grace 3490\n");
}

static void
a_rest_forgives_nothing(void **state)
{
    struct bench b = leads();

    (void)state;
    went_back(&b, 50);
    found_head(&b, 60, 3, 20, (struct hf_heartbeat){6, 0}, led_with(0));
    hf_leader_seek(&b.leader, T(600));
    drain(&b, T(600));
    found_no_head(&b, 610, 4, false);
    EXPECT_TRACE(&b.tale,
                 "50 over\n"
                 "50 ask #3 read\n"
                 "60 ended HF_OK\n"
                 "600 ask #4 read\n"
                 "610 ask #5 put lock v4 " ID2 "_0 new: fence 1 grace 3440\n");
}

/* It was overwritten where it stands, and nobody is told so. */
static void
a_version_that_comes_back_is_a_loss_to_a_leader(void **state)
{
    struct bench b = leads();

    (void)state;
    step(&b, write_now(100));
    step(&b, refused(110, 3));
    found_head(&b, 120, 4, 6, (struct hf_heartbeat){6, 3}, led_with(0));
    assert_int_equal(b.leader.state, HF_LEADER_IDLE);
    assert_int_equal(grace_until(&b), 4120);
}

static void
and_to_a_follower(void **state)
{
    struct bench b = follows();

    (void)state;
    step(&b, at_clock(210));
    found_head(&b, 220, 2, 8, (struct hf_heartbeat){6, 3}, led_with(0));
    EXPECT_TRACE(&b.tale,
                 "210 ask #2 read\n"
                 "220 ask #3 put lock v8 " ID1 "_0 new: fence 50 grace 4000\n");
}

/* ---- Who pays ------------------------------------------------------------ */

static void
a_head_whose_grace_is_too_short_is_claimed_whoever_leads(void **state)
{
    struct bench b = follows();

    (void)state;
    went_back(&b, 50);
    found_head(&b, 60, 2, 20, (struct hf_heartbeat){7, 0}, led_with(2989));
    EXPECT_TRACE(&b.tale,
                 "50 ask #2 read\n"
                 "60 ask #3 put lock v20 " ID1 "_0 new: fence 50 grace 3990\n");
}

static void
one_whose_grace_lasts_as_long_is_obeyed(void **state)
{
    struct bench b = follows();

    (void)state;
    went_back(&b, 50);
    found_head(&b, 60, 2, 20, (struct hf_heartbeat){7, 0}, led_with(2990));
    step(&b, at_clock(260));
    found_head(&b, 270, 3, 21, (struct hf_heartbeat){7, 1}, led_with(2780));
    EXPECT_TRACE(&b.tale, "50 ask #2 read\n"
                          "260 ask #3 read\n");
}

/* Evidence stays with a process until it has written something. */
static void
what_is_told_of_one_loss_at_every_read_is_one_loss(void **state)
{
    struct bench b = promises();
    struct hf_head_state head = led_with(3500);

    (void)state;
    head.forgot = true;
    found_head(&b, 10, 1, 9, (struct hf_heartbeat){6, 3}, head);
    step(&b, at_clock(2000));
    head.grace.ms = 1510;
    found_head(&b, 2010, 2, 10, (struct hf_heartbeat){6, 4}, head);
    EXPECT_TRACE(&b.tale, "2000 ask #2 read\n");
}

/* ---- What every head says ------------------------------------------------ */

static void
every_put_says_what_is_left_and_each_sending_of_a_batch_the_same(void **state)
{
    struct bench b = promises();

    (void)state;
    found_no_head(&b, 10, 1, true);
    step(&b, applied(20, 2, 5));
    hf_leader_loaded(&b.leader, (struct hf_duration){0});
    step(&b, write_now(110));
    step(&b, unknown(120, 3));
    step(&b, at_clock(140));
    step(&b, applied(150, 4, 6));
    step(&b, resign(210));
    EXPECT_TRACE(
        &b.tale,
        "10 ask #2 put lock v4 " ID1 "_0 new: fence 1 grace 4000\n"
        "20 leads in term 5\n"
        "110 ask #3 put lock v5 " ID1 "_1: fence 11 batch 1 grace 3900\n"
        "140 ask #4 put lock v5 " ID1 "_1: fence 11 batch 1 grace 3900\n"
        "150 batch 1\n"
        "210 over\n"
        "210 ask #5 put lock v6 " ID1 "_1 new: no node, fence 11 grace 3800\n");
}

static void
whoever_claims_a_head_goes_on_from_what_it_says(void **state)
{
    struct bench b = promises();
    struct hf_head_state head = nobody;

    (void)state;
    head.grace.ms = 700;
    found_head(&b, 10, 1, 7, (struct hf_heartbeat){6, 3}, head);
    step(&b, applied(20, 2, 8));
    hf_leader_loaded(&b.leader, (struct hf_duration){0});
    step(&b, write_now(110));
    EXPECT_TRACE(&b.tale,
                 "10 ask #2 put lock v7 " ID1 "_0 new: fence 50 grace 700\n"
                 "20 leads in term 8\n"
                 "110 ask #3 put lock v8 " ID1
                 "_1: fence 60 batch 1 grace 600\n");
    assert_int_equal(grace_until(&b), 710);
}

static void
a_head_that_is_left_is_no_shorter_than_what_it_replaces(void **state)
{
    struct bench b = leads();
    struct hf_head_state head = led_with(900);

    (void)state;
    step(&b, resign(30));
    step(&b, refused(40, 3));
    found_head(&b, 50, 4, 9, (struct hf_heartbeat){MINE, 1}, head);
    EXPECT_TRACE(&b.tale,
                 "30 over\n"
                 "30 ask #3 put lock v8 " ID1 "_0 new: no node, fence 50\n"
                 "40 ask #4 read\n"
                 "50 ask #5 put lock v9 " ID1
                 "_1 new: no node, fence 50 grace 900\n");
}

/* ---- The longest promise ------------------------------------------------- */

static void
a_loaded_session_with_a_longer_ttl_lengthens_the_grace(void **state)
{
    struct bench b = promises();

    (void)state;
    found_no_head(&b, 10, 1, true);
    step(&b, applied(20, 2, 5));
    hf_leader_loaded(&b.leader, (struct hf_duration){5000});
    step(&b, write_now(110));
    EXPECT_TRACE(&b.tale,
                 "10 ask #2 put lock v4 " ID1 "_0 new: fence 1 grace 4000\n"
                 "20 leads in term 5\n"
                 "110 ask #3 put lock v5 " ID1
                 "_1: fence 11 batch 1 grace 5900 max 5000\n");
}

static void
what_a_head_promised_is_owed_by_whoever_has_read_it(void **state)
{
    struct bench b = promises();
    struct hf_head_state head = led_with(0);

    (void)state;
    head.max_ttl.ms = 9000;
    found_head(&b, 10, 1, 9, (struct hf_heartbeat){6, 3}, head);
    went_back(&b, 50);
    found_no_head(&b, 60, 2, false);
    EXPECT_TRACE(&b.tale, "50 ask #2 read\n"
                          "60 ask #3 put lock v4 " ID1
                          "_0 new: fence 1 grace 9990 max 9000\n");
}

static void
what_nobody_believes_in_any_more_is_promised_no_more(void **state)
{
    struct bench b = promises();
    struct hf_head_state head = nobody;

    (void)state;
    head.max_ttl.ms = 9000;
    found_head(&b, 10, 1, 7, (struct hf_heartbeat){6, 3}, head);
    step(&b, applied(20, 2, 8));
    hf_leader_loaded(&b.leader, (struct hf_duration){4000});
    step(&b, write_now(110));
    EXPECT_TRACE(&b.tale,
                 "10 ask #2 put lock v7 " ID1 "_0 new: fence 50 max 9000\n"
                 "20 leads in term 8\n"
                 "110 ask #3 put lock v8 " ID1
                 "_1: fence 60 batch 1 max 4000\n");
}

static void
while_a_grace_runs_it_is(void **state)
{
    struct bench b = promises();
    struct hf_head_state head = nobody;

    (void)state;
    head.max_ttl.ms = 9000;
    head.grace.ms = 700;
    found_head(&b, 10, 1, 7, (struct hf_heartbeat){6, 3}, head);
    step(&b, applied(20, 2, 8));
    hf_leader_loaded(&b.leader, (struct hf_duration){4000});
    assert_int_equal(b.leader.max_ttl.ms, 9000);
}

/* ---- The service --------------------------------------------------------- */

static void
a_service_is_named_by_its_first_claim_or_by_its_head(void **state)
{
    struct bench first = promises();
    struct bench next = promises();
    struct bench copy = promises();
    struct hf_head_state head = nobody;

    (void)state;
    found_no_head(&first, 10, 1, false);
    assert_int_equal(first.leader.service, MINE);
    found_head(&next, 10, 1, 7, (struct hf_heartbeat){6, 3}, nobody);
    assert_int_equal(next.leader.service, 7);
    head.service = 0; /* it is that of another place */
    found_head(&copy, 10, 1, 7, (struct hf_heartbeat){6, 3}, head);
    assert_int_equal(copy.leader.service, MINE);
}

static void
since_when_it_is_there_is_what_its_first_head_said(void **state)
{
    struct bench first = promises();
    struct bench next = promises();
    struct hf_sight none = {.kind = HF_SIGHT_ABSENT, .version = 4};
    struct hf_head_state head = nobody;

    (void)state;
    found(&first, 10, 1, none, (struct hf_head_state){.begun_ms = 1234});
    assert_int_equal(first.begun_ms, 1234);
    step(&first, applied(20, 2, 8));
    step(&first, at_clock(220));
    assert_int_equal(first.begun_ms, 1234);
    head.begun_ms = 77;
    found_head(&next, 10, 1, 7, (struct hf_heartbeat){6, 3}, head);
    assert_int_equal(next.begun_ms, 77);
}

/* Its clients have waited for longer than it says. */
static void
a_place_that_was_lost_does_not_know_since_when(void **state)
{
    struct bench b = promises();
    struct bench leading = leads();
    struct hf_sight none = {.kind = HF_SIGHT_ABSENT, .version = 4};
    struct hf_head_state now = {.begun_ms = 1234, .forgot = true};

    (void)state;
    b.begun_ms = -1;
    leading.begun_ms = -1;
    found(&b, 10, 1, none, now);
    assert_int_equal(b.begun_ms, 0);
    now.forgot = false;
    none.version = 0;
    went_back(&leading, 50);
    found(&leading, 60, 3, none, now);
    step(&leading, at_clock(70));
    assert_int_equal(leading.begun_ms, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            who_reads_of_a_loss_owes_the_longest_ttl_and_the_leaders_own),
        cmocka_unit_test(where_nothing_was_lost_nothing_is_owed),
        cmocka_unit_test(
            who_notices_while_it_leads_says_so_in_the_head_that_it_leaves),
        cmocka_unit_test(a_place_that_has_no_head_is_of_another_service),
        cmocka_unit_test(so_is_a_copy_also_to_who_leaves),
        cmocka_unit_test(since_when_it_is_there_is_what_its_first_head_said),
        cmocka_unit_test(a_place_that_was_lost_does_not_know_since_when),
        cmocka_unit_test(who_notices_while_it_rests_owes_it_when_it_seeks),
        cmocka_unit_test(a_rest_forgives_nothing),
        cmocka_unit_test(a_version_that_comes_back_is_a_loss_to_a_leader),
        cmocka_unit_test(and_to_a_follower),
        cmocka_unit_test(
            a_head_whose_grace_is_too_short_is_claimed_whoever_leads),
        cmocka_unit_test(one_whose_grace_lasts_as_long_is_obeyed),
        cmocka_unit_test(what_is_told_of_one_loss_at_every_read_is_one_loss),
        cmocka_unit_test(
            every_put_says_what_is_left_and_each_sending_of_a_batch_the_same),
        cmocka_unit_test(whoever_claims_a_head_goes_on_from_what_it_says),
        cmocka_unit_test(
            a_head_that_is_left_is_no_shorter_than_what_it_replaces),
        cmocka_unit_test(
            a_loaded_session_with_a_longer_ttl_lengthens_the_grace),
        cmocka_unit_test(what_a_head_promised_is_owed_by_whoever_has_read_it),
        cmocka_unit_test(what_nobody_believes_in_any_more_is_promised_no_more),
        cmocka_unit_test(while_a_grace_runs_it_is),
        cmocka_unit_test(a_service_is_named_by_its_first_claim_or_by_its_head),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
