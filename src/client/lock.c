#include "client/lock.h"

#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "client/client.h"

/* A lock, as holdfast.h has it: checked here, done by the place behind it. */

/* ---- Who may ------------------------------------------------------------- */

static bool
is_ours(const struct hf_lock *lock)
{
    return lock != NULL && hf_client_is_ours(lock->handle.client);
}

static const struct hf_lock_methods *
methods_of(const struct hf_lock *lock)
{
    return lock->handle.client->backend->methods->locks;
}

/* Is there anything behind it to ask? */
static bool
is_begun(const struct hf_lock *lock)
{
    return lock->handle.behind != NULL;
}

static enum hf_status
may_call(const struct hf_lock *lock, struct hf_error *error)
{
    if (lock == NULL)
        return hf_fail(error, HF_E_INVALID, "there is no such lock");
    return hf_client_may_call(lock->handle.client, error);
}

/* Entered. */
static enum hf_status
may_set(const struct hf_lock *lock, struct hf_error *error)
{
    if (lock->handle.started)
        return hf_fail(error, HF_E_INVALID, "lock %s: it was started already",
                       lock->settings.name);
    return HF_OK;
}

/* This place cannot do that: the sentence, written once. */
static enum hf_status
refuse(const struct hf_lock *lock, const char *what, struct hf_error *error)
{
    return hf_fail(error, HF_E_INVALID,
                   "%.120s keeps one exclusive name a lock: %s need a server",
                   lock->handle.client->place, what);
}

/* Before it is open, it is not known what the place can do. */
static bool
is_table(const struct hf_lock *lock)
{
    return lock->handle.client->backend != NULL &&
           methods_of(lock)->change == NULL;
}

/* ---- As a handle --------------------------------------------------------- */

static struct hf_lock *
lock_of(struct hf_handle *handle)
{
    return (struct hf_lock *)handle;
}

static bool
is_going_on(const struct hf_lock *lock)
{
    return is_begun(lock) && !lock->handle.ended;
}

static enum hf_state
state_of(const struct hf_handle *handle)
{
    const struct hf_lock *lock = (const struct hf_lock *)handle;

    if (is_begun(lock))
        return methods_of(lock)->state(lock);
    return handle->started ? HF_STATE_ENDED : HF_STATE_NEW;
}

static void
obey(struct hf_handle *handle, enum hf_handle_order order)
{
    struct hf_lock *lock = lock_of(handle);

    if (!is_going_on(lock))
        return;
    if (order == HF_ORDER_ABANDON)
        methods_of(lock)->abandon(handle->client->backend, lock);
    else
        methods_of(lock)->cancel(handle->client->backend, lock);
}

/* Give it up, or back. */
static void
settle(struct hf_handle *handle)
{
    struct hf_lock *lock = lock_of(handle);

    if (is_going_on(lock))
        methods_of(lock)->release(handle->client->backend, lock);
}

static void
destroy(struct hf_handle *handle)
{
    struct hf_client *client = handle->client;
    struct hf_lock *lock = lock_of(handle);

    if (is_begun(lock))
        methods_of(lock)->forget(client->backend, lock);
    hf_handle_remove(handle);
    hf_settings_fini(&lock->settings, client->alloc);
    hf_free(client->alloc, lock);
}

static const struct hf_handle_methods as_handle = {
    .state = state_of,
    .obey = obey,
    .settle = settle,
    .destroy = destroy,
};

/* ---- Making and setting -------------------------------------------------- */

enum hf_status
hf_lock_new(struct hf_client *client, const char *name, struct hf_lock **lock,
            struct hf_error *error)
{
    enum hf_status status = hf_client_may_call(client, error);
    struct hf_lock *made;

    if (status != HF_OK)
        return status;
    made = hf_new(client->alloc, struct hf_lock);
    if (made == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    status = hf_settings_name(&made->settings, client->alloc, name, error);
    if (status != HF_OK) {
        hf_free(client->alloc, made);
        return status;
    }
    hf_client_enter(client);
    hf_handle_add(&made->handle, client, &as_handle);
    hf_client_leave(client);
    *lock = made;
    return HF_OK;
}

enum hf_status
hf_lock_set(struct hf_lock *lock, const char *option, const char *text,
            struct hf_error *error)
{
    enum hf_status status = may_call(lock, error);
    struct hf_client *client;

    if (status != HF_OK)
        return status;
    client = lock->handle.client;
    hf_client_enter(client);
    status = may_set(lock, error);
    if (status == HF_OK)
        status = hf_settings_set(&lock->settings, client->alloc, option, text,
                                 error);
    hf_client_leave(client);
    return status;
}

struct hf_duration
hf_lock_duration(const struct hf_lock *lock, const char *option)
{
    struct hf_contender_config config;
    enum hf_status status;

    if (!is_ours(lock) || option == NULL)
        return (struct hf_duration){0};
    hf_client_enter(lock->handle.client);
    config = hf_settings_config(&lock->settings);
    status = hf_settings_check_terms(&lock->settings, NULL);
    hf_client_leave(lock->handle.client);
    if (status != HF_OK)
        return (struct hf_duration){0};
    if (strcmp(option, HF_TTL) == 0)
        return config.terms.ttl;
    if (strcmp(option, HF_BEAT) == 0)
        return config.terms.beat;
    if (strcmp(option, HF_GRACE) == 0)
        return config.grace;
    if (strcmp(option, HF_WAIT) == 0 && !config.try_only)
        return config.limit;
    return (struct hf_duration){0};
}

void
hf_lock_set_user(struct hf_lock *lock, void *user)
{
    if (!is_ours(lock))
        return;
    hf_client_enter(lock->handle.client);
    lock->handle.user = user;
    hf_client_leave(lock->handle.client);
}

enum hf_status
hf_lock_add(struct hf_lock *lock, const char *name, enum hf_mode mode,
            struct hf_error *error)
{
    enum hf_status status = may_call(lock, error);

    if (status != HF_OK)
        return status;
    if (mode != HF_EXCLUSIVE && mode != HF_SHARED)
        return hf_fail(error, HF_E_INVALID,
                       "a name is added as exclusive or shared");
    hf_client_enter(lock->handle.client);
    status = may_set(lock, error);
    if (status == HF_OK && is_table(lock))
        status = refuse(lock, "several names under one grant", error);
    if (status == HF_OK)
        status = hf_settings_add(&lock->settings, lock->handle.client->alloc,
                                 name, mode, error);
    hf_client_leave(lock->handle.client);
    return status;
}

static enum hf_status
verify(const struct hf_lock *lock, struct hf_error *error)
{
    enum hf_status status = may_set(lock, error);

    if (status != HF_OK)
        return status;
    if (is_table(lock) && lock->settings.mode != HF_EXCLUSIVE)
        return refuse(lock, "other modes", error);
    if (is_table(lock) && lock->settings.others_count > 0)
        return refuse(lock, "several names under one grant", error);
    return hf_settings_check_terms(&lock->settings, error);
}

enum hf_status
hf_lock_verify(const struct hf_lock *lock, struct hf_error *error)
{
    enum hf_status status = may_call(lock, error);

    if (status != HF_OK)
        return status;
    hf_client_enter(lock->handle.client);
    status = verify(lock, error);
    hf_client_leave(lock->handle.client);
    return status;
}

/* ---- Asking and waiting -------------------------------------------------- */

static enum hf_status
may_start(const struct hf_lock *lock, struct hf_error *error)
{
    const struct hf_client *client = lock->handle.client;

    if (client->backend == NULL)
        return hf_fail(error, HF_E_INVALID, "the client is not open");
    if (client->closing)
        return hf_fail(error, HF_E_CANCELLED, "the client is being closed");
    if (client->look_only)
        return hf_fail(error, HF_E_DENIED, "%s was opened to look only",
                       client->place);
    return verify(lock, error);
}

enum hf_status
hf_lock_start(struct hf_lock *lock, struct hf_error *error)
{
    enum hf_status status = may_call(lock, error);
    struct hf_client *client;
    enum hf_handle_order order;

    if (status != HF_OK)
        return status;
    client = lock->handle.client;
    hf_client_enter(client);
    status = may_start(lock, error);
    if (status == HF_OK)
        status = methods_of(lock)->start(client->backend, lock, error);
    if (status == HF_OK) {
        order = (enum hf_handle_order)atomic_load(&lock->handle.order);
        if (order != HF_ORDER_NONE)
            obey(&lock->handle, order);
    }
    hf_client_leave(client);
    return status;
}

static bool
is_settled(const struct hf_handle *handle)
{
    enum hf_state state = state_of(handle);

    return state != HF_STATE_WAITING && state != HF_STATE_RELEASING;
}

enum hf_state
hf_lock_wait(struct hf_lock *lock, struct hf_duration limit)
{
    enum hf_state state;

    if (!is_ours(lock))
        return HF_STATE_ENDED;
    hf_client_enter(lock->handle.client);
    (void)hf_handle_wait(&lock->handle, is_settled, limit);
    state = state_of(&lock->handle);
    hf_client_leave(lock->handle.client);
    return state;
}

/* ---- What is known of it ------------------------------------------------- */

enum hf_state
hf_lock_state(const struct hf_lock *lock)
{
    enum hf_state state;

    if (!is_ours(lock))
        return HF_STATE_ENDED;
    hf_client_enter(lock->handle.client);
    state = state_of(&lock->handle);
    hf_client_leave(lock->handle.client);
    return state;
}

enum hf_outcome
hf_lock_check(const struct hf_lock *lock)
{
    enum hf_outcome outcome = HF_NOT_HELD;

    if (!is_ours(lock))
        return HF_NOT_HELD;
    hf_client_enter(lock->handle.client);
    if (is_begun(lock))
        outcome = methods_of(lock)->check(lock);
    hf_client_leave(lock->handle.client);
    return outcome;
}

enum hf_status
hf_lock_error(const struct hf_lock *lock, struct hf_error *error)
{
    enum hf_status status = HF_OK;

    if (!is_ours(lock))
        return hf_client_may_call(lock == NULL ? NULL : lock->handle.client,
                                  error);
    hf_client_enter(lock->handle.client);
    if (is_begun(lock))
        status = methods_of(lock)->error(lock, error);
    hf_client_leave(lock->handle.client);
    return status;
}

uint64_t
hf_lock_id(const struct hf_lock *lock)
{
    return is_ours(lock) ? lock->handle.id : 0;
}

uint64_t
hf_lock_fence(const struct hf_lock *lock)
{
    uint64_t fence = 0;

    if (!is_ours(lock))
        return 0;
    hf_client_enter(lock->handle.client);
    if (is_begun(lock))
        fence = methods_of(lock)->fence(lock);
    hf_client_leave(lock->handle.client);
    return fence;
}

int64_t
hf_lock_right_ms(const struct hf_lock *lock)
{
    int64_t right_ms = 0;

    if (!is_ours(lock))
        return 0;
    hf_client_enter(lock->handle.client);
    if (is_begun(lock))
        right_ms = methods_of(lock)->right_ms(lock);
    hf_client_leave(lock->handle.client);
    return right_ms;
}

struct hf_view *
hf_lock_view(const struct hf_lock *lock)
{
    struct hf_view *view = NULL;
    struct hf_client *client;

    if (!is_ours(lock))
        return NULL;
    client = lock->handle.client;
    hf_client_enter(client);
    if (is_begun(lock))
        view = methods_of(lock)->watch(client->backend, lock);
    hf_client_leave(client);
    return view;
}

size_t
hf_lock_farewell(const struct hf_lock *lock, char *buffer, size_t size)
{
    struct hf_client *client;
    size_t len = 0;

    if (size > 0)
        buffer[0] = '\0';
    if (!is_ours(lock))
        return 0;
    client = lock->handle.client;
    hf_client_enter(client);
    if (is_begun(lock) && methods_of(lock)->farewell != NULL)
        len = methods_of(lock)->farewell(lock, buffer, size);
    hf_client_leave(client);
    return len;
}

/* ---- Giving back --------------------------------------------------------- */

enum hf_status
hf_lock_change(struct hf_lock *lock, size_t index, enum hf_mode mode,
               struct hf_error *error)
{
    enum hf_status status;
    struct hf_client *client;

    if (lock == NULL)
        return hf_fail(error, HF_E_INVALID, "there is no such lock");
    client = lock->handle.client;
    status = hf_client_may_call(client, error);
    if (status != HF_OK)
        return status;
    hf_client_enter(client);
    if (!is_begun(lock))
        status = hf_fail(error, HF_E_INVALID, "lock %s: it is not held",
                         lock->settings.name);
    else if (methods_of(lock)->change == NULL)
        status = refuse(lock, "other modes", error);
    else
        status =
            methods_of(lock)->change(client->backend, lock, index, mode, error);
    hf_client_leave(client);
    return status;
}

void
hf_lock_release(struct hf_lock *lock)
{
    if (!is_ours(lock))
        return;
    hf_client_enter(lock->handle.client);
    if (lock->handle.started)
        settle(&lock->handle);
    else
        hf_handle_signal(&lock->handle, HF_ORDER_CANCEL); /* start obeys */
    hf_client_leave(lock->handle.client);
}

void
hf_lock_cancel(struct hf_lock *lock)
{
    if (is_ours(lock))
        hf_handle_signal(&lock->handle, HF_ORDER_CANCEL);
}

void
hf_lock_abandon(struct hf_lock *lock)
{
    if (is_ours(lock))
        hf_handle_signal(&lock->handle, HF_ORDER_ABANDON);
}

void
hf_lock_free(struct hf_lock *lock)
{
    struct hf_client *client;

    if (!is_ours(lock))
        return;
    client = lock->handle.client;
    hf_client_enter(client);
    lock->handle.freed = true;
    hf_handle_silence(&lock->handle);
    if (is_going_on(lock))
        settle(&lock->handle); /* destroyed when it has ended, perhaps now */
    else
        destroy(&lock->handle);
    hf_client_leave(client);
}
