#include "unit/support/children.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t
fork_child(void)
{
    pid_t parent = getpid();
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
    }
    return child;
}

struct hf_process
start_child(void)
{
    struct hf_process process;
    pid_t child = fork_child();

    if (child == 0) {
        for (;;)
            pause();
    }
    assert_int_equal(hf_process_find(child, &process, NULL), HF_OK);
    assert_true(process.pid == child);
    return process;
}

void
kill_child(struct hf_process process)
{
    siginfo_t info;

    assert_int_equal(kill((pid_t)process.pid, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)process.pid, &info, WEXITED | WNOWAIT),
                     0);
}

void
bury_child(struct hf_process process)
{
    assert_int_equal(waitpid((pid_t)process.pid, NULL, 0), process.pid);
}

enum hf_presence
look_once(const struct hf_process *processes, size_t count)
{
    struct hf_observation observation;
    enum hf_presence presence;

    hf_process_observe(&observation, processes, count);
    presence = hf_process_look(&observation);
    hf_process_forget(&observation);
    return presence;
}
