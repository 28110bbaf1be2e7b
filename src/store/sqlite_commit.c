#include "store/sqlite_commit.h"

#include "base/check.h"
#include "base/fail.h"
#include "store/sqlite_open.h"
#include "wire/head.h"

/* While other processes lock the file nothing is done.  So tell the caller
 * after this time, who can do work that needs no write before the next try. */
static const struct hf_duration lock_wait = {1000};

/* One transaction under way. */
struct work {
    struct hf_sqlite_sql *sql;
    uint64_t floor;  /* at its begin: all groups are judged by it */
    uint64_t erased; /* highest version erased; 0: none */
    int64_t now_us;  /* the source of its versions and stamps */
    size_t applied_count;
    bool head_known; /* the record of a lock server's head was looked at: */
    struct hf_error served; /* HF_OK: nobody leads */
};

int
hf_sqlite_commit_find(struct hf_sqlite_sql *sql, struct hf_key key,
                      uint64_t floor, struct hf_rule_found *found)
{
    sqlite3_stmt *statement = NULL;
    int code = hf_sqlite_sql_prepare_keyed(sql, HF_SQL_FIND, key, &statement);

    if (code != SQLITE_OK)
        return code;
    code = sqlite3_step(statement);
    HF_CHECK(code != SQLITE_OK); /* a step says ROW, DONE, or why not */
    if (code == SQLITE_ROW) {
        *found = (struct hf_rule_found){
            .present = true,
            .version = (uint64_t)sqlite3_column_int64(statement, 0),
            .token = (uint64_t)sqlite3_column_int64(statement, 1),
            .exists = sqlite3_column_int(statement, 2) != 0,
        };
        code = SQLITE_OK;
    } else if (code == SQLITE_DONE) {
        *found = (struct hf_rule_found){.version = floor};
        code = SQLITE_OK;
    }
    sqlite3_reset(statement);
    return code;
}

static int
write_row(struct work *work, struct hf_store_op *op,
          const struct hf_rule_found *found)
{
    uint64_t version = hf_rule_next(found, work->now_us);
    uint64_t token = op->new_generation ? version : found->token;
    sqlite3_stmt *statement = NULL;
    int code = hf_sqlite_sql_prepare_keyed(work->sql, HF_SQL_WRITE, op->key,
                                           &statement);

    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(statement, 3, (int64_t)version);
    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(statement, 4, (int64_t)token);
    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(statement, 5, work->now_us / 1000);
    if (code == SQLITE_OK)
        code = op->kind == HF_PUT
                   ? sqlite3_bind_text(statement, 6, op->value,
                                       (int)op->value_len, SQLITE_STATIC)
                   : sqlite3_bind_null(statement, 6);
    if (code == SQLITE_OK)
        code = hf_sqlite_sql_finish(statement);
    if (code == SQLITE_OK)
        op->version = version;
    return code;
}

static int
erase_row(struct work *work, struct hf_store_op *op,
          const struct hf_rule_found *found)
{
    sqlite3_stmt *statement = NULL;
    int code = hf_sqlite_sql_prepare_keyed(work->sql, HF_SQL_ERASE, op->key,
                                           &statement);

    if (code == SQLITE_OK)
        code = hf_sqlite_sql_finish(statement);
    op->version = 0;
    if (found->present && found->version > work->erased)
        work->erased = found->version;
    return code;
}

int
hf_sqlite_commit_served(struct hf_sqlite_sql *sql, struct hf_error *served)
{
    sqlite3_stmt *statement = NULL;
    int code = hf_sqlite_open_head(sql, &statement);

    if (code == SQLITE_ROW) {
        const char *value = (const char *)sqlite3_column_text(statement, 2);
        size_t len = (size_t)sqlite3_column_bytes(statement, 2);

        if (value != NULL)
            served->status =
                hf_rule_unserved("sqlite", sql->db.path, value, len, served);
    }
    sqlite3_reset(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

/* Is a claim of a table lock allowed?  That is looked at in its own
 * transaction. */
static int
may_claim(struct work *work, const struct hf_store_group *group, bool *may,
          struct hf_error *error)
{
    int code = SQLITE_OK;

    *may = true;
    if (!hf_rule_claims(group))
        return SQLITE_OK;
    if (!work->head_known)
        code = hf_sqlite_commit_served(work->sql, &work->served);
    work->head_known = code == SQLITE_OK;
    if (code == SQLITE_OK && work->served.status != HF_OK) {
        *may = false;
        (void)hf_fail(error, work->served.status, "%s: %s", work->sql->db.path,
                      work->served.text);
    }
    return code;
}

/* Judge the whole group before its first row is written: a key is in a commit
 * once, so what was found stays true. */
static int
try_group(struct work *work, struct hf_store_group *group,
          struct hf_error *error)
{
    struct hf_rule_found found[HF_GROUP_OPERATIONS_MAX];
    bool may;
    int judged;

    if (hf_rule_admit(group, error) != HF_OK)
        return SQLITE_OK;
    judged = may_claim(work, group, &may, error);
    if (judged != SQLITE_OK || !may)
        return judged;
    for (size_t i = 0; i < group->ops_count; i++) {
        int code = hf_sqlite_commit_find(work->sql, group->ops[i].key,
                                         work->floor, &found[i]);

        if (code != SQLITE_OK)
            return code;
        if (!hf_rule_applies(&group->ops[i], &found[i])) {
            group->verdict = HF_REFUSED;
            group->refused_at = i;
            return SQLITE_OK;
        }
        if (hf_rule_grow(&group->ops[i], &found[i], error) != HF_OK) {
            struct hf_error why = *error;

            (void)hf_fail(error, why.status, "%s: %s", work->sql->db.path,
                          why.text);
            return SQLITE_OK;
        }
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
raise_floor(struct hf_sqlite_sql *sql, uint64_t above)
{
    sqlite3_stmt *statement = NULL;
    int code = hf_sqlite_sql_prepare(sql, HF_SQL_RAISE, &statement);

    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(statement, 1, (int64_t)above + 1);
    return code == SQLITE_OK ? hf_sqlite_sql_finish(statement) : code;
}

/* At `until` the finished groups are committed; the others are left for another
 * call.  The clock is read under the write lock: a clock read before the wait
 * for it would be older than versions written meanwhile. */
static int
try_groups(struct work *work, struct hf_store_group *groups,
           size_t groups_count, struct hf_error *error)
{
    struct hf_instant until = work->sql->db.until;
    int64_t floor = 0;
    int code = hf_sqlite_sql_number(work->sql, HF_SQL_FLOOR, &floor);

    work->floor = (uint64_t)floor;
    if (code == SQLITE_OK && hf_rule_clock(&work->now_us, error) != HF_OK)
        return SQLITE_OK; /* every group is HF_UNAVAILABLE */
    for (size_t i = 0; code == SQLITE_OK && i < groups_count; i++) {
        if (hf_reached(hf_now(), until)) {
            hf_sqlite_db_fail(&work->sql->db, SQLITE_INTERRUPT, error);
            break;
        }
        code = try_group(work, &groups[i], error);
    }
    if (code == SQLITE_OK && work->erased > 0)
        code = raise_floor(work->sql, work->erased);
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

/* Our files may have been removed while we waited for the lock or wrote.  A
 * process that opens the place later finds the transaction only if it had been
 * folded into the same file: unknown. */
static void
look_behind(struct hf_sqlite_sql *sql, struct hf_store_group *groups,
            size_t groups_count, struct hf_error *error)
{
    if (hf_sqlite_db_check(&sql->db, error) != HF_OK)
        hf_rule_rejudge(groups, groups_count, HF_APPLIED, HF_UNKNOWN);
}

/* A refusal stands, whatever becomes of the transaction: it was read under the
 * write lock, and only from committed rows, since a key is in a commit once. */
void
hf_sqlite_commit_groups(struct hf_sqlite_sql *sql,
                        struct hf_store_group *groups, size_t groups_count,
                        struct hf_error *error)
{
    struct work work = {.sql = sql};
    enum hf_verdict failed = HF_UNAVAILABLE;
    struct hf_instant until = sql->db.until;
    int code;

    sql->db.until = hf_earlier(until, hf_after(hf_now(), lock_wait));
    code = hf_sqlite_sql_run(sql, HF_SQL_BEGIN);
    sql->db.until = until;
    if (code == SQLITE_OK)
        code = try_groups(&work, groups, groups_count, error);
    if (code == SQLITE_OK && work.applied_count > 0) {
        /* The clock must not interrupt it: the result would be unknown. */
        sql->db.until = HF_NEVER;
        code = hf_sqlite_sql_run(sql, HF_SQL_COMMIT);
        if (code != SQLITE_OK)
            failed = verdict_of_failed_commit(code);
    }
    if (code != SQLITE_OK) {
        hf_sqlite_db_fail(&sql->db, code, error);
        hf_rule_rejudge(groups, groups_count, HF_APPLIED, failed);
    } else if (work.applied_count > 0) {
        look_behind(sql, groups, groups_count, error);
    }
    hf_sqlite_sql_roll_back(sql);
}

/* ---- Purge --------------------------------------------------------------- */

static int
bind_purge(struct hf_sqlite_sql *sql, enum hf_sql which,
           const struct hf_sqlite_purge *purge, sqlite3_stmt **statement)
{
    int64_t most = purge->limit > INT64_MAX ? INT64_MAX : (int64_t)purge->limit;
    int code = hf_sqlite_sql_prepare(sql, which, statement);

    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(*statement, 1, purge->before_ms);
    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(*statement, 2, most);
    return code;
}

static int
purge_rows(struct hf_sqlite_sql *sql, const struct hf_sqlite_purge *purge,
           size_t *gone)
{
    sqlite3_stmt *statement = NULL;
    int64_t highest = 0;
    int code = bind_purge(sql, HF_SQL_OLD, purge, &statement);

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

    code = raise_floor(sql, (uint64_t)highest);
    if (code == SQLITE_OK)
        code = bind_purge(sql, HF_SQL_PURGE, purge, &statement);
    return code == SQLITE_OK ? hf_sqlite_sql_finish(statement) : code;
}

enum hf_status
hf_sqlite_commit_purge(struct hf_sqlite_sql *sql,
                       const struct hf_sqlite_purge *purge, size_t *purged,
                       struct hf_error *error)
{
    size_t gone = 0;
    enum hf_status status = HF_OK;
    int code = hf_sqlite_sql_run(sql, HF_SQL_BEGIN);

    if (code == SQLITE_OK)
        code = purge_rows(sql, purge, &gone);
    if (code == SQLITE_OK && gone > 0)
        code = hf_sqlite_sql_run(sql, HF_SQL_COMMIT);
    if (code != SQLITE_OK)
        status = hf_sqlite_db_fail(&sql->db, code, error);
    hf_sqlite_sql_roll_back(sql);
    if (status == HF_OK)
        *purged = gone;
    return status;
}
