#include "simulate/server/calls.h"

#include <string.h>

#include "base/check.h"
#include "simulate/server/nodes.h"
#include "simulate/server/store.h"

enum { TO_STORE, FROM_STORE };

/* A worker gives a call up after so long, and says what it knows. */
#define GIVEN_UP_MS 1500

#define SLOWER      15 /* times as long, in a slow spell */

void
calls_init(struct world *w)
{
    w->free_calls = NULL;
    for (size_t i = CALLS_MAX; i > 0; i--) {
        w->calls[i - 1].next_free = w->free_calls;
        w->calls[i - 1].alarm = (struct hf_heap_node){.kind = ALARM_CALL};
        w->free_calls = &w->calls[i - 1];
    }
}

static bool
chance(struct world *w, uint64_t of_thousand)
{
    return w->phase == PHASE_FAULTS && world_chance(w, of_thousand);
}

static int64_t
way(struct world *w)
{
    int64_t most = w->shape.store_ms;

    if (w->now < w->slow_until)
        most *= SLOWER;
    if (chance(w, w->shape.store_trouble))
        most = GIVEN_UP_MS;
    return 1 + (int64_t)world_draw(w, (uint64_t)most);
}

static struct sim_call *
new_call(struct world *w, unsigned who)
{
    struct sim_call *call = w->free_calls;
    const struct sim_node *node = &w->nodes[who];
    int64_t *cut = w->nodes[who].store_cut_until;

    HF_CHECK(call != NULL);
    w->free_calls = call->next_free;
    call->node = who;
    call->life = node->life;
    call->generation = node->generation;
    call->out = true;
    call->loads = false;
    call->began = w->now;
    call->never =
        w->now < cut[TO_STORE] || chance(w, w->shape.store_trouble / 4);
    call->unknown = chance(w, w->shape.store_trouble);
    call->fails = chance(w, w->shape.store_trouble / 4);
    world_set(w, &call->alarm, w->now + (call->never ? GIVEN_UP_MS : way(w)),
              RANK_ARRIVES);
    return call;
}

void
calls_ask(struct world *w, unsigned node, const struct hf_leader_effect *ask)
{
    struct sim_call *call = new_call(w, node);
    const struct sim_batch *batch = &w->nodes[node].batch;

    call->ask = *ask;
    call->unknown &= !ask->ask.request.read;
    if (ask->ask.batch == 0)
        return;
    call->batch.begun = batch->begun;
    call->batch.count = batch->count;
    memcpy(call->batch.changes, batch->changes,
           batch->count * sizeof(batch->changes[0]));
}

void
calls_load(struct world *w, unsigned node, uint64_t term)
{
    struct sim_call *call = new_call(w, node);
    int64_t long_ms = w->shape.load_ms + (call->never ? GIVEN_UP_MS : way(w));

    call->loads = true;
    call->unknown = false;
    call->term = term;
    if (chance(w, 2 * w->shape.store_trouble)) /* longer than it leads */
        long_ms += (int64_t)world_draw(w, 3000);
    world_set(w, &call->alarm, w->now + long_ms, RANK_ARRIVES);
}

/* ---- In the store -------------------------------------------------------- */

/* What it was sent to is not there any more: surely nothing was done. */
static bool
is_of_another(const struct world *w, const struct sim_call *call)
{
    return call->generation != w->generation;
}

static void
load(struct world *w, struct sim_call *call)
{
    struct sim_store *to = w->nodes[call->node].loading;
    size_t ids = w->store.ids_count + 1;

    memcpy(to->grants, w->store.grants, sizeof(to->grants));
    to->grants_count = w->store.grants_count;
    memcpy(to->leases, w->store.leases, ids * sizeof(to->leases[0]));
    to->ids_count = w->store.ids_count;
}

static void
commit(struct world *w, struct sim_call *call)
{
    if (call->ask.ask.batch != 0 && call->fails) {
        call->verdict = HF_REFUSED; /* for a reason of its own */
        w->counts.refusals++;
        return;
    }
    call->verdict = store_commit(w, call);
    if (call->verdict == HF_APPLIED)
        nodes_hint(w);
    if (call->verdict == HF_APPLIED && w->failover.died_at == 0)
        w->failover.last_beat = w->now;
}

static void
do_call(struct world *w, struct sim_call *call)
{
    if (is_of_another(w, call)) {
        call->fails = true;
        call->verdict = HF_UNAVAILABLE;
        call->sight = (struct hf_sight){.kind = HF_SIGHT_NONE};
    } else if (call->loads) {
        load(w, call);
    } else if (call->ask.ask.request.read) {
        call->sight = model_read(&w->store.cell);
        call->head = w->store.head;
        call->leader = w->store.leader;
    } else {
        commit(w, call);
    }
}

/* It never came there, or its answer never comes back. */
static void
give_up(struct sim_call *call)
{
    call->fails = true;
    call->verdict = HF_UNKNOWN;
    call->sight = (struct hf_sight){.kind = HF_SIGHT_NONE};
}

/* ---- On its way ---------------------------------------------------------- */

static void
give_back(struct world *w, struct sim_call *call)
{
    world_set(w, &call->alarm, INT64_MAX, RANK_ARRIVES);
    call->next_free = w->free_calls;
    w->free_calls = call;
}

static void
arrive(struct world *w, struct sim_call *call)
{
    const int64_t *cut = w->nodes[call->node].store_cut_until;
    int64_t back = way(w);

    call->out = false;
    if (call->never)
        give_up(call);
    else
        do_call(w, call);
    if (!call->never && w->now < cut[FROM_STORE]) {
        give_up(call);
        back = GIVEN_UP_MS;
    }
    if (call->verdict == HF_UNKNOWN && !call->loads)
        w->counts.unknowns++;
    world_set(w, &call->alarm, w->now + back, RANK_ARRIVES);
}

/* Its worker knows nothing of it, and it goes on. */
static void
say_unknown(struct world *w, struct sim_call *call, bool lives)
{
    call->unknown = false;
    w->counts.late++;
    if (lives)
        nodes_told(w, call->node, call->ask.ask.request.number, HF_UNKNOWN, 0);
    world_set(w, &call->alarm, w->now + way(w), RANK_ARRIVES);
}

void
calls_step(struct world *w, struct sim_call *call)
{
    const struct sim_node *node = &w->nodes[call->node];
    bool lives = call->life == node->life && node->alive;

    if (call->out && call->unknown && (!lives || w->now >= node->frozen_until))
        say_unknown(w, call, lives);
    else if (call->out)
        arrive(w, call);
    else if (lives && w->now < node->frozen_until)
        world_set(w, &call->alarm, node->frozen_until, RANK_ARRIVES);
    else {
        give_back(w, call);
        if (lives)
            nodes_answered(w, call);
    }
}
