#include "base/check.h"
#include "tale/riak/parts.h"

struct riak_object *
riak_place(struct riak *riak, const struct riak_op *op, unsigned partition)
{
    if ((op->fallback & riak_bit(partition)) != 0)
        return &riak->away[partition];
    if ((riak->down & riak_bit(partition)) != 0)
        return NULL;
    return &riak->home[partition];
}

void
riak_op_met(struct riak_op *op, unsigned partition, bool lost)
{
    op->to = op->to & ~riak_bit(partition) & 0xf;
    if (lost)
        op->lost = (op->lost | riak_bit(partition)) & 0xf;
}

void
riak_op_answer(struct riak *riak, struct riak_op *op, enum key_answer_kind kind,
               struct riak_object object)
{
    struct riak_worker *worker = &riak->workers[op->owner - 1];

    HF_CHECK(worker->state == RIAK_WAITING);
    worker->state = (uint8_t)(RIAK_ANSWERED + kind);
    worker->siblings = object.siblings;
    op->owner = 0;
}
