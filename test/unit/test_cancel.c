#include "support/test.h"
#include "unit/support/clients.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/lock.h"

/*
 * Cancel and abandon from signal handlers: of whatever they meet, and in whose
 * process.
 */

enum { NOT_ALLOWED = 77 };

static struct hf_lock *volatile target;
static struct hf_query *volatile asked;

static void
cancel_target(int signal)
{
    (void)signal;
    hf_lock_cancel(target);
}

static void
abandon_target(int signal)
{
    (void)signal;
    hf_lock_abandon(target);
}

static void
cancel_asked(int signal)
{
    (void)signal;
    hf_query_cancel(asked);
}

static void
raise_with(void (*handler)(int), int signal)
{
    struct sigaction action = {.sa_handler = handler};

    assert_int_equal(sigaction(signal, &action, NULL), 0);
    assert_int_equal(raise(signal), 0);
}

/* ---- In a handler -------------------------------------------------------- */

TEST(a_waiter_is_cancelled_by_a_signal_handler)
{
    struct hf_client *client = open_client("memory:waiter");
    struct hf_lock *lock = hold(client, "deploy", NULL);

    target = ask_for(client, "deploy", NULL);
    errno = ENOENT;
    raise_with(cancel_target, SIGUSR1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(finish(target), HF_E_CANCELLED);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

/* What it holds is given back. */
TEST(a_holder_is_cancelled_by_a_signal_handler)
{
    struct hf_client *client = open_client("memory:holder");
    struct hf_view *left;

    target = hold(client, "deploy", NULL);
    raise_with(cancel_target, SIGUSR1);
    raise_with(cancel_target, SIGUSR1);
    assert_int_equal(finish(target), HF_OK);
    left = examine(client, "deploy", NULL);
    assert_false(hf_view_number(left, HF_FIELD_EXISTS));
    hf_view_free(left);
    close_client(client);
}

TEST(a_holder_is_abandoned_by_a_signal_handler_and_its_record_stays)
{
    struct hf_client *client = open_client("memory:abandon");
    struct hf_view *left;
    int64_t fence;

    target = hold(client, "migrate", HF_IF_DEAD, "refuse", NULL);
    fence = (int64_t)hf_lock_fence(target);
    raise_with(abandon_target, SIGUSR2);
    (void)finish(target);
    left = examine(client, "migrate", NULL);
    assert_int_equal(hf_view_number(left, HF_FIELD_FENCE), fence);
    hf_view_free(left);
    close_client(client);
}

/* It is remembered: the start ends it at once. */
TEST(a_lock_that_was_cancelled_before_its_start_ends_at_once)
{
    struct hf_client *client = open_client("memory:before");

    target = new_lock(client, "deploy", NULL);
    raise_with(cancel_target, SIGUSR1);
    assert_int_equal(hf_lock_state(target), HF_STATE_NEW);
    assert_int_equal(hf_lock_start(target, NULL), HF_OK);
    assert_int_equal(hf_lock_fence(target), 0);
    assert_int_equal(finish(target), HF_E_CANCELLED);
    close_client(client);
}

TEST(a_query_is_cancelled_by_a_signal_handler)
{
    struct hf_client *client = open_client("memory:query");
    struct hf_lock *lock = hold(client, "deploy", NULL);
    struct hf_view *seen;

    asked = new_query(client, HF_EXAMINE, HF_NAME, "deploy", HF_WATCH,
                      "forever", NULL);
    assert_int_equal(hf_query_start(asked, NULL), HF_OK);
    raise_with(cancel_asked, SIGUSR1);
    assert_true(hf_query_wait(asked, HF_FOREVER));
    assert_int_equal(hf_query_error(asked, NULL), HF_E_CANCELLED);
    seen = hf_query_view(asked);
    assert_non_null(seen);
    hf_view_free(seen);
    hf_query_free(asked);
    assert_int_equal(give_back(lock), HF_OK);
    close_client(client);
}

/* ---- In whose process ---------------------------------------------------- */

/* Wait for the child; what it exits with, or -1. */
static int
code_of(pid_t child)
{
    int status = -1;

    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

/* What is forked from here on is process 1. */
static bool
begin_pid_namespace(void)
{
    return unshare(CLONE_NEWPID) == 0 ||
           unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0;
}

static int
child_of_the_same_number(struct hf_lock *lock)
{
    hf_lock_cancel(lock);
    hf_lock_abandon(lock);
    return getpid() == 1 ? 0 : 2;
}

/* Process 1, whose child is process 1 in turn; but its clients' threads are no
 * more allowed once it has left its namespace. */
static int
parent_of_the_same_number(void)
{
    struct hf_client *client = NULL;
    struct hf_lock *lock;
    pid_t child;
    int code;

    if (getpid() != 1 || hf_client_new(NULL, &client, NULL) != HF_OK)
        return 1;
    if (!begin_pid_namespace())
        return NOT_ALLOWED;
    lock = new_lock(client, "deploy", NULL);
    child = fork();
    if (child == 0)
        _exit(child_of_the_same_number(lock));
    code = code_of(child);
    if (atomic_load(&lock->handle.order) != HF_ORDER_NONE)
        code = 3;
    hf_lock_free(lock);
    close_client(client);
    return code;
}

TEST(a_child_with_its_parents_pid_cancels_nothing_of_it)
{
    pid_t outside = fork();
    pid_t parent;
    int code;

    if (outside == 0) {
        if (!begin_pid_namespace())
            _exit(NOT_ALLOWED);
        parent = fork();
        if (parent == 0)
            _exit(parent_of_the_same_number());
        _exit(code_of(parent));
    }
    code = code_of(outside);
    if (code == NOT_ALLOWED) {
        puts("pid namespaces are not allowed here");
        skip();
    }
    assert_int_equal(code, 0);
}
