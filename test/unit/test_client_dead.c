#include "support/test.h"
#include "unit/support/clients.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

/*
 * libholdfast when a holder does not release: what a waiter does with its
 * lock, and what a person may.
 */

/* ---- Death --------------------------------------------------------------- */

TEST(an_unbeaten_takeover_lock_is_taken_over)
{
    struct hf_client *a = open_client("memory:takeover");
    struct hf_client *b = open_client("memory:takeover");
    struct hf_lock *lock = hold(a, "deploy", HF_TTL, SHORT_TTL, NULL);
    uint64_t fence = hf_lock_fence(lock);
    struct hf_lock *taken;

    (void)leave_behind(lock);
    taken = hold(b, "deploy", NULL);
    assert_true(hf_lock_fence(taken) > fence);
    assert_int_equal(give_back(taken), HF_OK);
    close_client(a);
    close_client(b);
}

TEST(an_unbeaten_refuse_lock_is_suspected_and_kept)
{
    struct hf_client *a = open_client("memory:suspected");
    struct hf_client *b = open_client("memory:suspected");
    struct hf_lock *lock =
        hold(a, "deploy", HF_TTL, SHORT_TTL, HF_IF_DEAD, "refuse", NULL);
    uint64_t fence = hf_lock_fence(lock);
    struct hf_lock *waited;
    struct hf_view *seen;

    (void)leave_behind(lock);
    waited = acquire(b, "deploy", HF_WAIT, "1500ms", NULL);
    assert_int_equal(hf_lock_check(waited), HF_SUSPECTED_DEAD);
    seen = hf_lock_view(waited);
    assert_true(hf_view_number(seen, HF_FIELD_UNCHANGED_MS) >= SHORT_TTL_MS);
    assert_int_equal(hf_view_number(seen, HF_FIELD_LIFE), HF_LIFE_SUSPECTED);
    hf_view_free(seen);
    seen = examine(b, "deploy", NULL);
    assert_int_equal(hf_view_number(seen, HF_FIELD_FENCE), fence);
    hf_view_free(seen);
    hf_lock_free(waited);
    close_client(a);
    close_client(b);
}

/* It is told of it when that is known, and may wish to wait no longer. */
TEST(a_waiter_that_wishes_it_ends_as_soon_as_the_holder_is_suspected)
{
    struct hf_client *a = open_client("memory:wish");
    struct hf_client *b = open_client("memory:wish");
    struct hf_lock *patient;
    struct hf_lock *other;

    (void)leave_behind(
        hold(a, "deploy", HF_TTL, SHORT_TTL, HF_IF_DEAD, "refuse", NULL));
    patient = ask_for(b, "deploy", NULL);
    other = acquire(b, "deploy", HF_IF_SUSPECTED, "fail", NULL);
    assert_int_equal(hf_lock_check(other), HF_SUSPECTED_DEAD);
    (void)await_news(b, hf_lock_id(patient), HF_NEWS_SUSPECTED);
    assert_int_equal(hf_lock_state(patient), HF_STATE_WAITING);
    hf_lock_free(patient);
    hf_lock_free(other);
    close_client(a);
    close_client(b);
}

TEST(a_holder_whose_process_is_gone_is_found_at_once)
{
    struct file_place place;
    struct hf_client *client;
    struct hf_lock *waited;
    struct hf_lock *taken;
    struct hf_view *seen;
    struct hf_instant start = hf_now();
    pid_t refuse;
    pid_t takeover;

    make_place(&place);
    refuse = hold_and_die(place.url, "migrate", HF_IF_DEAD, "refuse", NULL);
    takeover = hold_and_die(place.url, "deploy", NULL);
    client = open_client(place.url);
    waited = acquire(client, "migrate", NULL);
    assert_int_equal(hf_lock_check(waited), HF_GONE);
    seen = hf_lock_view(waited);
    assert_int_equal(hf_view_number(seen, HF_FIELD_LIFE), HF_LIFE_GONE);
    assert_int_equal(hf_view_item(seen, HF_FIELD_PROCESSES, 0), refuse);
    hf_view_free(seen);
    taken = hold(client, "deploy", NULL);
    assert_true(hf_between(start, hf_now()).ms < 20000);
    assert_int_equal(give_back(taken), HF_OK);
    hf_lock_free(waited);
    waitpid(refuse, NULL, 0);
    waitpid(takeover, NULL, 0);
    close_client(client);
    remove_place(&place);
}

/* Not only when the waiter looks at the record again, after about a beat. */
TEST(a_holder_that_ends_while_it_is_waited_for_is_found_at_once)
{
    struct file_place place;
    struct hf_client *client;
    struct hf_lock *waiter;
    struct hf_instant killed_at;
    pid_t holder;

    make_place(&place);
    holder = hold_until_killed(place.url, "deploy", NULL);
    client = open_client(place.url);
    waiter = ask_for(client, "deploy", HF_WAIT, "20s", NULL);
    await_holder(client, waiter);
    killed_at = hf_now();
    assert_int_equal(kill(holder, SIGKILL), 0);
    assert_int_equal(hf_lock_wait(waiter, HF_FOREVER), HF_STATE_HELD);
    assert_true(hf_between(killed_at, hf_now()).ms < 1200); /* a beat: 2 s */
    assert_int_equal(give_back(waiter), HF_OK);
    waitpid(holder, NULL, 0);
    close_client(client);
    remove_place(&place);
}

/* What the first of them learns is true for all. */
TEST(of_a_refuse_holder_that_is_gone_every_waiter_hears)
{
    enum { WAITERS = 4 };
    struct file_place place;
    struct hf_client *client;
    struct hf_lock *waiters[WAITERS];
    pid_t holder;

    make_place(&place);
    holder =
        hold_until_killed(place.url, "migrate", HF_IF_DEAD, "refuse", NULL);
    client = open_client(place.url);
    for (size_t i = 0; i < WAITERS; i++)
        waiters[i] = ask_for(client, "migrate", NULL);
    await_holder(client, waiters[0]);
    kill_holder(holder);
    for (size_t i = 0; i < WAITERS; i++) {
        struct hf_view *seen;

        assert_int_equal(hf_lock_wait(waiters[i], HF_FOREVER), HF_STATE_ENDED);
        assert_int_equal(hf_lock_check(waiters[i]), HF_GONE);
        seen = hf_lock_view(waiters[i]);
        assert_int_equal(hf_view_item(seen, HF_FIELD_PROCESSES, 0), holder);
        hf_view_free(seen);
        hf_lock_free(waiters[i]);
    }
    close_client(client);
    remove_place(&place);
}

/* Also of the one that nobody looked at when the process ended. */
TEST(of_a_holder_that_is_gone_the_waiters_of_all_its_locks_hear)
{
    struct hf_client *holder = open_client("memory:both");
    struct hf_client *client = open_client("memory:both");
    pid_t process = fork();
    struct hf_lock *held[2];
    struct hf_lock *waiters[2];
    char pids[16];

    if (process == 0) {
        (void)pause();
        _exit(0);
    }
    snprintf(pids, sizeof(pids), "%d", (int)process);
    for (int i = 0; i < 2; i++) {
        held[i] = hold(holder, i == 0 ? "one" : "two", HF_IF_DEAD, "refuse",
                       HF_PROCESSES, pids, NULL);
        waiters[i] = ask_for(client, i == 0 ? "one" : "two", NULL);
        await_holder(client, waiters[i]);
    }
    for (int i = 0; i < 50; i++) {
        if (i == 25)
            kill_holder(process);
        hf_view_free(examine(client, "one", NULL));
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(hf_lock_wait(waiters[i], HF_FOREVER), HF_STATE_ENDED);
        assert_int_equal(hf_lock_check(waiters[i]), HF_GONE);
        hf_lock_free(waiters[i]);
        assert_int_equal(give_back(held[i]), HF_OK);
    }
    close_client(client);
    close_client(holder);
}

/* ---- Clearing ------------------------------------------------------------ */

TEST(a_dead_refuse_lock_is_cleared_by_hand)
{
    struct file_place place;
    struct hf_client *client;
    struct hf_query *unexplained;
    struct hf_view *seen;
    struct hf_error error = {0};
    struct hf_lock *lock;
    pid_t dead;

    make_place(&place);
    dead = hold_and_die(place.url, "migrate", HF_IF_DEAD, "refuse", NULL);
    client = open_client(place.url);
    unexplained = new_query(client, HF_CLEAR, HF_NAME, "migrate", NULL);
    assert_int_equal(hf_query_start(unexplained, &error), HF_E_INVALID);
    assert_string_equal(
        error.text,
        "a reason is needed to clear a lock, with a letter or a digit "
        "in it");
    hf_query_free(unexplained);
    seen = clear(client, "migrate", HF_REASON, "host rebooted", NULL);
    assert_true(hf_view_number(seen, HF_FIELD_CLEARED));
    assert_int_equal(hf_view_number(seen, HF_FIELD_LIFE), HF_LIFE_GONE);
    lock = hold(client, "migrate", NULL);
    assert_true((int64_t)hf_lock_fence(lock) >
                hf_view_number(seen, HF_FIELD_FENCE));
    assert_int_equal(give_back(lock), HF_OK);
    hf_view_free(seen);
    waitpid(dead, NULL, 0);
    close_client(client);
    remove_place(&place);
}

TEST(a_live_lock_is_not_cleared)
{
    struct hf_client *a = open_client("memory:alive");
    struct hf_client *b = open_client("memory:alive");
    struct hf_lock *lock = hold(a, "deploy", HF_TTL, SHORT_TTL, NULL);
    struct hf_view *seen = clear(b, "deploy", HF_REASON, "why not", NULL);

    assert_false(hf_view_number(seen, HF_FIELD_CLEARED));
    assert_int_equal(hf_view_number(seen, HF_FIELD_LIFE), HF_LIFE_BEATING);
    assert_int_equal(hf_lock_check(lock), HF_GRANTED);
    hf_view_free(seen);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(a);
    close_client(b);
}

/* ---- What the holder hears of it ----------------------------------------- */

TEST(a_forced_clear_is_told_to_the_holder)
{
    struct hf_client *a = open_client("memory:forced");
    struct hf_client *b = open_client("memory:forced");
    struct hf_lock *lock =
        hold(a, "deploy", HF_TTL, SHORT_TTL, HF_IF_DEAD, "refuse", NULL);
    unsigned told;

    clear_by_force(b, "deploy");
    told = await_news(a, hf_lock_id(lock), HF_NEWS_LOST);
    assert_true((told & HF_NEWS_IN_DOUBT) == 0);
    assert_int_equal(hf_lock_check(lock), HF_LOST);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(a);
    close_client(b);
}

/* They beat together, and so they are lost together. */
TEST(of_many_locks_lost_at_once_each_is_told_once)
{
    enum { LOCKS = 8 };
    static const char *const names[LOCKS] = {"a", "b", "c", "d",
                                             "e", "f", "g", "h"};
    struct hf_client *a = open_client("memory:many");
    struct hf_client *b = open_client("memory:many");
    struct hf_lock *locks[LOCKS];
    unsigned told[LOCKS] = {0};
    const struct hf_notice *notice;

    for (size_t i = 0; i < LOCKS; i++) {
        locks[i] = hold(a, names[i], HF_TTL, "3s", NULL);
        hf_lock_set_user(locks[i], &told[i]);
    }
    while (hf_client_next(a) != NULL)
        ; /* of the grants */
    for (size_t i = 0; i < LOCKS; i++)
        clear_by_force(b, names[i]);
    for (size_t i = 0; i < LOCKS; i++)
        while (hf_lock_wait(locks[i], (struct hf_duration){5}) !=
               HF_STATE_ENDED)
            ; /* it settles by itself */
    while ((notice = hf_client_next(a)) != NULL)
        if ((hf_notice_news(notice) & HF_NEWS_LOST) != 0)
            ++*(unsigned *)hf_notice_user(notice);
    for (size_t i = 0; i < LOCKS; i++) {
        assert_int_equal(told[i], 1);
        assert_int_equal(hf_lock_check(locks[i]), HF_LOST);
        assert_int_equal(give_back(locks[i]), HF_OK);
    }
    close_client(a);
    close_client(b);
}
