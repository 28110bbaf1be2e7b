#include "support/files.h"
#include "support/test.h"

#include <grp.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/place.h"

/* A place that is opened to look only: by whom it may be read, and that
 * nothing is made or written. */

enum { NOBODY = 65534 };

static struct hf_store *
look(const struct files *files)
{
    struct hf_store *store = NULL;
    struct hf_error error = {.status = HF_OK};
    struct hf_place place;

    assert_int_equal(hf_place_parse(files->place, &place, NULL), HF_OK);
    if (hf_store_open_at(&place, HF_STORE_TO_LOOK, &hf_alloc_libc, &store,
                         &error) != HF_OK)
        fail_msg("%s", error.text);
    return store;
}

static void
put(const struct files *files, const char *name, const char *value)
{
    struct hf_store *store = files_open(files);
    struct hf_record record;

    assert_int_equal(
        get_one(store, suite_key(name), suite_soon(), &record, NULL), HF_OK);
    suite_apply(store, suite_put(suite_key(name), record.version, value));
    hf_store_close(store);
}

static void
expect_names(struct hf_store *store, const char *expected)
{
    struct hf_store_scan scan = {"default", "", .limit = 100};
    char names[256];

    suite_scan(store, &scan, names, sizeof(names));
    assert_string_equal(names, expected);
}

/* As another program leaves it that was the last to close, or as it lies in a
 * backup: without a log. */
static void
fold_log(const struct files *files)
{
    char log[SUITE_PLACE_SIZE];

    files_sql(files->path, "PRAGMA wal_checkpoint");
    snprintf(log, sizeof(log), "%.400s-wal", files->path);
    assert_int_not_equal(access(log, F_OK), 0);
}

#define FIXTURE_TEST(sentence) TEST_IN(files_set_up, files_tear_down, sentence)

FIXTURE_TEST(a_place_that_is_not_there_is_empty_and_is_not_made)
{
    const struct files *files = *state;
    struct hf_store *store = look(files);

    suite_absent(store, suite_key("a"));
    expect_names(store, "");
    assert_int_not_equal(access(files->path, F_OK), 0);

    put(files, "a", "x"); /* and is seen once it is */
    suite_expect_value(store, suite_key("a"), "x");
    expect_names(store, "a\n");
    hf_store_close(store);
}

FIXTURE_TEST(what_nobody_has_open_is_read_as_it_stands)
{
    const struct files *files = *state;
    struct hf_store *store;
    uint64_t before;

    put(files, "a", "x");
    fold_log(files);
    before = files_fingerprint(files->folder);
    store = look(files);
    suite_expect_value(store, suite_key("a"), "x");
    expect_names(store, "a\n");
    assert_true(files_fingerprint(files->folder) == before);

    put(files, "b", "y"); /* now there is a log */
    expect_names(store, "a\nb\n");
    suite_expect_value(store, suite_key("b"), "y");
    assert_int_equal(hf_store_generation(store), 0);
    hf_store_close(store);
}

FIXTURE_TEST(nothing_is_written_through_a_look)
{
    const struct files *files = *state;
    struct hf_store_op op = suite_put(suite_key("a"), 1, "x");
    struct hf_store_group group = {.ops = &op, .ops_count = 1};
    struct hf_error error = {.status = HF_OK};
    struct hf_store *store;
    size_t purged = 99;

    put(files, "a", "x");
    store = look(files);
    hf_store_commit(store, &group, 1, suite_soon(), &error);
    assert_int_equal(group.verdict, HF_UNAVAILABLE);
    assert_int_equal(error.status, HF_E_DENIED);
    assert_int_equal(hf_store_purge(store, (struct hf_duration){0}, 10,
                                    suite_soon(), &purged, &error),
                     HF_E_DENIED);
    hf_store_close(store);
}

/* ---- Another user -------------------------------------------------------- */

static void
need_root(void)
{
    if (geteuid() == 0)
        return;
    print_message("needs root, to be another user\n");
    skip();
}

static void
become_nobody(void)
{
    assert_int_equal(setgroups(0, NULL), 0);
    assert_int_equal(setgid(NOBODY), 0);
    assert_int_equal(setuid(NOBODY), 0);
}

static bool
nobody_sees(void *ctx)
{
    const struct files *files = ctx;
    struct hf_error error = {.status = HF_OK};
    struct hf_store *store;

    become_nobody();
    store = look(files);
    suite_expect_value(store, suite_key("a"), "x");
    expect_names(store, "a\n");
    hf_store_close(store);
    assert_int_equal(files_refuse(files, &error), HF_E_DENIED);
    assert_non_null(strstr(error.text, "it may only be read"));
    return true;
}

static void
permit(const struct files *files, const char *suffix, mode_t mode)
{
    char name[SUITE_PLACE_SIZE];

    snprintf(name, sizeof(name), "%.400s%s", files->path, suffix);
    assert_int_equal(chmod(name, mode), 0);
}

struct holder {
    const struct files *files;
    int pipes[4]; /* ready: read, write; go: read, write */
};

static bool
hold(void *ctx)
{
    struct holder *holder = ctx;
    struct hf_store *store = files_open(holder->files);
    char byte;

    suite_present(store, suite_key("a"));
    assert_int_equal(write(holder->pipes[1], "", 1), 1);
    assert_int_equal(read(holder->pipes[2], &byte, 1), 1);
    hf_store_close(store);
    return true;
}

FIXTURE_TEST(who_may_only_read_sees_all_and_is_told_when_he_would_write)
{
    struct files *files = *state;
    struct holder holder = {.files = files};
    pid_t child;
    char byte;

    need_root();
    put(files, "a", "x");
    assert_int_equal(chmod(files->folder, 0755), 0);
    permit(files, "", 0644);
    permit(files, "-wal", 0644);
    permit(files, "-shm", 0644);
    /* The log was left by whoever closed last. */
    assert_int_equal(suite_end_of(suite_start(nobody_sees, files)), 0);

    assert_int_equal(pipe(holder.pipes), 0);
    assert_int_equal(pipe(holder.pipes + 2), 0);
    child = suite_start(hold, &holder);
    assert_int_equal(read(holder.pipes[0], &byte, 1), 1);
    assert_int_equal(suite_end_of(suite_start(nobody_sees, files)), 0);
    assert_int_equal(write(holder.pipes[3], "", 1), 1);
    assert_int_equal(suite_end_of(child), 0);
    for (size_t i = 0; i < 4; i++)
        close(holder.pipes[i]);

    fold_log(files);
    assert_int_equal(suite_end_of(suite_start(nobody_sees, files)), 0);
}

static bool
nobody_is_denied_the_log(void *ctx)
{
    const struct files *files = ctx;
    struct hf_store *store = NULL;
    struct hf_error error = {.status = HF_OK};
    struct hf_place place;

    become_nobody();
    assert_int_equal(hf_place_parse(files->place, &place, NULL), HF_OK);
    assert_int_equal(hf_store_open_at(&place, HF_STORE_TO_LOOK, &hf_alloc_libc,
                                      &store, &error),
                     HF_E_DENIED);
    assert_non_null(strstr(error.text, "cannot read"));
    assert_non_null(strstr(error.text, "locks.db-wal: Permission denied"));
    return true;
}

FIXTURE_TEST(the_file_that_may_not_be_read_is_named)
{
    struct files *files = *state;

    need_root();
    put(files, "a", "x");
    assert_int_equal(chmod(files->folder, 0755), 0);
    permit(files, "", 0644);
    assert_int_equal(suite_end_of(suite_start(nobody_is_denied_the_log, files)),
                     0);
}
