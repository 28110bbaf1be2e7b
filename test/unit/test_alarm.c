#include "support/test.h"

#include <poll.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/alarm.h"
#include "unit/support/asleep.h"

enum { PATIENCE_MS = 20 * 1000 };

static bool
rings(int alarm, int patience_ms)
{
    struct pollfd fd = {.fd = alarm, .events = POLLIN};

    return poll(&fd, 1, patience_ms) == 1;
}

TEST(it_rings_at_its_instant)
{
    int alarm = hf_alarm_open();
    struct hf_instant soon = hf_after(hf_now(), (struct hf_duration){20});

    assert_true(alarm >= 0);
    hf_alarm_set(alarm, soon);
    assert_true(rings(alarm, PATIENCE_MS));
    assert_true(hf_reached(hf_now(), soon));
    close(alarm);
}

TEST(it_rings_for_what_is_past_until_it_is_set_anew)
{
    int alarm = hf_alarm_open();

    assert_true(alarm >= 0);
    assert_false(rings(alarm, 0));
    hf_alarm_set(alarm, (struct hf_instant){1});
    assert_true(rings(alarm, PATIENCE_MS));
    hf_alarm_set(alarm, HF_NEVER);
    assert_false(rings(alarm, 0));
    hf_alarm_set(alarm, hf_now());
    assert_true(rings(alarm, PATIENCE_MS));
    hf_alarm_set(alarm, hf_after(hf_now(), (struct hf_duration){3600 * 1000}));
    assert_false(rings(alarm, 0));
    close(alarm);
}

TEST(it_counts_the_time_asleep)
{
    int alarm = hf_alarm_open();

    assert_true(alarm >= 0);
    asleep_is_counted_by_alarm(alarm);
    close(alarm);
}
