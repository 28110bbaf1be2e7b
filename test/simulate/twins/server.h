#ifndef HF_TEST_SIMULATE_TWINS_SERVER_H
#define HF_TEST_SIMULATE_TWINS_SERVER_H

#include "core/session.h"

/*
 * A lock server that is always right: sessions that end by their ttls, one
 * lock, and a line of those who wait for it.  It forgets nothing when it is
 * away.
 */

enum {
    TWIN_SESSIONS = 512,
    TWIN_LINE = 64,
    TWIN_LANES = 256,
    TWIN_ANSWERS = 128
};

struct twin_session {
    uint64_t id; /* 0: none */
    int64_t heard_at;
    uint64_t released[TWIN_LANES]; /* n that was, of each lane [R2] */
};

/* A request: whose, and where its answer goes. */
struct twin_request {
    uint64_t session; /* 0: none */
    uint64_t lane;
    uint64_t n;
    uint64_t stream; /* 0: nobody listens */
};

struct twin {
    uint64_t service;
    uint64_t term;
    int64_t ttl_ms;
    uint64_t last_id; /* all of its ids have its service in the upper half */
    uint64_t last_fence;
    struct twin_session sessions[TWIN_SESSIONS];
    struct twin_request holder;
    struct twin_request line[TWIN_LINE];
    unsigned line_count;
    struct hf_answer answers[TWIN_ANSWERS]; /* to be taken after each call */
    unsigned answers_count;
};

void twin_init(struct twin *twin, uint64_t service, int64_t ttl_ms);

/* Whose session that is. */
static inline uint64_t
twin_service_of(uint64_t session)
{
    return session >> 32;
}

/* The fence that a session holds; 0: none. */
static inline uint64_t
twin_fence_of(const struct twin *twin, uint64_t session)
{
    return twin->holder.session == session ? twin->last_fence : 0;
}

/* A message has come; its stream is the world's. */
void twin_hear(struct twin *twin, const struct hf_message *message,
               int64_t now_ms);

/* Time passes: sessions end. */
void twin_clock(struct twin *twin, int64_t now_ms);

/* It is cut off: the world ends all streams. */
void twin_cut(struct twin *twin);

#endif
