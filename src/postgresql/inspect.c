#include "postgresql/inspect.h"

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "postgresql/pipeline.h"
#include "postgresql/schema.h"
#include "postgresql/state.h"
#include "postgresql/watch.h"
#include "store/inspect.h"
#include "store/rule.h"

enum {
    /* This machine's clock and the server's may differ by so much. */
    CLOCKS_MS = 1000,
    DURATION_SIZE = 32,
    STATEMENT_SIZE = 512,
};

struct inspection {
    struct hf_pg_store *store;
    struct hf_pg_link *link;
    struct hf_instant until;
    hf_store_checkup_fn *tell;
    void *ctx;
};

/* ---- No answer ----------------------------------------------------------- */

void
hf_pg_inspect_blame(const struct hf_place *place, const struct hf_error *error,
                    struct hf_checkup *checkup)
{
    struct hf_postgresql_place says;

    hf_postgresql_place_of(place, &says);
    hf_checkup_add(checkup, "%s", error->text);
    switch (error->status) {
    case HF_E_DENIED:
        hf_checkup_fail(checkup,
                        "see that ~/.pgpass has this user's password, and that "
                        "the role has its rights: psql -h %s -p %s -d %s "
                        "-c '\\dp %s.*'",
                        says.url.hosts[0].host, says.url.hosts[0].port,
                        says.url.path, says.schema);
        break;
    case HF_E_CORRUPT:
        hf_checkup_fail(checkup, "name another schema: ?schema=locks");
        break;
    case HF_E_LIMIT:
        hf_checkup_fail(checkup,
                        "allow this process more open files: ulimit -n");
        break;
    case HF_E_NOMEM:
        hf_checkup_fail(checkup, "free memory: free -h");
        break;
    case HF_OK:
    case HF_E_INVALID:
    case HF_E_UNAVAILABLE:
    case HF_E_UNKNOWN:
    case HF_E_CANCELLED:
        hf_checkup_fail(checkup,
                        "see whether it answers: psql -h %s -p %s -d %s "
                        "-c 'SELECT 1'",
                        says.url.hosts[0].host, says.url.hosts[0].port,
                        says.url.path);
        break;
    }
}

/* `sql` may use $1: the flags of schema.sql. */
static bool
ask(const struct inspection *look, const char *sql, PGresult **rows,
    struct hf_checkup *checkup)
{
    const struct hf_pg_value flags = hf_pg_flags(look->link->place);
    const struct hf_pg_statement asked = {
        .sql = sql,
        .values = &flags,
        .count = 1,
    };
    struct hf_error error = {.status = HF_OK};

    *rows = NULL;
    if (!look->link->broken &&
        hf_pg_pipeline_ask(look->link, &asked, look->until, rows, &error) ==
            HF_OK &&
        PQntuples(*rows) > 0)
        return true;
    if (error.status == HF_OK)
        (void)hf_fail(&error, HF_E_UNAVAILABLE, "there is no answer");
    PQclear(*rows);
    *rows = NULL;
    hf_pg_inspect_blame(&look->store->base.place, &error, checkup);
    return false;
}

/* ---- Schema -------------------------------------------------------------- */

static void
check_schema(const struct inspection *look, struct hf_checkup *checkup)
{
    PGresult *rows;

    if (!ask(look,
             "SELECT number, current_setting('server_version'),"
             " current_database(), current_user"
             " FROM @schema@.meta WHERE key = 'schema'",
             &rows, checkup))
        return;
    hf_checkup_add(checkup, "version %s, which is ours, in schema %s",
                   PQgetvalue(rows, 0, 0), look->link->place->schema);
    hf_checkup_add(checkup, "PostgreSQL %s, database %s, role %s",
                   PQgetvalue(rows, 0, 1), PQgetvalue(rows, 0, 2),
                   PQgetvalue(rows, 0, 3));
    PQclear(rows);
}

/* ---- Rights -------------------------------------------------------------- */

/* Tables and rights that are missing, as one text. */
static const char rights[] =
    "SELECT coalesce(string_agg(r || ' on ' || t, ', '), ''),"
    " current_user FROM (VALUES"
    " ('records', 'SELECT'), ('records', 'INSERT'), ('records', 'UPDATE'),"
    " ('records', 'DELETE'), ('meta', 'SELECT'), ('meta', 'INSERT'),"
    " ('meta', 'UPDATE'), ('meta', 'DELETE'), ('journal_head', 'SELECT'))"
    " AS needed(t, r)"
    " WHERE NOT has_table_privilege(@schema_literal@ || '.' || t, r)";

static void
check_rights(const struct inspection *look, struct hf_checkup *checkup)
{
    PGresult *rows;

    if (look->store->base.use == HF_STORE_TO_LOOK) {
        hf_checkup_add(checkup, "opened to look only");
        return;
    }
    if (!ask(look, rights, &rows, checkup))
        return;
    if (PQgetvalue(rows, 0, 0)[0] == '\0') {
        hf_checkup_add(checkup, "role %s may read and write its tables",
                       PQgetvalue(rows, 0, 1));
    } else {
        hf_checkup_add(checkup, "role %s has not: %s", PQgetvalue(rows, 0, 1),
                       PQgetvalue(rows, 0, 0));
        hf_checkup_fail(checkup,
                        "GRANT SELECT, INSERT, UPDATE, DELETE ON %s.records, "
                        "%s.meta TO \"%s\"; GRANT SELECT ON %s.journal_head TO "
                        "\"%s\"",
                        look->link->place->schema, look->link->place->schema,
                        PQgetvalue(rows, 0, 1), look->link->place->schema,
                        PQgetvalue(rows, 0, 1));
    }
    PQclear(rows);
}

/* ---- Durability ---------------------------------------------------------- */

static const char durability[] =
    "SELECT current_setting('fsync'), current_setting('full_page_writes'),"
    " current_setting('synchronous_commit'),"
    " current_setting('synchronous_standby_names'),"
    " (SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    " AND state_change < clock_timestamp() - interval '1 second'),"
    " @schema@.paused_ms($1)";

/* `waiting`: commits, as far as this role may see them. */
static void
check_standbys(const char *standbys, int64_t waiting, bool promised,
               struct hf_checkup *checkup)
{
    if (standbys[0] != '\0') {
        hf_checkup_add(checkup, "synchronous standby: %.100s", standbys);
        if (waiting > 0)
            hf_checkup_fail(checkup,
                            "%" PRId64 " commits wait for it: start it, or "
                            "take it out of synchronous_standby_names",
                            waiting);
        return;
    }
    hf_checkup_add(checkup, "no synchronous standby: a promotion may lose what "
                            "was granted, and pauses grants for it");
    if (promised)
        hf_checkup_warn(checkup, "the place says promotion=synchronous: set "
                                 "synchronous_standby_names, or take that out");
}

static void
check_pause(int64_t paused_ms, struct hf_checkup *checkup)
{
    if (paused_ms == 0)
        return;
    hf_checkup_add(checkup, "it was promoted or restored, and may have lost "
                            "what was granted before");
    hf_checkup_warn(checkup, "wait: nothing is granted for %" PRId64 " s",
                    (paused_ms + 999) / 1000);
}

static void
check_durability(const struct inspection *look, struct hf_checkup *checkup)
{
    bool promised = look->link->place->synchronous;
    const char *level;
    PGresult *rows;

    if (!ask(look, durability, &rows, checkup))
        return;
    level = PQgetvalue(rows, 0, 2);
    if (strcmp(PQgetvalue(rows, 0, 0), "on") != 0) {
        hf_checkup_add(checkup, "fsync is off");
        hf_checkup_fail(checkup, "a commit may be lost with the power: set "
                                 "fsync = on in postgresql.conf");
    }
    if (strcmp(PQgetvalue(rows, 0, 1), "on") != 0) {
        hf_checkup_add(checkup, "full_page_writes is off");
        hf_checkup_warn(checkup, "set full_page_writes = on, unless the file "
                                 "system writes whole pages");
    }
    hf_checkup_add(checkup, "synchronous_commit %s%s", level,
                   strcmp(level, "on") == 0 ||
                           strcmp(level, "remote_apply") == 0
                       ? ""
                       : ", and on for each write of a lock");
    check_standbys(PQgetvalue(rows, 0, 3), hf_pg_column(rows, 0, 4), promised,
                   checkup);
    check_pause(hf_pg_column(rows, 0, 5), checkup);
    PQclear(rows);
}

/* ---- Clock --------------------------------------------------------------- */

/* The limit is what can be read in a tenth of a second. */
static const char clocks[] =
    "SELECT greatest((SELECT number FROM @schema@.meta WHERE key = 'floor'),"
    " (SELECT max(version) FROM (SELECT version FROM @schema@.records"
    " LIMIT 100000) newest)),"
    " (extract(epoch FROM clock_timestamp()) * 1000)::bigint,"
    " (@schema@.unchanged_since() IS NULL)::integer";

static void
compare_clocks(int64_t server_ms, int64_t before_ms, int64_t after_ms,
               struct hf_checkup *checkup)
{
    int64_t off_ms = 0;
    char text[DURATION_SIZE];

    if (server_ms < before_ms)
        off_ms = before_ms - server_ms;
    if (server_ms > after_ms)
        off_ms = server_ms - after_ms;
    if (off_ms <= CLOCKS_MS)
        return;
    hf_duration_text((struct hf_duration){off_ms}, text, sizeof(text));
    hf_checkup_add(checkup, "the server's clock is %s %s this machine's", text,
                   server_ms < before_ms ? "behind" : "before");
    hf_checkup_warn(checkup, "set both clocks: timedatectl set-ntp true");
}

static void
tell_trust(struct hf_duration trust, bool unproved, struct hf_checkup *checkup)
{
    char text[DURATION_SIZE];

    if (trust.ms == 0)
        return;
    hf_duration_text(trust, text, sizeof(text));
    hf_checkup_add(checkup,
                   "the server's clock is trusted to err by %s at most: a "
                   "takeover lock whose record is older than its ttl and that "
                   "is taken over at once",
                   text);
    if (unproved)
        hf_checkup_add(checkup,
                       "but it proves nothing until the next write: the place "
                       "was restored, or is a standby that was promoted");
}

static void
check_clock(const struct inspection *look, struct hf_checkup *checkup)
{
    int64_t before_ms = hf_wall_ms();
    PGresult *rows;

    if (!ask(look, clocks, &rows, checkup))
        return;
    hf_inspect_clock((uint64_t)hf_pg_column(rows, 0, 0), checkup);
    tell_trust(look->link->place->trust_clock, hf_pg_column(rows, 0, 2) != 0,
               checkup);
    compare_clocks(hf_pg_column(rows, 0, 1), before_ms, hf_wall_ms(), checkup);
    PQclear(rows);
}

/* ---- Leftovers ----------------------------------------------------------- */

static void
check_leftovers(const struct inspection *look, struct hf_checkup *checkup)
{
    char statement[STATEMENT_SIZE];
    struct hf_inspect_leftovers left = {0};
    struct hf_text text;
    PGresult *rows;

    hf_text_init(&text, statement, sizeof(statement));
    hf_text_addf(&text,
                 "SELECT count(*) FILTER (WHERE value IS NULL),"
                 " count(*) FILTER (WHERE value IS NOT NULL),"
                 " count(*) FILTER (WHERE stamp <= %" PRId64 "),"
                 " coalesce(min(stamp), 0) FROM @schema@.records"
                 " WHERE leftover IS NOT NULL",
                 hf_inspect_old_ms());
    if (!ask(look, statement, &rows, checkup))
        return;
    left.tombstones = (uint64_t)hf_pg_column(rows, 0, 0);
    left.markers = (uint64_t)hf_pg_column(rows, 0, 1);
    left.old = (uint64_t)hf_pg_column(rows, 0, 2);
    left.oldest_ms = hf_pg_column(rows, 0, 3);
    hf_inspect_leftovers(&left, checkup);
    PQclear(rows);
}

/* ---- Wakeup -------------------------------------------------------------- */

static void
check_wakeup(const struct inspection *look, struct hf_checkup *checkup)
{
    struct hf_error why = {.status = HF_OK};

    hf_pg_watch_try(&look->store->listener, &look->store->pool, look->until,
                    &why);
    if (why.status == HF_OK) {
        hf_checkup_add(checkup, "a release wakes who waits, within "
                                "milliseconds (LISTEN)");
        return;
    }
    hf_checkup_add(checkup, "who waits looks every 250ms: %s", why.text);
    hf_checkup_warn(checkup, "where the place is a pooler, name the server for "
                             "that: ?listen=host:port");
}

/* ---- All ----------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*check)(const struct inspection *look, struct hf_checkup *checkup);
} checks[] = {
    {"schema", check_schema},         {"rights", check_rights},
    {"durability", check_durability}, {"clock", check_clock},
    {"leftovers", check_leftovers},   {"wakeup", check_wakeup},
};

void
hf_pg_inspect(struct hf_store *base, struct hf_instant until,
              hf_store_checkup_fn *tell, void *ctx)
{
    struct inspection look = {
        .store = (struct hf_pg_store *)base,
        .until = until,
        .tell = tell,
        .ctx = ctx,
    };
    struct hf_checkup closed = {.check = "schema"};
    struct hf_error error = {.status = HF_OK};

    if (hf_pg_pool_take(&look.store->pool, until, -1, &look.link, &error) !=
            HF_OK ||
        look.link == NULL) {
        if (error.status == HF_OK)
            hf_checkup_add(&closed, "nothing is there yet: who locks first "
                                    "makes it");
        else
            hf_pg_inspect_blame(&base->place, &error, &closed);
        tell(ctx, &closed);
        return;
    }
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        struct hf_checkup checkup = {.check = checks[i].name};

        checks[i].check(&look, &checkup);
        tell(ctx, &checkup);
    }
    hf_pg_state_leave(look.store, look.link);
}
