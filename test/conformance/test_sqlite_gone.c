#include "support/files.h"
#include "support/test.h"

#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/rule.h"

/*
 * Somebody removes or replaces the files of a place, all or some, while a
 * store has it open.  The store says so, with the cause, and then opens what
 * is there now.
 */

#define DATABASE 1
#define LOG      2
#define INDEX    4

struct loss {
    unsigned files;
    const char *cause; /* what is said */
};

static const struct loss losses[] = {
    {DATABASE, "it was removed or replaced"},
    {LOG, "its log (-wal) was removed or replaced"},
    {INDEX, "the index of its log (-shm) was removed or replaced"},
    {LOG | INDEX, "its log (-wal) was removed or replaced"},
    {DATABASE | LOG, "it was removed or replaced"},
    {DATABASE | LOG | INDEX, "it was removed or replaced"},
};

enum { LOSSES = sizeof(losses) / sizeof(losses[0]), TIDIES = 3 };

static void
name_of(const struct files *files, unsigned file, char name[SUITE_PLACE_SIZE])
{
    snprintf(name, SUITE_PLACE_SIZE, "%.400s%s", files->path,
             file == LOG     ? "-wal"
             : file == INDEX ? "-shm"
                             : "");
}

static void
lose(const struct files *files, unsigned which)
{
    for (unsigned file = DATABASE; file <= INDEX; file <<= 1) {
        char name[SUITE_PLACE_SIZE];

        name_of(files, file, name);
        if ((which & file) != 0)
            assert_int_equal(unlink(name), 0);
    }
}

static void
copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb");
    FILE *out = fopen(to, "wb");
    char bytes[4096];
    size_t len;

    assert_non_null(in);
    assert_non_null(out);
    for (len = fread(bytes, 1, sizeof(bytes), in); len > 0;
         len = fread(bytes, 1, sizeof(bytes), in))
        assert_int_equal(fwrite(bytes, 1, len, out), len);
    assert_int_equal(fclose(out), 0);
    fclose(in);
}

/* ---- Every call notices -------------------------------------------------- */

typedef enum hf_status call_fn(struct hf_store *store, struct hf_error *error);

static enum hf_status
call_get(struct hf_store *store, struct hf_error *error)
{
    struct hf_record record;

    return get_one(store, suite_key("a"), suite_soon(), &record, error);
}

static bool
take_row(void *ctx, const char *name, size_t name_len,
         const struct hf_record *record)
{
    (void)ctx;
    (void)name;
    (void)name_len;
    (void)record;
    return true;
}

static enum hf_status
call_scan(struct hf_store *store, struct hf_error *error)
{
    struct hf_store_scan scan = {"default", "", .limit = 10};

    return hf_store_scan(store, &scan, suite_soon(), take_row, NULL, error);
}

static enum hf_status
call_purge(struct hf_store *store, struct hf_error *error)
{
    size_t purged;

    return hf_store_purge(store, (struct hf_duration){0}, 10, suite_soon(),
                          &purged, error);
}

/* Two groups, of which the second would be refused. */
static enum hf_status
call_commit(struct hf_store *store, struct hf_error *error)
{
    struct hf_store_op ops[] = {suite_put(suite_key("a"), 1, "x"),
                                suite_put(suite_key("b"), 1, "x")};
    struct hf_store_group groups[] = {{.ops = &ops[0], .ops_count = 1},
                                      {.ops = &ops[1], .ops_count = 1}};

    hf_store_commit(store, groups, 2, suite_soon(), error);
    assert_int_equal(groups[0].verdict, groups[1].verdict);
    return groups[0].verdict == HF_UNAVAILABLE ? HF_E_UNAVAILABLE : HF_OK;
}

static call_fn *const calls[] = {call_get, call_scan, call_purge, call_commit};

static void
notice(struct files *files, const struct loss *loss, call_fn *call)
{
    struct hf_store *store = files_open(files);
    struct hf_error error = {.status = HF_OK};
    struct hf_record record;

    assert_int_equal(
        get_one(store, suite_key("a"), suite_soon(), &record, NULL), HF_OK);
    suite_apply(store, suite_put(suite_key("a"), record.version, "x"));
    assert_int_equal(hf_store_generation(store), 0);
    lose(files, loss->files);

    assert_int_equal(call(store, &error), HF_E_UNAVAILABLE);
    assert_int_equal(error.status, HF_E_UNAVAILABLE);
    if (strstr(error.text, loss->cause) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, loss->cause);
    assert_int_equal(hf_store_generation(store), 1);

    assert_int_equal(call(store, &error), HF_OK);
    assert_int_equal(hf_store_generation(store), 1);
    hf_store_close(store);
}

#define FIXTURE_TEST(sentence) TEST_IN(files_set_up, files_tear_down, sentence)

FIXTURE_TEST(every_call_notices_a_removed_file_and_the_next_opens_anew)
{
    for (size_t i = 0; i < LOSSES; i++)
        for (size_t k = 0; k < sizeof(calls) / sizeof(calls[0]); k++)
            notice(*state, &losses[i], calls[k]);
}

FIXTURE_TEST(a_wait_ends_when_a_file_was_removed)
{
    struct files *files = *state;

    for (size_t i = 0; i < LOSSES; i++) {
        struct hf_store *store = files_open(files);
        struct hf_store_watch watch = {.key = suite_key("a")};
        struct hf_record record;

        assert_int_equal(get_one(store, watch.key, suite_soon(), &record, NULL),
                         HF_OK);
        watch.version = record.version;
        lose(files, losses[i].files);
        while (hf_store_generation(store) == 0)
            hf_store_wait(store, &watch, 1, HF_NEVER, -1);
        hf_store_close(store);
    }
}

FIXTURE_TEST(a_file_that_was_moved_away_and_one_put_in_its_place_are_noticed)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);
    struct hf_key key = suite_key("a");
    uint64_t version = suite_absent(store, key);
    struct hf_error error = {.status = HF_OK};
    struct hf_record record;
    char aside[SUITE_PLACE_SIZE];

    version = suite_apply(store, suite_put(key, version, "x"));
    snprintf(aside, sizeof(aside), "%.400s.aside", files->path);
    files_sql(files->path, "PRAGMA wal_checkpoint");
    copy_file(files->path, aside);
    assert_int_equal(rename(aside, files->path), 0);
    assert_int_equal(get_one(store, key, suite_soon(), &record, &error),
                     HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "it was removed or replaced"));
    assert_int_equal(hf_store_generation(store), 1);
    assert_true(suite_present(store, key) == version);
    hf_store_close(store);
}

/* A second name that is a link, and is made to lead elsewhere. */
FIXTURE_TEST(a_link_that_leads_elsewhere_is_noticed)
{
    const struct files *files = *state;
    struct files linked = *files;
    struct hf_store *store;
    struct hf_error error = {.status = HF_OK};
    struct hf_record record;

    snprintf(linked.path, sizeof(linked.path), "%.400s.link", files->path);
    snprintf(linked.place, sizeof(linked.place), "sqlite:%.400s", linked.path);
    assert_int_equal(symlink(files->path, linked.path), 0);
    store = files_open(&linked);
    suite_absent(store, suite_key("a"));
    assert_int_equal(unlink(linked.path), 0);
    assert_int_equal(
        get_one(store, suite_key("a"), suite_soon(), &record, &error),
        HF_E_UNAVAILABLE);
    assert_int_equal(hf_store_generation(store), 1);
    hf_store_close(store);
}

/* ---- Two processes ------------------------------------------------------- */

/* The first of two who have a place open: in a process of its own, which does
 * a step for each byte it reads, and writes one when it has done it. */
struct first {
    struct files *files;
    const struct loss *loss;
    int go[2];
    int done[2];
};

static void
say(const int pipe[2])
{
    assert_int_equal(write(pipe[1], "", 1), 1);
}

static void
hear(const int pipe[2])
{
    char byte;

    assert_int_equal(read(pipe[0], &byte, 1), 1);
}

static void
close_pipes(const struct first *first)
{
    for (int i = 0; i < 2; i++) {
        close(first->go[i]);
        close(first->done[i]);
    }
}

/* It holds "a"; when it is told, it finds that the place is another, and then
 * what the second has written there. */
static bool
hold_and_notice(void *ctx)
{
    struct first *first = ctx;
    struct hf_store *store = files_open(first->files);
    struct hf_key key = suite_key("a");
    uint64_t version = suite_apply(
        store, suite_put(key, suite_absent(store, key), "the first's"));
    struct hf_store_op beat = suite_beat(key, version, "a beat");
    struct hf_store_group group = {.ops = &beat, .ops_count = 1};
    struct hf_error error = {.status = HF_OK};

    say(first->done);
    hear(first->go);
    hf_store_commit(store, &group, 1, suite_soon(), &error);
    assert_int_equal(group.verdict, HF_UNAVAILABLE);
    assert_non_null(strstr(error.text, first->loss->cause));
    assert_int_equal(hf_store_generation(store), 1);
    say(first->done);
    hear(first->go);
    suite_expect_value(store, key, "the second's");
    assert_int_equal(suite_commit(store, &beat, 1), HF_REFUSED);
    hf_store_close(store);
    return true;
}

static uint64_t
take_over(struct hf_store *store)
{
    struct hf_key key = suite_key("a");
    struct hf_error error = {.status = HF_OK};
    struct hf_record record;

    if (get_one(store, key, suite_soon(), &record, &error) != HF_OK)
        fail_msg("%s", error.text);
    return suite_apply(store, suite_put(key, record.version, "the second's"));
}

/*
 * Where the index is left, it tells of a log that is gone (SQLite itself
 * removes the log of a database that is gone): whoever opens the place now
 * is refused until the first has noticed.
 */
static struct hf_store *
open_second(const struct files *files, const struct loss *loss)
{
    struct hf_error error = {.status = HF_OK};

    if ((loss->files & INDEX) != 0)
        return files_open(files);
    assert_int_equal(files_refuse(files, &error), HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "while others have it open"));
    return NULL;
}

static void
notice_beside_a_second(struct files *files, const struct loss *loss)
{
    struct first first = {.files = files, .loss = loss};
    struct hf_store *second;
    pid_t child;

    assert_int_equal(pipe(first.go), 0);
    assert_int_equal(pipe(first.done), 0);
    child = suite_start(hold_and_notice, &first);
    hear(first.done);
    lose(files, loss->files);
    second = open_second(files, loss);
    if (second != NULL)
        take_over(second);
    say(first.go);
    hear(first.done);
    if (second == NULL) {
        second = files_open(files);
        take_over(second);
    }
    say(first.go);
    assert_int_equal(suite_end_of(child), 0);
    suite_expect_value(second, suite_key("a"), "the second's");
    assert_int_equal(hf_store_generation(second), 0);
    hf_store_close(second);
    lose(files, DATABASE | LOG | INDEX);
    close_pipes(&first);
}

FIXTURE_TEST(a_holder_notices_beside_whoever_opened_the_place_since)
{
    for (size_t i = 0; i < LOSSES; i++)
        notice_beside_a_second(*state, &losses[i]);
}

/* SQLite removes a log when its last user closes, or leaves WAL mode; while a
 * store has it open, nobody else is the last. */
static bool
tidy_when_told(void *ctx)
{
    const struct first *other = ctx;

    for (int i = 0; i < TIDIES; i++) {
        hear(other->go);
        files_sql(other->files->path, "PRAGMA wal_checkpoint(TRUNCATE);"
                                      "VACUUM");
        assert_int_equal(
            files_try_sql(other->files->path, "PRAGMA journal_mode=DELETE"),
            SQLITE_BUSY);
        say(other->done);
    }
    return true;
}

FIXTURE_TEST(what_sqlite_itself_does_to_the_files_is_no_loss)
{
    struct first other = {.files = *state};
    struct hf_key key = suite_key("a");
    struct hf_store *store;
    uint64_t version;
    pid_t child;

    assert_int_equal(pipe(other.go), 0);
    assert_int_equal(pipe(other.done), 0);
    child = suite_start(tidy_when_told, &other);
    store = files_open(other.files);
    version = suite_absent(store, key);
    for (int i = 0; i < TIDIES; i++) {
        version = suite_apply(store, suite_put(key, version, "x"));
        say(other.go);
        hear(other.done);
        assert_true(suite_present(store, key) == version);
    }
    assert_int_equal(suite_end_of(child), 0);
    assert_int_equal(hf_store_generation(store), 0);
    hf_store_close(store);
    close_pipes(&other);
}

/* ---- Two clients of one process ------------------------------------------ */

/* SQLite has one index of a log for the whole process: with the one that was
 * removed, a new log would be read wrongly, and written. */
FIXTURE_TEST(nobody_opens_a_place_anew_beside_a_removed_log_of_the_same_process)
{
    struct files *files = *state;
    struct hf_store *first = files_open(files);
    struct hf_store *second = files_open(files);
    struct hf_error error = {.status = HF_OK};
    struct hf_record record;

    suite_apply(first, suite_put(suite_key("a"),
                                 suite_absent(first, suite_key("a")), "x"));
    lose(files, LOG | INDEX);
    assert_int_equal(call_get(first, &error), HF_E_UNAVAILABLE);
    assert_int_equal(call_get(first, &error), HF_E_UNAVAILABLE);
    assert_non_null(strstr(error.text, "another client of this process"));
    assert_int_equal(hf_store_generation(first), 1);

    assert_int_equal(call_get(second, NULL), HF_E_UNAVAILABLE);
    assert_int_equal(hf_store_generation(second), 1);
    assert_int_equal(
        get_one(first, suite_key("a"), suite_soon(), &record, &error), HF_OK);
    assert_int_equal(call_get(second, NULL), HF_OK);
    hf_store_close(first);
    hf_store_close(second);
}

/* ---- A backup ------------------------------------------------------------ */

/* Put back while a store has the place open, as people do: the file by a copy
 * that is renamed, its log and index removed. */
FIXTURE_TEST(a_backup_put_back_under_a_holder_repeats_no_version)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);
    struct hf_key key = suite_key("a");
    uint64_t old = suite_absent(store, key);
    uint64_t highest;
    char backup[SUITE_PLACE_SIZE];
    struct hf_store_op late;

    old = suite_apply(store, suite_put(key, old, "old"));
    files_sql(files->path, "PRAGMA wal_checkpoint");
    snprintf(backup, sizeof(backup), "%.400s.backup", files->path);
    copy_file(files->path, backup);
    highest = old;
    for (int i = 0; i < 100; i++)
        highest = suite_apply(store, suite_put(key, highest, "new"));

    lose(files, LOG | INDEX);
    assert_int_equal(rename(backup, files->path), 0);
    assert_int_equal(call_get(store, NULL), HF_E_UNAVAILABLE);
    assert_int_equal(hf_store_generation(store), 1);
    late = suite_beat(key, highest, "late");
    assert_int_equal(suite_commit(store, &late, 1), HF_REFUSED);
    assert_true(suite_present(store, key) == old);
    assert_true(suite_apply(store, suite_put(key, old, "x")) > highest);
    hf_store_close(store);
}

/* ---- Many at once -------------------------------------------------------- */

enum { OPENERS = 3, OPENINGS = 100 };

/* cmocka's checks are for the first thread alone. */
static void *
open_and_close(void *ctx)
{
    const struct files *files = ctx;
    size_t failed = 0;

    for (size_t i = 0; i < OPENINGS; i++) {
        struct hf_store *store = NULL;

        if (hf_store_open(files->place, &hf_alloc_libc, &store, NULL) == HF_OK)
            hf_store_close(store);
        else
            failed++;
    }
    return failed == 0 ? NULL : ctx;
}

/* What one closes, another looks at: each in its own thread. */
FIXTURE_TEST(threads_open_and_close_one_place)
{
    pthread_t threads[OPENERS];
    void *failed;

    for (size_t i = 0; i < OPENERS; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, open_and_close, *state), 0);
    for (size_t i = 0; i < OPENERS; i++) {
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
}
