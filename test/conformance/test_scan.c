#include "support/suite.h"

#include <string.h>

enum { NAMES_SIZE = 4096 };

static void
add(struct hf_store *store, const char *space, const char *name)
{
    struct hf_key key = {space, name};

    suite_apply(store, suite_put(key, suite_absent(store, key), name));
}

static void
expect_names(struct hf_store *store, const struct hf_store_scan *scan,
             const char *expected)
{
    char names[NAMES_SIZE];

    suite_scan(store, scan, names, sizeof(names));
    assert_string_equal(names, expected);
}

#define IN(where, text)                                                        \
    (&(struct hf_store_scan){.space = (where), .prefix = (text), .limit = 1000})
#define ALL(text) IN("default", text)

static void
an_empty_store_shows_nothing(struct suite_bench *b)
{
    expect_names(b->store, ALL(""), "");
}

static void
names_come_in_the_order_of_their_bytes(struct suite_bench *b)
{
    /* In order; put in another one. */
    static const char *const names[] = {
        "!x",
        "%",
        "A",
        "B",
        "Z",
        "a",
        "a ",
        "a/b",
        "ab",
        "b",
        "\xc3\xa9", /* e acute */
        "\xe2\x82\xac",
        /* the euro sign */ "\xf0\x9f\x94\x92" /* a padlock */,
    };
    enum { COUNT = sizeof(names) / sizeof(names[0]) };
    char expected[NAMES_SIZE] = "";
    size_t len = 0;

    for (size_t i = 0; i < COUNT; i++) {
        add(b->store, "default", names[i * 5 % COUNT]);
        len += (size_t)snprintf(expected + len, sizeof(expected) - len, "%s\n",
                                names[i]);
    }
    expect_names(b->store, ALL(""), expected);
}

/* What other languages of patterns and quotes would take for theirs. */
static void
a_prefix_is_bytes_and_no_pattern(struct suite_bench *b)
{
    static const struct {
        const char *name;
        const char *near; /* a pattern would show it under `name` */
    } odd[] = {
        {"100%", "100x"},
        {"a_b", "axb"},
        {"*star", "xstar"},
        {"[ab]", "a"},
        {"it's", "its"},
        {"\"quoted\"", "quoted"},
        {"back\\slash", "backslash"},
        {"?", "x"},
        {"K", "k"},
        {"\xc3\xa9", "e"},
        {"semi;colon", "semicolon"},
        {"--comment", "-comment"},
        {"$1", "1"},
        {":name", "name"},
    };

    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        add(b->store, "default", odd[i].name);
        add(b->store, "default", odd[i].near);
    }
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        char expected[64];

        snprintf(expected, sizeof(expected), "%s\n", odd[i].name);
        expect_names(b->store, ALL(odd[i].name), expected);
        suite_expect_value(b->store, suite_key(odd[i].name), odd[i].name);
    }
}

static void
a_prefix_shows_all_that_begin_with_it_and_nothing_else(struct suite_bench *b)
{
    const char *last = b->kind->text_only ? "app/\xf4\x8f\xbf\xbf" : "app/\xff";
    const char *const names[] = {"app", "app/", "app/1", "app/2",
                                 last,  "app0", "ap",    "b"};
    char expected[64];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        add(b->store, "default", names[i]);
    snprintf(expected, sizeof(expected), "app/\napp/1\napp/2\n%s\n", last);
    expect_names(b->store, ALL("app/"), expected);
    snprintf(expected, sizeof(expected), "%s\n", last);
    expect_names(b->store, ALL(last), expected);
    expect_names(b->store, ALL("c"), "");
    expect_names(b->store, ALL("app/1/"), "");
}

static void
spaces_with_common_beginnings_stay_apart(struct suite_bench *b)
{
    add(b->store, "team", "a");
    add(b->store, "team2", "b");
    add(b->store, "tea", "c");
    add(b->store, "team/", "d");
    add(b->store, "tea", "ma");
    add(b->store, "!team", "e");
    expect_names(b->store, IN("team", ""), "a\n");
    expect_names(b->store, IN("tea", ""), "c\nma\n");
    expect_names(b->store, IN("!team", ""), "e\n");
    expect_names(b->store, IN("te", ""), "");
}

static void
go_on(struct hf_store_scan *scan, const char *after)
{
    scan->after = after;
    scan->after_len = after != NULL ? strlen(after) : 0;
}

static void
after_and_limit_make_pages(struct suite_bench *b)
{
    static const char *const names[] = {"a", "b", "ba", "bb", "bc", "c"};
    struct hf_store_scan page = {.space = "default", .prefix = "b", .limit = 2};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        add(b->store, "default", names[i]);

    expect_names(b->store, &page, "b\nba\n");
    go_on(&page, "ba");
    expect_names(b->store, &page, "bb\nbc\n");
    go_on(&page, "bc");
    expect_names(b->store, &page, "");
    go_on(&page, "a"); /* before the prefix */
    expect_names(b->store, &page, "b\nba\n");
    go_on(&page, "bab"); /* there is no such name */
    expect_names(b->store, &page, "bb\nbc\n");
    go_on(&page, "");
    expect_names(b->store, &page, "b\nba\n");
    go_on(&page, "z");
    expect_names(b->store, &page, "");
    go_on(&page, NULL);
    page.limit = 0;
    expect_names(b->store, &page, "");
}

static void
tombstones_are_hidden_and_do_not_count(struct suite_bench *b)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    struct hf_store_scan two = {.space = "default", .prefix = "", .limit = 2};

    for (size_t i = 0; i < 4; i++)
        add(b->store, "default", names[i]);
    for (size_t i = 0; i < 4; i += 2) {
        struct hf_key key = suite_key(names[i]);

        suite_apply(b->store, suite_delete(key, suite_present(b->store, key)));
    }
    expect_names(b->store, &two, "b\nd\n");
}

struct first {
    size_t calls;
    struct hf_record record;
};

static bool
take_one(void *ctx, const char *name, size_t name_len,
         const struct hf_record *record)
{
    struct first *first = ctx;

    (void)name;
    (void)name_len;
    first->calls++;
    first->record = *record;
    return false;
}

static void
a_row_shows_what_a_read_shows_and_may_end_the_scan(struct suite_bench *b)
{
    static struct hf_record record;
    static struct first first;
    struct hf_key key = suite_key("a");

    first.calls = 0;
    add(b->store, "default", "a");
    add(b->store, "default", "b");
    assert_int_equal(
        hf_store_scan(b->store, ALL(""), suite_soon(), take_one, &first, NULL),
        HF_OK);
    assert_int_equal(first.calls, 1);
    assert_int_equal(get_one(b->store, key, suite_soon(), &record, NULL),
                     HF_OK);
    assert_true(first.record.version == record.version);
    assert_true(first.record.token == record.token);
    assert_true(first.record.stamp_ms == record.stamp_ms);
    assert_int_equal(first.record.value_len, record.value_len);
    assert_memory_equal(first.record.value, record.value, record.value_len);

    /* A scan that was ended leaves nothing behind that binds later calls. */
    add(b->store, "default", "c");
    expect_names(b->store, ALL(""), "a\nb\nc\n");
}

static void
a_scan_after_its_time_shows_nothing(struct suite_bench *b)
{
    static struct first first;
    struct hf_error error = {.status = HF_OK};

    first.calls = 0;
    add(b->store, "default", "a");
    assert_int_equal(
        hf_store_scan(b->store, ALL(""), hf_now(), take_one, &first, &error),
        HF_E_UNAVAILABLE);
    assert_int_equal(error.status, HF_E_UNAVAILABLE);
    assert_int_equal(first.calls, 0);
}

int
main(void)
{
    static const struct suite_case cases[] = {
        SUITE_CASE(an_empty_store_shows_nothing),
        SUITE_CASE(names_come_in_the_order_of_their_bytes),
        SUITE_CASE(a_prefix_is_bytes_and_no_pattern),
        SUITE_CASE(a_prefix_shows_all_that_begin_with_it_and_nothing_else),
        SUITE_CASE(spaces_with_common_beginnings_stay_apart),
        SUITE_CASE(after_and_limit_make_pages),
        SUITE_CASE(tombstones_are_hidden_and_do_not_count),
        SUITE_CASE(a_row_shows_what_a_read_shows_and_may_end_the_scan),
        SUITE_CASE(a_scan_after_its_time_shows_nothing),
    };

    return suite_run(cases, sizeof(cases) / sizeof(cases[0]));
}
