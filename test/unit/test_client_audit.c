#include "unit/support/clients.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/store.h"
#include "wire/record.h"

/*
 * The audit as libholdfast lists it: what was cleared by hand, in the order of
 * time.
 */

enum { ENTRIES_MAX = 64 };

struct listed {
    size_t count;
    struct hf_audit_entry entries[ENTRIES_MAX];
};

/* All that the query asks for, in pages of so many. */
static void
list_all(struct hf_client *client, struct hf_audit_query query, size_t page,
         struct listed *listed)
{
    struct hf_cursor cursor = {.len = 0};

    query.cursor = &cursor;
    listed->count = 0;
    for (;;) {
        size_t count = page;

        assert_true(listed->count + page <= ENTRIES_MAX); /* does it end? */
        assert_int_equal(hf_audit(client, &query,
                                  listed->entries + listed->count, &count,
                                  NULL),
                         HF_OK);
        if (count == 0)
            return;
        listed->count += count;
    }
}

/* Clear a lock of this client's, in an instant of its own. */
static void
clear(struct hf_client *client, const char *space, const char *name)
{
    struct hf_acquire_options options = {
        .space = space, .command = "the work", .reason = "its reason"};
    struct hf_clear_options forced = {
        .space = space, .reason = "the machine burnt", .force = true};
    struct hf_lock *lock = hold(client, name, &options);
    struct hf_cleared cleared = {.cleared = false};
    int64_t stamp_ms;

    assert_int_equal(hf_clear(client, name, &forced, &cleared, NULL), HF_OK);
    assert_true(cleared.cleared);
    stamp_ms = hf_wall_ms(); /* its own, or one that is later */
    while (hf_wall_ms() <= stamp_ms)
        ; /* the next one has another */
    hf_abandon(lock);
}

static void
it_says_who_cleared_what_when_why_and_whose_it_was(void **state)
{
    static struct listed listed;
    struct hf_client *client = open_client("memory:who");
    const struct hf_audit_entry *entry = &listed.entries[0];
    int64_t before_ms = hf_wall_ms();
    char host[HF_HOST_MAX + 1] = "";

    (void)state;
    list_all(client, (struct hf_audit_query){0}, 4, &listed);
    assert_int_equal(listed.count, 0);
    clear(client, NULL, "deploy");
    list_all(client, (struct hf_audit_query){0}, 4, &listed);
    assert_int_equal(listed.count, 1);
    assert_false(entry->corrupt);
    assert_true(entry->forced);
    assert_in_range(entry->stamp_ms, before_ms, hf_wall_ms());
    assert_in_range(entry->asked_ms, before_ms, hf_wall_ms());
    assert_string_equal(entry->reason, "the machine burnt");
    gethostname(host, sizeof(host) - 1);
    assert_string_equal(entry->host, host);
    assert_true(entry->command[0] != '\0' && entry->user[0] != '\0');
    assert_true(entry->cleared.exists);
    assert_string_equal(entry->cleared.space, "default");
    assert_string_equal(entry->cleared.name, "deploy");
    assert_string_equal(entry->cleared.command, "the work");
    assert_string_equal(entry->cleared.reason, "its reason");
    assert_true(entry->cleared.fence > 0);
    hf_close(client);
}

static void
entries_come_in_the_order_of_time_and_in_pages(void **state)
{
    static const char *const names[] = {"m", "z", "a", "q", "b", "m", "c"};
    enum { COUNT = sizeof(names) / sizeof(names[0]) };
    static struct listed listed;
    struct hf_client *client = open_client("memory:order");

    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        clear(client, NULL, names[i]);
    for (size_t page = 1; page <= COUNT + 1; page++) {
        list_all(client, (struct hf_audit_query){0}, page, &listed);
        assert_int_equal(listed.count, COUNT);
        for (size_t i = 0; i < COUNT; i++)
            assert_string_equal(listed.entries[i].cleared.name, names[i]);
    }
    hf_close(client);
}

static void
a_query_asks_for_a_space_a_lock_or_a_time(void **state)
{
    static struct listed listed;
    struct hf_client *client = open_client("memory:query");
    int64_t since_ms;

    (void)state;
    clear(client, NULL, "a");
    clear(client, "team", "a");
    clear(client, "team", "b");
    list_all(client, (struct hf_audit_query){.name = "a"}, 1, &listed);
    assert_int_equal(listed.count, 2);
    assert_string_equal(listed.entries[1].cleared.space, "team");
    list_all(client, (struct hf_audit_query){.space = "team"}, 1, &listed);
    assert_int_equal(listed.count, 2);
    assert_string_equal(listed.entries[1].cleared.name, "b");
    list_all(client, (struct hf_audit_query){.space = "default", .name = "b"},
             1, &listed);
    assert_int_equal(listed.count, 0);
    list_all(client, (struct hf_audit_query){0}, 1, &listed);
    since_ms = listed.entries[1].stamp_ms;
    list_all(client, (struct hf_audit_query){.since_ms = since_ms}, 1, &listed);
    assert_int_equal(listed.count, 2);
    list_all(client, (struct hf_audit_query){.since_ms = since_ms + 1}, 1,
             &listed);
    assert_int_equal(listed.count, 1);
    hf_close(client);
}

/* ---- What another program wrote ------------------------------------------ */

/* So many entries that are not ours, and one that is, in one commit: a store
 * gives them one stamp, or almost. */
static void
write_together(struct hf_store *store, size_t count)
{
    static char names[ENTRIES_MAX][16];
    static char ours[HF_RECORD_TEXT_MAX];
    struct hf_store_op ops[ENTRIES_MAX];
    struct hf_store_group groups[ENTRIES_MAX];
    struct hf_instant until = hf_after(hf_now(), (struct hf_duration){10000});
    struct hf_audit_entry entry = {
        .cleared = {.corrupt = true, .space = "s", .name = "ours"}};

    hf_audit_encode(&entry, ours, sizeof(ours));
    for (size_t i = 0; i < count; i++) {
        struct hf_record record;

        snprintf(names[i], sizeof(names[i]), "%02zu\x1b", i);
        ops[i] = (struct hf_store_op){
            .kind = HF_PUT,
            .key = {"!audit", names[i]},
            .new_generation = true,
            .value = i == count / 2 ? ours : "not ours",
        };
        ops[i].value_len = strlen(ops[i].value);
        assert_int_equal(hf_store_get(store, ops[i].key, until, &record, NULL),
                         HF_OK);
        ops[i].expect.version = record.version;
        groups[i] = (struct hf_store_group){.ops = &ops[i], .ops_count = 1};
    }
    hf_store_commit(store, groups, count, until, NULL);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(groups[i].verdict, HF_APPLIED);
}

static void
expect_together(struct hf_client *client, size_t count)
{
    static struct listed listed;

    for (size_t page = 1; page <= 8; page++) {
        list_all(client, (struct hf_audit_query){0}, page, &listed);
        assert_int_equal(listed.count, count);
        for (size_t i = 0; i < count; i++) {
            const struct hf_audit_entry *entry = &listed.entries[i];
            char name[16];

            snprintf(name, sizeof(name), "%02zu\xEF\xBF\xBD", i);
            assert_int_equal(entry->corrupt, i != count / 2);
            assert_true(entry->stamp_ms > 0);
            assert_string_equal(entry->cleared.name,
                                entry->corrupt ? name : "ours");
        }
    }
    list_all(client, (struct hf_audit_query){.name = "ours"}, 3, &listed);
    assert_int_equal(listed.count, 1);
}

static void
what_is_not_ours_is_shown_as_such_and_nothing_is_left_out(void **state)
{
    struct file_place place;
    struct hf_store *store;
    struct hf_client *client;

    (void)state;
    make_place(&place);
    client = open_client(place.url);
    assert_int_equal(hf_store_open(place.url, &hf_alloc_libc, &store, NULL),
                     HF_OK);
    write_together(store, 41);
    expect_together(client, 41);
    hf_store_close(store);
    hf_close(client);
    remove_place(&place);
}

static void
a_cursor_of_something_else_is_refused(void **state)
{
    struct hf_client *client = open_client("memory:cursor");
    struct hf_cursor cursor = {.len = 0};
    struct hf_list_query locks = {.cursor = &cursor};
    struct hf_audit_query audit = {.cursor = &cursor};
    struct hf_lock *lock = hold(client, "12345678", NULL);
    static struct hf_description row;
    static struct hf_audit_entry entry;
    size_t count = 1;

    (void)state;
    assert_int_equal(hf_list(client, &locks, &row, &count, NULL), HF_OK);
    assert_int_equal(hf_audit(client, &audit, &entry, &count, NULL),
                     HF_E_INVALID);
    clear(client, NULL, "x");
    cursor.len = 0;
    assert_int_equal(hf_audit(client, &audit, &entry, &count, NULL), HF_OK);
    assert_int_equal(count, 1);
    assert_int_equal(hf_list(client, &locks, &row, &count, NULL), HF_E_INVALID);
    hf_release(lock, NULL, NULL);
    hf_close(client);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_says_who_cleared_what_when_why_and_whose_it_was),
        cmocka_unit_test(entries_come_in_the_order_of_time_and_in_pages),
        cmocka_unit_test(a_query_asks_for_a_space_a_lock_or_a_time),
        cmocka_unit_test(
            what_is_not_ours_is_shown_as_such_and_nothing_is_left_out),
        cmocka_unit_test(a_cursor_of_something_else_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
