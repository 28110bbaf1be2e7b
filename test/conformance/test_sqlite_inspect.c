#include "support/files.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/place.h"
#include "store/sqlite_inspect.h"

/* What a SQLite store tells of its files, and of what others did to them. */

struct told {
    struct hf_checkup checkup;
    const char *check; /* the one looked for */
    size_t count;      /* of all */
};

static void
take(void *ctx, const struct hf_checkup *checkup)
{
    struct told *told = ctx;

    told->count++;
    if (strcmp(checkup->check, told->check) == 0)
        told->checkup = *checkup;
}

static struct told
inspect(struct hf_store *store, const char *check)
{
    struct told told = {.check = check};

    hf_store_inspect(store, suite_soon(), take, &told);
    return told;
}

static void
expect(struct hf_store *store, const char *check, enum hf_grade grade,
       const char *words)
{
    struct told told = inspect(store, check);

    if (told.checkup.check == NULL || told.checkup.grade != grade ||
        strstr(told.checkup.found, words) == NULL)
        fail_msg("%s: %s: '%s' does not say '%s'", check,
                 hf_grade_word(told.checkup.grade), told.checkup.found, words);
    assert_true((grade == HF_GRADE_OK) == (told.checkup.remedy[0] == '\0'));
}

static struct hf_store *
look(const struct files *files)
{
    struct hf_store *store = NULL;
    struct hf_place place;

    assert_int_equal(hf_place_parse(files->place, &place, NULL), HF_OK);
    assert_int_equal(hf_store_open_at(&place, HF_STORE_TO_LOOK, &hf_alloc_libc,
                                      &store, NULL),
                     HF_OK);
    return store;
}

#define FIXTURE_TEST(sentence) TEST_IN(files_set_up, files_tear_down, sentence)

/* ---- Schema -------------------------------------------------------------- */

FIXTURE_TEST(a_place_may_hold_tables_of_others)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);

    expect(store, "schema", HF_GRADE_OK, "version 4, which is ours");
    files_sql(files->path, "CREATE TABLE books(id); CREATE TABLE \"a%s\"(x);"
                           "INSERT INTO books VALUES(1)");
    expect(store, "schema", HF_GRADE_OK, "2 tables of others");
    expect(store, "leftovers", HF_GRADE_OK, "none");
    hf_store_close(store);
}

FIXTURE_TEST(a_later_version_that_came_while_it_was_open_fails)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);

    files_sql(files->path, "PRAGMA user_version=99");
    expect(store, "schema", HF_GRADE_FAIL, "99");
    hf_store_close(store);
}

FIXTURE_TEST(tables_that_are_gone_are_findings)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);

    files_sql(files->path, "DROP VIEW locks; DROP VIEW grants;"
                           "DROP TABLE holdfast_records;");
    expect(store, "clock", HF_GRADE_FAIL, "holdfast_records");
    expect(store, "leftovers", HF_GRADE_FAIL, "holdfast_records");
    hf_store_close(store);
}

/* ---- To look only -------------------------------------------------------- */

FIXTURE_TEST(who_looks_only_changes_nothing)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);
    struct hf_store *looks;
    uint64_t before;

    suite_apply(store, suite_put(suite_key("a"),
                                 suite_absent(store, suite_key("a")), "x"));
    before = files_fingerprint(files->folder);
    looks = look(files);
    expect(looks, "rights", HF_GRADE_OK, "look only");
    expect(looks, "wakeup", HF_GRADE_OK, "inotify");
    assert_true(files_fingerprint(files->folder) == before);
    hf_store_close(looks);
    hf_store_close(store);
}

FIXTURE_TEST(what_is_not_there_is_told_so_and_not_made)
{
    const struct files *files = *state;
    struct hf_store *looks = look(files);

    expect(looks, "schema", HF_GRADE_OK, "nothing is there yet");
    assert_int_equal(inspect(looks, "schema").count, 1);
    assert_int_not_equal(access(files->path, F_OK), 0);
    hf_store_close(looks);
}

FIXTURE_TEST(what_nobody_has_open_is_read_as_it_stands)
{
    const struct files *files = *state;
    struct hf_store *looks;

    hf_store_close(files_open(files));
    files_sql(files->path, "PRAGMA wal_checkpoint"); /* and its log is gone */
    looks = look(files);
    expect(looks, "schema", HF_GRADE_OK, "version 4");
    expect(looks, "wakeup", HF_GRADE_OK, "nobody has the place open");
    assert_int_equal(inspect(looks, "schema").count, 6);
    hf_store_close(looks);
}

/* ---- What befell the files ----------------------------------------------- */

FIXTURE_TEST(a_file_that_was_removed_is_told_and_then_what_is_there)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);
    struct told told;

    assert_int_equal(unlink(files->path), 0);
    told = inspect(store, "schema");
    assert_int_equal(told.checkup.grade, HF_GRADE_FAIL);
    assert_int_equal(inspect(store, "schema").checkup.grade, HF_GRADE_OK);
    hf_store_close(store);
}

FIXTURE_TEST(a_folder_that_may_only_be_read_fails)
{
    const struct files *files = *state;
    struct hf_store *store;

    if (geteuid() == 0)
        skip(); /* who may do all */
    store = files_open(files);
    expect(store, "rights", HF_GRADE_OK, "may be written");
    assert_int_equal(chmod(files->folder, 0500), 0);
    expect(store, "rights", HF_GRADE_FAIL, files->folder);
    assert_non_null(
        strstr(inspect(store, "rights").checkup.remedy, "chmod u+rwX '"));
    assert_int_equal(chmod(files->folder, 0700), 0);
    hf_store_close(store);
}

FIXTURE_TEST(without_inotify_it_is_said_that_it_looks)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);
    struct rlimit before;
    struct rlimit none;
    struct told told;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){0, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    told = inspect(store, "wakeup");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(told.checkup.grade, HF_GRADE_WARN);
    assert_non_null(strstr(told.checkup.found, "every 50ms"));
    assert_non_null(
        strstr(told.checkup.remedy, "fs.inotify.max_user_instances="));
    hf_store_close(store);
}

FIXTURE_TEST(a_clock_behind_the_newest_version_warns)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);
    char sql[128];

    expect(store, "clock", HF_GRADE_OK, "after the newest");
    snprintf(sql, sizeof(sql),
             "UPDATE holdfast_meta SET number=%lld WHERE key='floor'",
             (long long)hf_wall_us() + 3600000000LL);
    files_sql(files->path, sql);
    expect(store, "clock", HF_GRADE_WARN, "behind the newest version");
    files_sql(files->path, "UPDATE holdfast_meta SET number = 1 << 62");
    expect(store, "clock", HF_GRADE_WARN, "of no clock");
    hf_store_close(store);
}

FIXTURE_TEST(leftovers_that_nobody_purges_warn)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);

    files_sql(files->path,
              "WITH RECURSIVE n(i) AS"
              " (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)"
              "INSERT INTO holdfast_records"
              " SELECT 'default', 'n' || i, i, 0, 1700000000000, NULL FROM n");
    expect(store, "leftovers", HF_GRADE_WARN, "1000 tombstones and 0 markers");
    files_sql(files->path, "DELETE FROM holdfast_records WHERE name = 'n7'");
    expect(store, "leftovers", HF_GRADE_OK, "999 tombstones");
    hf_store_close(store);
}

/* ---- Judgements ---------------------------------------------------------- */

static void
expect_file_system(uint32_t type, bool network, enum hf_grade grade,
                   const char *words)
{
    struct hf_checkup checkup = {.check = "durability"};

    hf_sqlite_inspect_filesystem(type, network, &checkup);
    assert_int_equal(checkup.grade, grade);
    assert_non_null(strstr(checkup.found, words));
    assert_true((grade == HF_GRADE_OK) == (checkup.remedy[0] == '\0'));
}

TEST(file_systems_are_known_by_name)
{
    expect_file_system(0xef53, false, HF_GRADE_OK, "on ext4");
    expect_file_system(0x58465342, false, HF_GRADE_OK, "on xfs");
    expect_file_system(0x9123683e, false, HF_GRADE_OK, "on btrfs");
    expect_file_system(0x01021994, false, HF_GRADE_WARN, "on tmpfs: gone");
    expect_file_system(0x794c7630, false, HF_GRADE_WARN, "on overlay");
    expect_file_system(0x6969, false, HF_GRADE_FAIL, "NFS");
    expect_file_system(0x6969, true, HF_GRADE_WARN, "NFS");
    expect_file_system(0x12345678, false, HF_GRADE_OK, "type 0x12345678");
}

TEST(a_path_is_quoted_for_the_shell)
{
    char word[32];

    assert_string_equal(hf_sqlite_inspect_quote("/a b", word, sizeof(word)),
                        "'/a b'");
    assert_string_equal(hf_sqlite_inspect_quote("/a'$(x)", word, sizeof(word)),
                        "'/a'\\''$(x)'");
}
