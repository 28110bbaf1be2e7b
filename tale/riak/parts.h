#ifndef TALE_RIAK_PARTS_H
#define TALE_RIAK_PARTS_H

#include "tale/riak/riak.h"

/* What the files of the simulated Riak share. */

enum riak_op_kind {
    RIAK_OP_NONE,
    RIAK_OP_READ,
    RIAK_OP_LOOK,  /* a remove that reads its context first */
    RIAK_OP_WRITE, /* on its way to a coordinator */
    RIAK_OP_SPREAD,
    RIAK_OP_OWING, /* the spread of a remove, which a read of all follows */
};

enum riak_worker_state {
    RIAK_IDLE,
    RIAK_WAITING,
    RIAK_ANSWERED, /* and from here on, the kind of the answer */
};

/* Which byte of `extra` is what, before a coordinator. */
enum { RIAK_ID, RIAK_STAMP, RIAK_CONTEXT };

static inline unsigned
riak_bit(unsigned index)
{
    return 1u << index;
}

static inline unsigned
riak_count(unsigned mask)
{
    unsigned count = 0;

    for (; mask != 0; mask &= mask - 1)
        count++;
    return count;
}

/* All partitions. */
static inline unsigned
riak_all(const struct riak *riak)
{
    return riak_bit(riak->rules.n) - 1;
}

/* How many replicas a quorum is. */
unsigned riak_expand(int quorum);

/* Has `clock` seen all that `other` has, and more? */
bool riak_descends(unsigned clock, unsigned other);

/* Is there an object, and are all its siblings tombstones? */
bool riak_tombstone(const struct riak *riak, struct riak_object object);

/* Of the siblings those that the bucket keeps: all, or the newest. */
unsigned riak_allowed(const struct riak *riak, unsigned siblings);

/* Two replicas' objects as one (riak_object:reconcile). */
struct riak_object riak_merge(const struct riak *riak, struct riak_object a,
                              struct riak_object b);

/* Where a request arrives; NULL when the node is down. */
struct riak_object *riak_place(struct riak *riak, const struct riak_op *op,
                               unsigned partition);

/* A primary's object was replaced: a tombstone's time is not over any more. */
void riak_put_home(struct riak *riak, unsigned partition,
                   struct riak_object object);

/* The request arrived at a partition, or is lost there. */
void riak_op_met(struct riak_op *op, unsigned partition, bool lost);

/* Answer whoever waits; nobody does, then. */
void riak_op_answer(struct riak *riak, struct riak_op *op,
                    enum key_answer_kind kind, struct riak_object object);

void riak_write_coordinate(struct riak *riak, struct riak_op *op,
                           unsigned partition);
void riak_write_arrive(struct riak *riak, struct riak_op *op,
                       unsigned partition);

/* Does Riak know that too few primaries are up for pw? */
bool riak_write_refused(const struct riak *riak);

void riak_read_start(struct riak *riak, struct riak_op *op);
void riak_read_arrive(struct riak *riak, struct riak_op *op,
                      unsigned partition);

/* Forget writes that nothing can tell from others, and put the requests in
 * their order. */
void riak_tidy(struct riak *riak);

#endif
