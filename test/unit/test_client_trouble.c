#include "unit/support/clients.h"

#include <poll.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>

#include "client/trouble.h"

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

/* ---- A waiter ------------------------------------------------------------ */

struct told {
    sqlite3 *db; /* unlocked as soon as the waiter was told of the lock */
    int count;
    bool record;
};

static void
unlock_when_told(void *ctx, const struct hf_diagnosis *seen)
{
    struct told *told = ctx;

    if (told->db == NULL || strstr(seen->error.text, "locked") == NULL)
        return;
    told->count++;
    told->record = seen->record.exists;
    unlock_file(told->db);
    told->db = NULL;
}

/* Its claim is carried for seconds: that it waits is known before. */
static void
a_waiter_is_told_of_a_locked_place_before_it_has_seen_a_record(void **state)
{
    struct file_place place;
    struct hf_client *client;
    struct told told = {.count = 0};
    struct hf_acquire_options options = {
        .on_waiting = unlock_when_told,
        .ctx = &told,
        .ttl = {60000},
        .beat = {15000},
        .grace = {1000},
        .limit = {15000},
    };
    struct hf_instant begun;
    struct hf_lock *lock;
    struct hf_error error = {.status = HF_OK};

    (void)state;
    make_place(&place);
    client = open_client(place.url);
    told.db = lock_file(&place);
    begun = hf_now();
    lock = hold(client, "deploy", &options);
    assert_int_equal(told.count, 1);
    assert_false(told.record);
    assert_true(hf_between(begun, hf_now()).ms < 10000);
    assert_int_equal(hf_client_trouble(client, &error), HF_OK);
    assert_string_equal(error.text, "");
    assert_int_equal(hf_release(lock, NULL, NULL), HF_OK);
    hf_close(client);
    remove_place(&place);
}

/* ---- A holder ------------------------------------------------------------ */

struct loss {
    struct hf_client *client;
    struct hf_error error;
    _Atomic bool lost;
};

static void
note_cause(void *ctx, struct hf_lock *lock, enum hf_news news)
{
    struct loss *loss = ctx;

    (void)lock;
    if (news != HF_NEWS_LOST)
        return;
    (void)hf_client_trouble(loss->client, &loss->error);
    atomic_store(&loss->lost, true);
}

static void
a_holder_that_cannot_beat_learns_why(void **state)
{
    struct file_place place;
    struct loss loss = {.lost = false};
    struct hf_acquire_options options = {
        .ttl = short_ttl,
        .on_news = note_cause,
        .ctx = &loss,
    };
    struct hf_lock *lock;
    sqlite3 *db;

    (void)state;
    make_place(&place);
    loss.client = open_client(place.url);
    lock = hold(loss.client, "deploy", &options);
    db = lock_file(&place);
    while (!atomic_load(&loss.lost))
        (void)poll(NULL, 0, 5);
    assert_int_equal(loss.error.status, HF_E_UNAVAILABLE);
    assert_non_null(strstr(loss.error.text, "locked"));
    unlock_file(db);
    assert_int_equal(hf_release(lock, NULL, NULL), HF_OK);
    hf_close(loss.client);
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

static void
a_read_that_is_answered_does_not_end_the_trouble_of_a_write(void **state)
{
    struct hf_trouble trouble = {.calling = false};
    struct hf_error error;

    (void)state;
    assert_int_equal(tell(&trouble, &error), HF_OK);
    hf_trouble_call(&trouble, hf_now());
    hf_trouble_answer(&trouble, true, &full);
    hf_trouble_call(&trouble, hf_now());
    hf_trouble_answer(&trouble, false, NULL);
    assert_int_equal(tell(&trouble, &error), HF_E_UNAVAILABLE);
    assert_string_equal(error.text, full.text);
    hf_trouble_call(&trouble, hf_now());
    hf_trouble_answer(&trouble, true, NULL);
    assert_int_equal(tell(&trouble, &error), HF_OK);
    hf_trouble_answer(&trouble, false, &full);
    hf_trouble_answer(&trouble, false, NULL);
    assert_int_equal(tell(&trouble, &error), HF_OK);
}

static void
a_call_that_takes_long_is_trouble_until_it_returns(void **state)
{
    struct hf_trouble trouble = {.calling = false};
    struct hf_instant now = hf_now();
    struct hf_error error;

    (void)state;
    hf_trouble_call(&trouble, (struct hf_instant){now.ms - 2500});
    assert_int_equal(tell(&trouble, &error), HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "x: it is slow, one call has "));
    hf_trouble_answer(&trouble, true, &full);
    hf_trouble_call(&trouble, (struct hf_instant){now.ms - 2500});
    assert_int_equal(tell(&trouble, &error), HF_E_UNAVAILABLE);
    assert_string_equal(error.text, full.text);
    hf_trouble_answer(&trouble, true, NULL);
    assert_int_equal(tell(&trouble, &error), HF_OK);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_waiter_is_told_of_a_locked_place_before_it_has_seen_a_record),
        cmocka_unit_test(a_holder_that_cannot_beat_learns_why),
        cmocka_unit_test(
            a_read_that_is_answered_does_not_end_the_trouble_of_a_write),
        cmocka_unit_test(a_call_that_takes_long_is_trouble_until_it_returns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
