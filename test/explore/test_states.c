/* The set of states: every one is found again, and none is mistaken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "explore/states.h"

enum { SIZE = 13, COUNT = 50000 };

/* Equal but for a few bits, as states are. */
static void
write_state(uint32_t n, uint8_t *state)
{
    memset(state, 0, SIZE);
    memcpy(state + 3, &n, sizeof(n));
}

static void
what_was_added_is_seen_again_under_its_number(void **unused)
{
    struct states states;
    uint8_t state[SIZE];
    uint32_t number = 0;

    (void)unused;
    assert_true(states_open(&states, SIZE, COUNT));
    for (uint32_t n = 0; n < COUNT; n++) {
        write_state(n * 7, state);
        assert_int_equal(states_add(&states, state, n / 2, &number),
                         STATES_ADDED);
        assert_int_equal(number, n);
    }
    for (uint32_t n = 0; n < COUNT; n++) {
        write_state(n * 7, state);
        assert_int_equal(states_add(&states, state, 1, &number), STATES_SEEN);
        assert_int_equal(number, n);
        assert_int_equal(states.parent[n], n / 2);
        assert_memory_equal(states_at(&states, n), state, SIZE);
    }
    assert_int_equal(states.count, COUNT);
    states_close(&states);
}

static void
a_full_set_says_so_and_still_finds_what_it_has(void **unused)
{
    struct states states;
    uint8_t state[SIZE];
    uint32_t number = 0;

    (void)unused;
    assert_true(states_open(&states, SIZE, 3));
    for (uint32_t n = 0; n < 3; n++) {
        write_state(n, state);
        assert_int_equal(states_add(&states, state, 0, &number), STATES_ADDED);
    }
    write_state(3, state);
    assert_int_equal(states_add(&states, state, 0, &number), STATES_FULL);
    write_state(1, state);
    assert_int_equal(states_add(&states, state, 0, &number), STATES_SEEN);
    assert_int_equal(number, 1);
    states_close(&states);
}

/* Many are offered again while the first of their kind still waits. */
static void
what_is_offered_is_numbered_as_if_it_were_added_at_once(void **unused)
{
    struct states offered;
    struct states added;
    uint8_t state[SIZE];
    uint32_t number = 0;

    (void)unused;
    assert_true(states_open(&offered, SIZE, COUNT));
    assert_true(states_open(&added, SIZE, COUNT));
    for (uint32_t n = 0; n < COUNT; n++) {
        write_state(n % 3 == 0 ? n / 2 : n / 5 * 5, state);
        states_offer(&offered, state, n);
        states_add(&added, state, n, &number);
    }
    states_settle(&offered);
    assert_int_equal(offered.count, added.count);
    for (uint32_t i = 0; i < added.count; i++) {
        assert_memory_equal(states_at(&offered, i), states_at(&added, i), SIZE);
        assert_int_equal(offered.parent[i], added.parent[i]);
    }
    states_close(&offered);
    states_close(&added);
}

static void
an_offer_to_a_full_set_is_said(void **unused)
{
    struct states states;
    uint8_t state[SIZE];

    (void)unused;
    assert_true(states_open(&states, SIZE, 3));
    for (uint32_t n = 0; n < 4; n++) {
        write_state(n % 3, state);
        states_offer(&states, state, 0);
    }
    states_settle(&states);
    assert_false(states.full);
    write_state(3, state);
    states_offer(&states, state, 0);
    states_settle(&states);
    assert_true(states.full);
    assert_int_equal(states.count, 3);
    states_close(&states);
}

static void
a_state_costs_at_most_sixteen_bytes_beside_itself(void **unused)
{
    struct states states;
    uint8_t state[SIZE];
    uint32_t number = 0;

    (void)unused;
    assert_true(states_open(&states, SIZE, COUNT));
    for (uint32_t n = 0; n < COUNT; n++) {
        write_state(n, state);
        states_add(&states, state, 0, &number);
        if (n > 1000)
            assert_true(states_bytes(&states) <= (n + 1) * (SIZE + 16ul));
    }
    states_close(&states);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_is_seen_again_under_its_number),
        cmocka_unit_test(a_full_set_says_so_and_still_finds_what_it_has),
        cmocka_unit_test(
            what_is_offered_is_numbered_as_if_it_were_added_at_once),
        cmocka_unit_test(an_offer_to_a_full_set_is_said),
        cmocka_unit_test(a_state_costs_at_most_sixteen_bytes_beside_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
