#include "base/alarm.h"

#include <sys/timerfd.h>

#include "base/check.h"

int
hf_alarm_open(void)
{
    return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

/* By a length, not by an instant: our clock may be a faked one (tests), the
 * kernel's is not.  To set it takes back that it rang (timerfd_create(2)). */
void
hf_alarm_set(int alarm, struct hf_instant instant)
{
    struct itimerspec at = {0};

    if (instant.ms != HF_NEVER.ms) {
        int64_t left_ms = hf_between(hf_now(), instant).ms;

        at.it_value.tv_sec = (time_t)(left_ms / 1000);
        at.it_value.tv_nsec = (long)(left_ms % 1000) * 1000000;
        if (left_ms == 0)
            at.it_value.tv_nsec = 1; /* zero would disarm it */
    }
    HF_CHECK(timerfd_settime(alarm, 0, &at, NULL) == 0);
}
