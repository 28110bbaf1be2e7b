#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <holdfast/holdfast.h>

#include "base/clock.h"

/*
 * libholdfast over the memory store: one process, several clients of one
 * table.  Time is real here, and short; every wait is a call of the library
 * that returns when what it waits for has happened.
 */

/* The shortest life that leaves room for three beats. */
static const struct hf_duration short_ttl = {700};

static struct hf_client *
open_client(const char *place)
{
    struct hf_client *client = NULL;
    struct hf_error error = {0};

    if (hf_open(place, NULL, &client, &error) != HF_OK)
        fail_msg("open %s: %s", place, error.text);
    return client;
}

static struct hf_acquired
acquire(struct hf_client *client, const char *name,
        const struct hf_acquire_options *options)
{
    struct hf_acquired acquired = {0};
    struct hf_error error = {0};

    if (hf_acquire(client, name, options, &acquired, &error) != HF_OK)
        fail_msg("acquire %s: %s", name, error.text);
    return acquired;
}

static struct hf_lock *
hold(struct hf_client *client, const char *name,
     const struct hf_acquire_options *options)
{
    struct hf_acquired acquired = acquire(client, name, options);

    assert_int_equal(acquired.outcome, HF_GRANTED);
    assert_non_null(acquired.lock);
    return acquired.lock;
}

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

struct contest {
    const char *place;
    struct hf_acquire_options options;
    struct hf_acquired acquired;
    enum hf_status status;
    struct hf_error error;
    struct hf_client *client;
    pthread_t thread;
};

static void *
compete(void *arg)
{
    struct contest *contest = arg;

    contest->status = hf_acquire(contest->client, "deploy", &contest->options,
                                 &contest->acquired, &contest->error);
    return NULL;
}

/* Told when the waiter has seen the holder. */
static void
tell_seen(void *ctx, const struct hf_diagnosis *seen)
{
    int *fd = ctx;

    if (seen->record.exists)
        (void)!write(*fd, "!", 1);
}

static void
start_waiting(struct contest *contest, int *pipe_ends)
{
    char byte;

    assert_int_equal(pipe(pipe_ends), 0);
    contest->options.on_waiting = tell_seen;
    contest->options.ctx = &pipe_ends[1];
    pthread_create(&contest->thread, NULL, compete, contest);
    assert_int_equal(read(pipe_ends[0], &byte, 1), 1);
}

static void
stop_waiting(struct contest *contest, const int *pipe_ends)
{
    pthread_join(contest->thread, NULL);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

static void
a_waiter_is_granted_what_is_released(void **state)
{
    struct hf_client *a = open_client("memory:waiter");
    struct contest b = {.client = open_client("memory:waiter")};
    struct hf_lock *lock = hold(a, "deploy", NULL);
    uint64_t fence = hf_fence(lock);
    int ends[2];

    (void)state;
    start_waiting(&b, ends);
    assert_int_equal(hf_release(lock, NULL, NULL), HF_OK);
    stop_waiting(&b, ends);
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
    struct contest b = {.client = a};
    struct hf_lock *lock = hold(a, "deploy", NULL);
    int ends[2];

    (void)state;
    start_waiting(&b, ends);
    assert_int_equal(hf_release(lock, NULL, NULL), HF_OK);
    stop_waiting(&b, ends);
    assert_int_equal(b.acquired.outcome, HF_GRANTED);
    hf_release(b.acquired.lock, NULL, NULL);
    hf_close(a);
}

static void
a_cancelled_waiter_leaves_nothing(void **state)
{
    struct hf_client *a = open_client("memory:cancel");
    struct contest b = {.client = open_client("memory:cancel")};
    struct hf_lock *lock = hold(a, "deploy", NULL);
    int ends[2];

    (void)state;
    assert_int_equal(hf_cancel_open(&b.options.cancel), HF_OK);
    start_waiting(&b, ends);
    hf_cancel(b.options.cancel);
    stop_waiting(&b, ends);
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

/* Hold `name` in a child that then dies without a word; returns its pid, still
 * a zombie. */
static pid_t
hold_and_die(const char *place, const char *name,
             const struct hf_acquire_options *options)
{
    siginfo_t info;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        struct hf_client *client = NULL;
        struct hf_acquired acquired;
        bool held =
            hf_open(place, NULL, &client, NULL) == HF_OK &&
            hf_acquire(client, name, options, &acquired, NULL) == HF_OK &&
            acquired.outcome == HF_GRANTED;

        _exit(held ? 0 : 1);
    }
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(info.si_status, 0);
    return child;
}

static void
make_place(char *place, size_t size, char *folder)
{
    assert_non_null(mkdtemp(folder));
    snprintf(place, size, "sqlite:%s/locks.db", folder);
}

static void
remove_place(const char *folder)
{
    static const char *const files[] = {"locks.db", "locks.db-wal",
                                        "locks.db-shm"};
    char path[200];

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
        unlink(path);
    }
    rmdir(folder);
}

static void
a_holder_whose_process_is_gone_is_found_at_once(void **state)
{
    char folder[] = "/tmp/holdfast-test-XXXXXX";
    char place[200];
    struct hf_client *client;
    struct hf_acquired waited;
    struct hf_lock *taken;
    struct hf_instant start = hf_now();
    pid_t refuse;
    pid_t takeover;

    (void)state;
    make_place(place, sizeof(place), folder);
    refuse = hold_and_die(place, "migrate",
                          &(struct hf_acquire_options){.if_dead = HF_REFUSE});
    takeover = hold_and_die(place, "deploy", NULL);
    client = open_client(place);
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
    remove_place(folder);
}

/* Hold "deploy" in a child, which says so and then waits to be killed. */
static pid_t
hold_until_killed(const char *place)
{
    char byte;
    int ends[2];
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct hf_client *client = NULL;
        struct hf_acquired acquired = {0};

        if (hf_open(place, NULL, &client, NULL) == HF_OK &&
            hf_acquire(client, "deploy", NULL, &acquired, NULL) == HF_OK &&
            write(ends[1], "!", 1) == 1)
            (void)pause();
        _exit(1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    return child;
}

/* Not only when the waiter looks at the record again, after about a beat. */
static void
a_holder_that_ends_while_it_is_waited_for_is_found_at_once(void **state)
{
    char folder[] = "/tmp/holdfast-test-XXXXXX";
    char place[200];
    struct contest waiter = {.options = {.limit = {20000}}};
    struct hf_instant killed_at;
    int ends[2];
    pid_t holder;

    (void)state;
    make_place(place, sizeof(place), folder);
    holder = hold_until_killed(place);
    waiter.client = open_client(place);
    start_waiting(&waiter, ends);
    killed_at = hf_now();
    assert_int_equal(kill(holder, SIGKILL), 0);
    stop_waiting(&waiter, ends);
    assert_int_equal(waiter.acquired.outcome, HF_GRANTED);
    assert_true(hf_between(killed_at, hf_now()).ms < 1200); /* a beat: 2 s */
    hf_release(waiter.acquired.lock, NULL, NULL);
    waitpid(holder, NULL, 0);
    hf_close(waiter.client);
    remove_place(folder);
}

static void
a_dead_refuse_lock_is_cleared_by_hand(void **state)
{
    char folder[] = "/tmp/holdfast-test-XXXXXX";
    char place[200];
    struct hf_client *client;
    struct hf_cleared cleared = {0};
    struct hf_error error = {0};
    struct hf_lock *lock;
    pid_t dead;

    (void)state;
    make_place(place, sizeof(place), folder);
    dead = hold_and_die(place, "migrate",
                        &(struct hf_acquire_options){.if_dead = HF_REFUSE});
    client = open_client(place);
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
    remove_place(folder);
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

struct heard {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    enum hf_news news;
    enum hf_status inside; /* what a call from the callback answered */
    int count;
};

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
a_forced_clear_is_told_to_the_holder(void **state)
{
    struct hf_client *a = open_client("memory:forced");
    struct hf_client *b = open_client("memory:forced");
    struct heard heard = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
                          HF_NEWS_CERTAIN, HF_OK, 0};
    struct hf_lock *lock = hold(a, "deploy",
                                &(struct hf_acquire_options){
                                    .ttl = short_ttl,
                                    .if_dead = HF_REFUSE,
                                    .on_news = hear,
                                    .ctx = &heard,
                                });
    struct hf_cleared cleared = {0};

    (void)state;
    assert_int_equal(
        hf_clear(b, "deploy",
                 &(struct hf_clear_options){.reason = "test", .force = true},
                 &cleared, NULL),
        HF_OK);
    assert_true(cleared.cleared);
    pthread_mutex_lock(&heard.mutex);
    while (heard.count == 0)
        pthread_cond_wait(&heard.cond, &heard.mutex);
    pthread_mutex_unlock(&heard.mutex);
    assert_int_equal(heard.news, HF_NEWS_LOST);
    assert_int_equal(heard.inside, HF_E_INVALID);
    assert_int_equal(hf_check(lock), HF_LOST);
    assert_int_equal(hf_release(lock, NULL, NULL), HF_OK);
    hf_close(a);
    hf_close(b);
}

/* ---- Handles ------------------------------------------------------------- */

static void
no_lock_is_released_abandoned_and_not_held(void **state)
{
    (void)state;
    assert_int_equal(hf_release(NULL, NULL, NULL), HF_OK);
    hf_abandon(NULL);
    hf_close(NULL);
    assert_int_equal(hf_check(NULL), HF_NOT_HELD);
    assert_int_equal(hf_fence(NULL), 0);
}

static void
a_forked_child_holds_nothing(void **state)
{
    struct hf_client *client = open_client("memory:fork");
    struct hf_lock *lock = hold(client, "deploy", NULL);
    int status = 0;
    pid_t child = fork();

    (void)state;
    assert_true(child >= 0);
    if (child == 0) {
        bool right = hf_check(lock) == HF_NOT_HELD && hf_fence(lock) == 0 &&
                     hf_lock_right_ms(lock) == 0 &&
                     hf_release(lock, NULL, NULL) == HF_E_INVALID;

        hf_abandon(lock);
        hf_close(client);
        _exit(right ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(hf_check(lock), HF_GRANTED);
    assert_int_equal(hf_release(lock, NULL, NULL), HF_OK);
    hf_close(client);
}

static void
closing_wakes_those_who_wait_and_leaves_locks_to_be_freed(void **state)
{
    struct hf_client *a = open_client("memory:close");
    struct contest b = {.client = a};
    struct hf_lock *lock = hold(a, "deploy", NULL);
    int ends[2];

    (void)state;
    start_waiting(&b, ends);
    hf_close(a);
    stop_waiting(&b, ends);
    assert_int_equal(b.status, HF_E_CANCELLED);
    assert_int_equal(hf_check(lock), HF_NOT_HELD);
    assert_int_equal(hf_release(lock, NULL, NULL), HF_E_UNKNOWN);
}

static void
bad_requests_are_refused_in_one_clause(void **state)
{
    struct hf_client *client = open_client("memory:bad");
    static char long_name[HF_NAME_MAX + 2];
    const struct {
        const char *name;
        struct hf_acquire_options options;
    } bad[] = {
        {"", {0}},
        {"a\nb", {0}},
        {"\xff", {0}},
        {long_name, {0}},
        {"x", {.space = "!audit"}},
        {"x", {.space = ""}},
        {"x", {.ttl = {-1}}},
        {"x", {.ttl = {100}}},
        {"x", {.ttl = {INT64_MAX}}},
        {"x", {.ttl = {5000}, .beat = {2000}}},
        {"x", {.limit = {-5}}},
        {"x", {.beat = {INT64_MAX}}},
        {"x", {.grace = {INT64_MAX}}},
        {"x", {.processes = &(pid_t){-1}, .processes_count = 1}},
        {"x", {.if_dead = (enum hf_if_dead)7}},
    };

    (void)state;
    memset(long_name, 'n', sizeof(long_name) - 1);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct hf_acquired acquired = {0};
        struct hf_error error = {0};

        assert_int_equal(
            hf_acquire(client, bad[i].name, &bad[i].options, &acquired, &error),
            HF_E_INVALID);
        assert_true(error.text[0] != '\0');
        assert_null(acquired.lock);
    }
    hf_close(client);
}

/* The program it is given to may run in another folder. */
static void
the_place_is_told_with_its_whole_path(void **state)
{
    char folder[] = "/tmp/holdfast-test-XXXXXX";
    char place[200];
    char before[1024];
    struct hf_client *client;

    (void)state;
    make_place(place, sizeof(place), folder);
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(folder), 0);
    client = open_client("sqlite:locks.db");
    assert_int_equal(chdir(before), 0);
    assert_string_equal(hf_client_place(client), place);
    hf_close(client);
    remove_place(folder);
}

static void
locks_are_listed_in_order_and_in_pages(void **state)
{
    struct hf_client *client = open_client("memory:list");
    struct hf_lock *locks[5];
    static struct hf_description rows[2];
    size_t seen = 0;
    char after[HF_NAME_MAX + 1] = "";

    (void)state;
    for (int i = 0; i < 5; i++) {
        char name[8];

        snprintf(name, sizeof(name), "job%d", i);
        locks[i] = hold(client, name, NULL);
    }
    for (;;) {
        size_t count = 2;
        struct hf_list_query query = {.prefix = "job", .after = after};

        assert_int_equal(hf_list(client, &query, rows, &count, NULL), HF_OK);
        if (count == 0)
            break;
        for (size_t i = 0; i < count; i++) {
            char name[8];

            snprintf(name, sizeof(name), "job%zu", seen);
            assert_string_equal(rows[i].name, name);
            assert_int_equal(rows[i].fence, hf_fence(locks[seen]));
            seen++;
        }
        snprintf(after, sizeof(after), "%s", rows[count - 1].name);
    }
    assert_int_equal(seen, 5);
    for (int i = 0; i < 5; i++)
        hf_release(locks[i], NULL, NULL);
    hf_close(client);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_is_granted_checked_and_released),
        cmocka_unit_test(fences_only_grow),
        cmocka_unit_test(try_gives_up_at_the_first_sign_of_life),
        cmocka_unit_test(a_waiter_is_granted_what_is_released),
        cmocka_unit_test(one_client_may_wait_for_its_own_lock),
        cmocka_unit_test(a_cancelled_waiter_leaves_nothing),
        cmocka_unit_test(a_live_holder_past_the_limit_is_held_too_long),
        cmocka_unit_test(an_unbeaten_takeover_lock_is_taken_over),
        cmocka_unit_test(an_unbeaten_refuse_lock_is_suspected_and_kept),
        cmocka_unit_test(a_holder_whose_process_is_gone_is_found_at_once),
        cmocka_unit_test(
            a_holder_that_ends_while_it_is_waited_for_is_found_at_once),
        cmocka_unit_test(a_dead_refuse_lock_is_cleared_by_hand),
        cmocka_unit_test(a_live_lock_is_not_cleared),
        cmocka_unit_test(a_forced_clear_is_told_to_the_holder),
        cmocka_unit_test(no_lock_is_released_abandoned_and_not_held),
        cmocka_unit_test(a_forked_child_holds_nothing),
        cmocka_unit_test(
            closing_wakes_those_who_wait_and_leaves_locks_to_be_freed),
        cmocka_unit_test(bad_requests_are_refused_in_one_clause),
        cmocka_unit_test(the_place_is_told_with_its_whole_path),
        cmocka_unit_test(locks_are_listed_in_order_and_in_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
