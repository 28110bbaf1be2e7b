#ifndef HF_STORE_SQLITE_SQL_H
#define HF_STORE_SQLITE_SQL_H

#include "store/rule.h"
#include "store/sqlite_db.h"

/*
 * A connection with the statements of all who use a file, a table's store and a
 * lock server's journal, each prepared at its first use.  All functions but
 * those that take an hf_error return SQLite's result codes.  Not thread-safe.
 */

/* What a purge may remove, as holdfast_leftovers (sqlite_schema.c) has it: the
 * oldest first. */
#define HF_SQL_LEFTOVERS                                                       \
    "holdfast_records INDEXED BY holdfast_leftovers"                           \
    " WHERE (value IS NULL OR space = '" HF_RULE_MARKERS "')"                  \
    " AND stamp <= ?1 ORDER BY stamp, rowid LIMIT ?2"

/* name, SQL */
#define HF_SQL_TABLE(X)                                                        \
    X(GET, "SELECT version, token, stamp, value"                               \
           " FROM holdfast_records WHERE space = ?1 AND name = ?2")            \
    X(FIND, "SELECT version, token, value IS NOT NULL"                         \
            " FROM holdfast_records WHERE space = ?1 AND name = ?2")           \
    X(LOCK, "SELECT space, name FROM holdfast_records"                         \
            " WHERE value IS NOT NULL AND (space < '!' OR space >= '\"')"      \
            " ORDER BY space, name LIMIT 1")                                   \
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
           " FROM " HF_SQL_LEFTOVERS ")")                                      \
    X(PURGE, "DELETE FROM holdfast_records WHERE rowid IN"                     \
             " (SELECT rowid FROM " HF_SQL_LEFTOVERS ")")                      \
    X(HEAD, "SELECT version, term, value FROM holdfast_head")                  \
    X(HEAD_MOVE, "UPDATE holdfast_head SET version = ?1,"                      \
                 " term = coalesce(?2, term), value = ?3 WHERE version = ?4")  \
    X(HEAD_MAKE, "INSERT INTO holdfast_head SELECT 1, ?1, ?2, ?3"              \
                 " FROM holdfast_meta WHERE key = 'floor' AND number = ?4"     \
                 " ON CONFLICT DO NOTHING")                                    \
    X(SESSION_PUT, "INSERT OR REPLACE INTO holdfast_sessions"                  \
                   " VALUES(?1, ?2, ?3, ?4, ?5, ?6)")                          \
    X(SESSION_DROP, "DELETE FROM holdfast_sessions WHERE id = ?1")             \
    X(SESSIONS, "SELECT id, secret, ttl_ms, if_dead, who, silent_from_ms"      \
                " FROM holdfast_sessions WHERE id >= ?1 ORDER BY id LIMIT ?2") \
    X(GRANT_PUT, "INSERT OR REPLACE INTO holdfast_grants"                      \
                 " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)")                        \
    X(GRANT_DROP, "DELETE FROM holdfast_grants WHERE fence = ?1")              \
    X(GRANTS, "SELECT fence, session, lane, n, since, locks, note"             \
              " FROM holdfast_grants WHERE fence >= ?1"                        \
              " ORDER BY fence LIMIT ?2")                                      \
    X(LOOK, "PRAGMA data_version")                                             \
    X(BEGIN, "BEGIN IMMEDIATE")                                                \
    X(BEGIN_READ, "BEGIN")                                                     \
    X(COMMIT, "COMMIT")                                                        \
    X(ROLLBACK, "ROLLBACK")

enum hf_sql {
#define HF_SQL_ENUM(name, sql) HF_SQL_##name,
    HF_SQL_TABLE(HF_SQL_ENUM)
#undef HF_SQL_ENUM
        HF_SQL_COUNT,
};

struct hf_sqlite_sql {
    struct hf_sqlite_db db;
    sqlite3_stmt *statements[HF_SQL_COUNT]; /* owned; reset after each use */
};

/* Close the connection too.  Zero, and twice, are fine. */
void hf_sqlite_sql_close(struct hf_sqlite_sql *sql);

/*
 * Start a call that ends at `until`.  HF_E_UNAVAILABLE: as hf_sqlite_db_check,
 * or a transaction could not be rolled back.
 */
HF_MUST_USE enum hf_status hf_sqlite_sql_enter(struct hf_sqlite_sql *sql,
                                               struct hf_instant until,
                                               struct hf_error *error);

/* Borrow a statement until its reset. */
int hf_sqlite_sql_prepare(struct hf_sqlite_sql *sql, enum hf_sql which,
                          sqlite3_stmt **statement);

/* The same, with the key as its first two parameters: borrowed, as long. */
int hf_sqlite_sql_prepare_keyed(struct hf_sqlite_sql *sql, enum hf_sql which,
                                struct hf_key key, sqlite3_stmt **statement);

/* Run to its end a statement that returns no rows, and reset it. */
int hf_sqlite_sql_finish(sqlite3_stmt *statement);

/* Both at once, for a statement without parameters. */
int hf_sqlite_sql_run(struct hf_sqlite_sql *sql, enum hf_sql which);

/* The number it returns; SQLITE_NOTFOUND: none. */
int hf_sqlite_sql_number(struct hf_sqlite_sql *sql, enum hf_sql which,
                         int64_t *number);

/* End a transaction, if one is open: an error may have ended it already. */
void hf_sqlite_sql_roll_back(struct hf_sqlite_sql *sql);

#endif
