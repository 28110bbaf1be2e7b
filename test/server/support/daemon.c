#include "server/support/daemon.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void
run(const char *folder, int ready_fd, const char *option, const char *value)
{
    char ready[16];
    char at[128];

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    snprintf(ready, sizeof(ready), "%d", ready_fd);
    snprintf(at, sizeof(at), "sqlite:%s/served.db", folder);
    execl(HOLDFASTD, HOLDFASTD, "--at", at, "--listen", "127.0.0.1:0",
          "--ready-fd", ready, option, value, (char *)NULL);
    _exit(127);
}

void
daemon_start(struct daemon *daemon, const char *option, const char *value)
{
    int ends[2];
    int port;
    FILE *ready;

    snprintf(daemon->folder, sizeof(daemon->folder),
             "/tmp/holdfast-daemon-XXXXXX");
    assert_non_null(mkdtemp(daemon->folder));
    assert_int_equal(pipe(ends), 0);
    daemon->pid = fork();
    assert_true(daemon->pid >= 0);
    if (daemon->pid == 0)
        run(daemon->folder, ends[1], option, value);
    close(ends[1]);
    ready = fdopen(ends[0], "r");
    assert_non_null(ready);
    assert_int_equal(fscanf(ready, "%d", &port), 1);
    (void)fclose(ready);
    snprintf(daemon->place, sizeof(daemon->place), "http://127.0.0.1:%d", port);
}

static void
remove_folder(const char *folder)
{
    static const char *const files[] = {"served.db", "served.db-wal",
                                        "served.db-shm", ".served.db.served"};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char path[128];

        snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

void
daemon_kill(struct daemon *daemon)
{
    assert_int_equal(kill(daemon->pid, SIGKILL), 0);
    assert_int_equal(waitpid(daemon->pid, NULL, 0), daemon->pid);
    remove_folder(daemon->folder);
}
