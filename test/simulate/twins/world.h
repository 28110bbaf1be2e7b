#ifndef HF_TEST_SIMULATE_TWINS_WORLD_H
#define HF_TEST_SIMULATE_TWINS_WORLD_H

#include "base/attrs.h"
#include "simulate/twins/server.h"

/*
 * Two lock servers with a store each, under one list [S7]: some clients name
 * one first, and some the other.  Servers go away and come back, clients die,
 * and in some worlds messages are late or lost.  What must be true:
 *
 * - Who began when both were there, and stayed, is granted nothing.
 * - Whoever has heard of both, within the longest ttl, is granted nothing.
 * - Where two believe in the lock, the one that was granted it later had not
 *   heard of both since it began; or questions to one were lost for as long.
 * - No session is asked for at a server of the other service.
 * - A lock is lost only where its own server was away.
 * - Where both answer, nobody waits for longer than twice leader-ttl and a
 *   question; where one is away for good, who waits is granted by the other.
 *
 * Everything follows from the seed.
 */

enum { TWINS = 2, CLIENTS = 5, PACKETS = 512, STREAMS = 1 << 14 };

enum packet_kind {
    PACKET_NONE,
    PACKET_MESSAGE,
    PACKET_ANSWER,
    PACKET_BROKEN,
    PACKET_QUESTION, /* of which service it is */
    PACKET_WORD,     /* the answer to that */
};

struct packet {
    enum packet_kind kind;
    int64_t at;
    unsigned client;
    uint64_t life; /* of the client */
    unsigned twin;
    uint64_t stream; /* the world's; of a question its number */
    struct hf_message message;
    struct hf_answer answer;
    uint64_t held;    /* ALIVE: the fence that its session has; 0: none */
    uint64_t service; /* of an answer and a word */
};

struct stream {
    unsigned client;
    uint64_t life;
    uint64_t own; /* the client's number of it */
    bool over;
};

struct client {
    struct hf_services services;
    struct hf_session *machine;
    bool flipped; /* it names the second server first */
    uint64_t life;
    int64_t began_at;
    int64_t acts_at;
    uint64_t questions[TWINS]; /* that are waited for, by node */
    int64_t heard_at[TWINS];   /* by server; -1: not yet, in this life */
    uint64_t wish;             /* that has not ended; 0: none */
    int64_t wanted_at;
    uint64_t fence; /* of what it was told as granted; 0: none */
    unsigned holds_at;
};

struct counts {
    uint64_t grants, overlaps, differ, refused, lost, deaths, cuts;
};

struct world {
    uint64_t seed;
    uint64_t dice;
    bool clean;       /* nothing is late or lost */
    bool one_is_left; /* in the end; else both are there */
    bool calm;        /* nothing fails any more, and nobody wants anew */
    bool tracing;
    int64_t now;
    uint64_t last; /* number of a wish, or a question */
    struct twin twins[TWINS];
    bool away[TWINS];
    int64_t turns_at[TWINS]; /* it goes away, or comes back */
    int64_t was_away[TWINS]; /* last */
    struct client clients[CLIENTS];
    struct packet packets[PACKETS];
    struct stream streams[STREAMS];
    uint64_t streams_count;
    const char *broken; /* NULL: no promise was */
    struct counts counts;
};

/* Run the world of that seed, zeroed before its first run; false: a promise was
 * broken. */
bool world_run(struct world *w, uint64_t seed, bool tracing);

/* ---- For promise.c ------------------------------------------------------- */

enum { TTL_MS = 6000, MAX_TTL_MS = 10000, LEADER_TTL_MS = 2000 };
enum { PATIENCE_MS = 500, PAUSE_MS = 1000 };

void world_break(struct world *w, const char *promise);
bool world_believes(const struct world *w, unsigned client);

/* The client was just told of a grant, by that server. */
void promise_granted(struct world *w, unsigned client);

/* ... that it is lost. */
void promise_lost(struct world *w, unsigned client);

/* A message goes to that server. */
void promise_sent(struct world *w, const struct hf_message *message,
                  unsigned twin);

/* All is over. */
void promise_end(struct world *w);

#endif
