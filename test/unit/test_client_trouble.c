#include "support/test.h"
#include "unit/support/clients.h"

#include <poll.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>

#include "base/fail.h"
#include "client/table/trouble.h"
#include "support/forward_store.h"

/*
 * What libholdfast says of a place that does not answer: to a waiter that has
 * seen no holder yet, and to the holder whose beats it does not take.
 */

static sqlite3 *
lock_file(const struct file_place *place)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(place->url + strlen("sqlite:"), &db),
                     SQLITE_OK);
    sqlite3_busy_timeout(db, 10000); /* a beat may be in the way */
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL),
                     SQLITE_OK);
    return db;
}

static void
unlock_file(sqlite3 *db)
{
    assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* ---- A place that is slow ------------------------------------------------ */

struct slow_store {
    struct forward_store forward;
    atomic_bool *slow; /* borrowed */
};

static enum hf_status
get_late(struct hf_store *store, const struct hf_key *keys, size_t keys_count,
         struct hf_instant until, hf_store_found_fn *found, void *ctx,
         struct hf_error *error)
{
    const struct slow_store *slow = (const struct slow_store *)store;

    while (atomic_load(slow->slow))
        (void)poll(NULL, 0, 5);
    return forward_store_get(store, keys, keys_count, until, found, ctx, error);
}

/* Of the two that wait the second has a limit: the first does what there is to
 * do. */
TEST(a_wait_that_a_slow_place_outlasts_is_not_the_holders_doing)
{
    static const struct hf_store_methods changed = {.get = get_late};
    static atomic_bool slow;
    struct slow_store *store =
        forward_store_open("memory:slow", sizeof(*store), &changed);
    struct hf_client *a = open_client("memory:slow");
    struct hf_client *b;
    struct hf_lock *held = hold(a, "deploy", HF_BEAT, "100ms", NULL);
    struct hf_lock *first;
    struct hf_lock *second;

    store->slow = &slow;
    b = open_client_on(&store->forward.base, "memory:slow");
    first = ask_for(b, "deploy", NULL);
    await_holder(b, first);
    second = ask_for(b, "deploy", HF_WAIT, "3s", NULL);
    atomic_store(&slow, true); /* from the next beat on */
    assert_int_equal(finish(second), HF_E_UNAVAILABLE);
    atomic_store(&slow, false);
    assert_int_equal(give_back(held), HF_OK);
    assert_int_equal(hf_lock_wait(first, HF_FOREVER), HF_STATE_HELD);
    assert_int_equal(give_back(first), HF_OK);
    close_client(a);
    close_client(b);
}

/* ---- A waiter ------------------------------------------------------------ */

/* Until the waiter's view tells so; it has not seen a record by then. */
static void
await_word(const struct hf_lock *waiter, const char *word)
{
    bool told = false;

    while (!told) {
        struct hf_view *seen = hf_lock_view(waiter);

        told = strstr(hf_view_text(seen, HF_FIELD_ERROR), word) != NULL;
        if (told) {
            assert_false(hf_view_number(seen, HF_FIELD_EXISTS));
            assert_int_equal(hf_view_number(seen, HF_FIELD_STATUS),
                             HF_E_UNAVAILABLE);
        } else {
            (void)poll(NULL, 0, 5);
        }
        hf_view_free(seen);
    }
}

/* Its claim is carried for seconds: that it waits is known before. */
TEST(a_waiter_is_told_of_a_locked_place_before_it_has_seen_a_record)
{
    struct file_place place;
    struct hf_client *client;
    struct hf_instant begun;
    struct hf_lock *lock;
    struct hf_error error = {.status = HF_OK};
    sqlite3 *db;

    make_place(&place);
    client = open_client(place.url);
    db = lock_file(&place);
    begun = hf_now();
    lock = ask_for(client, "deploy", HF_TTL, "60s", HF_BEAT, "15s", HF_GRACE,
                   "1s", HF_WAIT, "15s", NULL);
    await_word(lock, "locked");
    unlock_file(db);
    assert_int_equal(hf_lock_wait(lock, HF_FOREVER), HF_STATE_HELD);
    assert_true(hf_between(begun, hf_now()).ms < 10000);
    assert_int_equal(hf_client_trouble(client, &error), HF_OK);
    assert_string_equal(error.text, "");
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
    remove_place(&place);
}

/* ---- A holder ------------------------------------------------------------ */

TEST(a_holder_that_cannot_beat_learns_why)
{
    struct file_place place;
    struct hf_error error = {.status = HF_OK};
    struct hf_client *client;
    struct hf_lock *lock;
    sqlite3 *db;

    make_place(&place);
    client = open_client(place.url);
    lock = hold(client, "deploy", HF_TTL, SHORT_TTL, NULL);
    db = lock_file(&place);
    (void)await_news(client, hf_lock_id(lock), HF_NEWS_LOST);
    while (hf_client_trouble(client, &error) == HF_OK)
        (void)poll(NULL, 0, 5); /* a call is slow when it has been so */
    assert_int_equal(error.status, HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "locked"));
    unlock_file(db);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
    remove_place(&place);
}

/* Nothing is lost while the file is locked for less than the right. */
TEST(a_holder_is_at_risk_before_it_loses_and_certain_again)
{
    struct file_place place;
    struct hf_client *client;
    struct hf_lock *lock;
    unsigned told;
    sqlite3 *db;

    make_place(&place);
    client = open_client(place.url);
    lock = hold(client, "deploy", HF_TTL, "4s", HF_BEAT, "100ms", HF_GRACE,
                "3s", NULL);
    db = lock_file(&place);
    told = await_news(client, hf_lock_id(lock), HF_NEWS_AT_RISK);
    assert_true((told & HF_NEWS_CERTAIN) == 0);
    assert_int_equal(hf_lock_state(lock), HF_STATE_HELD);
    assert_true(hf_lock_right_ms(lock) - hf_now().ms <= 3000);
    unlock_file(db);
    told = await_news(client, hf_lock_id(lock), HF_NEWS_CERTAIN | HF_NEWS_LOST);
    assert_true((told & HF_NEWS_LOST) == 0);
    assert_int_equal(hf_lock_check(lock), HF_GRANTED);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
    remove_place(&place);
}

/* Past its right it still beats; the beat that is applied makes it certain. */
TEST(a_refuse_holder_is_in_doubt_and_certain_again)
{
    struct file_place place;
    struct hf_client *client;
    struct hf_lock *lock;
    sqlite3 *db;

    make_place(&place);
    client = open_client(place.url);
    lock =
        hold(client, "deploy", HF_TTL, SHORT_TTL, HF_IF_DEAD, "refuse", NULL);
    db = lock_file(&place);
    (void)await_news(client, hf_lock_id(lock), HF_NEWS_IN_DOUBT);
    assert_int_equal(hf_lock_check(lock), HF_IN_DOUBT);
    assert_int_equal(hf_lock_state(lock), HF_STATE_IN_DOUBT);
    unlock_file(db);
    (void)await_news(client, hf_lock_id(lock), HF_NEWS_CERTAIN);
    assert_int_equal(hf_lock_check(lock), HF_GRANTED);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
    remove_place(&place);
}

/* ---- What is kept -------------------------------------------------------- */

static const struct hf_error full = {HF_E_UNAVAILABLE, "x: the disk is full"};

static enum hf_status
tell(const struct hf_trouble *trouble, struct hf_error *error)
{
    static const struct hf_store store;

    *error = (struct hf_error){.status = HF_OK};
    return hf_trouble_tell(trouble, &store, "x", error);
}

TEST(a_read_that_is_answered_does_not_end_the_trouble_of_a_write)
{
    struct hf_trouble trouble = {.of_write = false};
    struct hf_error error;

    assert_int_equal(tell(&trouble, &error), HF_OK);
    hf_trouble_answer(&trouble, true, &full);
    hf_trouble_answer(&trouble, false, NULL);
    assert_int_equal(tell(&trouble, &error), HF_E_UNAVAILABLE);
    assert_string_equal(error.text, full.text);
    hf_trouble_answer(&trouble, true, NULL);
    assert_int_equal(tell(&trouble, &error), HF_OK);
    hf_trouble_answer(&trouble, false, &full);
    hf_trouble_answer(&trouble, false, NULL);
    assert_int_equal(tell(&trouble, &error), HF_OK);
}

TEST(a_call_that_takes_long_is_trouble_until_it_returns)
{
    struct hf_trouble trouble = {.of_write = false};
    struct hf_instant now = hf_now();
    struct hf_trouble_call call;
    struct hf_trouble_call other;
    struct hf_error error;

    hf_trouble_begin(&trouble, &call, (struct hf_instant){now.ms - 2500});
    assert_int_equal(tell(&trouble, &error), HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "x: it is slow, one call has "));
    hf_trouble_begin(&trouble, &other, now);
    assert_int_equal(tell(&trouble, &error), HF_E_UNAVAILABLE);
    hf_trouble_end(&trouble, &other); /* which is not the one that is slow */
    hf_trouble_answer(&trouble, true, NULL);
    assert_int_equal(tell(&trouble, &error), HF_E_UNAVAILABLE);
    hf_trouble_answer(&trouble, true, &full);
    assert_int_equal(tell(&trouble, &error), HF_E_UNAVAILABLE);
    assert_string_equal(error.text, full.text);
    hf_trouble_end(&trouble, &call);
    hf_trouble_answer(&trouble, true, NULL);
    assert_int_equal(tell(&trouble, &error), HF_OK);
}

/* ---- A list -------------------------------------------------------------- */

static enum hf_status
fail_scan(struct hf_store *store, const struct hf_store_scan *scan,
          struct hf_instant until, hf_store_row_fn *row, void *ctx,
          struct hf_error *error)
{
    (void)store;
    (void)scan;
    (void)until;
    (void)row;
    (void)ctx;
    return hf_fail(error, HF_E_UNAVAILABLE, "%s", full.text);
}

static enum hf_status
list(struct hf_client *client)
{
    struct hf_query *query;
    enum hf_status status;

    assert_int_equal(hf_query_new(client, HF_LIST, &query, NULL), HF_OK);
    status = ask(query);
    hf_query_free(query);
    return status;
}

TEST(a_list_that_fails_is_trouble_until_a_call_is_answered)
{
    static const struct hf_store_methods failing = {.scan = fail_scan};
    struct forward_store *store =
        forward_store_open("memory:listed", sizeof(*store), &failing);
    struct hf_client *client = open_client_on(&store->base, "memory:listed");
    struct hf_error error;

    assert_int_equal(list(client), HF_E_UNAVAILABLE);
    assert_int_equal(hf_client_trouble(client, &error), HF_E_UNAVAILABLE);
    assert_string_equal(error.text, full.text);
    hf_view_free(examine(client, "x", NULL));
    assert_int_equal(hf_client_trouble(client, &error), HF_OK);
    close_client(client);
}
