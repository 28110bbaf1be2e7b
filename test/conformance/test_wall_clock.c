#include "support/suite.h"

#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/rule.h"

/* What a store makes of the wall clock, which here is set by each test. */

static int64_t wall_us; /* what it says; 0: the truth */

/* In place of the C library's: every clock but that one is true. */
int
clock_gettime(clockid_t clock_id, struct timespec *tp)
{
    if (clock_id != CLOCK_REALTIME || wall_us == 0)
        return (int)syscall(SYS_clock_gettime, clock_id, tp);
    tp->tv_sec = (time_t)(wall_us / 1000000);
    tp->tv_nsec = (long)(wall_us % 1000000) * 1000;
    return 0;
}

static const int64_t noon_us = HF_RULE_CLOCK_MIN_US + 3600 * INT64_C(1000000);

static uint64_t
put_at(struct hf_store *store, int64_t now_us, uint64_t version)
{
    uint64_t given;

    wall_us = now_us;
    given = suite_apply(store, suite_put(suite_key("a"), version, "x"));
    wall_us = 0;
    return given;
}

static void
a_version_is_the_wall_clock_in_microseconds(struct suite_bench *b)
{
    int64_t now_us = HF_RULE_CLOCK_MAX_US - 10;
    uint64_t version = suite_absent(b->store, suite_key("a"));

    version = put_at(b->store, now_us, version);
    assert_true(version == (uint64_t)now_us);
    version = put_at(b->store, now_us + 7, version);
    assert_true(version == (uint64_t)now_us + 7);
    wall_us = now_us + 9;
    version = suite_apply(b->store, suite_delete(suite_key("a"), version));
    wall_us = 0;
    assert_true(version == (uint64_t)now_us + 9);
}

static void
under_a_clock_that_stands_or_is_set_back_versions_grow_by_one(
    struct suite_bench *b)
{
    uint64_t first = suite_absent(b->store, suite_key("a"));
    uint64_t second = put_at(b->store, noon_us, first);
    uint64_t third = put_at(b->store, noon_us, second);

    assert_true(second == first + 1);
    assert_true(third == second + 1);
    assert_true(put_at(b->store, noon_us - 1, third) == third + 1);
}

static void
expect_no_write(struct suite_bench *b, int64_t now_us, const char *day)
{
    struct hf_key key = suite_key("a");
    struct hf_store_op op =
        suite_put(key, suite_absent(b->store, key), "never");
    struct hf_store_group group = {.ops = &op, .ops_count = 1};
    struct hf_error error = {.status = HF_OK};

    wall_us = now_us;
    hf_store_commit(b->store, &group, 1, suite_soon(), &error);
    suite_absent(b->store, key); /* it may still be read */
    wall_us = 0;
    assert_int_equal(group.verdict, HF_UNAVAILABLE);
    assert_int_equal(error.status, HF_E_UNAVAILABLE);
    if (strstr(error.text, "clock") == NULL || strstr(error.text, day) == NULL)
        fail_msg("'%s' does not name the clock and %s", error.text, day);
}

static void
a_clock_that_cannot_be_right_makes_writes_unavailable(struct suite_bench *b)
{
    struct hf_key key = suite_key("a");

    expect_no_write(b, 1, "1970-01-01");
    expect_no_write(b, HF_RULE_CLOCK_MIN_US - 1, "2024-12-31");
    expect_no_write(b, HF_RULE_CLOCK_MAX_US + 1, "2112-09-17");
    put_at(b->store, HF_RULE_CLOCK_MAX_US, suite_absent(b->store, key));
}

static void
a_new_place_is_not_made_under_such_a_clock(struct suite_bench *b)
{
    struct hf_store *store = NULL;
    struct hf_error error = {.status = HF_OK};
    char place[SUITE_PLACE_SIZE];
    enum hf_status status;

    assert_true(b->kind->make(place));
    wall_us = 1;
    status = hf_store_open(place, &hf_alloc_libc, &store, &error);
    wall_us = 0;
    assert_int_equal(status, HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "clock"));
    assert_int_equal(hf_store_open(place, &hf_alloc_libc, &store, NULL), HF_OK);
    hf_store_close(store);
    b->kind->destroy(place);
}

int
main(void)
{
    static const struct suite_case cases[] = {
        SUITE_CASE(a_version_is_the_wall_clock_in_microseconds),
        SUITE_CASE(
            under_a_clock_that_stands_or_is_set_back_versions_grow_by_one),
        SUITE_CASE(a_clock_that_cannot_be_right_makes_writes_unavailable),
        SUITE_CASE(a_new_place_is_not_made_under_such_a_clock),
    };

    return suite_run(cases, sizeof(cases) / sizeof(cases[0]));
}
