#include "support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/file_watch.h"

/* A sleep that misses what it is told hangs, and fails by the time limit of
 * the test. */

enum { PATH_SIZE = 256 };

struct folder {
    char path[PATH_SIZE / 2];
    char a[PATH_SIZE];
    char b[PATH_SIZE];
};

static void
make_file(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    close(fd);
}

static int
set_up(void **state)
{
    static struct folder folder;
    const char *base = getenv("TMPDIR");

    snprintf(folder.path, sizeof(folder.path), "%s/holdfast-test-XXXXXX",
             base != NULL ? base : "/tmp");
    assert_non_null(mkdtemp(folder.path));
    snprintf(folder.a, sizeof(folder.a), "%s/a", folder.path);
    snprintf(folder.b, sizeof(folder.b), "%s/b", folder.path);
    make_file(folder.a);
    make_file(folder.b);
    *state = &folder;
    return 0;
}

static int
tear_down(void **state)
{
    const struct folder *folder = *state;

    unlink(folder->a);
    unlink(folder->b);
    return rmdir(folder->path);
}

static void
watch_file(struct hf_file_watch *watch, const char *path)
{
    const char *const paths[] = {path};

    assert_true(hf_file_watch_start(watch, paths, 1));
}

static bool
is_told(struct hf_file_watch *watch)
{
    struct hf_instant begun = hf_now();

    assert_false(hf_file_watch_sleep(
        watch, hf_after(begun, (struct hf_duration){20}), -1));
    return hf_between(begun, hf_now()).ms < 20;
}

static void
expect_told(struct hf_file_watch *watch)
{
    assert_false(hf_file_watch_sleep(watch, HF_NEVER, -1));
    hf_file_watch_forget(watch);
}

static size_t
count_instances(void)
{
    DIR *fds = opendir("/proc/self/fd");
    const struct dirent *entry;
    size_t count = 0;

    assert_non_null(fds);
    for (entry = readdir(fds); entry != NULL; entry = readdir(fds)) {
        char target[PATH_SIZE] = "";

        if (readlinkat(dirfd(fds), entry->d_name, target, sizeof(target) - 1) >
            0)
            count += strstr(target, "inotify") != NULL;
    }
    closedir(fds);
    return count;
}

static int
end_of(pid_t child)
{
    int end = -1;

    assert_int_equal(waitpid(child, &end, 0), child);
    return end;
}

#define FIXTURE_TEST(sentence) TEST_IN(set_up, tear_down, sentence)

FIXTURE_TEST(a_ring_ends_the_sleep_until_it_is_forgotten)
{
    const struct folder *folder = *state;
    struct hf_file_watch watch = {0};

    watch_file(&watch, folder->a);
    hf_file_watch_ring(folder->b);
    assert_false(is_told(&watch));
    hf_file_watch_ring(folder->a);
    assert_false(hf_file_watch_sleep(&watch, HF_NEVER, -1));
    assert_false(hf_file_watch_sleep(&watch, HF_NEVER, -1));
    hf_file_watch_forget(&watch);
    assert_false(is_told(&watch));
    hf_file_watch_stop(&watch);
}

FIXTURE_TEST(another_process_rings)
{
    const struct folder *folder = *state;
    struct hf_file_watch watch = {0};
    pid_t child;

    watch_file(&watch, folder->a);
    child = fork();
    if (child == 0) {
        hf_file_watch_ring(folder->a);
        _exit(0);
    }
    expect_told(&watch);
    assert_int_equal(end_of(child), 0);
    hf_file_watch_stop(&watch);
}

/* It has the file open, and no time to ring. */
FIXTURE_TEST(the_end_of_a_process_rings)
{
    const struct folder *folder = *state;
    struct hf_file_watch watch = {0};
    pid_t child;

    watch_file(&watch, folder->a);
    child = fork();
    if (child == 0) {
        if (open(folder->a, O_RDWR) >= 0)
            raise(SIGKILL);
        _exit(1);
    }
    expect_told(&watch);
    assert_true(WIFSIGNALED(end_of(child)));
    hf_file_watch_stop(&watch);
}

FIXTURE_TEST(the_loss_of_a_name_ends_the_sleep)
{
    const struct folder *folder = *state;
    const char *const paths[] = {folder->a, folder->b};
    struct hf_file_watch watch = {0};
    int fd = open(folder->b, O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_true(hf_file_watch_start(&watch, paths, 2));
    assert_int_equal(unlink(folder->b), 0); /* and somebody has it open */
    expect_told(&watch);
    close(fd);
    assert_int_equal(rename(folder->a, folder->b), 0);
    expect_told(&watch);
    hf_file_watch_stop(&watch);
    assert_false(hf_file_watch_start(&watch, paths, 2));
}

/* ---- Several in one process ---------------------------------------------- */

static void *
sleep_on(void *watch)
{
    expect_told(watch);
    return NULL;
}

/* The other one reads what has come, perhaps before the sleeper does. */
FIXTURE_TEST(what_one_reads_is_passed_on_to_the_other)
{
    const struct folder *folder = *state;
    struct hf_file_watch one = {0};
    struct hf_file_watch other = {0};

    watch_file(&one, folder->a);
    watch_file(&other, folder->b);
    for (int round = 0; round < 200; round++) {
        pthread_t thread;

        assert_int_equal(pthread_create(&thread, NULL, sleep_on, &one), 0);
        hf_file_watch_ring(folder->a);
        hf_file_watch_forget(&other);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    assert_false(is_told(&other));
    hf_file_watch_stop(&one);
    hf_file_watch_stop(&other);
}

FIXTURE_TEST(all_share_one_instance_and_the_last_closes_it)
{
    const struct folder *folder = *state;
    struct hf_file_watch watches[3] = {{0}};

    assert_int_equal(count_instances(), 0);
    watch_file(&watches[0], folder->a);
    watch_file(&watches[1], folder->a);
    watch_file(&watches[2], folder->b);
    assert_int_equal(count_instances(), 1);
    hf_file_watch_stop(&watches[0]);
    hf_file_watch_ring(folder->a); /* which the second still watches */
    expect_told(&watches[1]);
    hf_file_watch_stop(&watches[1]);
    hf_file_watch_stop(&watches[1]);
    hf_file_watch_stop(&watches[2]);
    assert_int_equal(count_instances(), 0);
}

/* Each event differs from the one before, so that the kernel merges none. */
FIXTURE_TEST(who_may_have_missed_something_is_told)
{
    const struct folder *folder = *state;
    char quiet[PATH_SIZE];
    struct hf_file_watch watches[3] = {{0}};
    FILE *limit = fopen("/proc/sys/fs/inotify/max_queued_events", "re");
    char text[32] = "";

    assert_non_null(limit);
    assert_non_null(fgets(text, sizeof(text), limit));
    fclose(limit);
    snprintf(quiet, sizeof(quiet), "%s/quiet", folder->path);
    make_file(quiet);
    watch_file(&watches[0], folder->a);
    watch_file(&watches[1], folder->b);
    watch_file(&watches[2], quiet);
    for (long i = strtol(text, NULL, 10) / 2; i >= 0; i--) {
        hf_file_watch_ring(folder->a);
        hf_file_watch_ring(folder->b);
    }
    expect_told(&watches[2]);
    for (size_t i = 0; i < 3; i++)
        hf_file_watch_stop(&watches[i]);
    unlink(quiet);
}

/* ---- What may fail ------------------------------------------------------- */

FIXTURE_TEST(without_descriptors_nothing_is_started)
{
    const struct folder *folder = *state;
    const char *const paths[] = {folder->a};
    struct hf_file_watch watch = {0};
    struct rlimit before;
    int next = open("/dev/null", O_RDONLY | O_CLOEXEC);

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    close(next);
    for (rlim_t left = 0; left < 2; left++) {
        struct rlimit few = {(rlim_t)next + left, before.rlim_max};

        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        assert_false(hf_file_watch_start(&watch, paths, 1));
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(count_instances(), 0);
    watch_file(&watch, folder->a);
    hf_file_watch_stop(&watch);
}

FIXTURE_TEST(a_file_that_is_not_there_is_not_watched)
{
    const struct folder *folder = *state;
    const char *const paths[] = {folder->a, folder->b};
    struct hf_file_watch watch = {0};

    assert_int_equal(unlink(folder->b), 0);
    assert_false(hf_file_watch_start(&watch, paths, 2));
    assert_int_equal(count_instances(), 0);
}

/* The child has watches of its own, and takes nothing from its parent. */
FIXTURE_TEST(a_child_leaves_its_parents_watch_alone)
{
    const struct folder *folder = *state;
    const char *const paths[] = {folder->a};
    struct hf_file_watch watch = {0};
    pid_t child;

    watch_file(&watch, folder->a);
    hf_file_watch_ring(folder->a);
    child = fork();
    if (child == 0) {
        struct hf_file_watch own = {0};
        bool good =
            count_instances() == 0 && !hf_file_watch_start(&watch, paths, 1);

        hf_file_watch_forget(&watch);
        hf_file_watch_stop(&watch);
        good = good && hf_file_watch_start(&own, paths, 1);
        hf_file_watch_ring(folder->a);
        _exit(good && !hf_file_watch_sleep(&own, HF_NEVER, -1) ? 0 : 1);
    }
    assert_int_equal(end_of(child), 0);
    expect_told(&watch);
    hf_file_watch_stop(&watch);
}
