#include "support/files.h"
#include "support/journals.h"
#include "support/test.h"

#include <string.h>

#include "base/alloc.h"
#include "store/place.h"
#include "store/sqlite_sql.h"

/* What is in the file: its schema and how it is made, and the view that
 * people see at a prompt. */

enum { ROWS_SIZE = 8192 };

static struct hf_store_op
put_in(struct hf_store *store, const char *space, const char *name,
       const char *value)
{
    struct hf_key key = {space, name};

    return suite_put(key, suite_absent(store, key), value);
}

static void
expect_rows(const struct files *files, const char *sql, const char *expected)
{
    char rows[ROWS_SIZE];

    files_query(files->path, sql, rows, sizeof(rows));
    assert_string_equal(rows, expected);
}

#define FIXTURE_TEST(sentence) TEST_IN(files_set_up, files_tear_down, sentence)

/* ---- The view ------------------------------------------------------------ */

FIXTURE_TEST(the_view_shows_locks_and_their_owners)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);
    uint64_t version = suite_apply(
        store, put_in(store, "default", "deploy",
                      "{\"lock\":\"7_0\",\"owner\":{\"user\":\"ann\","
                      "\"host\":\"db1\",\"command\":\"./migrate\"}}"));
    char expected[256];

    hf_store_close(store);
    snprintf(expected, sizeof(expected),
             "default|deploy|1|%llu|ann@db1: ./migrate|7_0\n",
             (unsigned long long)version);
    expect_rows(files,
                "SELECT space, name, heartbeat GLOB"
                " '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T"
                "[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]Z',"
                " fence, owner, json_extract(value, '$.lock') FROM locks",
                expected);
    expect_rows(files,
                "SELECT abs(julianday('now') - julianday(heartbeat)) < 0.01"
                " FROM locks",
                "1\n");
}

FIXTURE_TEST(the_view_hides_tombstones_and_our_own_spaces)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);
    struct hf_key dead = suite_key("dead");

    suite_apply(store, put_in(store, "default", "lives", "{}"));
    suite_apply(store, put_in(store, "!audit", "hidden", "{}"));
    suite_apply(store, put_in(store, "!RECLAIM", "hidden", "{}"));
    suite_apply(store, suite_delete(dead, suite_absent(store, dead)));
    hf_store_close(store);
    expect_rows(files, "SELECT name FROM locks", "lives\n");
}

FIXTURE_TEST(the_view_survives_values_that_are_not_ours)
{
    const struct files *files = *state;
    struct hf_store *store = files_open(files);

    suite_apply(store, put_in(store, "default", "a", "no JSON {"));
    suite_apply(store, put_in(store, "default", "b", ""));
    suite_apply(store, put_in(store, "default", "c", "[1,2]"));
    suite_apply(store, put_in(store, "default", "d", "{\"owner\":7}"));
    hf_store_close(store);
    expect_rows(files, "SELECT name, owner FROM locks ORDER BY name",
                "a|NULL\nb|NULL\nc|NULL\nd|NULL\n");
}

/* ---- The view of what a lock server has ---------------------------------- */

#define ID_1      UINT64_C(0xf3ab91c07d5e24a1)
#define ID_2      UINT64_C(0xa2)
#define SESSION_1 "f3ab91c07d5e24a1"
#define SESSION_2 "00000000000000a2"

static void
put_rows(const struct files *files, const struct hf_journal_change *rows,
         size_t count)
{
    const struct hf_head head = journals_head("n1", "db1:7420");
    struct hf_journal *journal = journals_open(files->place);

    journals_put(journal, &head, rows, count);
    hf_journal_close(journal);
}

FIXTURE_TEST(the_view_of_grants_has_a_row_for_each_lock_with_its_session)
{
    const struct files *files = *state;
    struct hf_journal_change rows[] = {
        journals_session(ID_1),
        journals_session(ID_2),
        journals_grant(
            102, ID_2,
            "[{\"space\":\"default\",\"name\":\"c\",\"mode\":\"shared\"}]"),
        journals_grant(
            101, ID_1,
            "[{\"space\":\"default\",\"name\":\"a\",\"mode\":\"exclusive\"},"
            "{\"space\":\"app\",\"name\":\"b\",\"mode\":\"shared\"}]"),
    };

    rows[1].session.who = (struct hf_bytes){"bob@db2", 7};
    put_rows(files, rows, 4);
    expect_rows(files,
                "SELECT space, name, mode, fence, session, lane, since,"
                " if_dead, ttl_ms, who, note FROM grants ORDER BY fence, name",
                "default|a|exclusive|101|" SESSION_1 "|4|"
                "2025-11-22T22:31:30.123Z|refuse|30000|ann@db1|why\n"
                "app|b|shared|101|" SESSION_1 "|4|"
                "2025-11-22T22:31:30.123Z|refuse|30000|ann@db1|why\n"
                "default|c|shared|102|" SESSION_2 "|4|"
                "2025-11-22T22:31:30.123Z|refuse|30000|bob@db2|why\n");
    expect_rows(files, "SELECT count(*) FROM locks", "0\n");
    expect_rows(files, "SELECT session, ttl_ms, if_dead, who FROM sessions",
                SESSION_1 "|30000|refuse|ann@db1\n" SESSION_2
                          "|30000|refuse|bob@db2\n");
    expect_rows(files, "SELECT node, address, next_fence FROM leader",
                "n1|db1:7420|9\n");
}

#define ONE_LOCK "[{\"space\":\"default\",\"name\":\"a\",\"mode\":\"shared\"}]"

/* Its session is over, though its own row was not swept yet. */
FIXTURE_TEST(the_view_of_grants_hides_what_is_void)
{
    const struct files *files = *state;
    const struct hf_journal_change rows[] = {
        journals_session(ID_1),
        journals_session(ID_2),
        journals_grant(1, ID_1, ONE_LOCK),
        journals_grant(2, ID_2, ONE_LOCK),
        journals_grant(3, ID_2, ONE_LOCK),
    };
    const struct hf_journal_change gone[] = {
        {.kind = HF_CHANGE_DELETE_SESSION, .key = ID_1},
        {.kind = HF_CHANGE_DELETE_GRANT, .key = 3},
    };

    put_rows(files, rows, 5);
    expect_rows(files, "SELECT fence FROM grants ORDER BY fence", "1\n2\n3\n");
    put_rows(files, gone, 2);
    expect_rows(files, "SELECT fence FROM grants", "2\n");
    expect_rows(files, "SELECT count(*) FROM holdfast_grants", "2\n");
}

FIXTURE_TEST(the_view_of_grants_survives_values_that_are_not_ours)
{
    static const char *const locks[] = {
        "no JSON {", "", "7", "[]", "\"x\"", "{\"x\":{\"name\":1}}", ONE_LOCK};
    const struct files *files = *state;
    struct hf_journal_change rows[8] = {journals_session(ID_1)};

    for (size_t i = 0; i < 7; i++)
        rows[1 + i] = journals_grant(101 + i, ID_1, locks[i]);
    put_rows(files, rows, 8);
    expect_rows(files,
                "SELECT fence, space, name FROM grants"
                " WHERE name IS NOT NULL ORDER BY fence",
                "106|NULL|1\n107|default|a\n");
}

/* Each grant's session is looked up, and not looked for. */
FIXTURE_TEST(the_view_of_grants_finds_a_session_by_its_key)
{
    const struct files *files = *state;
    char plan[1024];

    hf_store_close(files_open(files));
    files_query(files->path, "EXPLAIN QUERY PLAN SELECT * FROM grants", plan,
                sizeof(plan));
    assert_non_null(
        strstr(plan, "SEARCH holder USING INTEGER PRIMARY KEY (rowid=?)"));
}

FIXTURE_TEST(what_is_typed_at_a_prompt_has_the_right_type)
{
    const struct files *files = *state;

    hf_store_close(files_open(files));
    assert_int_not_equal(files_try_sql(files->path,
                                       "INSERT INTO holdfast_records"
                                       " VALUES('default','a','x',1,1,'{}')"),
                         SQLITE_OK);
    assert_int_not_equal(files_try_sql(files->path,
                                       "INSERT INTO holdfast_records"
                                       " VALUES('default','a',-1,1,1,'{}')"),
                         SQLITE_OK);
    assert_int_not_equal(files_try_sql(files->path,
                                       "INSERT INTO holdfast_records"
                                       " VALUES('default',NULL,1,1,1,'{}')"),
                         SQLITE_OK);
    files_sql(files->path, "INSERT INTO holdfast_records"
                           " VALUES('default','a',1,1,1,'by hand')");
}

FIXTURE_TEST(a_record_made_by_hand_is_read_and_written_on)
{
    const struct files *files = *state;
    struct hf_key key = suite_key("a");
    struct hf_store *store = files_open(files);

    files_sql(files->path, "INSERT INTO holdfast_records"
                           " VALUES('default','a',5,3,1,'by hand')");
    suite_expect_value(store, key, "by hand");
    assert_true(suite_present(store, key) == 5);
    assert_true(suite_apply(store, suite_delete(key, 5)) > 5);
    hf_store_close(store);
}

/* The highest version the table admits: one more would not fit. */
FIXTURE_TEST(a_version_that_cannot_grow_harms_no_other_group)
{
    const uint64_t highest = (uint64_t)1 << 62;
    const struct files *files = *state;
    struct hf_store *store = files_open(files);
    struct hf_error error = {.status = HF_OK};
    struct hf_store_op ops[2];
    struct hf_store_group groups[] = {
        {.ops = &ops[0], .ops_count = 1},
        {.ops = &ops[1], .ops_count = 1},
    };

    files_sql(files->path,
              "INSERT INTO holdfast_records"
              " VALUES('default','a',4611686018427387904,1,1,'x')");
    ops[0] = suite_put(suite_key("a"), highest, "y");
    ops[1] = put_in(store, "default", "b", "z");
    hf_store_commit(store, groups, 2, suite_soon(), &error);
    assert_int_equal(groups[0].verdict, HF_UNAVAILABLE);
    assert_int_equal(groups[1].verdict, HF_APPLIED);
    assert_int_equal(error.status, HF_E_CORRUPT);
    assert_true(suite_present(store, suite_key("a")) == highest);
    hf_store_close(store);
}

FIXTURE_TEST(the_file_says_whose_it_is_and_which_version)
{
    const struct files *files = *state;

    hf_store_close(files_open(files));
    expect_rows(files, "PRAGMA application_id", "1212566603\n"); /* HFLK */
    expect_rows(files, "PRAGMA user_version", "4\n");
    expect_rows(files, "PRAGMA journal_mode", "wal\n");
    expect_rows(files, "PRAGMA integrity_check", "ok\n");
}

/* Under the write lock it must not read what it does not remove. */
FIXTURE_TEST(a_purge_reads_only_what_it_may_remove)
{
    static const char *const purge[] = {
#define PURGE_SQL(name, sql) [HF_SQL_##name] = sql,
        HF_SQL_TABLE(PURGE_SQL)
#undef PURGE_SQL
    };
    static const enum hf_sql both[] = {HF_SQL_OLD, HF_SQL_PURGE};
    const struct files *files = *state;

    hf_store_close(files_open(files));
    for (size_t i = 0; i < 2; i++) {
        char sql[512];
        char plan[512];

        snprintf(sql, sizeof(sql), "EXPLAIN QUERY PLAN %s", purge[both[i]]);
        files_query(files->path, sql, plan, sizeof(plan));
        assert_non_null(strstr(plan, "SEARCH holdfast_records USING INDEX "
                                     "holdfast_leftovers (stamp<?)"));
        assert_null(strstr(plan, "SCAN holdfast_records"));
    }
}

/* ---- Making it ----------------------------------------------------------- */

static enum hf_status
open_place(const struct files *files, struct hf_error *error)
{
    struct hf_journal *journal = NULL;
    struct hf_place place;
    enum hf_status status = hf_place_parse(files->place, &place, error);

    if (status == HF_OK)
        status = hf_journal_open(&place, &hf_alloc_libc, &journal, error);

    hf_journal_close(journal);
    return status;
}

FIXTURE_TEST(a_file_of_another_version_is_refused_and_not_touched)
{
    const struct files *files = *state;
    struct hf_error error = {.status = HF_OK};

    hf_store_close(files_open(files));
    files_sql(files->path, "PRAGMA user_version=3");
    assert_int_equal(open_place(files, &error), HF_E_CORRUPT);
    assert_non_null(strstr(error.text,
                           "an earlier version of Holdfast made it "
                           "(schema 3, and this one knows only 4): use that "
                           "version, or, if nothing in it is held, move the "
                           "file away"));
    expect_rows(files, "PRAGMA user_version", "3\n");
    files_sql(files->path, "PRAGMA user_version=5");
    assert_int_equal(open_place(files, &error), HF_E_CORRUPT);
    assert_non_null(strstr(error.text, "a later version of Holdfast made it"));
    expect_rows(files, "PRAGMA user_version", "5\n");
}

FIXTURE_TEST(a_file_of_version_0_with_tables_is_none_of_ours)
{
    const struct files *files = *state;
    struct hf_error error = {.status = HF_OK};

    files_sql(files->path, "CREATE TABLE one(x);"
                           "PRAGMA application_id=1212566603");
    assert_int_equal(open_place(files, &error), HF_E_CORRUPT);
    assert_non_null(strstr(error.text, "its tables are not Holdfast's"));
    expect_rows(files, "SELECT name FROM sqlite_schema", "one\n");
}

static bool
open_in_child(void *ctx)
{
    return open_place(ctx, NULL) == HF_OK;
}

/* The floor is set once: made twice, the tables would be in the way. */
FIXTURE_TEST(processes_that_make_it_at_once_make_it_once)
{
    enum { RACERS = 4 };
    struct files *files = *state;
    pid_t children[RACERS];

    for (int round = 0; round < 10; round++) {
        suite_destroy_folder(files->folder);
        suite_remake_folder(files->folder);
        for (int i = 0; i < RACERS; i++)
            children[i] = suite_start(open_in_child, files);
        for (int i = 0; i < RACERS; i++)
            assert_int_equal(suite_end_of(children[i]), 0);
        expect_rows(files, "SELECT count(*) FROM holdfast_meta", "1\n");
    }
}
