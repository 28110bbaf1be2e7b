#include "processes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "tree.h"

pid_t
processes_parent(pid_t pid)
{
    struct tree_process process;

    return tree_look_at(pid, &process) ? process.parent : 0;
}

bool
processes_stopped(pid_t pid)
{
    struct tree_process process;

    return tree_look_at(pid, &process) && process.state == 'T';
}

/* The youngest child of ours that runs, or 0. */
static pid_t
find_child(void)
{
    struct tree tree;
    const struct tree_process *found;
    pid_t pid;

    tree_look(&tree);
    found = tree_child(&tree, getpid(), NULL);
    pid = found == NULL ? 0 : found->pid;
    tree_close(&tree);
    return pid;
}

bool
processes_signal_child(pid_t pid, pid_t parent, int signal)
{
    int handle = pid <= 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
    bool sent;

    if (handle < 0)
        return false;
    /* Whoever has the number now is held: is it still the one? */
    sent = processes_parent(pid) == parent &&
           syscall(SYS_pidfd_send_signal, handle, signal, NULL, 0) == 0;
    close(handle);
    return sent;
}

static void
become(const struct processes_start *start)
{
    sigset_t none;

    /* Not inherited by what it forks: holdfast's own rules are for those. */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    for (size_t i = 0; start->assign != NULL && start->assign[i] != NULL; i++) {
        char *assign = (char *)(uintptr_t)start->assign[i];

        if (putenv(assign) != 0)
            _exit(127);
    }
    if (start->output != NULL) {
        int fd =
            open(start->output, O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC, 0600);

        if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
            _exit(127);
    }
    execv(start->argv[0], (char *const *)(uintptr_t)start->argv);
    _exit(127);
}

pid_t
processes_start(const struct processes_start *start)
{
    pid_t pid = fork();

    if (pid == 0)
        become(start);
    HF_CHECK(pid > 0);
    return pid;
}

int
processes_exit_code(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int
processes_wait(pid_t pid)
{
    int status;
    pid_t waited;

    do
        waited = waitpid(pid, &status, 0);
    while (waited < 0 && errno == EINTR);
    HF_CHECK(waited == pid);
    return processes_exit_code(status);
}

int
processes_run(const struct processes_start *start)
{
    return processes_wait(processes_start(start));
}

void
processes_end(void)
{
    pid_t child;

    while ((child = find_child()) != 0) {
        (void)kill(child, SIGKILL); /* ours, and not yet reaped */
        (void)waitpid(child, NULL, 0);
    }
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
}

/* The supervisor: wait for the test's end, for the deadline, or for somebody
 * who wants us to stop. */
static _Noreturn void
supervise(pid_t test, struct hf_duration limit, const sigset_t *signals)
{
    struct hf_instant until = hf_after(hf_now(), limit);
    int code = -1;

    while (code < 0) {
        int64_t left_ms = hf_between(hf_now(), until).ms;
        struct timespec left = {
            .tv_sec = (time_t)(left_ms / 1000),
            .tv_nsec = (long)(left_ms % 1000) * 1000000L,
        };
        int signal = sigtimedwait(signals, NULL, &left);
        int status;
        pid_t ended;

        while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
            if (ended == test)
                code = processes_exit_code(status);
        if (code < 0 && (signal == SIGTERM || signal == SIGINT ||
                         hf_reached(hf_now(), until))) {
            fprintf(stderr, "the test took too long, or was stopped\n");
            code = 1;
        }
    }
    processes_end();
    exit(code);
}

void
processes_begin(struct hf_duration limit)
{
    sigset_t signals;
    sigset_t before;
    pid_t test;

    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    HF_CHECK(sigprocmask(SIG_BLOCK, &signals, &before) == 0);
    HF_CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0);
    setvbuf(stdout, NULL, _IOLBF, 0);
    test = fork();
    HF_CHECK(test >= 0);
    if (test > 0)
        supervise(test, limit, &signals);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    HF_CHECK(sigprocmask(SIG_SETMASK, &before, NULL) == 0);
}
