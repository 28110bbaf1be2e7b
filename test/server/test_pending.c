#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "server/pending.h"

static bool
put(struct hf_pending *pending, uint64_t mark, const char *body)
{
    return hf_pending_keep(pending, &(struct hf_pending_answer){
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
    struct hf_pending pending = {.alloc = &hf_alloc_libc};
    struct hf_pending_answer answer;

    (void)state;
    assert_false(hf_pending_take(&pending, UINT64_MAX, &answer));
    assert_true(put(&pending, 1, "one"));
    assert_true(put(&pending, 2, ""));
    assert_true(put(&pending, 3, "three"));
    assert_false(hf_pending_take(&pending, 0, &answer));
    assert_true(hf_pending_take(&pending, 2, &answer));
    assert_int_equal(answer.mark, 1);
    assert_int_equal(answer.stream, 1001);
    assert_int_equal(answer.status, 200);
    assert_int_equal(answer.body.len, 3);
    assert_memory_equal(answer.body.at, "one", 3);
    assert_true(hf_pending_take(&pending, 2, &answer));
    assert_int_equal(answer.body.len, 0);
    assert_false(hf_pending_take(&pending, 2, &answer));
    assert_true(hf_pending_take(&pending, 3, &answer));
    assert_memory_equal(answer.body.at, "three", 5);
    assert_false(hf_pending_take(&pending, UINT64_MAX, &answer));
    hf_pending_fini(&pending);
}

/* As a busy server's: some wait, some go, for ever. */
static void
its_block_grows_with_what_waits_and_not_with_time(void **state)
{
    enum { WAITING = 1000, TURNS = 200000 };
    struct hf_pending pending = {.alloc = &hf_alloc_libc};
    struct hf_pending_answer answer;
    char body[100];

    (void)state;
    memset(body, 'b', sizeof(body));
    body[sizeof(body) - 1] = '\0';
    for (uint64_t mark = 1; mark <= TURNS; mark++) {
        assert_true(put(&pending, mark, body + mark % 90));
        if (mark <= WAITING)
            continue;
        assert_true(hf_pending_take(&pending, mark - WAITING, &answer));
        assert_int_equal(answer.mark, mark - WAITING);
        assert_int_equal(answer.body.len,
                         sizeof(body) - 1 - (mark - WAITING) % 90);
        assert_false(hf_pending_take(&pending, mark - WAITING, &answer));
    }
    assert_true(pending.room <= 1 << 20);
    hf_pending_fini(&pending);
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
    struct hf_pending pending = {.alloc = &none};
    struct hf_pending_answer answer;

    (void)state;
    assert_false(put(&pending, 1, "one"));
    assert_false(hf_pending_take(&pending, UINT64_MAX, &answer));
    hf_pending_fini(&pending);
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
