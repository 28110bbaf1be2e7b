#ifndef HF_SERVER_ROUTE_H
#define HF_SERVER_ROUTE_H

#include <holdfast/view.h>

#include "core/lockspace.h"
#include "wire/api_answer.h"

/*
 * Route: what a request's path and query ask for (docs/api.md).
 *
 * Names and spaces in it are unescaped: %XX, and nothing else, for a plus sign
 * is one (RFC 3986).  Allocates nothing; any thread.
 */

enum hf_route_kind {
    HF_ROUTE_OPEN,
    HF_ROUTE_KEEP_ALIVE,
    HF_ROUTE_KEEP_ALIVES, /* of many sessions */
    HF_ROUTE_PAGE,
    HF_ROUTE_END,
    HF_ROUTE_ACQUIRE,
    HF_ROUTE_WAIT,
    HF_ROUTE_RELEASE,
    HF_ROUTE_CHANGE,
    HF_ROUTE_CLEAR,
    HF_ROUTE_STREAM, /* requests as lines */
    HF_ROUTE_LIST,
    HF_ROUTE_SESSIONS,
    HF_ROUTE_SHOW,
    HF_ROUTE_WHY,
    HF_ROUTE_AUDIT,
    HF_ROUTE_INFO,
    HF_ROUTE_HEALTH,
    HF_ROUTE_READY,
    HF_ROUTE_METRICS,
};

#define HF_ROUTE_STREAM_PATH "/v1/stream"

enum { HF_ROUTE_LIMIT_MAX = 1000 }; /* rows of one list */

/* A text of a path or a query, with a NUL behind it. */
struct hf_route_text {
    bool is_given;
    size_t len;
    char at[HF_NAME_MAX + 1];
};

struct hf_route {
    enum hf_route_kind kind;
    uint64_t session;          /* of a path that names one; else 0 */
    struct hf_route_text name; /* of a path that names a lock */
    struct hf_route_text space;
    struct hf_route_text prefix;
    struct hf_bytes after; /* as it stands in the query, borrowed */
    uint64_t limit;        /* 0: it was not given */
    uint64_t asker;        /* a session, and its lane, of which is asked where
                              it stands in line; 0: none */
    uint64_t lane;
    bool leader; /* only the leader is ready */
};

/* What a request says of where it goes. */
struct hf_route_ask {
    const char *method; /* its word, "GET" */
    struct hf_bytes path;
    struct hf_bytes query;
    struct hf_bytes optional; /* parameters that may be skipped where they are
                                 not known (wire/api_unknown.h) */
};

/* Why it goes nowhere. */
struct hf_route_refusal {
    enum hf_api_problem problem;
    struct hf_error why; /* its text is empty where the problem says it all */
    struct hf_api_unknown unknown;
};

/* False, with the reason in *refusal: there is no such route, or it is not
 * understood. */
bool hf_route_read(const struct hf_route_ask *ask, struct hf_route *route,
                   struct hf_route_refusal *refusal);

/* The methods of a path that has any, as `allow` lists them. */
enum { HF_ROUTE_METHODS_SIZE = 64 };

void hf_route_methods(struct hf_bytes path, struct hf_text *text);

#endif
