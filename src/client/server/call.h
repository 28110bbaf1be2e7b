#ifndef HF_CLIENT_SERVER_CALL_H
#define HF_CLIENT_SERVER_CALL_H

#include "base/hash.h"
#include "base/list.h"
#include "net/http_client.h"

struct hf_connection;

/*
 * Call: one request to a node, until it is answered, cancelled, or known to
 * have no answer.  The struct is a member of the caller's own.
 */
struct hf_node_call {
    struct hf_link link;              /* in its connection's calls */
    struct hf_connection *connection; /* NULL: no request is sent */
    int32_t stream;
    uint64_t line;               /* its id on the connection's stream; 0: it is
                                    a request of its own */
    struct hf_hash_node by_line; /* ... in the table of lines */
    bool is_aside; /* its answer or failure does not change server->trouble */

    /* Called once with the answer; NULL: there will be none.  Not called after
     * a cancel. */
    void (*answered)(struct hf_node_call *call,
                     const struct hf_http_answer *answer);
};

#endif
