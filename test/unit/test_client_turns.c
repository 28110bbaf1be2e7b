#include "support/test.h"
#include "unit/support/clients.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "client/client.h"
#include "client/place.h"
#include "client/state.h"
#include "store/methods.h"
#include "support/forward_store.h"

/*
 * Who makes the store's calls: a caller that waits alone does, in its own
 * thread, and else a thread of the client's.
 */

enum { PAIRS = 200, PATIENCE_MS = 20000 };

/* What came back from the store, as the trace has it. */
struct answers {
    pthread_t caller;
    size_t to_caller; /* in its thread */
    size_t to_others;
};

static void
count_answer(void *ctx, const char *line)
{
    struct answers *answers = ctx;

    if (strstr(line, " answer #") == NULL && strstr(line, " found #") == NULL)
        return;
    if (pthread_equal(pthread_self(), answers->caller))
        answers->to_caller++;
    else
        answers->to_others++;
}

static struct hf_client *
open_counted(const char *place, struct answers *answers)
{
    struct hf_client *client = NULL;

    *answers = (struct answers){.caller = pthread_self()};
    assert_int_equal(hf_client_new(NULL, &client, NULL), HF_OK);
    hf_client_trace(client, count_answer, answers);
    assert_int_equal(hf_client_open(client, place, NULL), HF_OK);
    return client;
}

/* Wait for it in one piece, or in pieces of `limit`. */
static enum hf_state
wait_in_pieces(struct hf_lock *lock, struct hf_duration limit)
{
    enum hf_state state = hf_lock_wait(lock, limit);

    while (state == HF_STATE_WAITING || state == HF_STATE_RELEASING)
        state = hf_lock_wait(lock, limit);
    return state;
}

static void
pair(struct hf_client *client, struct hf_duration limit)
{
    struct hf_lock *lock = ask_for(client, "pair", NULL);

    assert_int_equal(wait_in_pieces(lock, limit), HF_STATE_HELD);
    hf_lock_release(lock);
    assert_int_equal(wait_in_pieces(lock, limit), HF_STATE_ENDED);
    hf_lock_free(lock);
}

/* Pairs until the caller's thread has made a call. */
static void
pair_until_it_calls(struct hf_client *client, const struct answers *answers)
{
    struct hf_instant end =
        hf_after(hf_now(), (struct hf_duration){PATIENCE_MS});

    while (answers->to_caller == 0 && !hf_reached(hf_now(), end))
        pair(client, HF_FOREVER);
    assert_true(answers->to_caller > 0);
}

TEST(a_caller_that_waits_alone_makes_the_calls_itself)
{
    struct answers answers;
    struct file_place place;
    struct hf_client *client = open_counted("memory:turns", &answers);

    pair_until_it_calls(client, &answers);
    close_client(client);

    make_place(&place);
    client = open_counted(place.url, &answers);
    pair_until_it_calls(client, &answers);
    close_client(client);
    remove_place(&place);
}

TEST(a_caller_with_little_patience_makes_none)
{
    struct answers answers;
    struct hf_client *client = open_counted("memory:turns", &answers);

    for (int i = 0; i < PAIRS; i++)
        pair(client, (struct hf_duration){50});
    close_client(client);
    assert_int_equal(answers.to_caller, 0);
    assert_true(answers.to_others >= 3 * PAIRS);
}

/* Until another thread waits. */
static void
await_waiter(struct hf_client *client)
{
    size_t waiting = 0;

    while (waiting == 0) {
        hf_monitor_enter(&client->monitor);
        waiting = client->waiting;
        hf_monitor_leave(&client->monitor);
        (void)poll(NULL, 0, 1);
    }
}

static void *
hold_once_free(void *arg)
{
    struct hf_lock *lock = ask_for(arg, "held", NULL);

    assert_int_equal(hf_lock_wait(lock, HF_FOREVER), HF_STATE_HELD);
    assert_int_equal(give_back(lock), HF_OK);
    return NULL;
}

TEST(a_caller_that_does_not_wait_alone_makes_none)
{
    struct answers answers;
    struct hf_client *client = open_counted("memory:turns", &answers);
    struct hf_lock *held = hold(client, "held", NULL);
    size_t before;
    pthread_t other;

    assert_int_equal(pthread_create(&other, NULL, hold_once_free, client), 0);
    await_waiter(client);
    before = answers.to_caller;
    for (int i = 0; i < PAIRS; i++)
        pair(client, HF_FOREVER);
    assert_int_equal(answers.to_caller, before);
    assert_int_equal(give_back(held), HF_OK);
    pthread_join(other, NULL);
    close_client(client);
}

/* While callers make the calls, no worker is woken for what is started. */
TEST(what_is_not_waited_for_is_done_all_the_same)
{
    struct answers answers;
    struct hf_client *client = open_counted("memory:turns", &answers);
    struct hf_client *other = open_client("memory:turns");

    for (int i = 0; i < PAIRS; i++) {
        struct hf_lock *lock;

        pair(client, HF_FOREVER);
        lock = ask_for(client, "pair", NULL);
        await_news(client, hf_lock_id(lock), HF_NEWS_GRANTED);
        hf_lock_free(lock); /* it is given back, and that is not waited for */
        lock = hold(other, "pair", NULL);
        assert_int_equal(give_back(lock), HF_OK);
    }
    close_client(other);
    close_client(client);
}

/* ---- A place that is locked ---------------------------------------------- */

/* A store that notes how long a call of the test's thread may take. */
struct timed_store {
    struct forward_store forward;
    pthread_t caller;
    int64_t longest_ms; /* of its calls; -1: there was none */
};

static void
commit_timed(struct hf_store *store, struct hf_store_group *groups,
             size_t groups_count, struct hf_instant until,
             struct hf_error *error)
{
    struct timed_store *timed = (struct timed_store *)(void *)store;
    int64_t ms = hf_between(hf_now(), until).ms;

    if (pthread_equal(pthread_self(), timed->caller) && ms > timed->longest_ms)
        timed->longest_ms = ms;
    forward_store_commit(store, groups, groups_count, until, error);
}

TEST(a_call_of_a_callers_may_take_little_time)
{
    static const struct hf_store_methods changed = {.commit = commit_timed};
    struct hf_instant end =
        hf_after(hf_now(), (struct hf_duration){PATIENCE_MS});
    struct timed_store *store =
        forward_store_open("memory:timed", sizeof(*store), &changed);
    struct hf_client *client;

    store->caller = pthread_self();
    store->longest_ms = -1;
    client = open_client_on(&store->forward.base, "memory:timed");
    while (store->longest_ms < 0 && !hf_reached(hf_now(), end))
        pair(client, HF_FOREVER);
    assert_in_range(store->longest_ms, 0, HF_TURN_MS);
    close_client(client);
}

/* ---- A full file limit --------------------------------------------------- */

/* A store whose commits go past the file limit of the process. */
struct full_store {
    struct forward_store forward;
    pthread_t caller;
    size_t commits; /* of its thread */
};

static void
commit_past_limit(struct hf_store *store, struct hf_store_group *groups,
                  size_t groups_count, struct hf_instant until,
                  struct hf_error *error)
{
    struct full_store *full = (struct full_store *)(void *)store;

    if (pthread_equal(pthread_self(), full->caller)) {
        full->commits++;
        pthread_kill(pthread_self(), SIGXFSZ); /* as the kernel does */
    }
    forward_store_commit(store, groups, groups_count, until, error);
}

static volatile sig_atomic_t limits_met;

static void
on_limit(int signal)
{
    (void)signal;
    limits_met++;
}

static bool
is_pending(void)
{
    sigset_t pending;

    assert_int_equal(sigpending(&pending), 0);
    return sigismember(&pending, SIGXFSZ) == 1;
}

static void
pair_past_limit(struct hf_client *client, struct full_store *store)
{
    struct hf_instant end =
        hf_after(hf_now(), (struct hf_duration){PATIENCE_MS});

    store->commits = 0;
    while (store->commits == 0 && !hf_reached(hf_now(), end))
        pair(client, HF_FOREVER);
    assert_true(store->commits > 0);
}

TEST(a_full_file_limit_does_not_signal_a_caller_that_makes_the_calls)
{
    static const struct hf_store_methods changed = {.commit =
                                                        commit_past_limit};
    struct full_store *store =
        forward_store_open("memory:full", sizeof(*store), &changed);
    const struct sigaction noting = {.sa_handler = on_limit};
    struct hf_client *client;
    struct sigaction before;
    sigset_t limit;
    sigset_t mask;
    sigset_t now;

    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    assert_int_equal(sigaction(SIGXFSZ, &noting, &before), 0);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
    store->caller = pthread_self();
    client = open_client_on(&store->forward.base, "memory:full");

    pair_past_limit(client, store);
    assert_int_equal(limits_met, 0);
    assert_false(is_pending());
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &limit, &now), 0);
    assert_int_equal(sigismember(&now, SIGXFSZ), sigismember(&mask, SIGXFSZ));

    /* Blocked by the program: nothing of ours is left behind. */
    pair_past_limit(client, store);
    assert_false(is_pending());

    /* A signal of the program's own stays. */
    pthread_kill(pthread_self(), SIGXFSZ);
    pair_past_limit(client, store);
    assert_true(is_pending());
    assert_int_equal(limits_met, 0);

    close_client(client);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &mask, NULL), 0);
    assert_int_equal(limits_met, 1);
    assert_int_equal(sigaction(SIGXFSZ, &before, NULL), 0);
}

/* ---- A call that is cut short -------------------------------------------- */

/* A store that others lock while a caller asks, and not when a worker does. */
struct locked_store {
    struct forward_store forward;
    pthread_t caller;
    struct hf_client *client; /* NULL: not yet */
    bool cut;                 /* a call of the caller's was */
    enum hf_status trouble;   /* as it was told at the worker's next one */
    bool told;
    size_t failures; /* in the trace, and questions */
    size_t asks;
    size_t asks_at_cut;
    size_t asks_then; /* at the worker's next call */
};

static void
commit_locked(struct hf_store *store, struct hf_store_group *groups,
              size_t groups_count, struct hf_instant until,
              struct hf_error *error)
{
    struct locked_store *locked = (struct locked_store *)(void *)store;

    if (locked->told || !pthread_equal(pthread_self(), locked->caller)) {
        if (locked->cut && !locked->told) {
            locked->asks_then = locked->asks;
            locked->trouble = hf_client_trouble(locked->client, NULL);
        }
        locked->told = locked->cut; /* once is enough */
        forward_store_commit(store, groups, groups_count, until, error);
        return;
    }
    locked->cut = true;
    locked->asks_at_cut = locked->asks;
    while (!hf_reached(hf_now(), until))
        (void)poll(NULL, 0, 1);
    atomic_store(&store->locked_ms, hf_now().ms);
    for (size_t i = 0; i < groups_count; i++)
        groups[i].verdict = HF_UNAVAILABLE;
    (void)hf_fail(error, HF_E_UNAVAILABLE, "others keep it locked");
}

static void
count_failures_and_asks(void *ctx, const char *line)
{
    struct locked_store *locked = ctx;

    if (strstr(line, "unavailable") != NULL)
        locked->failures++;
    if (strstr(line, " ask #") != NULL)
        locked->asks++;
}

TEST(a_call_of_a_callers_that_is_cut_short_is_no_failure)
{
    static const struct hf_store_methods changed = {.commit = commit_locked};
    struct hf_instant end =
        hf_after(hf_now(), (struct hf_duration){PATIENCE_MS});
    struct locked_store *store =
        forward_store_open("memory:locked", sizeof(*store), &changed);

    store->caller = pthread_self();
    assert_int_equal(hf_client_new(NULL, &store->client, NULL), HF_OK);
    hf_client_trace(store->client, count_failures_and_asks, store);
    assert_int_equal(hf_client_open_on(store->client, &store->forward.base,
                                       "memory:locked", NULL),
                     HF_OK);
    while (!store->told && !hf_reached(hf_now(), end))
        pair(store->client, HF_FOREVER);
    assert_true(store->told);
    assert_int_equal(store->trouble, HF_OK);
    assert_int_equal(store->failures, 0);
    assert_int_equal(store->asks_then, store->asks_at_cut);
    close_client(store->client);
}

/* ---- A file that others lock --------------------------------------------- */

static void
run_sql(sqlite3 *db, const char *sql)
{
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

TEST(a_locked_place_keeps_no_caller_past_its_limit)
{
    struct hf_client *client;
    struct file_place place;
    struct hf_instant began;
    struct hf_lock *lock;
    sqlite3 *db = NULL;

    make_place(&place);
    client = open_client(place.url);
    assert_int_equal(sqlite3_open(place.url + strlen("sqlite:"), &db),
                     SQLITE_OK);
    sqlite3_busy_timeout(db, PATIENCE_MS);
    pair(client, HF_FOREVER);

    run_sql(db, "BEGIN IMMEDIATE");
    lock = ask_for(client, "pair", HF_TTL, "30s", NULL);
    began = hf_now();
    assert_int_equal(hf_lock_wait(lock, (struct hf_duration){400}),
                     HF_STATE_WAITING);
    assert_true(hf_between(began, hf_now()).ms < PATIENCE_MS);
    run_sql(db, "ROLLBACK");
    assert_int_equal(hf_lock_wait(lock, HF_FOREVER), HF_STATE_HELD);
    assert_int_equal(give_back(lock), HF_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    close_client(client);
    remove_place(&place);
}
