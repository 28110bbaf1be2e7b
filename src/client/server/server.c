#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "base/alarm.h"
#include "base/fail.h"
#include "base/fd.h"
#include "base/module.h"
#include "base/thread.h"
#include "client/server/connections.h"
#include "client/server/loop.h"
#include "client/server/open.h"
#include "client/server/queries.h"
#include "client/server/services.h"
#include "client/server/sessions.h"
#include "client/server/trouble.h"

/* The life of a place that is a lock server: opening, closing, and its
 * methods. */

/* A client that is closed ends its sessions, so that others see it at once.  If
 * no node answers in this time, the server ends them when their ttl is over. */
static const struct hf_duration end_patience = {500};

static enum hf_status
trouble(struct hf_backend *backend, struct hf_error *error)
{
    struct hf_server *server = hf_server_of(backend);

    if (server->trouble.status == HF_OK &&
        !hf_server_services_trouble(server, error))
        return HF_OK;
    hf_server_say_trouble(server, error);
    return HF_E_UNAVAILABLE;
}

static void
free_server(struct hf_backend *backend)
{
    struct hf_server *server = hf_server_of(backend);

    hf_sessions_fini(server);
    hf_server_services_fini(server);
    hf_node_connections_close(server);
    hf_heap_fini(&server->polls);
    hf_addresses_fini(&server->addresses);
    hf_fd_close(&server->alarm_fd);
    hf_fd_close(&server->epoll_fd);
    hf_free(server->client->alloc, server);
}

/* Entered; waits for the answers for a while. */
static void
end_sessions(struct hf_server *server)
{
    struct hf_instant until = hf_after(hf_now(), end_patience);

    hf_sessions_end(server);
    hf_server_flush(server);
    while (!hf_sessions_over(server) && !hf_reached(hf_now(), until))
        hf_monitor_wait(
            &server->client->monitor, &server->client->quiet,
            hf_earlier(until, hf_after(hf_now(), (struct hf_duration){5})));
}

static void
close_server(struct hf_backend *backend)
{
    struct hf_server *server = hf_server_of(backend);

    hf_monitor_enter(&server->client->monitor);
    end_sessions(server);
    server->stopping = true;
    (void)eventfd_write(server->client->wake_fd, 1);
    hf_monitor_leave(&server->client->monitor);
    pthread_join(server->loop, NULL);
}

/* ---- Its methods --------------------------------------------------------- */

static const struct hf_server_query_kind *
kind_of(const struct hf_query *query)
{
    switch (query->kind) {
    case HF_LIST:
    case HF_AUDIT:
    case HF_SESSIONS:
        return &hf_server_listing;
    case HF_EXAMINE:
    case HF_CLEAR:
        return &hf_server_examine;
    case HF_DOCTOR:
        break;
    }
    return &hf_server_doctor;
}

static enum hf_status
start_query(struct hf_backend *backend, struct hf_query *query,
            struct hf_error *error)
{
    struct hf_server *server = hf_server_of(backend);
    enum hf_status status =
        hf_server_queries_start(server, query, kind_of(query), error);

    if (status == HF_OK)
        hf_server_wanted(server);
    return status;
}

static const struct hf_query_methods queries = {
    .start = start_query,
    .cancel = hf_server_queries_cancel,
    .forget = hf_server_queries_forget,
    .watch = hf_server_queries_watch,
};

static const struct hf_place_methods methods = {
    .locks = &hf_server_locks,
    .queries = &queries,
    .trouble = trouble,
    .close = close_server,
    .free = free_server,
};

/* ---- Opening ------------------------------------------------------------- */

/* The module that speaks HTTP. */
static enum hf_status
open_module(const struct hf_http_module **module, struct hf_error *error)
{
    static const struct hf_module_name name = {
        .place = "http",
        .needs = "holdfast-http.so",
        .file = "holdfast-http.so",
        .symbol = HF_HTTP_MODULE_SYMBOL,
    };
    const void *found = NULL;
    enum hf_status status = hf_module_open(&name, &found, error);

    if (status == HF_OK)
        *module = found;
    return status;
}

static enum hf_status
open_descriptors(struct hf_server *server, struct hf_error *error)
{
    server->alarm_fd = hf_alarm_open();
    server->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (server->alarm_fd < 0 || server->epoll_fd < 0)
        return hf_fail(error, HF_E_LIMIT, "too many open files");
    return HF_OK;
}

enum hf_status
hf_server_open(struct hf_client *client, const struct hf_addresses *addresses,
               struct hf_backend **backend, struct hf_error *error)
{
    struct hf_server *server = hf_new(client->alloc, struct hf_server);
    enum hf_status status;

    if (server == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    server->backend = (struct hf_backend){&methods, client};
    server->client = client;
    server->addresses = *addresses;
    server->node = 1;
    hf_server_services_init(server, hf_sessions_services);
    server->polls.alloc = client->alloc;
    server->alarm_fd = server->epoll_fd = -1;
    hf_self_learn(&server->self);
    status = open_module(&server->http, error);
    if (status == HF_OK)
        status = hf_addresses_find(&server->addresses, error);
    if (status == HF_OK)
        status = open_descriptors(server, error);
    if (status == HF_OK &&
        !hf_thread_start(&server->loop, hf_server_loop, server))
        status = hf_fail(error, HF_E_LIMIT, "cannot start a thread");
    if (status != HF_OK) {
        free_server(&server->backend);
        return status;
    }
    *backend = &server->backend;
    return HF_OK;
}
