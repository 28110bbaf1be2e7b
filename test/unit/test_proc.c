#include "support/test.h"
#include "unit/support/children.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/proc.h"

/* What /proc shows of a process, and what of it is true. */

TEST(a_process_has_a_parent_a_start_and_a_name)
{
    struct hf_process child = start_child();
    struct hf_proc shown;

    assert_true(hf_proc_read(child.pid, &shown));
    assert_int_equal(shown.pid, child.pid);
    assert_int_equal(shown.parent, getpid());
    assert_true(shown.start == child.start);
    assert_false(shown.ended);
    kill_child(child);
    bury_child(child);
}

TEST(a_name_may_hold_anything)
{
    char own[16] = "";
    struct hf_proc shown;

    assert_int_equal(prctl(PR_GET_NAME, own), 0);
    assert_int_equal(prctl(PR_SET_NAME, ") Z 1 (\n)"), 0);
    assert_true(hf_proc_read(getpid(), &shown));
    assert_int_equal(prctl(PR_SET_NAME, own), 0);
    assert_string_equal(shown.name, ") Z 1 (\n)");
    assert_int_equal(shown.parent, getppid());
    assert_false(shown.ended);
}

TEST(a_zombie_has_ended)
{
    struct hf_process child = start_child();
    struct hf_proc shown;
    siginfo_t info;

    kill_child(child);
    assert_int_equal(waitid(P_PID, (id_t)child.pid, &info, WEXITED | WNOWAIT),
                     0);
    assert_true(hf_proc_read(child.pid, &shown));
    assert_true(shown.ended);
    bury_child(child);
    assert_false(hf_proc_read(child.pid, &shown));
}

/* The main thread of a child; tells of its end by closing `told`. */
static pthread_t first;
static int told;

static void *
run_on(void *ctx)
{
    (void)ctx;
    (void)pthread_join(first, NULL);
    close(told);
    for (;;)
        pause();
    return NULL;
}

TEST(a_process_runs_on_without_its_first_thread)
{
    int ends[2];
    char end;
    struct hf_proc shown;
    pthread_t other;

    assert_int_equal(pipe(ends), 0);

    pid_t child = fork_child();

    if (child == 0) {
        close(ends[0]);
        told = ends[1];
        first = pthread_self();
        if (pthread_create(&other, NULL, run_on, NULL) == 0)
            pthread_exit(NULL);
        _exit(1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &end, 1), 0);
    close(ends[0]);
    assert_true(hf_proc_read(child, &shown));
    assert_false(shown.ended);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

TEST(where_proc_is_ours_we_have_our_own_number)
{
    assert_int_equal(hf_proc_self(), getpid());
    assert_true(hf_proc_is_ours());
}
