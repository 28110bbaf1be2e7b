#include "simulate/server/fate.h"

#include "simulate/server/network.h"
#include "simulate/server/nodes.h"
#include "simulate/server/people.h"
#include "simulate/server/promise.h"
#include "simulate/server/sessions.h"
#include "simulate/server/store.h"

static int64_t
within(struct world *w, uint64_t ms)
{
    return w->now + (int64_t)world_draw(w, ms);
}

/* More often than another, whoever leads. */
static unsigned
some_node(struct world *w)
{
    unsigned leader = nodes_serving(w);

    if (leader != 0 && world_draw(w, 2) == 0)
        return leader - 1;
    return (unsigned)world_draw(w, NODES);
}

static void
freeze(struct world *w)
{
    w->counts.freezes++;
    if (world_draw(w, 2) == 0) {
        unsigned node = some_node(w);

        w->nodes[node].frozen_until = within(w, 3000);
        world_say(w, "node %u freezes", node + 1);
    } else {
        unsigned client = (unsigned)world_draw(w, CLIENTS);

        w->clients[client].frozen_until = within(w, 5000);
        world_say(w, "client %u freezes", client);
    }
}

/* One way or both, of one client or of all. */
static void
cut_clients(struct world *w, unsigned node)
{
    uint64_t ways = 1 + world_draw(w, 3);
    int64_t until = within(w, 5000);
    bool all = world_draw(w, 2) == 0;
    unsigned one = (unsigned)world_draw(w, CLIENTS);

    for (unsigned i = 0; i < CLIENTS; i++)
        for (unsigned way = 0; way < 2; way++)
            if ((all || i == one) && (ways >> way & 1))
                w->clients[i].cut_until[node][way] = until;
}

static void
cut_store(struct world *w, unsigned node)
{
    uint64_t ways = 1 + world_draw(w, 3);
    int64_t until = within(w, 3000);

    for (unsigned way = 0; way < 2; way++)
        if (ways >> way & 1)
            w->nodes[node].store_cut_until[way] = until;
    world_say(w, "node %u is cut off from the store", node + 1);
}

static void
cut(struct world *w)
{
    uint64_t die = world_draw(w, 8);

    w->counts.cuts++;
    if (die < 2)
        cut_store(w, some_node(w));
    else if (die < 7)
        cut_clients(w, some_node(w));
    else
        network_cut_connection(w, (unsigned)world_draw(w, w->sessions_count),
                               some_node(w));
}

static void
kill(struct world *w)
{
    unsigned node = some_node(w);

    if (world_draw(w, 3) == 0) {
        nodes_stop(w, node);
    } else if (world_draw(w, 2) == 0) {
        w->counts.kills++;
        w->counts.failovers += nodes_serving(w) == node + 1;
        world_say(w, "node %u is killed", node + 1);
        nodes_kill(w, node);
    } else {
        sessions_kill_client(w, (unsigned)world_draw(w, CLIENTS));
    }
}

/* A place in memory ends with its processes; a file is removed under them. */
static void
lose_store(struct world *w)
{
    bool all_die = world_draw(w, 3) == 0;

    for (unsigned i = 0; i < NODES && all_die; i++)
        nodes_kill(w, i);
    store_remove(w);
}

static void
hurt_store(struct world *w)
{
    if (w->shape.restores && world_draw(w, 3) == 0)
        store_restore(w);
    else if (w->shape.removes && world_draw(w, 3) == 0)
        lose_store(w);
    else if (world_draw(w, 2) == 0)
        store_copy(w);
    else
        w->slow_until = within(w, 1500);
}

void
fate_strike(struct world *w)
{
    uint64_t die = world_draw(w, 10);

    if (die < 2)
        freeze(w);
    else if (die < 5)
        cut(w);
    else if (die < 7)
        kill(w);
    else if (die < 8)
        hurt_store(w);
    else if (w->shape.clears)
        people_clear_one(w);
}

void
fate_calm(struct world *w)
{
    w->slow_until = 0;
    for (unsigned i = 0; i < NODES; i++) {
        struct sim_node *node = &w->nodes[i];

        node->frozen_until = w->now;
        node->store_cut_until[0] = node->store_cut_until[1] = 0;
        if (!node->alive)
            world_set(w, &node->birth, within(w, 500), RANK_TIME);
    }
    for (unsigned i = 0; i < CLIENTS; i++) {
        w->clients[i].frozen_until = w->now;
        for (unsigned k = 0; k < NODES; k++)
            w->clients[i].cut_until[k][0] = w->clients[i].cut_until[k][1] = 0;
    }
}

void
fate_kill_leader(struct world *w)
{
    unsigned leader = nodes_serving(w);
    unsigned holders = 0;

    if (leader == 0)
        return;
    for (uint64_t id = 1; id <= w->store.ids_count; id++)
        holders += w->store.leases[id].on;
    w->failover.died_at = w->now;
    w->failover.holders = holders;
    w->counts.kills++;
    nodes_kill(w, leader - 1);
}
