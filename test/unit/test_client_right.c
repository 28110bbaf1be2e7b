#include "support/test.h"
#include "unit/support/clients.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "client/table/state.h"
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
TEST(the_right_told_ends_when_the_lock_is_lost)
{
    struct hf_client *client = open_client("memory:right");
    struct hf_lock *lock =
        hold(client, "deploy", HF_TTL, "7d", HF_BEAT, "24h", NULL);
    int64_t margin_ms = 7 * DAY_MS / 20;
    int64_t end_ms = atomic_load(&boot_ms) + 7 * DAY_MS - margin_ms;

    assert_int_equal(hf_lock_right_ms(lock), end_ms);
    atomic_store(&boot_ms, end_ms - 1);
    assert_int_equal(hf_lock_check(lock), HF_GRANTED);
    assert_int_equal(hf_lock_state(lock), HF_STATE_HELD);
    atomic_store(&boot_ms, end_ms);
    assert_int_equal(hf_lock_check(lock), HF_LOST);
    assert_int_equal(hf_lock_state(lock), HF_STATE_LOST);
    assert_int_equal(hf_lock_right_ms(lock), end_ms);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

/* A process that was frozen past its right is in doubt at its first call. */
TEST(a_refuse_holder_past_its_right_is_in_doubt)
{
    struct hf_client *client = open_client("memory:doubt");
    struct hf_lock *lock = hold(client, "deploy", HF_TTL, "7d", HF_BEAT, "24h",
                                HF_IF_DEAD, "refuse", NULL);

    atomic_store(&boot_ms, hf_lock_right_ms(lock));
    assert_int_equal(hf_lock_check(lock), HF_IN_DOUBT);
    assert_int_equal(hf_lock_state(lock), HF_STATE_IN_DOUBT);
    assert_int_equal(hf_lock_wait(lock, HF_FOREVER), HF_STATE_IN_DOUBT);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

TEST(the_alarm_counts_the_time_asleep)
{
    struct hf_client *client = open_client("memory:alarm");
    const struct hf_table *table = (const struct hf_table *)client->backend;

    asleep_is_counted_by_alarm(table->alarm_fd);
    close_client(client);
}
