#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/*
 * A disk with bad habits, for LD_PRELOAD: every fsync and fdatasync is done,
 * but slowly, or with an untrue answer.  What the environment says:
 *
 *   HF_SYNC_SLOW   a file with a number, read anew each time: so many
 *                  milliseconds before the sync is begun
 *   HF_SYNC_FAIL   a number: every n-th of a process is answered EIO.  Which
 *                  is its first depends on its pid, so that a process of few
 *                  syncs has its turn too
 *   HF_SYNC_COUNT  a file that grows by one byte with each sync
 */

typedef int sync_fn(int fd);

static long
number_of(const char *text)
{
    return text == NULL ? 0 : strtol(text, NULL, 10);
}

static void
be_slow(void)
{
    const char *path = getenv("HF_SYNC_SLOW");
    char text[24] = "";
    int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)!read(fd, text, sizeof(text) - 1);
    close(fd);

    long ms = number_of(text);
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};

    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

static void
count(void)
{
    const char *path = getenv("HF_SYNC_COUNT");
    int fd = path == NULL
                 ? -1
                 : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0)
        return;
    (void)!write(fd, ".", 1);
    close(fd);
}

/* One thread of a process writes; two would at worst miscount. */
static int
answer(int result)
{
    static long syncs;
    long every = number_of(getenv("HF_SYNC_FAIL"));

    syncs++;
    if (every <= 0 || (getpid() + syncs) % every != 0 || result != 0)
        return result;
    errno = EIO;
    return -1;
}

static int
sync_by(const char *name, int fd)
{
    sync_fn *real;

    /* As POSIX tells to make a function of what dlsym gives. */
    *(void **)&real = dlsym(RTLD_NEXT, name);
    be_slow();
    count();
    return answer(real(fd));
}

/* The loader is to find these, and our flags hide what is not asked for. */
#pragma GCC visibility push(default)

int
fsync(int fd)
{
    return sync_by("fsync", fd);
}

int
fdatasync(int fd)
{
    return sync_by("fdatasync", fd);
}
