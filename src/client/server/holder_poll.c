#include "client/server/holder_poll.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "client/server/trouble.h"
#include "client/server/views.h"
#include "client/view.h"
#include "wire/api_ask.h"

/* A lock that is granted sooner is not polled. */
static const struct hf_duration first_pause = {200};
static const struct hf_duration usual_pause = {2000};

/* If it had no place in line yet, it is about to get one. */
static const struct hf_duration no_place_pause = {500};

/* Between any two polls; and the time limit for an answer. */
static const struct hf_duration least_pause = {20};
static const struct hf_duration patience = {5000};

/* ---- What was seen ------------------------------------------------------- */

static struct hf_server_lock *
lock_of(struct hf_node_call *call)
{
    return HF_CONTAINER(call, struct hf_server_lock, poll);
}

/* This name has no holder.  Another of the lock's names is in the way; or the
 * server has forgotten its holders, which is asked after the last name. */
static void
poll_next_name(struct hf_server_lock *lock)
{
    if (++lock->polled_name == lock->wants_count)
        hf_views_hide(&lock->shown);
}

static bool
is_about_server(const struct hf_server_lock *lock)
{
    return lock->polled_name == lock->wants_count;
}

/* The server grants nothing until then. */
static struct hf_blocker
take_grace(struct hf_server *server, const struct hf_http_answer *answer)
{
    struct hf_blocker none = {.kind = HF_BLOCKER_UNKNOWN};
    struct hf_duration grace;

    if (answer->status != 200)
        return none;
    grace = hf_server_read_grace(answer->body);
    server->grace_end = hf_after(hf_now(), grace);
    if (grace.ms == 0)
        return none;
    return (struct hf_blocker){.kind = HF_BLOCKER_PLACE,
                               .until = server->grace_end};
}

static void
report(struct hf_server_lock *lock, struct hf_blocker blocker)
{
    hf_sessions_step(lock->session, &(struct hf_session_event){
                                        .kind = HF_SESSION_SEEN,
                                        .at = hf_now(),
                                        .wish = {.id = lock->lock->handle.id,
                                                 .blocker = blocker},
                                    });
}

/* Find who is in the way at this name: a holder; or, if there is none, the
 * first in line before us. */
static bool
find_in_way(const struct hf_api_seen *seen, struct hf_api_claim *who)
{
    size_t at = 0;

    if (seen->elsewhere)
        return false;
    return hf_api_seen_next(seen->holders, &at, who) ||
           (seen->position > 1 && hf_views_first(seen, who));
}

/* True: another name is to be polled at once. */
static bool
read_poll(struct hf_server *server, struct hf_server_lock *lock,
          const struct hf_http_answer *answer)
{
    struct hf_blocker blocker = {.kind = HF_BLOCKER_UNKNOWN};
    struct hf_api_seen seen;
    struct hf_api_claim who;

    if (is_about_server(lock)) {
        lock->polled_name = 0;
        report(lock, take_grace(server, answer));
        return false;
    }
    if (answer->status == 404) {
        poll_next_name(lock);
        return true;
    }
    if (answer->status != 200 || !hf_api_seen_read(answer->body, &seen) ||
        !hf_views_is_of(&seen, &lock->wants[lock->polled_name]))
        return false;
    if (!find_in_way(&seen, &who)) {
        poll_next_name(lock);
        return true;
    }
    hf_views_show(server, &lock->shown, &lock->lock->handle, &seen, &who);
    if (who.fence != 0)
        blocker = hf_views_blocker(server, &who, lock->polled_at);
    report(lock, blocker);
    return false;
}

/* ---- Looking ------------------------------------------------------------- */

/* The answer showed a line, but not our place in it. */
static bool
has_no_place(const struct hf_server_lock *lock)
{
    const struct hf_view *view = lock->shown.view;

    return lock->session_id != 0 && view != NULL &&
           view->diagnosis.record.waiters > 0 &&
           view->diagnosis.record.position == 0;
}

static struct hf_duration
pause_of(const struct hf_server_lock *lock)
{
    return has_no_place(lock) ? no_place_pause : usual_pause;
}

static void
answered(struct hf_node_call *call, const struct hf_http_answer *answer)
{
    struct hf_server_lock *lock = lock_of(call);
    struct hf_server *server = lock->session->server;
    struct hf_instant now = hf_now();

    server->polling = NULL;
    server->next_poll_at = hf_after(now, least_pause);
    if (answer == NULL) /* what was seen is not known to be so any more */
        hf_views_hide(&lock->shown);
    if (answer != NULL && hf_sessions_wait(lock) &&
        read_poll(server, lock, answer))
        hf_heap_set(&server->polls, &lock->poll_at, now);
    else
        hf_heap_set(&server->polls, &lock->poll_at,
                    hf_after(now, pause_of(lock)));
}

static void
add_path(const struct hf_server_lock *lock, struct hf_text *path)
{
    if (is_about_server(lock)) {
        hf_text_add(path, "/v1/info");
        return;
    }
    hf_api_ask_lock(path, &lock->wants[lock->polled_name], "");
    hf_text_add(path, "&limit=1");
    if (lock->session_id != 0) /* it may stand in line */
        hf_text_addf(path, "&session=%016" PRIx64 "&lane=%" PRIu64,
                     lock->session_id, lock->lane);
}

static void
send_poll(struct hf_server *server, struct hf_server_lock *lock)
{
    struct hf_error why;
    struct hf_text path;

    hf_text_init(&path, server->path, sizeof(server->path));
    add_path(lock, &path);
    lock->poll.answered = answered;
    lock->polled_at = hf_now();
    if (hf_node_call_ask(server, &lock->poll,
                         &(struct hf_node_call_request){
                             .node = server->node,
                             .method = "GET",
                             .path = path.at,
                             .body = "",
                         },
                         &why) != HF_OK)
        return;
    server->polling = lock;
    server->next_poll_at = hf_after(hf_now(), patience);
}

/* One poll without an answer must not hold up the others. */
static void
give_up_waiting(struct hf_server *server)
{
    hf_views_hide(&server->polling->shown);
    hf_node_call_overdue(&server->polling->poll);
    hf_node_call_cancel(&server->polling->poll);
    server->polling = NULL;
}

/* The lock whose poll is due first.  Locks that no longer wait are taken
 * out. */
static struct hf_server_lock *
find_first(struct hf_server *server)
{
    struct hf_heap_node *first;

    while ((first = hf_heap_first(&server->polls)) != NULL) {
        struct hf_server_lock *lock =
            HF_CONTAINER(first, struct hf_server_lock, poll_at);

        if (hf_sessions_wait(lock))
            return lock;
        hf_holder_poll_stop(server, lock);
    }
    return NULL;
}

void
hf_holder_poll_tick(struct hf_server *server, struct hf_instant now)
{
    struct hf_server_lock *first = find_first(server);

    if (!hf_reached(now, server->next_poll_at))
        return;
    if (server->polling != NULL)
        give_up_waiting(server);
    if (first == NULL || !hf_reached(now, first->poll_at.at))
        return;
    server->next_poll_at = hf_after(now, least_pause);
    hf_heap_set(&server->polls, &first->poll_at, hf_after(now, usual_pause));
    send_poll(server, first);
}

struct hf_instant
hf_holder_poll_deadline(const struct hf_server *server)
{
    const struct hf_heap_node *first = hf_heap_first(&server->polls);

    if (server->polling != NULL)
        return server->next_poll_at;
    if (first == NULL)
        return HF_NEVER;
    return hf_later(first->at, server->next_poll_at);
}

/* ---- Beginning and end --------------------------------------------------- */

void
hf_holder_poll_start(struct hf_server *server, struct hf_server_lock *lock)
{
    hf_heap_set(&server->polls, &lock->poll_at,
                hf_after(hf_now(), first_pause));
}

void
hf_holder_poll_stop(struct hf_server *server, struct hf_server_lock *lock)
{
    hf_heap_set(&server->polls, &lock->poll_at, HF_NEVER);
    if (server->polling != lock)
        return;
    hf_node_call_cancel(&lock->poll);
    server->polling = NULL;
}
