#ifndef TEST_SERVER_SUPPORT_SCRIPT_H
#define TEST_SERVER_SUPPORT_SCRIPT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <holdfast/holdfast.h>

#include "net/http.h"

/*
 * Script: a lock server of one or two nodes that answers what a test says, on
 * loopback, at ports of the kernel's choice.  What the test does not ask for is
 * answered as a good server would that grants everything; and nothing at all
 * where it `is_silent`.
 *
 * It has no thread: it lives while a test waits in one of these, and each ends
 * the test when what it waits for does not come.
 */
enum {
    SCRIPT_NODES_MAX = 2,
    SCRIPT_CONNECTIONS_MAX = 8, /* to a node; each that ever was */
    SCRIPT_SESSIONS_MAX = 8,
    SCRIPT_LOST_MAX = 64,
    SCRIPT_TEXT_SIZE = 512,
    SCRIPT_ADDRESS_SIZE = 32,
};

struct script_connection {
    int fd; /* -1: it is over */
    struct hf_http_peer *peer;
};

/* What becomes of POST /v1/stream. */
enum script_stream {
    SCRIPT_STREAM_UNKNOWN, /* as at an older server: its end is waited for */
    SCRIPT_STREAM_REFUSED, /* 404 */
    SCRIPT_STREAM_KEPT,    /* something between keeps the answer back */
    SCRIPT_STREAM_TAKEN,
};

struct script_node {
    int fd;
    char authority[SCRIPT_ADDRESS_SIZE]; /* 127.0.0.1:PORT */
    unsigned port;
    bool is_silent;
    enum script_stream stream; /* of the next; see script_take_streams */
    unsigned streams;          /* that came */
    const char *service;       /* its id, that it tells; NULL: none */
    struct hf_http *http;
    struct script_connection connections[SCRIPT_CONNECTIONS_MAX];
    unsigned connections_count;
    uint64_t lost[SCRIPT_LOST_MAX]; /* exchanges that nobody waits for */
    unsigned lost_count;
};

/* Sessions are numbered from 1, as they were opened; so are their ids. */
struct script {
    struct script_node nodes[SCRIPT_NODES_MAX];
    unsigned nodes_count;
    char place[8 + 2 * SCRIPT_ADDRESS_SIZE]; /* of all its nodes */
    int64_t ttls_ms[SCRIPT_SESSIONS_MAX];
    unsigned sessions_count;
    uint64_t fence; /* that was given last */
    unsigned asked; /* requests that came */
    bool is_newer;  /* each object of an answer has a member that no client
                       knows */
};

struct script_asked {
    struct script_node *node;
    unsigned connection; /* of that node, from 1 */
    uint64_t exchange;
    char what[SCRIPT_TEXT_SIZE]; /* "POST /v1/acquire", without a query, or
                                    "LINE acquire" */
    char body[SCRIPT_TEXT_SIZE]; /* its beginning */
};

void script_open(struct script *script, unsigned nodes_count);
void script_close(struct script *script);

/* What becomes of streams to each node from now on; not UNKNOWN. */
void script_take_streams(struct script *script, enum script_stream stream);

/* A request that begins so, of which nothing is answered yet. */
struct script_asked script_await(struct script *script, const char *what);

/* Nobody waits for its answer any more. */
void script_await_lost(struct script *script, const struct script_asked *asked);

/* Answer; or as a good server would. */
void script_answer(struct script *script, const struct script_asked *asked,
                   int status, const char *body);
void script_answer_well(struct script *script,
                        const struct script_asked *asked);

/* Grant it; what is not 0 is not as it was asked, but higher by so much. */
struct script_granted {
    unsigned session;
    int lane;
    int n;
    int term;
    int fence_text;
};

void script_answer_granted(struct script *script,
                           const struct script_asked *asked,
                           const struct script_granted *other);

/* As a follower does that knows who leads: "": it knows nobody. */
void script_answer_follows(struct script *script,
                           const struct script_asked *asked,
                           const char *leader);

/* Close each connection of a node, without a word. */
void script_cut(struct script_node *node);

/* Say goodbye on each connection. */
void script_drain(struct script *script);

/* Until it is so. */
void script_until(struct script *script, bool (*is_so)(const void *of),
                  const void *of);
void script_until_state(struct script *script, const struct hf_lock *lock,
                        enum hf_state state);

/* What waits itself is called in a thread; until it returns. */
struct script_beside {
    void (*call)(void *arg);
    void *arg;
    atomic_bool is_over;
    pthread_t thread;
};

void script_begin(struct script_beside *beside, void (*call)(void *arg),
                  void *arg);
void script_join(struct script *script, struct script_beside *beside);

/* Close the client, which must settle everything. */
void script_close_client(struct script *script, struct hf_client *client);

#endif
