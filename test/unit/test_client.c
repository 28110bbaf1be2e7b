#include "support/test.h"
#include "unit/support/clients.h"

#include <unistd.h>

#include "base/clock.h"

/*
 * libholdfast among the living: a lock is granted, held, waited for and
 * released.
 */

TEST(a_lock_is_granted_checked_and_released)
{
    struct hf_client *client = open_client("memory:granted");
    struct hf_lock *lock = hold(client, "deploy", NULL);

    assert_int_equal(hf_lock_check(lock), HF_GRANTED);
    assert_true(hf_lock_fence(lock) > 0);
    assert_true(hf_lock_right_ms(lock) > hf_now().ms);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

TEST(fences_only_grow)
{
    struct hf_client *client = open_client("memory:fences");
    uint64_t highest = 0;

    for (int i = 0; i < 100; i++) {
        struct hf_lock *lock = hold(client, "deploy", NULL);

        assert_true(hf_lock_fence(lock) > highest);
        highest = hf_lock_fence(lock);
        assert_int_equal(give_back(lock), HF_OK);
    }
    close_client(client);
}

TEST(try_gives_up_at_the_first_sign_of_life)
{
    struct hf_client *a = open_client("memory:try");
    struct hf_client *b = open_client("memory:try");
    struct hf_lock *lock = hold(a, "deploy", NULL);
    struct hf_lock *tried = acquire(b, "deploy", HF_WAIT, "try", NULL);
    struct hf_view *seen = hf_lock_view(tried);

    assert_int_equal(hf_lock_check(tried), HF_TIMED_OUT);
    assert_int_equal(hf_lock_fence(tried), 0);
    assert_true(hf_view_number(seen, HF_FIELD_RUNNING));
    assert_int_equal(hf_view_number(seen, HF_FIELD_FENCE), hf_lock_fence(lock));
    assert_int_equal(hf_view_item(seen, HF_FIELD_PROCESSES, 0), getpid());
    hf_view_free(seen);
    assert_int_equal(finish(tried), HF_OK);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(a);
    close_client(b);
}

/* ---- Waiting ------------------------------------------------------------- */

TEST(a_waiter_is_granted_what_is_released)
{
    struct hf_client *a = open_client("memory:waiter");
    struct hf_client *b = open_client("memory:waiter");
    struct hf_lock *lock = hold(a, "deploy", NULL);
    struct hf_lock *waiter = ask_for(b, "deploy", NULL);
    uint64_t fence = hf_lock_fence(lock);

    await_holder(b, waiter);
    assert_int_equal(give_back(lock), HF_OK);
    assert_int_equal(hf_lock_wait(waiter, HF_FOREVER), HF_STATE_HELD);
    assert_true(hf_lock_fence(waiter) > fence);
    assert_int_equal(give_back(waiter), HF_OK);
    close_client(a);
    close_client(b);
}

TEST(one_client_may_wait_for_its_own_lock)
{
    struct hf_client *client = open_client("memory:own");
    struct hf_lock *lock = hold(client, "deploy", NULL);
    struct hf_lock *waiter = ask_for(client, "deploy", NULL);

    assert_int_equal(hf_lock_state(waiter), HF_STATE_WAITING);
    assert_int_equal(give_back(lock), HF_OK);
    assert_int_equal(hf_lock_wait(waiter, HF_FOREVER), HF_STATE_HELD);
    assert_int_equal(give_back(waiter), HF_OK);
    close_client(client);
}

/* Whoever waits for one of its own client's is told who holds it, too. */
TEST(a_waiter_behind_its_own_client_sees_the_holder)
{
    struct hf_client *client = open_client("memory:sees-own");
    struct hf_lock *lock = hold(client, "deploy", HF_REASON, "release 7", NULL);
    struct hf_lock *waiter = ask_for(client, "deploy", NULL);
    struct hf_view *seen = hf_lock_view(waiter);

    assert_int_equal(hf_view_number(seen, HF_FIELD_FENCE), hf_lock_fence(lock));
    assert_int_equal(hf_view_number(seen, HF_FIELD_LIFE), HF_LIFE_BEATING);
    assert_string_equal(hf_view_text(seen, HF_FIELD_NAME), "deploy");
    assert_string_equal(hf_view_text(seen, HF_FIELD_REASON), "release 7");
    hf_view_free(seen);
    close_client(client);
    hf_lock_free(lock);
    hf_lock_free(waiter);
}

TEST(a_cancelled_waiter_leaves_nothing)
{
    struct hf_client *a = open_client("memory:cancel");
    struct hf_client *b = open_client("memory:cancel");
    struct hf_lock *lock = hold(a, "deploy", NULL);
    struct hf_lock *waiter = ask_for(b, "deploy", NULL);

    await_holder(b, waiter);
    hf_lock_cancel(waiter);
    assert_int_equal(finish(waiter), HF_E_CANCELLED);
    assert_int_equal(hf_lock_check(lock), HF_GRANTED);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(a);
    close_client(b);
}

TEST(a_live_holder_past_the_limit_is_held_too_long)
{
    struct hf_client *a = open_client("memory:toolong");
    struct hf_client *b = open_client("memory:toolong");
    struct hf_lock *lock = hold(a, "deploy", HF_TTL, SHORT_TTL, NULL);
    struct hf_lock *waited = acquire(b, "deploy", HF_WAIT, "900ms", NULL);
    struct hf_view *seen = hf_lock_view(waited);

    assert_int_equal(hf_lock_check(waited), HF_HELD_TOO_LONG);
    assert_int_equal(hf_view_number(seen, HF_FIELD_LIFE), HF_LIFE_BEATING);
    assert_int_equal(hf_lock_check(lock), HF_GRANTED);
    hf_view_free(seen);
    hf_lock_free(waited);
    hf_lock_free(lock);
    close_client(a);
    close_client(b);
}
