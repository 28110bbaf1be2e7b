#include "unit/support/clients.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"

/*
 * libholdfast when a holder does not release: what a waiter does with its
 * lock, and what a person may.
 */

/* ---- Death --------------------------------------------------------------- */

static void
an_unbeaten_takeover_lock_is_taken_over(void **state)
{
    struct hf_client *a = open_client("memory:takeover");
    struct hf_client *b = open_client("memory:takeover");
    struct hf_lock *lock =
        hold(a, "deploy", &(struct hf_acquire_options){.ttl = short_ttl});
    uint64_t fence = hf_fence(lock);
    struct hf_lock *taken;

    (void)state;
    hf_abandon(lock);
    taken = hold(b, "deploy", NULL);
    assert_true(hf_fence(taken) > fence);
    assert_int_equal(hf_release(taken, NULL, NULL), HF_OK);
    hf_close(a);
    hf_close(b);
}

static void
an_unbeaten_refuse_lock_is_suspected_and_kept(void **state)
{
    struct hf_client *a = open_client("memory:suspected");
    struct hf_client *b = open_client("memory:suspected");
    struct hf_lock *lock = hold(
        a, "deploy",
        &(struct hf_acquire_options){.ttl = short_ttl, .if_dead = HF_REFUSE});
    uint64_t fence = hf_fence(lock);
    struct hf_acquired waited;
    struct hf_diagnosis left = {0};

    (void)state;
    hf_abandon(lock);
    waited =
        acquire(b, "deploy", &(struct hf_acquire_options){.limit = {1500}});
    assert_int_equal(waited.outcome, HF_SUSPECTED_DEAD);
    assert_true(waited.seen.unchanged.ms >= short_ttl.ms);
    assert_int_equal(hf_examine(b, "deploy", NULL, &left, NULL), HF_OK);
    assert_int_equal(left.record.fence, fence);
    hf_close(a);
    hf_close(b);
}

static void
a_holder_whose_process_is_gone_is_found_at_once(void **state)
{
    struct file_place place;
    struct hf_client *client;
    struct hf_acquired waited;
    struct hf_lock *taken;
    struct hf_instant start = hf_now();
    pid_t refuse;
    pid_t takeover;

    (void)state;
    make_place(&place);
    refuse = hold_and_die(place.url, "migrate",
                          &(struct hf_acquire_options){.if_dead = HF_REFUSE});
    takeover = hold_and_die(place.url, "deploy", NULL);
    client = open_client(place.url);
    waited = acquire(client, "migrate", NULL);
    assert_int_equal(waited.outcome, HF_GONE);
    assert_int_equal(waited.seen.life, HF_LIFE_GONE);
    assert_int_equal(waited.seen.record.processes[0], refuse);
    taken = hold(client, "deploy", NULL);
    assert_true(hf_between(start, hf_now()).ms < 20000);
    hf_release(taken, NULL, NULL);
    waitpid(refuse, NULL, 0);
    waitpid(takeover, NULL, 0);
    hf_close(client);
    remove_place(&place);
}

/* Not only when the waiter looks at the record again, after about a beat. */
static void
a_holder_that_ends_while_it_is_waited_for_is_found_at_once(void **state)
{
    struct file_place place;
    struct waiter waiter = {.options = {.limit = {20000}}};
    struct hf_instant killed_at;
    pid_t holder;

    (void)state;
    make_place(&place);
    holder = hold_until_killed(place.url, "deploy", NULL);
    waiter.client = open_client(place.url);
    start_waiting(&waiter);
    killed_at = hf_now();
    assert_int_equal(kill(holder, SIGKILL), 0);
    stop_waiting(&waiter);
    assert_int_equal(waiter.acquired.outcome, HF_GRANTED);
    assert_true(hf_between(killed_at, hf_now()).ms < 1200); /* a beat: 2 s */
    hf_release(waiter.acquired.lock, NULL, NULL);
    waitpid(holder, NULL, 0);
    hf_close(waiter.client);
    remove_place(&place);
}

/* ---- Clearing ------------------------------------------------------------ */

static void
a_dead_refuse_lock_is_cleared_by_hand(void **state)
{
    struct file_place place;
    struct hf_client *client;
    struct hf_cleared cleared = {0};
    struct hf_error error = {0};
    struct hf_lock *lock;
    pid_t dead;

    (void)state;
    make_place(&place);
    dead = hold_and_die(place.url, "migrate",
                        &(struct hf_acquire_options){.if_dead = HF_REFUSE});
    client = open_client(place.url);
    assert_int_equal(hf_clear(client, "migrate", &(struct hf_clear_options){0},
                              &cleared, &error),
                     HF_E_INVALID);
    assert_int_equal(hf_clear(client, "migrate", NULL, &cleared, &error),
                     HF_E_INVALID);
    assert_int_equal(
        hf_clear(client, "migrate",
                 &(struct hf_clear_options){.reason = "host rebooted"},
                 &cleared, &error),
        HF_OK);
    assert_true(cleared.cleared);
    assert_int_equal(cleared.seen.life, HF_LIFE_GONE);
    lock = hold(client, "migrate", NULL);
    assert_true(hf_fence(lock) > cleared.seen.record.fence);
    hf_release(lock, NULL, NULL);
    waitpid(dead, NULL, 0);
    hf_close(client);
    remove_place(&place);
}

static void
a_live_lock_is_not_cleared(void **state)
{
    struct hf_client *a = open_client("memory:alive");
    struct hf_client *b = open_client("memory:alive");
    struct hf_lock *lock =
        hold(a, "deploy", &(struct hf_acquire_options){.ttl = short_ttl});
    struct hf_cleared cleared = {0};

    (void)state;
    assert_int_equal(hf_clear(b, "deploy",
                              &(struct hf_clear_options){.reason = "why not"},
                              &cleared, NULL),
                     HF_OK);
    assert_false(cleared.cleared);
    assert_int_equal(cleared.seen.life, HF_LIFE_BEATING);
    assert_int_equal(hf_check(lock), HF_GRANTED);
    hf_release(lock, NULL, NULL);
    hf_close(a);
    hf_close(b);
}

/* ---- What the holder hears of it ----------------------------------------- */

struct heard {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    enum hf_news news;
    enum hf_status inside; /* what a call from the callback answered */
    int count;
};

#define HEARD_NOTHING                                                          \
    ((struct heard){PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,       \
                    HF_NEWS_CERTAIN, HF_OK, 0})

static void
hear(void *ctx, struct hf_lock *lock, enum hf_news news)
{
    struct heard *heard = ctx;

    pthread_mutex_lock(&heard->mutex);
    heard->news = news;
    heard->inside = hf_release(lock, NULL, NULL);
    heard->count++;
    pthread_cond_signal(&heard->cond);
    pthread_mutex_unlock(&heard->mutex);
}

static void
wait_to_hear(struct heard *heard)
{
    pthread_mutex_lock(&heard->mutex);
    while (heard->count == 0)
        pthread_cond_wait(&heard->cond, &heard->mutex);
    pthread_mutex_unlock(&heard->mutex);
}

static void
clear_by_force(struct hf_client *client, const char *name)
{
    const struct hf_clear_options force = {.reason = "test", .force = true};
    struct hf_cleared cleared = {0};

    assert_int_equal(hf_clear(client, name, &force, &cleared, NULL), HF_OK);
    assert_true(cleared.cleared);
}

static void
a_forced_clear_is_told_to_the_holder(void **state)
{
    struct hf_client *a = open_client("memory:forced");
    struct hf_client *b = open_client("memory:forced");
    struct heard heard = HEARD_NOTHING;
    struct hf_lock *lock = hold(a, "deploy",
                                &(struct hf_acquire_options){
                                    .ttl = short_ttl,
                                    .if_dead = HF_REFUSE,
                                    .on_news = hear,
                                    .ctx = &heard,
                                });

    (void)state;
    clear_by_force(b, "deploy");
    wait_to_hear(&heard);
    assert_int_equal(heard.news, HF_NEWS_LOST);
    assert_int_equal(heard.inside, HF_E_INVALID);
    assert_int_equal(hf_check(lock), HF_LOST);
    assert_int_equal(hf_release(lock, NULL, NULL), HF_OK);
    hf_close(a);
    hf_close(b);
}

/* They beat together, and so they are lost together. */
static void
of_many_locks_lost_at_once_each_is_told_once(void **state)
{
    enum { LOCKS = 8 };
    static const char *const names[LOCKS] = {"a", "b", "c", "d",
                                             "e", "f", "g", "h"};
    struct hf_client *a = open_client("memory:many");
    struct hf_client *b = open_client("memory:many");
    struct heard heard[LOCKS];
    struct hf_lock *locks[LOCKS];

    (void)state;
    for (size_t i = 0; i < LOCKS; i++) {
        heard[i] = HEARD_NOTHING;
        locks[i] = hold(a, names[i],
                        &(struct hf_acquire_options){
                            .ttl = {3000},
                            .on_news = hear,
                            .ctx = &heard[i],
                        });
    }
    for (size_t i = 0; i < LOCKS; i++)
        clear_by_force(b, names[i]);
    for (size_t i = 0; i < LOCKS; i++)
        wait_to_hear(&heard[i]);
    for (size_t i = 0; i < LOCKS; i++) {
        assert_int_equal(heard[i].news, HF_NEWS_LOST);
        assert_int_equal(hf_release(locks[i], NULL, NULL), HF_OK);
        assert_int_equal(heard[i].count, 1);
    }
    hf_close(a);
    hf_close(b);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unbeaten_takeover_lock_is_taken_over),
        cmocka_unit_test(an_unbeaten_refuse_lock_is_suspected_and_kept),
        cmocka_unit_test(a_holder_whose_process_is_gone_is_found_at_once),
        cmocka_unit_test(
            a_holder_that_ends_while_it_is_waited_for_is_found_at_once),
        cmocka_unit_test(a_dead_refuse_lock_is_cleared_by_hand),
        cmocka_unit_test(a_live_lock_is_not_cleared),
        cmocka_unit_test(a_forced_clear_is_told_to_the_holder),
        cmocka_unit_test(of_many_locks_lost_at_once_each_is_told_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
