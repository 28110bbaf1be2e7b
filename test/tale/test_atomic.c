#include "tale/specimen/atomic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Worker #1 of the tale is worker 0, whose ID is 1. */

static void
write_by(struct atomic *key, unsigned worker, struct key_request request)
{
    request.kind = KEY_WRITE;
    request.value = (struct key_value){(uint8_t)(worker + 1), 0};
    atomic_issue(key, worker, request);
}

static enum key_answer_kind
happen(struct atomic *key, unsigned worker, enum atomic_code code)
{
    struct key_answer answer;

    atomic_step(key, (struct key_step){(uint8_t)code, (uint8_t)worker,
                                       code != ATOMIC_ARRIVES});
    assert_true(atomic_answer(key, worker, &answer));
    return answer.kind;
}

static struct key_answer
read_by(struct atomic *key, unsigned worker)
{
    struct key_answer answer;

    atomic_issue(key, worker, (struct key_request){.kind = KEY_READ});
    assert_true(atomic_answer(key, worker, &answer));
    return answer;
}

static void
a_write_is_there_when_it_arrives_and_not_before(void **state)
{
    struct atomic key;

    (void)state;
    atomic_init(&key, false);
    write_by(&key, 0, (struct key_request){0});
    assert_int_equal(read_by(&key, 1).kind, KEY_NOT_FOUND);
    assert_int_equal(happen(&key, 0, ATOMIC_ARRIVES), KEY_OK);
    assert_int_equal(read_by(&key, 1).kind, KEY_FOUND);
    assert_int_equal(read_by(&key, 1).siblings[0].id, 1);
}

static void
without_siblings_the_last_to_arrive_stays(void **state)
{
    struct atomic key;
    struct key_answer answer;

    (void)state;
    atomic_init(&key, false);
    write_by(&key, 0, (struct key_request){0});
    write_by(&key, 1, (struct key_request){0});
    happen(&key, 1, ATOMIC_ARRIVES);
    happen(&key, 0, ATOMIC_ARRIVES);
    answer = read_by(&key, 1);
    assert_int_equal(answer.count, 1);
    assert_int_equal(answer.siblings[0].id, 1);
}

static void
with_siblings_a_blind_write_stands_beside_what_is_there(void **state)
{
    struct atomic key;

    (void)state;
    atomic_init(&key, true);
    write_by(&key, 0, (struct key_request){0});
    happen(&key, 0, ATOMIC_ARRIVES);
    write_by(&key, 1, (struct key_request){0});
    happen(&key, 1, ATOMIC_ARRIVES);
    assert_int_equal(read_by(&key, 0).count, 2);
}

static void
a_context_replaces_what_it_saw_and_nothing_else(void **state)
{
    struct atomic key;
    struct key_answer answer;

    (void)state;
    atomic_init(&key, true);
    write_by(&key, 0, (struct key_request){0});
    happen(&key, 0, ATOMIC_ARRIVES);
    read_by(&key, 2);
    write_by(&key, 1, (struct key_request){0});
    happen(&key, 1, ATOMIC_ARRIVES);
    write_by(&key, 2, (struct key_request){.with_context = true});
    happen(&key, 2, ATOMIC_ARRIVES);
    answer = read_by(&key, 0);
    assert_int_equal(answer.count, 2);
    assert_int_equal(answer.siblings[0].id, 2);
    assert_int_equal(answer.siblings[1].id, 3);
}

static void
a_remove_leaves_nothing(void **state)
{
    struct atomic key;

    (void)state;
    atomic_init(&key, true);
    for (unsigned i = 0; i < 2; i++) {
        write_by(&key, i, (struct key_request){0});
        happen(&key, i, ATOMIC_ARRIVES);
    }
    atomic_issue(&key, 0, (struct key_request){.kind = KEY_REMOVE});
    assert_int_equal(happen(&key, 0, ATOMIC_ARRIVES), KEY_OK);
    assert_int_equal(read_by(&key, 1).kind, KEY_NOT_FOUND);
}

static void
an_error_tells_nothing_of_whether_it_was_done(void **state)
{
    struct atomic key;

    (void)state;
    atomic_init(&key, false);
    write_by(&key, 0, (struct key_request){0});
    assert_int_equal(happen(&key, 0, ATOMIC_ERRS_UNDONE), KEY_ERROR);
    assert_int_equal(read_by(&key, 0).kind, KEY_NOT_FOUND);
    write_by(&key, 0, (struct key_request){0});
    assert_int_equal(happen(&key, 0, ATOMIC_ERRS_DONE), KEY_ERROR);
    assert_int_equal(read_by(&key, 0).kind, KEY_FOUND);
}

static void
a_write_if_absent_shows_what_was_there_instead(void **state)
{
    struct atomic key;

    (void)state;
    atomic_init(&key, false);
    write_by(&key, 0, (struct key_request){.if_absent = true});
    write_by(&key, 1, (struct key_request){.if_absent = true});
    assert_int_equal(happen(&key, 1, ATOMIC_ARRIVES), KEY_OK);
    assert_int_equal(happen(&key, 0, ATOMIC_ARRIVES), KEY_FOUND);
    assert_int_equal(read_by(&key, 0).siblings[0].id, 2);
}

static void
a_write_is_under_way_until_it_arrives(void **state)
{
    struct atomic key;

    (void)state;
    atomic_init(&key, false);
    assert_false(atomic_is_under_way(&key, 2));
    write_by(&key, 2, (struct key_request){0});
    assert_true(atomic_is_under_way(&key, 2));
    assert_false(atomic_is_under_way(&key, 1));
    happen(&key, 2, ATOMIC_ARRIVES);
    assert_false(atomic_is_under_way(&key, 2));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_is_there_when_it_arrives_and_not_before),
        cmocka_unit_test(without_siblings_the_last_to_arrive_stays),
        cmocka_unit_test(
            with_siblings_a_blind_write_stands_beside_what_is_there),
        cmocka_unit_test(a_context_replaces_what_it_saw_and_nothing_else),
        cmocka_unit_test(a_remove_leaves_nothing),
        cmocka_unit_test(an_error_tells_nothing_of_whether_it_was_done),
        cmocka_unit_test(a_write_if_absent_shows_what_was_there_instead),
        cmocka_unit_test(a_write_is_under_way_until_it_arrives),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
