#include "base/monitor.h"

#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Longest sleep at a time: our clock may have gone on while we were asleep. */
#define SLEEP_MS 60000

/*
 * The kernel uses `condition` as an address, and does not look what is there.
 * So the condition may be gone.  If another has its address by now, a thread
 * wakes early that looks again at what it waits for, as every user of a futex
 * has to.
 */
static void
wake(struct hf_condition *condition, int threads_max)
{
    (void)syscall(SYS_futex, &condition->notified, FUTEX_WAKE_PRIVATE,
                  threads_max, NULL, NULL, 0);
}

/* ---- The monitor --------------------------------------------------------- */

void
hf_monitor_init(struct hf_monitor *monitor)
{
    pthread_mutex_init(&monitor->mutex, NULL);
    monitor->pending_count = 0;
}

void
hf_monitor_fini(struct hf_monitor *monitor)
{
    pthread_mutex_destroy(&monitor->mutex);
}

void
hf_monitor_enter(struct hf_monitor *monitor)
{
    pthread_mutex_lock(&monitor->mutex);
}

void
hf_monitor_leave(struct hf_monitor *monitor)
{
    struct hf_condition *pending[HF_MONITOR_PENDING_MAX];
    unsigned count = monitor->pending_count;

    memcpy(pending, monitor->pending, count * sizeof(struct hf_condition *));
    monitor->pending_count = 0;
    pthread_mutex_unlock(&monitor->mutex);
    for (unsigned i = 0; i < count; i++)
        wake(pending[i], 1);
}

void
hf_monitor_notify(struct hf_monitor *monitor, struct hf_condition *condition)
{
    atomic_fetch_add(&condition->notified, 1);
    if (monitor->pending_count < HF_MONITOR_PENDING_MAX)
        monitor->pending[monitor->pending_count++] = condition;
    else
        wake(condition, 1);
}

void
hf_monitor_notify_all(struct hf_condition *condition)
{
    atomic_fetch_add(&condition->notified, 1);
    wake(condition, INT_MAX);
}

/* ---- Waiting ------------------------------------------------------------- */

/* How long to sleep at a time. */
static int64_t
left_us(struct hf_instant until)
{
    struct hf_duration left = hf_between(hf_now(), until);

    return (left.ms > SLEEP_MS ? SLEEP_MS : left.ms) * 1000;
}

/* Without the mutex, while it is notified no more; negative: for ever. */
static void
sleep_on(struct hf_monitor *monitor, struct hf_condition *condition, int64_t us)
{
    uint32_t seen = atomic_load(&condition->notified);
    struct timespec timeout = {
        .tv_sec = (time_t)(us / 1000000),
        .tv_nsec = (long)(us % 1000000) * 1000,
    };

    hf_monitor_leave(monitor);
    (void)syscall(SYS_futex, &condition->notified, FUTEX_WAIT_PRIVATE, seen,
                  us < 0 ? NULL : &timeout, NULL, 0);
    hf_monitor_enter(monitor);
}

void
hf_monitor_wait(struct hf_monitor *monitor, struct hf_condition *condition,
                struct hf_instant until)
{
    sleep_on(monitor, condition, until.ms == HF_NEVER.ms ? -1 : left_us(until));
}

void
hf_monitor_nap(struct hf_monitor *monitor, struct hf_condition *condition,
               int64_t us)
{
    sleep_on(monitor, condition, us);
}
