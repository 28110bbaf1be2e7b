#ifndef HF_CLIENT_SERVER_CALLS_H
#define HF_CLIENT_SERVER_CALLS_H

#include "base/list.h"
#include "net/http_client.h"

struct hf_server;

/*
 * Call: one request to a node, from its asking until it is answered, cancelled,
 * or known to have no answer.  It stands inside what asks; the client is
 * entered for all of it.
 */
struct hf_node_call {
    struct hf_link link;              /* in its connection's calls */
    struct hf_connection *connection; /* NULL: it is not out */
    int32_t stream;
    bool is_aside; /* what becomes of it says nothing of the server: it is no
                      trouble, nor the end of one */

    /* Told once, when it is out no more; NULL: no answer came, nor will. */
    void (*answered)(struct hf_node_call *call,
                     const struct hf_http_answer *answer);
};

/* What is asked, of which node (from 1). */
struct hf_node_call_request {
    unsigned node;
    const char *method; /* "GET", "POST" or "DELETE" */
    const char *path;
    const char *body;      /* "": none */
    const char *secret;    /* NULL: none */
    bool must_get_through; /* as a beat must, for which streams are left free */
};

/*
 * Ask; `call` is not out, and its `answered` is set.  HF_E_UNAVAILABLE: it
 * cannot even be tried, as no way leads there; HF_E_LIMIT, HF_E_NOMEM.  Then it
 * is not told.
 */
HF_MUST_USE enum hf_status
hf_node_call_ask(struct hf_server *server, struct hf_node_call *call,
                 const struct hf_node_call_request *request,
                 struct hf_error *error);

/* Its answer is late: see hf_connection_overdue.  One that is not out is
 * ignored. */
void hf_node_call_overdue(struct hf_node_call *call);

/* Its answer is not wanted any more; one that is not out is ignored. */
void hf_node_call_cancel(struct hf_node_call *call);

#endif
