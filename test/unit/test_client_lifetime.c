#include "unit/support/clients.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "client/open.h"

/*
 * libholdfast where things end: processes that are waited for, clients with
 * calls under way, descriptors, forks.
 */

/* ---- The end of a process that is waited for ----------------------------- */

struct relay {
    const char *place;
    pid_t first;
    pid_t second;
    unsigned calls;
    struct hf_instant killed_at;
};

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
    assert_int_equal(hf_store_get(store, (struct hf_key){"default", "other"},
                                  until, &from, NULL),
                     HF_OK);
    assert_int_equal(hf_store_get(store, op.key, until, &to, NULL), HF_OK);
    op.expect.version = to.version;
    op.value_len = from.value_len;
    hf_store_commit(store, &group, 1, until, NULL);
    assert_int_equal(group.verdict, HF_APPLIED);
    hf_store_close(store);
}

/* The second call comes some time after the first: whoever looks at processes
 * sleeps by then. */
static void
pass_on_and_kill(void *ctx, const struct hf_diagnosis *seen)
{
    struct relay *relay = ctx;

    if (++relay->calls == 2)
        hand_over(relay->place);
    if (relay->killed_at.ms != 0 ||
        seen->record.processes[0] != relay->second || !seen->running)
        return;
    relay->killed_at = hf_now();
    kill(relay->second, SIGKILL);
}

/* Neither a beat nor a look is due for seconds: only its end tells. */
static void
a_new_holder_that_dies_just_after_it_was_seen_is_found_at_once(void **state)
{
    static const struct hf_acquire_options rarely = {
        .ttl = {60000},
        .beat = {9000},
    };
    struct file_place place;
    struct relay relay = {.place = place.url};
    struct hf_acquire_options options = rarely;
    struct hf_acquired acquired = {0};
    struct hf_client *client;

    (void)state;
    options.on_waiting = pass_on_and_kill;
    options.ctx = &relay;
    make_place(&place);
    relay.first = hold_until_killed(place.url, "deploy", &rarely);
    relay.second = hold_until_killed(place.url, "other", &rarely);
    client = open_client(place.url);
    assert_int_equal(hf_acquire(client, "deploy", &options, &acquired, NULL),
                     HF_OK);
    assert_int_equal(acquired.outcome, HF_GRANTED);
    assert_in_range(hf_between(relay.killed_at, hf_now()).ms, 0, 1000);
    kill(relay.first, SIGKILL);
    waitpid(relay.first, NULL, 0);
    waitpid(relay.second, NULL, 0);
    hf_release(acquired.lock, NULL, NULL);
    hf_close(client);
    remove_place(&place);
}

/* ---- The end of a client ------------------------------------------------- */

static void
closing_wakes_those_who_wait_and_leaves_locks_to_be_freed(void **state)
{
    struct hf_client *a = open_client("memory:close");
    struct waiter b = {.client = a};
    struct hf_lock *lock = hold(a, "deploy", NULL);

    (void)state;
    start_waiting(&b);
    hf_close(a);
    stop_waiting(&b);
    assert_int_equal(b.status, HF_E_CANCELLED);
    assert_int_equal(hf_check(lock), HF_NOT_HELD);
    assert_int_equal(hf_release(lock, NULL, NULL), HF_E_UNKNOWN);
}

/* A store whose scan waits to be let go. */
struct gate {
    struct hf_store base;
    int arrived[2];
    int opened[2];
};

static enum hf_status
scan_behind_gate(struct hf_store *store, const struct hf_store_scan *scan,
                 hf_store_row_fn *row, void *ctx, struct hf_error *error)
{
    const struct gate *gate = (struct gate *)store;
    char byte;

    (void)scan;
    (void)row;
    (void)ctx;
    (void)error;
    (void)!write(gate->arrived[1], "!", 1);
    (void)!read(gate->opened[0], &byte, 1);
    return HF_OK;
}

static void
wait_for_wake(struct hf_store *store, const struct hf_store_watch *watches,
              size_t watches_count, struct hf_instant until, int wake_fd)
{
    struct pollfd fd = {.fd = wake_fd, .events = POLLIN};

    (void)store;
    (void)watches;
    (void)watches_count;
    (void)until;
    (void)poll(&fd, 1, -1);
}

static void
close_gate(struct hf_store *store)
{
    struct gate *gate = (struct gate *)store;

    for (size_t i = 0; i < 2; i++) {
        close(gate->arrived[i]);
        close(gate->opened[i]);
    }
}

static void *
list(void *client)
{
    struct hf_description row;
    size_t count = 1;

    assert_int_equal(hf_list(client, NULL, &row, &count, NULL), HF_OK);
    return NULL;
}

static void *
close_client(void *client)
{
    hf_close(client);
    return NULL;
}

/* ThreadSanitizer hears it if one side goes on with what the other freed. */
static void
a_list_under_way_outlives_the_close(void **state)
{
    static const struct hf_store_methods methods = {
        .close = close_gate,
        .scan = scan_behind_gate,
        .wait = wait_for_wake,
    };

    (void)state;
    for (int round = 0; round < 50; round++) {
        struct gate gate = {
            .base = {.methods = &methods, .alloc = &hf_alloc_libc}};
        struct hf_client *client = NULL;
        pthread_t lister;
        pthread_t closer;
        char byte;

        assert_int_equal(pipe(gate.arrived), 0);
        assert_int_equal(pipe(gate.opened), 0);
        assert_int_equal(
            hf_open_on(&gate.base, "test:gate", &hf_alloc_libc, &client, NULL),
            HF_OK);
        pthread_create(&lister, NULL, list, client);
        assert_int_equal(read(gate.arrived[0], &byte, 1), 1);
        pthread_create(&closer, NULL, close_client, client);
        assert_int_equal(write(gate.opened[1], "!", 1), 1);
        pthread_join(lister, NULL);
        pthread_join(closer, NULL);
    }
}

struct orphan {
    pthread_barrier_t *start;
    struct hf_lock *lock;
    enum hf_status status;
};

static void *
free_orphan(void *arg)
{
    struct orphan *orphan = arg;

    pthread_barrier_wait(orphan->start);
    orphan->status = hf_release(orphan->lock, NULL, NULL);
    return NULL;
}

/* New threads may bear the names of those that the client had. */
static void
any_thread_may_free_the_locks_of_a_closed_client(void **state)
{
    enum { THREADS = 4 };
    static const char *const names[THREADS] = {"a", "b", "c", "d"};
    struct hf_client *client = open_client("memory:orphans");
    struct orphan orphans[THREADS];
    pthread_t threads[THREADS];
    pthread_barrier_t start;

    (void)state;
    pthread_barrier_init(&start, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        orphans[i] =
            (struct orphan){&start, hold(client, names[i], NULL), HF_OK};
    hf_close(client);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, free_orphan, &orphans[i]);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(orphans[i].status, HF_E_UNKNOWN);
    pthread_barrier_destroy(&start);
}

/* ---- The end of descriptors ---------------------------------------------- */

static void
a_lock_is_released_without_a_descriptor_left(void **state)
{
    struct hf_client *client = open_client("memory:descriptors");
    struct hf_lock *lock = hold(client, "deploy", NULL);
    struct rlimit before;
    struct rlimit none;
    int next = dup(STDIN_FILENO);

    (void)state;
    assert_true(next >= 0);
    close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = (rlim_t)next;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(dup(STDIN_FILENO), -1);
    assert_int_equal(hf_release(lock, NULL, NULL), HF_OK);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    hf_close(client);
}

/* ---- The other side of a fork -------------------------------------------- */

static void
a_forked_child_holds_nothing(void **state)
{
    struct hf_client *client = open_client("memory:fork");
    struct hf_lock *lock = hold(client, "deploy", NULL);
    int status = 0;
    pid_t child = fork();

    (void)state;
    assert_true(child >= 0);
    if (child == 0) {
        bool right = hf_check(lock) == HF_NOT_HELD && hf_fence(lock) == 0 &&
                     hf_lock_right_ms(lock) == 0 &&
                     hf_release(lock, NULL, NULL) == HF_E_INVALID;

        hf_abandon(lock);
        hf_close(client);
        _exit(right ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(hf_check(lock), HF_GRANTED);
    assert_int_equal(hf_release(lock, NULL, NULL), HF_OK);
    hf_close(client);
}

static void
a_forked_child_throws_no_switch_of_its_parent(void **state)
{
    struct hf_client *a = open_client("memory:switch");
    struct hf_client *b = open_client("memory:switch");
    struct hf_lock *lock = hold(a, "deploy", NULL);
    struct hf_acquire_options options = {.limit = {50}};
    struct hf_acquired acquired = {0};
    int status = 0;
    pid_t child;

    (void)state;
    assert_int_equal(hf_cancel_open(&options.cancel), HF_OK);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        hf_cancel(options.cancel);
        hf_cancel_abandon(options.cancel);
        hf_cancel_close(options.cancel);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(hf_acquire(b, "deploy", &options, &acquired, NULL), HF_OK);
    assert_int_equal(acquired.outcome, HF_TIMED_OUT);
    hf_cancel_close(options.cancel);
    hf_release(lock, NULL, NULL);
    hf_close(a);
    hf_close(b);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_new_holder_that_dies_just_after_it_was_seen_is_found_at_once),
        cmocka_unit_test(
            closing_wakes_those_who_wait_and_leaves_locks_to_be_freed),
        cmocka_unit_test(a_list_under_way_outlives_the_close),
        cmocka_unit_test(any_thread_may_free_the_locks_of_a_closed_client),
        cmocka_unit_test(a_lock_is_released_without_a_descriptor_left),
        cmocka_unit_test(a_forked_child_holds_nothing),
        cmocka_unit_test(a_forked_child_throws_no_switch_of_its_parent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
