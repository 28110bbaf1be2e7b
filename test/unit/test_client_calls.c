#include "unit/support/clients.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/store.h"

/*
 * libholdfast beside its locks: what its calls refuse, tell and list.
 */

static void
no_lock_is_released_abandoned_and_not_held(void **state)
{
    (void)state;
    assert_int_equal(hf_release(NULL, NULL, NULL), HF_OK);
    hf_abandon(NULL);
    hf_close(NULL);
    assert_int_equal(hf_check(NULL), HF_NOT_HELD);
    assert_int_equal(hf_fence(NULL), 0);
}

static void
bad_requests_are_refused_in_one_clause(void **state)
{
    struct hf_client *client = open_client("memory:bad");
    static char long_name[HF_NAME_MAX + 2];
    const struct {
        const char *name;
        struct hf_acquire_options options;
    } bad[] = {
        {"", {0}},
        {"a\nb", {0}},
        {"\xff", {0}},
        {long_name, {0}},
        {"x", {.space = "!audit"}},
        {"x", {.space = ""}},
        {"x", {.ttl = {-1}}},
        {"x", {.ttl = {100}}},
        {"x", {.ttl = {INT64_MAX}}},
        {"x", {.ttl = {5000}, .beat = {2000}}},
        {"x", {.limit = {-5}}},
        {"x", {.beat = {INT64_MAX}}},
        {"x", {.grace = {INT64_MAX}}},
        {"x", {.processes = &(pid_t){-1}, .processes_count = 1}},
        {"x", {.if_dead = (enum hf_if_dead)7}},
    };

    (void)state;
    memset(long_name, 'n', sizeof(long_name) - 1);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct hf_acquired acquired = {0};
        struct hf_error error = {0};

        assert_int_equal(
            hf_acquire(client, bad[i].name, &bad[i].options, &acquired, &error),
            HF_E_INVALID);
        assert_true(error.text[0] != '\0');
        assert_null(acquired.lock);
    }
    hf_close(client);
}

/* The program it is given to may run in another folder. */
static void
the_place_is_told_with_its_whole_path(void **state)
{
    struct file_place place;
    char before[1024];
    struct hf_client *client;

    (void)state;
    make_place(&place);
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(place.folder), 0);
    client = open_client("sqlite:locks.db");
    assert_int_equal(chdir(before), 0);
    assert_string_equal(hf_client_place(client), place.url);
    hf_close(client);
    remove_place(&place);
}

static void
locks_are_listed_in_order_and_in_pages(void **state)
{
    struct hf_client *client = open_client("memory:list");
    struct hf_lock *locks[5];
    static struct hf_description rows[2];
    struct hf_cursor cursor = {.len = 0};
    struct hf_list_query query = {.prefix = "job", .cursor = &cursor};
    size_t seen = 0;

    (void)state;
    for (int i = 0; i < 5; i++) {
        char name[8];

        snprintf(name, sizeof(name), "job%d", i);
        locks[i] = hold(client, name, NULL);
    }
    for (;;) {
        size_t count = 2;

        assert_int_equal(hf_list(client, &query, rows, &count, NULL), HF_OK);
        if (count == 0)
            break;
        for (size_t i = 0; i < count; i++) {
            char name[8];

            snprintf(name, sizeof(name), "job%zu", seen);
            assert_string_equal(rows[i].name, name);
            assert_int_equal(rows[i].fence, hf_fence(locks[seen]));
            seen++;
        }
    }
    assert_int_equal(seen, 5);
    for (int i = 0; i < 5; i++)
        hf_release(locks[i], NULL, NULL);
    hf_close(client);
}

/* ---- Names that no lock can have ----------------------------------------- */

/* Write a record as another program would, whatever its name is. */
static void
write_foreign(struct hf_store *store, const char *name)
{
    struct hf_key key = {"default", name};
    struct hf_record record;
    struct hf_store_op op = {
        .kind = HF_PUT, .key = key, .new_generation = true, .value = "x"};
    struct hf_store_group group = {.ops = &op, .ops_count = 1};
    struct hf_instant until = hf_after(hf_now(), (struct hf_duration){10000});

    op.value_len = strlen(op.value);
    assert_int_equal(hf_store_get(store, key, until, &record, NULL), HF_OK);
    op.expect.version = record.version;
    hf_store_commit(store, &group, 1, until, NULL);
    assert_int_equal(group.verdict, HF_APPLIED);
}

/* List everything in pages of `page` rows; how many of each kind there were. */
struct listed {
    size_t count;
    size_t foreign_count;
    struct hf_description last;
};

static struct listed
list_all(struct hf_client *client, size_t page)
{
    static struct hf_description rows[8];
    struct hf_cursor cursor = {.len = 0};
    struct hf_list_query query = {.cursor = &cursor};
    struct listed listed = {.count = 0};

    for (;;) {
        size_t count = page;

        assert_int_equal(hf_list(client, &query, rows, &count, NULL), HF_OK);
        if (count == 0)
            return listed;
        for (size_t i = 0; i < count; i++) {
            if (rows[i].foreign_name) {
                assert_true(rows[i].corrupt);
                listed.foreign_count++;
            }
        }
        listed.count += count;
        assert_true(listed.count < 1000); /* does it end? */
        listed.last = rows[count - 1];
    }
}

static void
every_foreign_name_is_listed_once_and_the_listing_ends(void **state)
{
    struct hf_store *store;
    struct hf_client *client = open_client("memory:foreign");
    struct hf_lock *lock = hold(client, "visible-lock", NULL);

    (void)state;
    assert_int_equal(
        hf_store_open("memory:foreign", &hf_alloc_libc, &store, NULL), HF_OK);
    write_foreign(store, "");
    for (int i = 0; i < 300; i++) {
        char name[16];

        snprintf(name, sizeof(name), "\x01%03d", i);
        write_foreign(store, name);
    }
    write_foreign(store, "\xff");
    write_foreign(store, "\xff\x61");
    for (size_t page = 1; page <= 8; page++) {
        struct listed listed = list_all(client, page);

        assert_int_equal(listed.count, 304);
        assert_int_equal(listed.foreign_count, 303);
        assert_string_equal(listed.last.name, "\xEF\xBF\xBD"
                                              "a");
    }
    hf_store_close(store);
    hf_release(lock, NULL, NULL);
    hf_close(client);
}

/* Of names longer than a lock's, a cursor holds the beginning, and these have
 * one in common: with each other, and with a lock. */
static void
names_that_are_too_long_are_listed_each_once(void **state)
{
    static char name[HF_NAME_MAX + 100];
    struct hf_store *store;
    struct hf_client *client = open_client("memory:long");
    struct hf_lock *lock;

    (void)state;
    assert_int_equal(hf_store_open("memory:long", &hf_alloc_libc, &store, NULL),
                     HF_OK);
    memset(name, 'n', HF_NAME_MAX);
    lock = hold(client, name, NULL);
    for (size_t len = HF_NAME_MAX + 1; len < sizeof(name); len += 7) {
        memset(name, 'n', len);
        write_foreign(store, name);
    }
    name[1] = 'o';
    write_foreign(store, name);
    write_foreign(store, "o");
    for (size_t page = 1; page <= 8; page++) {
        struct listed listed = list_all(client, page);

        assert_int_equal(listed.count, 1 + 15 + 2);
        assert_int_equal(listed.foreign_count, 15 + 1);
        assert_string_equal(listed.last.name, "o");
    }
    hf_store_close(store);
    hf_release(lock, NULL, NULL);
    hf_close(client);
}

static void
a_cursor_of_something_else_is_refused(void **state)
{
    struct hf_client *client = open_client("memory:cursor");
    struct hf_cursor cursor = {.len = 3};
    struct hf_list_query query = {.cursor = &cursor};
    static struct hf_description row;
    size_t count = 1;
    struct hf_error error = {0};

    (void)state;
    assert_int_equal(hf_list(client, &query, &row, &count, &error),
                     HF_E_INVALID);
    assert_string_equal(error.text, "the cursor is not of a listing of locks");
    cursor.len = HF_CURSOR_MAX + 1;
    assert_int_equal(hf_list(client, &query, &row, &count, NULL), HF_E_INVALID);
    assert_int_equal(count, 1);
    hf_close(client);
}

static void
a_client_that_looks_only_may_not_write(void **state)
{
    struct hf_open_options options = {.look_only = true};
    struct hf_client *client = NULL;
    struct hf_diagnosis diagnosis;
    struct hf_acquired acquired;
    struct hf_cleared cleared;
    struct hf_error error = {0};

    (void)state;
    assert_int_equal(hf_open("memory:look", &options, &client, NULL), HF_OK);
    assert_int_equal(hf_acquire(client, "a", NULL, &acquired, &error),
                     HF_E_DENIED);
    assert_string_equal(error.text, "memory:look was opened to look only");
    assert_int_equal(hf_clear(client, "a", NULL, &cleared, &error),
                     HF_E_DENIED);
    assert_int_equal(hf_examine(client, "a", NULL, &diagnosis, &error), HF_OK);
    assert_false(diagnosis.record.exists);
    hf_close(client);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_lock_is_released_abandoned_and_not_held),
        cmocka_unit_test(bad_requests_are_refused_in_one_clause),
        cmocka_unit_test(a_client_that_looks_only_may_not_write),
        cmocka_unit_test(the_place_is_told_with_its_whole_path),
        cmocka_unit_test(locks_are_listed_in_order_and_in_pages),
        cmocka_unit_test(
            every_foreign_name_is_listed_once_and_the_listing_ends),
        cmocka_unit_test(names_that_are_too_long_are_listed_each_once),
        cmocka_unit_test(a_cursor_of_something_else_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
