#include "postgresql/listener.h"

#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/hex.h"
#include "base/random.h"
#include "postgresql/pipeline.h"
#include "postgresql/value.h"

enum {
    PROOF_MS = 1000,   /* for so long the proof may take */
    TRIP_MS = 1000,    /* for LISTEN, and for sending the proof */
    SILENCE_MS = 2000, /* of an address that is dialled */
    PAUSE_MIN_MS = 1000,
    PAUSE_MAX_MS = 60 * 1000, /* a pooler stays one */
    LINGER_MS = 10 * 1000,    /* for the next that waits */
};

void
hf_pg_listener_init(struct hf_pg_listener *listener,
                    const struct hf_postgresql_place *place)
{
    struct hf_pg_server server = {place->url.hosts, place->url.hosts_count};

    if (place->listen.host != NULL)
        server = (struct hf_pg_server){&place->listen, 1};
    *listener = (struct hf_pg_listener){.state = HF_PG_LISTENER_OFF};
    hf_pg_link_init(&listener->link, place, server);
    listener->link.patience = (struct hf_duration){SILENCE_MS};
}

void
hf_pg_listener_fini(struct hf_pg_listener *listener)
{
    hf_pg_link_close(&listener->link);
}

bool
hf_pg_listener_enter(struct hf_pg_listener *listener)
{
    return !atomic_exchange(&listener->used, true);
}

void
hf_pg_listener_leave(struct hf_pg_listener *listener)
{
    atomic_store(&listener->left_ms, hf_now().ms);
    atomic_store(&listener->used, false);
}

/* What is told to a connection that nobody reads stays in the server's memory,
 * and in its queue, which all its databases share. */
struct hf_instant
hf_pg_listener_close_idle(struct hf_pg_listener *listener)
{
    struct hf_instant next = {atomic_load(&listener->left_ms) + LINGER_MS};

    if (listener->state == HF_PG_LISTENER_OFF)
        return HF_NEVER;
    if (!hf_reached(hf_now(), next) || !hf_pg_listener_enter(listener))
        return next;
    hf_pg_link_close(&listener->link);
    listener->state = HF_PG_LISTENER_OFF;
    atomic_store(&listener->used, false);
    return HF_NEVER;
}

void
hf_pg_listener_word(struct hf_key key, char word[HF_PG_WORD_SIZE])
{
    uint64_t hash =
        hf_hash_bytes(HF_HASH_SEED, key.space, strlen(key.space) + 1);

    hash = hf_hash_bytes(hash, key.name, strlen(key.name));
    hf_hex_write_u64(hash, word);
}

/* ---- States -------------------------------------------------------------- */

/* It does not hear, as `why` has it. */
static void
turn_off(struct hf_pg_listener *listener)
{
    int64_t pause_ms = PAUSE_MIN_MS;

    for (unsigned i = 0; i < listener->failures && pause_ms < PAUSE_MAX_MS; i++)
        pause_ms *= 2;
    if (pause_ms > PAUSE_MAX_MS)
        pause_ms = PAUSE_MAX_MS;
    hf_pg_link_close(&listener->link);
    if (listener->state == HF_PG_LISTENER_HEARS)
        listener->news = true;
    listener->state = HF_PG_LISTENER_OFF;
    listener->failures++;
    listener->next = hf_after(hf_now(), (struct hf_duration){pause_ms});
    atomic_store(&listener->is_deaf, true);
}

static enum hf_status
ask(struct hf_pg_listener *listener, const char *sql, PGresult **rows)
{
    const struct hf_pg_statement statement = {.sql = sql};

    return hf_pg_pipeline_ask(&listener->link, &statement,
                              hf_after(hf_now(), (struct hf_duration){TRIP_MS}),
                              rows, &listener->why);
}

/* A pooler would keep LISTEN on a connection that it then gives to others: each
 * of them would be told.  Unless it was named to be listened to, none is asked:
 * it has another process number than the server. */
static enum hf_status
refuse_pooler(struct hf_pg_listener *listener)
{
    PGresult *rows = NULL;
    bool is_direct;
    enum hf_status status =
        ask(listener, "SELECT pg_catalog.pg_backend_pid()", &rows);

    if (status != HF_OK)
        return status;
    is_direct = hf_pg_column(rows, 0, 0) == PQbackendPID(listener->link.conn) ||
                listener->link.place->listen.host != NULL;
    PQclear(rows);
    return is_direct ? HF_OK
                     : hf_fail(&listener->why, HF_E_UNAVAILABLE,
                               "a pooler is between, and would tell others: "
                               "name the server itself with ?listen=");
}

static enum hf_status
ask_to_listen(struct hf_pg_listener *listener)
{
    PGresult *rows = NULL;
    enum hf_status status = refuse_pooler(listener);

    if (status == HF_OK)
        status = ask(listener, "LISTEN @schema@", &rows);
    PQclear(rows);
    return status;
}

/* It is sent, also where its answer is not waited for. */
static enum hf_status
send_proof(struct hf_pg_listener *listener, struct hf_pg_pool *pool)
{
    struct hf_instant until = hf_after(hf_now(), (struct hf_duration){TRIP_MS});
    const struct hf_pg_value values[] = {
        hf_pg_text(pool->place.schema),
        hf_pg_text(listener->proof),
    };
    const struct hf_pg_statement statement = {
        .sql = "SELECT pg_notify($1, $2)",
        .values = values,
        .count = 2,
    };
    struct hf_pg_link *link = NULL;
    PGresult *rows = NULL;
    uint64_t number = 0;
    enum hf_status status = hf_random_u64(&number, &listener->why);

    if (status == HF_OK)
        status = hf_pg_pool_take(pool, until, listener->link.wake_fd, &link,
                                 &listener->why);
    if (status != HF_OK || link == NULL)
        return status == HF_OK ? HF_E_UNAVAILABLE : status;
    hf_hex_write_u64(number, listener->proof);
    status = hf_pg_pipeline_ask(link, &statement, until, &rows, &listener->why);
    PQclear(rows);
    hf_pg_pool_give(pool, link);
    return status == HF_E_CANCELLED ? HF_OK : status;
}

/* A call that is woken goes on in the next one, from the last step that was
 * whole. */
static void
dial(struct hf_pg_listener *listener, struct hf_pg_pool *pool,
     struct hf_instant pause, int wake_fd)
{
    enum hf_status status;

    listener->link.wake_fd = wake_fd;
    status = hf_pg_link_dial(&listener->link, HF_NEVER, pause, &listener->why);
    if (status == HF_OK)
        status = ask_to_listen(listener);
    if (status == HF_OK)
        status = send_proof(listener, pool);
    if (status == HF_E_CANCELLED)
        return;
    if (status != HF_OK) {
        turn_off(listener);
        return;
    }
    listener->state = HF_PG_LISTENER_PROVING;
    listener->next = hf_after(hf_now(), (struct hf_duration){PROOF_MS});
}

void
hf_pg_listener_go(struct hf_pg_listener *listener, struct hf_pg_pool *pool,
                  struct hf_instant pause, int wake_fd)
{
    /* A forked child has none of its parent's. */
    if (listener->state >= HF_PG_LISTENER_PROVING &&
        !hf_pg_link_is_open(&listener->link))
        turn_off(listener);
    switch ((enum hf_pg_listening)listener->state) {
    case HF_PG_LISTENER_OFF:
        if (!hf_reached(hf_now(), listener->next))
            return;
        listener->state = HF_PG_LISTENER_DIALLING;
        listener->why = (struct hf_error){.status = HF_OK};
        dial(listener, pool, pause, wake_fd);
        break;
    case HF_PG_LISTENER_DIALLING:
        dial(listener, pool, pause, wake_fd);
        break;
    case HF_PG_LISTENER_PROVING:
        if (!hf_reached(hf_now(), listener->next))
            return;
        (void)hf_fail(&listener->why, HF_E_UNAVAILABLE,
                      "LISTEN is accepted, and nothing that is notified comes: "
                      "a pooler does that");
        turn_off(listener);
        break;
    case HF_PG_LISTENER_HEARS:
        break;
    }
}

int
hf_pg_listener_fd(const struct hf_pg_listener *listener)
{
    return listener->state >= HF_PG_LISTENER_PROVING
               ? hf_pg_pipeline_fd(&listener->link)
               : -1;
}

struct hf_instant
hf_pg_listener_next(const struct hf_pg_listener *listener)
{
    return listener->state == HF_PG_LISTENER_HEARS ? HF_NEVER : listener->next;
}

void
hf_pg_listener_take(struct hf_pg_listener *listener, hf_pg_wanted_fn *wanted,
                    void *ctx)
{
    PGnotify *told;

    if (listener->state < HF_PG_LISTENER_PROVING ||
        !hf_pg_link_is_open(&listener->link))
        return;
    while ((told = hf_pg_pipeline_notified(&listener->link)) != NULL) {
        if (strcmp(told->extra, listener->proof) == 0 &&
            listener->state == HF_PG_LISTENER_PROVING) {
            listener->state = HF_PG_LISTENER_HEARS;
            listener->failures = 0;
            listener->news = true;
            atomic_store(&listener->is_deaf, false);
        } else if (wanted(ctx, told->extra)) {
            listener->news = true;
        }
        PQfreemem(told);
    }
    if (listener->link.broken) {
        (void)hf_fail(&listener->why, HF_E_UNAVAILABLE,
                      "the connection that LISTENs has ended");
        turn_off(listener);
    }
}
