#include "space.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"

/* Numbers are given on from ours, so that a number of one namespace is soon
 * another process's in the other one. */
static void
number_from(pid_t pid)
{
    char text[16];
    int len = snprintf(text, sizeof(text), "%d", (int)pid);
    int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);

    (void)!write(fd, text, (size_t)len);
    close(fd);
}

/* The first process of the namespace; orphans come to it. */
static _Noreturn void
be_init(pid_t test)
{
    struct sigaction reap = {.sa_handler = SIG_IGN};

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    (void)sigaction(SIGCHLD, &reap, NULL);
    number_from(test);
    for (;;)
        (void)pause();
}

bool
space_open(struct space *space, bool with_inner)
{
    char path[40];

    *space = (struct space){.inner = -1};
    space->home = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
    HF_CHECK(space->home >= 0);
    if (!with_inner)
        return true;
    if (unshare(CLONE_NEWPID) != 0)
        return false;

    pid_t test = getpid();

    space->init = fork();
    HF_CHECK(space->init >= 0);
    if (space->init == 0)
        be_init(test);
    snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)space->init);
    space->inner = open(path, O_RDONLY | O_CLOEXEC);
    HF_CHECK(space->inner >= 0);
    space_choose(space, false);
    return true;
}

void
space_close(struct space *space)
{
    if (space->inner >= 0) {
        (void)kill(space->init, SIGKILL); /* and with it all that is there */
        (void)waitpid(space->init, NULL, 0);
        close(space->inner);
    }
    close(space->home);
}

void
space_choose(const struct space *space, bool inner)
{
    HF_CHECK(setns(inner ? space->inner : space->home, CLONE_NEWPID) == 0);
}
