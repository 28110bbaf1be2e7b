#include "support/suite.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/limits.h"

static struct hf_store_op
open_put(struct hf_key key, enum hf_expect_kind expect, const char *value)
{
    struct hf_store_op op = suite_put(key, 0, value);

    op.expect.kind = expect;
    return op;
}

static struct hf_store_op
erase(struct hf_key key)
{
    return (struct hf_store_op){
        .kind = HF_ERASE,
        .key = key,
        .expect = {.kind = HF_EXPECT_ANYTHING},
    };
}

static void
a_group_applies_as_a_whole(struct suite_bench *b)
{
    struct hf_key lock = suite_key("lock");
    struct hf_key marker = {"!RECLAIM", "m"};
    uint64_t floor = suite_absent(b->store, lock);
    struct hf_store_op ops[] = {
        suite_put(lock, floor, "mine"),
        open_put(marker, HF_EXPECT_ABSENT, "marker"),
    };

    assert_int_equal(suite_commit(b->store, ops, 2), HF_APPLIED);
    assert_true(suite_present(b->store, lock) == ops[0].version);
    assert_true(suite_present(b->store, marker) == ops[1].version);
}

static void
a_refused_group_changes_nothing_and_names_its_operation(struct suite_bench *b)
{
    enum { COUNT = 4 };
    static const char *const names[COUNT] = {"a", "b", "c", "d"};
    uint64_t floor = suite_absent(b->store, suite_key("a"));

    for (size_t wrong = 0; wrong < COUNT; wrong++) {
        struct hf_store_op ops[COUNT];
        struct hf_store_group group = {.ops = ops, .ops_count = COUNT};

        for (size_t i = 0; i < COUNT; i++)
            ops[i] = suite_put(suite_key(names[i]),
                               i >= wrong ? floor + 9 : floor, "x");
        hf_store_commit(b->store, &group, 1, suite_soon(), NULL);
        assert_int_equal(group.verdict, HF_REFUSED);
        assert_int_equal(group.refused_at, wrong);
        for (size_t i = 0; i < COUNT; i++)
            assert_true(suite_absent(b->store, suite_key(names[i])) == floor);
    }
}

/* Many records, that hang on one. */
static void
a_group_may_be_as_large_as_a_group_can_be(struct suite_bench *b)
{
    enum { COUNT = HF_GROUP_OPERATIONS_MAX };
    static struct hf_store_op ops[COUNT];
    static char names[COUNT][8];
    struct hf_store_group group = {.ops = ops, .ops_count = COUNT};

    for (int turn = 0; turn < 2; turn++) {
        uint64_t version = turn == 0
                               ? suite_absent(b->store, suite_key("head"))
                               : suite_present(b->store, suite_key("head"));

        ops[0] = suite_put(suite_key("head"), version, "x");
        for (size_t i = 1; i < COUNT; i++) {
            (void)snprintf(names[i], sizeof(names[i]), "n%zu", i);
            ops[i] = suite_put(suite_key(names[i]), 0, "x");
            ops[i].expect.kind = HF_EXPECT_ANYTHING;
            if (turn == 1)
                ops[i].kind = HF_ERASE;
        }
        hf_store_commit(b->store, &group, 1, suite_soon(), NULL);
        assert_int_equal(group.verdict, HF_APPLIED);
    }
    (void)suite_absent(b->store, suite_key("n1"));
    (void)suite_absent(b->store, suite_key(names[COUNT - 1]));
    (void)suite_present(b->store, suite_key("head"));
}

static void
groups_of_one_commit_are_independent(struct suite_bench *b)
{
    uint64_t floor = suite_absent(b->store, suite_key("a"));
    struct hf_store_op ops[] = {
        suite_put(suite_key("a"), floor, "a"),
        suite_put(suite_key("b"), floor + 1, "b"), /* not its version */
        suite_delete(suite_key("c"), floor),
        suite_put(suite_key("d"), floor, "d"),
        suite_put(suite_key("e"), floor + 1, "e"), /* nor this */
    };
    struct hf_store_group groups[] = {
        {.ops = &ops[0], .ops_count = 1},
        {.ops = &ops[1], .ops_count = 1},
        {.ops = &ops[2], .ops_count = 1},
        {.ops = &ops[3], .ops_count = 2},
    };

    hf_store_commit(b->store, groups, 4, suite_soon(), NULL);
    assert_int_equal(groups[0].verdict, HF_APPLIED);
    assert_int_equal(groups[1].verdict, HF_REFUSED);
    assert_int_equal(groups[1].refused_at, 0);
    assert_int_equal(groups[2].verdict, HF_APPLIED);
    assert_int_equal(groups[3].verdict, HF_REFUSED);
    assert_int_equal(groups[3].refused_at, 1);

    assert_true(suite_present(b->store, suite_key("a")) == ops[0].version);
    assert_true(suite_absent(b->store, suite_key("b")) == floor);
    assert_true(suite_absent(b->store, suite_key("c")) == ops[2].version);
    assert_true(suite_absent(b->store, suite_key("d")) == floor);
    assert_true(suite_absent(b->store, suite_key("e")) == floor);
}

static void
an_open_expectation_holds_by_its_kind_alone(struct suite_bench *b)
{
    struct hf_key lock = suite_key("lock");
    struct hf_key other = suite_key("other");
    uint64_t version = suite_absent(b->store, lock);
    uint64_t first;

    for (int i = 0; i < 2; i++) {
        struct hf_store_op absent[] = {
            suite_put(lock, version, "x"),
            open_put(other, HF_EXPECT_ABSENT, "y"),
        };
        struct hf_store_op anything[] = {
            suite_put(lock, version, "x"),
            open_put(other, HF_EXPECT_ANYTHING, "z"),
        };

        /* On nothing at first, then on a tombstone; then on a record. */
        assert_int_equal(suite_commit(b->store, absent, 2), HF_APPLIED);
        first = absent[1].version;
        absent[0].expect.version = absent[0].version;
        anything[0].expect.version = absent[0].version;
        assert_int_equal(suite_commit(b->store, absent, 2), HF_REFUSED);
        suite_expect_value(b->store, other, "y");

        assert_int_equal(suite_commit(b->store, anything, 2), HF_APPLIED);
        suite_expect_value(b->store, other, "z");
        assert_true(anything[1].version > first);
        version = anything[0].version;
        suite_apply(b->store, suite_delete(other, anything[1].version));
    }
}

static void
a_guard_that_fails_refuses_the_open_operation_too(struct suite_bench *b)
{
    struct hf_key lock = suite_key("lock");
    struct hf_key other = suite_key("other");
    uint64_t floor = suite_absent(b->store, lock);
    struct hf_store_op ops[] = {
        open_put(other, HF_EXPECT_ANYTHING, "y"),
        suite_put(lock, floor + 1, "x"),
    };
    struct hf_store_group group = {.ops = ops, .ops_count = 2};

    hf_store_commit(b->store, &group, 1, suite_soon(), NULL);
    assert_int_equal(group.verdict, HF_REFUSED);
    assert_int_equal(group.refused_at, 1);
    assert_true(suite_absent(b->store, other) == floor);
}

static void
an_erased_key_leaves_nothing_and_a_higher_version(struct suite_bench *b)
{
    struct hf_key lock = suite_key("lock");
    struct hf_key marker = {"!RECLAIM", "m"};
    uint64_t floor = suite_absent(b->store, lock);
    struct hf_store_op made[] = {
        suite_put(lock, floor, "x"),
        open_put(marker, HF_EXPECT_ABSENT, "m"),
    };
    struct hf_store_op erased[] = {suite_put(lock, 0, "x"), erase(marker)};
    struct hf_store_op late = suite_put(marker, floor, "late");
    size_t purged = 99;

    assert_int_equal(suite_commit(b->store, made, 2), HF_APPLIED);
    erased[0].expect.version = made[0].version;
    assert_int_equal(suite_commit(b->store, erased, 2), HF_APPLIED);
    assert_true(erased[1].version == 0);
    assert_true(suite_absent(b->store, marker) > made[1].version);
    assert_int_equal(suite_commit(b->store, &late, 1), HF_REFUSED);
    assert_int_equal(hf_store_purge(b->store, (struct hf_duration){0}, 100,
                                    suite_soon(), &purged, NULL),
                     HF_OK);
    assert_int_equal(purged, b->kind->erases_later ? 1 : 0);
}

static void
an_erase_of_nothing_applies_and_raises_no_version(struct suite_bench *b)
{
    struct hf_key lock = suite_key("lock");
    struct hf_key marker = {"!RECLAIM", "m"};
    uint64_t floor = suite_absent(b->store, lock);
    struct hf_store_op ops[] = {suite_put(lock, floor, "x"), erase(marker)};

    assert_int_equal(suite_commit(b->store, ops, 2), HF_APPLIED);
    assert_true(suite_absent(b->store, marker) == floor);
}

/* The floor that an erase raises binds the commits after it, not the groups
 * beside it. */
static void
an_erase_refuses_no_other_group_of_its_commit(struct suite_bench *b)
{
    struct hf_key lock = suite_key("lock");
    struct hf_key marker = {"!RECLAIM", "m"};
    uint64_t floor = suite_absent(b->store, lock);
    struct hf_store_op made[] = {
        suite_put(lock, floor, "x"),
        open_put(marker, HF_EXPECT_ABSENT, "m"),
    };
    struct hf_store_op ops[] = {
        suite_put(lock, floor + 1, "x"),
        erase(marker),
        suite_put(suite_key("new"), floor, "x"),
    };
    struct hf_store_group groups[] = {
        {.ops = &ops[0], .ops_count = 2},
        {.ops = &ops[2], .ops_count = 1},
    };

    assert_int_equal(suite_commit(b->store, made, 2), HF_APPLIED);
    ops[0].expect.version = made[0].version;
    hf_store_commit(b->store, groups, 2, suite_soon(), NULL);
    assert_int_equal(groups[0].verdict, HF_APPLIED);
    assert_int_equal(groups[1].verdict, HF_APPLIED);
}

static void
an_over_long_value_is_unavailable_and_harms_no_other_group(
    struct suite_bench *b)
{
    static char value[HF_VALUE_MAX + 1];
    uint64_t floor = suite_absent(b->store, suite_key("a"));
    struct hf_store_op ops[] = {
        suite_put(suite_key("a"), floor, ""),
        suite_put(suite_key("b"), floor, "b"),
    };
    struct hf_store_group groups[] = {
        {.ops = &ops[0], .ops_count = 1},
        {.ops = &ops[1], .ops_count = 1},
    };
    struct hf_error error = {.status = HF_OK};

    ops[0].value = value;
    ops[0].value_len = sizeof(value);
    hf_store_commit(b->store, groups, 2, suite_soon(), &error);
    assert_int_equal(groups[0].verdict, HF_UNAVAILABLE);
    assert_int_equal(groups[1].verdict, HF_APPLIED);
    assert_int_equal(error.status, HF_E_LIMIT);
    assert_true(suite_absent(b->store, suite_key("a")) == floor);
}

static void
a_commit_after_its_time_is_unavailable_and_writes_nothing(struct suite_bench *b)
{
    uint64_t floor = suite_absent(b->store, suite_key("a"));
    struct hf_store_op op = suite_put(suite_key("a"), floor, "x");
    struct hf_store_group group = {.ops = &op, .ops_count = 1};
    struct hf_error error = {.status = HF_OK};

    hf_store_commit(b->store, &group, 1, hf_now(), &error);
    assert_int_equal(group.verdict, HF_UNAVAILABLE);
    assert_int_equal(error.status, HF_E_UNAVAILABLE);
    assert_true(suite_absent(b->store, suite_key("a")) == floor);
}

static void
a_commit_of_no_groups_does_nothing(struct suite_bench *b)
{
    hf_store_commit(b->store, NULL, 0, suite_soon(), NULL);
    suite_absent(b->store, suite_key("a"));
}

static void
another_store_sees_what_was_applied(struct suite_bench *b)
{
    struct hf_store *other = suite_open(b);
    struct hf_key key = suite_key("a");
    uint64_t first =
        suite_apply(b->store, suite_put(key, suite_absent(b->store, key), "1"));
    uint64_t second;

    assert_true(suite_present(other, key) == first);
    second = suite_apply(other, suite_put(key, first, "2"));
    assert_true(suite_present(b->store, key) == second);
    suite_expect_value(b->store, key, "2");
    hf_store_close(other);
}

static void
thousands_of_groups_share_one_commit(struct suite_bench *b)
{
    enum { MOST = 5000 };
    static struct hf_store_op ops[MOST];
    static struct hf_store_group groups[MOST];
    static char names[MOST][16];
    size_t allowed = hf_store_limits(b->store).max_operations;
    size_t count = allowed < MOST ? allowed : MOST;
    uint64_t floor = suite_absent(b->store, suite_key("a"));
    struct hf_instant begun;

    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < count; i++) {
            uint64_t version = round == 0 ? floor : ops[i].version;

            snprintf(names[i], sizeof(names[i]), "lock %zu", i);
            /* Each seventh is refused, at whatever version it stands. */
            ops[i] = suite_put(suite_key(names[i]),
                               i % 7 == 6 ? floor + 99 : version, "beat");
            groups[i] = (struct hf_store_group){.ops = &ops[i], .ops_count = 1};
        }
        begun = hf_now();
        hf_store_commit(b->store, groups, count, suite_soon(), NULL);
        print_message("%s: %zu groups in %d ms\n", b->kind->name, count,
                      (int)hf_between(begun, hf_now()).ms);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(groups[i].verdict,
                             i % 7 == 6 ? HF_REFUSED : HF_APPLIED);
    }
    for (size_t i = 0; i < count; i += 7)
        assert_true(suite_present(b->store, suite_key(names[i])) ==
                    ops[i].version);
}

/* ---- Limits -------------------------------------------------------------- */

/* All are.  False: a server far away was silent for too long, which a busy
 * machine's may be, and then all are unknown. */
static bool
are_applied(struct suite_bench *b, const char *what, struct hf_store_op *ops,
            size_t count)
{
    struct hf_store_group *groups =
        hf_calloc(&hf_alloc_libc, count, sizeof(*groups));
    struct hf_instant begun = hf_now();
    enum hf_verdict verdict;

    assert_non_null(groups);
    for (size_t i = 0; i < count; i++)
        groups[i] = (struct hf_store_group){.ops = &ops[i], .ops_count = 1};
    hf_store_commit(b->store, groups, count, suite_soon(), NULL);
    print_message("%s: %zu %s in %d ms\n", b->kind->name, count, what,
                  (int)hf_between(begun, hf_now()).ms);
    verdict = groups[0].verdict;
    for (size_t i = 0; i < count; i++)
        assert_int_equal(groups[i].verdict, verdict);
    hf_free(&hf_alloc_libc, groups);
    if (verdict == HF_UNKNOWN && hf_store_limits(b->store).max_calls > 1)
        return false;
    assert_int_equal(verdict, HF_APPLIED);
    return true;
}

enum { NAME_LEN = 12, NAME_SIZE = 32, TURNS = 5 };

/* Each time others: the former may yet be applied. */
static void
name_all(struct hf_store_op *ops, char (*names)[NAME_SIZE], size_t count,
         int turn)
{
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], NAME_SIZE, "%d %0*zu", turn, NAME_LEN - 2, i);
        ops[i].key = suite_key(names[i]);
    }
}

/* `bytes` in each operation: its space, its name and its value. */
static void
fill_a_commit(struct suite_bench *b, const char *what, size_t count,
              size_t bytes)
{
    size_t value_len = bytes - strlen("default") - NAME_LEN;
    char *value = hf_calloc(&hf_alloc_libc, value_len + 1, 1);
    char(*names)[NAME_SIZE] = hf_calloc(&hf_alloc_libc, count, NAME_SIZE);
    struct hf_store_op *ops = hf_calloc(&hf_alloc_libc, count, sizeof(*ops));
    uint64_t floor = suite_absent(b->store, suite_key("a"));
    int turn = 0;

    assert_true(value != NULL && names != NULL && ops != NULL);
    memset(value, 'x', value_len);
    for (size_t i = 0; i < count; i++)
        ops[i] = suite_put(suite_key("a"), floor, value);
    do {
        assert_true(turn++ < TURNS);
        name_all(ops, names, count, turn);
        assert_int_equal(hf_store_group_bytes(&(struct hf_store_group){
                             .ops = ops, .ops_count = 1}),
                         bytes);
    } while (!are_applied(b, what, ops, count));
    hf_free(&hf_alloc_libc, ops);
    hf_free(&hf_alloc_libc, names);
    hf_free(&hf_alloc_libc, value);
}

static void
a_commit_may_have_as_many_operations_as_the_store_says(struct suite_bench *b)
{
    struct hf_store_limits limits = hf_store_limits(b->store);

    assert_true(limits.max_calls >= 1);
    assert_true(limits.max_operations >= HF_GROUP_OPERATIONS_MAX);
    fill_a_commit(b, "operations", limits.max_operations, 100);
}

static void
a_commit_may_have_as_many_bytes_as_the_store_says(struct suite_bench *b)
{
    struct hf_store_limits limits = hf_store_limits(b->store);
    size_t each = HF_VALUE_MAX / 2;

    assert_true(limits.max_bytes >= 4 * (size_t)HF_VALUE_MAX);
    fill_a_commit(b, "values of 32 KiB", limits.max_bytes / each, each);
}

static bool
commit_one_too_many(void *ctx)
{
    struct suite_bench *b = ctx;
    size_t count = hf_store_limits(b->store).max_operations + 1;
    struct hf_store_group *groups =
        hf_calloc(&hf_alloc_libc, count, sizeof(*groups));
    struct hf_store_op op = suite_put(suite_key("a"), 1, "x");

    assert_non_null(groups);
    for (size_t i = 0; i < count; i++)
        groups[i] = (struct hf_store_group){.ops = &op, .ops_count = 1};
    hf_store_commit(b->store, groups, count, suite_soon(), NULL);
    hf_free(&hf_alloc_libc, groups);
    return true;
}

static void
a_commit_beyond_the_limits_aborts(struct suite_bench *b)
{
    int end = suite_end_of(suite_start(commit_one_too_many, b));

    assert_true(WIFSIGNALED(end) && WTERMSIG(end) == SIGABRT);
}

int
main(void)
{
    static const struct suite_case cases[] = {
        SUITE_CASE(a_group_applies_as_a_whole),
        SUITE_CASE(a_refused_group_changes_nothing_and_names_its_operation),
        SUITE_CASE(a_group_may_be_as_large_as_a_group_can_be),
        SUITE_CASE(groups_of_one_commit_are_independent),
        SUITE_CASE(an_open_expectation_holds_by_its_kind_alone),
        SUITE_CASE(a_guard_that_fails_refuses_the_open_operation_too),
        SUITE_CASE(an_erased_key_leaves_nothing_and_a_higher_version),
        SUITE_CASE(an_erase_of_nothing_applies_and_raises_no_version),
        SUITE_CASE(an_erase_refuses_no_other_group_of_its_commit),
        SUITE_CASE(an_over_long_value_is_unavailable_and_harms_no_other_group),
        SUITE_CASE(a_commit_after_its_time_is_unavailable_and_writes_nothing),
        SUITE_CASE(a_commit_of_no_groups_does_nothing),
        SUITE_CASE(another_store_sees_what_was_applied),
        SUITE_CASE(thousands_of_groups_share_one_commit),
        SUITE_CASE(a_commit_may_have_as_many_operations_as_the_store_says),
        SUITE_CASE(a_commit_may_have_as_many_bytes_as_the_store_says),
        SUITE_CASE(a_commit_beyond_the_limits_aborts),
    };

    return suite_run(cases, sizeof(cases) / sizeof(cases[0]));
}
