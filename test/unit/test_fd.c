#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"

TEST(what_is_closed_is_closed_once)
{
    int ends[2];
    int number;

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

TEST(a_close_that_fails_changes_no_errno)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    close(fd);
    errno = ENOENT;
    hf_fd_close(&fd);
    assert_int_equal(errno, ENOENT);
}
