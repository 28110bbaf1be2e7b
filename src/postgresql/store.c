#include "postgresql/store.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "postgresql/commit.h"
#include "postgresql/inspect.h"
#include "postgresql/pipeline.h"
#include "postgresql/sql.h"
#include "postgresql/state.h"
#include "postgresql/transact.h"
#include "postgresql/wait.h"
#include "store/rule.h"

enum {
    /* Rows of one answer of a scan. */
    SCAN_CHUNK = 500,

    /* For so long a purge waits for claims under way (schema.sql). */
    GATE_WAIT_MS = 1000,
};

/* A commit is to be answered in less time than a server may be silent. */
static const struct hf_store_limits limits = {
    .max_operations = 1000,
    .max_bytes = (size_t)4 << 20,
    .max_calls = HF_STORE_REMOTE_CALLS,
    .comes_back = true,
};

static struct hf_pg_store *
store_of(struct hf_store *base)
{
    return (struct hf_pg_store *)base;
}

/* ---- Get ----------------------------------------------------------------- */

static const char find[] = "SELECT * FROM @schema@.find($1, $2)";
static const char find_ages[] = "SELECT * FROM @schema@.find($1, $2, true)";

enum { OP, VERSION, TOKEN, STAMP, LEN, VALUE, STOOD };

/* The columns version, token, stamp, len and value; `first` is the first. */
static void
show(const PGresult *rows, int row, int first, struct hf_record *record)
{
    int shift = first - VERSION;
    size_t len = (size_t)PQgetlength(rows, row, VALUE + shift);

    memset(record, 0, offsetof(struct hf_record, value));
    record->exists = PQgetisnull(rows, row, LEN + shift) == 0;
    record->version = (uint64_t)hf_pg_column(rows, row, VERSION + shift);
    if (!record->exists)
        return;
    record->token = (uint64_t)hf_pg_column(rows, row, TOKEN + shift);
    record->stamp_ms = hf_pg_column(rows, row, STAMP + shift);
    record->value_len = (size_t)hf_pg_column(rows, row, LEN + shift);
    if (len > sizeof(record->value))
        len = sizeof(record->value);
    memcpy(record->value, PQgetvalue(rows, row, VALUE + shift), len);
}

/* The server's clock may be wrong by as much as is promised. */
static void
show_age(const PGresult *rows, int row, struct hf_duration error,
         struct hf_record *record)
{
    int64_t stood_ms;

    if (error.ms == 0 || PQgetisnull(rows, row, STOOD) != 0)
        return;
    stood_ms = hf_pg_column(rows, row, STOOD) - error.ms;
    record->stood.ms = stood_ms > 0 ? stood_ms : 0;
}

/* For a place that does not exist yet. */
static void
get_nothing(size_t keys_count, hf_store_found_fn *found, void *ctx)
{
    struct hf_record record = {.exists = false};

    for (size_t i = 0; i < keys_count; i++)
        found(ctx, i, &record);
}

/* Of which row each key is, as the server numbers them; and the place's own.
 * False: it is not that answer. */
static bool
index_rows(const PGresult *rows, int *row_of, size_t keys_count)
{
    int count = PQntuples(rows);

    if ((size_t)count != keys_count + 1)
        return false;
    for (size_t i = 0; i <= keys_count; i++)
        row_of[i] = -1;
    for (int i = 0; i < count; i++) {
        int64_t op = hf_pg_column(rows, i, OP);

        if (op < 0 || (size_t)op > keys_count || row_of[op] >= 0)
            return false;
        row_of[op] = i;
    }
    return true;
}

struct getting {
    const struct hf_key *keys;
    size_t keys_count;
    struct hf_instant until;
    struct hf_arena arena;
    int *row_of; /* of each key, from 1; and of the place */
    PGresult *rows;
};

static enum hf_status
ask_for_keys(struct hf_pg_link *link, struct getting *g, struct hf_error *error)
{
    struct hf_pg_value values[2];
    const struct hf_pg_statement statement = {
        .sql = link->place->trust_clock.ms > 0 ? find_ages : find,
        .values = values,
        .count = 2,
    };
    enum hf_status status;

    g->row_of =
        hf_arena_take(&g->arena, (g->keys_count + 1) * sizeof(*g->row_of));
    if (g->row_of == NULL ||
        !hf_pg_state_keys(&g->arena, g->keys, g->keys_count, values))
        return hf_fail(error, HF_E_NOMEM, "no memory to read %zu keys",
                       g->keys_count);
    status = hf_pg_pipeline_ask(link, &statement, g->until, &g->rows, error);
    if (status != HF_OK)
        return status;
    return index_rows(g->rows, g->row_of, g->keys_count)
               ? HF_OK
               : hf_pg_sql_strange(error);
}

static enum hf_status
get(struct hf_store *base, const struct hf_key *keys, size_t keys_count,
    struct hf_instant until, hf_store_found_fn *found, void *ctx,
    struct hf_error *error)
{
    struct hf_pg_store *store = store_of(base);
    struct getting g = {
        .keys = keys,
        .keys_count = keys_count,
        .until = until,
        .arena.alloc = base->alloc,
    };
    struct hf_pg_link *link = NULL;
    enum hf_status status =
        hf_pg_pool_take(&store->pool, until, -1, &link, error);
    struct hf_record record;

    if (status != HF_OK)
        return status;
    if (link == NULL) {
        get_nothing(keys_count, found, ctx);
        return HF_OK;
    }
    status = ask_for_keys(link, &g, error);
    for (size_t i = 0; status == HF_OK && i < keys_count; i++) {
        show(g.rows, g.row_of[i + 1], VERSION, &record);
        show_age(g.rows, g.row_of[i + 1], link->place->trust_clock, &record);
        found(ctx, i, &record);
    }
    if (status == HF_OK) {
        const struct hf_pg_identity identity = {
            .rows = g.rows,
            .row = g.row_of[0],
            .place = VALUE,
            .flushed = VERSION,
        };

        hf_pg_pool_identify(&store->pool, link, &identity);
    }
    PQclear(g.rows);
    hf_arena_fini(&g.arena);
    hf_pg_state_leave(store, link);
    return status;
}

/* ---- Scan ---------------------------------------------------------------- */

/* Names are kept in the order of their bytes.  Those with the prefix are
 * together, and the first one without it ends the scan. */
static const char scan_rows[] =
    "SELECT name, version, token, stamp, octet_length(value),"
    " left(value, 16384) FROM @schema@.records"
    " WHERE space = $1 AND name >= $2 AND value IS NOT NULL"
    " ORDER BY name LIMIT $3";

struct scanning {
    struct hf_store_scan rest; /* what is left of it */
    struct hf_arena arena;
    const char *from; /* names before it are not asked for */
    bool ended;
    hf_store_row_fn *row;
    void *ctx;
};

/* Begin at the prefix, or after the name from which the scan goes on: at as
 * much of that as is text.  The rest is compared here. */
static bool
begin_scan(struct scanning *s)
{
    const struct hf_store_scan *scan = &s->rest;
    size_t prefix_len = strlen(scan->prefix);
    bool later = hf_rule_comes_after(scan, scan->prefix, prefix_len);
    const char *start = later ? scan->prefix : scan->after;
    size_t start_len = later ? prefix_len : scan->after_len;
    struct hf_bytes kept;

    if (!hf_arena_keep(&s->arena, start, hf_pg_text_len(start, start_len),
                       &kept))
        return false;
    s->from = kept.at;
    return true;
}

/* A chunk of rows has come.  False: no memory. */
static bool
take_chunk(struct scanning *s, const PGresult *rows, int asked)
{
    int count = PQntuples(rows);
    struct hf_record record;
    struct hf_bytes kept = {0};

    s->ended = count < asked;
    for (int i = 0; i < count && s->rest.limit > 0; i++) {
        const char *name = PQgetvalue(rows, i, 0);
        size_t name_len = (size_t)PQgetlength(rows, i, 0);

        if (!hf_rule_has_prefix(&s->rest, name, name_len)) {
            s->ended = true;
            return true;
        }
        if (!hf_rule_comes_after(&s->rest, name, name_len))
            continue;
        show(rows, i, VERSION, &record);
        s->rest.limit--;
        if (!s->row(s->ctx, name, name_len, &record))
            s->rest.limit = 0;
    }
    if (s->rest.limit == 0)
        s->ended = true;
    if (s->ended)
        return true;
    if (!hf_arena_keep(&s->arena, PQgetvalue(rows, count - 1, 0),
                       (size_t)PQgetlength(rows, count - 1, 0), &kept))
        return false;
    s->from = kept.at;
    s->rest.after = kept.at;
    s->rest.after_len = kept.len;
    return true;
}

static enum hf_status
scan_chunk(struct hf_pg_link *link, struct scanning *s, struct hf_instant until,
           struct hf_error *error)
{
    char limit[HF_PG_DIGITS_SIZE];
    int asked =
        s->rest.limit < SCAN_CHUNK - 1 ? (int)s->rest.limit + 1 : SCAN_CHUNK;
    const struct hf_pg_value values[] = {
        hf_pg_text(s->rest.space),
        hf_pg_text(s->from),
        hf_pg_number(limit, asked),
    };
    const struct hf_pg_statement statement = {
        .sql = scan_rows,
        .values = values,
        .count = 3,
    };
    PGresult *rows = NULL;
    enum hf_status status =
        hf_pg_pipeline_ask(link, &statement, until, &rows, error);

    if (status == HF_OK && !take_chunk(s, rows, asked))
        status = hf_fail(error, HF_E_NOMEM, "no memory for a lock's name");
    PQclear(rows);
    return status;
}

static enum hf_status
scan(struct hf_store *base, const struct hf_store_scan *what,
     struct hf_instant until, hf_store_row_fn *row, void *ctx,
     struct hf_error *error)
{
    struct hf_pg_store *store = store_of(base);
    struct scanning s = {
        .rest = *what,
        .arena.alloc = base->alloc,
        .row = row,
        .ctx = ctx,
    };
    struct hf_pg_link *link = NULL;
    enum hf_status status =
        hf_pg_pool_take(&store->pool, until, -1, &link, error);

    if (status != HF_OK || link == NULL)
        return status;
    if (!begin_scan(&s))
        status = hf_fail(error, HF_E_NOMEM, "no memory for a lock's name");
    while (status == HF_OK && !s.ended)
        status = scan_chunk(link, &s, until, error);
    hf_arena_fini(&s.arena);
    hf_pg_state_leave(store, link);
    return status;
}

/* ---- Is it served? ------------------------------------------------------- */

static const char head[] = "SELECT value FROM @schema@.journal_head";

static enum hf_status
ask_for_head(struct hf_pg_store *store, struct hf_instant until, bool *lasts,
             struct hf_error *error)
{
    const struct hf_pg_statement statement = {.sql = head};
    struct hf_pg_link *link = NULL;
    PGresult *rows = NULL;
    enum hf_status status =
        hf_pg_pool_take(&store->pool, until, -1, &link, error);

    *lasts = store->pool.lasts;
    if (status != HF_OK || link == NULL)
        return status;
    status = hf_pg_pipeline_ask(link, &statement, until, &rows, error);
    *lasts = status == HF_OK || link->lasts;
    if (status == HF_OK && PQntuples(rows) > 0)
        status = hf_pg_state_unserved(store, PQgetvalue(rows, 0, 0),
                                      (size_t)PQgetlength(rows, 0, 0), error);
    PQclear(rows);
    hf_pg_state_leave(store, link);
    return status;
}

static enum hf_status
unserved(struct hf_store *base, struct hf_instant until, struct hf_error *error)
{
    struct hf_pg_store *store = store_of(base);
    struct hf_error why = {.status = HF_OK};
    enum hf_status status;
    bool lasts;

    if (base->away.status != HF_OK)
        return HF_OK;
    status = ask_for_head(store, until, &lasts, &why);
    if (status == HF_OK)
        return HF_OK;
    if (status != HF_E_UNAVAILABLE || lasts)
        return hf_fail(error, status, "%s", why.text);
    base->away = why;
    return HF_OK;
}

/* ---- Purge --------------------------------------------------------------- */

static const char purge_rows[] = "SELECT * FROM @schema@.purge($1, $2)";

static enum hf_status
purge(struct hf_store *base, struct hf_duration age, size_t limit,
      struct hf_instant until, size_t *purged, struct hf_error *error)
{
    struct hf_pg_store *store = store_of(base);
    char age_digits[HF_PG_DIGITS_SIZE];
    char limit_digits[HF_PG_DIGITS_SIZE];
    const struct hf_pg_value values[] = {
        hf_pg_number(age_digits, age.ms),
        hf_pg_number(limit_digits,
                     limit < INT32_MAX ? (int64_t)limit : INT32_MAX),
    };
    const struct hf_pg_call call = {
        .statement = {.sql = purge_rows, .values = values, .count = 2},
        .until = until,
    };
    struct hf_pg_link *link = NULL;
    struct hf_pg_report report = {0};
    PGresult *rows = NULL;
    enum hf_status status =
        hf_pg_pool_take(&store->pool, until, -1, &link, error);

    if (status != HF_OK)
        return status;
    link->patience.ms += GATE_WAIT_MS;
    link->waited = true;
    hf_pg_transact(link, &call, &rows, &report, error);
    if (hf_pg_verdict(&report) != HF_APPLIED)
        status = HF_E_UNAVAILABLE;
    else
        *purged = (size_t)hf_pg_column(rows, 0, 0);
    PQclear(rows);
    hf_pg_state_leave(store, link);
    return status;
}

/* ---- Open and close ------------------------------------------------------ */

static void
close_store(struct hf_store *base)
{
    struct hf_pg_store *store = store_of(base);

    hf_pg_listener_fini(&store->listener);
    hf_pg_pool_fini(&store->pool);
    hf_free(base->alloc, store);
}

static const struct hf_store_methods methods = {
    .close = close_store,
    .get = get,
    .scan = scan,
    .unserved = unserved,
    .commit = hf_pg_commit,
    .wait = hf_pg_wait,
    .is_woken = hf_pg_wait_is_woken,
    .close_idle = hf_pg_wait_close_idle,
    .purge = purge,
    .inspect = hf_pg_inspect,
};

enum hf_status
hf_pg_store_open(const struct hf_place *place, enum hf_store_use use,
                 const struct hf_alloc *alloc, struct hf_store **store,
                 struct hf_error *error)
{
    struct hf_pg_store *made = hf_new(alloc, struct hf_pg_store);
    enum hf_status status;

    if (made == NULL)
        return hf_fail(error, HF_E_NOMEM, "no memory to open %s", place->text);
    made->base = (struct hf_store){
        .methods = &methods,
        .alloc = alloc,
        .use = use,
        .place = *place,
        .limits = limits,
    };
    hf_pg_pool_init(&made->pool, &made->base.place,
                    use == HF_STORE_TO_LOOK ? HF_PG_TO_LOOK : HF_PG_TO_LOCK);
    hf_pg_listener_init(&made->listener, &made->pool.place);
    status = hf_pg_pool_open(&made->pool, &made->base.away, error);
    if (status != HF_OK) {
        close_store(&made->base);
        return status;
    }
    *store = &made->base;
    return HF_OK;
}
