#include "tale/place/locks_sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fail.h"
#include "store/place.h"
#include "store/sqlite.h"
#include "tale/place/locks_sql.h"

enum {
    SQL_MAX = 200,
    BUSY_MS = 5000, /* nobody else is expected in this file */
    FILE_MODE = 0666,
};

/* ---- The file ------------------------------------------------------------ */

static enum hf_status
fail_system(struct hf_error *error, const char *what, const char *path)
{
    int code = errno;
    char space[128];

    return hf_fail(
        error,
        code == EACCES || code == EPERM || code == EROFS ? HF_E_DENIED
                                                         : HF_E_UNAVAILABLE,
        "%s %s: %s", what, path, strerror_r(code, space, sizeof(space)));
}

/* What SQLite would take for a part of the database. */
static bool
has_leftovers(const char *path)
{
    static const char *const suffixes[] = {"-journal", "-wal"};
    char beside[HF_PLACE_MAX + 16];

    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        snprintf(beside, sizeof(beside), "%s%s", path, suffixes[i]);
        if (access(beside, F_OK) == 0)
            return true;
    }
    return false;
}

/* An empty file of ours, or one that was empty.  It is looked at, and never
 * opened, before it is known to be. */
static enum hf_status
make_file(const char *path, struct hf_error *error)
{
    struct stat found;
    int fd;

    if (has_leftovers(path))
        return hf_fail(error, HF_E_CORRUPT,
                       "%s has the journal of a database beside it; name a "
                       "file that is not there yet",
                       path);
    fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, FILE_MODE);
    if (fd >= 0) {
        close(fd);
        return HF_OK;
    }
    if (errno != EEXIST)
        return fail_system(error, "make", path);
    if (stat(path, &found) != 0)
        return fail_system(error, "look at", path);
    if (!S_ISREG(found.st_mode))
        return hf_fail(error, HF_E_INVALID, "%s is not a file", path);
    if (found.st_size > 0)
        return hf_fail(error, HF_E_CORRUPT,
                       "%s is not empty; name a file that is not there yet",
                       path);
    return HF_OK;
}

/* ---- Running SQL --------------------------------------------------------- */

static struct hf_text
log_of(struct locks_sqlite *self)
{
    return (struct hf_text){self->log, sizeof(self->log), self->log_len};
}

static void
fail_database(struct locks_sqlite *self, sqlite3 *connection)
{
    if (self->failed)
        return;
    self->failed = true;
    snprintf(self->why, sizeof(self->why), "the database fails: %s",
             sqlite3_errmsg(connection));
}

static struct locks_row
row_of(const struct locks_sqlite *self, sqlite3_stmt *statement, int first)
{
    bool beats = sqlite3_column_type(statement, first + 2) != SQLITE_NULL;
    unsigned beat = (unsigned)sqlite3_column_int(statement, first + 2);

    return (struct locks_row){
        .there = 1,
        .token = (uint8_t)sqlite3_column_int(statement, first),
        .owner = (uint8_t)sqlite3_column_int(statement, first + 1),
        .stale = beats && beat < self->now,
    };
}

/* Run one statement; of a SELECT, the row that it sees. */
static struct locks_answer
run_sql(struct locks_sqlite *self, unsigned who, const char *sql)
{
    sqlite3 *connection = self->connections[who];
    struct locks_answer answer = {0};
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(connection, sql, -1, &statement, NULL);

    if (code == SQLITE_OK) {
        while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
            answer.rows++;
            answer.row = row_of(self, statement, 0);
        }
        if (sqlite3_stmt_readonly(statement) == 0)
            answer.rows = (unsigned)sqlite3_changes(connection);
    }
    if (code != SQLITE_DONE)
        fail_database(self, connection);
    sqlite3_finalize(statement);
    return answer;
}

/* The same, told: "     worker #1> SQL". */
static struct locks_answer
run_told(struct locks_sqlite *self, unsigned who, const char *sql)
{
    struct hf_text log = log_of(self);

    if (who == SPECIMEN_WORLD)
        hf_text_add(&log, "       operator> ");
    else
        hf_text_addf(&log, "      worker #%u> ", who + 1);
    hf_text_add(&log, sql);
    self->log_len = log.len;
    return run_sql(self, who, sql);
}

static void
end_line(struct locks_sqlite *self, const char *more)
{
    struct hf_text log = log_of(self);

    hf_text_addf(&log, "%s\n", more);
    self->log_len = log.len;
}

/* What a step does is one transaction. */
static void
begin(struct locks_sqlite *self, unsigned who)
{
    if (self->active == who + 1)
        return;
    HF_CHECK(self->active == 0); /* a step is one actor's */
    self->active = who + 1;
    run_told(self, who, "BEGIN IMMEDIATE");
    end_line(self, "");
}

static void
commit(struct locks_sqlite *self)
{
    if (self->active == 0)
        return;
    run_told(self, self->active - 1, "COMMIT");
    end_line(self, "");
    self->active = 0;
}

static void
flush(struct locks_sqlite *self)
{
    fputs(self->log, self->to);
    self->log_len = 0;
    self->log[0] = '\0';
}

/* ---- The place ----------------------------------------------------------- */

static struct locks_sqlite *
of(struct locks_place *place)
{
    return (struct locks_sqlite *)(void *)place;
}

static void
start(struct locks_place *place, const struct locks *locks)
{
    struct locks_sqlite *self = of(place);
    char sql[SQL_MAX];

    begin(self, SPECIMEN_WORLD);
    run_told(self, SPECIMEN_WORLD, LOCKS_SQL_CREATE);
    end_line(self, "");
    for (unsigned i = 0; i < LOCKS_NAMES && !self->failed; i++) {
        struct hf_text text;

        if (locks->rows[i].there == 0)
            continue;
        hf_text_init(&text, sql, sizeof(sql));
        locks_sql_add_first(&text, (enum locks_name)i, &locks->rows[i],
                            self->now);
        run_told(self, SPECIMEN_WORLD, sql);
        end_line(self, "");
    }
    commit(self);
    flush(self);
    if (self->failed)
        fprintf(self->to, "     before step 1: %s\n", self->why);
    place->stopped = self->failed;
}

static bool
is_same(const struct locks_answer *a, const struct locks_answer *b)
{
    return a->rows == b->rows && memcmp(&a->row, &b->row, sizeof(a->row)) == 0;
}

static void
run(struct locks_place *place, unsigned who,
    const struct locks_statement *statement, struct locks_answer model)
{
    struct locks_sqlite *self = of(place);
    struct locks_answer answer;
    char sql[SQL_MAX];
    char heard[SQL_MAX];
    struct hf_text text;

    if (self->differs || self->failed)
        return;
    begin(self, who);
    hf_text_init(&text, sql, sizeof(sql));
    locks_sql_add(&text, statement, self->now);
    answer = run_told(self, who, sql);
    if (statement->verb != LOCKS_SELECT)
        answer.row = (struct locks_row){0};

    hf_text_init(&text, heard, sizeof(heard));
    hf_text_add(&text, " -- ");
    locks_sql_add_answer(&text, statement, &answer);
    end_line(self, self->failed ? "" : heard);
    if (self->failed || is_same(&answer, &model))
        return;
    self->differs = true;
    hf_text_init(&text, self->why, sizeof(self->why));
    hf_text_add(&text, "the model says ");
    locks_sql_add_answer(&text, statement, &model);
    hf_text_add(&text, ", the database says ");
    locks_sql_add_answer(&text, statement, &answer);
}

static void
pass_time(struct locks_place *place)
{
    struct locks_sqlite *self = of(place);
    struct hf_text log = log_of(self);

    self->now++;
    hf_text_addf(&log, "          clock> %u\n", self->now);
    self->log_len = log.len;
}

/* What the table holds, as the model would have it; false when it holds what
 * no model could. */
static bool
read_content(struct locks_sqlite *self, struct locks *locks)
{
    sqlite3 *connection = self->connections[SPECIMEN_WORLD];
    sqlite3_stmt *statement = NULL;
    bool known = true;
    int code =
        sqlite3_prepare_v2(connection, LOCKS_SQL_ALL, -1, &statement, NULL);

    *locks = (struct locks){0};
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        const char *name;
        unsigned i = 0;

        code = sqlite3_step(statement);
        if (code != SQLITE_ROW)
            break;
        name = (const char *)sqlite3_column_text(statement, 0);
        while (i < LOCKS_NAMES && name != NULL &&
               strcmp(name, locks_sql_name((enum locks_name)i)) != 0)
            i++;
        if (name == NULL || i == LOCKS_NAMES)
            known = false;
        else
            locks->rows[i] = row_of(self, statement, 1);
    }
    if (code != SQLITE_DONE)
        fail_database(self, connection);
    sqlite3_finalize(statement);
    return known;
}

static void
compare_content(struct locks_sqlite *self, const struct locks *model)
{
    struct hf_text log = log_of(self);
    struct locks found;
    struct hf_text text;
    bool known = read_content(self, &found);

    if (self->failed)
        return;
    if (log.len > 0) { /* otherwise nothing was done to it */
        hf_text_add(&log, "     the table holds ");
        locks_sql_add_rows(&log, &found);
        hf_text_add(&log, known ? "\n" : ", and more\n");
        self->log_len = log.len;
    }
    if (self->differs || (known && memcmp(&found, model, sizeof(found)) == 0))
        return;
    self->differs = true;
    hf_text_init(&text, self->why, sizeof(self->why));
    hf_text_add(&text, "the model says the table holds ");
    locks_sql_add_rows(&text, model);
    hf_text_add(&text, ", the database says ");
    locks_sql_add_rows(&text, &found);
    hf_text_add(&text, known ? "" : ", and more");
}

static void
end(struct locks_place *place, const struct told *told, unsigned first,
    const struct locks *locks)
{
    struct locks_sqlite *self = of(place);

    for (unsigned i = first; i < told->count; i++)
        fprintf(self->to, "%3u. %s%s.\n", told->events[i].number,
                told->events[i].sentence,
                told->events[i].fault ? " (a fault)" : "");
    commit(self);
    self->told = told->count;
    if (!self->failed)
        compare_content(self, locks);
    flush(self);
    place->stopped = self->differs || self->failed;
    if (place->stopped)
        fprintf(self->to, "     step %u: %s\n", first + 1, self->why);
}

/* ---- Open and close ------------------------------------------------------ */

enum hf_status
locks_sqlite_open(struct locks_sqlite *self, const char *place, FILE *to,
                  struct hf_error *error)
{
    struct hf_place parsed;
    enum hf_status status = hf_place_parse(place, &parsed, error);

    if (status == HF_OK && parsed.kind != &hf_sqlite_kind)
        status = hf_fail(error, HF_E_INVALID,
                         "'%s' is no database: write sqlite:/path", place);
    if (status == HF_OK)
        status = make_file(parsed.path, error);
    if (status != HF_OK)
        return status;
    *self = (struct locks_sqlite){
        .place = {.start = start,
                  .run = run,
                  .pass_time = pass_time,
                  .end = end},
        .to = to,
        .now = 1,
    };
    for (unsigned i = 0; i < LOCKS_SQLITE_CONNECTIONS; i++) {
        if (sqlite3_open_v2(parsed.path, &self->connections[i],
                            SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
            status = hf_fail(error, HF_E_UNAVAILABLE, "open %s: %s",
                             parsed.path, sqlite3_errmsg(self->connections[i]));
            locks_sqlite_close(self);
            return status;
        }
        sqlite3_busy_timeout(self->connections[i], BUSY_MS);
    }
    return HF_OK;
}

void
locks_sqlite_close(struct locks_sqlite *self)
{
    for (unsigned i = 0; i < LOCKS_SQLITE_CONNECTIONS; i++) {
        sqlite3_close(self->connections[i]);
        self->connections[i] = NULL;
    }
}
