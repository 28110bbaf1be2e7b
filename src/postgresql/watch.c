#include "postgresql/watch.h"

#include <errno.h>
#include <poll.h>

#include "base/fail.h"
#include "store/pause.h"

enum {
    /* How often it looks: where changes are told, for the sake of one that was
     * lost; where they are not; after a look that failed. */
    LOOK_MS = 1000,
    LOOK_DEAF_MS = 250,
    LOOK_FAILED_MS = 1000,

    /* How often it looks at most, unless it is told: others may beat all the
     * time. */
    LOOK_LEAST_MS = 100,

    LOOK_LIMIT_MS = 3000, /* for one look */
};

struct hf_duration
hf_pg_watch_pause(const struct hf_pg_listener *listener)
{
    return (struct hf_duration){
        listener->state == HF_PG_LISTENER_HEARS ? LOOK_MS : LOOK_DEAF_MS};
}

static enum hf_pg_looked
look(const struct hf_pg_watch *watch)
{
    struct hf_instant most =
        hf_after(hf_now(), (struct hf_duration){LOOK_LIMIT_MS});

    watch->listener->looked = hf_now();
    return watch->look(watch->ctx, hf_earlier(watch->until, most));
}

/* Until something is told, or the next look is due.  False: wake_fd calls, or
 * the time is over. */
static bool
rest(const struct hf_pg_watch *watch, struct hf_instant look_at)
{
    struct hf_pg_listener *listener = watch->listener;
    struct hf_instant until = hf_earlier(hf_earlier(watch->until, look_at),
                                         hf_pg_listener_next(listener));
    struct pollfd fds[] = {
        {.fd = watch->wake_fd, .events = POLLIN},
        {.fd = hf_pg_listener_fd(listener), .events = POLLIN},
    };

    if (poll(fds, 2, hf_pause_ms(until, -1)) < 0 && errno != EINTR)
        return false;
    if (fds[1].revents != 0)
        hf_pg_listener_take(listener, watch->wanted, watch->ctx);
    return fds[0].revents == 0 && !hf_reached(hf_now(), watch->until);
}

static bool
watch_on(const struct hf_pg_watch *watch)
{
    struct hf_pg_listener *listener = watch->listener;
    struct hf_instant look_at =
        hf_later(watch->first, hf_after(listener->looked,
                                        (struct hf_duration){LOOK_LEAST_MS}));

    /* Something may have come since the last wait. */
    hf_pg_listener_take(listener, watch->wanted, watch->ctx);
    do {
        if (listener->news || hf_reached(hf_now(), look_at)) {
            struct hf_duration pause = {LOOK_FAILED_MS};
            enum hf_pg_looked looked;

            listener->news = false;
            looked = look(watch);
            if (looked == HF_PG_LOOKED_CHANGED)
                return true;
            if (looked == HF_PG_LOOKED_STANDS)
                pause = hf_pg_watch_pause(listener);
            look_at = hf_after(hf_now(), pause);
        }
        hf_pg_listener_go(listener, watch->pool,
                          hf_earlier(watch->until, look_at), watch->wake_fd);
    } while (rest(watch, look_at));
    return false;
}

bool
hf_pg_watch(const struct hf_pg_watch *watch)
{
    bool changed;

    if (!hf_pg_listener_enter(watch->listener)) {
        hf_pause(watch->until, LOOK_DEAF_MS, watch->wake_fd);
        return false;
    }
    changed = watch_on(watch);
    hf_pg_listener_leave(watch->listener);
    return changed;
}

/* ---- Nothing to watch ---------------------------------------------------- */

struct hf_instant
hf_pg_watch_close_idle(struct hf_pg_pool *pool, struct hf_pg_listener *listener)
{
    return hf_earlier(hf_pg_pool_close_idle(pool),
                      hf_pg_listener_close_idle(listener));
}

void
hf_pg_watch_nothing(struct hf_pg_pool *pool, struct hf_pg_listener *listener,
                    struct hf_instant until, int wake_fd)
{
    struct hf_instant next;

    do
        next = hf_pg_watch_close_idle(pool, listener);
    while (!hf_pause(hf_earlier(next, until), -1, wake_fd) &&
           !hf_reached(hf_now(), until));
}

/* ---- For people ---------------------------------------------------------- */

static bool
wants_nothing(void *ctx, const char *word)
{
    (void)ctx;
    (void)word;
    return false;
}

static void
try(struct hf_pg_listener *listener, struct hf_pg_pool *pool,
    struct hf_instant until)
{
    if (listener->state == HF_PG_LISTENER_OFF)
        listener->next = (struct hf_instant){0};
    do {
        struct pollfd fd = {.events = POLLIN};

        hf_pg_listener_go(listener, pool, until, -1);
        fd.fd = hf_pg_listener_fd(listener);
        if (listener->state != HF_PG_LISTENER_PROVING)
            return;
        (void)poll(
            &fd, 1,
            hf_pause_ms(hf_earlier(until, hf_pg_listener_next(listener)), -1));
        hf_pg_listener_take(listener, wants_nothing, NULL);
    } while (!hf_reached(hf_now(), until));
}

void
hf_pg_watch_try(struct hf_pg_listener *listener, struct hf_pg_pool *pool,
                struct hf_instant until, struct hf_error *why)
{
    if (!hf_pg_listener_enter(listener)) {
        if (atomic_load(&listener->is_deaf))
            (void)hf_fail(why, HF_E_UNAVAILABLE, "it was tried in vain");
        return;
    }
    try(listener, pool, until);
    if (listener->state != HF_PG_LISTENER_HEARS)
        (void)hf_fail(why, HF_E_UNAVAILABLE, "%s",
                      listener->why.status == HF_OK ? "there was no time"
                                                    : listener->why.text);
    hf_pg_listener_leave(listener);
}
