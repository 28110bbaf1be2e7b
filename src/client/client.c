#include "client/client.h"

#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/fd.h"
#include "base/fork.h"
#include "base/options.h"

/* A client, as holdfast.h has it: made, told by, closed. */

/* ---- Who calls ----------------------------------------------------------- */

bool
hf_client_is_ours(const struct hf_client *client)
{
    return client != NULL && client->forks == hf_fork_count();
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
    enum hf_handle_order order;
    struct hf_handle *handle = hf_handle_take_signalled(client, &order);

    for (; handle != NULL; handle = hf_handle_take_signalled(client, &order))
        handle->methods->obey(handle, order);
}

void
hf_client_sleep(struct hf_client *client, int events_fd, int alarm_fd)
{
    struct pollfd fds[] = {
        {.fd = events_fd, .events = POLLIN},
        {.fd = alarm_fd, .events = POLLIN},
        {.fd = client->wake_fd, .events = POLLIN},
    };
    eventfd_t drained;

    hf_monitor_leave(&client->monitor);
    (void)poll(fds, sizeof(fds) / sizeof(fds[0]), -1);
    hf_monitor_enter(&client->monitor);
    (void)eventfd_read(client->wake_fd, &drained);
}

void
hf_client_enter(struct hf_client *client)
{
    hf_monitor_enter(&client->monitor);
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
    hf_monitor_fini(&client->monitor);
    hf_free(client->alloc, client->place);
    hf_free(client->alloc, client);
}

void
hf_client_leave(struct hf_client *client)
{
    bool last = client->references == 0;

    hf_monitor_leave(&client->monitor);
    if (last)
        free_client(client);
}

void
hf_client_ended(struct hf_client *client, struct hf_handle *handle)
{
    handle->ended = true;
    hf_handle_notify(handle, HF_NEWS_ENDED);
    if (client->closing)
        hf_monitor_notify(&client->monitor, &client->quiet);
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

    hf_fork_watch();
    made->alloc = alloc;
    made->forks = hf_fork_count();
    made->references = 1;
    made->fd = made->wake_fd = -1;
    hf_monitor_init(&made->monitor);
    *client = made;
    return HF_OK;
}

enum hf_status
hf_client_may_set(const struct hf_client *client, struct hf_error *error)
{
    enum hf_status status = hf_client_may_call(client, error);

    if (status == HF_OK && client->place != NULL)
        return hf_fail(error, HF_E_INVALID, "the client is open already");
    return status;
}

static const struct hf_option rows[] = {
    HF_OPTION_PLAIN(FLAG, HF_LOOK_ONLY, struct hf_client, look_only),
};

enum hf_status
hf_client_set(struct hf_client *client, const char *option, const char *text,
              struct hf_error *error)
{
    static const struct hf_options options = HF_OPTIONS(rows);
    enum hf_status status = hf_client_may_set(client, error);

    if (status != HF_OK)
        return status;
    if (option == NULL || text == NULL)
        return hf_fail(error, HF_E_INVALID, "an option and a text are needed");
    return hf_options_set(&options, client, "a client has",
                          &(struct hf_option_given){option, text, NULL}, error);
}

/* ---- The trace ----------------------------------------------------------- */

void
hf_client_trace(struct hf_client *client, hf_trace_fn *trace, void *ctx)
{
    if (hf_client_may_set(client, NULL) != HF_OK)
        return;
    client->trace = trace;
    client->trace_ctx = ctx;
    client->trace_chosen = true;
}

/* ---- What is known of it ------------------------------------------------- */

const char *
hf_client_place(const struct hf_client *client)
{
    return client == NULL || client->place == NULL ? "" : client->place;
}

bool
hf_client_made_place(const struct hf_client *client)
{
    return client != NULL && client->made_place;
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
            handle->methods->obey(handle, HF_ORDER_ABANDON);
        else
            handle->methods->settle(handle);
    }
}

static bool
all_ended(const struct hf_client *client)
{
    HF_EACH(struct hf_handle, handle, &client->handles, link) {
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
        hf_monitor_wait(&client->monitor, &client->quiet, until);
    settled = all_ended(client);
    end_all(client, true);
    hf_monitor_leave(&client->monitor);

    if (backend != NULL)
        backend->methods->close(backend);
    hf_client_enter(client);
    client->references--;
    hf_client_leave(client);
    return settled ? HF_OK : HF_E_UNKNOWN;
}
