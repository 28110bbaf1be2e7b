#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/attrs.h"
#include "server/support/hall.h"
#include "support/gate.h"

/*
 * A service whose store is slow, and clients that do not read what they are
 * told: what is told then, and to whom.
 */

enum { PATIENCE_MS = 20000 };

static const char place[] = "memory:slow";

static struct gate gate;
static struct hall hall;

static enum hf_status
open_behind_gate(const struct hf_place *unused, const struct hf_alloc *alloc,
                 struct hf_store **store, struct hf_error *error)
{
    (void)unused;
    (void)alloc;
    (void)error;
    *store = gate_store_open(&gate, place);
    return HF_OK;
}

static int
open_hall(void **state)
{
    (void)state;
    gate_init(&gate);
    if (hall_open(&hall, &hf_alloc_libc, open_behind_gate, 3000, NULL) != HF_OK)
        return -1;
    return hall_until_serving(&hall, PATIENCE_MS) ? 0 : -1;
}

static int
close_hall(void **state)
{
    (void)state;
    gate_open(&gate);
    hall_close(&hall);
    gate_fini(&gate);
    return 0;
}

/* ---- Asking -------------------------------------------------------------- */

static struct hall_guest *
await_told(struct hall_guest *guest, int status)
{
    assert_true(hall_until_told(guest, PATIENCE_MS));
    assert_int_equal(guest->answer.status, status);
    return guest;
}

static struct hall_answer
open_session(void)
{
    struct hall_guest *guest = hall_enter(&hall);
    struct hall_answer answer;

    hall_ask(guest, "", "/v1/sessions", "{\"ttl\":\"60s\"}");
    answer = await_told(guest, 201)->answer;
    hall_leave(guest);
    return answer;
}

/* By a guest of its own, which does not wait for the answer. */
HF_PRINTF(3, 4)
static struct hall_guest *
ask(const struct hall_answer *of, const char *path, const char *format, ...)
{
    struct hall_guest *guest = hall_enter(&hall);
    char body[512];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(body, sizeof(body), format, args);
    va_end(args);
    hall_ask(guest, of->secret, path, body);
    return guest;
}

static struct hall_guest *
acquire(const struct hall_answer *of, const char *name)
{
    return ask(of, "/v1/acquire",
               "{\"session\":\"%s\",\"n\":1,\"wait\":\"25s\","
               "\"locks\":[\"%s\"]}",
               of->session, name);
}

static void
turn_until_at_gate(unsigned count)
{
    struct hf_instant end =
        hf_after(hf_now(), (struct hf_duration){PATIENCE_MS});

    while (gate_arrived(&gate) < count) {
        assert_false(hf_reached(hf_now(), end));
        hall_turn(&hall, 5);
    }
}

/* ---- Tests --------------------------------------------------------------- */

/* What was decided while a batch is written waits for the next. */
static void
a_grant_is_told_with_its_own_batch(void **state)
{
    struct hall_answer a = open_session();
    struct hall_answer b = open_session();
    struct hall_guest *first;
    struct hall_guest *second;

    (void)state;
    gate_shut(&gate, GATE_COMMITS);
    first = acquire(&a, "a");
    turn_until_at_gate(1);
    second = acquire(&b, "b");
    assert_int_equal(first->answer.status, 0);
    gate_let_one(&gate);
    turn_until_at_gate(2);
    await_told(first, 200);
    assert_int_equal(second->answer.status, 0);
    gate_open(&gate);
    await_told(second, 200);
}

static void
lose_leadership(void)
{
    const struct hf_seat *seat = hf_service_seat(hall.service);
    uint64_t terms = hf_seat_counts(seat)->terms;
    struct hf_instant end =
        hf_after(hf_now(), (struct hf_duration){PATIENCE_MS});

    gate_shut(&gate, GATE_COMMITS);
    while (hf_seat_node(seat)->state == HF_NODE_SERVING) {
        assert_false(hf_reached(hf_now(), end));
        hall_turn(&hall, 100);
    }
    gate_open(&gate);
    assert_true(hall_until_serving(&hall, PATIENCE_MS));
    assert_true(hf_seat_counts(seat)->terms > terms);
}

/* What was due in one term says nothing of the next. */
static void
many_are_kept_alive_in_the_next_term_when_that_is_written(void **state)
{
    struct hall_answer a = open_session();
    struct hall_guest *alive;

    (void)state;
    await_told(acquire(&a, "a"), 200);
    lose_leadership();
    gate_shut(&gate, GATE_COMMITS);
    alive = ask(&a, "/v1/keep-alive",
                "{\"sessions\":[{\"session\":\"%s\",\"secret\":\"%s\"}]}",
                a.session, a.secret);
    turn_until_at_gate(1);
    assert_int_equal(alive->answer.status, 0);
    gate_open(&gate);
    await_told(alive, 200);
}

/* It is handed to the kernel in part, and then the connection breaks. */
static void
a_grant_of_which_half_was_read_is_the_next_ones(void **state)
{
    struct hall_answer sessions[] = {open_session(), open_session(),
                                     open_session()};
    struct hall_guest *first;
    struct hall_guest *next;

    (void)state;
    await_told(acquire(&sessions[0], "a"), 200);
    first = acquire(&sessions[1], "a");
    first->takes = 20;
    next = acquire(&sessions[2], "a");
    await_told(ask(&sessions[0], "/v1/release", "{\"session\":\"%s\",\"n\":1}",
                   sessions[0].session),
               200);
    while (first->takes > 0)
        hall_turn(&hall, 100);
    assert_int_equal(next->answer.status, 0);
    hall_leave(first);
    await_told(next, 200);
}

#define HALL_TEST(name)                                                        \
    cmocka_unit_test_setup_teardown(name, open_hall, close_hall)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        HALL_TEST(a_grant_is_told_with_its_own_batch),
        HALL_TEST(many_are_kept_alive_in_the_next_term_when_that_is_written),
        HALL_TEST(a_grant_of_which_half_was_read_is_the_next_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
