#include "simulate/server/store.h"

#include <string.h>

#include "base/check.h"
#include "simulate/server/promise.h"

/* 2026; the wall clock of the store, in µs. */
#define EPOCH_US INT64_C(1767225600000000)

void
store_init(struct world *w)
{
    w->store.cell.floor = EPOCH_US;
    w->generation = 1;
    store_copy(w);
}

bool
store_valid(const struct world *w, const struct sim_grant *grant)
{
    return grant->fence != 0 && w->store.leases[grant->session].on;
}

const struct sim_grant *
store_find(const struct world *w, uint64_t fence, size_t *place)
{
    const struct sim_store *store = &w->store;

    if (fence == 0)
        return NULL;
    if (store->grants[*place].fence == fence)
        return &store->grants[*place];
    for (size_t i = 0; i < store->grants_count; i++)
        if (store->grants[i].fence == fence) {
            *place = i;
            return &store->grants[i];
        }
    return NULL;
}

/* ---- A batch ------------------------------------------------------------- */

static struct sim_grant *
place_for(struct world *w, uint64_t fence)
{
    struct sim_store *store = &w->store;
    struct sim_grant *free = NULL;

    for (size_t i = 0; i < store->grants_count; i++) {
        if (store->grants[i].fence == fence)
            return &store->grants[i];
        if (store->grants[i].fence == 0)
            free = &store->grants[i];
    }
    if (free != NULL)
        return free;
    HF_CHECK(store->grants_count < GRANTS_MAX);
    return &store->grants[store->grants_count++];
}

static void
put_grant(struct world *w, const struct sim_grant *grant)
{
    struct sim_grant *at = place_for(w, grant->fence);

    promise_written(w, grant, at->fence == grant->fence);
    *at = *grant;
}

static void
put_lease(struct world *w, uint64_t id, const struct sim_lease *lease)
{
    HF_CHECK(id < IDS_MAX);
    w->store.leases[id] = *lease;
    w->store.leases[id].on = true;
    if (id > w->store.ids_count)
        w->store.ids_count = id;
}

static void
write_change(struct world *w, const struct sim_change *change)
{
    size_t place = 0;

    switch (change->kind) {
    case HF_CHANGE_PUT_SESSION:
        put_lease(w, change->key, &change->lease);
        break;
    case HF_CHANGE_DELETE_SESSION:
        w->store.leases[change->key].on = false;
        break;
    case HF_CHANGE_PUT_GRANT:
        put_grant(w, &change->grant);
        break;
    case HF_CHANGE_DELETE_GRANT:
        if (store_find(w, change->key, &place) == NULL)
            world_break(w, "what is deleted is there", "fence %llu",
                        (unsigned long long)change->key);
        else
            w->store.grants[place].fence = 0;
        break;
    case HF_CHANGE_PUT_AUDIT:
        w->counts.clears++;
        break;
    }
}

static uint64_t
wall_us(const struct world *w)
{
    return (uint64_t)(EPOCH_US + w->now * 1000);
}

enum hf_verdict
store_commit(struct world *w, struct sim_call *call)
{
    const struct hf_request *request = &call->ask.ask.request;
    struct sim_store *store = &w->store;
    uint64_t fence = store->head.next_fence;
    int64_t served_ms = store->head.served.ms;
    enum hf_verdict verdict;

    store->cell.wall = wall_us(w);
    verdict = model_commit(&store->cell, request, &call->version);
    if (verdict != HF_APPLIED)
        return verdict;
    store->head = request->ops[0].kind == HF_PUT ? call->ask.ask.head
                                                 : (struct hf_head_state){0};
    store->leader = call->node + 1;
    store->forgot = false;
    w->nodes[call->node].forgot = false;
    if (store->head.next_fence < fence)
        world_break(w, "the next fence never falls", "%llu after %llu",
                    (unsigned long long)store->head.next_fence,
                    (unsigned long long)fence);
    if (store->head.served.ms < served_ms)
        world_break(w, "what leaders served never falls", "%lld after %lld ms",
                    (long long)store->head.served.ms, (long long)served_ms);
    if (call->ask.ask.batch == 0)
        return HF_APPLIED;
    for (size_t i = 0; i < call->batch.count; i++)
        write_change(w, &call->batch.changes[i]);
    w->nodes[call->node].written = call->batch.begun;
    w->counts.commits++;
    if (call->batch.count > 0)
        promise_committed(w);
    return HF_APPLIED;
}

/* ---- A copy -------------------------------------------------------------- */

static void
copy(struct sim_store *to, const struct sim_store *from)
{
    memcpy(to, from, offsetof(struct sim_store, leases));
    memset(to->leases, 0, (to->ids_count + 1) * sizeof(to->leases[0]));
    to->ids_count = from->ids_count;
    memcpy(to->leases, from->leases,
           (from->ids_count + 1) * sizeof(from->leases[0]));
}

void
store_copy(struct world *w)
{
    copy(w->older, &w->store);
}

void
store_restore(struct world *w)
{
    promise_losing(w, w->older);
    copy(&w->store, w->older);
    w->store.forgot = true; /* its head names another place */
    w->generation++;
    w->counts.restores++;
    world_say(w, "the store is restored from an older copy");
}

/* A mark beside it says that it was served. */
void
store_remove(struct world *w)
{
    static const struct sim_store nothing;

    promise_losing(w, &nothing);
    copy(&w->store, &nothing);
    w->store.forgot = true;
    w->store.cell.floor = w->store.cell.wall = wall_us(w);
    w->generation++;
    w->counts.removals++;
    world_say(w, "the store is removed");
}
