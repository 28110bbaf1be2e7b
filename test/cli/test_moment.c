#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "cli/moment.h"
#include "unit/support/asleep.h"

/* The command's clock and alarm on a machine that was suspended. */

static void
now_counts_the_time_asleep(void **state)
{
    (void)state;
    asleep_is_counted_by(hf_moment_now);
}

static void
the_alarm_counts_the_time_asleep(void **state)
{
    int alarm = hf_moment_alarm_open();

    (void)state;
    assert_true(alarm >= 0);
    asleep_is_counted_by_alarm(alarm);
    close(alarm);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(now_counts_the_time_asleep),
        cmocka_unit_test(the_alarm_counts_the_time_asleep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
