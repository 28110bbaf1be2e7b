#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <holdfast/holdfast.h>

#include "client/open.h"
#include "support/lossy.h"

/*
 * Lost replies once more, through libholdfast: its threads, its courier and
 * real time; see test_lost_replies.c, where the same is done exhaustively to
 * the machines.  A series tells one tale again and again, with the reply to
 * each of its writes (or reads) lost in turn; the series run side by side.
 */

#define LIMIT_MS 20000

enum tale {
    HAND_OVER, /* A holds and releases, B waits for it */
    TAKE_OVER, /* A dies, B takes over */
    CLEAR,     /* A dies, its refuse lock is cleared, B holds */
    TALES,
};

struct series {
    pthread_t thread;
    unsigned number;
    enum tale tale;
    struct lossy_plan plan;
    unsigned runs;
    char why[400]; /* the first breach; "" */
};

/* One run of a series. */
struct run {
    struct series *series;
    struct lossy_sea sea;
    char place[64];
    struct hf_client *a;
    struct hf_client *b;
    struct hf_lock *held;
    struct hf_acquired waited; /* what B's waiting came to */
    enum hf_status waited_status;
    pid_t holder; /* the process whose end is A's */
    int holder_end;
};

static bool
expect(struct run *run, bool truth, const char *what)
{
    struct series *series = run->series;
    char plan[160];

    if (!truth && series->why[0] == '\0')
        snprintf(series->why, sizeof(series->why), "tale %d; %s; %s",
                 (int)series->tale,
                 lossy_plan_text(&series->plan, plan, sizeof(plan)), what);
    return series->why[0] == '\0';
}

/* ---- A process that ends when it is told to ----------------------------- */

/* It also ends when this one does: cat reads a pipe until nobody writes. */
static bool
start_holder(struct run *run)
{
    static pthread_mutex_t spawning = PTHREAD_MUTEX_INITIALIZER;
    char cat[] = "cat";
    char *const argv[] = {cat, NULL};
    char *const envp[] = {NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];
    bool started;

    /* One at a time, so that no other child inherits the pipe's end. */
    pthread_mutex_lock(&spawning);
    started = pipe2(ends, O_CLOEXEC) == 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
    started = started && posix_spawn(&run->holder, "/bin/cat", &actions, NULL,
                                     argv, envp) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    run->holder_end = ends[1];
    pthread_mutex_unlock(&spawning);
    return started;
}

static void
end_holder(struct run *run)
{
    if (run->holder <= 0)
        return;
    close(run->holder_end);
    kill(run->holder, SIGKILL);
    waitpid(run->holder, NULL, 0);
    run->holder = 0;
}

/* ---- Steps of a tale ---------------------------------------------------- */

static struct hf_acquire_options
terms_of(const struct run *run)
{
    return (struct hf_acquire_options){
        .if_dead = run->series->tale == CLEAR ? HF_REFUSE : HF_TAKEOVER,
        .ttl = {10000},
        .beat = {100},
        .limit = {LIMIT_MS},
        .processes = &run->holder,
        .processes_count = run->series->tale == HAND_OVER ? 0 : 1,
    };
}

/* Wait for a beat: the right moves with each one that was applied. */
static bool
see_beat(struct run *run, const struct hf_lock *lock)
{
    struct hf_instant until =
        hf_after(hf_now(), (struct hf_duration){LIMIT_MS});
    int64_t right_ms = hf_lock_right_ms(lock);

    while (hf_lock_right_ms(lock) == right_ms && !hf_reached(hf_now(), until))
        poll(NULL, 0, 5);
    return expect(run, hf_lock_right_ms(lock) > right_ms, "it does not beat") &&
           expect(run, hf_check(lock) == HF_GRANTED, "a holder lost its lock");
}

static void *
wait_for_lock(void *arg)
{
    struct run *run = arg;
    struct hf_acquire_options options = terms_of(run);

    options.processes_count = 0;
    run->waited_status =
        hf_acquire(run->b, "lock", &options, &run->waited, NULL);
    return NULL;
}

static bool
hold_first(struct run *run)
{
    struct hf_acquire_options options = terms_of(run);
    struct hf_acquired acquired = {0};
    enum hf_status status =
        hf_acquire(run->a, "lock", &options, &acquired, NULL);

    run->held = acquired.lock;
    return expect(run, status == HF_OK && acquired.outcome == HF_GRANTED,
                  "the first was not granted") &&
           see_beat(run, run->held);
}

static bool
leave_first(struct run *run)
{
    enum hf_status status = HF_OK;

    if (run->series->tale == HAND_OVER) {
        status = hf_release(run->held, NULL, NULL);
    } else {
        hf_abandon(run->held);
        end_holder(run);
    }
    run->held = NULL;
    return expect(run, status == HF_OK, "a release failed");
}

static bool
release_second(struct run *run, uint64_t first_fence)
{
    struct hf_lock *lock = run->waited.lock;
    bool good =
        expect(run,
               run->waited_status == HF_OK && run->waited.outcome == HF_GRANTED,
               "the second was not granted") &&
        expect(run, hf_fence(lock) > first_fence, "a fence did not grow") &&
        see_beat(run, lock);

    return expect(run, hf_release(lock, NULL, NULL) == HF_OK,
                  "a release failed") &&
           good;
}

/* B finds A gone, clears its lock, and holds it. */
static void
clear_first(struct run *run)
{
    struct hf_clear_options options = {.reason = "its holder is dead"};
    struct hf_cleared cleared = {0};
    enum hf_status status;

    expect(run, run->waited_status == HF_OK && run->waited.outcome == HF_GONE,
           "a dead refuse holder was not called gone");
    status = hf_clear(run->b, "lock", &options, &cleared, NULL);
    expect(run, status == HF_OK && cleared.cleared, "it was not cleared");
    (void)wait_for_lock(run);
}

static void
tell(struct run *run)
{
    uint64_t fence;
    pthread_t waiter;

    if (!hold_first(run))
        return;
    fence = hf_fence(run->held);
    if (!expect(run, pthread_create(&waiter, NULL, wait_for_lock, run) == 0,
                "no thread"))
        return;
    if (see_beat(run, run->held))
        leave_first(run);
    pthread_join(waiter, NULL);
    if (run->series->tale == CLEAR)
        clear_first(run);
    release_second(run, fence);
}

/* ---- Runs and series ---------------------------------------------------- */

static bool
open_run(struct run *run)
{
    struct hf_store *one = NULL;
    struct hf_store *other = NULL;

    if (lossy_sea_open(&run->sea, run->place, &run->series->plan) != HF_OK)
        return false;
    one = lossy_open(&run->sea, run->place);
    other = lossy_open(&run->sea, run->place);
    return one != NULL && other != NULL && start_holder(run) &&
           hf_open_on(one, run->place, &hf_alloc_libc, &run->a, NULL) ==
               HF_OK &&
           hf_open_on(other, run->place, &hf_alloc_libc, &run->b, NULL) ==
               HF_OK;
}

/* Returns how many replies were lost. */
static unsigned
run_once(struct series *series)
{
    struct run run = {.series = series};

    snprintf(run.place, sizeof(run.place), "memory:lost-%u-%u", series->number,
             ++series->runs);
    if (expect(&run, open_run(&run), "cannot begin")) {
        tell(&run);
        hf_close(run.a);
        hf_close(run.b);
        lossy_sea_end(&run.sea);
        expect(&run, lossy_sea_records(&run.sea, "default") == 0,
               "a record is left that nobody beats");
        expect(&run, lossy_sea_records(&run.sea, "!RECLAIM") == 0,
               "a marker is left");
        (void)hf_release(run.held, NULL, NULL);
        lossy_sea_close(&run.sea);
    }
    end_holder(&run);
    return run.sea.losses;
}

static void *
run_series(void *arg)
{
    struct series *series = arg;

    for (series->plan.at = 1; run_once(series) > 0 && series->why[0] == '\0';
         series->plan.at++)
        continue;
    return NULL;
}

/* The points at which a late write is applied: before this many-th operation
 * after it, or at the end. */
static const unsigned late[] = {1, 2, 4, 0};

#define HOWS       (3 + sizeof(late) / sizeof(late[0]))
#define SERIES_MAX (TALES * HOWS * 2)

static struct lossy_plan
plan_of(size_t how, unsigned count)
{
    static const enum lossy_how others[] = {LOSSY_APPLIED, LOSSY_DROPPED,
                                            LOSSY_BLIND};

    if (how < 3)
        return (struct lossy_plan){.how = others[how], .count = count};
    return (struct lossy_plan){
        .how = LOSSY_LATER,
        .count = count,
        .later = late[how - 3],
    };
}

static void
no_lost_reply_breaks_a_lock(void **state)
{
    static struct series all[SERIES_MAX];
    unsigned count = 0;
    unsigned runs = 0;

    (void)state;
    for (int tale = 0; tale < TALES; tale++) {
        for (size_t how = 0; how < HOWS; how++) {
            for (unsigned in_a_row = 1; in_a_row <= 2; in_a_row++) {
                struct series *series = &all[count];

                *series = (struct series){
                    .number = count++,
                    .tale = (enum tale)tale,
                    .plan = plan_of(how, in_a_row),
                };
                assert_int_equal(
                    pthread_create(&series->thread, NULL, run_series, series),
                    0);
            }
        }
    }
    for (unsigned i = 0; i < count; i++)
        pthread_join(all[i].thread, NULL);
    for (unsigned i = 0; i < count; i++) {
        runs += all[i].runs;
        if (all[i].why[0] != '\0')
            fail_msg("%s", all[i].why);
        assert_true(all[i].runs > 1);
    }
    print_message("%u runs in %u series\n", runs, count);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_lost_reply_breaks_a_lock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
