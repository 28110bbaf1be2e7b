#include "store/sqlite_sql.h"

static const char *const texts[] = {
#define SQL_TEXT(name, sql) sql,
    HF_SQL_TABLE(SQL_TEXT)
#undef SQL_TEXT
};

void
hf_sqlite_sql_close(struct hf_sqlite_sql *sql)
{
    for (size_t i = 0; i < HF_SQL_COUNT; i++)
        sqlite3_finalize(sql->statements[i]);
    hf_sqlite_db_close(&sql->db);
    *sql = (struct hf_sqlite_sql){.db = {.handle = NULL}};
}

int
hf_sqlite_sql_prepare(struct hf_sqlite_sql *sql, enum hf_sql which,
                      sqlite3_stmt **statement)
{
    if (sql->statements[which] == NULL) {
        int code = sqlite3_prepare_v3(sql->db.handle, texts[which], -1,
                                      SQLITE_PREPARE_PERSISTENT,
                                      &sql->statements[which], NULL);

        if (code != SQLITE_OK)
            return code;
    }
    *statement = sql->statements[which];
    return SQLITE_OK;
}

int
hf_sqlite_sql_prepare_keyed(struct hf_sqlite_sql *sql, enum hf_sql which,
                            struct hf_key key, sqlite3_stmt **statement)
{
    int code = hf_sqlite_sql_prepare(sql, which, statement);

    if (code == SQLITE_OK)
        code = sqlite3_bind_text(*statement, 1, key.space, -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(*statement, 2, key.name, -1, SQLITE_STATIC);
    return code;
}

int
hf_sqlite_sql_finish(sqlite3_stmt *statement)
{
    int code = sqlite3_step(statement);

    sqlite3_reset(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

int
hf_sqlite_sql_run(struct hf_sqlite_sql *sql, enum hf_sql which)
{
    sqlite3_stmt *statement;
    int code = hf_sqlite_sql_prepare(sql, which, &statement);

    return code == SQLITE_OK ? hf_sqlite_sql_finish(statement) : code;
}

int
hf_sqlite_sql_number(struct hf_sqlite_sql *sql, enum hf_sql which,
                     int64_t *number)
{
    sqlite3_stmt *statement;
    int code = hf_sqlite_sql_prepare(sql, which, &statement);

    if (code != SQLITE_OK)
        return code;
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? SQLITE_NOTFOUND
                               : (code == SQLITE_ROW ? SQLITE_OK : code);
}

enum hf_status
hf_sqlite_sql_enter(struct hf_sqlite_sql *sql, struct hf_instant until,
                    struct hf_error *error)
{
    sql->db.until = until;
    /* Still open only if its ROLLBACK failed; until then nothing is done. */
    if (sqlite3_get_autocommit(sql->db.handle) == 0) {
        int code = hf_sqlite_sql_run(sql, HF_SQL_ROLLBACK);

        if (sqlite3_get_autocommit(sql->db.handle) == 0)
            return hf_sqlite_db_fail(&sql->db, code, error);
    }
    return hf_sqlite_db_check(&sql->db, error);
}

void
hf_sqlite_sql_roll_back(struct hf_sqlite_sql *sql)
{
    if (sqlite3_get_autocommit(sql->db.handle) == 0)
        hf_sqlite_sql_run(sql, HF_SQL_ROLLBACK);
}
