#include "support/test.h"
#include "unit/support/children.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

/*
 * Where a process runs: what it knows of its host, and what of another
 * namespace it must not take for its own.
 */

#define BOOT  "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
#define OTHER "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f8"

TEST(a_host_knows_its_boot_and_pid_namespace)
{
    struct hf_host host;
    struct stat pid_namespace;
    char name[HF_HOST_MAX + 1];

    hf_process_host(&host);
    assert_int_equal(stat("/proc/self/ns/pid", &pid_namespace), 0);
    assert_int_equal(gethostname(name, sizeof(name)), 0);

    assert_true(hf_process_is_boot_id(host.boot));
    assert_true(host.pidns == pid_namespace.st_ino);
    assert_string_equal(host.name, name);
    assert_true(hf_process_is_here(&host, host.boot, host.pidns));
}

TEST(what_a_host_knows_makes_processes_be_here)
{
    struct hf_process_survey survey;

    hf_process_survey(&survey);
    assert_true(survey.knows_boot);
    assert_true(survey.knows_processes);
    assert_true(survey.knows_starts);
    assert_true(survey.has_pidfds);
}

TEST(here_is_the_same_boot_and_pid_namespace_both_known)
{
    const struct hf_host host = {.name = "a", .boot = BOOT, .pidns = 7};
    const struct hf_host no_boot = {.name = "a", .pidns = 7};
    const struct hf_host no_pidns = {.name = "a", .boot = BOOT};

    assert_true(hf_process_is_here(&host, BOOT, 7));
    assert_false(hf_process_is_here(&host, OTHER, 7));
    assert_false(hf_process_is_here(&host, BOOT, 8));
    assert_false(hf_process_is_here(&host, "", 7));
    assert_false(hf_process_is_here(&no_boot, "", 7));
    assert_false(hf_process_is_here(&no_pidns, BOOT, 0));
}

TEST(a_boot_id_is_a_uuid_in_lower_case)
{
    assert_true(hf_process_is_boot_id(BOOT));
    assert_false(hf_process_is_boot_id(""));
    assert_false(hf_process_is_boot_id("0a1b2c3d"));
    assert_false(hf_process_is_boot_id(BOOT "0"));
    assert_false(hf_process_is_boot_id("0A1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"));
    assert_false(hf_process_is_boot_id("0g1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"));
    assert_false(hf_process_is_boot_id("0a1b2c3d04e5f-6071-8293-a4b5c6d7e8f9"));
    assert_false(hf_process_is_boot_id("0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f"));
}

/* ---- In other namespaces ------------------------------------------------- */

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
    struct hf_process_survey survey;
    struct hf_host host;

    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", "/proc", "tmpfs", 0, NULL) != 0)
        _exit(NOT_ALLOWED);
    hf_process_host(&host);
    EXPECT(host.pidns == 0 && host.boot[0] == '\0' && host.name[0] != '\0');
    hf_process_survey(&survey);
    EXPECT(!survey.knows_boot && !survey.knows_processes);
    EXPECT(!survey.sees_others && survey.has_pidfds);

    hf_process_observe(&observation, &target, 1);
    EXPECT(hf_process_look(&observation) == HF_PRESENCE_UNKNOWN);
    EXPECT(hf_process_poll_fds(&observation, fds) == 1);
    EXPECT(kill((pid_t)target.pid, SIGKILL) == 0);
    EXPECT(poll(fds, 1, -1) == 1);
    EXPECT(hf_process_look(&observation) == HF_PRESENCE_GONE);
    hf_process_forget(&observation);
}

TEST(a_process_that_proc_hides_is_unknown_until_its_end)
{
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
    struct hf_process_survey survey;
    struct hf_host host;

    hf_process_host(&host);
    EXPECT(host.pidns == 0);
    EXPECT(!hf_process_is_here(&host, host.boot, host.pidns));
    hf_process_survey(&survey);
    EXPECT(survey.knows_boot);
    EXPECT(!survey.knows_processes || !survey.knows_starts);
}

static void
host_of_foreign_proc(struct hf_process target)
{
    (void)target;
    in_child(expect_nothing_here);
}

/* /proc/PID/stat there is another process's than the one pidfd_open finds. */
TEST(where_proc_shows_another_namespace_nothing_is_here)
{
    run_apart(CLONE_NEWPID, host_of_foreign_proc);
}

/* Start times there are shifted by the namespace's own offset. */
TEST(where_time_is_a_namespaces_own_nothing_is_here)
{
    run_apart(CLONE_NEWTIME, host_of_foreign_proc);
}
