#include "core/session/nodes.h"

/* Of one node, before another is asked. */
#define FAILURES_MAX 3

void
hf_nodes_init(struct hf_nodes *nodes, uint32_t count)
{
    *nodes = (struct hf_nodes){.count = count, .current = 1};
}

void
hf_nodes_answered(struct hf_nodes *nodes, uint32_t node)
{
    if (node != nodes->current)
        return;
    nodes->failures = 0;
    nodes->left = 0;
}

/* Is this the first that is heard of it? */
static bool
is_news(struct hf_nodes *nodes, const struct hf_nodes_failure *failure)
{
    if (failure->node != nodes->current || failure->stream <= nodes->known)
        return false;
    nodes->known = failure->last_stream;
    return true;
}

static bool
turn_to(struct hf_nodes *nodes, uint32_t node)
{
    nodes->current = node;
    nodes->failures = 0;
    return ++nodes->left % nodes->count == 0;
}

static uint32_t
next_of(const struct hf_nodes *nodes)
{
    return nodes->current % nodes->count + 1;
}

bool
hf_nodes_failed(struct hf_nodes *nodes, const struct hf_nodes_failure *failure)
{
    return is_news(nodes, failure) && ++nodes->failures == FAILURES_MAX &&
           turn_to(nodes, next_of(nodes));
}

bool
hf_nodes_not_leading(struct hf_nodes *nodes,
                     const struct hf_nodes_failure *failure, uint32_t leader)
{
    bool named = leader > 0 && leader <= nodes->count;

    return is_news(nodes, failure) &&
           turn_to(nodes,
                   named && leader != nodes->current ? leader : next_of(nodes));
}
