#include "unit/support/clients.h"

#include <unistd.h>

#include "base/clock.h"

/*
 * libholdfast among the living: a lock is granted, held, waited for and
 * released.
 */

static void
a_lock_is_granted_checked_and_released(void **state)
{
    struct hf_client *client = open_client("memory:granted");
    struct hf_lock *lock = hold(client, "deploy", NULL);

    (void)state;
    assert_int_equal(hf_check(lock), HF_GRANTED);
    assert_true(hf_fence(lock) > 0);
    assert_true(hf_lock_right_ms(lock) > hf_now().ms);
    assert_int_equal(hf_release(lock, NULL, NULL), HF_OK);
    hf_close(client);
}

static void
fences_only_grow(void **state)
{
    struct hf_client *client = open_client("memory:fences");
    uint64_t highest = 0;

    (void)state;
    for (int i = 0; i < 100; i++) {
        struct hf_lock *lock = hold(client, "deploy", NULL);

        assert_true(hf_fence(lock) > highest);
        highest = hf_fence(lock);
        assert_int_equal(hf_release(lock, NULL, NULL), HF_OK);
    }
    hf_close(client);
}

static void
try_gives_up_at_the_first_sign_of_life(void **state)
{
    struct hf_client *a = open_client("memory:try");
    struct hf_client *b = open_client("memory:try");
    struct hf_lock *lock = hold(a, "deploy", NULL);
    struct hf_acquired tried = acquire(b, "deploy",
                                       &(struct hf_acquire_options){
                                           .wait = HF_WAIT_TRY,
                                       });

    (void)state;
    assert_int_equal(tried.outcome, HF_TIMED_OUT);
    assert_null(tried.lock);
    assert_true(tried.seen.running);
    assert_int_equal(tried.seen.record.fence, hf_fence(lock));
    assert_int_equal(tried.seen.record.processes[0], getpid());
    assert_int_equal(hf_release(lock, NULL, NULL), HF_OK);
    hf_close(a);
    hf_close(b);
}

/* ---- Waiting ------------------------------------------------------------- */

static void
a_waiter_is_granted_what_is_released(void **state)
{
    struct hf_client *a = open_client("memory:waiter");
    struct waiter b = {.client = open_client("memory:waiter")};
    struct hf_lock *lock = hold(a, "deploy", NULL);
    uint64_t fence = hf_fence(lock);

    (void)state;
    start_waiting(&b);
    assert_int_equal(hf_release(lock, NULL, NULL), HF_OK);
    stop_waiting(&b);
    assert_int_equal(b.status, HF_OK);
    assert_int_equal(b.acquired.outcome, HF_GRANTED);
    assert_true(hf_fence(b.acquired.lock) > fence);
    hf_release(b.acquired.lock, NULL, NULL);
    hf_close(a);
    hf_close(b.client);
}

static void
one_client_may_wait_for_its_own_lock(void **state)
{
    struct hf_client *a = open_client("memory:own");
    struct waiter b = {.client = a};
    struct hf_lock *lock = hold(a, "deploy", NULL);

    (void)state;
    start_waiting(&b);
    assert_int_equal(hf_release(lock, NULL, NULL), HF_OK);
    stop_waiting(&b);
    assert_int_equal(b.acquired.outcome, HF_GRANTED);
    hf_release(b.acquired.lock, NULL, NULL);
    hf_close(a);
}

static void
a_cancelled_waiter_leaves_nothing(void **state)
{
    struct hf_client *a = open_client("memory:cancel");
    struct waiter b = {.client = open_client("memory:cancel")};
    struct hf_lock *lock = hold(a, "deploy", NULL);

    (void)state;
    assert_int_equal(hf_cancel_open(&b.options.cancel), HF_OK);
    start_waiting(&b);
    hf_cancel(b.options.cancel);
    stop_waiting(&b);
    assert_int_equal(b.status, HF_E_CANCELLED);
    assert_int_equal(hf_check(lock), HF_GRANTED);
    hf_cancel_close(b.options.cancel);
    hf_release(lock, NULL, NULL);
    hf_close(a);
    hf_close(b.client);
}

static void
a_live_holder_past_the_limit_is_held_too_long(void **state)
{
    struct hf_client *a = open_client("memory:toolong");
    struct hf_client *b = open_client("memory:toolong");
    struct hf_lock *lock =
        hold(a, "deploy", &(struct hf_acquire_options){.ttl = short_ttl});
    struct hf_acquired waited =
        acquire(b, "deploy", &(struct hf_acquire_options){.limit = {900}});

    (void)state;
    assert_int_equal(waited.outcome, HF_HELD_TOO_LONG);
    assert_int_equal(waited.seen.life, HF_LIFE_BEATING);
    assert_int_equal(hf_check(lock), HF_GRANTED);
    hf_release(lock, NULL, NULL);
    hf_close(a);
    hf_close(b);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_is_granted_checked_and_released),
        cmocka_unit_test(fences_only_grow),
        cmocka_unit_test(try_gives_up_at_the_first_sign_of_life),
        cmocka_unit_test(a_waiter_is_granted_what_is_released),
        cmocka_unit_test(one_client_may_wait_for_its_own_lock),
        cmocka_unit_test(a_cancelled_waiter_leaves_nothing),
        cmocka_unit_test(a_live_holder_past_the_limit_is_held_too_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
