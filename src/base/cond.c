#include "base/cond.h"

#include <time.h>

/* Longest sleep at a time: our clock may have gone on while we were asleep. */
#define SLEEP_MS 60000

void
hf_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void
hf_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex,
             struct hf_instant until)
{
    struct timespec at;
    struct hf_duration wait;

    if (until.ms == HF_NEVER.ms) {
        pthread_cond_wait(cond, mutex);
        return;
    }
    wait = hf_between(hf_now(), until);
    if (wait.ms > SLEEP_MS)
        wait.ms = SLEEP_MS;
    at = hf_monotonic_after(wait);
    pthread_cond_timedwait(cond, mutex, &at);
}
