#ifndef HF_BASE_MONITOR_H
#define HF_BASE_MONITOR_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/*
 * Monitor: a mutex, and conditions that threads wait for without it.
 *
 * A thread that is notified is woken once the mutex is left, so it does not
 * wake only to wait for the mutex.  A condition may stand on the stack of the
 * thread that waits: when the kernel is told to wake, the condition may be gone
 * already, for only its address is used then.
 *
 * Any thread.  Zero is no valid monitor; a zeroed condition is valid.  Linux:
 * futex(2).
 */

/* What a thread waits for.  Read and written under the mutex; atomic because
 * the kernel reads it, too. */
struct hf_condition {
    _Atomic uint32_t notified; /* so often */
};

/* Notified under one holding of the mutex; any more are woken at once. */
#define HF_MONITOR_PENDING_MAX 8

struct hf_monitor {
    pthread_mutex_t mutex;
    struct hf_condition *pending[HF_MONITOR_PENDING_MAX]; /* addresses */
    unsigned pending_count;
};

void hf_monitor_init(struct hf_monitor *monitor);
void hf_monitor_fini(struct hf_monitor *monitor);

void hf_monitor_enter(struct hf_monitor *monitor);

/* Leave it, and wake the threads that were notified. */
void hf_monitor_leave(struct hf_monitor *monitor);

/* Entered: wake one thread that waits for the condition, as soon as the monitor
 * is left. */
void hf_monitor_notify(struct hf_monitor *monitor,
                       struct hf_condition *condition);

/* Entered: wake all threads that wait for it, at once. */
void hf_monitor_notify_all(struct hf_condition *condition);

/* Entered, and so again on return: wait until the condition is notified, or
 * until then; it may return early. */
void hf_monitor_wait(struct hf_monitor *monitor, struct hf_condition *condition,
                     struct hf_instant until);

/* The same for so many microseconds at most: for what is looked at again
 * soon. */
void hf_monitor_nap(struct hf_monitor *monitor, struct hf_condition *condition,
                    int64_t us);

#endif
