/* The descendants of this process, where no /proc tells: the functions of
 * base/proc.h stand here in their own place. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/proc.h"
#include "cli/descendants.h"

bool
hf_proc_read(int64_t pid, struct hf_proc *process)
{
    (void)pid;
    (void)process;
    return false;
}

int64_t
hf_proc_self(void)
{
    return 0;
}

bool
hf_proc_is_ours(void)
{
    return false;
}

/* A child that runs until it is killed, or this process ends. */
static pid_t
start_child(int *life)
{
    int ends[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(ends[1]);
        (void)!read(ends[0], &byte, 1);
        _exit(0);
    }
    close(ends[0]);
    *life = ends[1];
    return pid;
}

/* It is what a round of KILL rests by. */
static void
looking_for_children_announces_the_end_of_none(void **state)
{
    struct hf_descendants descendants;
    struct hf_descendants_left left;
    sigset_t signals;
    int life;

    (void)state;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    assert_int_equal(sigprocmask(SIG_BLOCK, &signals, NULL), 0);
    assert_true(hf_descendants_init(&descendants));

    pid_t child = start_child(&life);

    hf_descendants_look(&descendants, &left);
    hf_descendants_signal(&descendants, SIGCONT);
    sigpending(&signals);
    assert_int_equal(sigismember(&signals, SIGCHLD), 0);
    assert_int_equal(left.count, 1);
    assert_int_equal(left.pid, child);

    hf_descendants_signal(&descendants, SIGKILL);
    assert_int_equal(waitpid(-1, NULL, 0), child);
    assert_int_equal(waitpid(-1, NULL, __WALL), -1);
    close(life);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looking_for_children_announces_the_end_of_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
