#ifndef HF_CLIENT_SERVER_CALLS_H
#define HF_CLIENT_SERVER_CALLS_H

#include "base/list.h"
#include "net/http_client.h"

struct hf_server;

/*
 * Call: one request to a node, until it is answered, cancelled, or known to
 * have no answer.  The struct is a member of the caller's own.  The client is
 * entered for all functions.
 */
struct hf_node_call {
    struct hf_link link;              /* in its connection's calls */
    struct hf_connection *connection; /* NULL: no request is sent */
    int32_t stream;
    bool is_aside; /* its answer or failure does not change server->trouble */

    /* Called once with the answer; NULL: there will be none.  Not called after
     * a cancel. */
    void (*answered)(struct hf_node_call *call,
                     const struct hf_http_answer *answer);
};

/* A request, and to which node (from 1). */
struct hf_node_call_request {
    unsigned node;
    const char *method; /* "GET", "POST" or "DELETE" */
    const char *path;
    const char *body;      /* "": none */
    const char *secret;    /* NULL: none */
    bool must_get_through; /* a keep-alive: it may use the streams that are
                              reserved for these */
};

/*
 * Send a request.  `call` has none under way, and its `answered` is set.
 * HF_E_UNAVAILABLE: no connection to the node can be tried; HF_E_LIMIT,
 * HF_E_NOMEM.  After a failure `answered` is not called.
 */
HF_MUST_USE enum hf_status
hf_node_call_ask(struct hf_server *server, struct hf_node_call *call,
                 const struct hf_node_call_request *request,
                 struct hf_error *error);

/* Its answer is late: see hf_connection_overdue.  Ignored if no request is
 * under way. */
void hf_node_call_overdue(struct hf_node_call *call);

/* Its answer is no longer wanted.  Ignored if no request is under way. */
void hf_node_call_cancel(struct hf_node_call *call);

#endif
