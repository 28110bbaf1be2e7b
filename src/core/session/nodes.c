#include "core/session/nodes.h"

#include <string.h>

/* Failures of one node before another is asked. */
#define FAILURES_MAX 3

void
hf_nodes_init(struct hf_nodes *nodes, uint32_t count)
{
    *nodes = (struct hf_nodes){.count = count, .current = 1};
}

/* ---- Services ------------------------------------------------------------ */

bool
hf_nodes_may(const struct hf_nodes *nodes, uint32_t node)
{
    return nodes->own == 0 || nodes->services[node - 1] == nodes->own;
}

bool
hf_nodes_none_may(const struct hf_nodes *nodes)
{
    for (uint32_t node = 1; node <= nodes->count; node++)
        if (hf_nodes_may(nodes, node))
            return false;
    return true;
}

bool
hf_nodes_any_said(const struct hf_nodes *nodes)
{
    for (uint32_t i = 0; i < nodes->count; i++)
        if (nodes->services[i] != 0)
            return true;
    return false;
}

static void
come_home(struct hf_nodes *nodes)
{
    if (hf_nodes_may(nodes, nodes->current))
        return;
    nodes->current = nodes->home;
    nodes->failures = 0;
}

/* A service whose place was restored has a new id; the session stays with it.
 */
void
hf_nodes_say(struct hf_nodes *nodes, const uint64_t *services)
{
    memcpy(nodes->services, services, nodes->count * sizeof(services[0]));
    if (nodes->own == 0)
        return;
    if (services[nodes->home - 1] != 0)
        nodes->own = services[nodes->home - 1];
    come_home(nodes);
}

bool
hf_nodes_bind(struct hf_nodes *nodes, uint32_t node, uint64_t service)
{
    if (service != 0)
        nodes->services[node - 1] = service;
    nodes->own = nodes->services[node - 1];
    nodes->home = node;
    come_home(nodes);
    for (uint32_t i = 0; i < nodes->count; i++)
        if (nodes->services[i] != 0 && nodes->services[i] != nodes->own)
            return false;
    return true;
}

void
hf_nodes_unbind(struct hf_nodes *nodes)
{
    nodes->own = 0;
    nodes->home = 0;
}

/* ---- Who is next --------------------------------------------------------- */

void
hf_nodes_answered(struct hf_nodes *nodes, uint32_t node)
{
    if (nodes->own != 0)
        nodes->home = node;
    if (node != nodes->current)
        return;
    nodes->failures = 0;
    nodes->left = 0;
}

/* Is this failure not counted yet? */
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

/* The next node in the ring; the same one if no other may answer for the
 * session. */
static uint32_t
next_of(const struct hf_nodes *nodes)
{
    uint32_t next = nodes->current % nodes->count + 1;

    while (next != nodes->current && !hf_nodes_may(nodes, next))
        next = next % nodes->count + 1;
    return next;
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
    bool named =
        leader > 0 && leader <= nodes->count && hf_nodes_may(nodes, leader);

    return is_news(nodes, failure) &&
           turn_to(nodes,
                   named && leader != nodes->current ? leader : next_of(nodes));
}
