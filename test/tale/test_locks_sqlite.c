#include "tale/specimen/specimens.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "tale/place/locks_sqlite.h"
#include "tale/run.h"

/* Schedules of table specimens in a real database, which says what the model
 * says; and doubles that make one of them wrong. */

enum { NOBODY = 65534 };

static char folder[] = "/tmp/holdfast-locks-XXXXXX";
static char file[sizeof(folder) + 16];
static char place[sizeof(file) + 16];
static char *told_text;
static size_t told_len;

static int
make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(file, sizeof(file), "%s/locks.db", folder);
    snprintf(place, sizeof(place), "sqlite:%s", file);
    return 0;
}

static int
remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static int
remove_file(void **state)
{
    (void)state;
    free(told_text);
    told_text = NULL;
    return access(file, F_OK) == 0 ? unlink(file) : 0;
}

/* ---- Schedules ----------------------------------------------------------- */

struct schedule {
    struct specimen_run run;
    uint16_t actions[RUN_SCHEDULE_MAX];
    size_t len;
    const char *violated; /* by the last step; or NULL */
};

static struct schedule
found(const char *name)
{
    struct schedule s = {.run = specimen_run_of(specimens_find(name), 0)};
    struct explore_limits limits = {.faults = s.run.specimen->faults,
                                    .memory_max = 1ull << 30};
    struct explore_system system = specimen_system(&s.run);
    struct explore_report report;

    assert_true(explore_all(&system, &limits, &report));
    assert_int_equal(report.verdict, EXPLORE_VIOLATED);
    assert_true(report.schedule_len <= RUN_SCHEDULE_MAX);
    memcpy(s.actions, report.schedule,
           report.schedule_len * sizeof(s.actions[0]));
    s.len = report.schedule_len;
    s.violated = report.violated;
    explore_report_fini(&report);
    return s;
}

static struct schedule
parsed(const char *line)
{
    struct schedule s;
    const char *why = NULL;
    int len = run_parse(line, &s.run, s.actions, &why);

    if (len < 0)
        fail_msg("%s: %s", line, why);
    s.len = (size_t)len;
    s.violated = NULL;
    return s;
}

static bool
is_possible(struct schedule *s)
{
    static struct told told;
    bool valid;

    s->violated = specimen_tell(&s->run, s->actions, s->len, &told, &valid);
    return valid;
}

/* Steps taken at random, until none of many is possible. */
static void
walk(struct schedule *s, uint64_t dice)
{
    s->len = 0;
    for (unsigned tries = 0; tries < 200 && s->len < 40; tries++) {
        unsigned actor;

        dice = dice * 6364136223846793005u + 1442695040888963407u;
        actor = (unsigned)(dice >> 33) % (s->run.workers + 1);
        if (actor == s->run.workers)
            actor = SPECIMEN_WORLD;
        s->actions[s->len++] =
            (uint16_t)(actor * SPECIMEN_CHOICES_MAX +
                       (unsigned)(dice >> 50) % s->run.specimen->choices);
        if (!is_possible(s))
            s->len--;
        else if (s->violated != NULL)
            return;
    }
}

/* ---- Doubles ------------------------------------------------------------- */

/* A place that changes statements on their way to the database. */
struct careless {
    struct locks_place place;
    struct locks_sqlite *inner;
    void (*change)(struct locks_statement *statement);
    unsigned at; /* the statement, from 1; 0: all of them */
    unsigned count;
};

static struct careless *
of(struct locks_place *self)
{
    return (struct careless *)(void *)self;
}

static void
careless_start(struct locks_place *self, const struct locks *locks)
{
    of(self)->inner->place.start(&of(self)->inner->place, locks);
}

static void
careless_run(struct locks_place *self, unsigned worker,
             const struct locks_statement *statement,
             struct locks_answer answer)
{
    struct careless *careless = of(self);
    struct locks_statement changed = *statement;

    if (careless->at == 0 || ++careless->count == careless->at)
        careless->change(&changed);
    careless->inner->place.run(&careless->inner->place, worker, &changed,
                               answer);
}

static void
careless_pass_time(struct locks_place *self)
{
    of(self)->inner->place.pass_time(&of(self)->inner->place);
}

static void
careless_end(struct locks_place *self, const struct told *told, unsigned first,
             const struct locks *locks)
{
    struct locks_place *inner = &of(self)->inner->place;

    inner->end(inner, told, first, locks);
    self->stopped = inner->stopped;
}

static void
drop_where(struct locks_statement *statement)
{
    statement->where = 0;
}

static void
forget_owner(struct locks_statement *statement)
{
    statement->set &= ~(unsigned)LOCKS_OWNER;
}

static void
execute(const char *sql)
{
    sqlite3 *connection = NULL;

    assert_int_equal(sqlite3_open(file, &connection), SQLITE_OK);
    assert_int_equal(sqlite3_exec(connection, sql, NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_close(connection), SQLITE_OK);
}

static void
add_a_row(struct locks_statement *statement)
{
    (void)statement;
    execute("INSERT INTO locks (name) VALUES ('another')");
}

static void
drop_the_table(struct locks_statement *statement)
{
    (void)statement;
    execute("DROP TABLE locks");
}

/* ---- Replaying ----------------------------------------------------------- */

/* Replay with a double, if there is a change; what became of it is for the
 * caller to look at, and `told_text` what was told. */
static struct locks_sqlite
replay(const struct schedule *s, void (*change)(struct locks_statement *),
       unsigned at)
{
    static struct locks_sqlite database;
    static struct told told;
    FILE *to;
    struct careless careless = {
        .place = {careless_start, careless_run, careless_pass_time,
                  careless_end, false},
        .inner = &database,
        .change = change,
        .at = at,
    };
    struct hf_error error;
    bool valid;

    remove_file(NULL);
    to = open_memstream(&told_text, &told_len);
    assert_non_null(to);
    if (locks_sqlite_open(&database, place, to, &error) != HF_OK)
        fail_msg("%s", error.text);
    specimen_tell_on(&s->run, s->actions, s->len, &told, &valid,
                     change == NULL ? &database.place : &careless.place);
    assert_true(valid);
    locks_sqlite_close(&database);
    fclose(to);
    return database;
}

static void
assert_told(const char *text)
{
    if (strstr(told_text, text) == NULL)
        fail_msg("'%s' is not told in:\n%s", text, told_text);
}

static const char *const names[] = {
    "reclaim-two-transactions", "reclaim-token-only", "close-two-steps",
    "heartbeat-override",       "heartbeat-truncate",
};

enum { NAMES = sizeof(names) / sizeof(names[0]) };

static void
each_schedule_that_is_found_is_true_of_a_real_database(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        struct schedule s = found(names[i]);
        struct locks_sqlite database = replay(&s, NULL, 0);

        print_message("%s\n%s", names[i], told_text);
        assert_string_equal(s.violated, s.run.specimen->expect);
        assert_false(database.differs || database.failed);
        assert_told("BEGIN IMMEDIATE\n");
        assert_told("COMMIT\n");
        assert_told("     the table holds lock (");
    }
}

static void
every_specimen_with_a_table_is_among_them(void **state)
{
    unsigned count = 0;

    (void)state;
    for (unsigned i = 0; i < specimens_count; i++)
        count += specimens[i]->locks != NULL;
    for (size_t i = 0; i < NAMES; i++)
        assert_non_null(specimens_find(names[i])->locks);
    assert_int_equal(count, NAMES);
}

static void
so_are_steps_at_random_whatever_is_set(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++)
        for (unsigned setting = 0; setting < 2; setting++)
            for (uint64_t seed = 1; seed <= 3; seed++) {
                struct schedule s = {
                    .run = specimen_run_of(specimens_find(names[i]), 3)};
                struct locks_sqlite database;

                s.run.settings[0] = setting;
                walk(&s, seed);
                assert_true(s.len >= 3);
                database = replay(&s, NULL, 0);
                print_message("%s %u %u: %zu steps\n", names[i], setting,
                              (unsigned)seed, s.len);
                if (database.differs || database.failed)
                    fail_msg("%s", told_text);
            }
}

static void
a_statement_without_its_where_is_a_difference_at_its_step(void **state)
{
    struct schedule s =
        parsed("reclaim-token-only,check=freshness:2:1,1.1,0,2,1.2,2");
    struct locks_sqlite database = replay(&s, drop_where, 0);

    (void)state;
    assert_true(database.differs);
    assert_true(database.place.stopped);
    assert_told("\n     step 6: the model says no row, the database says 1 "
                "row\n");
    assert_null(strstr(told_text, "  7. "));
}

static void
the_first_difference_ends_the_tale(void **state)
{
    struct schedule s = found("reclaim-two-transactions");
    struct locks_sqlite database = replay(&s, forget_owner, 8);

    (void)state;
    assert_true(database.differs);
    assert_told("     step 5: the model says the table holds lock (token 2, "
                "owner 2), reclaim (token 1), the database says lock (token "
                "2), reclaim (token 1)\n");
    assert_null(strstr(told_text, "  6. "));
}

static void
what_the_table_holds_is_compared_too(void **state)
{
    struct schedule s = found("close-two-steps");
    struct locks_sqlite database = replay(&s, forget_owner, 1);

    (void)state;
    assert_true(database.differs);
    assert_told("step 1: the model says the table holds lock (token 1, owner "
                "1), the database says lock (token 1)\n");
}

static void
a_row_that_no_model_has_is_a_difference(void **state)
{
    struct schedule s = found("heartbeat-truncate");
    struct locks_sqlite database = replay(&s, add_a_row, 2);

    (void)state;
    assert_true(database.differs);
    assert_told("step 3: the model says the table holds lock (owner 1, "
                "stale), the database says lock (owner 1, stale), and more\n");
}

static void
a_database_that_fails_is_no_difference(void **state)
{
    struct schedule s = found("heartbeat-truncate");
    struct locks_sqlite database = replay(&s, drop_the_table, 2);

    (void)state;
    assert_true(database.failed);
    assert_false(database.differs);
    assert_true(database.place.stopped);
    assert_told("     step 3: the database fails: no such table: locks\n");
}

/* ---- Places -------------------------------------------------------------- */

static enum hf_status
refusal(const char *text, struct hf_error *error)
{
    static struct locks_sqlite database;
    enum hf_status status = locks_sqlite_open(&database, text, stdout, error);

    assert_int_not_equal(status, HF_OK);
    assert_int_equal(error->status, status);
    assert_null(strchr(error->text, '\n'));
    return status;
}

static void
what_is_no_place_for_a_new_database_is_refused(void **state)
{
    char text[sizeof(place) + 32];
    struct hf_error error;

    (void)state;
    assert_int_equal(refusal("locks.db", &error), HF_E_INVALID);
    assert_int_equal(refusal("mysql:locks", &error), HF_E_INVALID);
    assert_int_equal(refusal("memory:", &error), HF_E_INVALID);
    assert_int_equal(refusal("sqlite:", &error), HF_E_INVALID);
    snprintf(text, sizeof(text), "sqlite:%s", folder);
    assert_int_equal(refusal(text, &error), HF_E_INVALID);
    snprintf(text, sizeof(text), "sqlite:%s/nowhere/locks.db", folder);
    assert_int_equal(refusal(text, &error), HF_E_UNAVAILABLE);
}

static void
a_folder_that_may_not_be_written_is_refused(void **state)
{
    struct hf_error error;

    (void)state;
    assert_int_equal(chmod(folder, 0500), 0);
    if (getuid() == 0) /* who may write anywhere */
        assert_int_equal(seteuid(NOBODY), 0);
    assert_int_equal(refusal(place, &error), HF_E_DENIED);
    assert_int_equal(seteuid(getuid()), 0);
    assert_int_equal(chmod(folder, 0700), 0);
}

static void
a_file_that_is_not_empty_is_refused_and_left_as_it_is(void **state)
{
    static const char content[] = "somebody's";
    char found_there[32] = "";
    struct hf_error error;
    struct stat before;
    struct stat after;
    FILE *at = fopen(file, "w");

    (void)state;
    assert_non_null(at);
    fputs(content, at);
    fclose(at);
    assert_int_equal(stat(file, &before), 0);
    assert_int_equal(refusal(place, &error), HF_E_CORRUPT);
    assert_int_equal(stat(file, &after), 0);
    assert_memory_equal(&before.st_mtim, &after.st_mtim,
                        sizeof(before.st_mtim));
    at = fopen(file, "r");
    assert_non_null(at);
    assert_non_null(fgets(found_there, sizeof(found_there), at));
    fclose(at);
    assert_string_equal(found_there, content);
}

static void
a_journal_without_its_database_is_refused(void **state)
{
    char journal[sizeof(file) + 16];
    struct hf_error error;
    FILE *at;

    (void)state;
    snprintf(journal, sizeof(journal), "%s-journal", file);
    at = fopen(journal, "w");
    assert_non_null(at);
    fclose(at);
    assert_int_equal(refusal(place, &error), HF_E_CORRUPT);
    assert_int_equal(unlink(journal), 0);
    assert_int_not_equal(access(file, F_OK), 0);
}

static void
an_empty_file_is_taken(void **state)
{
    static struct locks_sqlite database;
    struct hf_error error;
    FILE *at = fopen(file, "w");

    (void)state;
    assert_non_null(at);
    fclose(at);
    assert_int_equal(locks_sqlite_open(&database, place, stdout, &error),
                     HF_OK);
    locks_sqlite_close(&database);
}

#define TEST(name) cmocka_unit_test_teardown(name, remove_file)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_schedule_that_is_found_is_true_of_a_real_database),
        TEST(every_specimen_with_a_table_is_among_them),
        TEST(so_are_steps_at_random_whatever_is_set),
        TEST(a_statement_without_its_where_is_a_difference_at_its_step),
        TEST(the_first_difference_ends_the_tale),
        TEST(what_the_table_holds_is_compared_too),
        TEST(a_row_that_no_model_has_is_a_difference),
        TEST(a_database_that_fails_is_no_difference),
        TEST(what_is_no_place_for_a_new_database_is_refused),
        TEST(a_folder_that_may_not_be_written_is_refused),
        TEST(a_file_that_is_not_empty_is_refused_and_left_as_it_is),
        TEST(a_journal_without_its_database_is_refused),
        TEST(an_empty_file_is_taken),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
