#include "support/files.h"
#include "support/test.h"

#include <string.h>

/*
 * What another program wrote as a lock's name into a SQLite file: any bytes,
 * and any number of them.  A scan shows every one, in order, and ends.
 */

enum { NAMES_MAX = 16, NAME_MAX_LEN = 2048 };

struct shown {
    size_t count;
    size_t lens[NAMES_MAX];
    char names[NAMES_MAX][NAME_MAX_LEN];
};

static bool
take(void *ctx, const char *name, size_t name_len,
     const struct hf_record *record)
{
    struct shown *shown = ctx;

    (void)record;
    assert_true(shown->count < NAMES_MAX && name_len < NAME_MAX_LEN);
    memcpy(shown->names[shown->count], name, name_len + 1);
    shown->lens[shown->count++] = name_len;
    return true;
}

/* Insert a name given as an SQL expression. */
static void
insert(const struct files *files, const char *name)
{
    char sql[512];

    snprintf(sql, sizeof(sql),
             "INSERT INTO holdfast_records VALUES('default', %s, 1, 1, 0, 'x')",
             name);
    files_sql(files->path, sql);
}

static void
scan(struct hf_store *store, const struct hf_store_scan *what,
     struct shown *shown)
{
    struct hf_error error = {.status = HF_OK};

    shown->count = 0;
    if (hf_store_scan(store, what, suite_soon(), take, shown, &error) != HF_OK)
        fail_msg("%s", error.text);
}

static void
expect_name(const struct shown *shown, size_t index, const char *name,
            size_t name_len)
{
    assert_true(index < shown->count);
    assert_int_equal(shown->lens[index], name_len);
    assert_memory_equal(shown->names[index], name, name_len + 1);
}

#define FIXTURE_TEST(sentence) TEST_IN(files_set_up, files_tear_down, sentence)

FIXTURE_TEST(names_of_any_bytes_and_any_length_are_shown_whole)
{
    const struct files *files = *state;
    static struct shown shown;
    static char pad[601];
    struct hf_store_scan all = {.space = "default", .prefix = "", .limit = 100};
    struct hf_store *store = files_open(files);

    memset(pad, 'p', sizeof(pad) - 1);
    insert(files, "cast(x'ff61' AS TEXT)");
    insert(files, "''");
    insert(files, "cast(x'610062' AS TEXT)");
    insert(files, "'a'");
    insert(files, "char(27) || '[2J'");
    insert(files, "replace(printf('%600s', ''), ' ', 'p')");
    scan(store, &all, &shown);
    assert_int_equal(shown.count, 6);
    expect_name(&shown, 0, "", 0);
    expect_name(&shown, 1, "\x1b[2J", 4);
    expect_name(&shown, 2, "a", 1);
    expect_name(&shown, 3, "a\0b", 3);
    expect_name(&shown, 4, pad, 600);
    expect_name(&shown, 5,
                "\xff"
                "a",
                2);
    hf_store_close(store);
}

/* Page by page, one row each: a row that does not move the scan on would come
 * again and again. */
FIXTURE_TEST(a_scan_goes_on_after_any_name)
{
    const struct files *files = *state;
    static const char *const names[] = {
        "''",
        "cast(x'01' AS TEXT)",
        "'a'",
        "cast(x'6100' AS TEXT)",
        "cast(x'610000' AS TEXT)",
        "cast(x'610062' AS TEXT)",
        "'a' || char(1)",
        "'ab'",
        "cast(x'80' AS TEXT)",
        "cast(x'ff' AS TEXT)",
        "cast(x'ffff' AS TEXT)",
    };
    enum { COUNT = sizeof(names) / sizeof(names[0]) };
    static struct shown whole;
    static struct shown page;
    struct hf_store_scan all = {.space = "default", .prefix = "", .limit = 100};
    struct hf_store_scan one = {.space = "default", .prefix = "", .limit = 1};
    struct hf_store *store = files_open(files);

    for (size_t i = 0; i < COUNT; i++)
        insert(files, names[i * 4 % COUNT]);
    scan(store, &all, &whole);
    assert_int_equal(whole.count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        scan(store, &one, &page);
        assert_int_equal(page.count, 1);
        expect_name(&page, 0, whole.names[i], whole.lens[i]);
        one.after = whole.names[i];
        one.after_len = whole.lens[i];
    }
    scan(store, &one, &page);
    assert_int_equal(page.count, 0);
    hf_store_close(store);
}

FIXTURE_TEST(a_name_with_a_nul_is_no_other_name)
{
    const struct files *files = *state;
    static struct shown shown;
    struct hf_store_scan under = {
        .space = "default", .prefix = "ab", .limit = 100};
    struct hf_store *store = files_open(files);

    insert(files, "cast(x'610062' AS TEXT)");
    suite_absent(store, suite_key("a"));
    scan(store, &under, &shown);
    assert_int_equal(shown.count, 0);
    suite_apply(store, suite_put(suite_key("a"),
                                 suite_absent(store, suite_key("a")), "ours"));
    suite_expect_value(store, suite_key("a"), "ours");
    hf_store_close(store);
}
