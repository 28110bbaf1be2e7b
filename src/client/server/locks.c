#include <string.h>

#include "base/fail.h"
#include "client/server/holder_poll.h"
#include "client/server/loop.h"
#include "client/server/sessions.h"
#include "client/server/trouble.h"
#include "client/server/views.h"
#include "wire/api_ask.h"

/* Locks of a lock server: struct hf_lock_methods in terms of sessions. */

static struct hf_server_lock *
at(const struct hf_lock *lock)
{
    return lock->handle.behind;
}

/* ---- What is asked for --------------------------------------------------- */

static struct hf_bytes
bytes_of(const char *text)
{
    return (struct hf_bytes){text, strlen(text)};
}

static enum hf_mode
mode_of(enum hf_mode mode)
{
    return mode == HF_SHARED ? HF_SHARED : HF_EXCLUSIVE;
}

static enum hf_status
fill_wants(struct hf_server_lock *lock, const struct hf_alloc *alloc,
           struct hf_error *error)
{
    const struct hf_settings *settings = &lock->lock->settings;
    struct hf_bytes space = bytes_of(hf_settings_space(settings));

    lock->wants_count = 1 + settings->others_count;
    lock->wants = hf_calloc(alloc, lock->wants_count, sizeof(*lock->wants));
    if (lock->wants == NULL)
        return hf_fail(error, HF_E_NOMEM, "lock %s: out of memory",
                       settings->name);
    lock->wants[0] = (struct hf_want){space, bytes_of(settings->name),
                                      mode_of(settings->mode)};
    for (size_t i = 0; i < settings->others_count; i++)
        lock->wants[i + 1] =
            (struct hf_want){space, bytes_of(settings->others[i].name),
                             mode_of(settings->others[i].mode)};
    return HF_OK;
}

/* The note says who asks, as a record of a table does.  If it is too long, its
 * command is shortened, and then its reason. */
static void
fill_note(const struct hf_server *server, struct hf_server_lock *lock)
{
    const struct hf_settings *settings = &lock->lock->settings;
    char text[HF_RECORD_TEXT_MAX];
    struct hf_value value = {
        .heartbeat.id = lock->lock->handle.id,
        .terms = lock->session->config.terms,
    };
    size_t len;

    hf_settings_owner(settings, &server->self, hf_wall_ms(), &value.owner);
    while ((len = hf_record_encode(&value, text, sizeof(text))) >=
           sizeof(lock->note)) {
        char *longest = strlen(value.owner.command) > 16 ? value.owner.command
                                                         : value.owner.reason;

        longest[strlen(longest) / 2] = '\0';
    }
    memcpy(lock->note, text, len + 1);
}

/* Would the longest request for it fit?  If not, refuse it before anything is
 * sent. */
static enum hf_status
check_len(struct hf_server *server, const struct hf_server_lock *lock,
          struct hf_error *error)
{
    const struct hf_session_send send = {
        .message = {.kind = HF_MESSAGE_ACQUIRE,
                    .session = UINT64_MAX,
                    .term = UINT64_MAX,
                    .lowest = UINT64_MAX,
                    .lane = UINT64_MAX,
                    .n = UINT64_MAX,
                    .a = UINT64_MAX,
                    .acquire = {.free = true,
                                .wait = HF_WAIT_LIMITED,
                                .remaining = HF_FOREVER,
                                .waited = HF_FOREVER}},
    };
    struct hf_text path;
    struct hf_text body;

    hf_text_init(&path, server->path, sizeof(server->path));
    hf_text_init(&body, server->body, sizeof(server->body));
    (void)hf_api_ask(&(struct hf_api_ask){.send = &send,
                                          .wants = lock->wants,
                                          .wants_count = lock->wants_count,
                                          .piece = {HF_TTL_MAX_MS},
                                          .park = {HF_TTL_MAX_MS},
                                          .note = lock->note},
                     &path, &body);
    if (hf_text_cut(&body))
        return hf_fail(error, HF_E_INVALID,
                       "lock %s: so many names of that length do not go into "
                       "one request",
                       lock->lock->settings.name);
    return HF_OK;
}

/* ---- Starting ------------------------------------------------------------ */

static void
free_lock(const struct hf_server *server, struct hf_server_lock *lock)
{
    hf_views_hide(&lock->shown);
    hf_free(server->client->alloc, lock->by);
    hf_free(server->client->alloc, lock->wants);
    hf_free(server->client->alloc, lock);
}

static enum hf_status
make_room(struct hf_server *server, struct hf_server_lock *lock,
          struct hf_error *error)
{
    uint64_t id = lock->lock->handle.id;

    if (!hf_heap_reserve(&server->polls, server->polls.count + 1) ||
        !hf_hash_add(&lock->session->locks, &lock->node,
                     hf_hash_bytes(HF_HASH_SEED, &id, sizeof(id))))
        return hf_fail(error, HF_E_NOMEM, "lock %s: out of memory",
                       lock->lock->settings.name);
    lock->is_there = true;
    return HF_OK;
}

static enum hf_status
prepare(struct hf_server *server, struct hf_server_lock *lock,
        struct hf_error *error)
{
    struct hf_settings *settings = &lock->lock->settings;
    enum hf_status status = hf_settings_find_processes(settings, error);

    if (status == HF_OK)
        status = hf_sessions_for(server, settings, &lock->session, error);
    if (status == HF_OK)
        status = fill_wants(lock, server->client->alloc, error);
    if (status != HF_OK)
        return status;
    fill_note(server, lock);
    status = check_len(server, lock, error);
    if (status == HF_OK)
        status = make_room(server, lock, error);
    return status;
}

static enum hf_status
start(struct hf_backend *backend, struct hf_lock *lock, struct hf_error *error)
{
    struct hf_server *server = hf_server_of(backend);
    struct hf_server_lock *made =
        hf_new(server->client->alloc, struct hf_server_lock);
    enum hf_status status;

    if (made == NULL)
        return hf_fail(error, HF_E_NOMEM, "lock %s: out of memory",
                       lock->settings.name);
    made->lock = lock;
    made->state = HF_STATE_WAITING;
    status = prepare(server, made, error);
    if (status != HF_OK) {
        free_lock(server, made);
        return status;
    }
    lock->handle.behind = made;
    lock->handle.started = true; /* before it may end */
    hf_holder_poll_start(server, made);
    hf_sessions_request(made);
    hf_server_wanted(server);
    return HF_OK;
}

/* ---- Giving back --------------------------------------------------------- */

static void
send_event(struct hf_server_lock *lock, enum hf_session_event_kind kind,
           unsigned index)
{
    hf_sessions_step(lock->session, &(struct hf_session_event){
                                        .kind = kind,
                                        .at = hf_now(),
                                        .wish.id = lock->lock->handle.id,
                                        .wish.index = index,
                                    });
}

static void
release(struct hf_backend *backend, struct hf_lock *lock)
{
    if (at(lock)->is_released)
        return;
    at(lock)->is_released = true;
    send_event(at(lock), HF_SESSION_RELEASE, 0);
    hf_server_flush(hf_server_of(backend));
}

/* A held lock with if_dead refuse is left as it is, for a person to clear: its
 * session is no longer kept alive once it holds nothing else.  Any other lock
 * is released, without news. */
static void
abandon(struct hf_backend *backend, struct hf_lock *lock)
{
    struct hf_server *server = hf_server_of(backend);
    struct hf_server_lock *left = at(lock);
    bool for_a_person = left->fence != 0 && !left->is_released &&
                        left->session->config.terms.if_dead == HF_REFUSE;

    hf_holder_poll_stop(server, left);
    hf_hash_remove(&left->session->locks, &left->node);
    left->is_there = false;
    left->state = HF_STATE_ENDED;
    left->status = HF_E_UNKNOWN;
    left->session->is_left = left->session->is_left || for_a_person;
    send_event(left, for_a_person ? HF_SESSION_LEAVE : HF_SESSION_RELEASE, 0);
    hf_client_ended(server->client, &lock->handle);
    hf_server_flush(server);
}

static void
forget(struct hf_backend *backend, struct hf_lock *lock)
{
    struct hf_server *server = hf_server_of(backend);
    struct hf_server_lock *gone = at(lock);

    hf_holder_poll_stop(server, gone);
    if (gone->is_there)
        hf_hash_remove(&gone->session->locks, &gone->node);
    free_lock(server, gone);
    lock->handle.behind = NULL;
}

/* ---- What is known of it ------------------------------------------------- */

/* Its right at this moment. */
static enum hf_outcome
right_of(const struct hf_server_lock *lock)
{
    return hf_session_holds(lock->session->machine, lock->lock->handle.id,
                            hf_now());
}

static enum hf_state
state_of(const struct hf_lock *lock)
{
    const struct hf_server_lock *held = at(lock);
    enum hf_outcome right;

    if (held->state == HF_STATE_ENDED)
        return HF_STATE_ENDED;
    if (held->is_released)
        return held->outcome == HF_LOST ? HF_STATE_LOST : HF_STATE_RELEASING;
    if (held->fence == 0)
        return held->state;
    right = right_of(held);
    if (right == HF_GRANTED)
        return HF_STATE_HELD;
    return right == HF_IN_DOUBT ? HF_STATE_IN_DOUBT : HF_STATE_LOST;
}

static enum hf_outcome
check(const struct hf_lock *lock)
{
    const struct hf_server_lock *held = at(lock);

    if (held->state == HF_STATE_ENDED)
        return held->outcome;
    if (held->is_released)
        return held->outcome == HF_LOST ? HF_LOST : HF_NOT_HELD;
    return held->fence == 0 ? HF_NOT_HELD : right_of(held);
}

static uint64_t
fence_of(const struct hf_lock *lock)
{
    return at(lock)->fence;
}

static int64_t
right_ms(const struct hf_lock *lock)
{
    const struct hf_server_lock *held = at(lock);

    enum hf_outcome right = held->fence == 0 ? HF_NOT_HELD : right_of(held);

    if (right != HF_GRANTED && right != HF_IN_DOUBT)
        return 0;
    return hf_session_right(held->session->machine).ms;
}

static enum hf_status
error_of(const struct hf_lock *lock, struct hf_error *error)
{
    const struct hf_server_lock *ended = at(lock);
    const struct hf_server *server = ended->session->server;

    if (ended->state != HF_STATE_ENDED || ended->status == HF_OK)
        return HF_OK;
    if (ended->status == HF_E_UNAVAILABLE) {
        if (!hf_server_say_grace(server, server->grace_end, HF_LATER_FORGOTTEN,
                                 error) &&
            !hf_server_say_grace(server, ended->later, ended->later_cause,
                                 error))
            hf_server_say_trouble(server, error);
        return HF_E_UNAVAILABLE;
    }
    if (ended->status == HF_E_UNKNOWN)
        return hf_fail(error, HF_E_UNKNOWN,
                       "settling was cut short: %s may yet be held for its ttl",
                       lock->settings.name);
    if (ended->status == HF_E_INVALID && server->trouble.status != HF_OK)
        return hf_fail(error, HF_E_INVALID, "lock %s: %s", lock->settings.name,
                       server->trouble.text); /* the sentence of the server */
    return hf_fail(error, ended->status, "lock %s: %s", lock->settings.name,
                   hf_status_sentence(ended->status));
}

/* Why there is no answer, or why it still waits; or NULL. */
static const struct hf_error *
trouble_of(const struct hf_server *server, const struct hf_server_lock *lock,
           struct hf_error *grace)
{
    if (server->trouble.status != HF_OK)
        return &server->trouble;
    if (lock->fence != 0)
        return NULL;
    if (lock->no_room.status != HF_OK)
        return &lock->no_room;
    if (lock->session->no_room.status != HF_OK)
        return &lock->session->no_room;
    return lock->shown.view == NULL &&
                   hf_server_say_grace(server, server->grace_end,
                                       HF_LATER_FORGOTTEN, grace)
               ? grace
               : NULL;
}

static struct hf_view *
view_of(const struct hf_server *server, const struct hf_server_lock *lock)
{
    const struct hf_settings *settings = &lock->lock->settings;
    struct hf_error grace;
    const struct hf_error *trouble = trouble_of(server, lock, &grace);
    struct hf_view *view;

    if (lock->shown.view == NULL)
        return hf_views_nobody(server, hf_settings_space(settings),
                               settings->name, trouble);
    view = hf_views_copy(server, lock->shown.view);
    if (view != NULL && trouble != NULL)
        view->diagnosis.error = *trouble;
    return view;
}

static struct hf_view *
watch(struct hf_backend *backend, const struct hf_lock *lock)
{
    const struct hf_server_lock *one = at(lock);
    struct hf_view *view = view_of(hf_server_of(backend), one);

    if (view == NULL || one->by == NULL)
        return view;
    view->diagnosis.cleared = true;
    view->diagnosis.by_known = true;
    view->diagnosis.by = *one->by;
    return view;
}

/* ---- Changing ------------------------------------------------------------ */

static enum hf_status
change(struct hf_backend *backend, struct hf_lock *lock, size_t index,
       enum hf_mode mode, struct hf_error *error)
{
    struct hf_server_lock *held = at(lock);

    if (check(lock) != HF_GRANTED || held->is_released)
        return hf_fail(error, HF_E_INVALID, "lock %s: it is not held",
                       lock->settings.name);
    if (index >= held->wants_count)
        return hf_fail(error, HF_E_INVALID, "lock %s: it has %zu names",
                       lock->settings.name, held->wants_count);
    if (mode != HF_SHARED)
        return hf_fail(error, HF_E_INVALID,
                       "lock %s: a mode can only be lowered, to shared",
                       lock->settings.name);
    send_event(held, HF_SESSION_CHANGE, (unsigned)index);
    hf_server_flush(hf_server_of(backend));
    return HF_OK;
}

const struct hf_lock_methods hf_server_locks = {
    .start = start,
    .change = change,
    .release = release,
    .cancel = release,
    .abandon = abandon,
    .forget = forget,
    .state = state_of,
    .check = check,
    .fence = fence_of,
    .right_ms = right_ms,
    .error = error_of,
    .watch = watch,
    .farewell = hf_server_farewell,
};
