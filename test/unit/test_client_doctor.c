#include "support/test.h"
#include "unit/support/clients.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "client/table/doctor.h"
#include "store/memory.h"
#include "store/postgresql.h"
#include "store/memory.h"
#include "store/postgresql.h"
#include "store/sqlite_inspect.h"
#include "support/forward_store.h"
#include "support/get_one.h"

/* What a doctor says of a place and of this host, and what it leaves there. */

static const char *const checks[] = {
    "reachable", "schema", "rights",  "durability", "clock",
    "leftovers", "wakeup", "latency", "evidence",   "neighbours",
};
enum { CHECKS = sizeof(checks) / sizeof(checks[0]) };

/* How far this process's time is ahead: a slow place takes no time to test. */
static _Atomic int64_t ahead_ms;

/* In place of the C library's. */
int
clock_gettime(clockid_t clock_id, struct timespec *tp)
{
    int code = (int)syscall(SYS_clock_gettime, clock_id, tp);

    if (code == 0 && clock_id == CLOCK_BOOTTIME) {
        tp->tv_sec += (time_t)(ahead_ms / 1000);
        tp->tv_nsec += (long)(ahead_ms % 1000) * 1000000;
        tp->tv_sec += tp->tv_nsec / 1000000000;
        tp->tv_nsec %= 1000000000;
    }
    return code;
}

/* ---- Asking -------------------------------------------------------------- */

struct told {
    struct hf_view *rows[16];
    size_t count;
};

static void
forget(struct told *told)
{
    while (told->count > 0)
        hf_view_free(told->rows[--told->count]);
}

static struct told
take_rows(struct hf_query *query)
{
    struct told told = {.count = 0};
    struct hf_view *row;

    assert_int_equal(hf_query_error(query, NULL), HF_OK);
    while ((row = hf_query_next(query)) != NULL) {
        bool fine = hf_view_number(row, HF_FIELD_GRADE) == HF_GRADE_OK;
        bool to_do = hf_view_text(row, HF_FIELD_REMEDY)[0] != '\0';

        assert_int_not_equal(fine, to_do);
        assert_true(hf_view_text(row, HF_FIELD_FOUND)[0] != '\0');
        assert_true(told.count < sizeof(told.rows) / sizeof(told.rows[0]));
        told.rows[told.count++] = row;
    }
    hf_query_free(query);
    return told;
}

static struct told
consult(struct hf_client *client)
{
    struct hf_query *query = new_query(client, HF_DOCTOR, NULL);

    assert_int_equal(ask(query), HF_OK);
    return take_rows(query);
}

static const struct hf_view *
row_of(const struct told *told, const char *check)
{
    size_t i = 0;

    while (i < told->count &&
           strcmp(hf_view_text(told->rows[i], HF_FIELD_CHECK), check) != 0)
        i++;
    if (i == told->count)
        fail_msg("%s was not looked at", check);
    return told->rows[i];
}

static void
expect(const struct told *told, const char *check, enum hf_grade grade,
       const char *found, const char *remedy)
{
    const struct hf_view *row = row_of(told, check);

    if (hf_view_number(row, HF_FIELD_GRADE) != (int64_t)grade ||
        strstr(hf_view_text(row, HF_FIELD_FOUND), found) == NULL ||
        strstr(hf_view_text(row, HF_FIELD_REMEDY), remedy) == NULL)
        fail_msg("%s is %s: %s: %s", check, hf_view_text(row, HF_FIELD_GRADE),
                 hf_view_text(row, HF_FIELD_FOUND),
                 hf_view_text(row, HF_FIELD_REMEDY));
}

/* However busy this machine is. */
static void
expect_measured(const struct told *told)
{
    const char *found = hf_view_text(row_of(told, "latency"), HF_FIELD_FOUND);

    assert_non_null(strstr(found, "a durable commit takes "));
}

static void
expect_all(const struct told *told)
{
    assert_int_equal(told->count, CHECKS);
    for (size_t i = 0; i < CHECKS; i++)
        assert_string_equal(hf_view_text(told->rows[i], HF_FIELD_CHECK),
                            checks[i]);
}

static struct hf_client *
open_to_look(const char *place)
{
    struct hf_client *client = NULL;

    assert_int_equal(hf_client_new(NULL, &client, NULL), HF_OK);
    assert_int_equal(hf_client_set(client, HF_LOOK_ONLY, "yes", NULL), HF_OK);
    assert_int_equal(hf_client_open(client, place, NULL), HF_OK);
    return client;
}

static int64_t
count_rows(const struct file_place *place, const char *where)
{
    char sql[256];
    int64_t count;
    sqlite3_stmt *statement = NULL;
    sqlite3 *db = NULL;

    snprintf(sql, sizeof(sql), "SELECT count(*) FROM holdfast_records WHERE %s",
             where);
    assert_int_equal(sqlite3_open(place->url + strlen("sqlite:"), &db),
                     SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    count = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return count;
}

/* ---- Sound places -------------------------------------------------------- */

TEST(a_place_in_memory_is_well_but_gone_with_its_process)
{
    struct hf_client *client = open_client("memory:doctor");
    struct told told = consult(client);

    expect_all(&told);
    expect(&told, "reachable", HF_GRADE_OK, "answered in ", "");
    expect(&told, "rights", HF_GRADE_OK, "", "");
    expect(&told, "durability", HF_GRADE_WARN, "gone with this process",
           "sqlite:/path/locks.db");
    expect_measured(&told);
    expect(&told, "clock", HF_GRADE_OK, "", "");
    expect(&told, "leftovers", HF_GRADE_OK, "none", "");
    expect(&told, "wakeup", HF_GRADE_OK, "at once", "");
    forget(&told);
    close_client(client);
}

/* The latency is this machine's, and so is the file system. */
TEST(a_file_is_looked_at_as_a_whole)
{
    struct hf_checkup kept = {.check = "durability"};
    struct file_place place;
    struct hf_client *client;
    struct statfs found;
    struct told told;

    make_place(&place);
    client = open_client(place.url);
    told = consult(client);
    expect_all(&told);
    expect(&told, "reachable", HF_GRADE_OK, "answered in ", "");
    expect(&told, "schema", HF_GRADE_OK, "version 4, which is ours", "");
    expect(&told, "rights", HF_GRADE_OK, "may be written", "");
    assert_int_equal(statfs(place.folder, &found), 0);
    hf_sqlite_inspect_filesystem((uint32_t)found.f_type, false, &kept);
    expect(&told, "durability", kept.grade, "journal wal; synchronous FULL",
           kept.remedy);
    expect(&told, "durability", kept.grade, kept.found, "");
    expect(&told, "clock", HF_GRADE_OK, "", "");
    expect(&told, "leftovers", HF_GRADE_OK, "none", "");
    expect(&told, "wakeup", HF_GRADE_OK, "inotify", "");
    expect_measured(&told);
    forget(&told);
    close_client(client);
    remove_place(&place);
}

TEST(it_leaves_one_tombstone_however_often_it_is_asked)
{
    struct file_place place;
    struct hf_client *client;

    make_place(&place);
    client = open_client(place.url);
    for (int i = 0; i < 3; i++) {
        struct told told = consult(client);

        expect(&told, "leftovers", HF_GRADE_OK,
               i == 0 ? "none" : "1 tombstone and 0 markers", "");
        forget(&told);
    }
    assert_int_equal(count_rows(&place, "value IS NOT NULL"), 0);
    assert_int_equal(count_rows(&place, "space = '!doctor'"), 1);
    assert_int_equal(count_rows(&place, "1"), 1);
    close_client(client);
    remove_place(&place);
}

TEST(no_lock_is_disturbed)
{
    struct file_place place;
    struct hf_client *client;
    struct hf_client *other;
    struct hf_lock *lock;
    struct told told;
    uint64_t fence;

    make_place(&place);
    client = open_client(place.url);
    other = open_client(place.url);
    lock = hold(client, "deploy", NULL);
    fence = hf_lock_fence(lock);
    for (int i = 0; i < 2; i++) {
        told = consult(i == 0 ? client : other);
        forget(&told);
    }
    assert_int_equal(hf_lock_check(lock), HF_GRANTED);
    assert_true(hf_lock_fence(lock) == fence);
    assert_int_equal(count_rows(&place, "value IS NOT NULL"), 1);
    assert_int_equal(give_back(lock), HF_OK);
    told = consult(other);
    expect(&told, "leftovers", HF_GRADE_OK, "2 tombstones", "");
    forget(&told);
    close_client(other);
    close_client(client);
    remove_place(&place);
}

TEST(two_doctors_at_once_do_not_mind_each_other)
{
    struct file_place place;
    struct hf_client *clients[2];
    struct hf_query *queries[2];

    make_place(&place);
    for (int i = 0; i < 2; i++) {
        clients[i] = open_client(place.url);
        queries[i] = new_query(clients[i], HF_DOCTOR, NULL);
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(hf_query_start(queries[i], NULL), HF_OK);
    for (int i = 0; i < 2; i++) {
        struct told told;

        assert_true(hf_query_wait(queries[i], HF_FOREVER));
        told = take_rows(queries[i]);
        expect_all(&told);
        forget(&told);
    }
    assert_int_equal(count_rows(&place, "value IS NOT NULL"), 0);
    for (int i = 0; i < 2; i++)
        close_client(clients[i]);
    remove_place(&place);
}

/* ---- To look only -------------------------------------------------------- */

TEST(who_looks_only_measures_nothing_and_writes_nothing)
{
    struct file_place place;
    struct hf_client *client;
    struct told told;

    make_place(&place);
    client = open_to_look(place.url);
    told = consult(client);
    expect(&told, "reachable", HF_GRADE_OK, "answered in ", "");
    expect(&told, "schema", HF_GRADE_OK, "nothing is there yet", "");
    expect(&told, "latency", HF_GRADE_OK, "look only", "");
    (void)row_of(&told, "evidence");
    (void)row_of(&told, "neighbours");
    assert_int_equal(told.count, 5);
    forget(&told);
    assert_int_not_equal(access(place.url + strlen("sqlite:"), F_OK), 0);

    close_client(open_client(place.url));
    told = consult(client);
    expect_all(&told);
    expect(&told, "rights", HF_GRADE_OK, "opened to look only", "");
    expect(&told, "latency", HF_GRADE_OK, "look only", "");
    forget(&told);
    close_client(client);
    assert_int_equal(count_rows(&place, "1"), 0);
    remove_place(&place);
}

TEST(a_folder_that_may_only_be_read_fails)
{
    struct file_place place;
    struct hf_client *client;
    struct told told;

    if (geteuid() == 0)
        skip(); /* who may do all */
    make_place(&place);
    client = open_client(place.url);
    assert_int_equal(chmod(place.folder, 0500), 0);
    told = consult(client);
    expect(&told, "rights", HF_GRADE_FAIL, place.folder, "chmod u+rwX '/tmp/");
    expect_measured(&told);
    forget(&told);
    assert_int_equal(chmod(place.folder, 0700), 0);
    close_client(client);
    remove_place(&place);
}

/* ---- Places that are not well -------------------------------------------- */

/* In front of a place in memory: how long it takes, and what it answers. */
struct ill {
    struct forward_store forward;
    int64_t commit_ms;
    int64_t read_ms;
    bool unknown; /* it writes, and does not tell */
    bool away;
};

static enum hf_status
get(struct hf_store *store, const struct hf_key *keys, size_t keys_count,
    struct hf_instant until, hf_store_found_fn *found, void *ctx,
    struct hf_error *error)
{
    const struct ill *ill = (struct ill *)(void *)store;

    ahead_ms += ill->read_ms;
    if (ill->away) {
        *error = (struct hf_error){HF_E_UNAVAILABLE, "the disk is full"};
        return HF_E_UNAVAILABLE;
    }
    return forward_store_get(store, keys, keys_count, until, found, ctx, error);
}

static void
commit(struct hf_store *store, struct hf_store_group *groups,
       size_t groups_count, struct hf_instant until, struct hf_error *error)
{
    const struct ill *ill = (struct ill *)(void *)store;

    forward_store_commit(store, groups, groups_count, until, error);
    ahead_ms += ill->commit_ms;
    if (!ill->unknown || groups[0].ops[0].kind == HF_DELETE)
        return;
    groups[0].verdict = HF_UNKNOWN;
    *error = (struct hf_error){HF_E_UNKNOWN, "no answer came"};
}

static struct told
consult_ill(const struct ill *how)
{
    static const struct hf_store_methods changed = {
        .get = get,
        .commit = commit,
    };
    struct hf_store *beside = NULL;
    struct hf_record record;
    struct hf_client *client;
    struct told told;
    struct ill *ill = forward_store_open("memory:ill", sizeof(*ill), &changed);

    assert_non_null(ill);
    ill->commit_ms = how->commit_ms;
    ill->read_ms = how->read_ms;
    ill->unknown = how->unknown;
    ill->away = how->away;
    assert_int_equal(hf_store_open("memory:ill", &hf_alloc_libc, &beside, NULL),
                     HF_OK);
    client = open_client_on(&ill->forward.base, "memory:ill");
    told = consult(client);
    close_client(client);
    assert_int_equal(get_one(beside, (struct hf_key){"!doctor", "probe"},
                             HF_NEVER, &record, NULL),
                     HF_OK);
    assert_false(record.exists);
    hf_store_close(beside);
    expect_all(&told);
    return told;
}

TEST(a_slow_place_is_told_in_figures)
{
    struct told told;

    told = consult_ill(&(struct ill){.commit_ms = 100});
    expect(&told, "latency", HF_GRADE_OK, "takes 100ms (median of 5", "");
    expect(&told, "latency", HF_GRADE_OK,
           "ttl of 30s allows 9.2s; good for a ttl from 3s up, and for 19 "
           "processes at most that beat every 2s",
           "");
    forget(&told);
    told = consult_ill(&(struct ill){.commit_ms = 300});
    expect(&told, "latency", HF_GRADE_WARN, "6 processes", "quicker disk");
    forget(&told);
    told = consult_ill(&(struct ill){.commit_ms = 3000});
    expect(&told, "latency", HF_GRADE_WARN,
           "takes 3s (median of 2, the slowest 3s)", "--ttl 45s");
    expect(&told, "latency", HF_GRADE_WARN, "not for a beat every 2s", "");
    forget(&told);
    told = consult_ill(&(struct ill){.commit_ms = 9500});
    expect(&told, "latency", HF_GRADE_FAIL, "takes 9.5s", "--ttl 2m");
    forget(&told);
    told = consult_ill(&(struct ill){.read_ms = 1500});
    expect(&told, "reachable", HF_GRADE_WARN, "answered in 1.5s", "iostat");
    forget(&told);
}

TEST(a_place_that_does_not_answer_fails_in_its_own_words)
{
    struct told told;

    told = consult_ill(&(struct ill){.away = true});
    expect(&told, "reachable", HF_GRADE_FAIL, "the disk is full", "");
    expect(&told, "latency", HF_GRADE_FAIL, "the disk is full", "");
    forget(&told);
    told = consult_ill(&(struct ill){.unknown = true});
    expect(&told, "reachable", HF_GRADE_OK, "", "");
    expect(&told, "latency", HF_GRADE_FAIL, "no answer came", "");
    forget(&told);
}

/* ---- What the figures mean ----------------------------------------------- */

static struct hf_checkup
judge(int64_t a_us, int64_t b_us, int64_t c_us)
{
    const int64_t took_us[] = {a_us, b_us, c_us};
    struct hf_checkup checkup = {.check = "latency"};

    hf_doctor_latency(took_us, 3, &hf_memory_kind, &checkup);
    return checkup;
}

/* What is to be done is another thing in each kind of place. */
TEST(a_slow_database_is_not_helped_by_this_hosts_disk)
{
    const int64_t took_us[] = {300000};
    struct hf_checkup checkup = {.check = "latency"};

    hf_doctor_latency(took_us, 1, &hf_postgresql_kind, &checkup);
    assert_int_equal(checkup.grade, HF_GRADE_WARN);
    assert_non_null(strstr(checkup.remedy, "pg_stat_activity"));
    assert_null(strstr(checkup.remedy, "iostat"));
}

TEST(the_median_counts_and_the_slowest_warns)
{
    assert_int_equal(judge(80, 1, 9).grade, HF_GRADE_OK);
    assert_non_null(strstr(judge(80, 1, 9).found,
                           "takes 9us (median of 3, the slowest "
                           "80us)"));
    assert_non_null(strstr(judge(80, 1, 9).found, "more than 10000"));
    assert_int_equal(judge(3120, 4000, 2000).grade, HF_GRADE_OK);
    assert_non_null(strstr(judge(3120, 4000, 2000).found, "takes 3.1ms"));
    assert_int_equal(judge(200000, 9, 200000).grade, HF_GRADE_OK);
    assert_int_equal(judge(200001, 9, 200001).grade, HF_GRADE_WARN);
    assert_int_equal(judge(9, 2312500, 9).grade, HF_GRADE_OK);
    assert_int_equal(judge(9, 2312501, 9).grade, HF_GRADE_WARN);
    assert_int_equal(judge(9250000, 9250000, 9).grade, HF_GRADE_WARN);
    assert_int_equal(judge(9250001, 9250001, 9).grade, HF_GRADE_FAIL);
    assert_non_null(
        strstr(judge(INT64_C(3600000000), INT64_C(3600000000), 0).remedy,
               "no ttl would do"));
}

static void
expect_evidence(const struct hf_process_survey *survey, enum hf_grade grade,
                const char *found, const char *remedy)
{
    struct hf_checkup checkup = {.check = "evidence"};

    hf_doctor_evidence(survey, &checkup);
    assert_int_equal(checkup.grade, grade);
    assert_non_null(strstr(checkup.found, found));
    assert_non_null(strstr(checkup.remedy, remedy));
}

TEST(it_says_what_can_be_seen_of_a_dead_holder)
{
    struct hf_process_survey all = {true, true, true, true, true};
    struct hf_process_survey survey = all;

    expect_evidence(&survey, HF_GRADE_OK, "on this host is seen at once", "");
    survey.sees_others = false;
    expect_evidence(&survey, HF_GRADE_WARN, "/proc hides it", "hidepid=0");
    survey.has_pidfds = false;
    expect_evidence(&survey, HF_GRADE_WARN, "no pidfd", "seccomp");
    survey = all;
    survey.knows_starts = false;
    expect_evidence(&survey, HF_GRADE_WARN, "time namespace", "outside");
    survey.knows_processes = false;
    expect_evidence(&survey, HF_GRADE_WARN, "pid namespace", "--mount-proc");
    survey.knows_boot = false;
    expect_evidence(&survey, HF_GRADE_WARN, "silence for its ttl alone",
                    "mount -t proc");
}
