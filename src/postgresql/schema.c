#include "postgresql/schema.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/fail.h"
#include "postgresql/pipeline.h"
#include "postgresql/sql.h"
#include "postgresql/value.h"

/*
 * One row: what must be so before anything else is asked.  STRANGER is a role
 * that owns the schema or something in it, and that could act with our rights
 * through it, since what is in it runs with them: who is neither we, nor a
 * superuser or another that has our rights already, nor the database's owner.
 * Whose function a trigger calls could act as well.
 */
static const char look[] =
    "SELECT current_setting('server_encoding'), pg_is_in_recovery(),"
    " to_regproc('pg_catalog.pg_walfile_name') IS NOT NULL,"
    " to_regclass('@schema@.meta') IS NOT NULL,"
    " (SELECT count(*) FROM pg_attribute a"
    " WHERE a.attrelid = to_regclass('@schema@.meta')"
    " AND (a.attname = 'key' AND a.atttypid = 25"
    " OR a.attname = 'number' AND a.atttypid = 20)),"
    " (SELECT count(*) FROM pg_class c WHERE c.relnamespace = n.oid),"
    " (SELECT pg_get_userbyid(o.owner) FROM pg_database b CROSS JOIN LATERAL"
    " (SELECT n.nspowner UNION ALL SELECT s.refobjid FROM pg_depend d"
    " JOIN pg_shdepend s ON s.dbid = b.oid AND s.classid = d.classid"
    " AND s.objid = d.objid AND s.deptype = 'o'"
    " WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = n.oid"
    " UNION ALL SELECT p.proowner FROM pg_trigger t"
    " JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid"
    " WHERE c.relnamespace = n.oid)"
    " AS o (owner) WHERE b.datname = current_database()"
    " AND o.owner <> b.datdba AND o.owner"
    " IS DISTINCT FROM to_regrole('pg_database_owner')::oid"
    " AND NOT pg_has_role(o.owner, current_user, 'MEMBER') LIMIT 1)"
    " FROM (SELECT) one LEFT JOIN pg_namespace n"
    " ON n.nspname = @schema_literal@";

enum { ENCODING, STANDBY, HAS_LOG, HAS_META, COLUMNS, RELATIONS, STRANGER };

/* And the tables that are not ours to read and write: of those that who takes
 * locks writes, and of all. */
static const char version[] =
    "SELECT (SELECT number FROM @schema@.meta WHERE key = 'schema'),"
    " string_agg(DISTINCT c.relname, ', ') FILTER"
    " (WHERE c.relname IN ('records', 'meta')),"
    " string_agg(DISTINCT c.relname, ', ')"
    " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " CROSS JOIN (VALUES ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE'))"
    " AS needed (r) WHERE n.nspname = @schema_literal@ AND c.relkind = 'r'"
    " AND NOT has_table_privilege(c.oid, r)";

enum { NUMBER, KEPT_FROM_LOCKS, KEPT_FROM_US };

static bool
is_true(const PGresult *rows, int column)
{
    return PQgetvalue(rows, 0, column)[0] == 't';
}

static enum hf_status
ask(struct hf_pg_link *link, const char *sql, struct hf_instant until,
    PGresult **rows, struct hf_error *error)
{
    const struct hf_pg_statement statement = {.sql = sql};

    return hf_pg_pipeline_ask(link, &statement, until, rows, error);
}

/* ---- The server ---------------------------------------------------------- */

static enum hf_status
judge_server(const struct hf_pg_link *link, const PGresult *rows,
             struct hf_error *error)
{
    int number = PQserverVersion(link->conn);
    const char *encoding = PQgetvalue(rows, 0, ENCODING);

    if (number < HF_PG_SERVER_MIN)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "the server is PostgreSQL %d: 13 or later is needed",
                       number / 10000);
    if (!is_true(rows, HAS_LOG))
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "the server is not PostgreSQL, but something that "
                       "speaks its protocol");
    if (is_true(rows, STANDBY))
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "the server is a standby, which can only be read: name "
                       "the primary");
    if (strcmp(encoding, "UTF8") != 0)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "the database's encoding is %.32s: make one with "
                       "ENCODING 'UTF8'",
                       encoding);
    return HF_OK;
}

/* ---- The schema ---------------------------------------------------------- */

static enum hf_status
foreign(const struct hf_pg_link *link, struct hf_error *error)
{
    return hf_fail(error, HF_E_CORRUPT,
                   "the schema %s is not Holdfast's: name another one with "
                   "?schema=",
                   link->place->schema);
}

/* Whose is it?  *missing: nothing is there yet. */
static enum hf_status
judge_schema(const struct hf_pg_link *link, const PGresult *rows, bool *missing,
             struct hf_error *error)
{
    if (PQgetisnull(rows, 0, STRANGER) == 0)
        return hf_fail(error, HF_E_CORRUPT,
                       "the schema %s, or something in it, belongs to role "
                       "%.64s, who could act with your rights through it: name "
                       "another one with ?schema=, or let a superuser or the "
                       "database's owner make it",
                       link->place->schema, PQgetvalue(rows, 0, STRANGER));
    *missing = hf_pg_column(rows, 0, RELATIONS) == 0;
    if (*missing ||
        (is_true(rows, HAS_META) && hf_pg_column(rows, 0, COLUMNS) == 2))
        return HF_OK;
    return foreign(link, error);
}

static enum hf_status
judge_rights(const struct hf_pg_link *link, const PGresult *rows,
             enum hf_pg_use use, struct hf_error *error)
{
    int column = use == HF_PG_TO_SERVE ? KEPT_FROM_US : KEPT_FROM_LOCKS;

    if (use == HF_PG_TO_LOOK || PQgetisnull(rows, 0, column) != 0)
        return HF_OK;
    return hf_fail(error, HF_E_DENIED,
                   "permission denied: role %.64s must be allowed to read and "
                   "write %.64s in the schema %s (SQLSTATE 42501)",
                   PQuser(link->conn), PQgetvalue(rows, 0, column),
                   link->place->schema);
}

/* There is a table as ours: is it of this version, and may we write it? */
static enum hf_status
judge_version(struct hf_pg_link *link, enum hf_pg_use use,
              struct hf_instant until, struct hf_error *error)
{
    PGresult *rows = NULL;
    enum hf_status status = ask(link, version, until, &rows, error);
    int64_t number;

    if (status != HF_OK)
        return status;
    number = hf_pg_column(rows, 0, NUMBER);
    status = judge_rights(link, rows, use, error);
    PQclear(rows);
    if (number <= 0)
        return foreign(link, error);
    link->lasts = number != HF_PG_SCHEMA_VERSION;
    if (number > HF_PG_SCHEMA_VERSION)
        return hf_fail(error, HF_E_UNAVAILABLE,
                       "a later version of Holdfast made the schema %s: "
                       "install that one here, too",
                       link->place->schema);
    if (number < HF_PG_SCHEMA_VERSION)
        return hf_fail(
            error, HF_E_UNAVAILABLE,
            "an earlier version of Holdfast made the schema %s: name "
            "another one with ?schema=, or drop it",
            link->place->schema);
    link->is_there = status == HF_OK;
    return status;
}

static enum hf_status
look_once(struct hf_pg_link *link, enum hf_pg_use use, struct hf_instant until,
          bool *missing, struct hf_error *error)
{
    PGresult *rows = NULL;
    enum hf_status status = ask(link, look, until, &rows, error);

    if (status != HF_OK)
        return status;
    status = judge_server(link, rows, error);
    link->lasts = status != HF_OK;
    if (status == HF_OK)
        status = judge_schema(link, rows, missing, error);
    PQclear(rows);
    if (status != HF_OK || *missing)
        return status;
    return judge_version(link, use, until, error);
}

/* In one transaction; or another one has made it meanwhile. */
static enum hf_status
make(struct hf_pg_link *link, struct hf_instant until, struct hf_error *error)
{
    size_t size = 2 * hf_pg_schema_len + HF_PG_SQL_SIZE;
    char *sql = hf_buffer(&hf_alloc_libc, size);
    char code[6];
    struct hf_text text;
    enum hf_status status;

    if (sql == NULL)
        return hf_fail(error, HF_E_NOMEM, "no memory for the schema");
    hf_text_init(&text, sql, size);
    hf_text_add(&text, "BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE;"
                       " SET LOCAL statement_timeout = 0;");
    hf_pg_sql_add(
        &text, (struct hf_bytes){(const char *)hf_pg_schema, hf_pg_schema_len},
        link->place->schema);
    hf_text_add(&text, "\n; COMMIT");
    HF_CHECK(!hf_text_cut(&text));
    status = hf_pg_pipeline_run(link, sql, until, code, error);
    hf_free(&hf_alloc_libc, sql);
    if (strcmp(code, "HF002") == 0)
        return foreign(link, error);
    if (strcmp(code, "HF003") != 0)
        return status;
    /* The connection is in a transaction that has failed. */
    hf_pg_link_close(link);
    return hf_pg_link_dial(link, until, HF_NEVER, error);
}

/* What was made is looked at, too: meanwhile it may be another's. */
enum hf_status
hf_pg_schema_ready(struct hf_pg_link *link, enum hf_pg_use use,
                   struct hf_instant until, struct hf_error *error)
{
    bool missing = false;
    enum hf_status status = look_once(link, use, until, &missing, error);

    if (status != HF_OK || !missing || use == HF_PG_TO_LOOK)
        return status;
    status = make(link, until, error);
    if (status == HF_OK)
        status = look_once(link, use, until, &missing, error);
    if (status == HF_OK && missing)
        status = hf_fail(error, HF_E_UNAVAILABLE,
                         "the schema %s was dropped as soon as it was made",
                         link->place->schema);
    return status;
}
