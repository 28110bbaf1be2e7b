#include "unit/support/asleep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOT_ALLOWED = 77 };

static int
look(int64_t (*now_ms)(void))
{
    struct timespec awake;

    if (clock_gettime(CLOCK_MONOTONIC, &awake) != 0)
        return 1;
    return now_ms() - (int64_t)awake.tv_sec * 1000 >= 1000000 ? 0 : 1;
}

static bool
begin_time_namespace(void)
{
    FILE *offsets;

    if (unshare(CLONE_NEWTIME) != 0 &&
        unshare(CLONE_NEWUSER | CLONE_NEWTIME) != 0)
        return false;
    offsets = fopen("/proc/self/timens_offsets", "w");
    if (offsets == NULL)
        return false;
    fputs("boottime 1000 0\n", offsets);
    return fclose(offsets) == 0;
}

static int
code_of(pid_t child)
{
    int status = -1;

    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

/* The children of who begins it are in it, but not itself. */
void
asleep_is_counted_by(int64_t (*now_ms)(void))
{
    pid_t outside = fork();
    int code;

    if (outside == 0) {
        pid_t inside;

        if (!begin_time_namespace())
            _exit(NOT_ALLOWED);
        inside = fork();
        if (inside == 0)
            _exit(look(now_ms));
        _exit(code_of(inside));
    }
    code = code_of(outside);
    if (code == NOT_ALLOWED) {
        puts("time namespaces are not allowed here");
        skip();
    }
    assert_int_equal(code, 0);
}

void
asleep_is_counted_by_alarm(int timerfd)
{
    char path[40];
    char line[80];
    int clock_id = -1;
    FILE *info;

    snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", timerfd);
    info = fopen(path, "r");
    while (info != NULL && fgets(line, sizeof(line), info) != NULL)
        (void)sscanf(line, "clockid: %d", &clock_id);
    if (info != NULL)
        fclose(info);
    if (clock_id < 0) {
        puts("the kernel does not tell an alarm's clock");
        skip();
    }
    assert_int_equal(clock_id, CLOCK_BOOTTIME);
}
