#include "unit/support/clients.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "support/forward_store.h"

/*
 * The other side of a fork: every call on the parent's handles answers that
 * nothing is held, and touches nothing.
 */

/* In a child; the first that is not so ends it, and its line tells which. */
#define EXPECT(truth)                                                          \
    do {                                                                       \
        if (!(truth))                                                          \
            _exit(__LINE__ % 255 + 1);                                         \
    } while (0)
#define EXPECT_INVALID(call)                                                   \
    EXPECT((call) == HF_E_INVALID && error.text[0] != '\0')

/* Everything that the parent has, in every state that matters. */
struct parents {
    struct hf_client *client;
    struct hf_client *unopened;
    struct hf_lock *held;
    struct hf_lock *waiting;
    struct hf_lock *fresh;
    struct hf_query *asked;
    struct hf_query *fresh_query;
};

static void
use_client(const struct parents *p)
{
    struct hf_error error = {0};
    struct hf_lock *lock = NULL;
    struct hf_query *query = NULL;

    EXPECT(hf_client_fd(p->client) == -1);
    EXPECT(hf_client_next(p->client) == NULL);
    EXPECT_INVALID(hf_client_trouble(p->client, &error));
    EXPECT_INVALID(hf_client_set(p->unopened, HF_LOOK_ONLY, "yes", &error));
    EXPECT_INVALID(hf_client_open(p->unopened, "memory:x", &error));
    EXPECT_INVALID(hf_lock_new(p->client, "x", &lock, &error));
    EXPECT_INVALID(hf_query_new(p->client, HF_LIST, &query, &error));
    EXPECT(lock == NULL && query == NULL);
}

static void
use_lock(struct hf_lock *lock)
{
    struct hf_error error = {0};

    EXPECT(hf_lock_check(lock) == HF_NOT_HELD);
    EXPECT(hf_lock_state(lock) == HF_STATE_ENDED);
    EXPECT(hf_lock_wait(lock, HF_FOREVER) == HF_STATE_ENDED);
    EXPECT(hf_lock_fence(lock) == 0);
    EXPECT(hf_lock_right_ms(lock) == 0);
    EXPECT(hf_lock_view(lock) == NULL);
    EXPECT_INVALID(hf_lock_error(lock, &error));
    EXPECT_INVALID(hf_lock_set(lock, HF_REASON, "x", &error));
    EXPECT_INVALID(hf_lock_add(lock, "x", HF_EXCLUSIVE, &error));
    EXPECT_INVALID(hf_lock_change(lock, 0, HF_SHARED, &error));
    EXPECT_INVALID(hf_lock_verify(lock, &error));
    EXPECT_INVALID(hf_lock_start(lock, &error));
    hf_lock_set_user(lock, &error);
    hf_lock_cancel(lock);
    hf_lock_abandon(lock);
    hf_lock_release(lock);
    hf_lock_free(lock);
}

static void
use_query(struct hf_query *query)
{
    struct hf_error error = {0};

    EXPECT(hf_query_wait(query, HF_FOREVER));
    EXPECT(hf_query_view(query) == NULL);
    EXPECT(hf_query_next(query) == NULL);
    EXPECT(strcmp(hf_query_cursor(query), "") == 0);
    EXPECT_INVALID(hf_query_error(query, &error));
    EXPECT_INVALID(hf_query_set(query, HF_SPACE, "x", &error));
    EXPECT_INVALID(hf_query_start(query, &error));
    hf_query_set_user(query, &error);
    hf_query_cancel(query);
    hf_query_free(query);
}

static void
live_as_child(const struct parents *p)
{
    use_client(p);
    use_lock(p->held);
    use_lock(p->waiting);
    use_lock(p->fresh);
    use_query(p->asked);
    use_query(p->fresh_query);
    EXPECT(hf_client_close(p->client, HF_FOREVER) == HF_E_INVALID);
    EXPECT(hf_client_close(p->unopened, HF_FOREVER) == HF_E_INVALID);
    _exit(0);
}

static void
expect_good_child(pid_t child)
{
    int status = -1;

    assert_true(child >= 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void
every_call_of_a_forked_child_answers_as_the_header_says(void **state)
{
    struct parents p = {
        .client = open_client("memory:fork"),
    };
    pid_t child;

    (void)state;
    assert_int_equal(hf_client_new(NULL, &p.unopened, NULL), HF_OK);
    p.held = hold(p.client, "deploy", NULL);
    p.waiting = ask_for(p.client, "deploy", NULL);
    p.fresh = new_lock(p.client, "other", NULL);
    p.asked = new_query(p.client, HF_EXAMINE, HF_NAME, "deploy", NULL);
    p.fresh_query = new_query(p.client, HF_LIST, NULL);
    assert_int_equal(ask(p.asked), HF_OK);
    child = fork();
    if (child == 0)
        live_as_child(&p);
    expect_good_child(child);

    /* The parent's are as they were. */
    assert_int_equal(hf_lock_check(p.held), HF_GRANTED);
    assert_int_equal(hf_lock_state(p.waiting), HF_STATE_WAITING);
    assert_int_equal(hf_lock_state(p.fresh), HF_STATE_NEW);
    assert_int_equal(hf_lock_start(p.fresh, NULL), HF_OK);
    assert_int_equal(hf_lock_wait(p.fresh, HF_FOREVER), HF_STATE_HELD);
    assert_int_equal(ask(p.fresh_query), HF_OK);
    assert_int_equal(give_back(p.held), HF_OK);
    assert_int_equal(hf_lock_wait(p.waiting, HF_FOREVER), HF_STATE_HELD);
    hf_query_free(p.asked);
    hf_query_free(p.fresh_query);
    hf_lock_free(p.waiting);
    hf_lock_free(p.fresh);
    close_client(p.client);
    close_client(p.unopened);
}

/* Nor does its end give anything back. */
static void
a_child_that_ends_leaves_its_parents_locks_alone(void **state)
{
    struct file_place place;
    struct hf_client *client;
    struct hf_lock *lock;
    int64_t right_ms;
    pid_t child;

    (void)state;
    make_place(&place);
    client = open_client(place.url);
    lock = hold(client, "deploy", HF_TTL, "1s", HF_BEAT, "20ms", NULL);
    right_ms = hf_lock_right_ms(lock);
    child = fork();
    if (child == 0)
        _exit(0);
    expect_good_child(child);
    while (hf_lock_right_ms(lock) == right_ms) /* it beats on */
        assert_int_equal(hf_lock_check(lock), HF_GRANTED);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
    remove_place(&place);
}

/* A store that tells of each process that closes it: a server would hear a
 * goodbye. */
struct told_store {
    struct forward_store forward;
    int closed_fd; /* borrowed */
};

static void
tell_and_close(struct hf_store *store)
{
    const struct told_store *told = (const struct told_store *)store;
    pid_t pid = getpid();

    (void)!write(told->closed_fd, &pid, sizeof(pid));
    hf_store_close(told->forward.inner);
    hf_free(store->alloc, store);
}

static void
a_child_says_no_goodbye_for_its_parent(void **state)
{
    static const struct hf_store_methods changed = {.close = tell_and_close};
    struct told_store *store =
        forward_store_open("memory:goodbye", sizeof(*store), &changed);
    struct hf_client *client;
    struct hf_lock *lock;
    pid_t closers[2];
    pid_t child;
    int fds[2];

    (void)state;
    assert_int_equal(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
    store->closed_fd = fds[1];
    client = open_client_on(&store->forward.base, "memory:goodbye");
    lock = hold(client, "deploy", NULL);
    child = fork();
    if (child == 0) {
        hf_lock_release(lock);
        hf_lock_free(lock);
        EXPECT(hf_client_close(client, HF_FOREVER) == HF_E_INVALID);
        _exit(0);
    }
    expect_good_child(child);
    assert_int_equal(read(fds[0], closers, sizeof(closers)), -1);
    assert_int_equal(hf_lock_check(lock), HF_GRANTED);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
    assert_int_equal(read(fds[0], closers, sizeof(closers)), sizeof(pid_t));
    assert_int_equal(closers[0], getpid());
    close(fds[0]);
    close(fds[1]);
}

/* SQLite does not bear a fork under an open file. */
static void
a_child_of_one_who_had_a_file_open_opens_none(void **state)
{
    struct file_place place;
    struct hf_client *client;
    pid_t child;

    (void)state;
    make_place(&place);
    client = open_client(place.url);
    child = fork();
    if (child == 0) {
        struct hf_client *own = NULL;
        struct hf_error error = {0};

        EXPECT(hf_client_new(NULL, &own, NULL) == HF_OK);
        EXPECT_INVALID(hf_client_open(own, place.url, &error));
        EXPECT(strstr(error.text, "close its clients") != NULL);
        EXPECT(strstr(error.text, "exec") != NULL);
        EXPECT(strstr(error.text, "lock server") != NULL);
        EXPECT(hf_client_close(own, HF_FOREVER) == HF_OK);
        _exit(0);
    }
    expect_good_child(child);
    close_client(client);
    remove_place(&place);
}

/* A server that forks workers: what it did before is over. */
static void
hold_as_child(const char *url, int told)
{
    struct hf_client *client = open_client(url);
    struct hf_lock *lock = hold(client, "deploy", NULL);
    uint64_t fence = hf_lock_fence(lock);

    EXPECT(hf_lock_check(lock) == HF_GRANTED);
    EXPECT(write(told, &fence, sizeof(fence)) == sizeof(fence));
    EXPECT(read(told, &fence, sizeof(fence)) == 1); /* until it may go on */
    EXPECT(give_back(lock) == HF_OK);
    EXPECT(hf_client_close(client, HF_FOREVER) == HF_OK);
    _exit(0);
}

static void
children_of_one_who_closed_its_clients_hold_locks_of_their_own(void **state)
{
    struct file_place place;
    struct hf_client *client;
    struct hf_lock *lock;
    uint64_t last;

    (void)state;
    make_place(&place);
    client = open_client(place.url);
    lock = hold(client, "deploy", NULL);
    last = hf_lock_fence(lock);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
    for (int i = 0; i < 3; i++) {
        uint64_t fence = 0;
        int ends[2];
        pid_t child;

        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        child = fork();
        if (child == 0)
            hold_as_child(place.url, ends[1]);
        close(ends[1]);
        assert_int_equal(read(ends[0], &fence, sizeof(fence)), sizeof(fence));
        assert_true(fence > last);
        last = fence;

        /* The parent and the child are two processes like any others. */
        client = open_client(place.url);
        lock = ask_for(client, "deploy", HF_WAIT, "try", NULL);
        assert_int_equal(hf_lock_wait(lock, HF_FOREVER), HF_STATE_ENDED);
        assert_int_equal(hf_lock_check(lock), HF_TIMED_OUT);
        hf_lock_free(lock);
        assert_int_equal(write(ends[0], "", 1), 1);
        expect_good_child(child);
        lock = hold(client, "deploy", NULL);
        assert_true(hf_lock_fence(lock) > last);
        last = hf_lock_fence(lock);
        assert_int_equal(give_back(lock), HF_OK);
        close_client(client);
        close(ends[0]);
    }
    remove_place(&place);
}

/* Where nothing was open, a child is a process like any other. */
static void
a_child_of_one_who_had_nothing_open_holds_locks_of_its_own(void **state)
{
    struct file_place place;
    pid_t child;

    (void)state;
    make_place(&place);
    child = fork();
    if (child == 0) {
        struct hf_client *client = open_client(place.url);
        struct hf_lock *lock = hold(client, "deploy", NULL);

        EXPECT(hf_lock_check(lock) == HF_GRANTED);
        EXPECT(give_back(lock) == HF_OK);
        EXPECT(hf_client_close(client, HF_FOREVER) == HF_OK);
        _exit(0);
    }
    expect_good_child(child);
    remove_place(&place);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        /* First, while nothing of this process's was ever open. */
        cmocka_unit_test(
            a_child_of_one_who_had_nothing_open_holds_locks_of_its_own),
        cmocka_unit_test(
            every_call_of_a_forked_child_answers_as_the_header_says),
        cmocka_unit_test(a_child_that_ends_leaves_its_parents_locks_alone),
        cmocka_unit_test(a_child_says_no_goodbye_for_its_parent),
        cmocka_unit_test(a_child_of_one_who_had_a_file_open_opens_none),
        cmocka_unit_test(
            children_of_one_who_closed_its_clients_hold_locks_of_their_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
