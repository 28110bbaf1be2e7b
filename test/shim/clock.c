#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * A clock that stands still, for LD_PRELOAD: CLOCK_BOOTTIME shows the
 * milliseconds in the file that HF_CLOCK names, read anew each time.  Whoever
 * writes another number there lets time pass, at once and for all who look, as
 * it does while a machine is suspended.  Every other clock is true, and so is
 * this one where there is no such file; timers are the kernel's, and run on.
 */

static long long
shown_ms(void)
{
    const char *path = getenv("HF_CLOCK");
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
clock_gettime(clockid_t clock_id, struct timespec *tp)
{
    int saved = errno;
    long long ms = clock_id == CLOCK_BOOTTIME ? shown_ms() : 0;

    errno = saved;
    if (ms == 0)
        return (int)syscall(SYS_clock_gettime, clock_id, tp);
    tp->tv_sec = (time_t)(ms / 1000);
    tp->tv_nsec = (long)(ms % 1000) * 1000000;
    return 0;
}
