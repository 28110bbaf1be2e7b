#include "simulate/server/loads.h"

#include <stdlib.h>

#include "simulate/server/nodes.h"

static int
by_fence(const void *a, const void *b)
{
    const struct sim_grant *left = a;
    const struct sim_grant *right = b;

    return (left->fence > right->fence) - (left->fence < right->fence);
}

static void
load_leases(struct world *w, unsigned who, uint64_t term)
{
    const struct sim_store *from = w->nodes[who].loading;
    struct hf_node_event event = {.kind = HF_NODE_LOADED_SESSION};

    event.load.term = term;
    for (uint64_t id = 1; id <= from->ids_count; id++) {
        if (!from->leases[id].on)
            continue;
        event.load.session = (struct hf_loaded_session){
            .id = id,
            .secret = from->leases[id].secret,
            .ttl = w->shape.session.terms.ttl,
            .if_dead = from->leases[id].if_dead,
            .who = {"us", 2},
            .silent_from = from->leases[id].silent_from,
        };
        nodes_step(w, who, event);
    }
}

static void
load_grant(struct world *w, unsigned who, uint64_t term,
           const struct sim_grant *grant)
{
    struct hf_node_event event = {.kind = HF_NODE_LOADED_GRANT};
    struct hf_want wants[NAMES_MAX];

    event.load.term = term;
    event.load.grant = (struct hf_loaded_grant){
        .fence = grant->fence,
        .session = grant->session,
        .lane = grant->lane,
        .n = grant->n,
        .wants = wants,
        .note = {(const char *)&grant->wish, sizeof(grant->wish)},
    };
    for (unsigned i = 0; i < NAMES_MAX; i++)
        if (grant->modes[i] != 0)
            wants[event.load.grant.wants_count++] =
                nodes_want(i, grant->modes[i]);
    nodes_step(w, who, event);
}

/* No two nodes' walls show the same time. */
static uint64_t
wall_us(struct world *w)
{
    uint64_t skew_us =
        w->shape.restores || w->shape.removes ? 0 : world_draw(w, 2000000);

    return w->store.cell.wall + skew_us;
}

void
loads_answered(struct world *w, const struct sim_call *call)
{
    struct sim_store *from = w->nodes[call->node].loading;
    struct hf_node_event event = {.kind = HF_NODE_LOADED};
    const struct sim_node *node = &w->nodes[call->node];

    bool loads = node->machine.state == HF_NODE_LOADING &&
                 node->machine.term == call->term;

    event.load.term = call->term;
    if (call->fails) {
        event.kind = HF_NODE_LOAD_FAILED;
        nodes_step(w, call->node, event);
        return;
    }
    qsort(from->grants, from->grants_count, sizeof(from->grants[0]), by_fence);
    load_leases(w, call->node, call->term);
    for (size_t i = 0; i < from->grants_count; i++)
        if (from->grants[i].fence != 0)
            load_grant(w, call->node, call->term, &from->grants[i]);
    event.load.wall_us = wall_us(w);
    nodes_step(w, call->node, event);
    if (!loads)
        return; /* what an earlier term has read is nothing [L2] */
    if (node->machine.state != HF_NODE_SERVING)
        world_break(w, "what is in the store can be loaded", "node %u",
                    call->node + 1);
    w->serving_since = w->now;
    if (w->failover.term == call->term)
        w->failover.loaded_at = w->now;
}
