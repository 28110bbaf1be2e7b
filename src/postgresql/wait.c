#include "postgresql/wait.h"

#include <stdatomic.h>
#include <string.h>

#include "postgresql/pipeline.h"
#include "postgresql/watch.h"
#include "store/pause.h"

static const char changed[] = "SELECT * FROM @schema@.changed($1, $2, $3)";

struct waiting {
    struct hf_pg_store *store;
    struct hf_store_watch *watches;
    size_t watches_count;
    int wake_fd;
};

/* ---- Look ---------------------------------------------------------------- */

static bool
encode(const struct waiting *w, struct hf_arena *arena,
       struct hf_pg_value values[3])
{
    struct hf_key *keys =
        hf_arena_take(arena, w->watches_count * sizeof(*keys));
    struct hf_pg_array versions;

    if (keys == NULL ||
        !hf_pg_array_init(&versions, arena, HF_PG_INT8_ARRAY, w->watches_count,
                          w->watches_count * sizeof(int64_t)))
        return false;
    for (size_t i = 0; i < w->watches_count; i++) {
        keys[i] = w->watches[i].key;
        hf_pg_array_add_int8(&versions, (int64_t)w->watches[i].version);
    }
    values[2] = hf_pg_array_value(&versions);
    return hf_pg_state_keys(arena, keys, w->watches_count, values);
}

/* Rows of keys that changed, and one of the place. */
static enum hf_pg_looked
take_rows(struct waiting *w, const struct hf_pg_link *link,
          const PGresult *rows, struct hf_instant begun)
{
    uint64_t generation = atomic_load(&w->store->pool.generation);
    enum hf_pg_looked looked = HF_PG_LOOKED_STANDS;
    struct hf_pg_identity own = {.rows = rows, .place = 2, .flushed = 1};

    for (size_t i = 0; i < w->watches_count; i++)
        w->watches[i].stood = (uint64_t)begun.ms;
    for (int row = 0; row < PQntuples(rows); row++) {
        int64_t op = hf_pg_column(rows, row, 0);

        if (op == 0) {
            own.row = row;
            hf_pg_pool_identify(&w->store->pool, link, &own);
        } else if (op > 0 && (size_t)op <= w->watches_count) {
            w->watches[op - 1].changed = true;
            w->watches[op - 1].stood = 0;
            looked = HF_PG_LOOKED_CHANGED;
        }
    }
    return atomic_load(&w->store->pool.generation) != generation
               ? HF_PG_LOOKED_CHANGED
               : looked;
}

/* An error is no news: another look follows soon, and the caller's next read
 * will tell. */
static enum hf_pg_looked
look(void *ctx, struct hf_instant until)
{
    struct waiting *w = ctx;
    struct hf_pg_store *store = w->store;
    struct hf_arena arena = {.alloc = store->base.alloc};
    struct hf_instant begun = hf_now();
    struct hf_pg_value values[3];
    const struct hf_pg_statement statement = {
        .sql = changed,
        .values = values,
        .count = 3,
    };
    struct hf_pg_link *link = NULL;
    PGresult *rows = NULL;
    enum hf_pg_looked looked = HF_PG_LOOKED_FAILED;

    atomic_fetch_add(&store->base.looks, 1);
    if (hf_pg_pool_take(&store->pool, until, w->wake_fd, &link, NULL) !=
            HF_OK ||
        link == NULL)
        return looked;
    if (encode(w, &arena, values) &&
        hf_pg_pipeline_ask(link, &statement, until, &rows, NULL) == HF_OK)
        looked = take_rows(w, link, rows, begun);
    PQclear(rows);
    hf_arena_fini(&arena);
    hf_pg_state_leave(store, link);
    return looked;
}

/* What the last wait has seen to stand need not be looked at before its time,
 * unless something was told since. */
static struct hf_instant
first_look(const struct waiting *w)
{
    struct hf_duration pause = hf_pg_watch_pause(&w->store->listener);
    struct hf_instant first = HF_NEVER;

    for (size_t i = 0; i < w->watches_count; i++) {
        struct hf_instant stood = {(int64_t)w->watches[i].stood};

        first =
            hf_earlier(first, stood.ms == 0 ? stood : hf_after(stood, pause));
    }
    return first;
}

/* ---- Wait ---------------------------------------------------------------- */

static bool
is_wanted(void *ctx, const char *word)
{
    const struct waiting *w = ctx;
    char own[HF_PG_WORD_SIZE];

    for (size_t i = 0; i < w->watches_count; i++) {
        hf_pg_listener_word(w->watches[i].key, own);
        if (strcmp(own, word) == 0)
            return true;
    }
    return false;
}

void
hf_pg_wait(struct hf_store *base, struct hf_store_watch *watches,
           size_t watches_count, struct hf_instant until, int wake_fd)
{
    struct waiting w = {
        .store = (struct hf_pg_store *)base,
        .watches = watches,
        .watches_count = watches_count,
        .wake_fd = wake_fd,
    };
    const struct hf_pg_watch watch = {
        .pool = &w.store->pool,
        .listener = &w.store->listener,
        .until = until,
        .wake_fd = wake_fd,
        .first = first_look(&w),
        .look = look,
        .wanted = is_wanted,
        .ctx = &w,
    };

    if (watches_count == 0)
        hf_pg_watch_nothing(watch.pool, watch.listener, until, wake_fd);
    else
        (void)hf_pg_watch(&watch);
}

struct hf_instant
hf_pg_wait_close_idle(struct hf_store *base)
{
    struct hf_pg_store *store = (struct hf_pg_store *)base;

    return hf_pg_watch_close_idle(&store->pool, &store->listener);
}

bool
hf_pg_wait_is_woken(struct hf_store *base, struct hf_instant until)
{
    const struct hf_pg_store *store = (const struct hf_pg_store *)base;

    (void)until;
    return !atomic_load(&store->listener.is_deaf);
}
