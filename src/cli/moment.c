#include "moment.h"

#include <stdio.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <holdfast/words.h>

static int64_t
read_clock(clockid_t clock)
{
    struct timespec now = {0};

    (void)clock_gettime(clock, &now); /* fails for no clock that is there */
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t
hf_moment_now(void)
{
    return read_clock(CLOCK_BOOTTIME);
}

int64_t
hf_moment_wall(void)
{
    return read_clock(CLOCK_REALTIME);
}

int64_t
hf_moment_after(int64_t instant, int64_t ms)
{
    return instant > INT64_MAX - ms ? HF_MOMENT_NEVER : instant + ms;
}

int
hf_moment_alarm_open(void)
{
    return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

/* Set by a length, not by an instant: our clock may be a faked one (tests),
 * the kernel's is not. */
void
hf_moment_alarm_set(int alarm, int64_t instant)
{
    struct itimerspec at = {0};
    uint64_t rung;

    (void)!read(alarm, &rung, sizeof(rung));
    if (instant != HF_MOMENT_NEVER) {
        int64_t left = instant - hf_moment_now();

        if (left > 0) {
            at.it_value.tv_sec = (time_t)(left / 1000);
            at.it_value.tv_nsec = (long)(left % 1000) * 1000000;
        } else {
            at.it_value.tv_nsec = 1;
        }
    }
    (void)timerfd_settime(alarm, 0, &at, NULL);
}

const char *
hf_moment_span(int64_t since, char *buffer, size_t size)
{
    int64_t ms = hf_moment_now() - since;

    return hf_duration_text((struct hf_duration){ms - ms % 1000}, buffer, size);
}

bool
hf_moment_is_date(int64_t wall_ms)
{
    return wall_ms >= INT64_C(946684800000) &&
           wall_ms < INT64_C(253402300800000);
}

const char *
hf_moment_age(int64_t wall_ms, char *buffer, size_t size)
{
    int64_t now = hf_moment_wall();

    if (!hf_moment_is_date(wall_ms)) {
        snprintf(buffer, size, "?");
        return buffer;
    }
    return hf_duration_text(
        (struct hf_duration){now > wall_ms ? now - wall_ms : 0}, buffer, size);
}

const char *
hf_moment_date(int64_t wall_ms, char *buffer, size_t size)
{
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm parts;

    if (!hf_moment_is_date(wall_ms) || localtime_r(&seconds, &parts) == NULL ||
        strftime(buffer, size, "%Y-%m-%d %H:%M:%S %z", &parts) == 0)
        snprintf(buffer, size, "?");
    return buffer;
}
