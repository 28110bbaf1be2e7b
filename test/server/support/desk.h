#ifndef TEST_SERVER_SUPPORT_DESK_H
#define TEST_SERVER_SUPPORT_DESK_H

#include "server/seat.h"

/*
 * A desk: a seat at a real journal, and one who stands before it: messages go
 * in, and what is due to be written is kept.
 */

enum { DESK_ANSWERS = 64 };

struct desk {
    struct hf_seat *seat; /* owned; NULL: closed */
    struct hf_self self;
    int told_fd;
    bool leads;
    bool stopped;
    uint64_t stream; /* given last */
    uint64_t term;
    size_t kept_count;
    struct hf_answer kept[DESK_ANSWERS];
    size_t due_count; /* in the order in which they were written */
    struct hf_answer due[DESK_ANSWERS];
    uint64_t refused; /* the stream that was refused last */
};

/* `ttl_ms` is the leader's. */
void desk_open(struct desk *desk, const char *place, int64_t ttl_ms);

/* At the journal that this opens, whatever the place; or for this place. */
void desk_open_by(struct desk *desk, hf_scribe_open_fn *open, int64_t ttl_ms);
void desk_open_at(struct desk *desk, const char *place, hf_scribe_open_fn *open,
                  int64_t ttl_ms);
struct hf_node_config desk_node(int64_t ttl_ms);
void desk_close(struct desk *desk);

/* Turn until that is so; fails after some seconds. */
void desk_until_serving(struct desk *desk);
void desk_until_stopped(struct desk *desk);
void desk_stop(struct desk *desk);

/* Turn whatever is there, and wait for more for so long at most. */
void desk_turn(struct desk *desk, int64_t ms);

void desk_send(struct desk *desk, struct hf_message message);

/* Send it, and wait for its answer. */
struct hf_answer desk_ask(struct desk *desk, struct hf_message message);

struct hf_message desk_message(const struct desk *desk,
                               enum hf_message_kind kind, uint64_t session);
struct hf_answer desk_open_session(struct desk *desk, uint64_t id);
/* Exclusive, at once or not at all; ask, and do not wait for the answer: its
 * stream. */
uint64_t desk_ask_try(struct desk *desk, uint64_t session, uint64_t lane,
                      const char *name);
struct hf_answer desk_try(struct desk *desk, uint64_t session, uint64_t lane,
                          const char *name);

#endif
