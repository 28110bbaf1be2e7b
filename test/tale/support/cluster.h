#ifndef TEST_TALE_CLUSTER_H
#define TEST_TALE_CLUSTER_H

#include "tale/riak/riak.h"

/* A simulated Riak, driven step by step; every call asserts that it can be. */

enum { NOBODY = KEY_WORKERS_MAX };

/* "pw=quorum n_val=3 ...", over what Riak has for a bucket type. */
void start(struct riak *riak, const char *settings);

/* Worker `worker` sends; its writes carry `id`. */
void send_read(struct riak *riak, unsigned worker);
void send_write(struct riak *riak, unsigned worker, uint8_t id);
void send_update(struct riak *riak, unsigned worker, uint8_t id);
void send_remove(struct riak *riak, unsigned worker, bool with_context);

/* Is there such a step?  A request that nobody waits for is NOBODY's. */
bool can(const struct riak *riak, enum riak_happening_kind kind,
         unsigned worker, unsigned partition);
void happen(struct riak *riak, enum riak_happening_kind kind, unsigned worker,
            unsigned partition);

/* Take the answer, which is there. */
struct key_answer take(struct riak *riak, unsigned worker);

/* What was sent arrives at every replica, from `first` on upwards. */
void arrive(struct riak *riak, unsigned worker, unsigned first);

/* All of it: send, arrive everywhere, answer. */
struct key_answer read_by(struct riak *riak, unsigned worker);
enum key_answer_kind write_by(struct riak *riak, unsigned worker, uint8_t id,
                              unsigned coordinator);
enum key_answer_kind update_by(struct riak *riak, unsigned worker, uint8_t id,
                               unsigned coordinator);

/* Do what may happen until nothing does, but for nodes that go down, come
 * back, and hand over. */
void drain(struct riak *riak);

/* The only value stored there; 0 for a tombstone or nothing. */
uint8_t at_home(const struct riak *riak, unsigned partition);
uint8_t at_fallback(const struct riak *riak, unsigned partition);

/* Is there no object at all, not even a tombstone? */
bool bare(const struct riak *riak, unsigned partition);

#endif
