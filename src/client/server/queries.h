#ifndef HF_CLIENT_SERVER_QUERIES_H
#define HF_CLIENT_SERVER_QUERIES_H

#include "client/query_page.h"
#include "client/server/state.h"

/*
 * Queries: what people ask of a lock server, each a few requests, one at a
 * time.  queries.c has what they have in common: the node that is asked, what
 * becomes of a request without an answer, and the end.  A kind of query says
 * what is asked next, and what an answer means.  The client is entered for all
 * of it.
 */

/* The silence of a holder, as the server told it. */
struct hf_server_silence {
    bool known; /* there was such an answer */
    bool heard; /* by this leader; else `silent` is for how long that has led */
    struct hf_duration silent;
    struct hf_instant told_at;
};

/* What a doctor asks of a node.  If a proxy stands before it, it also finds out
 * for how long that lets a request wait: it takes a lock of its own, and waits
 * for it. */
enum hf_server_probe {
    HF_PROBE_INFO,
    HF_PROBE_HOLD,
    HF_PROBE_WAIT,
    HF_PROBE_END,
};

struct hf_server_query {
    const struct hf_server_query_kind *kind;
    struct hf_link link; /* in server->queries */
    struct hf_node_call call;
    struct hf_server *server;
    const struct hf_query *query;
    struct hf_query_page page;
    struct hf_instant again_at; /* no request is under way: when the next is
                                   sent */
    struct hf_instant late_at;  /* one is: when it is given up */
    struct hf_error error;      /* that it will end with; HF_OK: none */
    unsigned failures;          /* in a row: requests without an answer */
    unsigned leaderless;        /* in a row: answers of nodes that do not
                                   lead */
    unsigned asked_node;        /* that was asked last, from 1 */

    /* Of an examine and of a clear. */
    struct hf_view *seen; /* owned: what is known of the holder; or NULL */
    struct hf_view
        *kept; /* owned: there is no holder, and the first place in line
                             is kept for who is to ask again; or NULL */
    struct hf_instant began_at;
    struct hf_instant until; /* when the watch ends */
    bool was_silent;  /* the last request had no answer, and its connection
                         did not break */
    bool is_clearing; /* the clear was sent */
    bool is_unsure;   /* ... and once at least there was no answer */
    uint64_t fence;   /* of the holder that is to be cleared; 0: any */
    struct hf_server_silence before; /* of that holder, at the last look */
    struct hf_instant looked_at;     /* when the last look was sent */
    bool is_unheld; /* no holder was seen: has the server forgotten who it
                       is? */

    /* Of a doctor. */
    unsigned node; /* that is asked, from 1 */
    int64_t asked_us;
    char between[64]; /* the proxy before the node, as it names itself; "":
                         none did */
    enum hf_server_probe probe;
    uint64_t probe_lock; /* the name of its lock is made of this */
    char session[17];    /* that holds that lock */
    char secret[HF_API_SECRET_SIZE];
    uint64_t service;              /* that the first node named; 0: none has */
    unsigned of_it;                /* that node */
    unsigned other;                /* a node that named another; 0: none */
    bool led;                      /* a node said that it leads */
    char leader[HF_HOST_MAX + 16]; /* that a node named, and is not one of
                                      these; "": none did */
};

/* What is asked next. */
struct hf_server_question {
    unsigned node; /* as it is given, server->node */
    const char *method;
    struct hf_text path;
    struct hf_text body;
    const char *secret;          /* NULL: none */
    struct hf_duration patience; /* for its answer */
};

struct hf_server_query_kind {
    void (*ask)(struct hf_server_query *query,
                struct hf_server_question *question);

    /* Handle an answer: add rows, and call hf_server_query_again if there is
     * more to ask.  Else the query ends, with query->error if that is set. */
    void (*take)(struct hf_server_query *query, int status,
                 struct hf_bytes body);

    /* There was no answer; otherwise as take.  NULL: ask another node. */
    void (*fail)(struct hf_server_query *query);

    bool of_each_node; /* it asks each node, whether they are of one service
                          or not */
};

extern const struct hf_server_query_kind hf_server_listing; /* listings.c */
extern const struct hf_server_query_kind hf_server_examine; /* examine.c */
extern const struct hf_server_query_kind hf_server_doctor;  /* doctor.c */

/* ---- For the kinds ------------------------------------------------------- */

/* Ask the next question after `pause`. */
void hf_server_query_again(struct hf_server_query *query,
                           struct hf_duration pause);

/* The answer is an error: the query ends with its status and sentence. */
void hf_server_query_refused(struct hf_server_query *query, int status,
                             struct hf_bytes body);

/* No more rows were seen.  If the answer says that the server has forgotten
 * what it granted, a lock that is not listed may be held: then the query ends
 * with HF_E_UNAVAILABLE. */
void hf_server_query_check_grace(struct hf_server_query *query,
                                 struct hf_bytes body);

/* ---- For the place ------------------------------------------------------- */

HF_MUST_USE enum hf_status
hf_server_queries_start(struct hf_server *server, struct hf_query *query,
                        const struct hf_server_query_kind *kind,
                        struct hf_error *error);
void hf_server_queries_cancel(struct hf_backend *backend,
                              struct hf_query *query);
void hf_server_queries_forget(struct hf_backend *backend,
                              struct hf_query *query);
struct hf_view *hf_server_queries_watch(struct hf_backend *backend,
                                        const struct hf_query *query);

/* ---- For the loop -------------------------------------------------------- */

/* Is there a query for which it matters whether all nodes are of one
 * service? */
bool hf_server_queries_want_services(const struct hf_server *server);

void hf_server_queries_tick(struct hf_server *server, struct hf_instant now);
struct hf_instant hf_server_queries_deadline(const struct hf_server *server);

#endif
