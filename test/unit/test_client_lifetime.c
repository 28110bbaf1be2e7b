#include "support/test.h"
#include "unit/support/clients.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "support/forward_store.h"
#include "support/get_one.h"

/*
 * libholdfast where things end: processes that are waited for, clients with
 * calls under way, descriptors.
 */

/* ---- The end of a process that is waited for ----------------------------- */

/* Give "deploy" to the holder of "other", as if it had taken it over. */
static void
hand_over(const char *place)
{
    struct hf_store *store = NULL;
    struct hf_record from = {0};
    struct hf_record to = {0};
    struct hf_instant until = hf_after(hf_now(), (struct hf_duration){5000});
    struct hf_store_op op = {
        .kind = HF_PUT,
        .key = {"default", "deploy"},
        .new_generation = true,
        .value = from.value,
    };
    struct hf_store_group group = {.ops = &op, .ops_count = 1};

    assert_int_equal(hf_store_open(place, &hf_alloc_libc, &store, NULL), HF_OK);
    assert_int_equal(
        get_one(store, (struct hf_key){"default", "other"}, until, &from, NULL),
        HF_OK);
    assert_int_equal(get_one(store, op.key, until, &to, NULL), HF_OK);
    op.expect.version = to.version;
    op.value_len = from.value_len;
    hf_store_commit(store, &group, 1, until, NULL);
    assert_int_equal(group.verdict, HF_APPLIED);
    hf_store_close(store);
}

/* Until the waiter sees this one alive. */
static void
await_process(struct hf_client *client, const struct hf_lock *waiter, pid_t pid)
{
    for (;;) {
        struct hf_view *seen = hf_lock_view(waiter);
        bool there = hf_view_item(seen, HF_FIELD_PROCESSES, 0) == pid &&
                     hf_view_number(seen, HF_FIELD_RUNNING) == 1;

        hf_view_free(seen);
        if (there)
            return;
        (void)await_news(client, hf_lock_id(waiter), HF_NEWS_CHANGED);
    }
}

/* Neither a beat nor a look is due for seconds: only its end tells. */
TEST(a_new_holder_that_dies_just_after_it_was_seen_is_found_at_once)
{
    struct file_place place;
    struct hf_client *client;
    struct hf_lock *waiter;
    struct hf_instant killed_at;
    pid_t first;
    pid_t second;

    make_place(&place);
    first = hold_until_killed(place.url, "deploy", HF_TTL, "60s", HF_BEAT, "9s",
                              NULL);
    second = hold_until_killed(place.url, "other", HF_TTL, "60s", HF_BEAT, "9s",
                               NULL);
    client = open_client(place.url);
    waiter = ask_for(client, "deploy", HF_TTL, "60s", HF_BEAT, "9s", NULL);
    await_process(client, waiter, first);
    hand_over(place.url);
    await_process(client, waiter, second);
    killed_at = hf_now();
    kill_holder(second);
    assert_int_equal(hf_lock_wait(waiter, HF_FOREVER), HF_STATE_HELD);
    assert_in_range(hf_between(killed_at, hf_now()).ms, 0, 3000);
    kill_holder(first);
    assert_int_equal(give_back(waiter), HF_OK);
    close_client(client);
    remove_place(&place);
}

/* ---- The end of a client ------------------------------------------------- */

static void *
wait_for_end(void *lock)
{
    (void)hf_lock_wait(lock, HF_FOREVER);
    return NULL;
}

TEST(closing_wakes_those_who_wait_and_leaves_locks_to_be_freed)
{
    struct hf_client *client = open_client("memory:close");
    struct hf_lock *lock = hold(client, "deploy", NULL);
    struct hf_lock *waiter = ask_for(client, "deploy", NULL);
    pthread_t sleeper;

    assert_int_equal(pthread_create(&sleeper, NULL, wait_for_end, waiter), 0);
    close_client(client);
    pthread_join(sleeper, NULL);
    assert_int_equal(hf_lock_state(waiter), HF_STATE_ENDED);
    assert_int_equal(hf_lock_error(waiter, NULL), HF_E_CANCELLED);
    assert_int_equal(hf_lock_state(lock), HF_STATE_ENDED);
    assert_int_equal(hf_lock_check(lock), HF_NOT_HELD);
    hf_lock_free(waiter);
    hf_lock_free(lock);
}

/* A store whose scan waits to be let go. */
struct gate {
    int arrived[2]; /* a pipe: a byte for each scan that has come */
    int opened[2];  /* a byte lets one go */
};

struct gated_store {
    struct forward_store forward;
    const struct gate *gate; /* borrowed */
};

static enum hf_status
scan_behind_gate(struct hf_store *store, const struct hf_store_scan *scan,
                 struct hf_instant until, hf_store_row_fn *row, void *ctx,
                 struct hf_error *error)
{
    const struct gate *gate = ((const struct gated_store *)store)->gate;
    char byte;

    (void)scan;
    (void)until;
    (void)row;
    (void)ctx;
    (void)error;
    (void)!write(gate->arrived[1], "!", 1);
    (void)!read(gate->opened[0], &byte, 1);
    return HF_OK;
}

static struct hf_client *
open_behind_gate(struct gate *gate)
{
    static const struct hf_store_methods changed = {.scan = scan_behind_gate};
    struct gated_store *store =
        forward_store_open("memory:gate", sizeof(*store), &changed);

    assert_int_equal(pipe(gate->arrived), 0);
    assert_int_equal(pipe(gate->opened), 0);
    store->gate = gate;
    return open_client_on(&store->forward.base, "memory:gate");
}

static void
remove_gate(const struct gate *gate)
{
    for (size_t i = 0; i < 2; i++) {
        close(gate->arrived[i]);
        close(gate->opened[i]);
    }
}

static void *
wait_for_list(void *query)
{
    (void)hf_query_wait(query, HF_FOREVER);
    return NULL;
}

static void *
close_in_thread(void *client)
{
    close_client(client);
    return NULL;
}

/* ThreadSanitizer hears it if one side goes on with what the other freed. */
TEST(a_list_under_way_outlives_the_close)
{
    for (int round = 0; round < 50; round++) {
        struct gate gate;
        struct hf_client *client = open_behind_gate(&gate);
        struct hf_query *query = new_query(client, HF_LIST, NULL);
        pthread_t sleeper;
        pthread_t closer;
        char byte;

        assert_int_equal(hf_query_start(query, NULL), HF_OK);
        pthread_create(&sleeper, NULL, wait_for_list, query);
        assert_int_equal(read(gate.arrived[0], &byte, 1), 1);
        pthread_create(&closer, NULL, close_in_thread, client);
        assert_int_equal(write(gate.opened[1], "!", 1), 1);
        pthread_join(sleeper, NULL);
        pthread_join(closer, NULL);
        hf_query_free(query);
        remove_gate(&gate);
    }
}

/* Freed, or cancelled, it is nobody's; the call goes on, and is forgotten. */
TEST(a_list_under_way_may_be_freed)
{
    struct gate gate;
    struct hf_client *client = open_behind_gate(&gate);
    struct hf_query *one = new_query(client, HF_LIST, NULL);
    struct hf_query *other = new_query(client, HF_LIST, NULL);
    char byte;

    assert_int_equal(hf_query_start(one, NULL), HF_OK);
    assert_int_equal(hf_query_start(other, NULL), HF_OK);
    assert_int_equal(read(gate.arrived[0], &byte, 1), 1);
    hf_query_free(one);
    hf_query_cancel(other); /* it has not begun */
    assert_true(hf_query_wait(other, HF_FOREVER));
    assert_int_equal(hf_query_error(other, NULL), HF_E_CANCELLED);
    assert_int_equal(write(gate.opened[1], "!", 1), 1);
    close_client(client);
    hf_query_free(other);
    remove_gate(&gate);
}

struct orphan {
    pthread_barrier_t *start;
    struct hf_lock *lock;
};

static void *
free_orphan(void *arg)
{
    struct orphan *orphan = arg;

    pthread_barrier_wait(orphan->start);
    hf_lock_free(orphan->lock);
    return NULL;
}

/* New threads may bear the names of those that the client had. */
TEST(any_thread_may_free_the_locks_of_a_closed_client)
{
    enum { THREADS = 4 };
    static const char *const names[THREADS] = {"a", "b", "c", "d"};
    struct hf_client *client = open_client("memory:orphans");
    struct orphan orphans[THREADS];
    pthread_t threads[THREADS];
    pthread_barrier_t start;

    pthread_barrier_init(&start, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        orphans[i] = (struct orphan){&start, hold(client, names[i], NULL)};
    close_client(client);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, free_orphan, &orphans[i]);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
}

/* ---- The end of descriptors ---------------------------------------------- */

TEST(a_lock_is_released_without_a_descriptor_left)
{
    struct hf_client *client = open_client("memory:descriptors");
    struct hf_lock *lock = hold(client, "deploy", NULL);
    struct rlimit before;
    struct rlimit none;
    int next = dup(STDIN_FILENO);

    assert_true(next >= 0);
    close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = (rlim_t)next;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(dup(STDIN_FILENO), -1);
    assert_int_equal(give_back(lock), HF_OK);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    close_client(client);
}

/* Of a client that cannot be had in full, nothing is left. */
TEST(without_descriptors_there_is_no_client)
{
    struct hf_client *client = NULL;
    struct hf_error error = {0};
    struct rlimit before;
    struct rlimit few;
    int next = dup(STDIN_FILENO);
    int after;

    close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    for (few.rlim_cur = (rlim_t)next;; few.rlim_cur++) {
        enum hf_status status;

        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        status = hf_client_new(NULL, &client, &error);
        if (status == HF_OK)
            status = hf_client_open(client, "memory:few", &error);
        (void)hf_client_close(client, HF_FOREVER);
        client = NULL;
        if (status == HF_OK)
            break;
        assert_int_equal(status, HF_E_LIMIT);
        assert_true(error.text[0] != '\0');
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    after = dup(STDIN_FILENO);
    assert_int_equal(after, next);
    close(after);
}
