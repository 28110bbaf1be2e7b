#include <stdio.h>
#include <string.h>

#include "core/lockspace/look.h"
#include "unit/support/lockspace_script.h"

/* The stories of a new leader [L2, L5, L6]. */

static struct hf_bytes
bytes(const char *text)
{
    return (struct hf_bytes){text, strlen(text)};
}

/* 1 holds A, and 2 and 3 are there; there is a grace of 500 ms. */
static struct server_fixture
taken_over(void)
{
    struct hf_lockspace_config config = server_config();
    struct server_fixture r;

    config.takeover_grace.ms = 500;
    r = server_empty(&config);
    for (uint64_t id = 1; id <= 3; id++)
        server_load_session(&r, (struct hf_loaded_session){.id = id});
    server_load_grant(
        &r, (struct call){.fence = 90, .session = 1, .n = 90, .names = "A"});
    server_serve(&r, 1000);
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
        struct hf_lockspace_config config = server_config();
        struct server_fixture r = server_empty(&config);
        struct hf_batch batch;

        server_load_session(&r, (struct hf_loaded_session){.id = 1});
        server_load_grant(&r, (struct call){.fence = cases[i].fence,
                                            .session = 1,
                                            .n = cases[i].fence,
                                            .names = "A"});
        server_step(&r, (struct hf_lockspace_event){
                            .kind = HF_SPACE_SERVE,
                            .serve = {.term = cases[i].term,
                                      .next_fence = cases[i].stored,
                                      .wall_us = cases[i].wall_us},
                        });
        hf_lockspace_begin(r.ls, (struct hf_budget){2, 1 << 20});
        hf_lockspace_fix(r.ls, &batch);
        assert_int_equal(batch.next_fence, cases[i].expected);
        server_fini(&r);
    }
}

/* How many wait for A, as it is counted, and for how long each, as listed. */
static void
show_line(struct server_fixture *r, char *to, size_t size)
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
    struct server_fixture r = taken_over();
    char line[64];

    (void)state;
    server_acquire(&r, waited(11, 2, 900, "A"));
    show_line(&r, line, sizeof(line));
    assert_string_equal(line, "1:");
    server_clock(&r, 1500);
    server_acquire(&r, waited(12, 3, 900, "A"));
    show_line(&r, line, sizeof(line));
    assert_string_equal(line, "2: 1400 0");
    server_fini(&r);
}

static void
a_keep_alive_waits_for_no_other_while_places_are_taken_again(void **state)
{
    struct server_fixture r = taken_over();
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
    server_fini(&r);
}

/* It could never be lowered: no batch would have room for it. */
static void
what_no_batch_could_take_is_not_led(void **state)
{
    struct hf_lockspace_config config = server_config();
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
        struct server_fixture r = server_empty(&config);

        server_load_session(&r, (struct hf_loaded_session){.id = 1});
        server_step(&r, event);
        server_step(&r,
                    (struct hf_lockspace_event){
                        .kind = HF_SPACE_SERVE,
                        .serve = {.term = 7, .next_fence = 1, .wall_us = 1}});
        assert_int_equal(hf_lockspace_serving(r.ls), i == 0);
        server_fini(&r);
    }
}

static const struct CMUnitTest tests[] = {
    /* Whom no leader before may speak for: it was not heard yet by this one. */
    STORY(a_loaded_session_is_spared_until_its_ttl_is_over,
          "start empty\n"
          "load-session 1, ttl 500, refuse\n"
          "load-grant 90 A of 1, n 90\n"
          "serve 1000\n"
          "clock 1499\n"
          "clear-suspected A 90 on 11\n"
          "| 11 not suspected: silent 499 ms, in 1 ms\n"
          "clock 1500\n"
          "clear-suspected A 90 on 12 | 12 cleared\n"),
    STORY(what_was_granted_is_held_under_the_next_leader,
          "start empty\n"
          "load-session 1\n"
          "load-session 2\n"
          "load-grant 500 A of 1, n 500\n"
          "serve 1000\n"
          "2 acquire A on 11\n"
          "1 acquire A on 12, n 500 | 12 granted 500\n"
          /* Loaded ones count as handed over. */
          "1 stream-ends on 12, n 500\n"
          "1 release on 13, n 500   | 13 released; 11 granted 501\n"),
    /* Its ttl begins anew, from an instant after the load began. */
    STORY(a_loaded_session_is_counted_from_the_load,
          "start empty\n"
          "at 5000\n"
          "load-session 1\n"
          "serve 6000\n"
          "clock 14999\n"
          "1 keep-alive on 11 | 11 alive\n"
          "2 keep-alive on 12 | 12 gone\n"),
    STORY(a_grant_without_its_session_is_void_and_swept,
          "start empty\n"
          "load-session 1\n"
          "load-grant 70 A of 9, n 70\n"
          "serve 1000\n"
          "1 acquire A on 11 | 11 granted 101\n"
          "batch\n"
          "| put 101 of 1.1 A\n"
          "| delete 70\n"
          "| batch 1, fence 102, all is due\n"
          "applied 1\n"),
    cmocka_unit_test(fences_grow_from_whatever_was_highest),
    STORY(a_store_that_contradicts_itself_is_not_led,
          "start empty\n"
          "load-session 1\n"
          "load-session 2\n"
          "load-grant 70 A of 1, n 70\n"
          "load-grant 71 A:s of 2, n 71\n"
          "serve 1000\n"
          "= serving no\n"),

    /* ---- Places taken again [L5] ----------------------------------------- */

    STORY(who_waited_longest_under_the_last_leader_is_first_under_this,
          "taken over\n"
          "2 acquire A on 11, waited 100\n"
          "clock 1300\n"
          "3 acquire A on 12, waited 900\n"
          "1 release on 13, n 90 | 13 released\n"
          "clock 1499\n"
          "= deadline 1500\n"
          "clock 1500            | 12 granted 101\n"
          "3 release on 14       | 14 released; 11 granted 102\n"),
    cmocka_unit_test(who_has_no_place_yet_is_counted_and_not_listed),
    /* It is told of the term, says that it is alive, and asks: each takes
     * one. */
    STORY(places_are_kept_for_three_batches_longer,
          "start empty takeover_grace 500\n"
          "load-session 2\n"
          "serve 1000, batch 50\n"
          "2 acquire A on 11, waited 100\n"
          "= deadline 1650\n"
          "clock 1649\n"
          "clock 1650 | 11 granted 101\n"),
    cmocka_unit_test(
        a_keep_alive_waits_for_no_other_while_places_are_taken_again),
    /* 2 was here before 3, who tells of a year, as well as who began with the
     * service and told the truth. */
    STORY(nobody_has_waited_for_longer_than_there_is_a_service,
          "start empty takeover_grace 500\n"
          "load-session 1\n"
          "load-session 2\n"
          "load-session 3\n"
          "load-session 4\n"
          "load-grant 90 A of 1, n 90\n"
          "serve 1000, age 700\n"
          "2 acquire A on 11, waited 700\n"
          "clock 1300\n"
          "3 acquire A on 12, waited 31536000000\n"
          "4 acquire A on 13, waited 900\n"
          "clock 1500\n"
          "1 release on 21, n 90 | 21 released; 11 granted 101\n"
          "2 release on 22       | 22 released; 12 granted 102\n"
          "3 release on 23       | 23 released; 13 granted 103\n"
          "4 release on 24       | 24 released\n"),
    /* Else one that comes back under a new leader is silent for a grace longer
     * than its idle timeout bears [W2]. */
    STORY(the_grace_is_part_of_the_time_in_which_a_stream_is_silent,
          "taken over\n"
          "2 acquire A on 11, waited 100\n"
          "clock 1500\n"
          "clock 1899\n"
          "clock 2000 | 11 blocking timeout, 0 before it\n"),
    /* It has no place yet: that is kept from when it is taken [W5]. */
    STORY(who_is_cut_off_in_the_grace_has_its_place,
          "taken over\n"
          "2 acquire A on 11, waited 100\n"
          "3 acquire A on 12, waited 50\n"
          "2 cut on 11\n"
          "clock 1500\n"
          "1 release on 13, n 90 | 13 released\n"
          "clock 1699\n"
          "clock 1700            | 12 granted 101\n"),
    STORY(what_nobody_waits_for_is_granted_in_the_grace,
          "taken over\n"
          "2 acquire B on 11 | 11 granted 101\n"
          "3 acquire C on 12, waited 50\n"
          "1 acquire C on 13, lane 2\n"
          "clock 1500        | 12 granted 102\n"),
    STORY(a_try_that_only_a_grace_keeps_out_is_not_told_no,
          "taken over\n"
          "2 acquire B on 11, waited 100\n"
          "3 acquire B on 12, try         | 12 later, 500 ms: leader\n"
          "3 acquire A on 13, lane 2, try | 13 over: held\n"),
    STORY(a_circle_is_found_when_places_are_taken,
          "taken over\n"
          "2 acquire B on 11 | 11 granted 101\n"
          "2 acquire A on 12, n 2\n"
          "1 acquire B on 13, n 91, waited 300\n"
          "clock 1500        | 12 over: deadlock 2.1 1.1\n"),
    cmocka_unit_test(what_no_batch_could_take_is_not_led),

    /* ---- The grace of a server that forgot [L6] -------------------------- */

    STORY(a_server_that_forgot_grants_nothing_for_a_while,
          "start empty\n"
          "begin, hold 1600\n"
          "1 acquire A on 11\n"
          "2 acquire A on 12\n"
          "3 acquire B on 13, try | 13 later, 600 ms: forgotten\n"
          "= deadline 1600\n"
          "clock 1600             | 11 granted 101\n"),
    /* Its clock may be late, and what it wrote is lost: a fenced resource would
     * take what its last holder writes late. */
    STORY(fences_begin_above_what_clients_have_seen_while_it_waits,
          "start empty\n"
          "begin, hold 1600\n"
          "1 acquire A on 11, seen 700\n"
          "2 acquire B on 12, seen 300\n"
          "3 acquire C on 13, seen 4503599627370496\n"
          "clock 1600      | 11 granted 701; 12 granted 702; 13 granted 703\n"
          "1 release on 14                   | 14 released\n"
          "1 acquire A on 15, n 2, seen 9000 | 15 granted 704\n"),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
