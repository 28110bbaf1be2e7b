#include "store/sqlite.h"

#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "store/neighbours.h"
#include "store/pause.h"
#include "store/rule.h"
#include "store/sqlite_commit.h"
#include "store/sqlite_file.h"
#include "store/sqlite_inspect.h"
#include "store/sqlite_open.h"
#include "store/sqlite_place.h"
#include "store/sqlite_schema.h"
#include "store/sqlite_wait.h"

enum {
    /* Calls but get and commit end after this, whatever their limit. */
    PATIENCE_MS = 3000,

    /* How often a file that is open nowhere else is opened again, to look only.
     */
    LOOK_AGAIN_MS = 100,
};

/* A commit is one transaction: every other writer waits for it, and all its
 * pages stay in memory until its end.  10,000 beats of usual records take 60
 * ms. */
static const struct hf_store_limits limits = {
    .max_operations = 10000,
    .max_bytes = (size_t)16 << 20,
    .max_calls = 1,
};

struct sqlite {
    struct hf_store base;
    struct hf_sqlite_sql sql;
    struct hf_file_watch files; /* started by the first wait */
    uint64_t opening;           /* of the database, counted from 1 */
};

static struct sqlite *
sqlite_of(struct hf_store *store)
{
    return (struct sqlite *)store;
}

static struct hf_instant
patience(struct hf_instant until)
{
    return hf_earlier(until,
                      hf_after(hf_now(), (struct hf_duration){PATIENCE_MS}));
}

static enum hf_status
fail(struct sqlite *store, int code, struct hf_error *error)
{
    return hf_sqlite_db_fail(&store->sql.db, code, error);
}

/* ---- Beginning and end of a call ----------------------------------------- */

/* To look only.  If there is nothing yet, nothing is open afterwards. */
static enum hf_status
look_in(struct sqlite *store, struct hf_error *error)
{
    struct hf_sqlite_db *db = &store->sql.db;
    bool empty = false;
    int64_t floor = 0;
    enum hf_status status = hf_sqlite_schema_read(db, &empty, error);
    int code;

    if (status != HF_OK)
        return hf_sqlite_file_explain(&store->base.place, status, error);
    if (empty) {
        hf_sqlite_sql_close(&store->sql);
        return HF_OK;
    }
    code = hf_sqlite_sql_number(&store->sql, HF_SQL_FLOOR, &floor);
    return code == SQLITE_OK ? hf_sqlite_db_note(db, error)
                             : fail(store, code, error);
}

/* The same; if there is no file yet, nothing is open afterwards. */
static enum hf_status
open_to_look(struct sqlite *store, struct hf_instant until,
             struct hf_error *error)
{
    struct hf_sqlite_db *db = &store->sql.db;
    struct hf_sqlite_file_seen seen;
    enum hf_status status =
        hf_sqlite_file_look(&store->base.place, &seen, error);

    if (status != HF_OK || !seen.exists)
        return status;
    status = hf_sqlite_db_open(db, store->base.place.path,
                               seen.has_log ? HF_SQLITE_READ : HF_SQLITE_STILL,
                               error);
    if (status != HF_OK)
        return hf_sqlite_file_explain(&store->base.place, status, error);
    db->until = until;
    db->locked_ms = &store->base.locked_ms;
    status = look_in(store, error);
    if (status != HF_OK)
        hf_sqlite_sql_close(&store->sql);
    return status;
}

static enum hf_status
open_to_lock(struct sqlite *store, struct hf_instant until,
             struct hf_error *error)
{
    struct hf_sqlite_opening opening = {
        .place = &store->base.place,
        .until = until,
        .locked_ms = &store->base.locked_ms,
    };
    enum hf_status status = hf_sqlite_open(&store->sql, &opening, error);

    store->base.is_new = opening.is_new;
    return status;
}

static enum hf_status
open_database(struct sqlite *store, struct hf_instant until,
              struct hf_error *error)
{
    enum hf_status status = store->base.use == HF_STORE_TO_LOOK
                                ? open_to_look(store, until, error)
                                : open_to_lock(store, until, error);

    if (store->sql.db.handle != NULL)
        store->opening++;
    return status;
}

static void
close_database(struct sqlite *store)
{
    hf_file_watch_stop(&store->files);
    hf_sqlite_sql_close(&store->sql);
}

/* End a call.  If the open files were found not to be the place any more, they
 * are closed; the next call opens the place anew.  A file that is read without
 * locks is open for one call only, so it keeps nobody from opening it. */
static void
leave(struct sqlite *store)
{
    bool still = store->sql.db.mode == HF_SQLITE_STILL;
    bool gone = store->sql.db.gone;

    if (store->sql.db.handle != NULL && (gone || still))
        close_database(store);
    if (gone && !still)
        store->base.generation++;
}

/* The same after a read: did the file that was read without locks stay
 * unchanged? */
static enum hf_status
leave_read(struct sqlite *store, enum hf_status status, struct hf_error *error)
{
    if (status == HF_OK && store->sql.db.mode == HF_SQLITE_STILL)
        status = hf_sqlite_db_check(&store->sql.db, error);
    leave(store);
    return status;
}

/* Begin a call that ends at `until`; end it with leave() unless this fails.  If
 * there is nothing yet to look at, nothing is open. */
static enum hf_status
enter(struct sqlite *store, struct hf_instant until, struct hf_error *error)
{
    enum hf_status status = HF_OK;

    if (store->sql.db.handle == NULL)
        status = open_database(store, patience(until), error);
    if (status == HF_OK && store->sql.db.handle != NULL)
        status = hf_sqlite_sql_enter(&store->sql, until, error);
    if (status != HF_OK)
        leave(store);
    return status;
}

/* ---- Reads --------------------------------------------------------------- */

/* Read the columns version, token, stamp, value; `first` is the first of them.
 * SQLITE_NOMEM leaves *record untouched. */
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
    record->stood.ms = 0;
    record->value_len = len;
    if (len > sizeof(record->value))
        len = sizeof(record->value);
    if (len > 0)
        memcpy(record->value, value, len);
    return SQLITE_OK;
}

/* A key without a record: `version` is the version to expect. */
static void
show_absent(struct hf_record *record, uint64_t version)
{
    record->exists = false;
    record->version = version;
    record->token = 0;
    record->stamp_ms = 0;
    record->stood.ms = 0;
    record->value_len = 0;
}

/* One transaction, which reads the floor once, and only if a key is absent. (If
 * the floor were joined to it, SQLite would prepare the statement for each key,
 * at ten times the cost.) */
struct sqlite_read {
    struct sqlite *store;
    int64_t floor; /* 0: not known yet */
};

static int
show_floor(struct sqlite_read *reading, struct hf_record *record)
{
    int code = SQLITE_OK;

    if (reading->floor == 0)
        code = hf_sqlite_sql_number(&reading->store->sql, HF_SQL_FLOOR,
                                    &reading->floor);
    show_absent(record, (uint64_t)reading->floor);
    return code;
}

static int
get_one(struct sqlite_read *reading, struct hf_key key,
        struct hf_record *record)
{
    sqlite3_stmt *statement = NULL;
    int code = hf_sqlite_sql_prepare_keyed(&reading->store->sql, HF_SQL_GET,
                                           key, &statement);

    if (code != SQLITE_OK)
        return code;
    code = sqlite3_step(statement);
    if (code == SQLITE_DONE) {
        code = show_floor(reading, record);
    } else if (code == SQLITE_ROW) {
        code = SQLITE_OK;
        if (sqlite3_column_type(statement, 3) == SQLITE_NULL)
            show_absent(record, (uint64_t)sqlite3_column_int64(statement, 0));
        else
            code = show(statement, 0, record);
    }
    sqlite3_reset(statement);
    return code;
}

static int
get_all(struct sqlite *store, const struct hf_key *keys, size_t keys_count,
        hf_store_found_fn *found, void *ctx)
{
    struct sqlite_read reading = {.store = store};
    struct hf_record record;
    int code = hf_sqlite_sql_run(&store->sql, HF_SQL_BEGIN_READ);

    for (size_t i = 0; code == SQLITE_OK && i < keys_count; i++) {
        code = get_one(&reading, keys[i], &record);
        if (code == SQLITE_OK)
            found(ctx, i, &record);
    }
    return code;
}

/* For a place that does not exist yet. */
static void
get_nothing(size_t keys_count, hf_store_found_fn *found, void *ctx)
{
    struct hf_record record;

    show_absent(&record, 0);
    for (size_t i = 0; i < keys_count; i++)
        found(ctx, i, &record);
}

static enum hf_status
get(struct hf_store *base, const struct hf_key *keys, size_t keys_count,
    struct hf_instant until, hf_store_found_fn *found, void *ctx,
    struct hf_error *error)
{
    struct sqlite *store = sqlite_of(base);
    enum hf_status status = enter(store, until, error);
    int code;

    if (status != HF_OK)
        return status;
    if (store->sql.db.handle == NULL) {
        get_nothing(keys_count, found, ctx);
        return HF_OK;
    }
    code = get_all(store, keys, keys_count, found, ctx);
    if (code != SQLITE_OK)
        status = fail(store, code, error);
    hf_sqlite_sql_roll_back(&store->sql);
    return leave_read(store, status, error);
}

/* Rows are sorted by the bytes of their names: those with the prefix are
 * together, and the first one without it ends the scan. */
static int
scan_rows(sqlite3_stmt *statement, const struct hf_store_scan *scan,
          hf_store_row_fn *row, void *ctx)
{
    size_t count = 0;
    struct hf_record record;
    int code;

    while (count < scan->limit) {
        const char *name;
        size_t name_len;

        code = sqlite3_step(statement);
        if (code != SQLITE_ROW)
            return code == SQLITE_DONE ? SQLITE_OK : code;
        name = (const char *)sqlite3_column_text(statement, 0);
        if (name == NULL)
            return SQLITE_NOMEM;
        name_len = (size_t)sqlite3_column_bytes(statement, 0);
        if (!hf_rule_has_prefix(scan, name, name_len))
            break;
        if (!hf_rule_comes_after(scan, name, name_len))
            continue;
        code = show(statement, 1, &record);
        if (code != SQLITE_OK)
            return code;
        count++;
        if (!row(ctx, name, name_len, &record))
            break;
    }
    return SQLITE_OK;
}

/* Begin at the prefix, or after the name from which the scan goes on. */
static int
prepare_scan(struct sqlite *store, const struct hf_store_scan *scan,
             sqlite3_stmt **statement)
{
    size_t prefix_len = strlen(scan->prefix);
    bool later = hf_rule_comes_after(scan, scan->prefix, prefix_len);
    const char *start = later ? scan->prefix : scan->after;
    size_t start_len = later ? prefix_len : scan->after_len;
    int code = hf_sqlite_sql_prepare(&store->sql, HF_SQL_SCAN, statement);

    if (code == SQLITE_OK)
        code = sqlite3_bind_text(*statement, 1, scan->space, -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(*statement, 2, start, (int)start_len,
                                 SQLITE_STATIC);
    return code;
}

static enum hf_status
scan(struct hf_store *base, const struct hf_store_scan *scan,
     struct hf_instant until, hf_store_row_fn *row, void *ctx,
     struct hf_error *error)
{
    struct sqlite *store = sqlite_of(base);
    sqlite3_stmt *statement = NULL;
    enum hf_status status;
    int code;

    status = enter(store, patience(until), error);
    if (status != HF_OK || store->sql.db.handle == NULL)
        return status;

    code = prepare_scan(store, scan, &statement);
    if (code == SQLITE_OK)
        code = scan_rows(statement, scan, row, ctx);
    if (code != SQLITE_OK)
        status = fail(store, code, error);
    sqlite3_reset(statement);
    return leave_read(store, status, error);
}

static enum hf_status
unserved(struct hf_store *base, struct hf_instant until, struct hf_error *error)
{
    struct sqlite *store = sqlite_of(base);
    struct hf_error served = {.status = HF_OK};
    enum hf_status status = enter(store, patience(until), error);
    int code;

    if (status != HF_OK || store->sql.db.handle == NULL)
        return status;
    code = hf_sqlite_commit_served(&store->sql, &served);
    if (code != SQLITE_OK)
        status = fail(store, code, error);
    else if (served.status != HF_OK)
        status = hf_fail(error, served.status, "%s", served.text);
    return leave_read(store, status, error);
}

/* ---- Writes -------------------------------------------------------------- */

static void
commit(struct hf_store *base, struct hf_store_group *groups,
       size_t groups_count, struct hf_instant until, struct hf_error *error)
{
    struct sqlite *store = sqlite_of(base);

    if (enter(store, until, error) != HF_OK)
        return;
    hf_sqlite_commit_groups(&store->sql, groups, groups_count, error);
    leave(store);
}

static enum hf_status
purge(struct hf_store *base, struct hf_duration age, size_t limit,
      struct hf_instant until, size_t *purged, struct hf_error *error)
{
    struct sqlite *store = sqlite_of(base);
    struct hf_sqlite_purge what = {
        .before_ms = hf_rule_purge_before(age),
        .limit = limit,
    };
    enum hf_status status = enter(store, patience(until), error);

    if (status != HF_OK)
        return status;
    status = hf_sqlite_commit_purge(&store->sql, &what, purged, error);
    leave(store);
    return status;
}

/* ---- Wait ---------------------------------------------------------------- */

/* A wait without keys needs no inotify instance. */
static void
wait_for_change(struct hf_store *base, struct hf_store_watch *watches,
                size_t watches_count, struct hf_instant until, int wake_fd)
{
    struct sqlite *store = sqlite_of(base);
    const struct hf_sqlite_wait wait = {
        .sql = &store->sql,
        .find = hf_sqlite_commit_find,
        .files = &store->files,
        .looks = &base->looks,
        .opening = store->opening,
        .watches = watches,
        .watches_count = watches_count,
        .until = until,
        .wake_fd = wake_fd,
    };

    /* A closed place is opened by the next call, which may find more if it is
     * to look only. */
    if (watches_count == 0 || store->sql.db.handle == NULL) {
        bool more = watches_count > 0 && base->use == HF_STORE_TO_LOOK;

        hf_file_watch_stop(&store->files);
        hf_pause(until, more ? LOOK_AGAIN_MS : -1, wake_fd);
        return;
    }
    /* A look does not wait for a locked file: wake_fd must be noticed. */
    if (enter(store, hf_now(), NULL) != HF_OK) {
        if (store->sql.db.handle != NULL)
            hf_pause(until, -1, wake_fd);
        return;
    }
    /* SQLite counts the steps of a statement over all its runs.  If a look at
     * many keys were cut short each time, it would never reach the last key. */
    store->sql.db.brief = true;
    hf_sqlite_wait_for_change(&wait);
    store->sql.db.brief = false;
    leave(store);
}

static bool
is_woken(struct hf_store *base, struct hf_instant until)
{
    struct sqlite *store = sqlite_of(base);
    bool woken;

    if (enter(store, patience(until), NULL) != HF_OK)
        return false;
    woken = store->sql.db.handle != NULL &&
            hf_sqlite_wait_listen(&store->sql, &store->files);
    leave(store);
    return woken;
}

/* ---- Inspect ------------------------------------------------------------- */

static void
inspect(struct hf_store *base, struct hf_instant until,
        hf_store_checkup_fn *tell, void *ctx)
{
    struct sqlite *store = sqlite_of(base);
    struct hf_error error = {.status = HF_OK};
    const struct hf_sqlite_inspect what = {
        .place = &store->base.place,
        .look_only = base->use == HF_STORE_TO_LOOK,
        .tell = tell,
        .ctx = ctx,
    };

    if (enter(store, until, &error) != HF_OK || store->sql.db.handle == NULL) {
        hf_sqlite_inspect_closed(&what, &error);
        return;
    }
    hf_sqlite_inspect(&what, &store->sql, &store->files);
    leave(store);
}

/* ---- Open and close ------------------------------------------------------ */

static void
close_sqlite(struct hf_store *base)
{
    struct sqlite *store = sqlite_of(base);

    close_database(store);
    hf_free(base->alloc, store);
}

static const struct hf_store_methods methods = {
    .close = close_sqlite,
    .get = get,
    .scan = scan,
    .unserved = unserved,
    .commit = commit,
    .wait = wait_for_change,
    .is_woken = is_woken,
    .purge = purge,
    .inspect = inspect,
};

static enum hf_status
open_sqlite(const struct hf_place *place, enum hf_store_use use,
            const struct hf_alloc *alloc, struct hf_store **store,
            struct hf_error *error)
{
    struct sqlite *made = hf_new(alloc, struct sqlite);
    enum hf_status status;

    if (made == NULL)
        return hf_fail(error, HF_E_NOMEM, "no memory to open %s", place->path);

    made->base = (struct hf_store){
        .methods = &methods,
        .alloc = alloc,
        .use = use,
        .place = *place,
        .limits = limits,
    };
    status = open_database(made, patience(HF_NEVER), error);
    if (status == HF_OK)
        *store = &made->base;
    else
        close_sqlite(&made->base);
    return status;
}

const struct hf_store_kind hf_sqlite_kind = {
    .scheme = "sqlite:",
    .quicker = "put the place on a quicker disk",
    .busy = "see what keeps its disk busy: iostat -x 1 5",
    .was_lost = "its file was removed, and made anew",
    .was_copied = "its file is a copy, or was restored",
    .was_replaced = "its file was removed or replaced while it was served",
    .parse = hf_sqlite_place_parse,
    .open = open_sqlite,
    .blame = hf_sqlite_inspect_blame,
    .neighbours = hf_neighbours_of,
};
