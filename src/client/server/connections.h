#ifndef HF_CLIENT_SERVER_CONNECTIONS_H
#define HF_CLIENT_SERVER_CONNECTIONS_H

#include <sys/socket.h>

#include "client/server/state.h"

/*
 * Connections: to each node as many as its limits on streams want, which is
 * one but for thousands who wait.  Each is begun by the first call that needs
 * it, and nothing of it is waited for.
 *
 *            looked up        found          connected
 *   (none) -----------> NAMING ------> COMING ----------> THERE
 *                         |              |                  |
 *                         | not known    | no address is    | broken, or
 *                         v              v left             v said goodbye
 *                        GONE           GONE               GONE
 *
 * Its host is looked up anew, by a thread of that, unless it was just now.  Of
 * its addresses one that does not answer soon is left for the next.
 *
 * What is gone is closed by hf_node_connections_flush, never inside a call.
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
    bool is_heard;  /* something was read of it */
    struct hf_endpoint endpoints[HF_ENDPOINTS_MAX]; /* of its host */
    unsigned endpoints_count;
    unsigned tried_count;
    unsigned tried;              /* the last of them */
    struct hf_instant next_at;   /* COMING: then the next one is */
    bool is_mute;                /* an answer is overdue, and none came since */
    struct hf_http_client *http; /* owned */
    struct hf_list calls; /* of struct hf_node_call, that are out on it */
};

/* One to that node with room for a call more, perhaps a new one; NULL, and
 * *error says why: there is none.  What need not get through leaves some
 * streams free for what must. */
struct hf_connection *hf_node_connections_to(struct hf_server *server,
                                             unsigned node,
                                             bool must_get_through,
                                             struct hf_error *error);

/* An answer is overdue.  Until one comes nothing more is asked on it, for it
 * may be dead, and another takes its place; when that one is answered first, it
 * was. */
void hf_connection_overdue(struct hf_connection *connection);

/* Take in what was looked up, and go on to the next address where one does not
 * answer; and when that is to be done next. */
void hf_node_connections_tick(struct hf_server *server, struct hf_instant now);
struct hf_instant hf_node_connections_deadline(const struct hf_server *server);

/* Something has happened to its descriptor: epoll's bits. */
void hf_connection_ready(struct hf_connection *connection, uint32_t events);

/* Is one to that node our own end of what the other end calls so? */
bool hf_connections_are_called(const struct hf_server *server, unsigned node,
                               struct hf_bytes name);

/* Hand over what can be; tell calls of connections that have broken; close
 * these.  */
void hf_node_connections_flush(struct hf_server *server);

/* Close all, and tell nobody. */
void hf_node_connections_close(struct hf_server *server);

#endif
