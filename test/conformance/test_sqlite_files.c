#include "support/files.h"
#include "support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

/* Which files SQLite's store takes for its own, and what it says of others. */

static void
expect_refusal(const struct files *files, enum hf_status status,
               const char *words)
{
    struct hf_error error = {.status = HF_OK};
    uint64_t before = files_fingerprint(files->folder);

    assert_int_equal(files_refuse(files, &error), status);
    if (strstr(error.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, words);
    assert_non_null(strstr(error.text, files->path));
    assert_true(files_fingerprint(files->folder) == before);
}

#define FIXTURE_TEST(sentence) TEST_IN(files_set_up, files_tear_down, sentence)

FIXTURE_TEST(a_text_file_is_no_database)
{
    static const char text[] =
        "These are the notes of somebody who would like to keep them, and "
        "they are longer than the header of a database, which has 100 bytes.";
    const struct files *files = *state;

    files_poke(files->path, 0, text, sizeof(text));
    expect_refusal(files, HF_E_CORRUPT, "not a SQLite database");
}

FIXTURE_TEST(a_short_file_is_no_database)
{
    const struct files *files = *state;

    files_poke(files->path, 0, "x", 1);
    expect_refusal(files, HF_E_CORRUPT, "not a SQLite database");
}

FIXTURE_TEST(a_file_of_zeros_is_no_database)
{
    static const char zeros[8192];
    const struct files *files = *state;

    files_poke(files->path, 0, zeros, sizeof(zeros));
    expect_refusal(files, HF_E_CORRUPT, "not a SQLite database");
}

FIXTURE_TEST(another_applications_database_is_left_alone)
{
    const struct files *files = *state;

    files_sql(files->path, "CREATE TABLE accounts(id, balance);"
                           "INSERT INTO accounts VALUES(1, 100)");
    expect_refusal(files, HF_E_CORRUPT, "another application's");
}

/* Its log holds what its own next reader will need. */
FIXTURE_TEST(another_applications_log_is_left_alone)
{
    const struct files *files = *state;
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(files->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "PRAGMA journal_mode=WAL;"
                                  "PRAGMA application_id=4711;"
                                  "CREATE TABLE accounts(id, balance);",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    expect_refusal(files, HF_E_CORRUPT, "another application's");
    assert_int_equal(sqlite3_exec(db, "INSERT INTO accounts VALUES(1, 100)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* A journal that would be rolled back by an ordinary read. */
FIXTURE_TEST(another_applications_journal_is_left_alone)
{
    static const unsigned char hot[512] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1,
                                           0x63, 0xd7, 0,    0,    0,    0};
    const struct files *files = *state;
    char journal[SUITE_PLACE_SIZE + 16];

    files_sql(files->path, "CREATE TABLE accounts(id, balance)");
    snprintf(journal, sizeof(journal), "%s-journal", files->path);
    files_poke(journal, 0, hot, sizeof(hot));
    expect_refusal(files, HF_E_CORRUPT, "another application's");
}

FIXTURE_TEST(a_database_that_only_bears_our_name_is_refused)
{
    const struct files *files = *state;

    files_sql(files->path, "PRAGMA application_id=1212566603;" /* HFLK */
                           "PRAGMA user_version=1;"
                           "CREATE TABLE accounts(id, balance)");
    assert_int_equal(files_refuse(files, &(struct hf_error){.text = ""}),
                     HF_E_CORRUPT);
}

FIXTURE_TEST(tables_without_a_version_are_refused)
{
    const struct files *files = *state;

    files_sql(files->path, "PRAGMA application_id=1212566603;"
                           "CREATE TABLE accounts(id, balance)");
    expect_refusal(files, HF_E_CORRUPT, "not Holdfast's");
}

FIXTURE_TEST(a_later_versions_file_is_refused_in_clear_words)
{
    const struct files *files = *state;
    struct hf_error error = {.status = HF_OK};
    char rows[256];

    hf_store_close(files_open(files));
    files_sql(files->path, "PRAGMA user_version=99");
    assert_int_equal(files_refuse(files, &error), HF_E_CORRUPT);
    assert_non_null(strstr(error.text, "a later version of Holdfast made it"));
    files_query(files->path, "PRAGMA user_version", rows, sizeof(rows));
    assert_string_equal(rows, "99\n");
}

FIXTURE_TEST(a_folder_is_no_database)
{
    const struct files *files = *state;
    struct hf_error error = {.status = HF_OK};

    assert_int_equal(mkdir(files->path, 0700), 0);
    assert_int_equal(files_refuse(files, &error), HF_E_INVALID);
    assert_non_null(strstr(error.text, "is a folder"));
}

FIXTURE_TEST(a_pipe_is_no_database)
{
    const struct files *files = *state;
    struct hf_error error = {.status = HF_OK};

    assert_int_equal(mkfifo(files->path, 0600), 0);
    assert_int_equal(files_refuse(files, &error), HF_E_INVALID);
    assert_non_null(strstr(error.text, "is not a file"));
}

FIXTURE_TEST(a_file_on_the_way_to_the_file_is_refused)
{
    struct files *files = *state;
    struct files below = *files;
    struct hf_error error = {.status = HF_OK};

    files_poke(files->path, 0, "x", 1);
    snprintf(below.place, sizeof(below.place), "sqlite:%.400s/below.db",
             files->path);
    assert_int_equal(files_refuse(&below, &error), HF_E_INVALID);
}

FIXTURE_TEST(an_empty_file_becomes_ours)
{
    const struct files *files = *state;

    files_poke(files->path, 0, "", 0);
    hf_store_close(files_open(files));
    hf_store_close(files_open(files));
}

FIXTURE_TEST(a_new_file_leaves_nothing_else_behind)
{
    const struct files *files = *state;
    char beside[SUITE_PLACE_SIZE + 16];
    DIR *folder;
    int count = 0;

    hf_store_close(files_open(files));
    snprintf(beside, sizeof(beside), "%s-journal", files->path);
    assert_int_not_equal(access(beside, F_OK), 0);
    folder = opendir(files->folder);
    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    assert_int_equal(count, 2 + 3); /* ".", "..", and locks.db, -wal, -shm */
}

/* Overwrite the pages at the roots of a table and its index. */
static void
damage(const struct files *files, const char *table)
{
    char sql[256];
    char rows[256];
    char junk[4096];
    char *page = rows;

    files_sql(files->path, "PRAGMA wal_checkpoint(TRUNCATE)");
    snprintf(sql, sizeof(sql),
             "SELECT rootpage FROM sqlite_schema"
             " WHERE tbl_name = '%s' AND rootpage > 0",
             table);
    files_query(files->path, sql, rows, sizeof(rows));
    assert_true(rows[0] != '\0');
    memset(junk, 0x5a, sizeof(junk));
    while (*page != '\0') {
        long number = strtol(page, &page, 10);

        files_poke(files->path, (number - 1) * 4096, junk, sizeof(junk));
        page++; /* the newline */
    }
}

FIXTURE_TEST(damaged_records_are_corrupt_and_change_nothing)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);
    struct hf_key key = suite_key("a");
    struct hf_error error = {.status = HF_OK};
    struct hf_store_op op = suite_put(key, 1, "y");
    struct hf_store_group group = {.ops = &op, .ops_count = 1};
    struct hf_record record;

    suite_apply(store, suite_put(key, suite_absent(store, key), "x"));
    hf_store_close(store);
    damage(files, "holdfast_records");

    store = files_open(files);
    assert_int_equal(get_one(store, key, suite_soon(), &record, &error),
                     HF_E_CORRUPT);
    assert_int_equal(error.status, HF_E_CORRUPT);
    error.status = HF_OK;
    hf_store_commit(store, &group, 1, suite_soon(), &error);
    assert_int_equal(group.verdict, HF_UNAVAILABLE);
    assert_int_equal(error.status, HF_E_CORRUPT);
    hf_store_close(store);
}

FIXTURE_TEST(a_damaged_floor_is_corrupt)
{
    const struct files *files = *state;
    struct hf_error error = {.status = HF_OK};

    hf_store_close(files_open(files));
    damage(files, "holdfast_meta");
    assert_int_equal(files_refuse(files, &error), HF_E_CORRUPT);
}

FIXTURE_TEST(a_missing_floor_is_corrupt)
{
    const struct files *files = *state;
    struct hf_error error = {.status = HF_OK};

    hf_store_close(files_open(files));
    files_sql(files->path, "DELETE FROM holdfast_meta");
    assert_int_equal(files_refuse(files, &error), HF_E_CORRUPT);
    assert_non_null(strstr(error.text, "lack rows"));
}

/* Whether the log of the deleted file was deleted with it or stayed. */
FIXTURE_TEST(a_new_file_in_the_place_of_a_deleted_one_repeats_no_version)
{
    const struct files *files = *state;
    struct hf_key key = suite_key("a");
    uint64_t version = 0;
    char log[SUITE_PLACE_SIZE + 16];

    snprintf(log, sizeof(log), "%s-wal", files->path);
    for (int with_log = 0; with_log < 2; with_log++) {
        struct hf_store *store = files_open(files);
        uint64_t floor = suite_absent(store, key);

        assert_true(floor > version);
        version = suite_apply(store, suite_put(key, floor, "x"));
        hf_store_close(store);
        assert_int_equal(unlink(files->path), 0);
        if (with_log)
            assert_int_equal(unlink(log), 0);
        store = files_open(files);
        assert_true(suite_absent(store, key) > version);
        hf_store_close(store);
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

FIXTURE_TEST(a_file_restored_from_a_backup_repeats_no_version)
{
    const struct files *files = *state;
    struct hf_key key = suite_key("a");
    struct hf_store *store = files_open(files);
    uint64_t version = suite_absent(store, key);
    uint64_t highest = version;
    char beside[SUITE_PLACE_SIZE + 16];

    version = suite_apply(store, suite_put(key, version, "old"));
    hf_store_close(store);
    files_sql(files->path, "PRAGMA wal_checkpoint(TRUNCATE)");
    snprintf(beside, sizeof(beside), "%s.backup", files->path);
    copy_file(files->path, beside);

    store = files_open(files);
    highest = version;
    for (int i = 0; i < 100; i++)
        highest = suite_apply(store, suite_put(key, highest, "new"));
    hf_store_close(store);
    files_sql(files->path, "PRAGMA wal_checkpoint(TRUNCATE)");
    copy_file(beside, files->path);

    store = files_open(files);
    assert_true(suite_present(store, key) == version);
    assert_true(suite_apply(store, suite_put(key, version, "x")) > highest);
    hf_store_close(store);
}

FIXTURE_TEST(a_command_that_is_run_inherits_no_descriptor)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);
    int seen = 0;

    suite_absent(store, suite_key("a"));
    for (int fd = 0; fd < 256; fd++) {
        char link[64];
        char target[SUITE_PLACE_SIZE];
        ssize_t len;

        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        len = readlink(link, target, sizeof(target) - 1);
        if (len < 0)
            continue;
        target[len] = '\0';
        if (strncmp(target, files->folder, strlen(files->folder)) != 0)
            continue;
        seen++;
        assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    }
    assert_true(seen >= 2); /* the database and its log */
    hf_store_close(store);
}

static void
leave_descriptors(rlim_t count)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = count;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* Three descriptors are the least, then four, until the place opens. */
static bool
open_with_few_descriptors(void *ctx)
{
    const struct files *files = ctx;
    enum hf_status status = HF_E_LIMIT;
    rlim_t count = 3;

    while (status == HF_E_LIMIT) {
        struct hf_store *store = NULL;
        struct hf_error error = {.status = HF_OK};

        leave_descriptors(count++);
        status = hf_store_open(files->place, &hf_alloc_libc, &store, &error);
        if (status != HF_OK && status != HF_E_LIMIT)
            print_message("%s\n", error.text);
        hf_store_close(store);
    }
    return status == HF_OK && count > 4;
}

FIXTURE_TEST(without_a_descriptor_the_limit_is_named)
{
    assert_int_equal(
        suite_end_of(suite_start(open_with_few_descriptors, *state)), 0);
    /* And so where the file is there already. */
    assert_int_equal(
        suite_end_of(suite_start(open_with_few_descriptors, *state)), 0);
}

/* What SQLite notes of the locks of a process is copied by a fork, and is no
 * longer true in the child. */
static bool
is_refused_after_a_fork(void *ctx)
{
    struct hf_error error = {.status = HF_OK};

    return files_refuse(ctx, &error) == HF_E_INVALID &&
           strstr(error.text, "fork") != NULL;
}

static bool
opens_after_a_fork(void *ctx)
{
    hf_store_close(files_open(ctx));
    return true;
}

FIXTURE_TEST(a_forked_child_opens_none_while_its_parent_had_one_open)
{
    struct files *files = *state;
    struct hf_store *store = files_open(files);

    assert_int_equal(suite_end_of(suite_start(is_refused_after_a_fork, files)),
                     0);
    suite_absent(store, suite_key("a"));
    hf_store_close(store);
    assert_int_equal(suite_end_of(suite_start(opens_after_a_fork, files)), 0);
}
