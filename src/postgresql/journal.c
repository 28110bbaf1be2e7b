#include "postgresql/journal.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "journal/kinds.h"
#include "postgresql/batch.h"
#include "postgresql/pipeline.h"
#include "postgresql/sql.h"
#include "postgresql/transact.h"
#include "postgresql/watch.h"
#include "store/pause.h"
#include "store/rule.h"

enum {
    /* For another's lock on the head: a write that waits longer is told. */
    LOCK_WAIT_MS = 1000,
};

static const struct hf_journal_limits limits = {
    .changes = 1000,
    .bytes = (size_t)4 << 20, /* a server is silent while it reads them */
};

struct pg_journal {
    struct hf_journal base;
    struct hf_pg_pool pool;
    struct hf_pg_listener listener;
    uint64_t store;            /* the place's identity, as last read; or 0 */
    struct hf_instant told_at; /* see hf_kinds_is_quiet */
};

static struct pg_journal *
journal_of(struct hf_journal *journal)
{
    return (struct pg_journal *)journal;
}

/* ---- Beginning and end of a call ----------------------------------------- */

static enum hf_status
enter(struct pg_journal *j, struct hf_instant until, struct hf_pg_link **link,
      struct hf_error *error)
{
    return hf_pg_pool_take(&j->pool, until, -1, link, error);
}

static void
leave(struct pg_journal *j, struct hf_pg_link *link)
{
    hf_pg_pool_give(&j->pool, link);
    j->base.generation = atomic_load(&j->pool.generation);
}

/* A call of one statement that reads. */
static enum hf_status
ask(struct pg_journal *j, const struct hf_pg_statement *what,
    struct hf_instant until, PGresult **rows, struct hf_error *error)
{
    struct hf_pg_link *link = NULL;
    enum hf_status status = enter(j, until, &link, error);

    if (status != HF_OK)
        return status;
    status = hf_pg_pipeline_ask(link, what, until, rows, error);
    leave(j, link);
    return status;
}

static struct hf_bytes
column(const PGresult *rows, int row, int at)
{
    return (struct hf_bytes){PQgetvalue(rows, row, at),
                             (size_t)PQgetlength(rows, row, at)};
}

static enum hf_status
no_memory(struct hf_error *error)
{
    return hf_fail(error, HF_E_NOMEM, "no memory for a row of the journal");
}

/* ---- Reading the head ---------------------------------------------------- */

static const char read_head[] = "SELECT * FROM @schema@.read_head($1)";

enum { HERE, VERSION, TERM, VALUE, STORE, PLACE, FLUSHED, PAUSED };

/* A head that names another place was copied or restored, or its server
 * promoted: who reads it sees that.  Where there is none, what may have been
 * lost are table locks, and their holders. */
static enum hf_status
take_head(struct pg_journal *j, const PGresult *rows,
          struct hf_journal_found *out, struct hf_error *error)
{
    struct hf_journal_found found = {.exists = false};
    enum hf_status status = HF_OK;

    found.exists = PQgetvalue(rows, 0, HERE)[0] == 't';
    found.version = (uint64_t)hf_pg_column(rows, 0, VERSION);
    found.store = (uint64_t)hf_pg_column(rows, 0, STORE);
    found.promised.ms = hf_pg_column(rows, 0, PAUSED);
    if (!found.exists && found.promised.ms > 0)
        found.loss = HF_STORE_COPIED;
    j->store = found.store;
    if (found.exists) {
        found.term = (uint64_t)hf_pg_column(rows, 0, TERM);
        status = hf_head_decode(PQgetvalue(rows, 0, VALUE),
                                (size_t)PQgetlength(rows, 0, VALUE),
                                &found.head, error);
    }
    *out = found;
    return status;
}

/* One row, on a link that is entered. */
static enum hf_status
ask_for_head(struct pg_journal *j, struct hf_pg_link *link,
             struct hf_instant until, PGresult **rows, struct hf_error *error)
{
    const struct hf_pg_value flags = hf_pg_flags(&j->pool.place);
    const struct hf_pg_statement statement = {
        .sql = read_head,
        .values = &flags,
        .count = 1,
    };
    enum hf_status status =
        hf_pg_pipeline_ask(link, &statement, until, rows, error);

    if (status != HF_OK)
        return status;
    if (PQntuples(*rows) != 1 || PQnfields(*rows) != PAUSED + 1) {
        PQclear(*rows);
        *rows = NULL;
        return hf_pg_sql_strange(error);
    }
    hf_pg_pool_identify(&j->pool, link,
                        &(struct hf_pg_identity){
                            .rows = *rows, .place = PLACE, .flushed = FLUSHED});
    return HF_OK;
}

static enum hf_status
read_journal(struct hf_journal *journal, struct hf_instant until,
             struct hf_journal_found *found, struct hf_error *error)
{
    struct pg_journal *j = journal_of(journal);
    uint64_t generation = journal->generation;
    struct hf_pg_link *link = NULL;
    PGresult *rows = NULL;
    enum hf_status status = enter(j, until, &link, error);

    if (status != HF_OK)
        return status;
    status = ask_for_head(j, link, until, &rows, error);
    leave(j, link);
    if (status == HF_OK && journal->generation != generation)
        status = hf_fail(error, HF_E_UNAVAILABLE,
                         "it is another place than before: the server was "
                         "promoted, or what was in it was replaced");
    if (status == HF_OK)
        status = take_head(j, rows, found, error);
    PQclear(rows);
    return status;
}

/* ---- Writing ------------------------------------------------------------- */

static const char write_batch[] =
    "SELECT * FROM @schema@.write_batch($1, $2, $3, $4, $5, $6, $7, $8, $9,"
    " $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)";

enum { BATCH_VERDICT, BATCH_VERSION, BATCH_PLACE, BATCH_FLUSHED };

static const struct hf_key head_key = {"!journal", "head"};

struct batch_writing {
    struct pg_journal *j;
    struct hf_pg_link *link;
    const struct hf_journal_write *write;
    struct hf_instant until;
    uint64_t *version;
    struct hf_error *error;
};

/* It was durable: an answer of another place than the last one's is of a batch
 * that may be lost. */
static enum hf_verdict
judge(struct batch_writing *w, const PGresult *rows)
{
    uint64_t generation = atomic_load(&w->j->pool.generation);
    const struct hf_pg_identity own = {
        .rows = rows, .place = BATCH_PLACE, .flushed = BATCH_FLUSHED};

    if (PQntuples(rows) != 1)
        return HF_UNKNOWN;
    hf_pg_pool_identify(&w->j->pool, w->link, &own);
    if (atomic_load(&w->j->pool.generation) != generation) {
        (void)hf_fail(w->error, HF_E_UNKNOWN,
                      "it is another place than before");
        return HF_UNKNOWN;
    }
    if (hf_pg_column(rows, 0, BATCH_VERDICT) != 0)
        return HF_REFUSED;
    *w->version = (uint64_t)hf_pg_column(rows, 0, BATCH_VERSION);
    return HF_APPLIED;
}

static enum hf_verdict
send_batch(struct batch_writing *w, const struct hf_pg_value *values)
{
    char word[HF_PG_WORD_SIZE];
    char words[HF_PG_WORD_SIZE + 2];
    const struct hf_pg_value told = {
        .type = HF_PG_TEXT_ARRAY, .at = words, .len = -1};
    const struct hf_pg_statement after = {
        .sql = hf_pg_notify, .values = &told, .count = 1};
    const struct hf_pg_call call = {
        .statement = {.sql = write_batch,
                      .values = values,
                      .count = HF_PG_BATCH_VALUES},
        .until = w->until,
        .after = hf_kinds_is_quiet(&w->j->told_at, w->write) ? NULL : &after,
    };
    struct hf_pg_report report;
    PGresult *rows = NULL;
    enum hf_verdict verdict;

    hf_pg_listener_word(head_key, word);
    (void)snprintf(words, sizeof(words), "{%s}", word);
    hf_pg_transact(w->link, &call, &rows, &report, w->error);
    verdict = hf_pg_verdict(&report);
    if (verdict == HF_APPLIED)
        verdict = judge(w, rows);
    PQclear(rows);
    return verdict;
}

/* The head names the place, which is read if it was not yet. */
static bool
know_store(struct batch_writing *w)
{
    struct hf_journal_found found;
    PGresult *rows = NULL;

    if (w->j->store != 0)
        return true;
    if (ask_for_head(w->j, w->link, w->until, &rows, w->error) != HF_OK)
        return false;
    (void)take_head(w->j, rows, &found, NULL);
    PQclear(rows);
    return true;
}

static enum hf_verdict
write_in(struct batch_writing *w)
{
    const struct hf_duration wait = {LOCK_WAIT_MS};
    struct hf_arena arena = {.alloc = w->j->base.alloc};
    struct hf_pg_value values[HF_PG_BATCH_VALUES];
    struct hf_pg_batch batch = {.write = w->write, .patience = wait};
    enum hf_verdict verdict = HF_UNAVAILABLE;

    if (w->write->expect >= HF_RULE_VERSION_MAX) {
        (void)hf_fail(w->error, HF_E_CORRUPT,
                      "its head has a version that no Holdfast gives");
        return HF_UNAVAILABLE;
    }
    if (!know_store(w))
        return HF_UNAVAILABLE;
    batch.store = w->j->store;
    w->link->patience.ms += wait.ms;
    if (hf_pg_batch_encode(&batch, &arena, values))
        verdict = send_batch(w, values);
    else
        (void)no_memory(w->error);
    hf_arena_fini(&arena);
    return verdict;
}

static enum hf_verdict
write_journal(struct hf_journal *journal, const struct hf_journal_write *write,
              struct hf_instant until, uint64_t *version,
              struct hf_error *error)
{
    struct batch_writing w = {
        .j = journal_of(journal),
        .write = write,
        .until = until,
        .version = version,
        .error = error,
    };
    enum hf_verdict verdict;

    if (enter(w.j, until, &w.link, error) != HF_OK)
        return HF_UNAVAILABLE;
    verdict = write_in(&w);
    leave(w.j, w.link);
    return verdict;
}

/* ---- Beginning to serve, and ending -------------------------------------- */

/* Holdfast's own spaces begin with '!'. */
static const char a_lock[] =
    "SELECT space, name FROM @schema@.records WHERE value IS NOT NULL"
    " AND (space < '!' OR space >= '\"') ORDER BY space, name LIMIT 1";

static enum hf_status
unlocked(struct hf_journal *journal, struct hf_instant until,
         struct hf_error *error)
{
    struct pg_journal *j = journal_of(journal);
    const struct hf_pg_statement statement = {.sql = a_lock};
    PGresult *rows = NULL;
    enum hf_status status;

    if (hf_pg_pool_is_away(&j->pool))
        return HF_OK;
    status = ask(j, &statement, until, &rows, error);
    if (status != HF_OK)
        return status;
    if (PQntuples(rows) > 0)
        status =
            hf_kinds_refuse_lock(column(rows, 0, 0), column(rows, 0, 1), error);
    PQclear(rows);
    return status;
}

/* Since the head names us, no table lock comes any more; one that is there was
 * there before.  The head itself shows a loss, for it names its place. */
static enum hf_status
secure(struct hf_journal *journal, struct hf_duration promised,
       struct hf_instant until, struct hf_error *error)
{
    (void)promised;
    return unlocked(journal, until, error);
}

/* Nothing but the head says that it was served. */
static enum hf_status
retire(struct hf_journal *journal, struct hf_instant until,
       struct hf_error *error)
{
    (void)journal;
    (void)until;
    (void)error;
    return HF_OK;
}

/* ---- Rows ---------------------------------------------------------------- */

/* No more of a text is read than shows that it is too long. */
static const char sessions[] =
    "SELECT id, secret, ttl_ms, if_dead, left(who, 1025), silent_from_ms"
    " FROM @schema@.journal_sessions WHERE id >= $1 ORDER BY id LIMIT $2";
static const char grants[] =
    "SELECT fence, session, lane, n, since, left(locks::text, 16385),"
    " left(note, 2049)"
    " FROM @schema@.journal_grants WHERE fence >= $1 ORDER BY fence LIMIT $2";

static bool
keep_text(const PGresult *rows, int row, int at, struct hf_arena *arena,
          struct hf_bytes *kept)
{
    struct hf_bytes text = column(rows, row, at);

    return hf_arena_keep(arena, text.at, text.len, kept);
}

static bool
take_session(const PGresult *rows, int row, struct hf_journal_chunk *chunk)
{
    struct hf_loaded_session *session = &chunk->sessions[chunk->count];
    int64_t id = hf_pg_column(rows, row, 0);

    *session = (struct hf_loaded_session){
        .id = (uint64_t)id,
        .ttl = {hf_pg_column(rows, row, 2)},
        .silent_from = {hf_pg_column(rows, row, 5)},
    };
    hf_kinds_read_session(session, column(rows, row, 1),
                          PQgetvalue(rows, row, 3));
    chunk->count++;
    chunk->next = hf_kinds_order(id) + 1;
    return keep_text(rows, row, 4, &chunk->arena, &session->who);
}

static bool
take_grant(const PGresult *rows, int row, struct hf_journal_chunk *chunk)
{
    struct hf_served_row *grant = &chunk->grants[chunk->count];
    int64_t fence = hf_pg_column(rows, row, 0);

    *grant = (struct hf_served_row){
        .grant = {.loaded = {.fence = (uint64_t)fence,
                             .session = (uint64_t)hf_pg_column(rows, row, 1),
                             .lane = (uint64_t)hf_pg_column(rows, row, 2),
                             .n = (uint64_t)hf_pg_column(rows, row, 3)},
                  .since_ms = hf_pg_column(rows, row, 4)},
    };
    chunk->count++;
    chunk->next = hf_kinds_order(fence) + 1;
    return keep_text(rows, row, 5, &chunk->arena, &grant->locks) &&
           keep_text(rows, row, 6, &chunk->arena, &grant->grant.loaded.note);
}

static enum hf_status
load(struct hf_journal *journal, struct hf_journal_chunk *chunk,
     struct hf_instant until, struct hf_error *error)
{
    bool of_sessions = chunk->rows == HF_JOURNAL_SESSIONS;
    char from[HF_PG_DIGITS_SIZE];
    char limit[HF_PG_DIGITS_SIZE];
    const struct hf_pg_value values[] = {
        hf_pg_number(from, (int64_t)hf_kinds_order((int64_t)chunk->next)),
        hf_pg_number(limit, HF_JOURNAL_CHUNK),
    };
    const struct hf_pg_statement statement = {
        .sql = of_sessions ? sessions : grants,
        .values = values,
        .count = 2,
    };
    PGresult *rows = NULL;
    enum hf_status status =
        ask(journal_of(journal), &statement, until, &rows, error);

    for (int i = 0; status == HF_OK && i < PQntuples(rows); i++)
        if (!(of_sessions ? take_session(rows, i, chunk)
                          : take_grant(rows, i, chunk)))
            status = no_memory(error);
    chunk->more = chunk->count == HF_JOURNAL_CHUNK && chunk->next != 0;
    PQclear(rows);
    return status;
}

/* ---- The audit ----------------------------------------------------------- */

static const char audit[] =
    "SELECT name, left(value, 16384) FROM @schema@.records"
    " WHERE space = '!audit' AND name >= $1 AND value IS NOT NULL"
    " ORDER BY name LIMIT $2";

/* False: no memory. */
static bool
take_records(const PGresult *rows, struct hf_journal_page *page)
{
    const struct hf_store_scan scan = {.prefix = page->prefix};

    for (int i = 0; i < PQntuples(rows); i++) {
        struct hf_journal_record *record = &page->records[page->count];
        struct hf_bytes name = column(rows, i, 0);

        if (page->count == page->limit || page->count == HF_JOURNAL_CHUNK ||
            !hf_rule_has_prefix(&scan, name.at, name.len))
            break;
        if (strcmp(name.at, page->after) <= 0)
            continue;
        if (!keep_text(rows, i, 0, &page->arena, &record->name) ||
            !keep_text(rows, i, 1, &page->arena, &record->value))
            return false;
        page->count++;
    }
    return true;
}

static enum hf_status
read_audit(struct hf_journal *journal, struct hf_journal_page *page,
           struct hf_instant until, struct hf_error *error)
{
    const char *from =
        strcmp(page->after, page->prefix) > 0 ? page->after : page->prefix;
    char limit[HF_PG_DIGITS_SIZE];
    const struct hf_pg_value values[] = {
        hf_pg_text(from),
        hf_pg_number(limit, HF_JOURNAL_CHUNK + 1), /* and `after` itself */
    };
    const struct hf_pg_statement statement = {
        .sql = audit,
        .values = values,
        .count = 2,
    };
    PGresult *rows = NULL;
    enum hf_status status =
        ask(journal_of(journal), &statement, until, &rows, error);

    if (status == HF_OK && !take_records(rows, page))
        status = no_memory(error);
    PQclear(rows);
    return status;
}

/* ---- Waiting ------------------------------------------------------------- */

struct waiting_for_head {
    struct pg_journal *j;
    uint64_t version;
    int wake_fd;
};

static bool
is_of_head(void *ctx, const char *word)
{
    char own[HF_PG_WORD_SIZE];

    (void)ctx;
    hf_pg_listener_word(head_key, own);
    return strcmp(own, word) == 0;
}

static enum hf_pg_looked
look(void *ctx, struct hf_instant until)
{
    const struct waiting_for_head *w = ctx;
    uint64_t generation = w->j->base.generation;
    struct hf_pg_link *link = NULL;
    PGresult *rows = NULL;
    enum hf_pg_looked looked = HF_PG_LOOKED_FAILED;

    if (hf_pg_pool_take(&w->j->pool, until, w->wake_fd, &link, NULL) != HF_OK)
        return looked;
    if (ask_for_head(w->j, link, until, &rows, NULL) == HF_OK)
        looked = (uint64_t)hf_pg_column(rows, 0, VERSION) == w->version
                     ? HF_PG_LOOKED_STANDS
                     : HF_PG_LOOKED_CHANGED;
    PQclear(rows);
    leave(w->j, link);
    return w->j->base.generation != generation ? HF_PG_LOOKED_CHANGED : looked;
}

static bool
wait_for_change(struct hf_journal *journal, uint64_t version,
                struct hf_instant until, int wake_fd)
{
    struct waiting_for_head w = {journal_of(journal), version, wake_fd};
    const struct hf_pg_watch watch = {
        .pool = &w.j->pool,
        .listener = &w.j->listener,
        .until = until,
        .wake_fd = wake_fd,
        .look = look,
        .wanted = is_of_head,
        .ctx = &w,
    };

    if (version != 0)
        return hf_pg_watch(&watch);
    hf_pg_watch_nothing(watch.pool, watch.listener, until, wake_fd);
    return false;
}

/* ---- Open and close ------------------------------------------------------ */

static void
close_journal(struct hf_journal *journal)
{
    struct pg_journal *j = journal_of(journal);

    hf_pg_listener_fini(&j->listener);
    hf_pg_pool_fini(&j->pool);
    hf_free(journal->alloc, j);
}

static const struct hf_journal_methods methods = {
    .close = close_journal,
    .read = read_journal,
    .write = write_journal,
    .load = load,
    .unlocked = unlocked,
    .secure = secure,
    .retire = retire,
    .audit = read_audit,
    .wait = wait_for_change,
};

static struct pg_journal *
make(const struct hf_place *place, const struct hf_alloc *alloc,
     enum hf_pg_use use)
{
    struct pg_journal *made = hf_new(alloc, struct pg_journal);

    if (made == NULL)
        return NULL;
    made->base = (struct hf_journal){
        .methods = &methods,
        .alloc = alloc,
        .limits = limits,
    };
    hf_pg_pool_init(&made->pool, place, use);
    hf_pg_listener_init(&made->listener, &made->pool.place);
    return made;
}

enum hf_status
hf_pg_journal_open(const struct hf_place *place, const struct hf_alloc *alloc,
                   struct hf_journal **journal, struct hf_error *error)
{
    struct pg_journal *made = make(place, alloc, HF_PG_TO_SERVE);
    struct hf_error away; /* the first read will tell */
    enum hf_status status;

    if (made == NULL)
        return hf_fail(error, HF_E_NOMEM, "no memory to open %s", place->text);
    status = hf_pg_pool_open(&made->pool, &away, error);
    if (status != HF_OK) {
        close_journal(&made->base);
        return status;
    }
    *journal = &made->base;
    return HF_OK;
}

enum hf_status
hf_pg_journal_find(const struct hf_place *place, struct hf_instant until,
                   struct hf_error *error)
{
    struct pg_journal *looking = make(place, &hf_alloc_libc, HF_PG_TO_LOOK);
    struct hf_pg_link *link = NULL;
    enum hf_status status;

    if (looking == NULL)
        return no_memory(error);
    status = enter(looking, until, &link, error);
    if (status == HF_OK && link == NULL)
        status = hf_fail(error, HF_E_UNAVAILABLE,
                         "%s: the schema is not there, and nothing was served",
                         place->text);
    if (link != NULL)
        leave(looking, link);
    close_journal(&looking->base);
    return status;
}
