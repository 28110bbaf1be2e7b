/* Switches: where they are thrown, and by whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <poll.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/cancel.h"

enum { NOT_ALLOWED = 77 };

static bool
is_on(int fd)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};

    return poll(&look, 1, 0) == 1;
}

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

static void
a_switch_stays_on(void **state)
{
    struct hf_cancel *cancel = NULL;

    (void)state;
    assert_int_equal(hf_cancel_open(&cancel), HF_OK);
    assert_false(is_on(hf_cancel_fd(cancel)));
    hf_cancel(cancel);
    assert_true(is_on(hf_cancel_fd(cancel)));
    assert_true(is_on(hf_cancel_fd(cancel)));
    assert_false(is_on(hf_cancel_abandon_fd(cancel)));
    hf_cancel_abandon(cancel);
    assert_true(is_on(hf_cancel_abandon_fd(cancel)));
    hf_cancel_close(cancel);
    assert_int_equal(hf_cancel_fd(NULL), -1);
    assert_int_equal(hf_cancel_abandon_fd(NULL), -1);
}

static int
child_of_the_same_number(struct hf_cancel *cancel)
{
    hf_cancel(cancel);
    hf_cancel_abandon(cancel);
    return getpid() == 1 ? 0 : 2;
}

/* Process 1, whose child is process 1 in turn. */
static int
parent_of_the_same_number(void)
{
    struct hf_cancel *cancel = NULL;
    pid_t child;
    int code;

    if (getpid() != 1 || hf_cancel_open(&cancel) != HF_OK)
        return 1;
    if (!begin_pid_namespace())
        return NOT_ALLOWED;
    child = fork();
    if (child == 0)
        _exit(child_of_the_same_number(cancel));
    code = code_of(child);
    if (is_on(hf_cancel_fd(cancel)) || is_on(hf_cancel_abandon_fd(cancel)))
        code = 3;
    hf_cancel_close(cancel);
    return code;
}

static void
a_child_with_its_parents_pid_throws_no_switch_of_it(void **state)
{
    pid_t outside = fork();
    pid_t parent;
    int code;

    (void)state;
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_switch_stays_on),
        cmocka_unit_test(a_child_with_its_parents_pid_throws_no_switch_of_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
