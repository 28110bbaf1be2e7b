#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "base/alarm.h"
#include "base/fail.h"
#include "base/fd.h"
#include "client/server/connections.h"
#include "client/server/loop.h"
#include "client/server/module.h"
#include "client/server/open.h"
#include "client/server/queries.h"
#include "client/server/services.h"
#include "client/server/sessions.h"
#include "client/server/trouble.h"

/* The life of a place that is a lock server: opened, its thread, closed; and
 * what comes of each call. */

/* Sessions are ended when the client is closed, for who looks; a server that
 * does not answer meanwhile ends them by itself. */
static const struct hf_duration farewell = {500};

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
    hf_heap_fini(&server->looks);
    hf_addresses_fini(&server->addresses);
    hf_fd_close(&server->alarm_fd);
    hf_fd_close(&server->epoll_fd);
    hf_free(server->client->alloc, server);
}

/* Entered; waits a little. */
static void
say_goodbye(struct hf_server *server)
{
    struct hf_instant until = hf_after(hf_now(), farewell);

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
    say_goodbye(server);
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

/* The caller's signals are the caller's: our thread takes none. */
static enum hf_status
start_loop(struct hf_server *server, struct hf_error *error)
{
    sigset_t all;
    sigset_t before;
    int wrong;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    wrong = pthread_create(&server->loop, NULL, hf_server_loop, server);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return wrong == 0 ? HF_OK
                      : hf_fail(error, HF_E_LIMIT, "cannot start a thread");
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
    server->looks.alloc = client->alloc;
    server->alarm_fd = server->epoll_fd = -1;
    hf_self_learn(&server->self);
    status = hf_module_open(&server->http, error);
    if (status == HF_OK)
        status = hf_addresses_find(&server->addresses, error);
    if (status == HF_OK)
        status = open_descriptors(server, error);
    if (status == HF_OK)
        status = start_loop(server, error);
    if (status != HF_OK) {
        free_server(&server->backend);
        return status;
    }
    *backend = &server->backend;
    return HF_OK;
}
