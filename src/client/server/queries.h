#ifndef HF_CLIENT_SERVER_QUERIES_H
#define HF_CLIENT_SERVER_QUERIES_H

#include "client/query.h"
#include "client/server/state.h"

/*
 * Queries: what people ask of a lock server, each a few requests, one at a
 * time.  Here is what they have in common: the node that is asked, and what
 * becomes of a request without an answer.  What is asked, and what an answer
 * means, is in a file for each kind.  The client is entered for all of it.
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
    struct hf_call call;
    struct hf_server *server;
    struct hf_query *query;
    struct hf_instant again_at; /* no request is out: when the next is sent */
    struct hf_instant late_at;  /* one is: from then on no answer counts */
    unsigned failures;          /* in a row: nodes that gave no answer */
    unsigned leaderless;        /* ... that did, and knew no leader */
    unsigned asked_node;        /* the last, from 1 */
    struct hf_view *rows;       /* owned */
    struct hf_view **last;      /* where the next row goes */

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

    /* An answer: either ends the query, or sets again_at. */
    void (*take)(struct hf_server_query *query, int status,
                 struct hf_bytes body);

    /* No answer came: NULL where another node is asked. */
    void (*fail)(struct hf_server_query *query);

    bool of_each_node; /* be they of one service or not */
};

/* ---- For the kinds ------------------------------------------------------- */

/* Add a row, which it takes; NULL, for want of memory, ends the query. */
bool hf_server_query_add(struct hf_server_query *query, struct hf_view *row);

/* It has ended; *error is copied, and may be NULL.  It may be gone then. */
void hf_server_query_end(struct hf_server_query *query, enum hf_status status,
                         const struct hf_error *error);

/* Nothing more was seen: HF_OK, unless this answer says that the server has
 * forgotten what it granted, so that what is not seen may be held all the same:
 * HF_E_UNAVAILABLE. */
void hf_server_query_end_knowing(struct hf_server_query *query,
                                 struct hf_bytes body);

/* In place of a cursor of the server's: there is nothing behind it. */
#define HF_SERVER_QUERY_END "end"
bool hf_server_query_at_end(const struct hf_server_query *query);

/* &after=, of where the next page begins. */
void hf_server_query_add_after(const struct hf_server_query *query,
                               struct hf_text *path);

/* A page is read: keep where the next begins, `at_end` (NULL: what was kept)
 * where none follows, and end; or ask for the next, where no row of this one
 * was wanted. */
void hf_server_query_turn(struct hf_server_query *query, struct hf_bytes page,
                          const char *at_end);

/* Drop all rows. */
void hf_server_query_drop(struct hf_server_query *query);

/* It has ended by an answer that is none of these: with what that says. */
void hf_server_query_refused(struct hf_server_query *query, int status,
                             struct hf_bytes body);

/* ---- For the loop -------------------------------------------------------- */

/* Is one to be answered for which it matters whether all nodes are of one
 * service? */
bool hf_server_queries_want_services(const struct hf_server *server);

void hf_server_queries_tick(struct hf_server *server, struct hf_instant now);
struct hf_instant hf_server_queries_deadline(const struct hf_server *server);

#endif
