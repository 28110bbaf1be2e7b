#include "support/files.h"
#include "support/test.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * What wakes a wait on a SQLite file, and how often it looks.  A wait that is
 * not woken looks every five seconds: where one must be woken, it has four.
 */

enum { WOKEN_WITHIN_MS = 4000 };

static struct hf_store_watch
watch_of(struct hf_store *store, const char *name)
{
    struct hf_record record;

    assert_int_equal(
        get_one(store, suite_key(name), suite_soon(), &record, NULL), HF_OK);
    return (struct hf_store_watch){.key = suite_key(name),
                                   .version = record.version};
}

static void
expect_woken(struct hf_store *store, struct hf_store_watch *watch)
{
    struct hf_instant begun = hf_now();

    while (!watch->changed)
        hf_store_wait(store, watch, 1, HF_NEVER, -1);
    assert_in_range(hf_between(begun, hf_now()).ms, 0, WOKEN_WITHIN_MS);
}

/* ---- Another process that commits ---------------------------------------- */

/* In memory that both share. */
struct order {
    _Atomic unsigned commits; /* so far */
    _Atomic bool ends;
};

struct committer {
    const struct files *files;
    const char *name;
    struct order *order;
    pid_t pid;
};

static void
put(struct hf_store *store, const char *name)
{
    struct hf_store_watch now = watch_of(store, name);

    suite_apply(store, suite_put(now.key, now.version, "x"));
}

/* As fast as it can, until it is told to end. */
static bool
commit_on(void *ctx)
{
    const struct committer *committer = ctx;
    struct hf_store *store = files_open(committer->files);

    while (!committer->order->ends) {
        put(store, committer->name);
        committer->order->commits++;
    }
    hf_store_close(store);
    return true;
}

static bool
commit_once(void *ctx)
{
    const struct committer *committer = ctx;
    struct hf_store *store = files_open(committer->files);

    put(store, committer->name);
    hf_store_close(store);
    return true;
}

/* Before this process has a place open: a child of one that has may not. */
static struct committer
start_committer(const struct files *files, const char *name)
{
    struct committer committer = {.files = files, .name = name};
    void *shared = mmap(NULL, sizeof(*committer.order), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(shared != MAP_FAILED);
    committer.order = shared;
    committer.pid = suite_start(commit_on, &committer);
    while (committer.order->commits == 0) {
        assert_int_equal(waitpid(committer.pid, NULL, WNOHANG), 0);
        usleep(1000);
    }
    return committer;
}

static void
end_committer(struct committer *committer)
{
    committer->order->ends = true;
    assert_int_equal(suite_end_of(committer->pid), 0);
    munmap(committer->order, sizeof(*committer->order));
}

/* ---- How often it looks -------------------------------------------------- */

enum { LENGTH_MS = 1500, LOOKS_MAX = 10 + LENGTH_MS / 100 };

/* In a thread: wait for nothing, in one call, for so long. */
static void *
wait_for_nothing(void *ctx)
{
    struct hf_store *store = ctx;
    struct hf_store_watch watch = watch_of(store, "quiet");
    struct hf_instant until =
        hf_after(hf_now(), (struct hf_duration){LENGTH_MS});

    hf_store_wait(store, &watch, 1, until, -1);
    assert_false(watch.changed);
    return store;
}

/* Beside the first of each call. */
static uint64_t
count_looks(struct hf_store *const *stores, size_t count)
{
    pthread_t threads[4];
    uint64_t looks = 0;

    suite_threads_begin();
    for (size_t i = 0; i < count; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, wait_for_nothing, stores[i]), 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        looks += hf_store_looks(stores[i]) - 1;
    }
    suite_threads_end();
    return looks;
}

#define FIXTURE_TEST(sentence) TEST_IN(files_set_up, files_tear_down, sentence)

FIXTURE_TEST(commits_on_other_names_are_looked_at_now_and_then)
{
    struct committer other = start_committer(*state, "loud");
    struct hf_store *store = files_open(*state);
    unsigned before = other.order->commits;
    uint64_t looks = count_looks(&store, 1);

    print_message("%u commits, %u looks\n", other.order->commits - before,
                  (unsigned)looks);
    assert_true(other.order->commits - before > LOOKS_MAX);
    assert_in_range(looks, 1, LOOKS_MAX + 1);
    hf_store_close(store);
    end_committer(&other);
}

FIXTURE_TEST(all_stores_of_a_process_look_no_more_often_than_one)
{
    struct committer other = start_committer(*state, "loud");
    struct hf_store *stores[4];
    uint64_t looks;

    for (size_t i = 0; i < 4; i++)
        stores[i] = files_open(*state);
    looks = count_looks(stores, 4);
    print_message("%u looks\n", (unsigned)looks);
    assert_in_range(looks, 1, LOOKS_MAX + 1);
    for (size_t i = 0; i < 4; i++)
        hf_store_close(stores[i]);
    end_committer(&other);
}

FIXTURE_TEST(where_nothing_happens_it_looks_once)
{
    struct hf_store *store = files_open(*state);

    assert_int_equal(count_looks(&store, 1), 0);
    hf_store_close(store);
}

/* Its commit is among the others' as they come. */
FIXTURE_TEST(a_commit_among_many_others_is_seen)
{
    struct committer other = start_committer(*state, "loud");
    struct hf_store *store = files_open(*state);
    struct hf_store *writer = files_open(*state);
    struct hf_store_watch watch = watch_of(store, "quiet");

    (void)count_looks(&store, 1); /* and has no leave to look left */
    put(writer, "quiet");
    expect_woken(store, &watch);
    hf_store_close(writer);
    hf_store_close(store);
    end_committer(&other);
}

/* ---- Without inotify ----------------------------------------------------- */

/* No descriptor is left: neither for an instance nor for an eventfd. */
static void
deny_descriptors(struct rlimit *before)
{
    struct rlimit none;
    int next = dup(STDERR_FILENO);

    assert_true(next >= 0);
    assert_int_equal(close(next), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, before), 0);
    none = (struct rlimit){(rlim_t)next, before->rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
}

FIXTURE_TEST(without_inotify_a_wait_looks_of_itself)
{
    struct committer other = start_committer(*state, "loud");
    struct hf_store *store = files_open(*state);
    struct hf_store_watch watch = watch_of(store, "loud");
    struct rlimit before;
    uint64_t looks;

    deny_descriptors(&before);
    assert_false(hf_store_is_woken(store, suite_soon()));
    expect_woken(store, &watch);
    looks = hf_store_looks(store);
    looks = count_looks(&store, 1) - looks;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    print_message("%u looks\n", (unsigned)looks);
    assert_in_range(looks, 1, LENGTH_MS / 50 + 1);

    assert_true(
        hf_store_is_woken(store, suite_soon())); /* it is not lost for ever */
    hf_store_close(store);
    end_committer(&other);
}

/* ---- Files that come and go ---------------------------------------------- */

/* A thread that does something to a place while its store waits. */
struct meddler {
    const struct files *files;
    char path[SUITE_PLACE_SIZE];
    struct hf_store *store;
    uint64_t looks; /* of the store, before it waits */
};

/* When the wait has begun: its store has looked. */
static void
await_look(const struct meddler *meddler)
{
    while (hf_store_looks(meddler->store) == meddler->looks)
        usleep(1000);
}

static void *
remove_later(void *ctx)
{
    const struct meddler *meddler = ctx;

    await_look(meddler);
    assert_int_equal(unlink(meddler->path), 0);
    return NULL;
}

FIXTURE_TEST(a_wait_is_woken_when_a_file_is_removed)
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    struct files *files = *state;

    for (size_t i = 0; i < 3; i++) {
        struct hf_store *store = files_open(files);
        struct hf_store_watch watch = watch_of(store, "a");
        struct meddler meddler = {.files = files, .store = store};
        struct hf_instant begun = hf_now();
        pthread_t thread;

        snprintf(meddler.path, sizeof(meddler.path), "%.400s%s", files->path,
                 suffixes[i]);
        pthread_create(&thread, NULL, remove_later, &meddler);
        while (hf_store_generation(store) == 0)
            hf_store_wait(store, &watch, 1, HF_NEVER, -1);
        assert_in_range(hf_between(begun, hf_now()).ms, 0, WOKEN_WITHIN_MS);
        pthread_join(thread, NULL);
        hf_store_close(store);
    }
}

static void *
put_later(void *ctx)
{
    const struct meddler *meddler = ctx;
    struct hf_store *writer = files_open(meddler->files);

    await_look(meddler);
    put(writer, "a");
    hf_store_close(writer);
    return NULL;
}

/* The log that was made anew is another file. */
FIXTURE_TEST(after_a_log_was_removed_the_new_one_wakes)
{
    struct files *files = *state;
    struct hf_store *store = files_open(files);
    struct hf_store_watch watch = watch_of(store, "a");
    struct meddler meddler = {.files = files, .store = store};
    struct hf_record record;
    pthread_t thread;

    hf_store_wait(store, &watch, 1, hf_now(), -1);
    snprintf(meddler.path, sizeof(meddler.path), "%.400s-wal", files->path);
    assert_int_equal(unlink(meddler.path), 0);
    assert_int_equal(get_one(store, watch.key, suite_soon(), &record, NULL),
                     HF_E_UNAVAILABLE);
    watch = watch_of(store, "a");
    assert_int_equal(hf_store_generation(store), 1);

    meddler.looks = hf_store_looks(store);
    suite_threads_begin();
    pthread_create(&thread, NULL, put_later, &meddler);
    expect_woken(store, &watch);
    pthread_join(thread, NULL);
    suite_threads_end();
    hf_store_close(store);
}

/* ---- What stood ---------------------------------------------------------- */

/* What a wait left of a key that stood spares the next one the look at it, and
 * no longer than nobody else has committed. */
FIXTURE_TEST(what_stood_is_looked_at_again_once_others_have_committed)
{
    struct hf_store *store = files_open(*state);
    struct hf_store *other = files_open(*state);
    struct hf_store_watch watch = watch_of(store, "a");
    uint64_t stood;

    hf_store_wait(store, &watch, 1, hf_now(), -1);
    stood = watch.stood;
    assert_true(stood != 0);
    put(store, "b");
    hf_store_wait(store, &watch, 1, hf_now(), -1);
    assert_true(watch.stood == stood); /* our own commit is no reason to look */

    put(other, "b");
    hf_store_wait(store, &watch, 1, hf_now(), -1);
    assert_false(watch.changed);
    assert_true(watch.stood != stood);
    put(other, "a");
    expect_woken(store, &watch);
    assert_true(watch.stood == 0);
    hf_store_close(other);
    hf_store_close(store);
}

/* What one opening of the database left says nothing to the next. */
FIXTURE_TEST(what_stood_in_a_log_that_was_removed_is_looked_at_again)
{
    struct files *files = *state;
    struct hf_store *store = files_open(files);
    struct hf_store_watch watch = watch_of(store, "a");
    struct hf_record record;
    char log[512];
    uint64_t stood;

    hf_store_wait(store, &watch, 1, hf_now(), -1);
    stood = watch.stood;
    snprintf(log, sizeof(log), "%.400s-wal", files->path);
    assert_int_equal(unlink(log), 0);
    assert_int_equal(get_one(store, watch.key, suite_soon(), &record, NULL),
                     HF_E_UNAVAILABLE);
    watch = watch_of(store, "a");
    hf_store_wait(store, &watch, 1, hf_now(), -1);
    assert_true(watch.stood != 0 && watch.stood != stood);
    hf_store_close(store);
}

/* ---- Processes ----------------------------------------------------------- */

/* A child that has all of its parent's descriptors, and does not exec. */
static bool
stay(void *ctx)
{
    const struct order *order = ctx;

    while (!order->ends)
        usleep(1000);
    return true;
}

FIXTURE_TEST(a_forked_child_takes_nothing_from_a_wait)
{
    struct committer other = start_committer(*state, "loud");
    struct hf_store *store = files_open(*state);
    struct hf_store_watch watch = watch_of(store, "loud");
    pid_t child;

    assert_true(hf_store_is_woken(store, suite_soon()));
    child = suite_start(stay, other.order);
    for (int round = 0; round < 5; round++) {
        watch = watch_of(store, "loud");
        expect_woken(store, &watch);
    }
    end_committer(&other);
    assert_int_equal(suite_end_of(child), 0);
    hf_store_close(store);
}

/* The first of a process finds nothing made yet: the log is made by it. */
FIXTURE_TEST(the_first_commit_to_a_new_place_wakes)
{
    struct committer committer = {.files = *state, .name = "a"};
    struct hf_store *store;
    struct hf_store_watch watch;
    int go[2];
    char byte;
    pid_t child;

    assert_int_equal(pipe(go), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        suite_threads_begin();
        if (read(go[0], &byte, 1) == 1)
            _exit(commit_once(&committer) ? 0 : 1);
        _exit(1);
    }
    store = files_open(*state);
    watch = watch_of(store, "a");
    assert_true(hf_store_is_woken(store, suite_soon()));
    assert_int_equal(write(go[1], "!", 1), 1);
    expect_woken(store, &watch);
    assert_int_equal(suite_end_of(child), 0);
    close(go[0]);
    close(go[1]);
    hf_store_close(store);
}

/* A person at a prompt does not ring, but closes the place. */
FIXTURE_TEST(another_program_that_ends_wakes)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);
    struct hf_store_watch watch;
    pid_t child;
    int go[2];
    char byte;

    put(store, "a");
    watch = watch_of(store, "a");
    hf_store_close(store);
    assert_int_equal(pipe(go), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (read(go[0], &byte, 1) == 1)
            files_sql(files->path, "UPDATE holdfast_records SET"
                                   " version = version + 1");
        _exit(0);
    }
    store = files_open(files);
    assert_true(hf_store_is_woken(store, suite_soon()));
    assert_int_equal(write(go[1], "!", 1), 1);
    expect_woken(store, &watch);
    assert_int_equal(suite_end_of(child), 0);
    close(go[0]);
    close(go[1]);
    hf_store_close(store);
}
