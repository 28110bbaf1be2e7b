#include "store/sqlite.h"

#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/fail.h"
#include "store/pause.h"
#include "store/rule.h"
#include "store/sqlite_db.h"
#include "store/sqlite_file.h"
#include "store/sqlite_schema.h"

enum {
    /* For the calls that carry no end of their own: open, scan, purge. */
    PATIENCE_MS = 3000,

    /* How often a waiting store looks for commits of others. */
    LOOK_MS = 2,
};

/* name, SQL */
#define STATEMENT_TABLE(X)                                                     \
    X(GET, "SELECT m.number, r.version, r.token, r.stamp, r.value"             \
           " FROM holdfast_meta m LEFT JOIN holdfast_records r"                \
           " ON r.space = ?1 AND r.name = ?2 WHERE m.key = 'floor'")           \
    X(FIND, "SELECT version, token, value IS NOT NULL"                         \
            " FROM holdfast_records WHERE space = ?1 AND name = ?2")           \
    X(FLOOR, "SELECT number FROM holdfast_meta WHERE key = 'floor'")           \
    X(RAISE, "UPDATE holdfast_meta SET number = ?1"                            \
             " WHERE key = 'floor' AND number < ?1")                           \
    X(SCAN, "SELECT name, version, token, stamp, value"                        \
            " FROM holdfast_records WHERE space = ?1 AND name >= ?2"           \
            " AND value IS NOT NULL ORDER BY name")                            \
    X(WRITE, "INSERT INTO holdfast_records VALUES(?1, ?2, ?3, ?4, ?5, ?6)"     \
             " ON CONFLICT(space, name) DO UPDATE SET"                         \
             " version = ?3, token = ?4, stamp = ?5, value = ?6")              \
    X(ERASE, "DELETE FROM holdfast_records WHERE space = ?1 AND name = ?2")    \
    X(OLD, "SELECT count(*), max(version) FROM (SELECT version"                \
           " FROM holdfast_records WHERE (value IS NULL OR space = ?1)"        \
           " AND stamp <= ?2 ORDER BY space, name LIMIT ?3)")                  \
    X(PURGE, "DELETE FROM holdfast_records WHERE rowid IN"                     \
             " (SELECT rowid FROM holdfast_records"                            \
             " WHERE (value IS NULL OR space = ?1)"                            \
             " AND stamp <= ?2 ORDER BY space, name LIMIT ?3)")                \
    X(LOOK, "PRAGMA data_version")                                             \
    X(BEGIN, "BEGIN IMMEDIATE")                                                \
    X(COMMIT, "COMMIT")                                                        \
    X(ROLLBACK, "ROLLBACK")

enum statement {
#define STATEMENT_ENUM(name, sql) SQL_##name,
    STATEMENT_TABLE(STATEMENT_ENUM)
#undef STATEMENT_ENUM
        SQL_COUNT,
};

static const char *const statement_sql[] = {
#define STATEMENT_SQL(name, sql) sql,
    STATEMENT_TABLE(STATEMENT_SQL)
#undef STATEMENT_SQL
};

struct sqlite {
    struct hf_store base;
    struct hf_sqlite_db db;
    char *path;                          /* owned */
    sqlite3_stmt *statements[SQL_COUNT]; /* owned; prepared at first
                                                   use, reset after each */
};

static struct sqlite *
sqlite_of(struct hf_store *store)
{
    return (struct sqlite *)store;
}

/* ---- Statements ---------------------------------------------------------- */

/* All verbs here return SQLite's result codes. */

static int
prepare(struct sqlite *store, enum statement which, sqlite3_stmt **statement)
{
    if (store->statements[which] == NULL) {
        int code = sqlite3_prepare_v3(store->db.handle, statement_sql[which],
                                      -1, SQLITE_PREPARE_PERSISTENT,
                                      &store->statements[which], NULL);

        if (code != SQLITE_OK)
            return code;
    }
    *statement = store->statements[which];
    return SQLITE_OK;
}

/* With its key bound, which stays borrowed until the reset. */
static int
prepare_keyed(struct sqlite *store, enum statement which, struct hf_key key,
              sqlite3_stmt **statement)
{
    int code = prepare(store, which, statement);

    if (code == SQLITE_OK)
        code = sqlite3_bind_text(*statement, 1, key.space, -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(*statement, 2, key.name, -1, SQLITE_STATIC);
    return code;
}

/* Run to its end a statement that returns no rows. */
static int
finish(sqlite3_stmt *statement)
{
    int code = sqlite3_step(statement);

    sqlite3_reset(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int
run(struct sqlite *store, enum statement which)
{
    sqlite3_stmt *statement;
    int code = prepare(store, which, &statement);

    return code == SQLITE_OK ? finish(statement) : code;
}

static int
read_number(struct sqlite *store, enum statement which, int64_t *number)
{
    sqlite3_stmt *statement;
    int code = prepare(store, which, &statement);

    if (code != SQLITE_OK)
        return code;
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? SQLITE_NOTFOUND
                               : (code == SQLITE_ROW ? SQLITE_OK : code);
}

/*
 * Start a call that ends at `until`.  A transaction is still open here only if
 * its ROLLBACK failed; as long as it is, nothing is done.
 */
static enum hf_status
enter(struct sqlite *store, struct hf_instant until, struct hf_error *error)
{
    store->db.until = until;
    if (sqlite3_get_autocommit(store->db.handle) == 0) {
        int code = run(store, SQL_ROLLBACK);

        if (sqlite3_get_autocommit(store->db.handle) == 0)
            return hf_sqlite_db_fail(&store->db, code, error);
    }
    if (hf_sqlite_db_moved(&store->db))
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "%s: it was removed or replaced while it was open",
                       store->path);
    return HF_OK;
}

static enum hf_status
fail(struct sqlite *store, int code, struct hf_error *error)
{
    return hf_sqlite_db_fail(&store->db, code, error);
}

/* An error may have ended the transaction already. */
static void
roll_back(struct sqlite *store)
{
    if (sqlite3_get_autocommit(store->db.handle) == 0)
        run(store, SQL_ROLLBACK);
}

/* ---- Reads --------------------------------------------------------------- */

/* From the columns version, token, stamp, value, the first of which is
 * `first`.  SQLITE_NOMEM leaves *record as it was. */
static int
show(sqlite3_stmt *statement, int first, struct hf_record *record)
{
    const void *value = sqlite3_column_blob(statement, first + 3);
    size_t len = (size_t)sqlite3_column_bytes(statement, first + 3);
    bool exists = sqlite3_column_type(statement, first + 3) != SQLITE_NULL;

    if (exists && value == NULL && len > 0)
        return SQLITE_NOMEM;

    record->exists = exists;
    record->version = (uint64_t)sqlite3_column_int64(statement, first);
    record->token = (uint64_t)sqlite3_column_int64(statement, first + 1);
    record->stamp_ms = sqlite3_column_int64(statement, first + 2);
    record->value_len = len;
    if (len > sizeof(record->value))
        len = sizeof(record->value);
    if (len > 0)
        memcpy(record->value, value, len);
    return SQLITE_OK;
}

/* A key under which there is no record: `version` is the one to expect. */
static void
show_absent(struct hf_record *record, uint64_t version)
{
    record->exists = false;
    record->version = version;
    record->token = 0;
    record->stamp_ms = 0;
    record->value_len = 0;
}

static enum hf_status
get(struct hf_store *base, struct hf_key key, struct hf_instant until,
    struct hf_record *record, struct hf_error *error)
{
    struct sqlite *store = sqlite_of(base);
    sqlite3_stmt *statement = NULL;
    enum hf_status status = enter(store, until, error);
    int code;

    if (status != HF_OK)
        return status;

    code = prepare_keyed(store, SQL_GET, key, &statement);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_DONE) {
        code = SQLITE_NOTFOUND;
    } else if (code == SQLITE_ROW) {
        bool nothing = sqlite3_column_type(statement, 1) == SQLITE_NULL;
        int column = nothing ? 0 : 1;
        uint64_t version = (uint64_t)sqlite3_column_int64(statement, column);

        code = SQLITE_OK;
        if (sqlite3_column_type(statement, 4) == SQLITE_NULL)
            show_absent(record, version);
        else
            code = show(statement, 1, record);
    }
    if (code != SQLITE_OK)
        status = fail(store, code, error);
    sqlite3_reset(statement);
    return status;
}

/* The rows are in the order of their names' bytes, so those with the prefix
 * stand together, and the first without it ends them. */
static int
scan_rows(sqlite3_stmt *statement, const struct hf_store_scan *scan,
          hf_store_row_fn *row, void *ctx)
{
    size_t prefix_len = strlen(scan->prefix);
    size_t count = 0;
    struct hf_record record;
    int code;

    while (count < scan->limit) {
        const char *name;

        code = sqlite3_step(statement);
        if (code != SQLITE_ROW)
            return code == SQLITE_DONE ? SQLITE_OK : code;
        name = (const char *)sqlite3_column_text(statement, 0);
        if (name == NULL)
            return SQLITE_NOMEM;
        if (strncmp(name, scan->prefix, prefix_len) != 0)
            break;
        if (scan->after != NULL && strcmp(name, scan->after) <= 0)
            continue;
        code = show(statement, 1, &record);
        if (code != SQLITE_OK)
            return code;
        count++;
        if (!row(ctx, name, &record))
            break;
    }
    return SQLITE_OK;
}

static enum hf_status
scan(struct hf_store *base, const struct hf_store_scan *scan,
     hf_store_row_fn *row, void *ctx, struct hf_error *error)
{
    struct sqlite *store = sqlite_of(base);
    struct hf_key start = {scan->space, scan->prefix};
    sqlite3_stmt *statement = NULL;
    enum hf_status status;
    int code;

    status = enter(store, hf_after(hf_now(), (struct hf_duration){PATIENCE_MS}),
                   error);
    if (status != HF_OK)
        return status;

    if (scan->after != NULL && strcmp(scan->after, scan->prefix) > 0)
        start.name = scan->after;
    code = prepare_keyed(store, SQL_SCAN, start, &statement);
    if (code == SQLITE_OK)
        code = scan_rows(statement, scan, row, ctx);
    if (code != SQLITE_OK)
        status = fail(store, code, error);
    sqlite3_reset(statement);
    return status;
}

/* ---- Commit -------------------------------------------------------------- */

/* One transaction on its way. */
struct work {
    struct sqlite *store;
    uint64_t floor;  /* when it began: all groups are judged by it */
    uint64_t erased; /* highest version erased; 0: none */
    int64_t stamp_ms;
    size_t applied_count;
};

static int
find(struct work *work, struct hf_key key, struct hf_rule_found *found)
{
    sqlite3_stmt *statement = NULL;
    int code = prepare_keyed(work->store, SQL_FIND, key, &statement);

    if (code != SQLITE_OK)
        return code;
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        *found = (struct hf_rule_found){
            .present = true,
            .version = (uint64_t)sqlite3_column_int64(statement, 0),
            .token = (uint64_t)sqlite3_column_int64(statement, 1),
            .exists = sqlite3_column_int(statement, 2) != 0,
        };
        code = SQLITE_OK;
    } else if (code == SQLITE_DONE) {
        *found = (struct hf_rule_found){.version = work->floor};
        code = SQLITE_OK;
    }
    sqlite3_reset(statement);
    return code;
}

static int
write_row(struct work *work, struct hf_store_op *op,
          const struct hf_rule_found *found)
{
    uint64_t version = found->version + 1;
    uint64_t token = op->new_generation ? version : found->token;
    sqlite3_stmt *statement = NULL;
    int code = prepare_keyed(work->store, SQL_WRITE, op->key, &statement);

    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(statement, 3, (int64_t)version);
    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(statement, 4, (int64_t)token);
    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(statement, 5, work->stamp_ms);
    if (code == SQLITE_OK)
        code = op->kind == HF_PUT
                   ? sqlite3_bind_text(statement, 6, op->value,
                                       (int)op->value_len, SQLITE_STATIC)
                   : sqlite3_bind_null(statement, 6);
    if (code == SQLITE_OK)
        code = finish(statement);
    if (code == SQLITE_OK)
        op->version = version;
    return code;
}

static int
erase_row(struct work *work, struct hf_store_op *op,
          const struct hf_rule_found *found)
{
    sqlite3_stmt *statement = NULL;
    int code = prepare_keyed(work->store, SQL_ERASE, op->key, &statement);

    if (code == SQLITE_OK)
        code = finish(statement);
    op->version = 0;
    if (found->present && found->version > work->erased)
        work->erased = found->version;
    return code;
}

/* Judge the whole group before the first of its rows is written: a key stands
 * once in a commit, so what was found stays true. */
static int
try_group(struct work *work, struct hf_store_group *group,
          struct hf_error *error)
{
    struct hf_rule_found found[HF_GROUP_OPERATIONS_MAX] = {{0}};

    if (hf_rule_admit(group, error) != HF_OK)
        return SQLITE_OK;
    for (size_t i = 0; i < group->ops_count; i++) {
        int code = find(work, group->ops[i].key, &found[i]);

        if (code != SQLITE_OK)
            return code;
        if (!hf_rule_applies(&group->ops[i], &found[i])) {
            group->verdict = HF_REFUSED;
            group->refused_at = i;
            return SQLITE_OK;
        }
        if (hf_rule_grow(&group->ops[i], &found[i], error) != HF_OK)
            return SQLITE_OK;
    }
    for (size_t i = 0; i < group->ops_count; i++) {
        struct hf_store_op *op = &group->ops[i];
        int code = op->kind == HF_ERASE ? erase_row(work, op, &found[i])
                                        : write_row(work, op, &found[i]);

        if (code != SQLITE_OK)
            return code;
    }
    group->verdict = HF_APPLIED;
    work->applied_count++;
    return SQLITE_OK;
}

static int
raise_floor(struct sqlite *store, uint64_t above)
{
    sqlite3_stmt *statement = NULL;
    int code = prepare(store, SQL_RAISE, &statement);

    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(statement, 1, (int64_t)above + 1);
    return code == SQLITE_OK ? finish(statement) : code;
}

/* At `until` the groups that are done go on to be committed; the others are
 * left for another call. */
static int
try_groups(struct work *work, struct hf_store_group *groups,
           size_t groups_count, struct hf_error *error)
{
    struct hf_instant until = work->store->db.until;
    int64_t floor = 0;
    int code = read_number(work->store, SQL_FLOOR, &floor);

    work->floor = (uint64_t)floor;
    work->stamp_ms = hf_wall_ms();
    for (size_t i = 0; code == SQLITE_OK && i < groups_count; i++) {
        if (hf_reached(hf_now(), until)) {
            fail(work->store, SQLITE_INTERRUPT, error);
            break;
        }
        code = try_group(work, &groups[i], error);
    }
    if (code == SQLITE_OK && work->erased > 0)
        code = raise_floor(work->store, work->erased);
    return code;
}

/*
 * What a failed COMMIT has left behind.
 *
 * SQLite appends the transaction to the WAL, its last frame with the mark of
 * a commit, and then syncs.  After an error the frames may be in the file: we
 * roll back, and nobody sees them, until a later crash makes the next process
 * recover the WAL by reading it, and the transaction is there.  Or another
 * commit overwrites them first.  So it may have been done, and may yet be done
 * at any later time: unknown.
 *
 * A full disk is the exception.  SQLITE_FULL comes from a write, in the order
 * of the frames and before the sync; the frame with the mark is the last one,
 * and was not, or not wholly, written; its checksum fails at every recovery.
 * (Enlarging the shared memory fails as an I/O error instead.)  So surely
 * nothing was done.  It matters: the disk may stay full for days, and an
 * unknown claim would have to be settled all that time.
 */
static enum hf_verdict
verdict_of_failed_commit(int code)
{
    return (code & 0xff) == SQLITE_FULL ? HF_UNAVAILABLE : HF_UNKNOWN;
}

/*
 * A refusal stands, whatever becomes of the transaction: it was read from
 * committed rows only, since a key stands once in a commit, under the write
 * lock.
 */
static void
commit(struct hf_store *base, struct hf_store_group *groups,
       size_t groups_count, struct hf_instant until, struct hf_error *error)
{
    struct sqlite *store = sqlite_of(base);
    struct work work = {.store = store};
    enum hf_verdict failed = HF_UNAVAILABLE;
    int code;

    if (enter(store, until, error) != HF_OK)
        return;
    code = run(store, SQL_BEGIN);
    if (code == SQLITE_OK)
        code = try_groups(&work, groups, groups_count, error);
    if (code == SQLITE_OK && work.applied_count > 0) {
        /* It must not be cut short by the clock now: its end would be
         * unknown. */
        store->db.until = HF_NEVER;
        code = run(store, SQL_COMMIT);
        if (code != SQLITE_OK)
            failed = verdict_of_failed_commit(code);
    }
    if (code != SQLITE_OK) {
        fail(store, code, error);
        hf_rule_rejudge(groups, groups_count, HF_APPLIED, failed);
    }
    roll_back(store);
}

/* ---- Wait and purge ------------------------------------------------------ */

static int
compare(struct sqlite *store, const struct hf_store_watch *watches,
        size_t watches_count, bool *changed)
{
    struct work work = {.store = store};
    int64_t floor = 0;
    int code = read_number(store, SQL_FLOOR, &floor);

    work.floor = (uint64_t)floor;
    for (size_t i = 0; code == SQLITE_OK && !*changed && i < watches_count;
         i++) {
        struct hf_rule_found found = {.present = false};

        code = find(&work, watches[i].key, &found);
        *changed = code == SQLITE_OK && found.version != watches[i].version;
    }
    return code;
}

/*
 * data_version moves with every commit of another connection, and with none of
 * our own, so that the first look always compares; it is read before the
 * versions are.  An error is no news: the next look asks again, and the
 * caller's next read will tell.
 */
static bool
look(struct sqlite *store, const struct hf_store_watch *watches,
     size_t watches_count, int64_t *seen)
{
    bool changed = false;
    int64_t now = 0;

    if (read_number(store, SQL_LOOK, &now) != SQLITE_OK || now == *seen)
        return false;
    if (compare(store, watches, watches_count, &changed) == SQLITE_OK)
        *seen = now;
    return changed;
}

static void
wait_for_change(struct hf_store *base, const struct hf_store_watch *watches,
                size_t watches_count, struct hf_instant until, int wake_fd)
{
    struct sqlite *store = sqlite_of(base);
    int64_t seen = -1; /* no data_version is negative */

    /* A look has no patience with a locked file: wake_fd must be heard. */
    if (watches_count == 0 || enter(store, hf_now(), NULL) != HF_OK) {
        hf_pause(until, -1, wake_fd);
        return;
    }
    while (!look(store, watches, watches_count, &seen) &&
           !hf_reached(hf_now(), until) && !hf_pause(until, LOOK_MS, wake_fd))
        ; /* hf_pause has waited */
}

static int
bind_purge(struct sqlite *store, enum statement which, int64_t before_ms,
           size_t limit, sqlite3_stmt **statement)
{
    int64_t most = limit > INT64_MAX ? INT64_MAX : (int64_t)limit;
    int code = prepare(store, which, statement);

    if (code == SQLITE_OK)
        code = sqlite3_bind_text(*statement, 1, HF_RULE_MARKERS, -1,
                                 SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(*statement, 2, before_ms);
    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(*statement, 3, most);
    return code;
}

static int
purge_rows(struct sqlite *store, int64_t before_ms, size_t limit, size_t *gone)
{
    sqlite3_stmt *statement = NULL;
    int64_t highest = 0;
    int code = bind_purge(store, SQL_OLD, before_ms, limit, &statement);

    if (code != SQLITE_OK)
        return code;
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        *gone = (size_t)sqlite3_column_int64(statement, 0);
        highest = sqlite3_column_int64(statement, 1);
        code = SQLITE_OK;
    }
    sqlite3_reset(statement);
    if (code != SQLITE_OK || *gone == 0)
        return code;

    code = raise_floor(store, (uint64_t)highest);
    if (code == SQLITE_OK)
        code = bind_purge(store, SQL_PURGE, before_ms, limit, &statement);
    return code == SQLITE_OK ? finish(statement) : code;
}

static enum hf_status
purge(struct hf_store *base, struct hf_duration age, size_t limit,
      size_t *purged, struct hf_error *error)
{
    struct sqlite *store = sqlite_of(base);
    size_t gone = 0;
    enum hf_status status;
    int code;

    status = enter(store, hf_after(hf_now(), (struct hf_duration){PATIENCE_MS}),
                   error);
    if (status != HF_OK)
        return status;
    code = run(store, SQL_BEGIN);
    if (code == SQLITE_OK)
        code = purge_rows(store, hf_rule_purge_before(age), limit, &gone);
    if (code == SQLITE_OK && gone > 0)
        code = run(store, SQL_COMMIT);
    if (code != SQLITE_OK)
        status = fail(store, code, error);
    roll_back(store);
    if (status == HF_OK)
        *purged = gone;
    return status;
}

/* ---- Open and close ------------------------------------------------------ */

static void
close_sqlite(struct hf_store *base)
{
    struct sqlite *store = sqlite_of(base);

    for (size_t i = 0; i < SQL_COUNT; i++)
        sqlite3_finalize(store->statements[i]);
    hf_sqlite_db_close(&store->db);
    hf_free(base->alloc, store->path);
    hf_free(base->alloc, store);
}

static const struct hf_store_methods methods = {
    .close = close_sqlite,
    .get = get,
    .scan = scan,
    .commit = commit,
    .wait = wait_for_change,
    .purge = purge,
};

/*
 * synchronous=FULL: an applied group is durable.  The log is folded back into
 * the file every 100 pages or so, and not when the last store closes: that
 * would cost each `holdfast run` two syncs more, and the next one the making
 * of both files anew.  A log of 100 pages is read in well under 1 ms.
 */
static const char settings[] = "PRAGMA synchronous=FULL;"
                               "PRAGMA trusted_schema=OFF;"
                               "PRAGMA cell_size_check=ON;"
                               "PRAGMA wal_autocheckpoint=100;"
                               "PRAGMA journal_size_limit=4194304;";

static enum hf_status
open_database(struct sqlite *store, const struct hf_place *place,
              struct hf_error *error)
{
    enum hf_status status = hf_sqlite_file_prepare(place, error);
    int64_t floor = 0;
    int code;

    if (status == HF_OK)
        status = hf_sqlite_db_open(&store->db, store->path, error);
    if (status != HF_OK)
        return status;

    store->db.until = hf_after(hf_now(), (struct hf_duration){PATIENCE_MS});
    sqlite3_db_config(store->db.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1,
                      NULL);
    status = hf_sqlite_schema_prepare(&store->db, hf_sqlite_schema_steps,
                                      hf_sqlite_schema_steps_count, error);
    if (status != HF_OK)
        return status;

    code = hf_sqlite_db_run(&store->db, settings);
    /* The first read: are our tables there?  It also makes the log, which is
     * then shared before anybody needs it. */
    if (code == SQLITE_OK)
        code = read_number(store, SQL_FLOOR, &floor);
    if (code != SQLITE_OK)
        return fail(store, code, error);
    hf_sqlite_file_share(store->path);
    return HF_OK;
}

enum hf_status
hf_sqlite_open(const struct hf_place *place, const struct hf_alloc *alloc,
               struct hf_store **store, struct hf_error *error)
{
    struct sqlite *made = hf_new(alloc, struct sqlite);
    enum hf_status status;

    if (made == NULL)
        return hf_fail(error, HF_E_NOMEM, "no memory to open %s", place->path);

    made->base = (struct hf_store){.methods = &methods, .alloc = alloc};
    made->path = hf_copy(alloc, place->path);
    if (made->path == NULL)
        status =
            hf_fail(error, HF_E_NOMEM, "no memory to open %s", place->path);
    else
        status = open_database(made, place, error);
    if (status == HF_OK)
        *store = &made->base;
    else
        close_sqlite(&made->base);
    return status;
}
