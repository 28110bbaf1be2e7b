#include "unit/support/clients.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "client/client.h"
#include "unit/support/asleep.h"

/*
 * The end of the right, to the millisecond, on a clock that stands still but
 * for what the test lets pass; and the alarm that is set for it.
 */

#define DAY_MS INT64_C(86400000)

static _Atomic int64_t boot_ms = 1000 * DAY_MS;

/* In place of the C library's: every clock but that one is true. */
int
clock_gettime(clockid_t clock_id, struct timespec *tp)
{
    int64_t ms = atomic_load(&boot_ms);

    if (clock_id != CLOCK_BOOTTIME)
        return (int)syscall(SYS_clock_gettime, clock_id, tp);
    tp->tv_sec = (time_t)(ms / 1000);
    tp->tv_nsec = (long)(ms % 1000) * 1000000;
    return 0;
}

/* Those who end what the lock protects go by the one, the library by the
 * other.  No beat comes between: the kernel's timers wait for a true day. */
static void
the_right_told_ends_when_the_lock_is_lost(void **state)
{
    struct hf_client *client = open_client("memory:right");
    struct hf_lock *lock = hold(client, "deploy",
                                &(struct hf_acquire_options){
                                    .ttl = {7 * DAY_MS},
                                    .beat = {DAY_MS},
                                });
    int64_t margin_ms = 7 * DAY_MS / 20;
    int64_t end_ms = atomic_load(&boot_ms) + 7 * DAY_MS - margin_ms;

    (void)state;
    assert_int_equal(hf_lock_right_ms(lock), end_ms);
    atomic_store(&boot_ms, end_ms - 1);
    assert_int_equal(hf_check(lock), HF_GRANTED);
    atomic_store(&boot_ms, end_ms);
    assert_int_equal(hf_check(lock), HF_LOST);
    assert_int_equal(hf_lock_right_ms(lock), end_ms);
    assert_int_equal(hf_release(lock, NULL, NULL), HF_OK);
    hf_close(client);
}

static void
the_alarm_counts_the_time_asleep(void **state)
{
    struct hf_client *client = open_client("memory:alarm");

    (void)state;
    asleep_is_counted_by_alarm(client->timer_fd);
    hf_close(client);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_right_told_ends_when_the_lock_is_lost),
        cmocka_unit_test(the_alarm_counts_the_time_asleep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
