#include "support/test.h"
#include "unit/support/children.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * One process: what is proved of it, whatever has become of its number.
 */

TEST(a_start_time_is_found_whatever_the_process_is_called)
{
    static const char *const names[] = {"plain", "a b", ") R 1 (", "((\n)))",
                                        ") 1 2 3 4 5 6 "};
    struct hf_process before;

    assert_int_equal(hf_process_find(getpid(), &before, NULL), HF_OK);
    assert_true(before.start > 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct hf_process renamed = {0};

        assert_int_equal(prctl(PR_SET_NAME, names[i]), 0);
        assert_int_equal(hf_process_find(getpid(), &renamed, NULL), HF_OK);
        assert_true(renamed.start == before.start);
    }
}

TEST(a_process_that_is_not_there_is_not_found)
{
    struct hf_process child = start_child();
    struct hf_process found = {-7, 7};
    struct hf_error error;
    const int64_t none[] = {0, -1, INT64_MIN, INT64_MAX, child.pid};

    kill_child(child);
    bury_child(child);
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        assert_int_equal(hf_process_find(none[i], &found, &error),
                         HF_E_UNAVAILABLE);
        assert_non_null(strstr(error.text, "process "));
        assert_true(found.pid == -7 && found.start == 7);
    }
}

TEST(a_running_process_is_there_also_when_it_is_stopped)
{
    struct hf_process child = start_child();

    assert_int_equal(look_once(&child, 1), HF_PRESENCE_THERE);
    assert_int_equal(kill((pid_t)child.pid, SIGSTOP), 0);
    assert_int_equal(waitpid((pid_t)child.pid, NULL, WUNTRACED), child.pid);
    assert_int_equal(look_once(&child, 1), HF_PRESENCE_THERE);
    kill_child(child);
    bury_child(child);
}

TEST(a_zombie_is_gone_and_so_is_a_buried_process)
{
    struct hf_process child = start_child();

    kill_child(child);
    assert_int_equal(look_once(&child, 1), HF_PRESENCE_GONE);
    bury_child(child);
    assert_int_equal(look_once(&child, 1), HF_PRESENCE_GONE);
}

TEST(a_number_that_another_process_has_now_is_gone)
{
    struct hf_process other;

    assert_int_equal(hf_process_find(getpid(), &other, NULL), HF_OK);
    other.start++;
    assert_int_equal(look_once(&other, 1), HF_PRESENCE_GONE);
}

/* The leader of a process group, and a member that outlives it, up to the end
 * of this test: `life` is a pipe that only this process can write to. */
static void
lead_group(const int life[2], int report)
{
    pid_t member;

    setpgid(0, 0);
    member = fork();
    if (member == 0) {
        char byte;

        member = getpid();
        close(life[1]);
        if (write(report, &member, sizeof(member)) == sizeof(member))
            (void)!read(life[0], &byte, 1);
        _exit(0);
    }
    for (;;)
        pause();
}

/* Its number stays in use: kernels differ in how they refuse a pidfd of it. */
TEST(a_leader_whose_process_group_lives_on_is_gone)
{
    struct hf_process leader = {0};
    pid_t child;
    pid_t member;
    int life[2];
    int report[2];

    assert_int_equal(pipe2(life, O_CLOEXEC), 0);
    assert_int_equal(pipe2(report, O_CLOEXEC), 0);
    child = fork_child();
    if (child == 0)
        lead_group(life, report[1]);
    assert_int_equal(read(report[0], &member, sizeof(member)), sizeof(member));
    assert_int_equal(hf_process_find(child, &leader, NULL), HF_OK);
    kill_child(leader);
    bury_child(leader);

    assert_int_equal(kill(-child, 0), 0);
    assert_int_equal(look_once(&leader, 1), HF_PRESENCE_GONE);
    for (size_t i = 0; i < 2; i++) {
        close(life[i]);
        close(report[i]);
    }
}

static char
state_of(pid_t pid)
{
    char path[64];
    char line[512] = "";
    char *end;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof(line), file));
    fclose(file);
    end = strrchr(line, ')');
    assert_non_null(end);
    return end[2];
}

static void *
wait_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

/* Its first thread is a zombie, and /proc calls the process one. */
TEST(a_process_is_there_as_long_as_one_thread_of_it_runs)
{
    struct hf_process process;
    pid_t child = fork_child();
    pthread_t thread;

    if (child == 0) {
        if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
            _exit(1);
        syscall(SYS_exit, 0);
    }
    assert_int_equal(hf_process_find(child, &process, NULL), HF_OK);
    while (state_of(child) != 'Z')
        sched_yield();
    assert_int_equal(look_once(&process, 1), HF_PRESENCE_THERE);

    assert_int_equal(kill(child, SIGKILL), 0);
    bury_child(process);
    assert_int_equal(look_once(&process, 1), HF_PRESENCE_GONE);
}

struct threads {
    pthread_barrier_t begun;
    pthread_barrier_t ended;
    pid_t tid;
};

static void *
tell_tid(void *argument)
{
    struct threads *threads = argument;

    threads->tid = (pid_t)syscall(SYS_gettid);
    pthread_barrier_wait(&threads->begun);
    pthread_barrier_wait(&threads->ended);
    return NULL;
}

/* A thread of another process has the number: no pidfd, but a start time. */
TEST(a_number_that_a_thread_has_now_is_judged_by_its_start)
{
    struct threads threads = {0};
    struct hf_process process = {0, 1};
    pthread_t thread;

    pthread_barrier_init(&threads.begun, NULL, 2);
    pthread_barrier_init(&threads.ended, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, tell_tid, &threads), 0);
    pthread_barrier_wait(&threads.begun);

    process.pid = threads.tid;
    assert_int_equal(look_once(&process, 1), HF_PRESENCE_GONE);
    assert_int_equal(hf_process_find(threads.tid, &process, NULL), HF_OK);
    assert_int_equal(look_once(&process, 1), HF_PRESENCE_UNKNOWN);

    pthread_barrier_wait(&threads.ended);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&threads.begun);
    pthread_barrier_destroy(&threads.ended);
}
