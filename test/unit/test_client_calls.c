#include "support/test.h"
#include "unit/support/clients.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/store.h"
#include "support/get_one.h"

/*
 * libholdfast beside its locks: what its calls refuse, tell and list.
 */

TEST(no_handle_is_released_freed_and_not_held)
{
    hf_lock_release(NULL);
    hf_lock_cancel(NULL);
    hf_lock_abandon(NULL);
    hf_lock_free(NULL);
    hf_lock_set_user(NULL, NULL);
    hf_query_cancel(NULL);
    hf_query_free(NULL);
    hf_view_free(NULL);
    assert_int_equal(hf_client_close(NULL, HF_FOREVER), HF_OK);
    assert_int_equal(hf_lock_check(NULL), HF_NOT_HELD);
    assert_int_equal(hf_lock_state(NULL), HF_STATE_ENDED);
    assert_int_equal(hf_lock_wait(NULL, HF_FOREVER), HF_STATE_ENDED);
    assert_int_equal(hf_lock_fence(NULL), 0);
    assert_int_equal(hf_lock_id(NULL), 0);
    assert_int_equal(hf_lock_right_ms(NULL), 0);
    assert_null(hf_lock_view(NULL));
    assert_null(hf_query_view(NULL));
    assert_null(hf_query_next(NULL));
    assert_null(hf_client_next(NULL));
    assert_int_equal(hf_client_fd(NULL), -1);
    assert_string_equal(hf_client_place(NULL), "");
    assert_false(hf_client_made_place(NULL));
}

TEST(bad_requests_are_refused_in_one_clause)
{
    struct hf_client *client = open_client("memory:bad");
    static char long_name[HF_NAME_MAX + 2];
    const char *const bad[] = {"", "a\nb", "\xff", "a\u200b", long_name, NULL};

    memset(long_name, 'n', sizeof(long_name) - 1);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct hf_lock *lock = NULL;
        struct hf_error error = {0};

        assert_int_equal(hf_lock_new(client, bad[i], &lock, &error),
                         HF_E_INVALID);
        assert_true(error.text[0] != '\0');
        assert_null(lock);
    }
    close_client(client);
}

TEST(the_place_is_told_in_one_spelling)
{
    struct file_place place;
    char other[sizeof(place.url) + 2];
    struct hf_client *client;

    make_place(&place);
    snprintf(other, sizeof(other), "sqlite://%s",
             place.url + strlen("sqlite:"));
    client = open_client(other);
    assert_string_equal(hf_client_place(client), place.url);
    close_client(client);
    remove_place(&place);
}

TEST(who_makes_the_place_knows)
{
    struct file_place place;
    struct hf_client *clients[2];

    make_place(&place);
    clients[0] = open_client(place.url);
    clients[1] = open_client(place.url);
    assert_true(hf_client_made_place(clients[0]));
    assert_false(hf_client_made_place(clients[1]));
    for (int i = 0; i < 2; i++)
        close_client(clients[i]);
    remove_place(&place);
}

/* ---- A client on its way ------------------------------------------------- */

TEST(a_client_is_opened_once_and_may_be_tried_again)
{
    struct hf_client *client = NULL;
    struct hf_lock *lock = NULL;
    struct hf_error error = {0};

    assert_int_equal(hf_client_new(NULL, &client, NULL), HF_OK);
    assert_string_equal(hf_client_place(client), "");
    assert_int_equal(hf_client_fd(client), -1);
    assert_int_equal(hf_client_trouble(client, &error), HF_OK);
    assert_int_equal(hf_client_open(client, "elsewhere:x", &error),
                     HF_E_INVALID);
    assert_true(error.text[0] != '\0');
    assert_int_equal(hf_client_open(client, "sqlite:locks.db", &error),
                     HF_E_INVALID);
    assert_non_null(strstr(error.text, "write sqlite:/"));
    assert_int_equal(setenv("HOLDFAST_AT", "sqlite:a/locks.db", 1), 0);
    assert_int_equal(hf_client_open(client, NULL, &error), HF_E_INVALID);
    assert_non_null(strstr(error.text, "/a/locks.db"));
    assert_int_equal(unsetenv("HOLDFAST_AT"), 0);
    assert_int_equal(hf_client_open(client, "memory:again", NULL), HF_OK);
    assert_int_equal(hf_client_open(client, "memory:again", &error),
                     HF_E_INVALID);
    assert_string_equal(error.text, "the client is open already");
    assert_string_equal(hf_client_place(client), "memory:again");
    assert_true(hf_client_fd(client) >= 0);
    lock = hold(client, "deploy", NULL);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

TEST(a_lock_and_a_query_may_be_made_before_the_client_is_open)
{
    struct hf_client *client = NULL;
    struct hf_lock *lock = NULL;
    struct hf_query *query = NULL;
    struct hf_error error = {0};

    assert_int_equal(hf_client_new(NULL, &client, NULL), HF_OK);
    lock = new_lock(client, "deploy", NULL);
    query = new_query(client, HF_LIST, NULL);
    assert_int_equal(hf_lock_start(lock, &error), HF_E_INVALID);
    assert_string_equal(error.text, "the client is not open");
    assert_int_equal(hf_query_start(query, &error), HF_E_INVALID);
    assert_string_equal(error.text, "the client is not open");
    assert_int_equal(hf_client_open(client, "memory:before", NULL), HF_OK);
    assert_int_equal(hf_lock_start(lock, NULL), HF_OK);
    assert_int_equal(hf_lock_wait(lock, HF_FOREVER), HF_STATE_HELD);
    assert_int_equal(ask(query), HF_OK);
    hf_query_free(query);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

TEST(a_client_that_was_never_opened_is_closed)
{
    struct hf_client *client = NULL;
    struct hf_lock *lock;

    assert_int_equal(hf_client_new(NULL, &client, NULL), HF_OK);
    lock = new_lock(client, "deploy", NULL);
    assert_int_equal(hf_client_close(client, HF_FOREVER), HF_OK);
    hf_lock_free(lock);
}

/* What has ended, or was never started, does not count. */
TEST(one_client_has_a_hundred_thousand_locks_and_no_more)
{
    enum { MOST = 100000 };
    static struct hf_lock *locks[MOST];
    struct hf_client *client = open_client("memory:limit");
    struct hf_lock *more = new_lock(client, "deploy", NULL);
    struct hf_error error = {0};

    for (size_t i = 0; i < MOST; i++)
        locks[i] = ask_for(client, "deploy", NULL);
    assert_int_equal(hf_lock_start(more, &error), HF_E_LIMIT);
    assert_true(error.text[0] != '\0');
    assert_int_equal(hf_lock_state(more), HF_STATE_NEW);
    hf_lock_cancel(locks[MOST - 1]);
    assert_int_equal(finish(locks[MOST - 1]), HF_E_CANCELLED);
    assert_int_equal(hf_lock_start(more, &error), HF_OK);
    for (size_t i = MOST - 1; i-- > 0;)
        hf_lock_free(locks[i]);
    hf_lock_free(more);
    close_client(client);
}

/* ---- Lists --------------------------------------------------------------- */

TEST(locks_are_listed_in_order_and_in_pages)
{
    struct hf_client *client = open_client("memory:list");
    struct hf_query *query =
        new_query(client, HF_LIST, HF_PREFIX, "job", HF_LIMIT, "2", NULL);
    struct hf_lock *locks[5];
    size_t seen = 0;
    size_t before;

    for (int i = 0; i < 5; i++) {
        char name[8];

        snprintf(name, sizeof(name), "job%d", i);
        locks[i] = hold(client, name, NULL);
    }
    do {
        struct hf_view *row;

        before = seen;
        assert_int_equal(ask(query), HF_OK);
        while ((row = hf_query_next(query)) != NULL) {
            char name[8];

            snprintf(name, sizeof(name), "job%zu", seen);
            assert_string_equal(hf_view_text(row, HF_FIELD_NAME), name);
            assert_int_equal(hf_view_number(row, HF_FIELD_FENCE),
                             hf_lock_fence(locks[seen]));
            hf_view_free(row);
            seen++;
        }
        assert_true(seen - before <= 2);
    } while (seen > before);
    assert_int_equal(seen, 5);
    hf_query_free(query);
    for (int i = 0; i < 5; i++)
        hf_lock_free(locks[i]);
    close_client(client);
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
    assert_int_equal(get_one(store, key, until, &record, NULL), HF_OK);
    op.expect.version = record.version;
    hf_store_commit(store, &group, 1, until, NULL);
    assert_int_equal(group.verdict, HF_APPLIED);
}

/* List everything in pages of `page` rows; how many of each kind there were. */
struct listed {
    size_t count;
    size_t foreign_count;
    char last[HF_NAME_MAX + 1];
};

static void
count_row(struct hf_view *row, struct listed *listed)
{
    if (hf_view_number(row, HF_FIELD_FOREIGN)) {
        assert_true(hf_view_number(row, HF_FIELD_CORRUPT));
        listed->foreign_count++;
    }
    listed->count++;
    assert_true(listed->count < 1000); /* does it end? */
    snprintf(listed->last, sizeof(listed->last), "%s",
             hf_view_text(row, HF_FIELD_NAME));
    hf_view_free(row);
}

static struct listed
list_all(struct hf_client *client, size_t page)
{
    struct listed listed = {.count = 0};
    struct hf_query *query;
    char limit[8];
    size_t before;

    snprintf(limit, sizeof(limit), "%zu", page);
    query = new_query(client, HF_LIST, HF_LIMIT, limit, NULL);
    do {
        struct hf_view *row;

        before = listed.count;
        assert_int_equal(ask(query), HF_OK);
        while ((row = hf_query_next(query)) != NULL)
            count_row(row, &listed);
    } while (listed.count > before);
    hf_query_free(query);
    return listed;
}

TEST(every_foreign_name_is_listed_once_and_the_listing_ends)
{
    struct hf_store *store;
    struct hf_client *client = open_client("memory:foreign");
    struct hf_lock *lock = hold(client, "visible-lock", NULL);

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
        assert_string_equal(listed.last, "\xEF\xBF\xBD"
                                         "a");
    }
    hf_store_close(store);
    hf_lock_free(lock);
    close_client(client);
}

/* Of names longer than a lock's, a cursor holds the beginning, and these have
 * one in common: with each other, and with a lock. */
TEST(names_that_are_too_long_are_listed_each_once)
{
    static char name[HF_NAME_MAX + 100];
    struct hf_store *store;
    struct hf_client *client = open_client("memory:long");
    struct hf_lock *lock;

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
        assert_string_equal(listed.last, "o");
    }
    hf_store_close(store);
    hf_lock_free(lock);
    close_client(client);
}

/* ---- Looking only -------------------------------------------------------- */

TEST(a_client_that_looks_only_may_not_write)
{
    struct hf_client *client = NULL;
    struct hf_lock *lock;
    struct hf_query *forced;
    struct hf_view *view;
    struct hf_error error = {0};

    assert_int_equal(hf_client_new(NULL, &client, NULL), HF_OK);
    assert_int_equal(hf_client_set(client, HF_LOOK_ONLY, "yes", NULL), HF_OK);
    assert_int_equal(hf_client_open(client, "memory:look", NULL), HF_OK);
    lock = new_lock(client, "a", NULL);
    assert_int_equal(hf_lock_start(lock, &error), HF_E_DENIED);
    assert_string_equal(error.text, "memory:look was opened to look only");
    assert_int_equal(hf_lock_state(lock), HF_STATE_NEW);
    forced = new_query(client, HF_CLEAR, HF_NAME, "a", HF_REASON, "a test",
                       HF_FORCE, "yes", NULL);
    assert_int_equal(hf_query_start(forced, &error), HF_E_DENIED);
    view = examine(client, "a", NULL);
    assert_false(hf_view_number(view, HF_FIELD_EXISTS));
    hf_view_free(view);
    hf_query_free(forced);
    hf_lock_free(lock);
    close_client(client);
}

/* Nothing is made: neither the file nor its folder. */
TEST(a_place_that_is_not_there_is_empty_to_one_who_looks)
{
    struct file_place place;
    struct hf_client *client = NULL;
    struct hf_query *list;

    make_place(&place);
    remove_place(&place);
    assert_int_equal(hf_client_new(NULL, &client, NULL), HF_OK);
    assert_int_equal(hf_client_set(client, HF_LOOK_ONLY, "yes", NULL), HF_OK);
    assert_int_equal(hf_client_open(client, place.url, NULL), HF_OK);
    list = new_query(client, HF_LIST, NULL);
    assert_int_equal(ask(list), HF_OK);
    assert_null(hf_query_next(list));
    hf_query_free(list);
    close_client(client);
    assert_int_equal(access(place.folder, F_OK), -1);
}
