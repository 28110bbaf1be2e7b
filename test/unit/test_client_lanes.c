#include "support/test.h"
#include "unit/support/clients.h"

#include <poll.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "support/forward_store.h"
#include "unit/support/deaf.h"

/*
 * One client's requests for one lock, beside each other: lanes, which do not
 * wait for themselves, and tries, which do not wait for whoever lives.
 */

/* It has been answered, without a wait that could be called one. */
static void
expect_answer(struct hf_lock *lock, enum hf_outcome outcome)
{
    assert_int_equal(hf_lock_wait(lock, (struct hf_duration){5000}),
                     HF_STATE_ENDED);
    assert_int_equal(hf_lock_check(lock), outcome);
    assert_int_equal(hf_lock_error(lock, NULL), HF_OK);
    assert_int_equal(hf_lock_fence(lock), 0);
    hf_lock_free(lock);
}

/* ---- Lanes --------------------------------------------------------------- */

TEST(a_lane_does_not_wait_for_the_lock_it_holds)
{
    struct hf_client *client = open_client("memory:lane");
    struct hf_lock *lock = hold(client, "deploy", HF_LANE, "build 7", NULL);
    struct hf_lock *again = ask_for(client, "deploy", HF_LANE, "build 7", NULL);

    assert_int_equal(hf_lock_state(again), HF_STATE_ENDED); /* at once */
    expect_answer(again, HF_ALREADY_HELD);
    assert_int_equal(hf_lock_check(lock), HF_GRANTED);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

TEST(a_lane_does_not_wait_behind_itself)
{
    struct hf_client *client = open_client("memory:line");
    struct hf_lock *lock = hold(client, "deploy", HF_LANE, "one", NULL);
    struct hf_lock *waiter = ask_for(client, "deploy", HF_LANE, "two", NULL);

    assert_int_equal(hf_lock_state(waiter), HF_STATE_WAITING);
    expect_answer(ask_for(client, "deploy", HF_LANE, "two", NULL),
                  HF_ALREADY_HELD);
    assert_int_equal(give_back(lock), HF_OK);
    assert_int_equal(hf_lock_wait(waiter, HF_FOREVER), HF_STATE_HELD);
    assert_int_equal(give_back(waiter), HF_OK);
    close_client(client);
}

TEST(other_lanes_and_those_without_one_wait)
{
    struct hf_client *client = open_client("memory:lanes");
    struct hf_lock *lock = hold(client, "deploy", HF_LANE, "one", NULL);
    struct hf_lock *other = ask_for(client, "deploy", HF_LANE, "two", NULL);
    struct hf_lock *none = ask_for(client, "deploy", NULL);
    struct hf_lock *nobody = ask_for(client, "deploy", NULL);

    assert_int_equal(hf_lock_state(other), HF_STATE_WAITING);
    assert_int_equal(hf_lock_state(none), HF_STATE_WAITING);
    assert_int_equal(hf_lock_state(nobody), HF_STATE_WAITING);
    hf_lock_free(lock);
    hf_lock_free(other);
    hf_lock_free(none);
    hf_lock_free(nobody);
    close_client(client);
}

TEST(a_lane_may_hold_many_locks_and_one_name_in_two_spaces)
{
    struct hf_client *client = open_client("memory:spaces");
    struct hf_lock *a = hold(client, "a", HF_LANE, "one", NULL);
    struct hf_lock *b = hold(client, "b", HF_LANE, "one", NULL);
    struct hf_lock *there =
        hold(client, "a", HF_LANE, "one", HF_SPACE, "team", NULL);

    assert_int_equal(give_back(a), HF_OK);
    assert_int_equal(give_back(b), HF_OK);
    assert_int_equal(give_back(there), HF_OK);
    close_client(client);
}

/* What it gives back will be free: for that it may wait. */
TEST(a_lane_waits_for_what_it_is_giving_back)
{
    atomic_bool deaf = false;
    struct hf_client *client = open_deaf_client("memory:back", &deaf);
    struct hf_lock *lock = hold(client, "deploy", HF_LANE, "one", NULL);
    struct hf_lock *again;

    atomic_store(&deaf, true);
    hf_lock_release(lock);
    again = ask_for(client, "deploy", HF_LANE, "one", NULL);
    assert_int_equal(hf_lock_state(again), HF_STATE_WAITING);
    atomic_store(&deaf, false);
    assert_int_equal(hf_lock_wait(again, HF_FOREVER), HF_STATE_HELD);
    assert_int_equal(finish(lock), HF_OK);
    assert_int_equal(give_back(again), HF_OK);
    close_client(client);
}

/* ---- Tries --------------------------------------------------------------- */

/* Even when the place does not answer: it need not be asked. */
TEST(a_try_behind_a_holder_of_its_client_is_answered_at_once)
{
    atomic_bool deaf = false;
    struct hf_client *client = open_deaf_client("memory:try", &deaf);
    struct hf_lock *lock = hold(client, "deploy", HF_REASON, "release 7", NULL);
    struct hf_lock *tried;
    struct hf_view *seen;

    atomic_store(&deaf, true);
    tried = ask_for(client, "deploy", HF_WAIT, "try", NULL);
    assert_int_equal(hf_lock_state(tried), HF_STATE_ENDED);
    assert_int_equal(hf_lock_check(tried), HF_TIMED_OUT);
    seen = hf_lock_view(tried);
    assert_true(hf_view_number(seen, HF_FIELD_EXISTS));
    assert_int_equal(hf_view_number(seen, HF_FIELD_FENCE), hf_lock_fence(lock));
    assert_int_equal(hf_view_number(seen, HF_FIELD_LIFE), HF_LIFE_BEATING);
    assert_string_equal(hf_view_text(seen, HF_FIELD_REASON), "release 7");
    hf_view_free(seen);
    hf_lock_free(tried);
    atomic_store(&deaf, false);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

/* The head has seen that the holder lives, though no beat is due for long. */
TEST(a_try_behind_a_head_is_told_what_the_head_knows)
{
    struct hf_client *a = open_client("memory:head");
    struct hf_client *b = open_client("memory:head");
    struct hf_lock *lock =
        hold(a, "deploy", HF_TTL, "60s", HF_BEAT, "15s", HF_GRACE, "1s", NULL);
    struct hf_lock *head = ask_for(b, "deploy", HF_TTL, "60s", NULL);

    await_holder(b, head);
    expect_answer(ask_for(b, "deploy", HF_WAIT, "try", NULL), HF_TIMED_OUT);
    assert_int_equal(hf_lock_state(head), HF_STATE_WAITING);
    hf_lock_free(head);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(a);
    close_client(b);
}

/* Nobody lives until the head holds it: then it does. */
TEST(a_try_behind_a_head_that_takes_over_is_told_that_the_head_lives)
{
    struct hf_client *a = open_client("memory:over");
    struct hf_client *b = open_client("memory:over");
    struct hf_lock *head;
    struct hf_lock *tried;

    (void)leave_behind(
        hold(a, "deploy", HF_TTL, SHORT_TTL, HF_PROCESSES, "1", NULL));
    head = ask_for(b, "deploy", NULL);
    tried = ask_for(b, "deploy", HF_WAIT, "try", NULL);
    assert_int_equal(hf_lock_wait(head, HF_FOREVER), HF_STATE_HELD);
    expect_answer(tried, HF_TIMED_OUT);
    assert_int_equal(give_back(head), HF_OK);
    close_client(a);
    close_client(b);
}

TEST(a_try_behind_a_head_that_suspects_is_told_so)
{
    struct hf_client *a = open_client("memory:suspects");
    struct hf_client *b = open_client("memory:suspects");
    struct hf_lock *head;

    (void)leave_behind(
        hold(a, "deploy", HF_TTL, SHORT_TTL, HF_IF_DEAD, "refuse", NULL));
    head = ask_for(b, "deploy", NULL);
    (void)await_news(b, hf_lock_id(head), HF_NEWS_SUSPECTED);
    expect_answer(ask_for(b, "deploy", HF_WAIT, "try", NULL),
                  HF_SUSPECTED_DEAD);
    assert_int_equal(hf_lock_state(head), HF_STATE_WAITING);
    hf_lock_free(head);
    close_client(a);
    close_client(b);
}

TEST(a_try_of_what_is_free_is_granted)
{
    struct hf_client *client = open_client("memory:free");
    struct hf_lock *lock = hold(client, "deploy", HF_WAIT, "try", NULL);

    assert_int_equal(give_back(lock), HF_OK);
    assert_int_equal(give_back(hold(client, "deploy", HF_WAIT, "0s", NULL)),
                     HF_OK);
    close_client(client);
}

/* ---- Nothing to do ------------------------------------------------------- */

static atomic_uint closings;

static struct hf_instant
close_idle(struct hf_store *store)
{
    const struct hf_duration soon = {5};

    (void)store;
    atomic_fetch_add(&closings, 1);
    return hf_after(hf_now(), soon);
}

TEST(a_client_that_does_nothing_has_what_is_idle_closed)
{
    enum { OFTEN = 20 };
    static const struct hf_store_methods changed = {.close_idle = close_idle};
    struct forward_store *store =
        forward_store_open("memory:idle", sizeof(*store), &changed);
    struct hf_client *client = open_client_on(&store->base, "memory:idle");

    while (atomic_load(&closings) < OFTEN)
        (void)poll(NULL, 0, 1);
    close_client(client);
}

/* ---- Other clients ------------------------------------------------------- */

static bool
is_woken(struct hf_store *store, struct hf_instant until)
{
    (void)store;
    (void)until;
    return false; /* who looks at it seldom needs time to see that it is free */
}

/* It is handed over at once, and for a second that was enough. */
TEST(a_client_that_hands_a_lock_over_leaves_it_to_others_at_last)
{
    enum { REST_MS = 100, MOST_MS = 3000 };
    static const struct hf_store_methods changed = {.is_woken = is_woken};
    struct forward_store *store =
        forward_store_open("memory:rest", sizeof(*store), &changed);
    struct hf_client *client = open_client_on(&store->base, "memory:rest");
    struct hf_lock *lock = hold(client, "deploy", NULL);
    struct hf_instant began = hf_now();
    int64_t rested_ms = 0;

    while (rested_ms < REST_MS && hf_between(began, hf_now()).ms < MOST_MS) {
        struct hf_lock *next = ask_for(client, "deploy", NULL);
        struct hf_instant freed = hf_now();

        assert_int_equal(give_back(lock), HF_OK);
        assert_int_equal(hf_lock_wait(next, HF_FOREVER), HF_STATE_HELD);
        rested_ms = hf_between(freed, hf_now()).ms;
        lock = next;
    }
    assert_true(rested_ms >= REST_MS);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}
