#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/*
 * A wall clock that is wrong, for LD_PRELOAD: gettimeofday is off by the
 * seconds in the file that HF_WALL names, read anew each time; where there is
 * no such file it is right.  PostgreSQL tells the time by it.
 */

static long long
wrong_by_s(void)
{
    const char *path = getenv("HF_WALL");
    char text[24] = "";
    int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return 0;
    (void)!read(fd, text, sizeof(text) - 1);
    close(fd);
    return strtoll(text, NULL, 10);
}

/* The loader is to find this, and our flags hide what is not asked for. */
#pragma GCC visibility push(default)

int
gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
    int saved = errno;
    long long seconds = wrong_by_s();
    int result = (int)syscall(SYS_gettimeofday, tv, zone);

    errno = saved;
    if (result == 0)
        tv->tv_sec += (time_t)seconds;
    return result;
}
