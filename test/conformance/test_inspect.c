#include "support/suite.h"

#include <string.h>

/* What a store tells of its place, for people: the same checks of each kind. */

enum { CHECKS_MAX = 16 };

struct told {
    struct hf_checkup checks[CHECKS_MAX];
    size_t count;
};

static void
take(void *ctx, const struct hf_checkup *checkup)
{
    struct told *told = ctx;

    assert_true(told->count < CHECKS_MAX);
    told->checks[told->count++] = *checkup;
}

static struct told
inspect(struct hf_store *store)
{
    struct told told = {.count = 0};

    hf_store_inspect(store, suite_soon(), take, &told);
    return told;
}

static const struct hf_checkup *
find(const struct told *told, const char *check)
{
    size_t i = 0;

    while (i < told->count && strcmp(told->checks[i].check, check) != 0)
        i++;
    if (i == told->count)
        fail_msg("%s was not looked at", check);
    return &told->checks[i];
}

static void
expect(struct hf_store *store, const char *check, enum hf_grade grade,
       const char *words)
{
    struct told told = inspect(store);
    const struct hf_checkup *found = find(&told, check);

    if (found->grade != grade || strstr(found->found, words) == NULL)
        fail_msg("%s: %s: %s", check, hf_grade_word(found->grade),
                 found->found);
}

/* ---- The promises -------------------------------------------------------- */

static void
each_check_is_told_once_and_in_order(struct suite_bench *b)
{
    static const char *const order[] = {"schema", "rights",    "durability",
                                        "clock",  "leftovers", "wakeup"};
    struct told told = inspect(b->store);

    assert_int_equal(told.count, 6);
    for (size_t i = 0; i < told.count; i++) {
        const struct hf_checkup *checkup = &told.checks[i];

        assert_string_equal(checkup->check, order[i]);
        assert_true(checkup->found[0] != '\0');
        assert_true((checkup->grade == HF_GRADE_OK) ==
                    (checkup->remedy[0] == '\0'));
        if (checkup->grade == HF_GRADE_FAIL)
            fail_msg("%s: %s", checkup->check, checkup->found);
    }
}

static void
it_writes_nothing(struct suite_bench *b)
{
    uint64_t floor = suite_absent(b->store, suite_key("a"));
    struct hf_store_watch watch = {
        .key = suite_key("b"),
        .version = suite_apply(b->store, suite_put(suite_key("b"), floor, "x")),
    };

    (void)inspect(b->store);
    assert_true(suite_absent(b->store, suite_key("a")) == floor);
    assert_true(suite_present(b->store, suite_key("b")) == watch.version);
    hf_store_wait(b->store, &watch, 1, hf_now(), -1);
    assert_false(watch.changed);
}

static void
leftovers_are_counted(struct suite_bench *b)
{
    struct hf_key marker = {"!RECLAIM", "m"};
    uint64_t floor = suite_absent(b->store, marker);
    size_t purged = 0;

    expect(b->store, "leftovers", HF_GRADE_OK, "none");
    suite_apply(b->store, suite_put(suite_key("lives"), floor, "x"));
    suite_apply(b->store, suite_delete(suite_key("a"), floor));
    suite_apply(b->store, suite_delete(suite_key("b"), floor));
    suite_apply(b->store, suite_put(marker, floor, "x"));
    expect(b->store, "leftovers", HF_GRADE_OK, "2 tombstones and 1 marker,");
    assert_int_equal(hf_store_purge(b->store, (struct hf_duration){0}, 1000,
                                    suite_soon(), &purged, NULL),
                     HF_OK);
    assert_int_equal(purged, 3);
    expect(b->store, "leftovers", HF_GRADE_OK, "none");
}

static void
what_may_not_be_told_for_long_is_told_all_the_same(struct suite_bench *b)
{
    struct told told = {.count = 0};

    hf_store_inspect(b->store, hf_now(), take, &told);
    assert_true(told.count > 0);
}

int
main(void)
{
    static const struct suite_case cases[] = {
        SUITE_CASE(each_check_is_told_once_and_in_order),
        SUITE_CASE(it_writes_nothing),
        SUITE_CASE(leftovers_are_counted),
        SUITE_CASE(what_may_not_be_told_for_long_is_told_all_the_same),
    };

    return suite_run(cases, sizeof(cases) / sizeof(cases[0]));
}
