#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "server/support/desk.h"
#include "store/store.h"
#include "support/gate.h"
#include "support/journals.h"

/*
 * A node whose store is slow, at the points where that matters: what the node
 * does while a call is under way.
 */

static char place[JOURNALS_PLACE_SIZE];

static struct gate gate;

static int
make_place(void **state)
{
    (void)state;
    journals_make_place(place);
    gate_init(&gate);
    return 0;
}

static int
remove_place(void **state)
{
    (void)state;
    gate_fini(&gate);
    journals_remove_place(place);
    return 0;
}

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

static struct hf_instant
patience(void)
{
    return hf_after(hf_now(), (struct hf_duration){20000});
}

static void
turn_until_at_gate(struct desk *desk, unsigned count)
{
    struct hf_instant end = patience();

    while (gate_arrived(&gate) < count) {
        assert_false(hf_reached(hf_now(), end));
        desk_turn(desk, 5);
    }
}

/* ---- A write that is sent twice ------------------------------------------ */

static uint64_t
asked_last(const struct desk *desk)
{
    return hf_seat_node(desk->seat)->leader.contender.keeper.question.number;
}

/* Its answer is late, and so it is sent once more. */
static void
turn_until_asked_again(struct desk *desk)
{
    struct hf_instant end = patience();
    uint64_t number = asked_last(desk);

    while (asked_last(desk) == number) {
        assert_false(hf_reached(hf_now(), end));
        desk_turn(desk, 5);
    }
}

static void
turn_until_due(struct desk *desk, size_t count)
{
    struct hf_instant end = patience();

    while (desk->due_count < count) {
        assert_false(hf_reached(hf_now(), end));
        desk_turn(desk, 5);
    }
}

/* While the store still has the batch's second sending, the first is answered,
 * and the next batch is begun. */
static void
a_batch_stays_as_it_is_while_the_store_has_it(void **state)
{
    struct desk desk;

    (void)state;
    desk_open_by(&desk, open_behind_gate, 10000);
    desk_until_serving(&desk);
    desk_open_session(&desk, 1);
    desk.due_count = 0;
    gate_shut(&gate, GATE_WRITES);
    desk_ask_try(&desk, 1, 1, "first");
    turn_until_at_gate(&desk, 1);
    turn_until_asked_again(&desk);
    gate_let_one(&gate);
    gate_await(&gate, 2);
    desk_ask_try(&desk, 1, 2, "second");
    turn_until_due(&desk, 1);
    gate_open(&gate);
    turn_until_due(&desk, 2);
    assert_false(gate.altered);
    assert_int_equal(desk.due[0].kind, HF_ANSWER_GRANTED);
    assert_int_equal(desk.due[1].kind, HF_ANSWER_GRANTED);
    desk_close(&desk);
}

/* Does it refuse to be a table's? */
static bool
is_served(void)
{
    struct hf_store *store = NULL;
    enum hf_status status;

    assert_int_equal(hf_store_open(place, &hf_alloc_libc, &store, NULL), HF_OK);
    status = hf_store_unserved(store, HF_NEVER, NULL);
    hf_store_close(store);
    return status == HF_E_UNAVAILABLE;
}

/* ---- A leader that never served ------------------------------------------ */

static void
leave_a_grant(void)
{
    struct desk desk;

    desk_open_by(&desk, open_behind_gate, 5000);
    desk_until_serving(&desk);
    desk_open_session(&desk, 1);
    assert_int_equal(desk_try(&desk, 1, 1, "a").kind, HF_ANSWER_GRANTED);
    desk_stop(&desk);
    desk_until_stopped(&desk);
    desk_close(&desk);
}

static void
who_stops_while_it_loads_leaves_what_is_granted_to_no_table(void **state)
{
    struct desk desk;

    (void)state;
    leave_a_grant();
    assert_true(is_served());
    gate_shut(&gate, GATE_LOADS);
    desk_open_by(&desk, open_behind_gate, 5000);
    turn_until_at_gate(&desk, 1);
    assert_int_equal(hf_seat_node(desk.seat)->state, HF_NODE_LOADING);
    desk_stop(&desk);
    gate_open(&gate);
    desk_until_stopped(&desk);
    desk_close(&desk);
    assert_true(is_served());
}

/* It knows of what is granted only what the head says that it replaces. */
static void
so_does_who_stops_while_it_claims(void **state)
{
    struct desk desk;

    (void)state;
    leave_a_grant();
    gate_shut(&gate, GATE_WRITES);
    desk_open_by(&desk, open_behind_gate, 5000);
    turn_until_at_gate(&desk, 1);
    assert_int_equal(hf_seat_node(desk.seat)->state, HF_NODE_FOLLOWING);
    desk_stop(&desk);
    gate_open(&gate);
    desk_until_stopped(&desk);
    desk_close(&desk);
    assert_true(is_served());
}

/* ---- A follower ---------------------------------------------------------- */

/* While it reads, it knows of whom; its store may be another by now. */
static void
who_has_not_read_a_head_for_long_tells_no_service(void **state)
{
    struct hf_instant end = patience();
    struct desk leader;
    struct desk follower;
    uint64_t service;

    (void)state;
    desk_open_by(&leader, open_behind_gate, 5000);
    desk_until_serving(&leader);
    service = hf_seat_service(leader.seat);
    assert_int_not_equal(service, 0);
    desk_open_by(&follower, open_behind_gate, 5000);
    while (hf_seat_service(follower.seat) != service) {
        assert_false(hf_reached(hf_now(), end));
        desk_turn(&leader, 5);
        desk_turn(&follower, 5);
    }
    gate_shut(&gate, GATE_READS);
    while (hf_seat_service(follower.seat) != 0 && !hf_reached(hf_now(), end)) {
        desk_turn(&leader, 5);
        desk_turn(&follower, 5);
    }
    gate_open(&gate);
    assert_int_equal(hf_seat_service(follower.seat), 0);
    assert_int_equal(hf_seat_service(leader.seat), service);
    desk_close(&follower);
    desk_close(&leader);
}

#define GATE_TEST(name)                                                        \
    cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        GATE_TEST(a_batch_stays_as_it_is_while_the_store_has_it),
        GATE_TEST(who_stops_while_it_loads_leaves_what_is_granted_to_no_table),
        GATE_TEST(so_does_who_stops_while_it_claims),
        GATE_TEST(who_has_not_read_a_head_for_long_tells_no_service),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
