#include "support/files.h"
#include "support/test.h"

#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "support/locks.h"

/* Another connection keeps the file locked: what a store does meanwhile, and
 * that it gives up in time. */

struct blocker {
    sqlite3 *db;
};

static struct blocker
block(const struct files *files, const char *sql)
{
    struct blocker blocker = {NULL};

    assert_int_equal(sqlite3_open(files->path, &blocker.db), SQLITE_OK);
    /* What a client does in the background may have it yet. */
    assert_int_equal(sqlite3_busy_timeout(blocker.db, 20000), SQLITE_OK);
    assert_int_equal(sqlite3_exec(blocker.db, sql, NULL, NULL, NULL),
                     SQLITE_OK);
    return blocker;
}

static void
unblock(struct blocker *blocker)
{
    assert_int_equal(sqlite3_exec(blocker->db, "ROLLBACK", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_close(blocker->db), SQLITE_OK);
}

/* Within `ms`, and not long after; a loaded machine may take its time. */
static void
expect_took(struct hf_instant begun, int64_t ms)
{
    assert_in_range(hf_between(begun, hf_now()).ms, ms - 5, ms + 2000);
}

#define FIXTURE_TEST(sentence) TEST_IN(files_set_up, files_tear_down, sentence)

FIXTURE_TEST(a_commit_gives_up_in_time_and_surely_did_nothing)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);
    struct hf_key key = suite_key("a");
    struct hf_store_op op = suite_put(key, suite_absent(store, key), "x");
    struct hf_store_group group = {.ops = &op, .ops_count = 1};
    struct hf_error error = {.status = HF_OK};
    struct blocker blocker = block(files, "BEGIN IMMEDIATE");
    struct hf_instant begun = hf_now();

    hf_store_commit(store, &group, 1,
                    hf_after(begun, (struct hf_duration){100}), &error);
    expect_took(begun, 100);
    assert_int_equal(group.verdict, HF_UNAVAILABLE);
    assert_int_equal(error.status, HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "kept it locked"));

    unblock(&blocker);
    suite_absent(store, key);
    suite_apply(store, op);
    hf_store_close(store);
}

FIXTURE_TEST(a_read_does_not_wait_for_a_writer)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);
    struct hf_key key = suite_key("a");
    uint64_t version =
        suite_apply(store, suite_put(key, suite_absent(store, key), "x"));
    struct blocker blocker =
        block(files, "BEGIN IMMEDIATE; DELETE FROM holdfast_records");

    assert_true(suite_present(store, key) == version);
    unblock(&blocker);
    hf_store_close(store);
}

struct committer {
    struct hf_store *store;
    struct hf_store_op op;
    enum hf_verdict verdict;
    int begun_fd; /* an eventfd: about to commit */
};

static void *
commit_once(void *ctx)
{
    struct committer *c = ctx;

    eventfd_write(c->begun_fd, 1);
    c->verdict = suite_commit(c->store, &c->op, 1);
    return NULL;
}

FIXTURE_TEST(a_commit_goes_on_as_soon_as_it_may)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);
    struct hf_key key = suite_key("a");
    struct committer committer = {
        .store = store,
        .op = suite_put(key, suite_absent(store, key), "x"),
        .begun_fd = eventfd(0, EFD_CLOEXEC),
    };
    struct blocker blocker = block(files, "BEGIN IMMEDIATE");
    pthread_t thread;
    eventfd_t count;

    suite_threads_begin();
    assert_int_equal(pthread_create(&thread, NULL, commit_once, &committer), 0);
    assert_int_equal(eventfd_read(committer.begun_fd, &count), 0);
    unblock(&blocker);
    assert_int_equal(pthread_join(thread, NULL), 0);
    suite_threads_end();
    assert_int_equal(committer.verdict, HF_APPLIED);
    close(committer.begun_fd);
    hf_store_close(store);
}

/* A lock that keeps even readers out. */
FIXTURE_TEST(a_locked_file_is_unavailable_to_a_read_in_time)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);
    struct hf_record record = {.version = 4711};
    struct hf_error error = {.status = HF_OK};
    struct blocker blocker;
    struct hf_instant begun;

    hf_store_close(store); /* only a file nobody has open leaves WAL */
    store = NULL;
    blocker = block(files, "PRAGMA locking_mode=EXCLUSIVE; BEGIN IMMEDIATE;"
                           "UPDATE holdfast_meta SET number = number + 1");
    begun = hf_now();
    assert_int_equal(files_refuse(files, &error), HF_E_UNAVAILABLE);
    expect_took(begun, 3000);
    assert_non_null(strstr(error.text, "kept it locked"));
    unblock(&blocker);

    store = files_open(files);
    assert_int_equal(
        get_one(store, suite_key("a"), suite_soon(), &record, NULL), HF_OK);
    hf_store_close(store);
}

/* A wait on a file that is locked hears its wake fd, and ends in time. */
FIXTURE_TEST(a_wait_needs_no_lock_to_be_woken)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);
    struct hf_key key = suite_key("a");
    struct hf_store_watch watch = {.key = key,
                                   .version = suite_absent(store, key)};
    struct blocker blocker = block(files, "BEGIN IMMEDIATE");
    int fd = eventfd(1, EFD_CLOEXEC);
    struct hf_instant begun = hf_now();

    assert_true(fd >= 0);
    hf_store_wait(store, &watch, 1, HF_NEVER, fd);
    hf_store_wait(store, &watch, 1, hf_after(begun, (struct hf_duration){30}),
                  -1);
    expect_took(begun, 30);
    unblock(&blocker);
    close(fd);
    hf_store_close(store);
}

#define TERMS HF_TTL, "1s", HF_BEAT, "200ms", HF_GRACE, "1ms", HF_WAIT, "500ms"

/* The store says in time that nothing was done: a claim is not settled then,
 * and the wait ends when it was to end. */
FIXTURE_TEST(a_wait_for_a_locked_file_ends_at_its_limit)
{
    const struct files *files = *state;
    struct hf_client *client = open_client(files->place);
    struct blocker blocker;

    assert_int_equal(give_back(hold(client, "a", TERMS, NULL)), HF_OK);
    blocker = block(files, "BEGIN IMMEDIATE");
    for (unsigned tries = 0; tries < 4; tries++) {
        struct hf_instant begun = hf_now();

        assert_int_equal(finish(acquire(client, "b", TERMS, NULL)),
                         HF_E_UNAVAILABLE);
        expect_took(begun, 500);
    }
    unblock(&blocker);
    close_client(client);
}

#undef TERMS
