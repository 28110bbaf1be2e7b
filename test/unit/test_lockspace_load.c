#include <stdio.h>
#include <string.h>

#include "core/lockspace/look.h"
#include "unit/support/room.h"

/* The stories of a new leader [L2, L5, L6]. */

static struct hf_bytes
bytes(const char *text)
{
    return (struct hf_bytes){text, strlen(text)};
}

static void
load_session(struct room *room, uint64_t id)
{
    room_step(
        room,
        (struct hf_lockspace_event){
            .kind = HF_SPACE_LOAD_SESSION,
            .session = {.id = id, .secret = {{(uint8_t)id}}, .ttl = {10000}},
        });
}

static void
load_grant(struct room *room, uint64_t fence, uint64_t session,
           const char *name, enum hf_mode mode)
{
    const struct hf_want want = {bytes("default"), bytes(name), mode};

    room_step(room, (struct hf_lockspace_event){
                        .kind = HF_SPACE_LOAD_GRANT,
                        .grant = {.fence = fence,
                                  .session = session,
                                  .lane = 1,
                                  .n = fence,
                                  .wants = &want,
                                  .wants_count = 1},
                    });
}

/* Whom no leader before may speak for: it was not heard yet by this one. */
static void
a_loaded_session_is_spared_until_its_ttl_is_over(void **state)
{
    struct hf_lockspace_config config = room_config();
    struct room r = room_empty(&config);

    (void)state;
    room_step(&r, (struct hf_lockspace_event){
                      .kind = HF_SPACE_LOAD_SESSION,
                      .session = {.id = 1,
                                  .secret = {{1}},
                                  .ttl = {500},
                                  .if_dead = HF_REFUSE},
                  });
    load_grant(&r, 90, 1, "A", HF_EXCLUSIVE);
    room_serve(&r, 1000);
    room_clock(&r, 1499);
    room_clear_suspected(&r, 11, "A", 90);
    room_clock(&r, 1500);
    room_clear_suspected(&r, 12, "A", 90);
    EXPECT_TOLD(&r, "11 not suspected: silent 499 ms, in 1 ms\n"
                    "12 cleared\n");
    room_fini(&r);
}

/* 1 holds A, and 2 and 3 are there; there is a grace of 500 ms. */
static struct room
taken_over(void)
{
    struct hf_lockspace_config config = room_config();
    struct room r;

    config.takeover_grace.ms = 500;
    r = room_empty(&config);
    for (uint64_t id = 1; id <= 3; id++)
        load_session(&r, id);
    load_grant(&r, 90, 1, "A", HF_EXCLUSIVE);
    room_serve(&r, 1000);
    return r;
}

static struct call
waited(uint64_t stream, uint64_t session, int64_t waited_ms, const char *names)
{
    return (struct call){.stream = stream,
                         .session = session,
                         .names = names,
                         .waited_ms = waited_ms};
}

static void
what_was_granted_is_held_under_the_next_leader(void **state)
{
    struct hf_lockspace_config config = room_config();
    struct room r = room_empty(&config);

    (void)state;
    load_session(&r, 1);
    load_session(&r, 2);
    load_grant(&r, 500, 1, "A", HF_EXCLUSIVE);
    room_serve(&r, 1000);
    room_acquire(&r, (struct call){.stream = 11, .session = 2, .names = "A"});
    room_acquire(
        &r, (struct call){.stream = 12, .session = 1, .n = 500, .names = "A"});
    /* Loaded ones count as handed over. */
    room_stream_ends(&r, (struct call){.stream = 12, .session = 1, .n = 500});
    room_release(&r, (struct call){.stream = 13, .session = 1, .n = 500});
    EXPECT_TOLD(&r, "12 granted 500\n"
                    "13 released\n"
                    "11 granted 501\n");
    room_fini(&r);
}

/* Its ttl begins anew, from an instant after the load began. */
static void
a_loaded_session_is_counted_from_the_load(void **state)
{
    struct hf_lockspace_config config = room_config();
    struct room r = room_empty(&config);

    (void)state;
    r.now.ms = 5000;
    load_session(&r, 1);
    room_serve(&r, 6000);
    room_clock(&r, 14999);
    room_keep_alive(&r, (struct call){.stream = 11, .session = 1});
    room_keep_alive(&r, (struct call){.stream = 12, .session = 2});
    EXPECT_TOLD(&r, "11 alive\n"
                    "12 gone\n");
    room_fini(&r);
}

static void
a_grant_without_its_session_is_void_and_swept(void **state)
{
    struct hf_lockspace_config config = room_config();
    struct room r = room_empty(&config);

    (void)state;
    load_session(&r, 1);
    load_grant(&r, 70, 9, "A", HF_EXCLUSIVE);
    room_serve(&r, 1000);
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_applied(&r, room_batch(&r, 100));
    EXPECT_TOLD(&r, "11 granted 101\n"
                    "put 101 of 1.1 A\n"
                    "delete 70\n"
                    "batch 1, fence 102, all is due\n");
    room_fini(&r);
}

static void
fences_grow_from_whatever_was_highest(void **state)
{
    static const struct {
        uint64_t stored, term, fence, wall_us, expected;
    } cases[] = {{50, 40, 30, 20, 50},
                 {40, 50, 30, 20, 50},
                 {20, 30, 49, 40, 50},
                 {20, 30, 40, 50, 50}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hf_lockspace_config config = room_config();
        struct room r = room_empty(&config);
        struct hf_batch batch;

        load_session(&r, 1);
        load_grant(&r, cases[i].fence, 1, "A", HF_EXCLUSIVE);
        room_step(&r, (struct hf_lockspace_event){
                          .kind = HF_SPACE_SERVE,
                          .serve = {.term = cases[i].term,
                                    .next_fence = cases[i].stored,
                                    .wall_us = cases[i].wall_us},
                      });
        hf_lockspace_begin(r.ls, (struct hf_budget){2, 1 << 20});
        hf_lockspace_fix(r.ls, &batch);
        assert_int_equal(batch.next_fence, cases[i].expected);
        room_fini(&r);
    }
}

static void
a_store_that_contradicts_itself_is_not_led(void **state)
{
    struct hf_lockspace_config config = room_config();
    struct room r = room_empty(&config);

    (void)state;
    load_session(&r, 1);
    load_session(&r, 2);
    load_grant(&r, 70, 1, "A", HF_EXCLUSIVE);
    load_grant(&r, 71, 2, "A", HF_SHARED);
    room_serve(&r, 1000);
    assert_false(hf_lockspace_serving(r.ls));
    room_fini(&r);
}

/* ---- Places taken again [L5] --------------------------------------------- */

static void
who_waited_longest_under_the_last_leader_is_first_under_this(void **state)
{
    struct room r = taken_over();

    (void)state;
    room_acquire(&r, waited(11, 2, 100, "A"));
    room_clock(&r, 1300);
    room_acquire(&r, waited(12, 3, 900, "A"));
    room_release(&r, (struct call){.stream = 13, .session = 1, .n = 90});
    EXPECT_TOLD(&r, "13 released\n");
    room_clock(&r, 1499);
    EXPECT_TOLD(&r, "");
    assert_int_equal(hf_lockspace_deadline(r.ls).ms, 1500);
    room_clock(&r, 1500);
    room_release(&r, (struct call){.stream = 14, .session = 3});
    EXPECT_TOLD(&r, "12 granted 101\n"
                    "14 released\n"
                    "11 granted 102\n");
    room_fini(&r);
}

/* How many wait for A, as it is counted, and for how long each, as listed. */
static void
show_line(struct room *r, char *to, size_t size)
{
    const struct hf_want lock = {.space = {"default", 7}, .name = {"A", 1}};
    struct hf_look_name name;
    struct hf_look_claim row;
    uint32_t cursor = 0;
    int len;

    assert_true(hf_look_find(r->ls, &lock, &name));
    len = snprintf(to, size, "%u:", name.waiters);
    while (hf_look_line(r->ls, name.number, &cursor, &row))
        len += snprintf(to + len, size - (size_t)len, " %d", (int)row.age.ms);
}

/* And how long it waited elsewhere is known of those alone who come by then. */
static void
who_has_no_place_yet_is_counted_and_not_listed(void **state)
{
    struct room r = taken_over();
    char line[64];

    (void)state;
    room_acquire(&r, waited(11, 2, 900, "A"));
    show_line(&r, line, sizeof(line));
    assert_string_equal(line, "1:");
    room_clock(&r, 1500);
    room_acquire(&r, waited(12, 3, 900, "A"));
    show_line(&r, line, sizeof(line));
    assert_string_equal(line, "2: 1400 0");
    room_fini(&r);
}

/* It is told of the term, says that it is alive, and asks: each takes one. */
static void
places_are_kept_for_three_batches_longer(void **state)
{
    struct hf_lockspace_config config = room_config();
    struct room r;

    (void)state;
    config.takeover_grace.ms = 500;
    r = room_empty(&config);
    load_session(&r, 2);
    r.now.ms = 1000;
    room_step(&r, (struct hf_lockspace_event){
                      .kind = HF_SPACE_SERVE,
                      .serve = {.term = 7, .next_fence = 101, .batch = {50}},
                  });
    room_acquire(&r, waited(11, 2, 100, "A"));
    assert_int_equal(hf_lockspace_deadline(r.ls).ms, 1650);
    room_clock(&r, 1649);
    EXPECT_TOLD(&r, "");
    room_clock(&r, 1650);
    EXPECT_TOLD(&r, "11 granted 101\n");
    room_fini(&r);
}

static void
a_keep_alive_waits_for_no_other_while_places_are_taken_again(void **state)
{
    struct room r = taken_over();
    struct hf_lockspace_event alive = {
        .kind = HF_SPACE_MESSAGE,
        .message = {.kind = HF_MESSAGE_KEEP_ALIVE,
                    .session = 1,
                    .secret = {{1}},
                    .term = 7}};
    struct hf_answer answer;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        alive.at.ms = i == 0 ? 1499 : 1500;
        alive.message.stream = i + 11;
        hf_lockspace_step(r.ls, &alive);
        assert_true(hf_lockspace_next(r.ls, &answer));
        assert_int_equal(answer.kind, HF_ANSWER_ALIVE);
        assert_int_equal(answer.alive.at_once, i == 0);
        assert_false(hf_lockspace_next(r.ls, &answer));
    }
    room_fini(&r);
}

/* 2 was here before 3, who tells of a year, as well as who began with the
 * service and told the truth. */
static void
nobody_has_waited_for_longer_than_there_is_a_service(void **state)
{
    struct hf_lockspace_config config = room_config();
    struct room r;

    (void)state;
    config.takeover_grace.ms = 500;
    r = room_empty(&config);
    for (uint64_t id = 1; id <= 4; id++)
        load_session(&r, id);
    load_grant(&r, 90, 1, "A", HF_EXCLUSIVE);
    room_step(&r, (struct hf_lockspace_event){
                      .kind = HF_SPACE_SERVE,
                      .serve = {.term = 7, .next_fence = 101, .age = {700}},
                  });
    room_acquire(&r, waited(11, 2, 700, "A"));
    room_clock(&r, 1300);
    room_acquire(&r, waited(12, 3, INT64_C(31536000000), "A"));
    room_acquire(&r, waited(13, 4, 900, "A"));
    room_clock(&r, 1500);
    for (uint64_t session = 1; session <= 4; session++)
        room_release(&r, (struct call){.stream = 20 + session,
                                       .session = session,
                                       .n = session == 1 ? 90 : 0});
    EXPECT_TOLD(&r, "21 released\n"
                    "11 granted 101\n"
                    "22 released\n"
                    "12 granted 102\n"
                    "23 released\n"
                    "13 granted 103\n"
                    "24 released\n");
    room_fini(&r);
}

/* Else one that comes back under a new leader is silent for a grace longer than
 * its idle timeout bears [W2]. */
static void
the_grace_is_part_of_the_time_in_which_a_stream_is_silent(void **state)
{
    struct room r = taken_over();

    (void)state;
    room_acquire(&r, waited(11, 2, 100, "A"));
    room_clock(&r, 1500);
    room_clock(&r, 1899);
    EXPECT_TOLD(&r, "");
    room_clock(&r, 2000);
    EXPECT_TOLD(&r, "11 blocking timeout, 0 before it\n");
    room_fini(&r);
}

/* It has no place yet: that is kept from when it is taken [W5]. */
static void
who_is_cut_off_in_the_grace_has_its_place(void **state)
{
    struct room r = taken_over();

    (void)state;
    room_acquire(&r, waited(11, 2, 100, "A"));
    room_acquire(&r, waited(12, 3, 50, "A"));
    room_cut(&r, (struct call){.stream = 11, .session = 2});
    room_clock(&r, 1500);
    room_release(&r, (struct call){.stream = 13, .session = 1, .n = 90});
    EXPECT_TOLD(&r, "13 released\n");
    room_clock(&r, 1699);
    EXPECT_TOLD(&r, "");
    room_clock(&r, 1700);
    EXPECT_TOLD(&r, "12 granted 101\n");
    room_fini(&r);
}

static void
what_nobody_waits_for_is_granted_in_the_grace(void **state)
{
    struct room r = taken_over();

    (void)state;
    room_acquire(&r, waited(11, 2, 0, "B"));
    room_acquire(&r, waited(12, 3, 50, "C"));
    room_acquire(
        &r, (struct call){.stream = 13, .session = 1, .lane = 2, .names = "C"});
    EXPECT_TOLD(&r, "11 granted 101\n");
    room_clock(&r, 1500);
    EXPECT_TOLD(&r, "12 granted 102\n");
    room_fini(&r);
}

static void
a_try_that_only_a_grace_keeps_out_is_not_told_no(void **state)
{
    struct room r = taken_over();
    struct call call = waited(12, 3, 0, "B");

    (void)state;
    room_acquire(&r, waited(11, 2, 100, "B"));
    call.try_only = true;
    room_acquire(&r, call);
    call = (struct call){
        .stream = 13, .session = 3, .lane = 2, .names = "A", .try_only = true};
    room_acquire(&r, call);
    EXPECT_TOLD(&r, "12 later, 500 ms: leader\n"
                    "13 over: held\n");
    room_fini(&r);
}

static void
a_circle_is_found_when_places_are_taken(void **state)
{
    struct room r = taken_over();

    (void)state;
    room_acquire(&r, waited(11, 2, 0, "B"));
    room_acquire(
        &r, (struct call){.stream = 12, .session = 2, .n = 2, .names = "A"});
    room_acquire(&r, (struct call){.stream = 13,
                                   .session = 1,
                                   .n = 91,
                                   .names = "B",
                                   .waited_ms = 300});
    EXPECT_TOLD(&r, "11 granted 101\n");
    room_clock(&r, 1500);
    EXPECT_TOLD(&r, "12 over: deadlock 2.1 1.1\n");
    room_fini(&r);
}

/* It could never be lowered: no batch would have room for it. */
static void
what_no_batch_could_take_is_not_led(void **state)
{
    struct hf_lockspace_config config = room_config();
    char note[700];

    (void)state;
    memset(note, 'x', sizeof(note));
    config.limits.record_bytes = 1024;
    for (unsigned i = 0; i < 2; i++) {
        const struct hf_want want = {bytes("default"), bytes("A"),
                                     HF_EXCLUSIVE};
        struct hf_lockspace_event event = {
            .kind = HF_SPACE_LOAD_GRANT,
            .grant = {.fence = 90,
                      .session = 1,
                      .lane = 1,
                      .n = 1,
                      .wants = &want,
                      .wants_count = 1,
                      .note = {note, i == 0 ? 100 : sizeof(note)}},
        };
        struct room r = room_empty(&config);

        load_session(&r, 1);
        room_step(&r, event);
        room_step(&r, (struct hf_lockspace_event){
                          .kind = HF_SPACE_SERVE,
                          .serve = {.term = 7, .next_fence = 1, .wall_us = 1}});
        assert_int_equal(hf_lockspace_serving(r.ls), i == 0);
        room_fini(&r);
    }
}

/* ---- The grace of a server that forgot [L6] ------------------------------ */

static void
a_server_that_forgot_grants_nothing_for_a_while(void **state)
{
    struct hf_lockspace_config config = room_config();
    struct room r;

    (void)state;
    r = room_empty(&config);
    r.hold_until.ms = 1600;
    room_begin(&r);
    room_acquire(&r, (struct call){.stream = 11, .session = 1, .names = "A"});
    room_acquire(&r, (struct call){.stream = 12, .session = 2, .names = "A"});
    room_acquire(
        &r, (struct call){
                .stream = 13, .session = 3, .names = "B", .try_only = true});
    EXPECT_TOLD(&r, "13 later, 600 ms: forgotten\n");
    assert_int_equal(hf_lockspace_deadline(r.ls).ms, 1600);
    room_clock(&r, 1600);
    EXPECT_TOLD(&r, "11 granted 101\n");
    room_fini(&r);
}

/* Its clock may be late, and what it wrote is lost: a fenced resource would
 * take what its last holder writes late. */
static void
fences_begin_above_what_clients_have_seen_while_it_waits(void **state)
{
    struct hf_lockspace_config config = room_config();
    struct room r;

    (void)state;
    r = room_empty(&config);
    r.hold_until.ms = 1600;
    room_begin(&r);
    room_acquire(
        &r,
        (struct call){.stream = 11, .session = 1, .names = "A", .seen = 700});
    room_acquire(
        &r,
        (struct call){.stream = 12, .session = 2, .names = "B", .seen = 300});
    room_acquire(&r, (struct call){.stream = 13,
                                   .session = 3,
                                   .names = "C",
                                   .seen = UINT64_C(1) << 52});
    room_clock(&r, 1600);
    EXPECT_TOLD(&r, "11 granted 701\n12 granted 702\n13 granted 703\n");
    room_release(&r, (struct call){.stream = 14, .session = 1});
    room_hush(&r);
    room_acquire(
        &r,
        (struct call){
            .stream = 15, .session = 1, .n = 2, .names = "A", .seen = 9000});
    EXPECT_TOLD(&r, "15 granted 704\n");
    room_fini(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            fences_begin_above_what_clients_have_seen_while_it_waits),
        cmocka_unit_test(what_was_granted_is_held_under_the_next_leader),
        cmocka_unit_test(a_loaded_session_is_counted_from_the_load),
        cmocka_unit_test(a_loaded_session_is_spared_until_its_ttl_is_over),
        cmocka_unit_test(a_grant_without_its_session_is_void_and_swept),
        cmocka_unit_test(fences_grow_from_whatever_was_highest),
        cmocka_unit_test(a_store_that_contradicts_itself_is_not_led),
        cmocka_unit_test(
            who_waited_longest_under_the_last_leader_is_first_under_this),
        cmocka_unit_test(who_has_no_place_yet_is_counted_and_not_listed),
        cmocka_unit_test(places_are_kept_for_three_batches_longer),
        cmocka_unit_test(
            a_keep_alive_waits_for_no_other_while_places_are_taken_again),
        cmocka_unit_test(nobody_has_waited_for_longer_than_there_is_a_service),
        cmocka_unit_test(
            the_grace_is_part_of_the_time_in_which_a_stream_is_silent),
        cmocka_unit_test(who_is_cut_off_in_the_grace_has_its_place),
        cmocka_unit_test(what_nobody_waits_for_is_granted_in_the_grace),
        cmocka_unit_test(a_try_that_only_a_grace_keeps_out_is_not_told_no),
        cmocka_unit_test(a_circle_is_found_when_places_are_taken),
        cmocka_unit_test(what_no_batch_could_take_is_not_led),
        cmocka_unit_test(a_server_that_forgot_grants_nothing_for_a_while),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
