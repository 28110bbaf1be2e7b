#include "postgresql/pool.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/fork.h"
#include "postgresql/pipeline.h"
#include "postgresql/value.h"
#include "store/pause.h"

enum {
    IDLE_MS = 60 * 1000,

    /* Opening, which has no time limit of its own: in all, and a silence.  For
     * who looks only there is no later call that would tell. */
    OPEN_MS = 2000,
    OPEN_SILENT_MS = 1000,
    OPEN_TO_LOOK_MS = 10000,
};

void
hf_pg_pool_init(struct hf_pg_pool *pool, const struct hf_place *place,
                enum hf_pg_use use)
{
    *pool = (struct hf_pg_pool){.use = use};
    hf_fork_watch();
    hf_postgresql_place_of(place, &pool->place);
    hf_monitor_init(&pool->monitor);
    for (size_t i = 0; i < HF_PG_LINKS; i++)
        hf_pg_link_init(&pool->links[i], &pool->place,
                        (struct hf_pg_server){pool->place.url.hosts,
                                              pool->place.url.hosts_count});
}

void
hf_pg_pool_fini(struct hf_pg_pool *pool)
{
    for (size_t i = 0; i < HF_PG_LINKS; i++)
        hf_pg_link_close(&pool->links[i]);
    hf_monitor_fini(&pool->monitor);
}

struct hf_duration
hf_pg_pool_patience(struct hf_pg_pool *pool, struct hf_instant until)
{
    struct hf_instant now = hf_now();
    struct hf_duration limit;

    hf_monitor_enter(&pool->monitor);
    limit = pool->met ? hf_silence_limit(&pool->silence, now, until)
                      : hf_between(now, until);
    if (pool->opening && limit.ms > OPEN_SILENT_MS)
        limit.ms = OPEN_SILENT_MS;
    hf_monitor_leave(&pool->monitor);
    return limit;
}

/* ---- Dial ---------------------------------------------------------------- */

/* Wait until a dial is allowed.  The last error: that is after `until`. */
static enum hf_status
await_leave(struct hf_pg_pool *pool, struct hf_pg_link *link,
            struct hf_instant until, struct hf_error *error)
{
    struct hf_instant dial_at;
    struct hf_error failed;

    hf_monitor_enter(&pool->monitor);
    dial_at = pool->dial_at;
    failed = pool->failed;
    link->lasts = pool->lasts;
    hf_monitor_leave(&pool->monitor);
    while (!hf_reached(hf_now(), dial_at) && !hf_reached(hf_now(), until))
        if (hf_pause(hf_earlier(dial_at, until), -1, link->wake_fd))
            return HF_E_CANCELLED;
    return hf_reached(hf_now(), dial_at)
               ? HF_OK
               : hf_fail(error, failed.status, "%s", failed.text);
}

/* Entered: a connection has failed, after so long a silence. */
static void
note_failure(struct hf_pg_pool *pool, const struct hf_error *why, bool lasts,
             struct hf_duration silent)
{
    hf_silence_failed(&pool->silence, silent);
    pool->dial_at = hf_after(hf_now(), hf_silence_pause(&pool->silence));
    pool->failed = *why;
    pool->lasts = lasts;
}

/* It is asked whether it will do. */
static enum hf_status
open_link(struct hf_pg_pool *pool, struct hf_pg_link *link,
          struct hf_instant until, struct hf_error *error)
{
    enum hf_status status;

    if (hf_pg_link_is_open(link) && !hf_pg_pipeline_is_alive(link))
        hf_pg_link_close(link);
    if (hf_pg_link_is_open(link) && link->is_there)
        return HF_OK;
    if (!hf_pg_link_is_open(link)) {
        status = await_leave(pool, link, until, error);
        if (status != HF_OK)
            return status;
        link->patience = hf_pg_pool_patience(pool, until);
        status = hf_pg_link_dial(link, until, HF_NEVER, error);
        if (status != HF_OK)
            return status;
    }
    link->patience = hf_pg_pool_patience(pool, until);
    return hf_pg_schema_ready(link, pool->use, until, error);
}

/* ---- Take and give ------------------------------------------------------- */

/* How good it is for a call: an open one, from which nothing is to come. */
static int
fitness_of(const struct hf_pg_link *link)
{
    if (!hf_pg_link_is_open(link))
        return 0;
    return link->syncs == 0 ? 2 : 1;
}

/* The store's limits see to it that there is one. */
static struct hf_pg_link *
take_slot(struct hf_pg_pool *pool)
{
    struct hf_pg_link *found = NULL;

    hf_monitor_enter(&pool->monitor);
    for (size_t i = 0; i < HF_PG_LINKS; i++) {
        struct hf_pg_link *link = &pool->links[i];

        if (!pool->used[i] &&
            (found == NULL || fitness_of(link) > fitness_of(found)))
            found = link;
    }
    if (found != NULL)
        pool->used[found - pool->links] = true;
    hf_monitor_leave(&pool->monitor);
    return found;
}

enum hf_status
hf_pg_pool_take(struct hf_pg_pool *pool, struct hf_instant until, int wake_fd,
                struct hf_pg_link **taken, struct hf_error *error)
{
    struct hf_pg_link *link = take_slot(pool);
    struct hf_error why = {.status = HF_OK};
    enum hf_status status;

    if (link == NULL)
        return hf_fail(error, HF_E_LIMIT, "more calls at once than %d",
                       HF_STORE_REMOTE_CALLS);
    link->wake_fd = wake_fd;
    link->dialled = link->heard = (struct hf_instant){0};
    status = open_link(pool, link, until, &why);
    if (status != HF_OK)
        hf_pg_link_close(link);
    hf_monitor_enter(&pool->monitor);
    if (status == HF_OK)
        pool->met = true;
    else if (status != HF_E_CANCELLED && /* that is our own doing */
             hf_later(link->dialled, link->heard).ms != 0)
        note_failure(
            pool, &why, link->lasts,
            hf_between(hf_later(link->dialled, link->heard), hf_now()));
    link->flushed = pool->flushed;
    link->patience = hf_silence_limit(&pool->silence, hf_now(), until);
    link->quiet = (struct hf_duration){0};
    if (status != HF_OK || !link->is_there)
        pool->used[link - pool->links] = false;
    hf_monitor_leave(&pool->monitor);
    if (status == HF_OK)
        *taken = link->is_there ? link : NULL;
    else if (error != NULL)
        *error = why;
    return status;
}

/* Entered.  Returns when the next one will have been idle for too long. */
static struct hf_instant
close_idle(struct hf_pg_pool *pool)
{
    const struct hf_duration most = {IDLE_MS};
    struct hf_instant now = hf_now();
    struct hf_instant next = HF_NEVER;

    for (size_t i = 0; i < HF_PG_LINKS; i++) {
        struct hf_pg_link *link = &pool->links[i];

        if (pool->used[i] || !hf_pg_link_is_open(link))
            continue;
        if (hf_reached(now, hf_after(link->idle, most)))
            hf_pg_link_close(link);
        else
            next = hf_earlier(next, hf_after(link->idle, most));
    }
    return next;
}

void
hf_pg_pool_give(struct hf_pg_pool *pool, struct hf_pg_link *link)
{
    struct hf_instant now = hf_now();
    bool broken = link->broken;

    if (broken)
        hf_pg_link_close(link);
    hf_monitor_enter(&pool->monitor);
    if (broken)
        note_failure(pool, &link->why, link->lasts,
                     hf_between(link->heard, now));
    else if (!link->waited && link->syncs == 0)
        hf_silence_answered(&pool->silence, link->quiet);
    link->waited = false;
    link->idle = now;
    pool->used[link - pool->links] = false;
    (void)close_idle(pool);
    hf_monitor_leave(&pool->monitor);
}

struct hf_instant
hf_pg_pool_close_idle(struct hf_pg_pool *pool)
{
    struct hf_instant next;

    hf_monitor_enter(&pool->monitor);
    next = close_idle(pool);
    hf_monitor_leave(&pool->monitor);
    return next;
}

/* ---- Open ---------------------------------------------------------------- */

enum hf_status
hf_pg_pool_open(struct hf_pg_pool *pool, struct hf_error *away,
                struct hf_error *error)
{
    bool looks = pool->use == HF_PG_TO_LOOK;
    struct hf_duration most = {looks ? OPEN_TO_LOOK_MS : OPEN_MS};
    struct hf_pg_link *link = NULL;
    struct hf_error why = {.status = HF_OK};
    enum hf_status status;

    pool->opening = !looks;
    status = hf_pg_pool_take(pool, hf_after(hf_now(), most), -1, &link, &why);
    pool->opening = false;
    if (link != NULL)
        hf_pg_pool_give(pool, link);
    if (status == HF_E_UNAVAILABLE && !pool->lasts)
        *away = why;
    else if (status != HF_OK)
        return hf_fail(error, status, "%s", why.text);
    return HF_OK;
}

bool
hf_pg_pool_is_away(struct hf_pg_pool *pool)
{
    bool met;

    hf_monitor_enter(&pool->monitor);
    met = pool->met;
    hf_monitor_leave(&pool->monitor);
    return !met;
}

/* ---- Identity ------------------------------------------------------------ */

/* Entered.  Is it the same but for the timeline, its last word, while the
 * operator promises that a promotion loses nothing that was answered?  What was
 * flushed and not answered may be lost, so its log begins anew. */
static bool
is_promoted(const struct hf_pg_pool *pool, const char *place)
{
    const char *timeline = strrchr(place, ' ');

    return pool->place.synchronous && timeline != NULL &&
           strcmp(pool->identity, place) != 0 &&
           strncmp(pool->identity, place, (size_t)(timeline - place) + 1) == 0;
}

void
hf_pg_pool_identify(struct hf_pg_pool *pool, const struct hf_pg_link *link,
                    const struct hf_pg_identity *identity)
{
    const char *place =
        PQgetvalue(identity->rows, identity->row, identity->place);
    int64_t flushed =
        hf_pg_column(identity->rows, identity->row, identity->flushed);
    bool known;

    hf_monitor_enter(&pool->monitor);
    known = pool->identity[0] != '\0';
    if (known && is_promoted(pool, place)) {
        known = false;
    } else if (known && (strcmp(pool->identity, place) != 0 ||
                         flushed < link->flushed)) {
        atomic_fetch_add(&pool->generation, 1);
        known = false;
    }
    if (!known) {
        (void)snprintf(pool->identity, sizeof(pool->identity), "%s", place);
        pool->flushed = flushed;
    } else if (flushed > pool->flushed) {
        pool->flushed = flushed;
    }
    hf_monitor_leave(&pool->monitor);
}
