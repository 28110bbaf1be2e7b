#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

/* ---- Children ------------------------------------------------------------ */

/* Ends with this process, also when a test fails half-way. */
static pid_t
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

/* A process that waits for its end. */
static struct hf_process
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

/* Kill it and wait for its end; it stays a zombie. */
static void
kill_child(struct hf_process process)
{
    siginfo_t info;

    assert_int_equal(kill((pid_t)process.pid, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)process.pid, &info, WEXITED | WNOWAIT),
                     0);
}

static void
bury_child(struct hf_process process)
{
    assert_int_equal(waitpid((pid_t)process.pid, NULL, 0), process.pid);
}

static enum hf_presence
look_once(const struct hf_process *processes, size_t count)
{
    struct hf_observation observation;
    enum hf_presence presence;

    hf_process_observe(&observation, processes, count);
    presence = hf_process_look(&observation);
    hf_process_forget(&observation);
    return presence;
}

static int
count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;

    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

/* ---- Where a process runs ------------------------------------------------ */

static void
a_host_knows_its_boot_and_pid_namespace(void **state)
{
    struct hf_host host;
    struct stat pid_namespace;
    char name[HF_HOST_MAX + 1];

    (void)state;
    hf_process_host(&host);
    assert_int_equal(stat("/proc/self/ns/pid", &pid_namespace), 0);
    assert_int_equal(gethostname(name, sizeof(name)), 0);

    assert_true(hf_process_is_boot_id(host.boot));
    assert_true(host.pidns == pid_namespace.st_ino);
    assert_string_equal(host.name, name);
    assert_true(hf_process_is_here(&host, host.boot, host.pidns));
}

#define BOOT  "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
#define OTHER "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f8"

static void
here_is_the_same_boot_and_pid_namespace_both_known(void **state)
{
    const struct hf_host host = {.name = "a", .boot = BOOT, .pidns = 7};
    const struct hf_host no_boot = {.name = "a", .pidns = 7};
    const struct hf_host no_pidns = {.name = "a", .boot = BOOT};

    (void)state;
    assert_true(hf_process_is_here(&host, BOOT, 7));
    assert_false(hf_process_is_here(&host, OTHER, 7));
    assert_false(hf_process_is_here(&host, BOOT, 8));
    assert_false(hf_process_is_here(&host, "", 7));
    assert_false(hf_process_is_here(&no_boot, "", 7));
    assert_false(hf_process_is_here(&no_pidns, BOOT, 0));
}

static void
a_boot_id_is_a_uuid_in_lower_case(void **state)
{
    (void)state;
    assert_true(hf_process_is_boot_id(BOOT));
    assert_false(hf_process_is_boot_id(""));
    assert_false(hf_process_is_boot_id("0a1b2c3d"));
    assert_false(hf_process_is_boot_id(BOOT "0"));
    assert_false(hf_process_is_boot_id("0A1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"));
    assert_false(hf_process_is_boot_id("0g1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"));
    assert_false(hf_process_is_boot_id("0a1b2c3d04e5f-6071-8293-a4b5c6d7e8f9"));
    assert_false(hf_process_is_boot_id("0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f"));
}

/* ---- One process --------------------------------------------------------- */

static void
a_start_time_is_found_whatever_the_process_is_called(void **state)
{
    static const char *const names[] = {"plain", "a b", ") R 1 (", "((\n)))",
                                        ") 1 2 3 4 5 6 "};
    struct hf_process before;

    (void)state;
    assert_int_equal(hf_process_find(getpid(), &before, NULL), HF_OK);
    assert_true(before.start > 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct hf_process renamed = {0};

        assert_int_equal(prctl(PR_SET_NAME, names[i]), 0);
        assert_int_equal(hf_process_find(getpid(), &renamed, NULL), HF_OK);
        assert_true(renamed.start == before.start);
    }
}

static void
a_process_that_is_not_there_is_not_found(void **state)
{
    struct hf_process child = start_child();
    struct hf_process found = {-7, 7};
    struct hf_error error;
    const int64_t none[] = {0, -1, INT64_MIN, INT64_MAX, child.pid};

    (void)state;
    kill_child(child);
    bury_child(child);
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        assert_int_equal(hf_process_find(none[i], &found, &error),
                         HF_E_UNAVAILABLE);
        assert_non_null(strstr(error.text, "process "));
        assert_true(found.pid == -7 && found.start == 7);
    }
}

static void
a_running_process_is_there_also_when_it_is_stopped(void **state)
{
    struct hf_process child = start_child();

    (void)state;
    assert_int_equal(look_once(&child, 1), HF_PRESENCE_THERE);
    assert_int_equal(kill((pid_t)child.pid, SIGSTOP), 0);
    assert_int_equal(waitpid((pid_t)child.pid, NULL, WUNTRACED), child.pid);
    assert_int_equal(look_once(&child, 1), HF_PRESENCE_THERE);
    kill_child(child);
    bury_child(child);
}

static void
a_zombie_is_gone_and_so_is_a_buried_process(void **state)
{
    struct hf_process child = start_child();

    (void)state;
    kill_child(child);
    assert_int_equal(look_once(&child, 1), HF_PRESENCE_GONE);
    bury_child(child);
    assert_int_equal(look_once(&child, 1), HF_PRESENCE_GONE);
}

static void
a_number_that_another_process_has_now_is_gone(void **state)
{
    struct hf_process other;

    (void)state;
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
static void
a_leader_whose_process_group_lives_on_is_gone(void **state)
{
    struct hf_process leader = {0};
    pid_t child;
    pid_t member;
    int life[2];
    int report[2];

    (void)state;
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
static void
a_process_is_there_as_long_as_one_thread_of_it_runs(void **state)
{
    struct hf_process process;
    pid_t child = fork_child();
    pthread_t thread;

    (void)state;
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
static void
a_number_that_a_thread_has_now_is_judged_by_its_start(void **state)
{
    struct threads threads = {0};
    struct hf_process process = {0, 1};
    pthread_t thread;

    (void)state;
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

/* ---- Several ------------------------------------------------------------- */

static void
no_process_and_too_many_are_no_evidence(void **state)
{
    struct hf_process child = start_child();
    struct hf_process many[HF_PROCESSES_MAX + 1];
    struct hf_observation empty = {0};

    (void)state;
    kill_child(child);
    bury_child(child);
    for (size_t i = 0; i < HF_PROCESSES_MAX + 1; i++)
        many[i] = child;

    assert_int_equal(look_once(NULL, 0), HF_PRESENCE_UNKNOWN);
    assert_int_equal(look_once(many, HF_PROCESSES_MAX), HF_PRESENCE_GONE);
    assert_int_equal(look_once(many, HF_PROCESSES_MAX + 1),
                     HF_PRESENCE_UNKNOWN);
    assert_int_equal(hf_process_look(&empty), HF_PRESENCE_UNKNOWN);
    hf_process_forget(&empty);
}

/* Their numbers mean something else to kill(2), or their start is unknown. */
static void
a_process_that_cannot_be_one_is_no_evidence(void **state)
{
    struct hf_process child = start_child();
    struct hf_process cases[] = {
        {0, 1},         {-1, 1},        {INT64_MIN, 1},
        {INT64_MAX, 1}, {INT32_MAX, 0}, {(int64_t)INT32_MAX + 1, 1},
    };

    (void)state;
    kill_child(child);
    bury_child(child);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hf_process both[] = {child, cases[i]};

        assert_int_equal(look_once(&cases[i], 1), HF_PRESENCE_UNKNOWN);
        assert_int_equal(look_once(both, 2), HF_PRESENCE_UNKNOWN);
    }
}

static void
a_waiter_wakes_at_each_end_and_all_must_end(void **state)
{
    struct hf_process children[] = {start_child(), start_child()};
    struct pollfd fds[HF_PROCESSES_MAX];
    struct hf_observation observation;
    int descriptors = count_descriptors();

    (void)state;
    hf_process_observe(&observation, children, 2);
    assert_int_equal(hf_process_poll_fds(&observation, fds), 2);
    assert_int_equal(poll(fds, 2, 0), 0);
    assert_true((fcntl(fds[0].fd, F_GETFD) & FD_CLOEXEC) != 0);
    assert_int_equal(hf_process_look(&observation), HF_PRESENCE_THERE);

    kill_child(children[0]);
    assert_int_equal(poll(fds, 2, -1), 1);
    assert_int_equal(hf_process_look(&observation), HF_PRESENCE_THERE);
    assert_int_equal(hf_process_poll_fds(&observation, fds), 1);
    assert_int_equal(poll(fds, 1, 0), 0);

    kill_child(children[1]);
    assert_int_equal(poll(fds, 1, -1), 1);
    assert_int_equal(hf_process_look(&observation), HF_PRESENCE_GONE);
    assert_int_equal(hf_process_poll_fds(&observation, fds), 0);
    assert_int_equal(hf_process_look(&observation), HF_PRESENCE_GONE);

    hf_process_forget(&observation);
    assert_int_equal(count_descriptors(), descriptors);
    bury_child(children[0]);
    bury_child(children[1]);
}

static void
an_observation_that_is_forgotten_keeps_no_descriptor(void **state)
{
    struct hf_process children[] = {start_child(), start_child()};
    int descriptors = count_descriptors();
    struct hf_observation observation;

    (void)state;
    hf_process_observe(&observation, children, 2);
    assert_int_equal(count_descriptors(), descriptors + 2);
    hf_process_forget(&observation);
    hf_process_forget(&observation);
    assert_int_equal(count_descriptors(), descriptors);
    assert_int_equal(hf_process_look(&observation), HF_PRESENCE_UNKNOWN);
    for (size_t i = 0; i < 2; i++) {
        kill_child(children[i]);
        bury_child(children[i]);
    }
}

/* ---- What cannot be read ------------------------------------------------- */

static void
without_descriptors_only_a_free_number_is_proof(void **state)
{
    struct hf_process child = start_child();
    struct hf_observation observation;
    struct rlimit usual;
    struct rlimit none;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
    none = (struct rlimit){0, usual.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    hf_process_observe(&observation, &child, 1);
    assert_int_equal(hf_process_look(&observation), HF_PRESENCE_UNKNOWN);

    assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
    assert_int_equal(hf_process_look(&observation), HF_PRESENCE_THERE);
    hf_process_forget(&observation);

    kill_child(child);
    bury_child(child);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(look_once(&child, 1), HF_PRESENCE_GONE);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
}

enum { NOT_ALLOWED = 77 }; /* exit code: this user may not do that */

/*
 * Run `body` in a child in namespaces of its own and expect it to exit with 0.
 * Skipped, visibly, where this user may not make any.
 */
static void
run_apart(int namespaces, void (*body)(struct hf_process))
{
    struct hf_process target = start_child();
    pid_t child = fork_child();
    int status;

    if (child == 0) {
        if (unshare(namespaces) != 0 &&
            unshare(namespaces | CLONE_NEWUSER) != 0)
            _exit(NOT_ALLOWED);
        body(target);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    kill_child(target);
    bury_child(target);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NOT_ALLOWED)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* In a child there is no cmocka to fail. */
#define EXPECT(condition)                                                      \
    do {                                                                       \
        if (!(condition))                                                      \
            _exit(1);                                                          \
    } while (0)

static void
look_without_proc(struct hf_process target)
{
    struct pollfd fds[HF_PROCESSES_MAX];
    struct hf_observation observation;
    struct hf_host host;

    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", "/proc", "tmpfs", 0, NULL) != 0)
        _exit(NOT_ALLOWED);
    hf_process_host(&host);
    EXPECT(host.pidns == 0 && host.boot[0] == '\0' && host.name[0] != '\0');

    hf_process_observe(&observation, &target, 1);
    EXPECT(hf_process_look(&observation) == HF_PRESENCE_UNKNOWN);
    EXPECT(hf_process_poll_fds(&observation, fds) == 1);
    EXPECT(kill((pid_t)target.pid, SIGKILL) == 0);
    EXPECT(poll(fds, 1, -1) == 1);
    EXPECT(hf_process_look(&observation) == HF_PRESENCE_GONE);
    hf_process_forget(&observation);
}

static void
a_process_that_proc_hides_is_unknown_until_its_end(void **state)
{
    (void)state;
    run_apart(CLONE_NEWNS, look_without_proc);
}

/* Exit as the one child of a child did, which is in the new namespaces. */
static void
in_child(void (*body)(void))
{
    pid_t child = fork();
    int status;

    EXPECT(child >= 0);
    if (child == 0) {
        body();
        _exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void
expect_nothing_here(void)
{
    struct hf_host host;

    hf_process_host(&host);
    EXPECT(host.pidns == 0);
    EXPECT(!hf_process_is_here(&host, host.boot, host.pidns));
}

static void
host_of_foreign_proc(struct hf_process target)
{
    (void)target;
    in_child(expect_nothing_here);
}

/* /proc/PID/stat there is another process's than the one pidfd_open finds. */
static void
where_proc_shows_another_namespace_nothing_is_here(void **state)
{
    (void)state;
    run_apart(CLONE_NEWPID, host_of_foreign_proc);
}

/* Start times there are shifted by the namespace's own offset. */
static void
where_time_is_a_namespaces_own_nothing_is_here(void **state)
{
    (void)state;
    run_apart(CLONE_NEWTIME, host_of_foreign_proc);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_knows_its_boot_and_pid_namespace),
        cmocka_unit_test(here_is_the_same_boot_and_pid_namespace_both_known),
        cmocka_unit_test(a_boot_id_is_a_uuid_in_lower_case),
        cmocka_unit_test(a_start_time_is_found_whatever_the_process_is_called),
        cmocka_unit_test(a_process_that_is_not_there_is_not_found),
        cmocka_unit_test(a_running_process_is_there_also_when_it_is_stopped),
        cmocka_unit_test(a_zombie_is_gone_and_so_is_a_buried_process),
        cmocka_unit_test(a_number_that_another_process_has_now_is_gone),
        cmocka_unit_test(a_leader_whose_process_group_lives_on_is_gone),
        cmocka_unit_test(a_process_is_there_as_long_as_one_thread_of_it_runs),
        cmocka_unit_test(a_number_that_a_thread_has_now_is_judged_by_its_start),
        cmocka_unit_test(no_process_and_too_many_are_no_evidence),
        cmocka_unit_test(a_process_that_cannot_be_one_is_no_evidence),
        cmocka_unit_test(a_waiter_wakes_at_each_end_and_all_must_end),
        cmocka_unit_test(an_observation_that_is_forgotten_keeps_no_descriptor),
        cmocka_unit_test(without_descriptors_only_a_free_number_is_proof),
        cmocka_unit_test(a_process_that_proc_hides_is_unknown_until_its_end),
        cmocka_unit_test(where_proc_shows_another_namespace_nothing_is_here),
        cmocka_unit_test(where_time_is_a_namespaces_own_nothing_is_here),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
