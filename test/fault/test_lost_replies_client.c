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

#include "base/clock.h"
#include "support/locks.h"
#include "support/lossy.h"

/*
 * Lost replies once more, through libholdfast: its threads and real time; see
 * test_lost_replies.c, where the same is done exhaustively to the machines.  A
 * series tells one tale again and again, with the reply to each of its writes
 * (or reads) lost in turn; the series run side by side.
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
    struct hf_lock *waiter; /* B's */
    pid_t holder;           /* the process whose end is A's */
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

static const char *
if_dead_of(const struct run *run)
{
    return run->series->tale == CLEAR ? "refuse" : "takeover";
}

#define TERMS HF_TTL, "10s", HF_BEAT, "100ms", HF_WAIT, "20s"

static struct hf_lock *
ask_second(struct run *run)
{
    return ask_for(run->b, "lock", TERMS, HF_IF_DEAD, if_dead_of(run), NULL);
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
           expect(run, hf_lock_check(lock) == HF_GRANTED,
                  "a holder lost its lock");
}

static bool
hold_first(struct run *run)
{
    char processes[16];

    snprintf(processes, sizeof(processes), "%d",
             (int)(run->series->tale == HAND_OVER ? getpid() : run->holder));
    run->held = acquire(run->a, "lock", TERMS, HF_IF_DEAD, if_dead_of(run),
                        HF_PROCESSES, processes, NULL);
    return expect(run, hf_lock_state(run->held) == HF_STATE_HELD,
                  "the first was not granted") &&
           see_beat(run, run->held);
}

static void
leave_first(struct run *run)
{
    if (run->series->tale == HAND_OVER) {
        expect(run, give_back(run->held) == HF_OK, "a release failed");
        run->held = NULL;
    } else {
        hf_lock_abandon(run->held);
        end_holder(run);
    }
}

static void
release_second(struct run *run, uint64_t first_fence)
{
    struct hf_lock *lock = run->waiter;

    if (expect(run, hf_lock_wait(lock, HF_FOREVER) == HF_STATE_HELD,
               "the second was not granted"))
        expect(run, hf_lock_fence(lock) > first_fence, "a fence did not grow");
    (void)(run->series->why[0] == '\0' && see_beat(run, lock));
    expect(run, give_back(lock) == HF_OK, "a release failed");
    run->waiter = NULL;
}

/* B finds A gone, clears its lock, and asks for it again. */
static void
clear_first(struct run *run)
{
    struct hf_query *query = new_query(run->b, HF_CLEAR, HF_NAME, "lock",
                                       HF_REASON, "its holder is dead", NULL);
    struct hf_view *seen;
    enum hf_status status;

    expect(run,
           hf_lock_wait(run->waiter, HF_FOREVER) == HF_STATE_ENDED &&
               hf_lock_check(run->waiter) == HF_GONE,
           "a dead refuse holder was not called gone");
    status = ask(query);
    expect(run,
           status == HF_OK || (status == HF_E_UNKNOWN && run->sea.losses > 0),
           "a clear failed");
    seen = hf_query_view(query);
    expect(run,
           hf_view_number(seen, HF_FIELD_CLEARED) == (status == HF_OK ? 1 : 0),
           "it was not cleared");
    hf_view_free(seen);
    hf_query_free(query);
    hf_lock_free(run->waiter);
    run->waiter = ask_second(run);
}

static void
tell(struct run *run)
{
    uint64_t fence;

    if (!hold_first(run))
        return;
    fence = hf_lock_fence(run->held);
    run->waiter = ask_second(run);
    if (see_beat(run, run->held))
        leave_first(run);
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
    run->a = open_client_on(one, run->place);
    run->b = open_client_on(other, run->place);
    return start_holder(run);
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
        hf_lock_free(run.waiter);
        close_client(run.a);
        close_client(run.b);
        lossy_sea_end(&run.sea);
        expect(&run, lossy_sea_records(&run.sea, "default") == 0,
               "a record is left that nobody beats");
        expect(&run, lossy_sea_records(&run.sea, "!RECLAIM") == 0,
               "a marker is left");
        hf_lock_free(run.held);
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
