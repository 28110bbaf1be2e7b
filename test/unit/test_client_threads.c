#include "support/test.h"
#include "unit/support/clients.h"

#include <pthread.h>
#include <stdatomic.h>

/*
 * One client, many threads; the build with ThreadSanitizer runs this too.
 */

#define LOCKS    3
#define THREADS  8
#define SECTIONS 40
#define ROUNDS   40

/* ---- Sections ------------------------------------------------------------ */

struct share {
    struct hf_client *client;
    atomic_int inside[LOCKS];
    atomic_int breaches;
    int done[LOCKS]; /* guarded by the very locks under test */
};

struct worker {
    struct share *share;
    int number;
    pthread_t thread;
};

/* What two threads may do at once with one client, beside waiting. */
static void
look_around(struct share *share, const struct hf_lock *lock)
{
    struct hf_query *all = new_query(share->client, HF_LIST, NULL);
    struct hf_view *row;

    if (hf_lock_check(lock) != HF_GRANTED || hf_lock_fence(lock) == 0 ||
        ask(all) != HF_OK || (row = hf_query_next(all)) == NULL)
        atomic_fetch_add(&share->breaches, 1);
    else
        hf_view_free(row);
    hf_query_free(all);
}

static void
section(struct share *share, int which)
{
    static const char *const names[LOCKS] = {"a", "b", "c"};
    struct hf_lock *lock = hold(share->client, names[which], NULL);

    if (atomic_fetch_add(&share->inside[which], 1) != 0)
        atomic_fetch_add(&share->breaches, 1);
    share->done[which]++;
    look_around(share, lock);
    atomic_fetch_sub(&share->inside[which], 1);
    if (give_back(lock) != HF_OK)
        atomic_fetch_add(&share->breaches, 1);
}

static void *
work(void *arg)
{
    struct worker *worker = arg;

    for (int i = 0; i < SECTIONS; i++)
        section(worker->share, (worker->number + i) % LOCKS);
    return NULL;
}

TEST(threads_of_one_client_hold_one_at_a_time)
{
    struct share share = {.client = open_client("memory:threads")};
    struct worker workers[THREADS];
    int done = 0;

    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.share = &share, .number = i};
        assert_int_equal(
            pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    close_client(share.client);

    for (int i = 0; i < LOCKS; i++)
        done += share.done[i];
    assert_int_equal(atomic_load(&share.breaches), 0);
    assert_int_equal(done, THREADS * SECTIONS);
}

/* ---- One handle ---------------------------------------------------------- */

struct crowd {
    pthread_barrier_t start;
    struct hf_client *client;
    struct hf_lock *lock;
    atomic_int started;
};

/* Whatever of it comes first: all of them are allowed at once. */
static void *
use_one_lock(void *arg)
{
    struct crowd *crowd = arg;
    struct hf_lock *lock = crowd->lock;

    (void)pthread_barrier_wait(&crowd->start);
    if (hf_lock_set(lock, HF_REASON, "one of them", NULL) != HF_OK)
        (void)hf_lock_state(lock); /* it was started by then */
    (void)!hf_lock_verify(lock, NULL);
    if (hf_lock_start(lock, NULL) == HF_OK)
        atomic_fetch_add(&crowd->started, 1);
    hf_lock_set_user(lock, crowd);
    (void)hf_lock_wait(lock, HF_FOREVER);
    (void)hf_lock_check(lock);
    (void)hf_lock_right_ms(lock);
    hf_view_free(hf_lock_view(lock));
    (void)hf_lock_error(lock, NULL);
    hf_lock_release(lock);
    hf_lock_cancel(lock);
    while (hf_lock_wait(lock, HF_FOREVER) != HF_STATE_ENDED)
        ;
    return NULL;
}

TEST(many_threads_use_one_lock_and_start_it_once)
{
    struct crowd crowd = {.client = open_client("memory:one-lock")};
    pthread_t threads[THREADS];

    assert_int_equal(pthread_barrier_init(&crowd.start, NULL, THREADS), 0);
    for (int round = 0; round < ROUNDS; round++) {
        crowd.lock = new_lock(crowd.client, "deploy", NULL);
        atomic_store(&crowd.started, 0);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(
                pthread_create(&threads[i], NULL, use_one_lock, &crowd), 0);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        assert_int_equal(atomic_load(&crowd.started), 1);
        hf_lock_free(crowd.lock);
    }
    pthread_barrier_destroy(&crowd.start);
    close_client(crowd.client);
}

/* ---- Frees --------------------------------------------------------------- */

static atomic_bool over;

/* Takes every notice there is, until it is told to end. */
static void *
take_notices(void *client)
{
    while (!atomic_load(&over))
        (void)hf_client_next(client);
    return NULL;
}

/* Some rounds free before the loss is known, some after, some in that very
 * moment: ThreadSanitizer and AddressSanitizer hear of what comes too late. */
TEST(a_free_may_meet_the_news)
{
    struct hf_client *client = open_client("memory:free");
    pthread_t taker;

    atomic_store(&over, false);
    assert_int_equal(pthread_create(&taker, NULL, take_notices, client), 0);
    for (int i = 0; i < ROUNDS; i++) {
        struct hf_lock *lock = hold(client, "l", HF_TTL, "500ms", HF_BEAT,
                                    "10ms", HF_GRACE, "50ms", NULL);

        clear_by_force(client, "l");
        (void)hf_lock_wait(lock, (struct hf_duration){i});
        for (int spins = 0; spins < i; spins++)
            (void)hf_lock_check(lock);
        hf_lock_free(lock);
    }
    atomic_store(&over, true);
    pthread_join(taker, NULL);
    close_client(client);
}
