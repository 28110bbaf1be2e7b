#include "support/test.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"

/* A check that fails, and who may hear of it. */

static jmp_buf way_out;
static const char *told;

static void
leave(const char *what, const char *file, int line)
{
    assert_non_null(strstr(file, "test_check.c"));
    assert_true(line > 0);
    told = what;
    longjmp(way_out, 1);
}

static void
stay(const char *what, const char *file, int line)
{
    (void)what;
    (void)file;
    (void)line;
}

/* The signal by which a process ends of which a check fails. */
static int
end_of(hf_check_fn *listen)
{
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        const struct rlimit none = {0, 0};

        setrlimit(RLIMIT_CORE, &none);
        hf_check_listen(listen);
        HF_CHECK(pid != 0);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(a_check_that_fails_ends_the_process)
{
    assert_int_equal(end_of(NULL), SIGABRT);
}

TEST(it_does_so_too_when_who_listens_returns)
{
    assert_int_equal(end_of(stay), SIGABRT);
}

TEST(who_listens_is_told_the_condition_and_may_leave)
{
    volatile int zero = 0;

    assert_null(hf_check_listen(leave));
    if (setjmp(way_out) == 0)
        HF_CHECK(zero == 1);
    assert_string_equal(told, "check failed: zero == 1");
    assert_ptr_equal(hf_check_listen(NULL), leave);
}

TEST(a_check_that_holds_is_told_to_nobody)
{
    told = NULL;
    hf_check_listen(leave);
    HF_CHECK(told == NULL);
    hf_check_listen(NULL);
    assert_null(told);
}
