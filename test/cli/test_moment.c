#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "cli/moment.h"

/* What a wall clock showed, as a person reads it. */

/* The first ms that is a date, and the first that is none any more. */
#define FIRST_MS INT64_C(946684800000)
#define END_MS   INT64_C(253402300800000)

enum { LONG_AGO_MS = (52 * 60 + 30) * 60 * 1000 };

static void
a_moment_is_shown_in_the_local_zone(void **state)
{
    char date[64];

    (void)state;
    assert_string_equal(hf_moment_date(FIRST_MS, date, sizeof(date)),
                        "2000-01-01 01:00:00 +0100");
    assert_string_equal(hf_moment_date(END_MS - 3601000, date, sizeof(date)),
                        "9999-12-31 23:59:59 +0100");
}

static void
what_no_clock_has_shown_is_unknown(void **state)
{
    static const int64_t wrong[] = {INT64_MIN,    -1,     0,        1,
                                    FIRST_MS - 1, END_MS, INT64_MAX};
    char text[64];

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_false(hf_moment_is_date(wrong[i]));
        assert_string_equal(hf_moment_date(wrong[i], text, sizeof(text)), "?");
        assert_string_equal(hf_moment_age(wrong[i], text, sizeof(text)), "?");
    }
    assert_true(hf_moment_is_date(FIRST_MS));
    assert_true(hf_moment_is_date(END_MS - 1));
}

static void
the_future_of_our_clock_is_no_time_ago(void **state)
{
    int64_t now_ms = hf_wall_ms();
    char age[32];

    (void)state;
    assert_string_equal(hf_moment_age(now_ms + 3600000, age, sizeof(age)),
                        "0s");
    assert_string_equal(hf_moment_age(now_ms - LONG_AGO_MS, age, sizeof(age)),
                        "2d04h");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moment_is_shown_in_the_local_zone),
        cmocka_unit_test(what_no_clock_has_shown_is_unknown),
        cmocka_unit_test(the_future_of_our_clock_is_no_time_ago),
    };

    (void)setenv("TZ", "HOLD-1", 1);
    tzset();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
