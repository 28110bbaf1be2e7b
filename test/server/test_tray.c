#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "server/tray.h"

static bool
put(struct hf_tray *tray, uint64_t mark, const char *body)
{
    return hf_tray_put(tray, &(struct hf_tray_answer){
                                 .mark = mark,
                                 .stream = 1000 + mark,
                                 .fence = mark % 2,
                                 .status = 200,
                                 .body = {body, strlen(body)},
                             });
}

/* ---- Tests --------------------------------------------------------------- */

static void
answers_wait_for_their_mark_and_go_in_order(void **state)
{
    struct hf_tray tray = {.alloc = &hf_alloc_libc};
    struct hf_tray_answer answer;

    (void)state;
    assert_false(hf_tray_take(&tray, UINT64_MAX, &answer));
    assert_true(put(&tray, 1, "one"));
    assert_true(put(&tray, 2, ""));
    assert_true(put(&tray, 3, "three"));
    assert_false(hf_tray_take(&tray, 0, &answer));
    assert_true(hf_tray_take(&tray, 2, &answer));
    assert_int_equal(answer.mark, 1);
    assert_int_equal(answer.stream, 1001);
    assert_int_equal(answer.status, 200);
    assert_int_equal(answer.body.len, 3);
    assert_memory_equal(answer.body.at, "one", 3);
    assert_true(hf_tray_take(&tray, 2, &answer));
    assert_int_equal(answer.body.len, 0);
    assert_false(hf_tray_take(&tray, 2, &answer));
    assert_true(hf_tray_take(&tray, 3, &answer));
    assert_memory_equal(answer.body.at, "three", 5);
    assert_false(hf_tray_take(&tray, UINT64_MAX, &answer));
    hf_tray_fini(&tray);
}

/* As a busy server's: some wait, some go, for ever. */
static void
its_block_grows_with_what_waits_and_not_with_time(void **state)
{
    enum { WAITING = 1000, TURNS = 200000 };
    struct hf_tray tray = {.alloc = &hf_alloc_libc};
    struct hf_tray_answer answer;
    char body[100];

    (void)state;
    memset(body, 'b', sizeof(body));
    body[sizeof(body) - 1] = '\0';
    for (uint64_t mark = 1; mark <= TURNS; mark++) {
        assert_true(put(&tray, mark, body + mark % 90));
        if (mark <= WAITING)
            continue;
        assert_true(hf_tray_take(&tray, mark - WAITING, &answer));
        assert_int_equal(answer.mark, mark - WAITING);
        assert_int_equal(answer.body.len,
                         sizeof(body) - 1 - (mark - WAITING) % 90);
        assert_false(hf_tray_take(&tray, mark - WAITING, &answer));
    }
    assert_true(tray.size <= 1 << 20);
    hf_tray_fini(&tray);
}

static void *
no_memory(void *ctx, size_t count, size_t size)
{
    (void)ctx;
    (void)count;
    (void)size;
    return NULL;
}

static void
nothing(void *ctx, void *memory)
{
    (void)ctx;
    (void)memory;
}

static void
without_memory_it_is_as_it_was(void **state)
{
    const struct hf_alloc none = {.allocate = no_memory, .release = nothing};
    struct hf_tray tray = {.alloc = &none};
    struct hf_tray_answer answer;

    (void)state;
    assert_false(put(&tray, 1, "one"));
    assert_false(hf_tray_take(&tray, UINT64_MAX, &answer));
    hf_tray_fini(&tray);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_wait_for_their_mark_and_go_in_order),
        cmocka_unit_test(its_block_grows_with_what_waits_and_not_with_time),
        cmocka_unit_test(without_memory_it_is_as_it_was),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
