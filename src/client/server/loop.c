#include "client/server/loop.h"

#include <sys/epoll.h>

#include "base/alarm.h"
#include "client/server/connections.h"
#include "client/server/holder_poll.h"
#include "client/server/queries.h"
#include "client/server/services.h"

/* The loop: the thread of a client of a lock server. */

enum { EVENTS_MAX = 64 };

static void
take_events(struct hf_server *server)
{
    struct epoll_event events[EVENTS_MAX];
    int count = epoll_wait(server->epoll_fd, events, EVENTS_MAX, 0);

    for (int i = 0; i < count; i++)
        hf_connection_ready(events[i].data.ptr, events[i].events);
}

static struct hf_instant
next_deadline(const struct hf_server *server)
{
    struct hf_instant at = hf_server_services_deadline(server);

    at = hf_earlier(at, hf_node_connections_deadline(server));
    at = hf_earlier(at, hf_sessions_deadline(server));
    at = hf_earlier(at, hf_holder_poll_deadline(server));
    return hf_earlier(at, hf_server_queries_deadline(server));
}

static void
tick_services(struct hf_server *server, struct hf_instant now)
{
    hf_server_services_tick(server,
                            hf_sessions_want_services(server) ||
                                hf_server_queries_want_services(server),
                            now);
}

static void
tick(struct hf_server *server, struct hf_instant now)
{
    hf_node_connections_tick(server, now);
    hf_sessions_tick(server, now);
    tick_services(server, now);
    hf_holder_poll_tick(server, now);
    hf_server_queries_tick(server, now);
}

void
hf_server_flush(struct hf_server *server)
{
    hf_node_connections_flush(server);
    hf_alarm_set(server->alarm_fd, next_deadline(server));
}

void
hf_server_wanted(struct hf_server *server)
{
    tick_services(server, hf_now());
    hf_server_flush(server);
}

void *
hf_server_loop(void *arg)
{
    struct hf_server *server = arg;

    hf_monitor_enter(&server->client->monitor);
    while (!server->stopping) {
        hf_client_sleep(server->client, server->epoll_fd, server->alarm_fd);
        take_events(server);
        hf_client_take_signals(server->client);
        tick(server, hf_now());
        hf_server_flush(server);
    }
    hf_monitor_leave(&server->client->monitor);
    return NULL;
}
