#include "support/test.h"

#include <time.h>

#include "base/clock.h"
#include "unit/support/asleep.h"

static struct hf_instant
at(int64_t ms)
{
    return (struct hf_instant){ms};
}

static struct hf_duration
lasting(int64_t ms)
{
    return (struct hf_duration){ms};
}

TEST(sums_stop_at_the_ends)
{
    assert_true(hf_after(at(5), lasting(7)).ms == 12);
    assert_true(hf_after(at(5), lasting(-7)).ms == -2);
    assert_true(hf_after(at(INT64_MAX - 7), lasting(7)).ms == INT64_MAX);
    assert_true(hf_after(at(INT64_MAX - 7), lasting(8)).ms == INT64_MAX);
    assert_true(hf_after(at(1), HF_FOREVER).ms == HF_NEVER.ms);
    assert_true(hf_after(HF_NEVER, lasting(1000)).ms == HF_NEVER.ms);
    assert_true(hf_after(at(INT64_MIN + 7), lasting(-7)).ms == INT64_MIN);
    assert_true(hf_after(at(INT64_MIN + 7), lasting(-8)).ms == INT64_MIN);
    assert_true(hf_after(at(-1), lasting(INT64_MIN)).ms == INT64_MIN);
}

TEST(between_is_never_negative_and_never_overflows)
{
    assert_true(hf_between(at(5), at(12)).ms == 7);
    assert_true(hf_between(at(12), at(5)).ms == 0);
    assert_true(hf_between(at(-5), at(5)).ms == 10);
    assert_true(hf_between(at(5), HF_NEVER).ms == HF_FOREVER.ms);
    assert_true(hf_between(HF_NEVER, at(5)).ms == 0);
    assert_true(hf_between(at(-2), at(INT64_MAX - 1)).ms == HF_FOREVER.ms);
    assert_true(hf_between(at(-1), at(INT64_MAX - 2)).ms == INT64_MAX - 1);
    assert_true(hf_between(at(INT64_MIN), at(0)).ms == HF_FOREVER.ms);
}

TEST(a_mark_is_reached_at_its_very_instant)
{
    assert_false(hf_reached(at(4), at(5)));
    assert_true(hf_reached(at(5), at(5)));
    assert_true(hf_reached(at(6), at(5)));
    assert_true(hf_earlier(at(4), HF_NEVER).ms == 4);
    assert_true(hf_later(at(4), at(5)).ms == 5);
}

static int64_t
read_ms(clockid_t clock)
{
    struct timespec now;

    assert_int_equal(clock_gettime(clock, &now), 0);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

TEST(now_is_boottime_and_the_wall_is_realtime)
{
    int64_t boot = read_ms(CLOCK_BOOTTIME);
    struct hf_instant now = hf_now();
    int64_t wall = read_ms(CLOCK_REALTIME);
    int64_t wall_us = hf_wall_us();

    assert_true(boot <= now.ms && now.ms <= read_ms(CLOCK_BOOTTIME));
    assert_true(wall <= wall_us / 1000 && wall_us / 1000 <= hf_wall_ms());
}

static int64_t
now_ms(void)
{
    return hf_now().ms;
}

TEST(now_counts_the_time_asleep)
{
    asleep_is_counted_by(now_ms);
}
