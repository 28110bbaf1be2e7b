#include "postgresql/wait.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>

#include "base/fail.h"
#include "postgresql/sql.h"
#include "store/pause.h"

enum {
    /* How often the keys are looked at: where releases are told, for the sake
     * of one that was lost; where they are not; after a look that failed. */
    LOOK_MS = 1000,
    LOOK_DEAF_MS = 250,
    LOOK_FAILED_MS = 1000,

    LOOK_LIMIT_MS = 3000, /* for one look */
};

static const char changed[] = "SELECT * FROM @schema@.changed($1, $2, $3)";

struct waiting {
    struct hf_pg_store *store;
    struct hf_store_watch *watches;
    size_t watches_count;
    struct hf_instant until;
    int wake_fd;
    struct hf_instant look_at;
};

enum looked {
    LOOKED_NOTHING,
    LOOKED_CHANGE, /* of a key, or of the place */
    LOOKED_FAILED,
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
static enum looked
take_rows(struct waiting *w, const struct hf_pg_link *link,
          const PGresult *rows, struct hf_instant begun)
{
    uint64_t generation = atomic_load(&w->store->pool.generation);
    enum looked sight = LOOKED_NOTHING;
    struct hf_pg_identity identity;

    for (size_t i = 0; i < w->watches_count; i++)
        w->watches[i].stood = (uint64_t)begun.ms;
    for (int row = 0; row < PQntuples(rows); row++) {
        int64_t op = hf_pg_column(rows, row, 0);

        if (op == 0) {
            identity = hf_pg_state_identity(rows, row, 1, 2);
            hf_pg_pool_identify(&w->store->pool, link, &identity);
        } else if (op > 0 && (size_t)op <= w->watches_count) {
            w->watches[op - 1].changed = true;
            w->watches[op - 1].stood = 0;
            sight = LOOKED_CHANGE;
        }
    }
    if (atomic_load(&w->store->pool.generation) != generation)
        sight = LOOKED_CHANGE;
    return sight;
}

/* An error is no news: another look follows soon, and the caller's next read
 * will tell. */
static enum looked
look(struct waiting *w)
{
    struct hf_pg_store *store = w->store;
    struct hf_arena arena = {.alloc = store->base.alloc};
    struct hf_instant begun = hf_now();
    struct hf_instant until = hf_earlier(
        w->until, hf_after(begun, (struct hf_duration){LOOK_LIMIT_MS}));
    char sql[HF_PG_SQL_SIZE];
    struct hf_pg_value values[3];
    const struct hf_pg_statement statement = {
        .sql = hf_pg_sql(sql, changed, store->pool.place.schema),
        .values = values,
        .count = 3,
    };
    struct hf_pg_link *link = NULL;
    PGresult *rows = NULL;
    enum looked sight = LOOKED_FAILED;

    atomic_fetch_add(&store->base.looks, 1);
    if (hf_pg_pool_take(&store->pool, until, &link, NULL) != HF_OK ||
        link == NULL)
        return LOOKED_FAILED;
    if (encode(w, &arena, values) &&
        hf_pg_link_ask(link, &statement, until, &rows, NULL) == HF_OK)
        sight = take_rows(w, link, rows, begun);
    PQclear(rows);
    hf_arena_fini(&arena);
    hf_pg_state_leave(store, link);
    return sight;
}

static struct hf_duration
pause_after(const struct waiting *w, enum looked sight)
{
    if (sight == LOOKED_FAILED)
        return (struct hf_duration){LOOK_FAILED_MS};
    return (struct hf_duration){w->store->listener.state == HF_PG_LISTENER_HEARS
                                    ? LOOK_MS
                                    : LOOK_DEAF_MS};
}

/* What the last wait has seen to stand need not be looked at before its time,
 * unless something was told since. */
static struct hf_instant
first_look(const struct waiting *w)
{
    struct hf_duration pause = pause_after(w, LOOKED_NOTHING);
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

/* Until something is told, or the next look is due.  False: wake_fd calls, or
 * the time is over. */
static bool
rest(struct waiting *w)
{
    struct hf_pg_listener *listener = &w->store->listener;
    struct hf_instant until = hf_earlier(hf_earlier(w->until, w->look_at),
                                         hf_pg_listener_next(listener));
    struct pollfd fds[] = {
        {.fd = w->wake_fd, .events = POLLIN},
        {.fd = hf_pg_listener_fd(listener), .events = POLLIN},
    };

    if (poll(fds, 2, hf_pause_ms(until, -1)) < 0 && errno != EINTR)
        return false;
    if (fds[1].revents != 0)
        hf_pg_listener_take(listener, is_wanted, w);
    return fds[0].revents == 0 && !hf_reached(hf_now(), w->until);
}

/* One thread has the listener. */
static bool
own_listener(struct hf_pg_store *store)
{
    return !atomic_exchange(&store->listening, true);
}

static void
wait_for_change(struct waiting *w)
{
    struct hf_pg_listener *listener = &w->store->listener;

    /* Something may have come since the last wait. */
    hf_pg_listener_take(listener, is_wanted, w);
    w->look_at = first_look(w);
    do {
        if (listener->news || hf_reached(hf_now(), w->look_at)) {
            enum looked sight;

            listener->news = false;
            sight = look(w);
            if (sight == LOOKED_CHANGE)
                return;
            w->look_at = hf_after(hf_now(), pause_after(w, sight));
        }
        hf_pg_listener_go(listener, &w->store->pool,
                          hf_earlier(w->until, w->look_at), w->wake_fd);
    } while (rest(w));
}

void
hf_pg_wait(struct hf_store *base, struct hf_store_watch *watches,
           size_t watches_count, struct hf_instant until, int wake_fd)
{
    struct waiting w = {
        .store = (struct hf_pg_store *)base,
        .watches = watches,
        .watches_count = watches_count,
        .until = until,
        .wake_fd = wake_fd,
    };

    hf_pg_pool_close_idle(&w.store->pool);
    if (watches_count == 0 || !own_listener(w.store)) {
        hf_pause(until, watches_count == 0 ? -1 : LOOK_DEAF_MS, wake_fd);
        return;
    }
    wait_for_change(&w);
    atomic_store(&w.store->listening, false);
}

bool
hf_pg_wait_is_woken(struct hf_store *base, struct hf_instant until)
{
    const struct hf_pg_store *store = (const struct hf_pg_store *)base;

    (void)until;
    return !atomic_load(&store->listener.is_deaf);
}

/* ---- For people ---------------------------------------------------------- */

static bool
is_nothing(void *ctx, const char *word)
{
    (void)ctx;
    (void)word;
    return false;
}

void
hf_pg_wait_try(struct hf_pg_store *store, struct hf_instant until,
               struct hf_error *why)
{
    struct hf_pg_listener *listener = &store->listener;

    if (!own_listener(store)) {
        if (atomic_load(&listener->is_deaf))
            (void)hf_fail(why, HF_E_UNAVAILABLE, "it was tried in vain");
        return;
    }
    listener->next = listener->state == HF_PG_LISTENER_OFF
                         ? (struct hf_instant){0}
                         : listener->next;
    do {
        struct pollfd fd = {.events = POLLIN};

        hf_pg_listener_go(listener, &store->pool, until, -1);
        fd.fd = hf_pg_listener_fd(listener);
        if (listener->state != HF_PG_LISTENER_PROVING)
            break;
        (void)poll(
            &fd, 1,
            hf_pause_ms(hf_earlier(until, hf_pg_listener_next(listener)), -1));
        hf_pg_listener_take(listener, is_nothing, NULL);
    } while (!hf_reached(hf_now(), until));
    if (listener->state != HF_PG_LISTENER_HEARS)
        (void)hf_fail(why, HF_E_UNAVAILABLE, "%s",
                      listener->why.status == HF_OK ? "there was no time"
                                                    : listener->why.text);
    atomic_store(&store->listening, false);
}
