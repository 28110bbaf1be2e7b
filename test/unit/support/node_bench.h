#ifndef HF_TEST_NODE_BENCH_H
#define HF_TEST_NODE_BENCH_H

#include <stdlib.h>
#include <string.h>

#include "core/node.h"
#include "unit/support/room.h"
#include "unit/support/tale.h"

/*
 * A node, the answers that it was given and are not due, and the text of what
 * it asked and told: one line each, without instants.
 */

#define WAITING_MAX 16

/* The id of the first claim of a seed of 0. */
#define MINE UINT64_C(7070836379803831727)

struct bench {
    struct hf_node node;
    void *block; /* owned */
    bool long_turns;
    struct hf_answer waiting[WAITING_MAX];
    size_t waiting_count;
    char text[8192];
    size_t len;
};

/* A node of the lockspace of room.h, of a ttl of 1 s and a beat of 200 ms;
 * it rests for 500 ms. */
struct bench node_following(void);

/* Leads since 20, in term 8, on v7's fence of 50; #3 comes next. */
struct bench node_loading(void);

/* Serves: the session 1 was loaded, of 10 s, with a grant of A, fence 30. */
struct bench node_serving(void);

void node_fini(struct bench *b);

/* With the end of the turn behind it, unless turns are long. */
void node_step(struct bench *b, struct hf_node_event event);
void node_store(struct bench *b, struct hf_event event);
void node_at(struct bench *b, int64_t ms, enum hf_node_event_kind kind);

/* A read shows the head: of this token, led or not. */
void node_found(struct bench *b, int64_t ms, uint64_t number, uint64_t version,
                struct hf_heartbeat heartbeat, struct hf_head_state head);

void node_load_session(struct bench *b, int64_t ms, uint64_t term, uint64_t id,
                       int64_t ttl_ms);
void node_load_grant(struct bench *b, int64_t ms, uint64_t term, uint64_t fence,
                     uint64_t session, uint64_t lane, const char *name);
void node_loaded(struct bench *b, int64_t ms, uint64_t term);

/* Session 1 is meant; `lane` asks for one name, for ever or as a try. */
void node_acquire(struct bench *b, int64_t ms, uint64_t stream, uint64_t lane,
                  const char *name);
void node_try(struct bench *b, int64_t ms, uint64_t stream, uint64_t lane,
              const char *name);

void node_keep_alive(struct bench *b, int64_t ms, uint64_t stream,
                     uint64_t session);

/* Compare everything told since the last comparison, and forget it. */
#define EXPECT_TOLD_BY(b, expected)                                            \
    do {                                                                       \
        assert_string_equal((b)->text, (expected));                            \
        (b)->len = 0;                                                          \
        (b)->text[0] = '\0';                                                   \
    } while (0)

#endif
