#include "store/sqlite_open.h"

#include <errno.h>

#include "base/fail.h"
#include "store/sqlite_file.h"
#include "store/sqlite_schema.h"
#include "store/sqlite_served.h"
#include "wire/head.h"

/* synchronous=FULL: an applied group is durable.  The log is folded back into
 * the file about every 100 pages (sqlite_db.c), a leader's by a thread of its
 * own, and not when the last store closes: that would cost each `holdfast run`
 * two more syncs, and the next one would have to make both files again.
 * Reading a log of 100 pages takes well under 1 ms. */
static const char settings[] = "PRAGMA synchronous=FULL;"
                               "PRAGMA trusted_schema=OFF;"
                               "PRAGMA cell_size_check=ON;"
                               "PRAGMA journal_size_limit=4194304;";

/* Has a lock server lost something here?  Only a lock server may then open the
 * place. */
static enum hf_status
admit(const struct hf_sqlite_opening *opening, struct hf_error *error)
{
    static const char *const what[] = {
        [HF_STORE_WHOLE] = "",
        [HF_STORE_FILE_LOST] = "it was removed",
        [HF_STORE_LOG_LOST] = "its log (-wal) was removed",
        [HF_STORE_COPIED] = "it was copied, or restored",
    };

    if (opening->serves || opening->loss == HF_STORE_WHOLE)
        return HF_OK;
    return hf_fail(error, HF_E_UNAVAILABLE,
                   "%s: a lock server served it, and %s: what was granted may "
                   "still be held; start holdfastd there, or, if it is gone "
                   "for good, run holdfastd --retire --at sqlite:%s",
                   opening->place->path, what[opening->loss],
                   opening->place->path);
}

/* Look before SQLite makes the missing files. */
static enum hf_status
look_for_loss(struct hf_sqlite_opening *opening,
              struct hf_sqlite_served *served, struct hf_error *error)
{
    struct stat found;
    enum hf_status status =
        hf_sqlite_served_look(opening->place, served, error);

    if (status != HF_OK)
        return status;
    opening->promised = served->promised;
    opening->loss = served->log_lost ? HF_STORE_LOG_LOST : HF_STORE_WHOLE;
    if (served->marked && stat(opening->place->path, &found) != 0 &&
        errno == ENOENT)
        opening->loss = HF_STORE_FILE_LOST;
    return admit(opening, error);
}

int
hf_sqlite_open_head(struct hf_sqlite_sql *sql, sqlite3_stmt **statement)
{
    int code = hf_sqlite_sql_prepare(sql, HF_SQL_HEAD, statement);

    return code == SQLITE_OK ? sqlite3_step(*statement) : code;
}

/* Was the head in the row written elsewhere, or before the term that the mark
 * names?  If the head cannot be read, its reader will report that. */
static bool
is_copied(const struct hf_sqlite_opening *opening,
          const struct hf_sqlite_served *served, sqlite3_stmt *row)
{
    uint64_t term = (uint64_t)sqlite3_column_int64(row, 1);
    const char *value = (const char *)sqlite3_column_text(row, 2);
    size_t len = (size_t)sqlite3_column_bytes(row, 2);
    struct hf_head head;

    return value != NULL && hf_head_decode(value, len, &head, NULL) == HF_OK &&
           (head.store != opening->identity || term < served->term);
}

/* The file of a marked place may have been made again, and may be empty. */
static enum hf_status
look_for_head(struct hf_sqlite_sql *sql, struct hf_sqlite_opening *opening,
              const struct hf_sqlite_served *served, struct hf_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = hf_sqlite_open_head(sql, &statement);

    if (code == SQLITE_DONE && served->marked)
        opening->loss = HF_STORE_FILE_LOST;
    else if (code == SQLITE_ROW && is_copied(opening, served, statement))
        opening->loss = HF_STORE_COPIED;
    sqlite3_reset(statement);
    if (code == SQLITE_DONE || code == SQLITE_ROW || !served->marked)
        return admit(opening, error); /* damage is reported by the readers */
    return hf_sqlite_db_fail(&sql->db, code, error);
}

static enum hf_status
set_up(struct hf_sqlite_sql *sql, struct hf_sqlite_opening *opening,
       struct hf_error *error)
{
    enum hf_status status;
    int64_t floor = 0;
    int code;

    sqlite3_db_config(sql->db.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1,
                      NULL);
    status = hf_sqlite_schema_prepare(&sql->db, error);
    if (status != HF_OK)
        return status;

    code = hf_sqlite_db_run(&sql->db, settings);
    /* The first read: do our tables exist?  It also makes the log, and shares
     * it before anybody needs it. */
    if (code == SQLITE_OK)
        code = hf_sqlite_sql_number(sql, HF_SQL_FLOOR, &floor);
    if (code != SQLITE_OK)
        return hf_sqlite_db_fail(&sql->db, code, error);
    hf_sqlite_file_share(sql->db.identity.database);
    opening->identity = hf_sqlite_served_identity(sql->db.identity.database);
    return hf_sqlite_db_note(&sql->db, error);
}

enum hf_status
hf_sqlite_open(struct hf_sqlite_sql *sql, struct hf_sqlite_opening *opening,
               struct hf_error *error)
{
    const char *path = opening->place->path;
    struct hf_sqlite_served served = {.marked = false};
    enum hf_status status = look_for_loss(opening, &served, error);

    if (status == HF_OK)
        status =
            hf_sqlite_file_prepare(opening->place, &opening->is_new, error);
    if (status == HF_OK)
        status = hf_sqlite_db_open(&sql->db, path, HF_SQLITE_WRITE, error);
    if (status != HF_OK)
        return status;
    sql->db.until = opening->until;
    sql->db.locked_ms = opening->locked_ms;
    status = set_up(sql, opening, error);
    if (status == HF_OK)
        status = look_for_head(sql, opening, &served, error);
    if (status != HF_OK)
        hf_sqlite_sql_close(sql);
    return status;
}
