#ifndef HF_BASE_COND_H
#define HF_BASE_COND_H

#include <pthread.h>

#include "base/clock.h"

/*
 * A condition variable that is waited for until an instant of our clock.
 *
 * POSIX has none on CLOCK_BOOTTIME; so it may wake early, as it may anyway, and
 * the caller looks at the time again.
 */
void hf_cond_init(pthread_cond_t *cond);

/* `mutex` is held on entry and on return. */
void hf_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                  struct hf_instant until);

#endif
