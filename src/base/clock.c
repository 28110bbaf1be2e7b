#include "base/clock.h"

#include <time.h>

#include "base/check.h"

/* Every kernel that we run on has both clocks: only a wrong call fails. */
static struct timespec
read_clock(clockid_t clock)
{
    struct timespec now;

    HF_CHECK(clock_gettime(clock, &now) == 0);
    return now;
}

struct hf_instant
hf_now(void)
{
    struct timespec now = read_clock(CLOCK_BOOTTIME);

    return (struct hf_instant){(int64_t)now.tv_sec * 1000 +
                               now.tv_nsec / 1000000};
}

int64_t
hf_now_us(void)
{
    struct timespec now = read_clock(CLOCK_BOOTTIME);

    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t
hf_wall_ms(void)
{
    return hf_wall_us() / 1000;
}

int64_t
hf_wall_us(void)
{
    struct timespec now = read_clock(CLOCK_REALTIME);

    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
