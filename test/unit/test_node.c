#include "core/lockspace/look.h"
#include "unit/support/node_bench.h"

/* ---- Who does not lead [L3] ---------------------------------------------- */

static void
who_does_not_serve_tells_everybody_so_and_whether_another_does(void **state)
{
    struct bench b = node_following();

    (void)state;
    node_keep_alive(&b, 1, 11, 1);
    node_found(&b, 2, 1, 7, (struct hf_heartbeat){6, 3},
               (struct hf_head_state){.led = true, .next_fence = 50});
    node_keep_alive(&b, 3, 12, 1);
    node_acquire(&b, 4, 13, 1, "A");
    EXPECT_TOLD_BY(&b, "11 not leading, nobody does\n"
                       "12 not leading, another does\n"
                       "13 not leading, another does\n");
    node_fini(&b);
}

static void
a_head_of_its_own_names_nobody(void **state)
{
    struct bench b = node_following();

    (void)state;
    node_found(&b, 0, 1, 7, (struct hf_heartbeat){6, 3},
               (struct hf_head_state){.led = false, .next_fence = 50});
    node_store(&b, unknown(10, 2)); /* it was applied */
    node_at(&b, 20, HF_NODE_CLOCK);
    node_store(&b, refused(30, 3));
    node_found(&b, 40, 4, 8, (struct hf_heartbeat){MINE, 0},
               (struct hf_head_state){.led = true, .next_fence = 50});
    node_keep_alive(&b, 41, 11, 1);
    EXPECT_TOLD_BY(&b, "#2 put v7 fence 50\n"
                       "#3 put v7 fence 50\n"
                       "#4 read\n"
                       "#5 put v8 fence 50\n"
                       "11 not leading, nobody does\n");
    node_fini(&b);
}

static void
who_loads_tells_nobody_anything_else(void **state)
{
    struct bench b = node_loading();

    (void)state;
    node_load_session(&b, 30, 8, 1, 10000);
    node_keep_alive(&b, 31, 11, 1);
    EXPECT_TOLD_BY(&b, "11 not leading, nobody does\n");
    node_fini(&b);
}

static void
who_cannot_lead_says_why_and_looks_again(void **state)
{
    struct bench b = node_following();
    struct hf_node_event event = {.kind = HF_NODE_FOUND, .at = T(10)};

    (void)state;
    event.found.number = 1;
    event.found.sight =
        (struct hf_sight){.kind = HF_SIGHT_CORRUPT, .version = 7, .token = 7};
    node_step(&b, event);
    assert_int_equal(hf_node_deadline(&b.node).ms, 510);
    node_at(&b, 510, HF_NODE_CLOCK);
    EXPECT_TOLD_BY(&b, "rests: HF_E_CORRUPT\n"
                       "#2 read\n");
    node_fini(&b);
}

/* Nothing is answered, until whoever seeks rests. */
static void
let_it_be_silent(struct bench *b)
{
    do
        node_at(b, hf_node_deadline(&b->node).ms, HF_NODE_CLOCK);
    while (strstr(b->text, "rests") == NULL);
}

static void
who_seeks_in_a_silent_store_rests_each_time(void **state)
{
    struct bench b = node_following();

    (void)state;
    for (int i = 0; i < 3; i++) {
        let_it_be_silent(&b);
        assert_non_null(strstr(b.text, "rests: HF_E_UNAVAILABLE\n"));
        assert_int_equal(hf_node_deadline(&b.node).ms, b.node.now.ms + 500);
        b.len = 0;
        b.text[0] = '\0';
    }
    node_fini(&b);
}

/* ---- Loading [L2] -------------------------------------------------------- */

static void
what_was_granted_is_loaded_before_anybody_is_served(void **state)
{
    struct bench b = node_serving();

    (void)state;
    node_try(&b, 40, 11, 2, "A");
    node_try(&b, 40, 12, 3, "B");
    node_store(&b, applied(50, 3, 9));
    node_store(&b, applied(60, 4, 10));
    EXPECT_TOLD_BY(&b, "batch:\n"
                       "#3 put v8 fence 50 batch 1\n"
                       "due: 11 over\n"
                       "batch: put grant 50\n"
                       "#4 put v9 fence 51 batch 2\n"
                       "due: 12 granted 50\n");
    node_fini(&b);
}

static void
the_leader_beats_while_it_loads_and_nothing_hangs_on_it(void **state)
{
    struct bench b = node_loading();

    (void)state;
    node_at(&b, 200, HF_NODE_CLOCK);
    node_load_session(&b, 201, 8, 1, 10000);
    node_loaded(&b, 201, 8);
    node_try(&b, 202, 11, 2, "B"); /* waits for what is under way */
    node_store(&b, applied(210, 3, 9));
    node_store(&b, applied(220, 4, 10));
    EXPECT_TOLD_BY(&b, "#3 put v8 fence 50\n"
                       "batch: put grant 50\n"
                       "#4 put v9 fence 51 batch 1\n"
                       "due: 11 granted 50\n");
    node_fini(&b);
}

static void
what_a_load_of_another_term_reads_is_nothing(void **state)
{
    struct bench b = node_loading();

    (void)state;
    node_load_session(&b, 30, 5, 9, 10000);
    node_loaded(&b, 30, 5);
    assert_int_equal(b.node.state, HF_NODE_LOADING);
    node_load_session(&b, 31, 8, 1, 10000);
    node_loaded(&b, 31, 8);
    node_load_session(&b, 32, 8, 1, 10000); /* once more, too late */
    node_loaded(&b, 32, 8);
    assert_int_equal(b.node.state, HF_NODE_SERVING);
    EXPECT_TOLD_BY(&b, "");
    node_fini(&b);
}

static void
what_contradicts_itself_is_not_led(void **state)
{
    struct bench b = node_loading();

    (void)state;
    node_load_session(&b, 30, 8, 1, 10000);
    node_load_grant(&b, 30, 8, 30, 1, 1, "A");
    node_load_grant(&b, 30, 8, 31, 1, 2, "A");
    node_loaded(&b, 40, 8);
    node_store(&b, applied(50, 3, 9));
    node_at(&b, 549, HF_NODE_CLOCK);
    EXPECT_TOLD_BY(&b, "discard 0\n"
                       "#3 no node v8 fence 50\n");
    assert_int_equal(hf_node_deadline(&b.node).ms, 550);
    node_at(&b, 550, HF_NODE_CLOCK); /* it has rested */
    EXPECT_TOLD_BY(&b, "#4 read\n");
    node_fini(&b);
}

static void
what_cannot_be_read_is_not_led(void **state)
{
    struct bench b = node_loading();

    (void)state;
    node_step(&b, (struct hf_node_event){.kind = HF_NODE_LOAD_FAILED,
                                         .at = T(40),
                                         .load = {.term = 8}});
    EXPECT_TOLD_BY(&b, "discard 0\n"
                       "#3 no node v8 fence 50\n");
    node_fini(&b);
}

/* ---- Batches [J1, J2, J3, J4] -------------------------------------------- */

static void
an_idle_leader_beats_with_batches_that_are_empty(void **state)
{
    struct bench b = node_serving();

    (void)state;
    assert_int_equal(hf_node_deadline(&b.node).ms, 200);
    node_at(&b, 200, HF_NODE_CLOCK);
    node_store(&b, applied(210, 3, 9));
    node_at(&b, 400, HF_NODE_CLOCK);
    EXPECT_TOLD_BY(&b, "batch:\n"
                       "#3 put v8 fence 50 batch 1\n"
                       "due:\n"
                       "batch:\n"
                       "#4 put v9 fence 50 batch 2\n");
    node_fini(&b);
}

/* The second is decided while the first's batch is on its way: it is not in
 * it, and that batch says nothing of it. */
static void
an_answer_is_due_with_a_batch_that_was_begun_after_it(void **state)
{
    struct bench b = node_serving();

    (void)state;
    node_acquire(&b, 40, 11, 2, "B");
    node_acquire(&b, 41, 12, 3, "C");
    node_store(&b, applied(50, 3, 9));
    node_store(&b, applied(60, 4, 10));
    EXPECT_TOLD_BY(&b, "batch: put grant 50\n"
                       "#3 put v8 fence 51 batch 1\n"
                       "due: 11 granted 50\n"
                       "batch: put grant 51\n"
                       "#4 put v9 fence 52 batch 2\n"
                       "due: 12 granted 51\n");
    node_fini(&b);
}

static void
what_comes_in_a_turn_is_one_batch(void **state)
{
    struct bench b = node_serving();

    (void)state;
    b.long_turns = true;
    node_acquire(&b, 40, 11, 2, "B");
    node_acquire(&b, 40, 12, 3, "C");
    EXPECT_TOLD_BY(&b, "");
    assert_int_equal(hf_node_deadline(&b.node).ms, 40);
    node_at(&b, 41, HF_NODE_TURN);
    node_acquire(&b, 42, 13, 4, "D");
    node_at(&b, 43, HF_NODE_TURN); /* one batch is under way */
    EXPECT_TOLD_BY(&b, "batch: put grant 50 put grant 51\n"
                       "#3 put v8 fence 52 batch 1\n");
    node_store(&b, applied(50, 3, 9));
    EXPECT_TOLD_BY(&b, "due: 11 granted 50 12 granted 51\n");
    node_at(&b, 51, HF_NODE_TURN);
    EXPECT_TOLD_BY(&b, "batch: put grant 52\n"
                       "#4 put v9 fence 53 batch 2\n");
    node_fini(&b);
}

static void
a_beat_carries_what_a_turn_has_brought_so_far(void **state)
{
    struct bench b = node_serving();

    (void)state;
    b.long_turns = true;
    node_acquire(&b, 229, 11, 2, "B");
    node_at(&b, 230, HF_NODE_CLOCK);
    EXPECT_TOLD_BY(&b, "batch: put grant 50\n"
                       "#3 put v8 fence 51 batch 1\n");
    node_fini(&b);
}

static void
who_leaves_waits_for_no_turn(void **state)
{
    struct bench b = node_serving();

    (void)state;
    b.long_turns = true;
    node_acquire(&b, 40, 11, 2, "B");
    node_at(&b, 41, HF_NODE_STOP);
    EXPECT_TOLD_BY(&b, "batch: put grant 50\n"
                       "#3 put v8 fence 51 batch 1\n");
    node_fini(&b);
}

/* Also an answer that changed nothing: who was deposed would give it, too. */
static void
an_answer_that_changes_nothing_waits_for_a_batch_as_well(void **state)
{
    struct bench b = node_serving();

    (void)state;
    node_try(&b, 40, 11, 2, "A");
    EXPECT_TOLD_BY(&b, "batch:\n"
                       "#3 put v8 fence 50 batch 1\n");
    node_store(&b, applied(50, 3, 9));
    EXPECT_TOLD_BY(&b, "due: 11 over\n");
    node_fini(&b);
}

static void
a_batch_of_which_nothing_is_known_is_not_collected_again(void **state)
{
    struct bench b = node_serving();

    (void)state;
    node_acquire(&b, 40, 11, 2, "B");
    node_store(&b, unknown(50, 3));
    node_acquire(&b, 55, 12, 3, "C");
    node_at(&b, 60, HF_NODE_CLOCK);
    node_store(&b, applied(70, 3, 9)); /* the first sending's */
    EXPECT_TOLD_BY(&b, "batch: put grant 50\n"
                       "#3 put v8 fence 51 batch 1\n"
                       "#4 put v8 fence 51 batch 1\n"
                       "due: 11 granted 50\n"
                       "batch: put grant 51\n"
                       "#5 put v9 fence 52 batch 2\n");
    node_fini(&b);
}

/* How long somebody in line is shown to have waited who says a minute, at once
 * in a grace, where the head has `begun_ms` and this node's wall `wall_ms`. */
static int64_t
believed_ms(int64_t begun_ms, uint64_t wall_ms)
{
    struct bench b = node_following();
    struct hf_want wants[] = {
        {{"default", 7}, {"A", 1}, HF_EXCLUSIVE},
    };
    struct hf_node_event loaded = {.kind = HF_NODE_LOADED, .at = T(30)};
    struct hf_node_event acquire = {.kind = HF_NODE_MESSAGE, .at = T(30)};
    struct hf_look_name name;
    struct hf_look_claim claim;
    uint32_t cursor = 0;

    b.node.config.lockspace.takeover_grace.ms = 500;
    node_found(&b, 0, 1, 7, (struct hf_heartbeat){6, 3},
               (struct hf_head_state){.next_fence = 50, .begun_ms = begun_ms});
    node_store(&b, applied(20, 2, 8));
    node_load_session(&b, 30, 8, 1, 10000);
    node_load_grant(&b, 30, 8, 30, 1, 1, "A");
    loaded.load.term = 8;
    loaded.load.wall_us = wall_ms * 1000;
    node_step(&b, loaded);
    acquire.message = (struct hf_message){
        .kind = HF_MESSAGE_ACQUIRE,
        .stream = 11,
        .session = 1,
        .term = 8,
        .lane = 2,
        .n = 1,
        .a = 1,
        .acquire = {.wants = wants,
                    .wants_count = 1,
                    .wait = HF_WAIT_FOREVER,
                    .waited = {60000}},
    };
    node_step(&b, acquire);
    node_store(&b, applied(40, 3, 9));
    node_at(&b, 650, HF_NODE_CLOCK);
    assert_true(hf_look_find(b.node.lockspace, wants, &name));
    assert_true(hf_look_line(b.node.lockspace, name.number, &cursor, &claim));
    node_fini(&b);
    return claim.age.ms - 620;
}

static void
the_age_of_the_service_is_the_most_that_anybody_has_waited(void **state)
{
    (void)state;
    assert_int_equal(believed_ms(1000000, 1000000), 1);
    assert_int_equal(believed_ms(1000000, 1000700), 701);
    assert_int_equal(believed_ms(1000000, 2000000), 60000);
    assert_int_equal(believed_ms(0, 2000000), 60000); /* nobody knows it */
    /* A wall clock that went back knows nothing. */
    assert_int_equal(believed_ms(1000000, 999000), 60000);
}

/* Sessions of these ttls, from 1 on, of which the first holds A. */
static struct bench
serving_ttls(const int64_t *ttls_ms, size_t count)
{
    struct bench b = node_loading();

    for (size_t i = 0; i < count; i++)
        node_load_session(&b, 30, 8, i + 1, ttls_ms[i]);
    node_load_grant(&b, 30, 8, 30, 1, 1, "A");
    node_loaded(&b, 30, 8);
    return b;
}

static void
keep_alives_wait_for_each_other_a_little(void **state)
{
    struct bench b = serving_ttls((const int64_t[]){1000}, 1);

    (void)state;
    node_keep_alive(&b, 40, 11, 1);
    assert_int_equal(hf_node_deadline(&b.node).ms, 65);
    node_keep_alive(&b, 60, 12, 1);
    node_at(&b, 64, HF_NODE_CLOCK);
    EXPECT_TOLD_BY(&b, "");
    node_at(&b, 65, HF_NODE_CLOCK);
    node_keep_alive(&b, 66, 13, 1);
    node_store(&b, applied(70, 3, 9));
    EXPECT_TOLD_BY(&b, "batch:\n"
                       "#3 put v8 fence 50 batch 1\n"
                       "due: 11 alive 12 alive\n");
    assert_int_equal(hf_node_deadline(&b.node).ms, 91);
    node_try(&b, 75, 14, 2, "A"); /* somebody waits for this one */
    node_store(&b, applied(80, 4, 10));
    EXPECT_TOLD_BY(&b, "batch:\n"
                       "#4 put v9 fence 50 batch 2\n"
                       "due: 13 alive 14 over\n");
    node_fini(&b);
}

/* The first of 4 s could wait for 100 ms, and that of a minute for longer. */
/* Who is to take its place in line again must be told at once [L5]. */
static void
keep_alives_wait_for_no_other_in_the_grace_after_a_change(void **state)
{
    struct bench b = node_following();

    (void)state;
    b.node.config.lockspace.takeover_grace.ms = 100;
    node_found(&b, 0, 1, 7, (struct hf_heartbeat){6, 3},
               (struct hf_head_state){.led = false, .next_fence = 50});
    node_store(&b, applied(20, 2, 8));
    node_load_session(&b, 30, 8, 1, 1000);
    node_loaded(&b, 30, 8);
    EXPECT_TOLD_BY(&b, "#2 put v7 fence 50\n"
                       "load, term 8\n");
    node_keep_alive(&b, 40, 11, 1);
    EXPECT_TOLD_BY(&b, "batch:\n"
                       "#3 put v8 fence 50 batch 1\n");
    node_fini(&b);
}

static void
keep_alives_wait_no_longer_than_the_shortest_ttl_among_them_allows(void **state)
{
    struct bench b = serving_ttls((const int64_t[]){4000, 1000, 60000}, 3);

    (void)state;
    node_keep_alive(&b, 40, 11, 1);
    assert_int_equal(hf_node_deadline(&b.node).ms, 140);
    node_keep_alive(&b, 50, 12, 2);
    assert_int_equal(hf_node_deadline(&b.node).ms, 75);
    node_keep_alive(&b, 55, 13, 3);
    assert_int_equal(hf_node_deadline(&b.node).ms, 75);
    node_at(&b, 75, HF_NODE_CLOCK);
    node_store(&b, applied(80, 3, 9));
    EXPECT_TOLD_BY(&b, "batch:\n"
                       "#3 put v8 fence 50 batch 1\n"
                       "due: 11 alive 12 alive 13 alive\n");
    node_keep_alive(&b, 90, 14, 1);
    assert_int_equal(hf_node_deadline(&b.node).ms, 190);
    node_fini(&b);
}

/* However long its ttl is, and however seldom the leader beats. */
static void
no_keep_alive_waits_for_longer_than_a_second(void **state)
{
    struct bench b = serving_ttls((const int64_t[]){60000}, 1);

    (void)state;
    node_keep_alive(&b, 40, 11, 1);
    assert_int_equal(b.node.alive_by.ms, 1040);
    node_fini(&b);
}

/* ---- The end of a leadership [J4, L4] ------------------------------------ */

static void
what_is_not_due_when_leadership_ends_is_told_to_nobody(void **state)
{
    struct bench b = node_serving();

    (void)state;
    node_acquire(&b, 40, 11, 2, "B");
    node_keep_alive(&b, 41, 12, 1);
    node_store(&b, refused(50, 3));
    node_found(&b, 60, 4, 20, (struct hf_heartbeat){6, 0},
               (struct hf_head_state){.led = true, .next_fence = 50});
    node_store(&b, applied(70, 3, 9));
    node_keep_alive(&b, 71, 13, 1);
    EXPECT_TOLD_BY(&b, "batch: put grant 50\n"
                       "#3 put v8 fence 51 batch 1\n"
                       "#4 read\n"
                       "discard 2\n"
                       "13 not leading, another does\n");
    node_fini(&b);
}

static void
a_right_that_is_over_ends_the_leadership(void **state)
{
    struct bench b = node_serving();

    (void)state;
    node_acquire(&b, 40, 11, 2, "B");
    node_at(&b, 750, HF_NODE_CLOCK);
    EXPECT_TOLD_BY(&b, "batch: put grant 50\n"
                       "#3 put v8 fence 51 batch 1\n"
                       "discard 1\n"
                       "#4 no node v8 fence 50\n");
    node_fini(&b);
}

/* What has not been read yet keeps a session, and no right [S2, L3]. */
static void
nothing_that_is_not_read_yet_holds_the_leader_up(void **state)
{
    struct bench b = serving_ttls((const int64_t[]){100}, 1);
    struct hf_node_event event = {
        .kind = HF_NODE_CLOCK, .at = {749}, .read_until = {129}};

    (void)state;
    node_step(&b, event);
    EXPECT_TOLD_BY(&b, "batch:\n"
                       "#3 put v8 fence 50 batch 1\n");
    event.at.ms = 750;
    node_step(&b, event);
    EXPECT_TOLD_BY(&b, "discard 0\n"
                       "#4 no node v8 fence 50\n");
    node_fini(&b);
}

static void
the_next_term_begins_with_an_empty_table(void **state)
{
    struct bench b = node_serving();

    (void)state;
    node_at(&b, 750, HF_NODE_CLOCK);
    node_store(&b, applied(760, 3, 9));
    node_at(&b, 1260, HF_NODE_CLOCK);
    node_found(&b, 1270, 4, 9, (struct hf_heartbeat){7, 0},
               (struct hf_head_state){.led = false, .next_fence = 50});
    node_store(&b, applied(1280, 5, 10));
    node_loaded(&b, 1290, 10);
    node_keep_alive(&b, 1300, 11, 1);
    node_store(&b, applied(1310, 6, 11));
    EXPECT_TOLD_BY(&b, "discard 0\n"
                       "#3 no node v8 fence 50\n"
                       "#4 read\n"
                       "#5 put v9 fence 50\n"
                       "load, term 10\n"
                       "batch:\n"
                       "#6 put v10 fence 50 batch 1\n"
                       "due: 11 gone\n");
    node_fini(&b);
}

/* ---- Stop [L4] ----------------------------------------------------------- */

static void
who_is_told_to_stop_writes_what_was_decided_and_leaves(void **state)
{
    struct bench b = node_serving();

    (void)state;
    node_acquire(&b, 40, 11, 2, "B");
    node_acquire(&b, 41, 12, 3, "C");
    node_acquire(&b, 42, 13, 4, "A"); /* waits, and is told nothing */
    node_keep_alive(&b, 43, 14, 1);
    node_at(&b, 44, HF_NODE_STOP);
    node_acquire(&b, 45, 15, 5, "D");
    node_at(&b, 46, HF_NODE_STOP);
    node_store(&b, applied(50, 3, 9));
    node_store(&b, applied(60, 4, 10));
    node_store(&b, applied(70, 5, 11));
    EXPECT_TOLD_BY(&b, "batch: put grant 50\n"
                       "#3 put v8 fence 51 batch 1\n"
                       "15 not leading, nobody does\n"
                       "due: 11 granted 50\n"
                       "batch: put grant 51\n"
                       "#4 put v9 fence 52 batch 2\n"
                       "due: 12 granted 51 14 alive\n"
                       "discard 0\n"
                       "#5 no node v10 fence 52\n"
                       "stopped\n");
    assert_int_equal(b.node.state, HF_NODE_ENDED);
    node_at(&b, 9000, HF_NODE_CLOCK);
    EXPECT_TOLD_BY(&b, "");
    node_fini(&b);
}

static void
who_follows_or_loads_stops_without_a_batch(void **state)
{
    struct bench follower = node_following();
    struct bench loader = node_loading();

    (void)state;
    node_at(&follower, 10, HF_NODE_STOP);
    EXPECT_TOLD_BY(&follower, "stopped\n");
    node_fini(&follower);

    node_at(&loader, 30, HF_NODE_STOP);
    node_store(&loader, applied(40, 3, 9));
    EXPECT_TOLD_BY(&loader, "discard 0\n"
                            "#3 no node v8 fence 50\n"
                            "stopped\n");
    node_fini(&loader);
}

static void
who_rests_stops_at_once(void **state)
{
    struct bench b = node_serving();

    (void)state;
    node_at(&b, 750, HF_NODE_CLOCK);
    node_store(&b, applied(760, 3, 9));
    node_at(&b, 770, HF_NODE_STOP);
    EXPECT_TOLD_BY(&b, "discard 0\n"
                       "#3 no node v8 fence 50\n"
                       "stopped\n");
    node_fini(&b);
}

/* A node without anything to grant from is served like any other, but nothing
 * is granted before nobody believes in what was. */
static void
who_reads_of_a_grace_grants_nothing_until_it_is_over(void **state)
{
    struct bench b = node_following();

    (void)state;
    node_found(
        &b, 0, 1, 7, (struct hf_heartbeat){6, 3},
        (struct hf_head_state){.led = false, .next_fence = 50, .grace = {600}});
    node_store(&b, applied(20, 2, 8));
    node_load_session(&b, 30, 8, 1, 10000);
    node_loaded(&b, 30, 8);
    node_acquire(&b, 40, 11, 1, "A");
    assert_int_equal(hf_node_grace(&b.node, T(40)).ms, 560);
    EXPECT_TOLD_BY(&b, "#2 put v7 fence 50\n"
                       "load, term 8\n");
    node_at(&b, 200, HF_NODE_CLOCK);
    node_store(&b, applied(210, 3, 9));
    node_at(&b, 599, HF_NODE_CLOCK);
    node_store(&b, applied(599, 4, 10));
    EXPECT_TOLD_BY(&b, "batch:\n"
                       "#3 put v8 fence 50 batch 1\n"
                       "due:\n"
                       "batch:\n"
                       "#4 put v9 fence 50 batch 2\n"
                       "due:\n");
    node_at(&b, 600, HF_NODE_CLOCK);
    node_store(&b, applied(610, 5, 11));
    EXPECT_TOLD_BY(&b, "batch: put grant 50\n"
                       "#5 put v10 fence 51 batch 3\n"
                       "due: 11 granted 50\n");
    node_fini(&b);
}

static void
a_session_that_was_loaded_lengthens_what_is_owed(void **state)
{
    struct bench b = node_following();

    (void)state;
    node_found(
        &b, 0, 1, 7, (struct hf_heartbeat){6, 3},
        (struct hf_head_state){.led = false, .forgot = true, .next_fence = 50});
    node_store(&b, applied(20, 2, 8));
    node_load_session(&b, 30, 8, 1, 10000);
    node_load_session(&b, 30, 8, 2, 4000);
    node_loaded(&b, 30, 8);
    assert_int_equal(hf_node_grace(&b.node, T(30)).ms, 10970);
    node_fini(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_reads_of_a_grace_grants_nothing_until_it_is_over),
        cmocka_unit_test(a_session_that_was_loaded_lengthens_what_is_owed),
        cmocka_unit_test(
            who_does_not_serve_tells_everybody_so_and_whether_another_does),
        cmocka_unit_test(a_head_of_its_own_names_nobody),
        cmocka_unit_test(who_loads_tells_nobody_anything_else),
        cmocka_unit_test(who_cannot_lead_says_why_and_looks_again),
        cmocka_unit_test(who_seeks_in_a_silent_store_rests_each_time),
        cmocka_unit_test(what_was_granted_is_loaded_before_anybody_is_served),
        cmocka_unit_test(
            the_leader_beats_while_it_loads_and_nothing_hangs_on_it),
        cmocka_unit_test(what_a_load_of_another_term_reads_is_nothing),
        cmocka_unit_test(what_contradicts_itself_is_not_led),
        cmocka_unit_test(what_cannot_be_read_is_not_led),
        cmocka_unit_test(an_idle_leader_beats_with_batches_that_are_empty),
        cmocka_unit_test(an_answer_is_due_with_a_batch_that_was_begun_after_it),
        cmocka_unit_test(what_comes_in_a_turn_is_one_batch),
        cmocka_unit_test(a_beat_carries_what_a_turn_has_brought_so_far),
        cmocka_unit_test(who_leaves_waits_for_no_turn),
        cmocka_unit_test(
            an_answer_that_changes_nothing_waits_for_a_batch_as_well),
        cmocka_unit_test(
            a_batch_of_which_nothing_is_known_is_not_collected_again),
        cmocka_unit_test(
            the_age_of_the_service_is_the_most_that_anybody_has_waited),
        cmocka_unit_test(keep_alives_wait_for_each_other_a_little),
        cmocka_unit_test(
            keep_alives_wait_for_no_other_in_the_grace_after_a_change),
        cmocka_unit_test(
            keep_alives_wait_no_longer_than_the_shortest_ttl_among_them_allows),
        cmocka_unit_test(no_keep_alive_waits_for_longer_than_a_second),
        cmocka_unit_test(
            what_is_not_due_when_leadership_ends_is_told_to_nobody),
        cmocka_unit_test(a_right_that_is_over_ends_the_leadership),
        cmocka_unit_test(nothing_that_is_not_read_yet_holds_the_leader_up),
        cmocka_unit_test(the_next_term_begins_with_an_empty_table),
        cmocka_unit_test(
            who_is_told_to_stop_writes_what_was_decided_and_leaves),
        cmocka_unit_test(who_follows_or_loads_stops_without_a_batch),
        cmocka_unit_test(who_rests_stops_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
