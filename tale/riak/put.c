#include "base/check.h"
#include "tale/riak/parts.h"

/* riak_kv_put_fsm, riak_kv_put_core, and what riak_kv_vnode does of a put. */

bool
riak_write_refused(const struct riak *riak)
{
    unsigned up = riak_count(riak_all(riak) & ~(unsigned)riak->down);

    return !riak->rules.as_seed && riak->rules.pw > up;
}

/* Number a write as the server's clock stamps it: now. */
static unsigned
number(struct riak *riak, const struct riak_op *op, unsigned partition)
{
    bool slow = riak->rules.slow_clock == partition + 1 &&
                (riak->down & riak_bit(partition)) == 0;
    unsigned seen = 0;
    unsigned next = 0;

    for (unsigned i = 0; i < RIAK_N_MAX; i++)
        seen |= (unsigned)riak->home[i].clock | riak->away[i].clock;
    for (unsigned i = 0; i < RIAK_OPS_MAX; i++) {
        const struct riak_op *other = &riak->ops[i];

        seen |= other->object.clock;
        if (other->kind == RIAK_OP_WRITE)
            seen |= other->extra[RIAK_CONTEXT];
        else
            for (unsigned j = 0; j < RIAK_N_MAX; j++)
                seen |= other->extra[j];
    }
    for (unsigned i = 0; i < KEY_WORKERS_MAX; i++)
        seen |= (unsigned)riak->workers[i].siblings | riak->workers[i].context;
    while ((seen >> next) != 0)
        next++;
    HF_CHECK(next < RIAK_WRITES_MAX);
    riak->writes[next] = (struct key_value){
        .id = op->extra[RIAK_ID],
        .stamp = op->extra[RIAK_STAMP],
    };
    if (slow)
        riak->slow = (uint8_t)(riak->slow | riak_bit(next));
    return next;
}

/* The new write over what the coordinator has (riak_object:update). */
static struct riak_object
update(const struct riak *riak, struct riak_object local, unsigned context,
       unsigned dot)
{
    unsigned siblings = dot;
    unsigned clock = context | dot;

    if (!riak->rules.last_write_wins) {
        siblings |= local.siblings & ~context;
        clock |= local.clock;
    }
    return (struct riak_object){
        .siblings = (uint8_t)riak_allowed(riak, siblings),
        .clock = (uint8_t)clock,
    };
}

/* Answer when enough replicas are heard, or enough is lost
 * (riak_kv_put_core:enough, response).  That dw is 1 at least needs no word:
 * the coordinator has stored. */
static void
judge(struct riak *riak, struct riak_op *op)
{
    unsigned n = riak->rules.n;
    unsigned heard = riak_all(riak) & ~((unsigned)op->to | op->lost);
    unsigned stored = riak_count(heard);
    unsigned primaries = riak_count(heard & ~(unsigned)op->fallback);
    unsigned fails = riak_count(op->lost);
    unsigned pw = riak->rules.pw;
    unsigned dw = riak->rules.dw;
    const struct riak_object none = {0};

    if (stored >= riak->rules.w && stored >= dw && primaries >= pw) {
        riak_op_answer(riak, op, KEY_OK, none);
    } else if (fails + pw > n || fails + dw > n || op->to == 0) {
        op->kind = RIAK_OP_SPREAD; /* of a remove that failed no read follows */
        riak_op_answer(riak, op, KEY_ERROR, none);
    }
}

/* What is left when nobody waits is where it has yet to go. */
static void
settle(struct riak_op *op)
{
    if (op->owner != 0)
        return;
    if (op->to == 0 && op->kind != RIAK_OP_OWING) {
        *op = (struct riak_op){0};
        return;
    }
    op->lost = 0;
    op->fallback = op->fallback & op->to & 0xf;
    if (op->to == 0)
        op->object = (struct riak_object){0};
}

void
riak_write_coordinate(struct riak *riak, struct riak_op *op, unsigned partition)
{
    bool looks_back =
        riak->rules.read_repair || riak->rules.delete_mode != RIAK_KEEP;
    unsigned context = op->extra[RIAK_CONTEXT];
    struct riak_object *place;
    struct riak_object object;
    unsigned dot;

    HF_CHECK(op->kind == RIAK_OP_WRITE);
    if (riak_write_refused(riak)) {
        riak_op_answer(riak, op, KEY_ERROR, (struct riak_object){0});
        *op = (struct riak_op){0};
        return;
    }
    op->fallback = riak->down;
    place = riak_place(riak, op, partition);
    HF_CHECK(place != NULL);
    dot = riak_bit(number(riak, op, partition));
    object = update(riak, *place, context, dot);
    if (place == &riak->home[partition])
        riak_put_home(riak, partition, object);
    else
        *place = object;
    *op = (struct riak_op){
        .kind = op->extra[RIAK_ID] == 0 && looks_back ? RIAK_OP_OWING
                                                      : RIAK_OP_SPREAD,
        .owner = op->owner,
        .to = riak_all(riak) & 0xf,
        .fallback = op->fallback,
        .object = object,
    };
    riak_op_met(op, partition, false);
    judge(riak, op);
    settle(op);
}

void
riak_write_arrive(struct riak *riak, struct riak_op *op, unsigned partition)
{
    struct riak_object *place = riak_place(riak, op, partition);

    if (place != NULL) {
        /* With last_write_wins a vnode stores what comes, unread. */
        struct riak_object object = riak->rules.last_write_wins
                                        ? op->object
                                        : riak_merge(riak, *place, op->object);

        if (place == &riak->home[partition])
            riak_put_home(riak, partition, object);
        else
            *place = object;
    }
    riak_op_met(op, partition, place == NULL);
    if (op->owner != 0)
        judge(riak, op);
    settle(op);
}
