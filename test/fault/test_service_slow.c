#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/attrs.h"
#include "server/support/fixture.h"
#include "support/gate.h"
#include "support/journals.h"

/*
 * A service whose store is slow, and clients that do not read what they are
 * told: what is told then, and to whom.
 */

enum { PATIENCE_MS = 20000 };

static char place[JOURNALS_PLACE_SIZE];

static struct gate gate;
static struct fixture fixture;

static enum hf_status
open_behind_gate(const struct hf_place *unused, const struct hf_alloc *alloc,
                 struct hf_journal **journal, struct hf_error *error)
{
    (void)unused;
    (void)alloc;
    (void)error;
    *journal = gate_journal_open(&gate, place);
    return HF_OK;
}

static int
open_fixture(void **state)
{
    (void)state;
    journals_make_place(place);
    gate_init(&gate);
    if (fixture_open(&fixture, &hf_alloc_libc, open_behind_gate, 3000, NULL) !=
        HF_OK)
        return -1;
    return fixture_until_serving(&fixture, PATIENCE_MS) ? 0 : -1;
}

static int
close_fixture(void **state)
{
    (void)state;
    gate_open(&gate);
    fixture_close(&fixture);
    gate_fini(&gate);
    journals_remove_place(place);
    return 0;
}

/* ---- Asking -------------------------------------------------------------- */

static struct fixture_client *
await_told(struct fixture_client *client, int status)
{
    assert_true(fixture_until_answered(client, PATIENCE_MS));
    assert_int_equal(client->answer.status, status);
    return client;
}

static struct fixture_answer
open_session(void)
{
    struct fixture_client *client = fixture_connect(&fixture);
    struct fixture_answer answer;

    fixture_ask(client, "", "/v1/sessions", "{\"ttl\":\"60s\"}");
    answer = await_told(client, 201)->answer;
    fixture_disconnect(client);
    return answer;
}

/* By a client of its own, which does not wait for the answer. */
HF_PRINTF(3, 4)
static struct fixture_client *
ask(const struct fixture_answer *of, const char *path, const char *format, ...)
{
    struct fixture_client *client = fixture_connect(&fixture);
    char body[512];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(body, sizeof(body), format, args);
    va_end(args);
    fixture_ask(client, of->secret, path, body);
    return client;
}

static struct fixture_client *
acquire(const struct fixture_answer *of, const char *name)
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
        fixture_turn(&fixture, 5);
    }
}

/* ---- Tests --------------------------------------------------------------- */

/* What was decided while a batch is written waits for the next. */
static void
a_grant_is_told_with_its_own_batch(void **state)
{
    struct fixture_answer a = open_session();
    struct fixture_answer b = open_session();
    struct fixture_client *first;
    struct fixture_client *second;

    (void)state;
    gate_shut(&gate, GATE_WRITES);
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
    const struct hf_seat *seat = hf_service_seat(fixture.service);
    uint64_t terms = hf_seat_counts(seat)->terms;
    struct hf_instant end =
        hf_after(hf_now(), (struct hf_duration){PATIENCE_MS});

    gate_shut(&gate, GATE_WRITES);
    while (hf_seat_node(seat)->state == HF_NODE_SERVING) {
        assert_false(hf_reached(hf_now(), end));
        fixture_turn(&fixture, 100);
    }
    gate_open(&gate);
    assert_true(fixture_until_serving(&fixture, PATIENCE_MS));
    assert_true(hf_seat_counts(seat)->terms > terms);
}

/* What was due in one term says nothing of the next. */
static void
many_are_kept_alive_in_the_next_term_when_that_is_written(void **state)
{
    struct fixture_answer a = open_session();
    struct fixture_client *alive;

    (void)state;
    await_told(acquire(&a, "a"), 200);
    lose_leadership();
    gate_shut(&gate, GATE_WRITES);
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
    struct fixture_answer sessions[] = {open_session(), open_session(),
                                        open_session()};
    struct fixture_client *first;
    struct fixture_client *next;

    (void)state;
    await_told(acquire(&sessions[0], "a"), 200);
    first = acquire(&sessions[1], "a");
    first->takes = 20;
    next = acquire(&sessions[2], "a");
    await_told(ask(&sessions[0], "/v1/release", "{\"session\":\"%s\",\"n\":1}",
                   sessions[0].session),
               200);
    while (first->takes > 0)
        fixture_turn(&fixture, 100);
    assert_int_equal(next->answer.status, 0);
    fixture_disconnect(first);
    await_told(next, 200);
}

#define FIXTURE_TEST(name)                                                     \
    cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(a_grant_is_told_with_its_own_batch),
        FIXTURE_TEST(many_are_kept_alive_in_the_next_term_when_that_is_written),
        FIXTURE_TEST(a_grant_of_which_half_was_read_is_the_next_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
