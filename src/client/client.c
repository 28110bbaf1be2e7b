#include "client/client.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/fail.h"
#include "base/fd.h"
#include "base/limits.h"
#include "client/generation.h"
#include "client/table/table.h"
#include "store/place.h"

/* A client, as holdfast.h has it: made, opened, told by, closed. */

/* ---- Who calls ----------------------------------------------------------- */

bool
hf_client_is_ours(const struct hf_client *client)
{
    return client != NULL && client->generation == hf_generation();
}

enum hf_status
hf_client_may_call(const struct hf_client *client, struct hf_error *error)
{
    if (!hf_client_is_ours(client))
        return hf_fail(error, HF_E_INVALID,
                       "not this process's client: it was opened before a "
                       "fork");
    return HF_OK;
}

void
hf_client_take_signals(struct hf_client *client)
{
    enum hf_wish wish;
    struct hf_handle *handle = hf_handle_take_signalled(client, &wish);

    for (; handle != NULL; handle = hf_handle_take_signalled(client, &wish))
        handle->methods->obey(handle, wish);
}

void
hf_client_enter(struct hf_client *client)
{
    pthread_mutex_lock(&client->mutex);
    hf_client_take_signals(client);
}

static void
free_client(struct hf_client *client)
{
    if (client->backend != NULL)
        client->backend->methods->free(client->backend);
    hf_fd_close(&client->fd);
    hf_fd_close(&client->wake_fd);
    if (client->trace_file != NULL)
        (void)fclose(client->trace_file);
    pthread_cond_destroy(&client->quiet);
    pthread_mutex_destroy(&client->mutex);
    hf_free(client->alloc, client->place);
    hf_free(client->alloc, client);
}

void
hf_client_leave(struct hf_client *client)
{
    bool last = client->references == 0;

    pthread_mutex_unlock(&client->mutex);
    if (last)
        free_client(client);
}

void
hf_client_ended(struct hf_client *client, struct hf_handle *handle)
{
    handle->ended = true;
    hf_handle_tell(handle, HF_NEWS_ENDED);
    if (client->closing)
        pthread_cond_signal(&client->quiet);
    if (handle->freed)
        handle->methods->destroy(handle);
}

/* ---- Making -------------------------------------------------------------- */

enum hf_status
hf_client_new(const struct hf_alloc *alloc, struct hf_client **client,
              struct hf_error *error)
{
    struct hf_client *made;

    if (alloc == NULL)
        alloc = &hf_alloc_libc;
    made = hf_new(alloc, struct hf_client);
    if (made == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");

    hf_generation_watch();
    made->alloc = alloc;
    made->generation = hf_generation();
    made->references = 1;
    made->fd = made->wake_fd = -1;
    pthread_mutex_init(&made->mutex, NULL);
    hf_cond_init(&made->quiet);
    *client = made;
    return HF_OK;
}

static enum hf_status
may_set(const struct hf_client *client, struct hf_error *error)
{
    enum hf_status status = hf_client_may_call(client, error);

    if (status == HF_OK && client->place != NULL)
        return hf_fail(error, HF_E_INVALID, "the client is open already");
    return status;
}

enum hf_status
hf_client_set(struct hf_client *client, const char *option, const char *text,
              struct hf_error *error)
{
    enum hf_status status = may_set(client, error);

    if (status != HF_OK)
        return status;
    if (option == NULL || text == NULL || strcmp(option, HF_LOOK_ONLY) != 0)
        return hf_fail(error, HF_E_INVALID, "a client has no option '%.40s'",
                       option == NULL ? "" : option);
    return hf_settings_flag(HF_LOOK_ONLY, text, &client->look_only, error);
}

/* ---- The trace ----------------------------------------------------------- */

void
hf_client_trace(struct hf_client *client, hf_trace_fn *trace, void *ctx)
{
    if (may_set(client, NULL) != HF_OK)
        return;
    client->trace = trace;
    client->trace_ctx = ctx;
    client->trace_chosen = true;
}

static void
write_line(void *ctx, const char *line)
{
    struct hf_client *client = ctx;

    (void)fprintf(client->trace_file, "%ld %s\n", (long)getpid(), line);
    (void)fflush(client->trace_file);
}

static enum hf_status
open_trace(struct hf_client *client, struct hf_error *error)
{
    const char *path = secure_getenv("HOLDFAST_TRACE");

    if (client->trace_chosen || client->trace_file != NULL || path == NULL ||
        path[0] == '\0')
        return HF_OK;
    client->trace_file = fopen(path, "ae");
    if (client->trace_file == NULL)
        return hf_fail(error, HF_E_INVALID,
                       "HOLDFAST_TRACE: %.200s cannot be written to", path);
    client->trace = write_line;
    client->trace_ctx = client;
    return HF_OK;
}

/* ---- Opening ------------------------------------------------------------- */

static enum hf_status
resolve_place(const char *place, char *resolved, size_t size,
              struct hf_error *error)
{
    if (place == NULL)
        place = secure_getenv("HOLDFAST_AT");
    if (place == NULL || place[0] == '\0') {
        if (hf_place_default(resolved, size) == HF_OK)
            return HF_OK;
        return hf_fail(error, HF_E_INVALID,
                       "there is no home folder to keep the locks in: name a "
                       "place, or set HOLDFAST_AT to one");
    }
    if (snprintf(resolved, size, "%s", place) >= (int)size)
        return hf_fail(error, HF_E_INVALID,
                       "the place is longer than %zu bytes", size - 1);
    return HF_OK;
}

/* Kept from one try to open it to the next. */
static enum hf_status
open_descriptors(struct hf_client *client, struct hf_error *error)
{
    if (client->fd < 0)
        client->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (client->wake_fd < 0)
        client->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (client->fd < 0 || client->wake_fd < 0)
        return hf_fail(error, HF_E_LIMIT, "too many open files");
    return HF_OK;
}

static enum hf_status
open_store(const struct hf_client *client, const struct hf_place *place,
           struct hf_store **store, struct hf_error *error)
{
    if (client->look_only)
        return hf_store_look_at(place, client->alloc, store, error);
    return hf_store_open_at(place, client->alloc, store, error);
}

enum hf_status
hf_client_open(struct hf_client *client, const char *place,
               struct hf_error *error)
{
    struct hf_store *store = NULL;
    char resolved[HF_PLACE_MAX];
    struct hf_place parsed;
    enum hf_status status = may_set(client, error);

    if (status == HF_OK)
        status = resolve_place(place, resolved, sizeof(resolved), error);
    if (status == HF_OK)
        status = hf_place_parse(resolved, &parsed, error);
    if (status == HF_OK)
        status = open_store(client, &parsed, &store, error);
    if (status != HF_OK)
        return status;
    status = hf_client_open_on(client, store, parsed.text, error);
    if (status != HF_OK)
        hf_store_close(store);
    return status;
}

enum hf_status
hf_client_open_on(struct hf_client *client, struct hf_store *store,
                  const char *place, struct hf_error *error)
{
    enum hf_status status = open_descriptors(client, error);
    char *copy;

    if (status == HF_OK)
        status = open_trace(client, error);
    if (status != HF_OK)
        return status;
    copy = hf_copy(client->alloc, place);
    if (copy == NULL)
        return hf_fail(error, HF_E_NOMEM, "open %s: out of memory", place);
    client->place = copy;
    client->look_only = client->look_only || store->look_only;
    status = hf_table_open(client, store, &client->backend, error);
    if (status == HF_OK)
        return HF_OK;
    client->place = NULL;
    hf_free(client->alloc, copy);
    return status;
}

/* ---- What is known of it ------------------------------------------------- */

const char *
hf_client_place(const struct hf_client *client)
{
    return client == NULL || client->place == NULL ? "" : client->place;
}

enum hf_status
hf_client_trouble(struct hf_client *client, struct hf_error *error)
{
    enum hf_status status = hf_client_may_call(client, error);

    if (status != HF_OK)
        return status;
    hf_client_enter(client);
    if (client->backend != NULL)
        status = client->backend->methods->trouble(client->backend, error);
    hf_client_leave(client);
    return status;
}

int
hf_client_fd(const struct hf_client *client)
{
    return hf_client_is_ours(client) && client->place != NULL ? client->fd : -1;
}

const struct hf_notice *
hf_client_next(struct hf_client *client)
{
    struct hf_handle *handle;

    if (!hf_client_is_ours(client))
        return NULL;
    hf_client_enter(client);
    handle = hf_handle_next(client);
    if (handle != NULL)
        client->notice.state = handle->methods->state(handle);
    hf_client_leave(client);
    return handle == NULL ? NULL : &client->notice;
}

uint64_t
hf_notice_id(const struct hf_notice *notice)
{
    return notice->id;
}

void *
hf_notice_user(const struct hf_notice *notice)
{
    return notice->user;
}

unsigned
hf_notice_news(const struct hf_notice *notice)
{
    return notice->news;
}

enum hf_state
hf_notice_state(const struct hf_notice *notice)
{
    return notice->state;
}

/* ---- Closing ------------------------------------------------------------- */

/* Every handle that goes on is settled, or obeys. */
static void
end_all(struct hf_client *client, bool abandon)
{
    struct hf_link *link = client->handles.first;

    while (link != NULL) {
        struct hf_handle *handle = HF_CONTAINER(link, struct hf_handle, link);

        link = link->next; /* what follows may free it */
        if (abandon)
            handle->methods->obey(handle, HF_WISH_ABANDON);
        else
            handle->methods->settle(handle);
    }
}

static bool
all_ended(const struct hf_client *client)
{
    for (struct hf_link *link = client->handles.first; link != NULL;
         link = link->next) {
        struct hf_handle *handle = HF_CONTAINER(link, struct hf_handle, link);

        if (handle->started && !handle->ended)
            return false;
    }
    return true;
}

enum hf_status
hf_client_close(struct hf_client *client, struct hf_duration limit)
{
    struct hf_instant until = hf_after(hf_now(), limit);
    struct hf_backend *backend;
    bool settled;

    if (client == NULL)
        return HF_OK;
    if (hf_client_may_call(client, NULL) != HF_OK)
        return HF_E_INVALID;

    hf_client_enter(client);
    client->closing = true;
    backend = client->backend;
    end_all(client, false);
    while (!all_ended(client) && !hf_reached(hf_now(), until))
        hf_cond_wait(&client->quiet, &client->mutex, until);
    settled = all_ended(client);
    end_all(client, true);
    pthread_mutex_unlock(&client->mutex);

    if (backend != NULL)
        backend->methods->close(backend);
    hf_client_enter(client);
    client->references--;
    hf_client_leave(client);
    return settled ? HF_OK : HF_E_UNKNOWN;
}
