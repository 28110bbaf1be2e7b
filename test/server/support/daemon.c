#include "server/support/daemon.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void
run(int ready_fd, const char *option, const char *value)
{
    char ready[16];

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    snprintf(ready, sizeof(ready), "%d", ready_fd);
    execl(HOLDFASTD, HOLDFASTD, "--at", "memory:x", "--no-grace", "--listen",
          "127.0.0.1:0", "--ready-fd", ready, option, value, (char *)NULL);
    _exit(127);
}

void
daemon_start(struct daemon *daemon, const char *option, const char *value)
{
    int ends[2];
    int port;
    FILE *ready;

    assert_int_equal(pipe(ends), 0);
    daemon->pid = fork();
    assert_true(daemon->pid >= 0);
    if (daemon->pid == 0)
        run(ends[1], option, value);
    close(ends[1]);
    ready = fdopen(ends[0], "r");
    assert_non_null(ready);
    assert_int_equal(fscanf(ready, "%d", &port), 1);
    (void)fclose(ready);
    snprintf(daemon->place, sizeof(daemon->place), "http://127.0.0.1:%d", port);
}

void
daemon_kill(struct daemon *daemon)
{
    assert_int_equal(kill(daemon->pid, SIGKILL), 0);
    assert_int_equal(waitpid(daemon->pid, NULL, 0), daemon->pid);
}
