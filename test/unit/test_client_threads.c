#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include <holdfast/holdfast.h>

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
    static const struct hf_list_query all = {0};
    struct hf_description *rows = calloc(LOCKS, sizeof(*rows));
    size_t count = LOCKS;

    if (rows == NULL || hf_check(lock) != HF_GRANTED || hf_fence(lock) == 0 ||
        hf_list(share->client, &all, rows, &count, NULL) != HF_OK || count == 0)
        atomic_fetch_add(&share->breaches, 1);
    free(rows);
}

static void
section(struct share *share, int which)
{
    static const char *const names[LOCKS] = {"a", "b", "c"};
    struct hf_acquired acquired = {0};

    if (hf_acquire(share->client, names[which], NULL, &acquired, NULL) !=
            HF_OK ||
        acquired.outcome != HF_GRANTED) {
        atomic_fetch_add(&share->breaches, 1);
        return;
    }
    if (atomic_fetch_add(&share->inside[which], 1) != 0)
        atomic_fetch_add(&share->breaches, 1);
    share->done[which]++;
    look_around(share, acquired.lock);
    atomic_fetch_sub(&share->inside[which], 1);
    if (hf_release(acquired.lock, NULL, NULL) != HF_OK)
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

static void
threads_of_one_client_hold_one_at_a_time(void **state)
{
    struct share share = {0};
    struct worker workers[THREADS];
    int done = 0;

    (void)state;
    assert_int_equal(hf_open("memory:threads", NULL, &share.client, NULL),
                     HF_OK);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.share = &share, .number = i};
        assert_int_equal(
            pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    hf_close(share.client);

    for (int i = 0; i < LOCKS; i++)
        done += share.done[i];
    assert_int_equal(atomic_load(&share.breaches), 0);
    assert_int_equal(done, THREADS * SECTIONS);
}

/* ---- News ---------------------------------------------------------------- */

/* Freed as soon as the release has returned: a callback that comes later
 * touches what is no more, which the sanitizers see, and so does `over`. */
struct listener {
    atomic_int told;
};

static atomic_bool over;
static atomic_int late;

static void
on_news(void *ctx, struct hf_lock *lock, enum hf_news news)
{
    struct listener *listener = ctx;

    if (atomic_load(&over) || news != HF_NEWS_LOST || hf_check(lock) != HF_LOST)
        atomic_fetch_add(&late, 1);
    atomic_fetch_add(&listener->told, 1);
}

/* Returns whether the news came before the release. */
static bool
lose_and_release(struct hf_client *client, int wait_ms)
{
    struct listener *listener = calloc(1, sizeof(*listener));
    struct hf_acquire_options options = {
        .ttl = {500},
        .beat = {40},
        .grace = {50},
        .on_news = on_news,
        .ctx = listener,
    };
    struct hf_clear_options force = {.reason = "a test", .force = true};
    struct hf_acquired acquired = {0};
    struct hf_cleared cleared = {0};
    int told;

    assert_non_null(listener);
    atomic_store(&over, false);
    assert_int_equal(hf_acquire(client, "l", &options, &acquired, NULL), HF_OK);
    assert_int_equal(acquired.outcome, HF_GRANTED);
    assert_int_equal(hf_clear(client, "l", &force, &cleared, NULL), HF_OK);
    assert_true(cleared.cleared);
    (void)poll(NULL, 0, wait_ms); /* the release is to meet the news */
    assert_int_equal(hf_release(acquired.lock, NULL, NULL), HF_OK);
    atomic_store(&over, true);
    told = atomic_load(&listener->told);
    free(listener);
    assert_true(told <= 1);
    return told == 1;
}

/* Some rounds release before the news, some after, some in that very moment:
 * after the release nothing comes any more. */
static void
no_news_comes_after_the_release(void **state)
{
    struct hf_client *client = NULL;
    int told = 0;

    (void)state;
    assert_int_equal(hf_open("memory:news", NULL, &client, NULL), HF_OK);
    for (int i = 0; i < ROUNDS; i++)
        told += lose_and_release(client, 2 * i);
    hf_close(client);
    assert_int_equal(atomic_load(&late), 0);
    assert_in_range(told, 1, ROUNDS - 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_of_one_client_hold_one_at_a_time),
        cmocka_unit_test(no_news_comes_after_the_release),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
