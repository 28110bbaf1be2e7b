#include "support/test.h"
#include "unit/support/clients.h"

#include <stdio.h>
#include <string.h>

/*
 * Queries: pages that go on where a text says, an examine that watches, a clear
 * of one holder and no other; cancelled, started again, and freed.
 */

enum { LOCKS = 7 };

static void
hold_all(struct hf_client *client, struct hf_lock *locks[LOCKS])
{
    for (size_t i = 0; i < LOCKS; i++) {
        char name[8];

        snprintf(name, sizeof(name), "job%zu", i);
        locks[i] = hold(client, name, NULL);
    }
}

static void
free_all(struct hf_lock *locks[LOCKS])
{
    for (size_t i = 0; i < LOCKS; i++)
        hf_lock_free(locks[i]);
}

/* The rows of the page that has ended are jobs, from this one on; how many. */
static size_t
take_page(struct hf_query *query, size_t first)
{
    size_t count = 0;
    struct hf_view *row;

    while ((row = hf_query_next(query)) != NULL) {
        char name[8];

        snprintf(name, sizeof(name), "job%zu", first + count++);
        assert_string_equal(hf_view_text(row, HF_FIELD_NAME), name);
        hf_view_free(row);
    }
    assert_null(hf_query_next(query));
    return count;
}

/* ---- Pages --------------------------------------------------------------- */

TEST(a_listing_goes_on_where_its_cursor_says_in_any_client)
{
    struct hf_client *client = open_client("memory:cursor");
    struct hf_lock *locks[LOCKS];
    char cursor[2048] = "";
    size_t seen = 0;
    size_t count;

    hold_all(client, locks);
    do {
        struct hf_client *other = open_client("memory:cursor");
        struct hf_query *query =
            new_query(other, HF_LIST, HF_LIMIT, "3", HF_CURSOR, cursor, NULL);

        assert_int_equal(ask(query), HF_OK);
        count = take_page(query, seen);
        seen += count;
        assert_true(strlen(hf_query_cursor(query)) < sizeof(cursor));
        strncpy(cursor, hf_query_cursor(query), sizeof(cursor) - 1);
        hf_query_free(query);
        close_client(other);
    } while (count > 0);
    assert_int_equal(seen, LOCKS);
    free_all(locks);
    close_client(client);
}

TEST(a_listing_that_is_started_again_gives_the_next_page)
{
    struct hf_client *client = open_client("memory:next");
    struct hf_query *query = new_query(client, HF_LIST, HF_LIMIT, "3", NULL);
    struct hf_lock *locks[LOCKS];
    struct hf_lock *later;

    hold_all(client, locks);
    assert_string_equal(hf_query_cursor(query), "");
    assert_int_equal(ask(query), HF_OK);
    assert_int_equal(take_page(query, 0), 3);
    assert_int_equal(hf_query_set(query, HF_LIMIT, "2", NULL), HF_OK);
    assert_int_equal(ask(query), HF_OK);
    hf_view_free(hf_query_next(query)); /* the rest is thrown away */
    assert_int_equal(ask(query), HF_OK);
    assert_int_equal(take_page(query, 5), 2);
    assert_int_equal(ask(query), HF_OK);
    assert_int_equal(take_page(query, 7), 0);
    later = hold(client, "job7", NULL); /* a cursor does not end */
    assert_int_equal(ask(query), HF_OK);
    assert_int_equal(take_page(query, 7), 1);
    hf_query_free(query);
    hf_lock_free(later);
    free_all(locks);
    close_client(client);
}

TEST(a_listing_begins_anew_with_an_empty_cursor)
{
    struct hf_client *client = open_client("memory:anew");
    struct hf_query *query = new_query(client, HF_LIST, NULL);
    struct hf_lock *locks[LOCKS];

    hold_all(client, locks);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ask(query), HF_OK);
        assert_int_equal(take_page(query, 0), LOCKS);
        assert_int_equal(hf_query_set(query, HF_CURSOR, "", NULL), HF_OK);
    }
    hf_query_free(query);
    free_all(locks);
    close_client(client);
}

TEST(only_what_begins_with_the_prefix_is_listed)
{
    struct hf_client *client = open_client("memory:prefix");
    struct hf_lock *locks[LOCKS];
    struct hf_lock *other = hold(client, "jab", NULL);
    struct hf_lock *there = hold(client, "job9", HF_SPACE, "team", NULL);
    struct hf_query *query = new_query(client, HF_LIST, HF_PREFIX, "job", NULL);

    hold_all(client, locks);
    assert_int_equal(ask(query), HF_OK);
    assert_int_equal(take_page(query, 0), LOCKS);
    hf_query_free(query);
    query = new_query(client, HF_LIST, HF_SPACE, "team", NULL);
    assert_int_equal(ask(query), HF_OK);
    assert_int_equal(take_page(query, 9), 1);
    hf_query_free(query);
    hf_lock_free(other);
    hf_lock_free(there);
    free_all(locks);
    close_client(client);
}

/* As another kind's would be, or none's; the page is not moved by it. */
TEST(a_cursor_of_something_else_is_refused)
{
    static const struct {
        enum hf_query_kind kind;
        const char *cursor;
    } bad[] = {
        {HF_LIST, "x"},
        {HF_LIST, "A1:1"},
        {HF_LIST, "L0:6"},
        {HF_LIST, "L0:zz"},
        {HF_LIST, "L:6162"},
        {HF_LIST, "L-1:6162"},
        {HF_LIST, "L99999999999999999999:6162"},
        {HF_AUDIT, "A99999999999999999999:1"},
        {HF_AUDIT, "A1:99999999999999999999"},
        {HF_AUDIT, "A:1"},
        {HF_LIST, "L0:61 "},
        {HF_AUDIT, "x"},
        {HF_AUDIT, "L0:6162"},
        {HF_AUDIT, "A"},
        {HF_AUDIT, "A1"},
        {HF_AUDIT, "A1:x"},
        {HF_AUDIT, "A1:-1"},
        {HF_AUDIT, "A1:1 x"},
        {HF_AUDIT, "Ax:1"},
    };
    static char long_cursor[8192];
    struct hf_client *client = open_client("memory:bad-cursor");
    struct hf_error error = {0};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct hf_query *query =
            new_query(client, bad[i].kind, HF_CURSOR, bad[i].cursor, NULL);

        if (ask(query) != HF_E_INVALID)
            fail_msg("the cursor '%s' is taken", bad[i].cursor);
        assert_int_equal(hf_query_error(query, &error), HF_E_INVALID);
        assert_string_equal(error.text,
                            bad[i].kind == HF_LIST
                                ? "the cursor is not of a listing of locks"
                                : "the cursor is not of a listing of the "
                                  "audit");
        assert_null(hf_query_next(query));
        assert_string_equal(hf_query_cursor(query), bad[i].cursor);
        hf_query_free(query);
    }
    memset(long_cursor, '0', sizeof(long_cursor) - 1);
    memcpy(long_cursor, "L0:", 3);
    for (int kind = 0; kind < 2; kind++) {
        struct hf_query *query =
            new_query(client, kind == 0 ? HF_LIST : HF_AUDIT, HF_CURSOR,
                      long_cursor, NULL);

        assert_int_equal(hf_query_start(query, &error), HF_E_INVALID);
        hf_query_free(query);
    }
    close_client(client);
}

/* ---- Examining ----------------------------------------------------------- */

TEST(an_examine_without_a_watch_reads_once)
{
    struct hf_client *a = open_client("memory:once");
    struct hf_client *b = open_client("memory:once");
    struct hf_lock *lock = hold(a, "deploy", NULL);
    struct hf_view *seen = examine(b, "deploy", NULL);

    assert_int_equal(hf_view_number(seen, HF_FIELD_FENCE), hf_lock_fence(lock));
    assert_true(hf_view_number(seen, HF_FIELD_HERE));
    hf_view_free(seen);
    seen = examine(b, "nothing", NULL);
    assert_true(hf_view_has(seen, HF_FIELD_EXISTS));
    assert_false(hf_view_number(seen, HF_FIELD_EXISTS));
    assert_string_equal(hf_view_text(seen, HF_FIELD_NAME), "nothing");
    assert_int_equal(hf_view_number(seen, HF_FIELD_LIFE), HF_LIFE_UNKNOWN);
    hf_view_free(seen);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(a);
    close_client(b);
}

TEST(an_examine_that_watches_ends_with_the_first_beat)
{
    struct hf_client *a = open_client("memory:beat");
    struct hf_client *b = open_client("memory:beat");
    struct hf_lock *lock = hold(a, "deploy", HF_TTL, SHORT_TTL, NULL);
    struct hf_view *seen = examine(b, "deploy", HF_WATCH, "forever", NULL);

    assert_int_equal(hf_view_number(seen, HF_FIELD_LIFE), HF_LIFE_BEATING);
    hf_view_free(seen);
    (void)leave_behind(lock);
    seen = examine(b, "deploy", HF_WATCH, "forever", NULL);
    assert_int_equal(hf_view_number(seen, HF_FIELD_LIFE), HF_LIFE_SUSPECTED);
    assert_true(hf_view_number(seen, HF_FIELD_UNCHANGED_MS) >= SHORT_TTL_MS);
    hf_view_free(seen);
    close_client(a);
    close_client(b);
}

/* While it watches, what it has seen so far can be looked at. */
TEST(an_examine_under_way_tells_what_it_has_seen)
{
    struct hf_client *a = open_client("memory:so-far");
    struct hf_client *b = open_client("memory:so-far");
    struct hf_lock *lock =
        hold(a, "deploy", HF_TTL, "60s", HF_BEAT, "15s", HF_GRACE, "1s", NULL);
    struct hf_query *query =
        new_query(b, HF_EXAMINE, HF_NAME, "deploy", HF_WATCH, "forever", NULL);
    struct hf_error error = {0};
    struct hf_view *seen;

    assert_null(hf_query_view(query)); /* nothing was asked yet */
    assert_int_equal(hf_query_start(query, NULL), HF_OK);
    (void)await_news(b, hf_query_id(query), HF_NEWS_CHANGED);
    assert_false(hf_query_wait(query, (struct hf_duration){0}));
    assert_int_equal(hf_query_set(query, HF_WATCH, "1s", &error), HF_E_INVALID);
    assert_string_equal(error.text, "the query is going on");
    assert_int_equal(hf_query_start(query, &error), HF_E_INVALID);
    assert_string_equal(error.text, "the query was started already");
    seen = hf_query_view(query);
    assert_int_equal(hf_view_number(seen, HF_FIELD_FENCE), hf_lock_fence(lock));
    hf_view_free(seen);
    hf_query_cancel(query);
    assert_true(hf_query_wait(query, HF_FOREVER));
    assert_int_equal(hf_query_error(query, &error), HF_E_CANCELLED);
    assert_int_equal(hf_query_start(query, NULL), HF_E_INVALID);
    hf_query_free(query);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(a);
    close_client(b);
}

/* ---- Clearing ------------------------------------------------------------ */

TEST(a_clear_may_name_whom_it_clears)
{
    struct hf_client *client = open_client("memory:fence");
    struct hf_lock *lock = hold(client, "deploy", NULL);
    char fence[24];
    struct hf_view *seen;

    snprintf(fence, sizeof(fence), "%llu",
             (unsigned long long)hf_lock_fence(lock) + 1);
    seen = clear(client, "deploy", HF_REASON, "a test", HF_FORCE, "yes",
                 HF_FENCE, fence, NULL);
    assert_false(hf_view_number(seen, HF_FIELD_CLEARED));
    hf_view_free(seen);
    assert_int_equal(hf_lock_check(lock), HF_GRANTED);
    snprintf(fence, sizeof(fence), "%llu",
             (unsigned long long)hf_lock_fence(lock));
    seen = clear(client, "deploy", HF_REASON, "a test", HF_FORCE, "yes",
                 HF_FENCE, fence, NULL);
    assert_true(hf_view_number(seen, HF_FIELD_CLEARED));
    hf_view_free(seen);
    hf_lock_free(lock);
    close_client(client);
}

TEST(what_is_not_there_is_not_cleared)
{
    struct hf_client *client = open_client("memory:absent");
    struct hf_view *seen =
        clear(client, "deploy", HF_REASON, "a test", HF_FORCE, "yes", NULL);

    assert_true(hf_view_has(seen, HF_FIELD_CLEARED));
    assert_false(hf_view_number(seen, HF_FIELD_CLEARED));
    assert_false(hf_view_number(seen, HF_FIELD_EXISTS));
    hf_view_free(seen);
    close_client(client);
}

/* ---- What every query has in common -------------------------------------- */

TEST(a_query_without_its_name_is_not_started)
{
    struct hf_client *client = open_client("memory:nameless");
    struct hf_query *look = new_query(client, HF_EXAMINE, NULL);
    struct hf_query *forced = new_query(client, HF_CLEAR, HF_REASON, "x", NULL);
    struct hf_query *none = NULL;
    struct hf_error error = {0};

    assert_int_equal(hf_query_start(look, &error), HF_E_INVALID);
    assert_string_equal(error.text, "no name was given");
    assert_int_equal(hf_query_start(forced, &error), HF_E_INVALID);
    assert_string_equal(error.text, "no name was given");
    assert_int_equal(hf_query_new(client, (enum hf_query_kind)99, &none, NULL),
                     HF_E_INVALID);
    assert_null(none);
    assert_true(hf_query_wait(look, HF_FOREVER)); /* there is nothing to */
    hf_query_free(look);
    hf_query_free(forced);
    close_client(client);
}

/* The cancel was of that page; it was not moved. */
TEST(a_listing_that_was_cancelled_can_be_started_again)
{
    struct hf_client *client = open_client("memory:cancelled");
    struct hf_query *query = new_query(client, HF_LIST, HF_LIMIT, "3", NULL);
    struct hf_lock *locks[LOCKS];

    hold_all(client, locks);
    assert_int_equal(ask(query), HF_OK);
    assert_int_equal(take_page(query, 0), 3);
    assert_int_equal(hf_query_start(query, NULL), HF_OK);
    hf_query_cancel(query);
    assert_true(hf_query_wait(query, HF_FOREVER));
    if (hf_query_error(query, NULL) == HF_OK) { /* it was quicker */
        assert_int_equal(take_page(query, 3), 3);
        assert_int_equal(ask(query), HF_E_CANCELLED);
    } else {
        assert_int_equal(hf_query_error(query, NULL), HF_E_CANCELLED);
    }
    assert_int_equal(hf_query_set(query, HF_CURSOR, "", NULL), HF_OK);
    assert_int_equal(ask(query), HF_OK);
    assert_int_equal(take_page(query, 0), 3);
    hf_query_free(query);
    free_all(locks);
    close_client(client);
}

/* Between two pages, say. */
TEST(a_cancel_of_what_has_ended_is_of_its_next_start)
{
    struct hf_client *client = open_client("memory:between");
    struct hf_query *query = new_query(client, HF_LIST, HF_LIMIT, "3", NULL);
    struct hf_lock *locks[LOCKS];

    hold_all(client, locks);
    assert_int_equal(ask(query), HF_OK);
    hf_query_cancel(query);
    assert_int_equal(ask(query), HF_E_CANCELLED);
    assert_int_equal(ask(query), HF_OK);
    assert_int_equal(take_page(query, 3), 3);
    hf_query_free(query);
    free_all(locks);
    close_client(client);
}

TEST(rows_outlive_their_query_and_its_client)
{
    struct hf_client *client = open_client("memory:outlive");
    struct hf_lock *lock = hold(client, "deploy", HF_REASON, "why", NULL);
    struct hf_query *query = new_query(client, HF_LIST, NULL);
    struct hf_view *row;
    struct hf_view *seen;

    assert_int_equal(ask(query), HF_OK);
    row = hf_query_next(query);
    seen = examine(client, "deploy", NULL);
    hf_query_free(query);
    hf_lock_free(lock);
    close_client(client);
    assert_string_equal(hf_view_text(row, HF_FIELD_REASON), "why");
    assert_string_equal(hf_view_text(seen, HF_FIELD_REASON), "why");
    hf_view_free(row);
    hf_view_free(seen);
}

TEST(a_query_of_another_kind_has_no_view_and_no_rows)
{
    struct hf_client *client = open_client("memory:kinds");
    struct hf_query *list = new_query(client, HF_LIST, NULL);
    struct hf_query *look =
        new_query(client, HF_EXAMINE, HF_NAME, "deploy", NULL);

    assert_int_equal(ask(list), HF_OK);
    assert_int_equal(ask(look), HF_OK);
    assert_null(hf_query_view(list));
    assert_null(hf_query_next(look));
    assert_string_equal(hf_query_cursor(look), "");
    hf_query_free(list);
    hf_query_free(look);
    close_client(client);
}
