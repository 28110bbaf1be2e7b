#include <string.h>

#include "base/fail.h"
#include "journal/kinds.h"
#include "journal/sqlite_fold.h"
#include "journal/sqlite_rows.h"
#include "journal/sqlite_write.h"
#include "store/pause.h"
#include "store/sqlite_open.h"
#include "store/sqlite_served.h"
#include "store/sqlite_wait.h"

/*
 * A journal in a SQLite file: the tables holdfast_head, holdfast_sessions and
 * holdfast_grants (store/sqlite_schema.c).  The audit is that of the table's
 * locks, in holdfast_records: a file that was used as both has one.
 */

enum {
    /* For calls without a time limit of their own. */
    PATIENCE_MS = 3000,

    /* A batch that leaves a log of this size waits until it is folded, so that
     * the next writes over it: one in a thousand.  A log of 64 MiB costs each
     * batch half as much again, and people are told of one of 16. */
    LOG_MAX = 8 * 1024 * 1024,
};

static const struct hf_journal_limits limits = {
    .changes = 1000, /* some 2 ms, in which nobody else writes the file */
    .bytes = (size_t)16 << 20,
};

struct file_journal {
    struct hf_journal base;
    struct hf_place place;
    struct hf_sqlite_sql sql;
    struct hf_sqlite_opening opened; /* of what is open, or was last */
    struct hf_file_watch files;      /* started by the first wait */
    struct hf_fold fold;             /* started when a term begins */
    struct hf_instant told_at;       /* see hf_kinds_is_quiet */
    uint64_t opening;                /* of the database, counted from 1 */
    _Atomic uint64_t looks;
};

static struct file_journal *
file_of(struct hf_journal *journal)
{
    return (struct file_journal *)journal;
}

static struct hf_instant
patience(struct hf_instant until)
{
    return hf_earlier(until,
                      hf_after(hf_now(), (struct hf_duration){PATIENCE_MS}));
}

static enum hf_status
fail(struct file_journal *s, int code, struct hf_error *error)
{
    return hf_sqlite_db_fail(&s->sql.db, code, error);
}

/* ---- Beginning and end of a call ----------------------------------------- */

static enum hf_status
open_file(struct file_journal *s, struct hf_instant until,
          struct hf_error *error)
{
    struct hf_sqlite_opening opening = {
        .place = &s->place,
        .serves = true,
        .until = until,
    };
    enum hf_status status = hf_sqlite_open(&s->sql, &opening, error);

    if (status != HF_OK)
        return status;
    /* To write over a log costs less than to append to it. */
    (void)hf_sqlite_db_run(&s->sql.db, "PRAGMA journal_size_limit=8388608");
    s->opened = opening;
    s->opening++;
    return HF_OK;
}

static void
close_file(struct file_journal *s)
{
    hf_fold_stop(&s->fold);
    hf_file_watch_stop(&s->files);
    hf_sqlite_sql_close(&s->sql);
}

/* Files that were found not to be the place any more are closed; the next call
 * opens the place anew. */
static void
leave(struct file_journal *s)
{
    if (s->sql.db.handle == NULL || !s->sql.db.gone)
        return;
    close_file(s);
    s->base.generation++;
}

/* End it with leave() unless this fails. */
static enum hf_status
enter(struct file_journal *s, struct hf_instant until, struct hf_error *error)
{
    enum hf_status status = HF_OK;

    if (s->sql.db.handle == NULL)
        status = open_file(s, patience(until), error);
    if (status == HF_OK)
        status = hf_sqlite_sql_enter(&s->sql, until, error);
    if (status != HF_OK)
        leave(s);
    return status;
}

/* ---- Reading the head ---------------------------------------------------- */

static int
read_row(sqlite3_stmt *row, struct hf_journal_found *found,
         struct hf_error *corrupt)
{
    const char *value = (const char *)sqlite3_column_text(row, 2);
    size_t len = (size_t)sqlite3_column_bytes(row, 2);

    if (value == NULL)
        return SQLITE_NOMEM;
    found->exists = true;
    found->version = (uint64_t)sqlite3_column_int64(row, 0);
    found->term = (uint64_t)sqlite3_column_int64(row, 1);
    corrupt->status = hf_head_decode(value, len, &found->head, corrupt);
    return SQLITE_OK;
}

/* In one transaction, for the version of an absent head stands elsewhere. */
static int
find_head(struct file_journal *s, struct hf_journal_found *found,
          struct hf_error *corrupt)
{
    sqlite3_stmt *statement = NULL;
    int64_t floor = 0;
    int code = hf_sqlite_sql_run(&s->sql, HF_SQL_BEGIN_READ);

    if (code != SQLITE_OK)
        return code;
    code = hf_sqlite_open_head(&s->sql, &statement);
    if (code == SQLITE_ROW) {
        code = read_row(statement, found, corrupt);
    } else if (code == SQLITE_DONE) {
        code = hf_sqlite_sql_number(&s->sql, HF_SQL_FLOOR, &floor);
        found->version = (uint64_t)floor;
    }
    sqlite3_reset(statement);
    return code;
}

static enum hf_status
read_head(struct hf_journal *journal, struct hf_instant until,
          struct hf_journal_found *out, struct hf_error *error)
{
    struct file_journal *s = file_of(journal);
    struct hf_journal_found found = {.exists = false};
    struct hf_error corrupt = {.status = HF_OK};
    enum hf_status status = enter(s, until, error);
    int code;

    if (status != HF_OK)
        return status;
    code = find_head(s, &found, &corrupt);
    if (code != SQLITE_OK)
        status = fail(s, code, error);
    hf_sqlite_sql_roll_back(&s->sql);
    if (status == HF_OK) {
        found.store = s->opened.identity;
        found.loss = s->opened.loss;
        found.promised = s->opened.promised;
        *out = found;
        if (corrupt.status != HF_OK)
            status = hf_fail(error, HF_E_CORRUPT, "%s", corrupt.text);
    }
    leave(s);
    return status;
}

/* ---- Writing ------------------------------------------------------------- */

/* A head without a node, while something is granted, would hide a loss of the
 * log that has it: it is not folded into the file. */
static bool
keeps_log(const struct hf_head *head)
{
    return head->node[0] == '\0' && head->address[0] != '\0';
}

/* All that is left of the log, so that the next batch begins it anew. */
static void
fold_rest(struct file_journal *s)
{
    hf_fold_hold(&s->fold);
    if (hf_sqlite_db_check(&s->sql.db, NULL) == HF_OK)
        (void)sqlite3_wal_checkpoint_v2(s->sql.db.handle, "main",
                                        SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    s->base.log.waits++;
}

/* After a commit. */
static void
look_at_log(struct file_journal *s)
{
    uint64_t pages = s->sql.db.log_pages;
    uint64_t unfolded = 0;

    if (pages >= HF_SQLITE_LOG_PAGES)
        unfolded = hf_sqlite_db_unfolded(&s->sql.db);
    s->base.log.bytes = unfolded * HF_SQLITE_PAGE_BYTES;
    if (!s->fold.started || unfolded == 0)
        return;
    if (pages * HF_SQLITE_PAGE_BYTES >= LOG_MAX)
        fold_rest(s);
    else
        hf_fold_ask(&s->fold, unfolded);
}

/* Which place it is, is looked at after the commit, which would not help who
 * opens the place anew: so it need not be before. */
static enum hf_status
enter_to_write(struct file_journal *s, struct hf_instant until,
               struct hf_error *error)
{
    struct hf_sqlite_db *db = &s->sql.db;

    if (db->handle == NULL || sqlite3_get_autocommit(db->handle) == 0)
        return enter(s, until, error);
    db->until = until;
    return HF_OK;
}

static enum hf_verdict
write_batch(struct hf_journal *journal, const struct hf_journal_write *write,
            struct hf_instant until, uint64_t *version, struct hf_error *error)
{
    struct file_journal *s = file_of(journal);
    enum hf_verdict verdict;
    uint64_t written;

    if (enter_to_write(s, until, error) != HF_OK)
        return HF_UNAVAILABLE;
    s->sql.db.keep_log = s->fold.started || keeps_log(write->head);
    if (keeps_log(write->head))
        hf_fold_hold(&s->fold);
    s->sql.db.quiet = hf_kinds_is_quiet(&s->told_at, write);
    verdict = hf_sqlite_write(&s->sql, &s->place, s->opened.identity, write,
                              &written, error);
    if (verdict == HF_APPLIED) {
        if (!keeps_log(write->head))
            look_at_log(s);
        *version = written;
        s->opened.loss = HF_STORE_WHOLE;
    }
    leave(s);
    return verdict;
}

/* ---- Beginning to serve, and ending -------------------------------------- */

static struct hf_bytes
text_of(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);

    return (struct hf_bytes){text, (size_t)sqlite3_column_bytes(row, column)};
}

/* Since the head names us, no table lock comes any more; one that is there was
 * there before. */
static enum hf_status
check_locks(struct file_journal *s, struct hf_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum hf_status status = HF_OK;
    int code = hf_sqlite_sql_prepare(&s->sql, HF_SQL_LOCK, &statement);

    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        status = hf_kinds_refuse_lock(text_of(statement, 0),
                                      text_of(statement, 1), error);
    else if (code != SQLITE_DONE)
        status = fail(s, code, error);
    sqlite3_reset(statement);
    return status;
}

static enum hf_status
unlocked(struct hf_journal *journal, struct hf_instant until,
         struct hf_error *error)
{
    struct file_journal *s = file_of(journal);
    enum hf_status status = enter(s, patience(until), error);

    if (status != HF_OK)
        return status;
    status = check_locks(s, error);
    leave(s);
    return status;
}

/* With the term of the present head. */
static enum hf_status
mark(struct file_journal *s, struct hf_duration promised,
     struct hf_error *error)
{
    struct hf_sqlite_served says = {.promised = promised};
    sqlite3_stmt *statement = NULL;
    int code = hf_sqlite_open_head(&s->sql, &statement);

    if (code == SQLITE_ROW)
        says.term = (uint64_t)sqlite3_column_int64(statement, 1);
    sqlite3_reset(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE
               ? hf_sqlite_served_mark(&s->place, &says, error)
               : fail(s, code, error);
}

/* Move all of the log into the file and sync it, once no reader needs the old
 * content.  SQLite does not wait for who folds it just now, as another node's
 * thread may. */
static enum hf_status
fold(struct file_journal *s, struct hf_error *error)
{
    int code;

    hf_fold_hold(&s->fold);
    do
        code = sqlite3_wal_checkpoint_v2(s->sql.db.handle, "main",
                                         SQLITE_CHECKPOINT_FULL, NULL, NULL);
    while ((code & 0xff) == SQLITE_BUSY && hf_sqlite_db_pause(&s->sql.db));
    if ((code & 0xff) == SQLITE_BUSY)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "%s: another program keeps it locked, or reads it "
                       "without an end, so that nothing can be folded into it",
                       s->place.path);
    return code == SQLITE_OK ? HF_OK : fail(s, code, error);
}

static enum hf_status
secure(struct hf_journal *journal, struct hf_duration promised,
       struct hf_instant until, struct hf_error *error)
{
    struct file_journal *s = file_of(journal);
    enum hf_status status = enter(s, until, error);

    if (status != HF_OK)
        return status;
    status = check_locks(s, error);
    if (status == HF_OK)
        status = mark(s, promised, error);
    if (status == HF_OK)
        status = fold(s, error);
    if (status == HF_OK)
        status = hf_sqlite_db_check(&s->sql.db, error);
    if (status == HF_OK && !hf_fold_start(&s->fold, s->place.path))
        status = hf_fail(error, HF_E_UNAVAILABLE, "no thread for a log");
    leave(s);
    return status;
}

static enum hf_status
retire(struct hf_journal *journal, struct hf_instant until,
       struct hf_error *error)
{
    (void)until;
    return hf_sqlite_served_unmark(&file_of(journal)->place, error);
}

/* ---- Rows ---------------------------------------------------------------- */

static enum hf_status
load(struct hf_journal *journal, struct hf_journal_chunk *chunk,
     struct hf_instant until, struct hf_error *error)
{
    struct file_journal *s = file_of(journal);
    enum hf_status status = enter(s, patience(until), error);
    int code;

    if (status != HF_OK)
        return status;
    code = hf_sqlite_rows_load(&s->sql, chunk);
    if (code != SQLITE_OK)
        status = fail(s, code, error);
    leave(s);
    return status;
}

static enum hf_status
read_audit(struct hf_journal *journal, struct hf_journal_page *page,
           struct hf_instant until, struct hf_error *error)
{
    struct file_journal *s = file_of(journal);
    enum hf_status status = enter(s, patience(until), error);
    int code;

    if (status != HF_OK)
        return status;
    code = hf_sqlite_rows_audit(&s->sql, page);
    if (code != SQLITE_OK)
        status = fail(s, code, error);
    leave(s);
    return status;
}

/* ---- Waiting ------------------------------------------------------------- */

static int
find_version(struct hf_sqlite_sql *sql, struct hf_key key, uint64_t floor,
             struct hf_rule_found *found)
{
    sqlite3_stmt *statement = NULL;
    int code = hf_sqlite_open_head(sql, &statement);

    (void)key;
    found->version = floor;
    if (code == SQLITE_ROW)
        found->version = (uint64_t)sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

static bool
wait_for_change(struct hf_journal *journal, uint64_t version,
                struct hf_instant until, int wake_fd)
{
    struct file_journal *s = file_of(journal);
    struct hf_store_watch watch = {.version = version};
    const struct hf_sqlite_wait wait = {
        .sql = &s->sql,
        .find = find_version,
        .files = &s->files,
        .looks = &s->looks,
        .opening = s->opening,
        .watches = &watch,
        .watches_count = 1,
        .until = until,
        .wake_fd = wake_fd,
    };

    /* A wait for nothing needs no inotify instance, and a closed place is
     * opened by the next call.  A look does not wait for a locked file. */
    if (version == 0 || s->sql.db.handle == NULL) {
        hf_file_watch_stop(&s->files);
        hf_pause(until, -1, wake_fd);
        return false;
    }
    if (enter(s, hf_now(), NULL) != HF_OK) {
        if (s->sql.db.handle != NULL)
            hf_pause(until, -1, wake_fd);
        return false;
    }
    s->sql.db.brief = true;
    hf_sqlite_wait_for_change(&wait);
    s->sql.db.brief = false;
    leave(s);
    return watch.changed;
}

/* ---- Open and close ------------------------------------------------------ */

static void
close_sqlite(struct hf_journal *journal)
{
    close_file(file_of(journal));
    hf_free(journal->alloc, journal);
}

static const struct hf_journal_methods methods = {
    .close = close_sqlite,
    .read = read_head,
    .write = write_batch,
    .load = load,
    .unlocked = unlocked,
    .secure = secure,
    .retire = retire,
    .audit = read_audit,
    .wait = wait_for_change,
};

enum hf_status
hf_journal_sqlite_open(const struct hf_place *place,
                       const struct hf_alloc *alloc,
                       struct hf_journal **journal, struct hf_error *error)
{
    struct file_journal *made = hf_new(alloc, struct file_journal);
    enum hf_status status;

    if (made == NULL)
        return hf_fail(error, HF_E_NOMEM, "no memory to open %s", place->path);
    made->base = (struct hf_journal){
        .methods = &methods,
        .alloc = alloc,
        .limits = limits,
    };
    made->place = *place;
    status = enter(made, patience(HF_NEVER), error);
    if (status != HF_OK) {
        close_sqlite(&made->base);
        return status;
    }
    *journal = &made->base;
    return HF_OK;
}
