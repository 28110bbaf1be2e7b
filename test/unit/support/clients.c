#include "unit/support/clients.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void
make_place(struct file_place *place)
{
    snprintf(place->folder, sizeof(place->folder), "/tmp/holdfast-test-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    snprintf(place->url, sizeof(place->url), "sqlite:%s/locks.db",
             place->folder);
}

void
remove_place(const struct file_place *place)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char path[80];

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        snprintf(path, sizeof(path), "%s/locks.db%s", place->folder, ends[i]);
        unlink(path);
    }
    rmdir(place->folder);
}

/* ---- Other processes ----------------------------------------------------- */

/* In a child there is no cmocka to fail: what goes wrong aborts it. */
pid_t
hold_and_die(const char *place, const char *name, ...)
{
    siginfo_t info;
    pid_t child = fork();
    va_list options;

    assert_true(child >= 0);
    va_start(options, name);
    if (child == 0) {
        (void)hold_with(open_client(place), name, options);
        _exit(0);
    }
    va_end(options);
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(info.si_code, CLD_EXITED);
    return child;
}

pid_t
hold_until_killed(const char *place, const char *name, ...)
{
    va_list options;
    char byte;
    int ends[2];
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    va_start(options, name);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)hold_with(open_client(place), name, options);
        if (write(ends[1], "!", 1) == 1)
            (void)pause();
        _exit(1);
    }
    va_end(options);
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    return child;
}

void
kill_holder(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}
