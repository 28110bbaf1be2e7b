#include "support/test.h"
#include "unit/support/clients.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/store.h"
#include "support/get_one.h"
#include "wire/record.h"

/*
 * The audit as libholdfast lists it: what was cleared by hand, in the order of
 * time.
 */

enum { ENTRIES_MAX = 64 };

struct listed {
    size_t count;
    struct hf_view *entries[ENTRIES_MAX];
};

static void
forget(struct listed *listed)
{
    while (listed->count > 0)
        hf_view_free(listed->entries[--listed->count]);
}

/* All that the query asks for, in pages of so many; it is freed. */
static void
list_all(struct hf_query *query, size_t page, struct listed *listed)
{
    char limit[8];
    size_t before;

    snprintf(limit, sizeof(limit), "%zu", page);
    assert_int_equal(hf_query_set(query, HF_LIMIT, limit, NULL), HF_OK);
    forget(listed);
    do {
        struct hf_view *entry;

        before = listed->count;
        assert_int_equal(ask(query), HF_OK);
        while ((entry = hf_query_next(query)) != NULL) {
            assert_true(listed->count < ENTRIES_MAX); /* does it end? */
            listed->entries[listed->count++] = entry;
        }
        assert_true(listed->count - before <= page);
    } while (listed->count > before);
    hf_query_free(query);
}

static void
list_everything(struct hf_client *client, size_t page, struct listed *listed)
{
    list_all(new_query(client, HF_AUDIT, NULL), page, listed);
}

/* Clear a lock of this client's, in an instant of its own. */
static void
clear_one(struct hf_client *client, const char *space, const char *name)
{
    struct hf_lock *lock = hold(client, name, HF_SPACE, space, HF_COMMAND,
                                "the work", HF_REASON, "its reason", NULL);
    struct hf_view *seen = clear(client, name, HF_SPACE, space, HF_REASON,
                                 "the machine burnt", HF_FORCE, "yes", NULL);
    int64_t stamp_ms = hf_wall_ms(); /* its own, or one that is later */

    assert_true(hf_view_number(seen, HF_FIELD_CLEARED));
    while (hf_wall_ms() <= stamp_ms)
        ; /* the next one has another */
    hf_view_free(seen);
    (void)leave_behind(lock);
}

TEST(it_says_who_cleared_what_when_why_and_whose_it_was)
{
    static struct listed listed;
    struct hf_client *client = open_client("memory:who");
    const struct hf_view *entry;
    int64_t before_ms = hf_wall_ms();
    char host[HF_HOST_MAX + 1] = "";

    list_everything(client, 4, &listed);
    assert_int_equal(listed.count, 0);
    clear_one(client, "default", "deploy");
    list_everything(client, 4, &listed);
    assert_int_equal(listed.count, 1);
    entry = listed.entries[0];
    assert_false(hf_view_number(entry, HF_FIELD_CORRUPT));
    assert_true(hf_view_number(entry, HF_FIELD_CLEARED));
    assert_true(hf_view_number(entry, HF_FIELD_FORCED));
    assert_in_range(hf_view_number(entry, HF_FIELD_CLEARED_MS), before_ms,
                    hf_wall_ms());
    assert_in_range(hf_view_number(entry, HF_FIELD_ASKED_MS), before_ms,
                    hf_wall_ms());
    assert_string_equal(hf_view_text(entry, HF_FIELD_BY_REASON),
                        "the machine burnt");
    gethostname(host, sizeof(host) - 1);
    assert_string_equal(hf_view_text(entry, HF_FIELD_BY_HOST), host);
    assert_true(hf_view_text(entry, HF_FIELD_BY_COMMAND)[0] != '\0');
    assert_true(hf_view_text(entry, HF_FIELD_BY_USER)[0] != '\0');
    assert_true(hf_view_number(entry, HF_FIELD_EXISTS));
    assert_string_equal(hf_view_text(entry, HF_FIELD_SPACE), "default");
    assert_string_equal(hf_view_text(entry, HF_FIELD_NAME), "deploy");
    assert_string_equal(hf_view_text(entry, HF_FIELD_COMMAND), "the work");
    assert_string_equal(hf_view_text(entry, HF_FIELD_REASON), "its reason");
    assert_true(hf_view_number(entry, HF_FIELD_FENCE) > 0);
    forget(&listed);
    close_client(client);
}

TEST(entries_come_in_the_order_of_time_and_in_pages)
{
    static const char *const names[] = {"m", "z", "a", "q", "b", "m", "c"};
    enum { COUNT = sizeof(names) / sizeof(names[0]) };
    static struct listed listed;
    struct hf_client *client = open_client("memory:order");

    for (size_t i = 0; i < COUNT; i++)
        clear_one(client, "default", names[i]);
    for (size_t page = 1; page <= COUNT + 1; page++) {
        list_everything(client, page, &listed);
        assert_int_equal(listed.count, COUNT);
        for (size_t i = 0; i < COUNT; i++)
            assert_string_equal(hf_view_text(listed.entries[i], HF_FIELD_NAME),
                                names[i]);
    }
    forget(&listed);
    close_client(client);
}

/* How many entries there are since then. */
static size_t
count_since(struct hf_client *client, int64_t since_ms)
{
    static struct listed listed;
    char since[24];
    size_t count;

    snprintf(since, sizeof(since), "%lld", (long long)since_ms);
    list_all(new_query(client, HF_AUDIT, HF_SINCE, since, NULL), 1, &listed);
    count = listed.count;
    forget(&listed);
    return count;
}

TEST(a_query_asks_for_a_space_a_lock_or_a_time)
{
    static struct listed listed;
    struct hf_client *client = open_client("memory:query");
    int64_t since_ms;

    clear_one(client, "default", "a");
    clear_one(client, "team", "a");
    clear_one(client, "team", "b");
    list_all(new_query(client, HF_AUDIT, HF_NAME, "a", NULL), 1, &listed);
    assert_int_equal(listed.count, 2);
    assert_string_equal(hf_view_text(listed.entries[1], HF_FIELD_SPACE),
                        "team");
    list_all(new_query(client, HF_AUDIT, HF_SPACE, "team", NULL), 1, &listed);
    assert_int_equal(listed.count, 2);
    assert_string_equal(hf_view_text(listed.entries[1], HF_FIELD_NAME), "b");
    list_all(
        new_query(client, HF_AUDIT, HF_SPACE, "default", HF_NAME, "b", NULL), 1,
        &listed);
    assert_int_equal(listed.count, 0);
    list_everything(client, 1, &listed);
    since_ms = hf_view_number(listed.entries[1], HF_FIELD_CLEARED_MS);
    assert_int_equal(count_since(client, since_ms), 2);
    assert_int_equal(count_since(client, since_ms + 1), 1);
    forget(&listed);
    close_client(client);
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
        assert_int_equal(get_one(store, ops[i].key, until, &record, NULL),
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
        list_everything(client, page, &listed);
        assert_int_equal(listed.count, count);
        for (size_t i = 0; i < count; i++) {
            const struct hf_view *entry = listed.entries[i];
            bool ours = i == count / 2;
            char name[16];

            snprintf(name, sizeof(name), "%02zu\xEF\xBF\xBD", i);
            assert_int_equal(hf_view_has(entry, HF_FIELD_BY_REASON), ours);
            assert_true(hf_view_number(entry, HF_FIELD_CORRUPT));
            assert_true(hf_view_number(entry, HF_FIELD_CLEARED_MS) > 0);
            assert_string_equal(hf_view_text(entry, HF_FIELD_NAME),
                                ours ? "ours" : name);
        }
    }
    list_all(new_query(client, HF_AUDIT, HF_NAME, "ours", NULL), 3, &listed);
    assert_int_equal(listed.count, 1);
    forget(&listed);
}

TEST(what_is_not_ours_is_shown_as_such_and_nothing_is_left_out)
{
    struct file_place place;
    struct hf_store *store;
    struct hf_client *client;

    make_place(&place);
    client = open_client(place.url);
    assert_int_equal(hf_store_open(place.url, &hf_alloc_libc, &store, NULL),
                     HF_OK);
    write_together(store, 41);
    expect_together(client, 41);
    hf_store_close(store);
    close_client(client);
    remove_place(&place);
}
