#include "client/server/looks.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "client/server/views.h"
#include "client/view.h"
#include "wire/api_ask.h"
#include "wire/json_slice.h"

/* What is granted within this has no holder that anybody wants to know of. */
static const struct hf_duration first_pause = {200};
static const struct hf_duration usual_pause = {2000};

/* Between any two looks; and for how long one is waited for. */
static const struct hf_duration least_pause = {20};
static const struct hf_duration patience = {5000};

/* Whoever is dead is known to be, and another granted it, within this of the
 * end of its ttl. */
static const struct hf_duration until_told = {1000};

/* A limit of a wait is said to be a holder's doing who was seen within this of
 * its beginning, and was still there. */
static const struct hf_duration whole_wait = {5000};

/* ---- What was seen ------------------------------------------------------- */

static struct hf_server_lock *
lock_of(struct hf_call *call)
{
    return HF_CONTAINER(call, struct hf_server_lock, look);
}

static void
forget(struct hf_server_lock *lock)
{
    hf_view_free(lock->seen);
    lock->seen = NULL;
}

/* Its holder is silent, or gone, and nobody takes it over. */
static bool
is_for_a_person(const struct hf_server_lock *lock)
{
    const struct hf_diagnosis *seen =
        lock->seen == NULL ? NULL : &lock->seen->diagnosis;

    return seen != NULL && seen->record.if_dead == HF_REFUSE &&
           (seen->life == HF_LIFE_SUSPECTED || seen->life == HF_LIFE_GONE);
}

static void
keep(struct hf_server *server, struct hf_server_lock *lock,
     const struct hf_api_seen *seen, const struct hf_api_claim *holder)
{
    bool is_other = holder->fence != lock->seen_fence;
    bool is_first = lock->seen_at.ms == HF_NEVER.ms;
    struct hf_view *view = hf_views_claim(server, seen, holder, 0);

    if (view == NULL)
        return; /* what was seen before stays */
    forget(lock);
    lock->seen = view;
    lock->last_seen_at = hf_now();
    view->diagnosis.record.position = seen->position;
    if (is_other) {
        lock->seen_at = hf_now();
        lock->seen_fence = holder->fence;
        lock->was_suspected = false;
        hf_handle_tell(&lock->lock->handle,
                       is_first ? HF_NEWS_HOLDER : HF_NEWS_CHANGED);
    }
    if (is_for_a_person(lock) && !lock->was_suspected)
        hf_handle_tell(&lock->lock->handle, HF_NEWS_SUSPECTED);
    lock->was_suspected = is_for_a_person(lock);
}

static bool
is_alive(enum hf_life life)
{
    return life == HF_LIFE_BEATING || life == HF_LIFE_RUNNING;
}

/* Nobody waits for who is gone and is not to be taken over; for who is only
 * suspected, whoever wants to; and a try for the dead alone. */
static bool
is_in_vain(const struct hf_server_lock *lock)
{
    enum hf_life life =
        lock->seen == NULL ? HF_LIFE_UNKNOWN : lock->seen->diagnosis.life;

    if (is_for_a_person(lock))
        return life == HF_LIFE_GONE || lock->lock->settings.fail_suspected;
    return lock->is_tried && is_alive(life);
}

void
hf_looks_take(struct hf_server *server, struct hf_server_lock *lock,
              struct hf_bytes holders)
{
    const struct hf_settings *settings = &lock->lock->settings;
    struct hf_api_seen seen = {.waiters = 0};
    struct hf_api_claim holder;
    size_t at = 0;

    hf_text_show(seen.space, sizeof(seen.space), hf_settings_space(settings),
                 strlen(hf_settings_space(settings)));
    hf_text_show(seen.name, sizeof(seen.name), settings->name,
                 strlen(settings->name));
    if (hf_api_seen_next(holders, &at, &holder))
        keep(server, lock, &seen, &holder);
}

static struct hf_duration
rest_of(const struct hf_api_claim *claim)
{
    int64_t left_ms = claim->value.terms.ttl.ms - claim->silent.ms;

    return (struct hf_duration){(left_ms > 0 ? left_ms : 0) + until_told.ms};
}

struct hf_duration
hf_looks_rest(const struct hf_server *server, struct hf_bytes holders)
{
    struct hf_duration longest = {0};
    struct hf_api_claim holder;
    size_t at = 0;

    while (hf_api_seen_next(holders, &at, &holder)) {
        struct hf_duration rest = rest_of(&holder);

        if (is_alive(hf_views_life(server, &holder)) ||
            holder.value.terms.if_dead != HF_TAKEOVER)
            return (struct hf_duration){0};
        if (rest.ms > longest.ms)
            longest = rest;
    }
    return longest;
}

/* Nobody holds this name: another of its names is in the way, or a server that
 * has forgotten who holds them. */
static void
turn_to_next(struct hf_server_lock *lock)
{
    if (++lock->looked_at == lock->wants_count)
        forget(lock);
}

static bool
is_about_server(const struct hf_server_lock *lock)
{
    return lock->looked_at == lock->wants_count;
}

static void
take_grace(struct hf_server *server, const struct hf_http_answer *answer)
{
    uint64_t grace_ms;

    if (answer->status != 200)
        return;
    if (!hf_json_slice_number(hf_json_slice(answer->body, "grace_ms"),
                              &grace_ms) ||
        grace_ms > INT64_MAX)
        grace_ms = 0;
    server->grace_end =
        hf_after(hf_now(), (struct hf_duration){(int64_t)grace_ms});
}

static bool
is_text(struct hf_bytes bytes, const char *text)
{
    return strlen(text) == bytes.len && memcmp(text, bytes.at, bytes.len) == 0;
}

/* The one that was asked about. */
static bool
is_its_own(const struct hf_server_lock *lock, const struct hf_api_seen *seen)
{
    const struct hf_want *want = &lock->wants[lock->looked_at];

    return is_text(want->space, seen->space) && is_text(want->name, seen->name);
}

/* Nobody holds it, and a place before ours is kept for who is to ask again. */
static bool
is_parked(const struct hf_api_seen *seen)
{
    return seen->position > 1 && hf_views_is_kept(seen);
}

static void
keep_parked(const struct hf_server *server, struct hf_server_lock *lock,
            const struct hf_api_seen *seen)
{
    struct hf_view *view = hf_views_parked(server, seen);

    if (view == NULL)
        return; /* what was seen before stays */
    forget(lock);
    lock->seen = view;
    lock->was_suspected = false;
}

/* True: there is more to look at. */
static bool
look_in(struct hf_server *server, struct hf_server_lock *lock,
        const struct hf_http_answer *answer)
{
    struct hf_api_seen seen;
    struct hf_api_claim holder;
    size_t at = 0;

    if (is_about_server(lock)) {
        take_grace(server, answer);
        lock->looked_at = 0;
        return false;
    }
    if (answer->status == 404) {
        turn_to_next(lock);
        return true;
    }
    if (answer->status != 200 || !hf_api_seen_read(answer->body, &seen) ||
        !is_its_own(lock, &seen))
        return false;
    if (hf_api_seen_next(seen.holders, &at, &holder)) {
        keep(server, lock, &seen, &holder);
    } else if (is_parked(&seen)) {
        keep_parked(server, lock, &seen);
    } else {
        turn_to_next(lock);
        return true;
    }
    return false;
}

/* ---- Looking ------------------------------------------------------------- */

/* What was seen last is why. */
static void
give_up_wait(struct hf_server_lock *lock, struct hf_instant now)
{
    lock->is_given_up = true;
    hf_looks_end(lock->session->server, lock);
    hf_sessions_step(lock->session, &(struct hf_session_event){
                                        .kind = HF_SESSION_RELEASE,
                                        .at = now,
                                        .wish.id = lock->lock->handle.id,
                                    });
}

static void
answered(struct hf_call *call, const struct hf_http_answer *answer)
{
    struct hf_server_lock *lock = lock_of(call);
    struct hf_server *server = lock->session->server;
    struct hf_instant now = hf_now();

    server->looking = NULL;
    server->look_at = hf_after(now, least_pause);
    if (answer != NULL && look_in(server, lock, answer))
        hf_heap_set(&server->looks, &lock->look_at, now);
    else
        hf_heap_set(&server->looks, &lock->look_at, hf_after(now, usual_pause));
    if (is_in_vain(lock))
        give_up_wait(lock, now);
}

static void
add_path(const struct hf_server_lock *lock, struct hf_text *path)
{
    if (is_about_server(lock)) {
        hf_text_add(path, "/v1/info");
        return;
    }
    hf_api_ask_lock(path, &lock->wants[lock->looked_at], "");
    hf_text_add(path, "&limit=1");
    if (lock->session_id != 0) /* it stands in line, perhaps */
        hf_text_addf(path, "&session=%016" PRIx64 "&lane=%" PRIu64,
                     lock->session_id, lock->lane);
}

static void
look_at(struct hf_server *server, struct hf_server_lock *lock)
{
    struct hf_error why;
    struct hf_text path;

    hf_text_init(&path, server->path, sizeof(server->path));
    add_path(lock, &path);
    lock->look.answered = answered;
    if (hf_call_ask(server, &lock->look,
                    &(struct hf_call_request){
                        .node = server->node,
                        .method = "GET",
                        .path = path.at,
                        .body = "",
                    },
                    &why) != HF_OK)
        return;
    server->looking = lock;
    server->look_at = hf_after(hf_now(), patience);
}

/* Whoever does not answer does not keep the others from being looked at. */
static void
give_up_waiting(struct hf_server *server)
{
    hf_call_overdue(&server->looking->look);
    hf_call_cancel(&server->looking->look);
    server->looking = NULL;
}

void
hf_looks_tick(struct hf_server *server, struct hf_instant now)
{
    struct hf_heap_node *first = hf_heap_first(&server->looks);

    if (!hf_reached(now, server->look_at))
        return;
    if (server->looking != NULL)
        give_up_waiting(server);
    if (first == NULL || !hf_reached(now, first->at))
        return;
    server->look_at = hf_after(now, least_pause);
    hf_heap_set(&server->looks, first, hf_after(now, usual_pause));
    look_at(server, HF_CONTAINER(first, struct hf_server_lock, look_at));
}

struct hf_instant
hf_looks_deadline(const struct hf_server *server)
{
    const struct hf_heap_node *first = hf_heap_first(&server->looks);

    if (server->looking != NULL)
        return server->look_at;
    if (first == NULL)
        return HF_NEVER;
    return hf_later(first->at, server->look_at);
}

/* ---- Beginning and end --------------------------------------------------- */

void
hf_looks_begin(struct hf_server *server, struct hf_server_lock *lock)
{
    lock->began_at = hf_now();
    lock->seen_at = HF_NEVER;
    hf_heap_set(&server->looks, &lock->look_at,
                hf_after(lock->began_at, first_pause));
}

void
hf_looks_end(struct hf_server *server, struct hf_server_lock *lock)
{
    hf_heap_set(&server->looks, &lock->look_at, HF_NEVER);
    if (server->looking != lock)
        return;
    hf_call_cancel(&lock->look);
    server->looking = NULL;
}

/* Its last request was cut by what is between, and not by a server that is
 * gone: that told of the holder at the last look. */
static bool
was_cut_beside_a_holder(const struct hf_server_lock *lock)
{
    const struct hf_server *server = lock->session->server;
    struct hf_instant end =
        hf_after(lock->last_seen_at, (struct hf_duration){2 * usual_pause.ms});

    return lock->status == HF_E_UNAVAILABLE && lock->seen != NULL &&
           is_alive(lock->seen->diagnosis.life) &&
           hf_reached(server->cuts.at, lock->began_at) &&
           !hf_reached(hf_now(), end);
}

/* Nobody is seen to hold it: what keeps it is a server that has forgotten,
 * perhaps. */
static void
judge_unheld(struct hf_server_lock *lock)
{
    if (hf_reached(hf_now(), lock->session->server->grace_end))
        return;
    lock->status = HF_E_UNAVAILABLE;
    lock->outcome = HF_NOT_HELD;
}

void
hf_looks_judge(struct hf_server_lock *lock)
{
    const struct hf_diagnosis *seen =
        lock->seen == NULL ? NULL : &lock->seen->diagnosis;
    const struct hf_settings *settings = &lock->lock->settings;

    if (was_cut_beside_a_holder(lock) ||
        (lock->is_given_up && !lock->is_released &&
         lock->status == HF_E_CANCELLED)) {
        lock->status = HF_OK;
        lock->outcome = HF_TIMED_OUT;
    }
    if (lock->status != HF_OK || lock->outcome != HF_TIMED_OUT)
        return;
    if (seen == NULL) {
        judge_unheld(lock);
        return;
    }
    if (is_for_a_person(lock))
        lock->outcome =
            seen->life == HF_LIFE_GONE ? HF_GONE : HF_SUSPECTED_DEAD;
    else if (!settings->try_only && is_alive(seen->life) &&
             lock->seen_at.ms != HF_NEVER.ms &&
             hf_between(lock->began_at, lock->seen_at).ms < whole_wait.ms)
        lock->outcome = HF_HELD_TOO_LONG;
}
