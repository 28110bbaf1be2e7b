#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { NOT_ALLOWED = 77 };

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

static void
sums_stop_at_the_ends(void **state)
{
    (void)state;
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

static void
between_is_never_negative_and_never_overflows(void **state)
{
    (void)state;
    assert_true(hf_between(at(5), at(12)).ms == 7);
    assert_true(hf_between(at(12), at(5)).ms == 0);
    assert_true(hf_between(at(-5), at(5)).ms == 10);
    assert_true(hf_between(at(5), HF_NEVER).ms == HF_FOREVER.ms);
    assert_true(hf_between(HF_NEVER, at(5)).ms == 0);
    assert_true(hf_between(at(-2), at(INT64_MAX - 1)).ms == HF_FOREVER.ms);
    assert_true(hf_between(at(-1), at(INT64_MAX - 2)).ms == INT64_MAX - 1);
    assert_true(hf_between(at(INT64_MIN), at(0)).ms == HF_FOREVER.ms);
}

static void
a_mark_is_reached_at_its_very_instant(void **state)
{
    (void)state;
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

static void
now_is_boottime_and_the_wall_is_realtime(void **state)
{
    int64_t boot = read_ms(CLOCK_BOOTTIME);
    struct hf_instant now = hf_now();
    int64_t wall = read_ms(CLOCK_REALTIME);
    int64_t wall_us = hf_wall_us();

    (void)state;
    assert_true(boot <= now.ms && now.ms <= read_ms(CLOCK_BOOTTIME));
    assert_true(wall <= wall_us / 1000 && wall_us / 1000 <= hf_wall_ms());
}

/* In a time namespace the clock that counts the time asleep is ahead of the one
 * that does not, as after a suspension. */
static int
look_from_a_thousand_seconds_ahead(void)
{
    int64_t awake = read_ms(CLOCK_MONOTONIC);
    int64_t asleep = hf_now().ms - awake;

    return asleep >= 1000000 ? 0 : 1;
}

static bool
begin_time_namespace(void)
{
    FILE *offsets;

    if (unshare(CLONE_NEWTIME) != 0 &&
        unshare(CLONE_NEWUSER | CLONE_NEWTIME) != 0)
        return false;
    offsets = fopen("/proc/self/timens_offsets", "w");
    if (offsets == NULL)
        return false;
    fputs("boottime 1000 0\n", offsets);
    return fclose(offsets) == 0;
}

static int
code_of(pid_t child)
{
    int status = -1;

    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

static void
now_counts_the_time_asleep(void **state)
{
    pid_t outside = fork();
    int code;

    (void)state;
    if (outside == 0) {
        pid_t inside;

        if (!begin_time_namespace())
            _exit(NOT_ALLOWED);
        inside = fork();
        if (inside == 0)
            _exit(look_from_a_thousand_seconds_ahead());
        _exit(code_of(inside));
    }
    code = code_of(outside);
    if (code == NOT_ALLOWED) {
        puts("time namespaces are not allowed here");
        skip();
    }
    assert_int_equal(code, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_stop_at_the_ends),
        cmocka_unit_test(between_is_never_negative_and_never_overflows),
        cmocka_unit_test(a_mark_is_reached_at_its_very_instant),
        cmocka_unit_test(now_is_boottime_and_the_wall_is_realtime),
        cmocka_unit_test(now_counts_the_time_asleep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
