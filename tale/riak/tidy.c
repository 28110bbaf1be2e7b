#include <string.h>

#include "tale/riak/parts.h"

/* What is kept of a mask of writes, moved together. */
static uint8_t
squeeze(unsigned mask, unsigned keep)
{
    unsigned result = 0;
    unsigned next = 0;

    for (unsigned i = 0; i < RIAK_WRITES_MAX; i++) {
        if ((keep & riak_bit(i)) == 0)
            continue;
        if ((mask & riak_bit(i)) != 0)
            result |= riak_bit(next);
        next++;
    }
    return (uint8_t)result;
}

/* The writes that somebody names, has seen, and that all have seen. */
struct census {
    unsigned named;
    unsigned seen;
    unsigned by_all;
};

static void
count_clock(struct census *census, unsigned clock)
{
    if (clock == 0)
        return;
    census->seen |= clock;
    census->by_all &= clock;
}

static void
count_object(struct census *census, struct riak_object object)
{
    census->named |= object.siblings;
    count_clock(census, object.clock);
}

static struct census
take_census(const struct riak *riak)
{
    struct census census = {.by_all = riak_bit(RIAK_WRITES_MAX) - 1};

    for (unsigned i = 0; i < RIAK_N_MAX; i++) {
        count_object(&census, riak->home[i]);
        count_object(&census, riak->away[i]);
    }
    for (unsigned i = 0; i < KEY_WORKERS_MAX; i++) {
        unsigned context = riak->workers[i].context;

        /* A context must not become empty: a remove would ask for another. */
        census.named |= riak->workers[i].siblings | (context & (0 - context));
        count_clock(&census, context);
    }
    for (unsigned i = 0; i < RIAK_OPS_MAX; i++) {
        const struct riak_op *op = &riak->ops[i];

        if (op->kind == RIAK_OP_NONE) /* all of it is zero */
            continue;
        count_object(&census, op->object);
        if (op->kind == RIAK_OP_WRITE)
            count_clock(&census, op->extra[RIAK_CONTEXT]);
        else
            /* A clock heard must not become empty: that is "not found". */
            for (unsigned j = 0; j < RIAK_N_MAX; j++)
                census.named |= op->extra[j];
    }
    return census;
}

static void
keep_of(struct riak_object *object, unsigned keep)
{
    object->siblings = squeeze(object->siblings, keep);
    object->clock = squeeze(object->clock, keep);
}

static void
keep_only(struct riak *riak, unsigned keep)
{
    unsigned next = 0;

    for (unsigned i = 0; i < RIAK_N_MAX; i++) {
        keep_of(&riak->home[i], keep);
        keep_of(&riak->away[i], keep);
    }
    for (unsigned i = 0; i < KEY_WORKERS_MAX; i++) {
        struct riak_worker *worker = &riak->workers[i];

        worker->siblings = squeeze(worker->siblings, keep);
        worker->context = squeeze(worker->context, keep);
    }
    for (unsigned i = 0; i < RIAK_OPS_MAX; i++) {
        struct riak_op *op = &riak->ops[i];
        uint8_t *context = &op->extra[RIAK_CONTEXT];

        keep_of(&op->object, keep);
        if (op->kind == RIAK_OP_WRITE)
            *context = squeeze(*context, keep);
        else
            for (unsigned j = 0; j < RIAK_N_MAX; j++)
                op->extra[j] = squeeze(op->extra[j], keep);
    }
    riak->slow = squeeze(riak->slow, keep);
    for (unsigned i = 0; i < RIAK_WRITES_MAX; i++)
        if ((keep & riak_bit(i)) != 0)
            riak->writes[next++] = riak->writes[i];
    for (; next < RIAK_WRITES_MAX; next++)
        riak->writes[next] = (struct key_value){0};
}

/* Requests of the lowest worker first, then those nobody waits for. */
static unsigned
rank(const struct riak_op *op)
{
    if (op->owner != 0)
        return op->owner;
    return op->kind == RIAK_OP_NONE ? KEY_WORKERS_MAX + 2 : KEY_WORKERS_MAX + 1;
}

static bool
comes_before(const struct riak_op *a, const struct riak_op *b)
{
    if (rank(a) != rank(b))
        return rank(a) < rank(b);
    return memcmp(a, b, sizeof(*a)) < 0;
}

static void
sort(struct riak_op *ops)
{
    for (unsigned i = 1; i < RIAK_OPS_MAX; i++) {
        struct riak_op op = ops[i];
        unsigned j = i;

        if (op.kind == RIAK_OP_NONE) /* it comes before nothing */
            continue;
        for (; j > 0 && comes_before(&op, &ops[j - 1]); j--)
            ops[j] = ops[j - 1];
        ops[j] = op;
    }
}

void
riak_tidy(struct riak *riak)
{
    struct census census = take_census(riak);
    unsigned keep = (census.seen & ~census.by_all) | census.named;
    unsigned numbered = riak->slow;

    for (unsigned i = 0; i < RIAK_WRITES_MAX; i++)
        if (riak->writes[i].id != 0 || riak->writes[i].stamp != 0)
            numbered |= riak_bit(i);
    /* A write that all clocks have seen, and nobody names, no comparison of
     * two of them can tell; nor can one with a clock that is yet to come, as
     * that is made of these, or of none and a write of its own. */
    if (census.seen != keep || (numbered & ~keep) != 0 ||
        (keep & (keep + 1)) != 0)
        keep_only(riak, keep);
    sort(riak->ops);
}
