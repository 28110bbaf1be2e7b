#ifndef HF_CLIENT_SERVER_CONNECTIONS_H
#define HF_CLIENT_SERVER_CONNECTIONS_H

#include <sys/socket.h>

#include "client/server/state.h"

/*
 * Connections to nodes.  One to each is enough, unless thousands of requests
 * wait: then there are as many as the limits on streams demand.  The first call
 * that needs a connection opens it.  Nothing here blocks.
 *
 *            looked up        found          connected
 *   (none) -----------> NAMING ------> COMING ----------> THERE
 *                         |              |                  |
 *                         | not known    | no address is    | broken, or
 *                         v              v left             v GOAWAY
 *                        GONE           GONE               GONE
 *
 * A thread looks the host up again, unless that was done just before.  If an
 * address does not answer soon, the next one is tried.
 *
 * hf_node_connections_flush closes connections that are GONE; they are never
 * closed inside a call.
 */

enum hf_connection_state {
    HF_CONNECTION_NAMING,
    HF_CONNECTION_COMING,
    HF_CONNECTION_THERE,
    HF_CONNECTION_GONE,
};

enum { HF_ENDPOINTS_MAX = 16 };

struct hf_endpoint {
    struct sockaddr_storage at;
    socklen_t len;
};

struct hf_connection {
    struct hf_link link; /* in server->connections */
    struct hf_server *server;
    unsigned node;
    enum hf_connection_state state;
    int fd;
    bool wants_out; /* as epoll knows it */
    bool is_heard;  /* bytes were read from it */
    struct hf_endpoint endpoints[HF_ENDPOINTS_MAX]; /* addresses of its host */
    unsigned endpoints_count;
    unsigned tried_count;
    unsigned tried;              /* index of the last */
    struct hf_instant next_at;   /* COMING: when the next address is tried */
    bool is_mute;                /* an answer is overdue, and none has come
                                    since */
    struct hf_http_client *http; /* owned */
    struct hf_list calls;        /* of struct hf_node_call, under way on it */
};

/* A connection to that node with room for one more call, perhaps a new one.
 * NULL: there is none, and *error says why.  Calls without must_get_through
 * leave some streams free for those with it. */
struct hf_connection *hf_node_connections_to(struct hf_server *server,
                                             unsigned node,
                                             bool must_get_through,
                                             struct hf_error *error);

/* An answer is overdue, so the connection may be dead.  No more calls are sent
 * on it until an answer comes; another connection takes its place.  If that one
 * is answered first, the silent one is closed. */
void hf_connection_overdue(struct hf_connection *connection);

/* Take the results of lookups, and try the next address where one does not
 * answer in time; and when to call it next. */
void hf_node_connections_tick(struct hf_server *server, struct hf_instant now);
struct hf_instant hf_node_connections_deadline(const struct hf_server *server);

/* Its descriptor is ready; `events` are epoll's bits. */
void hf_connection_ready(struct hf_connection *connection, uint32_t events);

/* Is `name`, the address that the node sees as ours, the local address of a
 * connection to it?  If not, a proxy stands between. */
bool hf_connections_are_called(const struct hf_server *server, unsigned node,
                               struct hf_bytes name);

/* Write what the kernel takes.  Close broken connections, and tell their calls
 * that there is no answer. */
void hf_node_connections_flush(struct hf_server *server);

/* Close all without telling their calls. */
void hf_node_connections_close(struct hf_server *server);

#endif
