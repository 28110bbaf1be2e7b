#include "tale/riak/parts.h"

bool
riak_descends(unsigned clock, unsigned other)
{
    return clock != other && (clock & other) == other;
}

bool
riak_tombstone(const struct riak *riak, struct riak_object object)
{
    for (unsigned i = 0; i < RIAK_WRITES_MAX; i++)
        if ((object.siblings & riak_bit(i)) != 0 && riak->writes[i].id != 0)
            return false;
    return object.clock != 0;
}

/* By the clocks of the servers: writes are numbered as they were stamped, but
 * those of a slow clock are older than all others. */
static unsigned
newest(const struct riak *riak, unsigned siblings)
{
    unsigned among = siblings & ~(unsigned)riak->slow;
    unsigned latest = RIAK_WRITES_MAX;

    if (among == 0)
        among = siblings;
    while (latest > 0 && (among & riak_bit(latest - 1)) == 0)
        latest--;
    return latest == 0 ? 0 : riak_bit(latest - 1);
}

unsigned
riak_allowed(const struct riak *riak, unsigned siblings)
{
    return riak->rules.allow_mult ? siblings : newest(riak, siblings);
}

struct riak_object
riak_merge(const struct riak *riak, struct riak_object a, struct riak_object b)
{
    unsigned clock = (unsigned)a.clock | b.clock;
    unsigned siblings;

    /* A sibling goes when the other side has seen its write and has it no
     * longer: of an ancestor, all go.  Where only the newest is kept, each
     * side may have dropped what the other has: then both are compared. */
    siblings = (a.siblings & b.siblings) | (a.siblings & ~(unsigned)b.clock) |
               (b.siblings & ~(unsigned)a.clock);
    if (siblings == 0)
        siblings = (unsigned)a.siblings | b.siblings;
    return (struct riak_object){
        .siblings = (uint8_t)riak_allowed(riak, siblings),
        .clock = (uint8_t)clock,
    };
}

void
riak_put_home(struct riak *riak, unsigned partition, struct riak_object object)
{
    struct riak_object *home = &riak->home[partition];

    if (home->siblings == object.siblings && home->clock == object.clock)
        return;
    *home = object;
    riak->doomed = riak->doomed & ~riak_bit(partition) & 0xf;
}
