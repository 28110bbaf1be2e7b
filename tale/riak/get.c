#include "tale/riak/parts.h"

/* riak_kv_get_fsm and riak_kv_get_core. */

/* The replicas heard, and those of them that have an object. */
static unsigned
heard_by(const struct riak *riak, const struct riak_op *op)
{
    return riak_all(riak) & ~((unsigned)op->to | op->lost);
}

static unsigned
found_by(const struct riak_op *op)
{
    unsigned found = 0;

    for (unsigned i = 0; i < RIAK_N_MAX; i++)
        if (op->extra[i] != 0)
            found |= riak_bit(i);
    return found;
}

void
riak_read_start(struct riak *riak, struct riak_op *op)
{
    unsigned up = riak_count(riak_all(riak) & ~(unsigned)riak->down);

    op->to = riak_all(riak) & 0xf;
    op->fallback = riak->down;
    if (op->owner != 0 && riak->rules.pr > up) {
        riak_op_answer(riak, op, KEY_ERROR, (struct riak_object){0});
        *op = (struct riak_op){0};
    }
}

/* The answer to whoever waits.  A remove that looked for its context goes on
 * as a write. */
static void
tell(struct riak *riak, struct riak_op *op, enum key_answer_kind kind)
{
    struct riak_object object = op->object;

    if (op->kind == RIAK_OP_LOOK && kind == KEY_FOUND) {
        *op = (struct riak_op){.kind = RIAK_OP_WRITE, .owner = op->owner};
        op->extra[RIAK_CONTEXT] = object.clock;
        return;
    }
    if (kind != KEY_FOUND)
        object = (struct riak_object){0};
    if (op->kind == RIAK_OP_LOOK) {
        riak_op_answer(riak, op, kind, object);
        *op = (struct riak_op){0};
        return;
    }
    riak->workers[op->owner - 1].context = object.clock;
    riak_op_answer(riak, op, kind, object);
}

/* Answer when enough replicas are heard, or enough can never be
 * (riak_kv_get_core:enough, response). */
static void
judge(struct riak *riak, struct riak_op *op)
{
    unsigned heard = heard_by(riak, op);
    unsigned found = found_by(op);
    unsigned good = riak->rules.notfound_ok ? heard : found;
    unsigned missing = riak_count(heard & ~good);
    unsigned r = riak->rules.r;
    unsigned pr = riak->rules.pr;
    unsigned most = r > pr ? r : pr;

    if (riak_count(good) >= r &&
        riak_count(good & ~(unsigned)op->fallback) >= pr) {
        bool shown = found != 0 && !riak_tombstone(riak, op->object);

        tell(riak, op, shown ? KEY_FOUND : KEY_NOT_FOUND);
    } else if (missing + riak_count(op->lost) + most > riak->rules.n ||
               op->to == 0) {
        bool nothing = op->lost == 0 && good == op->deleted &&
                       (missing != 0 || op->deleted != 0);

        tell(riak, op, nothing ? KEY_NOT_FOUND : KEY_ERROR);
    }
}

/* All were heard: send what was merged to those that are behind, or, when all
 * primaries have this tombstone and nothing else, have it reaped
 * (riak_kv_get_core:final_action, riak_kv_get_fsm:maybe_delete). */
static void
finish(struct riak *riak, struct riak_op *op)
{
    unsigned heard = heard_by(riak, op);
    unsigned behind = 0;

    for (unsigned i = 0; i < RIAK_N_MAX; i++)
        if ((heard & riak_bit(i)) != 0 &&
            riak_descends(op->object.clock, op->extra[i]))
            behind |= riak_bit(i);
    if (behind != 0 && riak->rules.read_repair) {
        *op = (struct riak_op){
            .kind = RIAK_OP_SPREAD,
            .to = behind & 0xf,
            .fallback = op->fallback & behind & 0xf,
            .object = op->object,
        };
        return;
    }
    if (behind == 0 && riak_tombstone(riak, op->object) &&
        heard == riak_all(riak) && op->fallback == 0 &&
        riak->rules.delete_mode != RIAK_KEEP)
        riak->reaping = riak_all(riak) & 0xf;
    *op = (struct riak_op){0};
}

/* May it yet have a tombstone reaped? */
static bool
may_reap(const struct riak *riak, const struct riak_op *op)
{
    unsigned heard = heard_by(riak, op);

    if (riak->rules.delete_mode == RIAK_KEEP || op->lost != 0 ||
        op->fallback != 0 || op->deleted != heard)
        return false;
    for (unsigned i = 0; i < RIAK_N_MAX; i++)
        if ((heard & riak_bit(i)) != 0 && op->extra[i] != op->object.clock)
            return false;
    return true;
}

void
riak_read_arrive(struct riak *riak, struct riak_op *op, unsigned partition)
{
    const struct riak_object *place = riak_place(riak, op, partition);

    riak_op_met(op, partition, place == NULL);
    if (place != NULL && place->clock != 0) {
        op->extra[partition] = place->clock;
        op->object = riak_merge(riak, op->object, *place);
        if (riak_tombstone(riak, *place))
            op->deleted = (op->deleted | riak_bit(partition)) & 0xf;
    }
    if (op->owner != 0)
        judge(riak, op);
    if (op->kind != RIAK_OP_READ || op->owner != 0)
        return;
    if (op->to == 0)
        finish(riak, op);
    else if (!riak->rules.read_repair && !may_reap(riak, op))
        *op = (struct riak_op){0};
}
