#ifndef HF_CLIENT_SERVER_CONNECTIONS_H
#define HF_CLIENT_SERVER_CONNECTIONS_H

#include "base/clock.h"
#include "client/server/call.h"

struct hf_server;

/*
 * Connections to nodes.  One to each is enough, unless thousands of requests
 * wait: then there are as many as the limits on streams demand.  The first call
 * that needs a connection opens it.  Nothing here blocks.
 *
 * A broken connection is closed by hf_node_connections_flush, never inside a
 * call.  The client is entered for all functions.
 */

/* A request, and to which node (from 1). */
struct hf_node_call_request {
    unsigned node;
    const char *method; /* "GET", "POST" or "DELETE" */
    const char *path;
    const char *body;      /* "": none */
    const char *secret;    /* NULL: none */
    const char *line;      /* NULL: a request of its own.  Else an object
                              without an id, in place of all of these:
                              hf_node_takes_lines has just said that there is
                              room for it */
    bool is_of_session;    /* others like it will follow */
    bool must_get_through; /* a keep-alive: it may use the streams that are
                              reserved for these */
};

/* Does a call to that node go as a line? */
bool hf_node_takes_lines(const struct hf_server *server, unsigned node,
                         bool must_get_through);

/*
 * Send a request.  `call` has none under way, and its `answered` is set.
 * HF_E_UNAVAILABLE: no connection to the node can be tried; HF_E_LIMIT,
 * HF_E_NOMEM.  After a failure `answered` is not called.
 */
HF_MUST_USE enum hf_status
hf_node_call_ask(struct hf_server *server, struct hf_node_call *call,
                 const struct hf_node_call_request *request,
                 struct hf_error *error);

/* Its answer is late, so its connection may be dead.  No more calls are sent on
 * that until an answer comes; another connection takes its place.  If that one
 * is answered first, the silent one is closed.  Ignored if no request is under
 * way. */
void hf_node_call_overdue(struct hf_node_call *call);

/* Its answer is no longer wanted.  Ignored if no request is under way. */
void hf_node_call_cancel(struct hf_node_call *call);

/* Take the results of lookups, and try the next address where one does not
 * answer in time; and when to call it next. */
void hf_node_connections_tick(struct hf_server *server, struct hf_instant now);
struct hf_instant hf_node_connections_deadline(const struct hf_server *server);

/* Its descriptor is ready; `events` are epoll's bits.  The connection is what
 * epoll has as data. */
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
