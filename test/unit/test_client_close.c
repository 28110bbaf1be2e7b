#include "support/test.h"
#include "unit/support/clients.h"

#include <poll.h>
#include <pthread.h>

#include "base/clock.h"
#include "client/table/state.h"
#include "support/forward_store.h"
#include "unit/support/deaf.h"

/*
 * A client is closed: what it holds is given back, what it waits for is given
 * up, and what cannot be settled within the limit is abandoned.
 */

static bool
is_left(struct hf_client *client, const char *name)
{
    struct hf_view *view = examine(client, name, NULL);
    bool left = hf_view_number(view, HF_FIELD_EXISTS) == 1;

    hf_view_free(view);
    return left;
}

TEST(what_is_held_is_given_back_and_what_is_waited_for_given_up)
{
    struct hf_client *client = open_client("memory:all");
    struct hf_client *other = open_client("memory:all");
    struct hf_lock *theirs = hold(other, "theirs", NULL);
    struct hf_lock *held = hold(client, "held", NULL);
    struct hf_lock *behind = ask_for(client, "held", NULL);
    struct hf_lock *waiting = ask_for(client, "theirs", NULL);
    struct hf_lock *fresh = new_lock(client, "fresh", NULL);
    struct hf_query *query = new_query(client, HF_EXAMINE, HF_NAME, "theirs",
                                       HF_WATCH, "forever", NULL);

    await_holder(client, waiting);
    assert_int_equal(hf_query_start(query, NULL), HF_OK);
    assert_int_equal(hf_client_close(client, HF_FOREVER), HF_OK);
    assert_false(is_left(other, "held"));
    assert_int_equal(hf_lock_check(theirs), HF_GRANTED);
    assert_int_equal(hf_lock_error(held, NULL), HF_OK);
    assert_int_equal(hf_lock_error(behind, NULL), HF_E_CANCELLED);
    assert_int_equal(hf_lock_error(waiting, NULL), HF_E_CANCELLED);
    assert_int_equal(hf_lock_state(fresh), HF_STATE_NEW);
    assert_int_equal(hf_query_error(query, NULL), HF_E_CANCELLED);
    hf_query_free(query);
    hf_lock_free(fresh);
    hf_lock_free(waiting);
    hf_lock_free(behind);
    hf_lock_free(held);
    assert_int_equal(give_back(theirs), HF_OK);
    close_client(other);
}

struct closing {
    struct hf_client *client;
    enum hf_status status;
};

static void *
close_without_limit(void *arg)
{
    struct closing *closing = arg;

    closing->status = hf_client_close(closing->client, HF_FOREVER);
    return NULL;
}

TEST(a_close_waits_until_everything_is_settled)
{
    atomic_bool deaf = false;
    struct hf_client *other = open_client("memory:settle");
    struct closing closing = {
        .client = open_deaf_client("memory:settle", &deaf),
        .status = HF_E_NOMEM,
    };
    struct hf_lock *lock = hold(closing.client, "deploy", NULL);
    pthread_t thread;

    atomic_store(&deaf, true);
    assert_int_equal(
        pthread_create(&thread, NULL, close_without_limit, &closing), 0);
    while (hf_lock_state(lock) == HF_STATE_HELD)
        ; /* it has not begun to close */
    assert_int_equal(hf_lock_state(lock), HF_STATE_RELEASING);
    assert_true(is_left(other, "deploy"));
    atomic_store(&deaf, false);
    pthread_join(thread, NULL);
    assert_int_equal(closing.status, HF_OK);
    assert_false(is_left(other, "deploy"));
    assert_int_equal(finish(lock), HF_OK);
    close_client(other);
}

TEST(what_cannot_be_settled_within_the_limit_is_abandoned)
{
    atomic_bool deaf = false;
    struct hf_client *other = open_client("memory:abandon");
    struct hf_client *client = open_deaf_client("memory:abandon", &deaf);
    struct hf_lock *lock = hold(client, "deploy", NULL);
    struct hf_lock *freed = hold(client, "freed", NULL);
    struct hf_instant begun = hf_now();

    atomic_store(&deaf, true);
    hf_lock_free(freed);
    assert_int_equal(hf_client_close(client, (struct hf_duration){100}),
                     HF_E_UNKNOWN);
    assert_true(hf_between(begun, hf_now()).ms >= 100);
    assert_true(is_left(other, "deploy"));
    assert_true(is_left(other, "freed"));
    assert_int_equal(hf_lock_state(lock), HF_STATE_ENDED);
    assert_int_equal(hf_lock_check(lock), HF_NOT_HELD);
    assert_int_equal(finish(lock), HF_E_UNKNOWN);
    close_client(other);
}

/* One who was freed is waited for, too. */
TEST(what_was_freed_is_settled_before_the_close_returns)
{
    struct hf_client *client = open_client("memory:freed");
    struct hf_client *other = open_client("memory:freed");

    for (int i = 0; i < 20; i++)
        hf_lock_free(hold(client, "deploy", NULL));
    assert_int_equal(hf_client_close(client, HF_FOREVER), HF_OK);
    assert_false(is_left(other, "deploy"));
    close_client(other);
}

TEST(a_client_with_nothing_to_settle_needs_no_time)
{
    struct hf_client *client = open_client("memory:nothing");
    struct hf_lock *fresh = new_lock(client, "deploy", NULL);

    assert_int_equal(give_back(hold(client, "deploy", NULL)), HF_OK);
    assert_int_equal(hf_client_close(client, (struct hf_duration){0}), HF_OK);
    hf_lock_free(fresh);
}

/* A list that is read until the client is being closed. */
struct slow_list {
    struct forward_store forward;
    struct hf_client *client;
    atomic_bool begun;
};

static bool
is_closing(struct hf_client *client)
{
    bool closing;

    hf_monitor_enter(&client->monitor);
    closing = client->closing;
    hf_monitor_leave(&client->monitor);
    return closing;
}

static enum hf_status
scan_until_closing(struct hf_store *store, const struct hf_store_scan *scan,
                   struct hf_instant until, hf_store_row_fn *row, void *ctx,
                   struct hf_error *error)
{
    struct slow_list *list = (struct slow_list *)store;

    (void)scan;
    (void)until;
    (void)row;
    (void)ctx;
    (void)error;
    atomic_store(&list->begun, true);
    while (!is_closing(list->client))
        (void)poll(NULL, 0, 1);
    return HF_OK;
}

/* The release goes before the list: who was freed has ended by then, and is
 * gone when the client is closed. */
static void
commit_once_a_list_waits(struct hf_store *store, struct hf_store_group *groups,
                         size_t groups_count, struct hf_instant until,
                         struct hf_error *error)
{
    struct slow_list *list = (struct slow_list *)store;
    bool waits = groups[0].ops[0].kind != HF_DELETE;

    while (!waits) {
        const struct hf_table *table;

        hf_monitor_enter(&list->client->monitor);
        table = (const struct hf_table *)list->client->backend;
        waits = table->jobs.first != NULL || list->client->closing;
        hf_monitor_leave(&list->client->monitor);
    }
    forward_store_commit(store, groups, groups_count, until, error);
}

TEST(a_client_is_closed_while_a_list_is_read)
{
    static const struct hf_store_methods methods = {
        .commit = commit_once_a_list_waits,
        .scan = scan_until_closing,
    };
    struct slow_list *list =
        forward_store_open("memory:list", sizeof(*list), &methods);
    struct hf_client *client =
        open_client_on(&list->forward.base, "memory:list");
    struct hf_lock *kept;
    struct hf_query *query;

    list->client = client;
    kept = hold(client, "kept", NULL);
    hf_lock_free(hold(client, "freed", NULL));
    query = new_query(client, HF_LIST, NULL);
    assert_int_equal(hf_query_start(query, NULL), HF_OK);
    while (!atomic_load(&list->begun))
        (void)poll(NULL, 0, 1);
    assert_int_equal(hf_client_close(client, HF_FOREVER), HF_OK);
    hf_lock_free(kept);
    hf_query_free(query);
}
