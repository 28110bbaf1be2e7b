#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"

static void
what_is_closed_is_closed_once(void **state)
{
    int ends[2];
    int number;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    number = ends[0];
    errno = ENOENT;
    hf_fd_close(&ends[0]);
    assert_int_equal(ends[0], -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(fcntl(number, F_GETFD), -1);

    assert_int_equal(dup2(ends[1], number), number); /* it is another's now */
    hf_fd_close(&ends[0]);
    assert_true(fcntl(number, F_GETFD) >= 0);
    close(number);
    close(ends[1]);
}

static void
a_close_that_fails_changes_no_errno(void **state)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    errno = ENOENT;
    hf_fd_close(&fd);
    assert_int_equal(errno, ENOENT);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_closed_is_closed_once),
        cmocka_unit_test(a_close_that_fails_changes_no_errno),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
