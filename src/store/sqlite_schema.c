#include "store/sqlite_schema.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "store/rule.h"

static enum hf_status
run(struct hf_sqlite_db *db, const char *sql, struct hf_error *error)
{
    int code = hf_sqlite_db_run(db, sql);

    return code == SQLITE_OK ? HF_OK : hf_sqlite_db_fail(db, code, error);
}

/* ---- Our schema ---------------------------------------------------------- */

/*
 * A tombstone is a row without a value.  The tables are STRICT and checked, so
 * that what is typed at a prompt is of the right type, or refused.  Rows have
 * a rowid, since a beat then changes one tree and not the index: 5,000 beats
 * took 20 ms with and 26 ms without it.
 *
 * The view is for people: they see locks, not Holdfast's own spaces.
 */
static const char records[] =
    "CREATE TABLE holdfast_records("
    " space TEXT NOT NULL,"
    " name TEXT NOT NULL,"
    " version INTEGER NOT NULL CHECK(version BETWEEN 1 AND 1 << 62),"
    " token INTEGER NOT NULL CHECK(token BETWEEN 0 AND 1 << 62),"
    " stamp INTEGER NOT NULL,"
    " value TEXT,"
    " PRIMARY KEY(space, name)"
    ") STRICT;"
    "CREATE TABLE holdfast_meta("
    " key TEXT NOT NULL PRIMARY KEY,"
    " number INTEGER NOT NULL CHECK(number BETWEEN 1 AND 1 << 62)"
    ") STRICT, WITHOUT ROWID;"
    "CREATE VIEW locks(space, name, heartbeat, fence, owner, value) AS"
    " SELECT space, name,"
    "  strftime('%Y-%m-%dT%H:%M:%fZ', stamp / 1000.0, 'unixepoch'),"
    "  token,"
    "  CASE WHEN json_valid(value) THEN"
    "   json_extract(value, '$.owner.user') || '@' ||"
    "   json_extract(value, '$.owner.host') || ': ' ||"
    "   json_extract(value, '$.owner.command') END,"
    "  value"
    " FROM holdfast_records"
    " WHERE value IS NOT NULL AND substr(space, 1, 1) <> '!';";

/*
 * What a purge looks for, by age: without it a purge reads every row, under the
 * write lock (70 ms where 100,000 locks are held).  A beat does not touch it.
 */
static const char leftovers[] =
    "CREATE INDEX holdfast_leftovers ON holdfast_records(stamp)"
    " WHERE value IS NULL OR space = '" HF_RULE_MARKERS "';";

/*
 * A lock server's journal: the head as its JSON (src/wire/head.h), for it is a
 * lock's record; sessions and grants as rows (src/wire/served.h).  A grant is
 * under its fence, and fences only grow, so that grants are appended.
 *
 * The views are for people.  `grants` has a row for each lock of each grant; a
 * grant whose session has no row is void, and is not shown.  A list of locks
 * that is not ours must not hide all others.
 */
static const char journal[] =
    "CREATE TABLE holdfast_head("
    " one INTEGER PRIMARY KEY CHECK(one = 1),"
    " version INTEGER NOT NULL CHECK(version BETWEEN 1 AND 1 << 62),"
    " term INTEGER NOT NULL CHECK(term BETWEEN 1 AND 1 << 62),"
    " value TEXT NOT NULL"
    ") STRICT;"
    "CREATE TABLE holdfast_sessions("
    " id INTEGER PRIMARY KEY,"
    " secret TEXT NOT NULL,"
    " ttl_ms INTEGER NOT NULL,"
    " if_dead TEXT NOT NULL,"
    " who TEXT NOT NULL,"
    " silent_from_ms INTEGER NOT NULL"
    ") STRICT;"
    "CREATE TABLE holdfast_grants("
    " fence INTEGER PRIMARY KEY,"
    " session INTEGER NOT NULL,"
    " lane INTEGER NOT NULL,"
    " n INTEGER NOT NULL,"
    " since INTEGER NOT NULL,"
    " locks TEXT NOT NULL,"
    " note TEXT NOT NULL"
    ") STRICT;"
    "CREATE VIEW grants(space, name, mode, fence, session, lane, since,"
    "  if_dead, ttl_ms, who, note) AS"
    " SELECT json_extract(held.locks, lock.fullkey || '.space'),"
    "  json_extract(held.locks, lock.fullkey || '.name'),"
    "  json_extract(held.locks, lock.fullkey || '.mode'),"
    "  held.fence, printf('%016x', holder.id), held.lane,"
    "  strftime('%Y-%m-%dT%H:%M:%fZ', held.since / 1000.0, 'unixepoch'),"
    "  holder.if_dead, holder.ttl_ms, holder.who, held.note"
    " FROM holdfast_grants AS held"
    " JOIN json_each(iif(json_valid(held.locks), held.locks, '[]')) AS lock"
    " JOIN holdfast_sessions AS holder ON holder.id = held.session;"
    "CREATE VIEW sessions(session, ttl_ms, if_dead, who) AS"
    " SELECT printf('%016x', id), ttl_ms, if_dead, who FROM holdfast_sessions;"
    "CREATE VIEW leader(node, address, term, version, next_fence) AS"
    " SELECT json_extract(value, '$.node'), json_extract(value, '$.address'),"
    "  term, version, json_extract(value, '$.next_fence')"
    " FROM holdfast_head;";

/* The wall clock, so that a file that was deleted repeats no fence. */
static enum hf_status
set_floor(struct hf_sqlite_db *db, struct hf_error *error)
{
    int64_t now_us = 0;
    enum hf_status status = hf_rule_clock(&now_us, error);
    char sql[128];

    snprintf(sql, sizeof(sql),
             "INSERT INTO holdfast_meta VALUES('floor', %lld)",
             (long long)now_us);
    return status == HF_OK ? run(db, sql, error) : status;
}

/* ---- Whose file is it? --------------------------------------------------- */

/* From SQLite's file format, section 1.3. */
enum {
    HEADER_LEN = 100,
    HEADER_APPLICATION = 68, /* four bytes, big-endian */
};

static const char header_magic[16] = "SQLite format 3";

static uint32_t
read_u32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
           (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3];
}

/*
 * The first bytes of the file, read under a shared lock, through SQLite's own
 * descriptor and with nothing else of SQLite's at work: an ordinary read of
 * somebody else's database could already write to it, by rolling back its
 * journal or recovering its log.  *len is 0 for an empty file.
 */
static int
read_header(struct hf_sqlite_db *db, unsigned char header[HEADER_LEN],
            size_t *len)
{
    sqlite3_file *file = NULL;
    sqlite3_int64 size = 0;
    int code = sqlite3_file_control(db->handle, "main",
                                    SQLITE_FCNTL_FILE_POINTER, &file);

    if (code != SQLITE_OK)
        return code;
    do
        code = file->pMethods->xLock(file, SQLITE_LOCK_SHARED);
    while ((code & 0xff) == SQLITE_BUSY && hf_sqlite_db_pause(db));
    if (code != SQLITE_OK)
        return code;

    code = file->pMethods->xFileSize(file, &size);
    if (code == SQLITE_OK && size >= HEADER_LEN)
        code = file->pMethods->xRead(file, header, HEADER_LEN, 0);
    *len = size < HEADER_LEN ? (size_t)size : HEADER_LEN;
    file->pMethods->xUnlock(file, SQLITE_LOCK_NONE);
    return code;
}

static enum hf_status
recognise(struct hf_sqlite_db *db, struct hf_error *error)
{
    static const unsigned char blank[HEADER_LEN];
    unsigned char header[HEADER_LEN] = {0};
    size_t len = 0;
    int code = read_header(db, header, &len);

    if (code != SQLITE_OK)
        return hf_sqlite_db_fail(db, code, error);
    if (len == 0)
        return HF_OK;
    if (len < HEADER_LEN)
        return hf_sqlite_db_fail(db, SQLITE_NOTADB, error);

    /* Blank: perhaps the power failed when the file was made, and SQLite will
     * roll that back. */
    if (memcmp(header, blank, sizeof(header)) == 0)
        return HF_OK;
    if (memcmp(header, header_magic, sizeof(header_magic)) != 0)
        return hf_sqlite_db_fail(db, SQLITE_NOTADB, error);
    if (read_u32(header + HEADER_APPLICATION) != HF_SQLITE_SCHEMA_APPLICATION)
        return hf_fail(error, HF_E_CORRUPT,
                       "%s: it is another application's SQLite database",
                       db->path);
    return HF_OK;
}

/* *empty: there is no schema yet. */
static enum hf_status
read_version(struct hf_sqlite_db *db, bool *empty, struct hf_error *error)
{
    int64_t found = 0;
    int code = hf_sqlite_db_number(db, "PRAGMA user_version", &found);

    if (code != SQLITE_OK)
        return hf_sqlite_db_fail(db, code, error);
    *empty = found == 0;
    if (found == 0 || found == HF_SQLITE_SCHEMA_VERSION)
        return HF_OK;
    if (found < 0)
        return hf_fail(error, HF_E_CORRUPT, "%s: its schema is not Holdfast's",
                       db->path);
    return hf_fail(error, HF_E_CORRUPT,
                   "%s: %s version of Holdfast made it (schema %lld, and this "
                   "one knows only %d): use that version, or, if nothing in it "
                   "is held, move the file away",
                   db->path,
                   found > HF_SQLITE_SCHEMA_VERSION ? "a later" : "an earlier",
                   (long long)found, HF_SQLITE_SCHEMA_VERSION);
}

/* ---- Make it ------------------------------------------------------------- */

/* What has version 0 must be empty: somebody may have been faster than us. */
static enum hf_status
refuse_tables(struct hf_sqlite_db *db, struct hf_error *error)
{
    int64_t tables = 0;
    int code =
        hf_sqlite_db_number(db, "SELECT count(*) FROM sqlite_schema", &tables);

    if (code != SQLITE_OK)
        return hf_sqlite_db_fail(db, code, error);
    if (tables != 0)
        return hf_fail(error, HF_E_CORRUPT, "%s: its tables are not Holdfast's",
                       db->path);
    return HF_OK;
}

static enum hf_status
fill(struct hf_sqlite_db *db, struct hf_error *error)
{
    enum hf_status status = refuse_tables(db, error);
    char sql[128];

    if (status == HF_OK)
        status = run(db, records, error);
    if (status == HF_OK)
        status = run(db, leftovers, error);
    if (status == HF_OK)
        status = run(db, journal, error);
    if (status == HF_OK)
        status = set_floor(db, error);
    snprintf(sql, sizeof(sql),
             "PRAGMA application_id=%d; PRAGMA user_version=%d",
             HF_SQLITE_SCHEMA_APPLICATION, HF_SQLITE_SCHEMA_VERSION);
    return status == HF_OK ? run(db, sql, error) : status;
}

/*
 * A new file is made under a rollback journal and only then turned to WAL, so
 * that its header carries the application id from the first commit on.
 */
static enum hf_status
make(struct hf_sqlite_db *db, struct hf_error *error)
{
    bool empty = false;
    enum hf_status status = run(db, "BEGIN EXCLUSIVE", error);

    if (status != HF_OK)
        return status;

    /* Again, for another process may have done it while we waited. */
    status = read_version(db, &empty, error);
    if (status == HF_OK && empty) {
        status = fill(db, error);
        if (status == HF_OK)
            status = run(db, "COMMIT", error);
    }
    if (sqlite3_get_autocommit(db->handle) == 0)
        hf_sqlite_db_run(db, "ROLLBACK");
    return status;
}

static int
turn_to_wal(struct hf_sqlite_db *db)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db->handle, "PRAGMA journal_mode=WAL", -1,
                                  &statement, NULL);
    const unsigned char *mode = NULL;

    if (code != SQLITE_OK)
        return code;
    /* SQLite calls no busy handler for this one. */
    do {
        sqlite3_reset(statement);
        code = sqlite3_step(statement);
    } while ((code & 0xff) == SQLITE_BUSY && hf_sqlite_db_pause(db));
    if (code == SQLITE_ROW) {
        mode = sqlite3_column_text(statement, 0);
        code = mode != NULL && strcmp((const char *)mode, "wal") == 0
                   ? SQLITE_OK
                   : SQLITE_PROTOCOL;
    }
    sqlite3_finalize(statement);
    return code;
}

enum hf_status
hf_sqlite_schema_read(struct hf_sqlite_db *db, bool *empty,
                      struct hf_error *error)
{
    enum hf_status status = recognise(db, error);

    return status == HF_OK ? read_version(db, empty, error) : status;
}

enum hf_status
hf_sqlite_schema_prepare(struct hf_sqlite_db *db, struct hf_error *error)
{
    bool empty = false;
    enum hf_status status = hf_sqlite_schema_read(db, &empty, error);
    int code;

    if (status == HF_OK && empty)
        status = make(db, error);
    if (status != HF_OK)
        return status;

    code = turn_to_wal(db);
    if (code == SQLITE_PROTOCOL)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "%s: its file system cannot share memory, which "
                       "SQLite's WAL needs",
                       db->path);
    if (code != SQLITE_OK)
        return hf_sqlite_db_fail(db, code, error);
    return HF_OK;
}
