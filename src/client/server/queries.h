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

/* For how long a holder was silent when the server told so. */
struct hf_server_silence {
    bool known; /* there was a look */
    bool heard; /* by this leader; else it is as long as that leads */
    struct hf_duration silent;
    struct hf_instant told_at;
};

/* What a doctor asks of a node: about itself, and, where something stands
 * before it, how long that lets a request wait: for a lock of its own. */
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
    struct hf_instant again_at; /* no request is out: when the next is sent */
    struct hf_instant late_at;  /* one is: from then on no answer counts */
    struct hf_error error;      /* that it ends with; HF_OK: none */
    unsigned failures;          /* in a row: nodes that gave no answer */
    unsigned leaderless;        /* ... that did, and knew no leader */
    unsigned asked_node;        /* the last, from 1 */

    /* Of an examine and of a clear. */
    struct hf_view *seen; /* owned: what is known of the holder; or NULL */
    struct hf_view *kept; /* owned: nobody holds it, and the first place in line
                             is kept for who is to ask again; or NULL */
    struct hf_instant began_at;
    struct hf_instant until; /* no look after this */
    bool was_silent;  /* what was asked last: nothing came, not even an end */
    bool is_clearing; /* the clear was sent */
    bool is_unsure;   /* ... once at least without an answer */
    uint64_t fence;   /* of the holder that is to be cleared; 0: any */
    struct hf_server_silence before; /* of that, when it was looked at last */
    struct hf_instant looked_at;     /* when the look that is out was sent */
    bool is_unheld; /* nobody was seen to hold it: may the server know that? */

    /* Of a doctor. */
    unsigned node; /* that is asked, from 1 */
    int64_t asked_us;
    char between[64]; /* what stands before the node, as it says; "": it
                         says nothing */
    enum hf_server_probe probe;
    uint64_t probe_lock; /* its name is made of this */
    char session[17];    /* that holds it */
    char secret[HF_API_SECRET_SIZE];
    uint64_t service; /* that a node said first; 0: none has */
    unsigned of_it;   /* that node */
    unsigned other;   /* one that said another; 0: none */
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

    /* An answer: it adds rows, and says by hf_server_query_again that something
     * is to be asked yet.  Else the query ends: with query->error, if that is
     * set. */
    void (*take)(struct hf_server_query *query, int status,
                 struct hf_bytes body);

    /* No answer came; as take.  NULL: another node is asked. */
    void (*fail)(struct hf_server_query *query);

    bool of_each_node; /* be they of one service or not */
};

extern const struct hf_server_query_kind hf_server_listing; /* listings.c */
extern const struct hf_server_query_kind hf_server_examine; /* examine.c */
extern const struct hf_server_query_kind hf_server_doctor;  /* doctor.c */

/* ---- For the kinds ------------------------------------------------------- */

/* The next question is to be asked after `pause`. */
void hf_server_query_again(struct hf_server_query *query,
                           struct hf_duration pause);

/* It ends by an answer that is none of those that were expected: with what that
 * says. */
void hf_server_query_refused(struct hf_server_query *query, int status,
                             struct hf_bytes body);

/* Nothing more was seen.  If this answer says that the server has forgotten
 * what it granted, what is not seen may be held all the same: then the query
 * ends with HF_E_UNAVAILABLE. */
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

/* Is one to be answered for which it matters whether all nodes are of one
 * service? */
bool hf_server_queries_want_services(const struct hf_server *server);

void hf_server_queries_tick(struct hf_server *server, struct hf_instant now);
struct hf_instant hf_server_queries_deadline(const struct hf_server *server);

#endif
