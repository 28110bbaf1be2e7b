#include "lab/service/store.h"

#include "base/check.h"
#include "lab/service/promise.h"

/* ---- Records ------------------------------------------------------------- */

/* The record that this one takes the place of, or NULL. */
static const struct service_record *
find(const struct service_store *store, const struct service_record *record)
{
    return record->fence != 0 ? service_store_grant(store, record->fence)
                              : service_store_session(store, record->session);
}

static void
put(struct service_store *store, const struct service_record *record)
{
    const struct service_record *old = find(store, record);

    if (old != NULL) {
        store->records[old - store->records] = *record;
        return;
    }
    HF_CHECK(store->count < SERVICE_RECORDS);
    store->records[store->count++] = *record;
}

static void delete (struct service_store *store,
                    const struct service_record *record)
{
    const struct service_record *old = find(store, record);

    if (old != NULL)
        store->records[old - store->records] = store->records[--store->count];
}

/* ---- Writes -------------------------------------------------------------- */

static void
apply_change(struct service_store *store, const struct service_change *change)
{
    switch ((enum hf_change_kind)change->kind) {
    case HF_CHANGE_PUT_SESSION:
    case HF_CHANGE_PUT_GRANT:
        put(store, &change->record);
        break;
    case HF_CHANGE_DELETE_SESSION:
    case HF_CHANGE_DELETE_GRANT:
        delete (store, &change->record);
        break;
    case HF_CHANGE_PUT_AUDIT:
        break;
    }
}

bool
service_store_may_apply(const struct service_store *store,
                        const struct service_call *call)
{
    return call->expects == store->version &&
           !(call->marks && store->marker == call->over);
}

static void
write(struct service_world *world, const struct service_call *call)
{
    struct service_store *store = &world->store;
    uint64_t token = store->head.token;

    service_promise_head(world, &call->head);
    service_promise_batch(world, &call->batch);
    store->version = ++world->given;
    store->forgot = false;
    store->head = call->head;
    store->head.exists = true;
    store->head.token = call->claims ? store->version : token;
    if (call->marks)
        store->marker = call->over;
    else if (store->marker == call->over)
        store->marker = 0;
    for (unsigned i = 0; i < call->batch.count; i++)
        apply_change(store, &call->batch.changes[i]);
    if (call->claims && (world->config->loses & SERVICE_LOSES_LOG) != 0)
        service_store_keep(world); /* before anything of the term is told */
}

void
service_store_serve(struct service_world *world, unsigned node,
                    struct service_call *call)
{
    struct service_store *store = &world->store;

    HF_CHECK(call->asked != SERVICE_QUIET && !call->done);
    call->done = true;
    call->verdict = HF_APPLIED;
    if (call->asked == SERVICE_READS) {
        call->head = store->head;
        call->forgot = world->nodes[node].forgot;
    } else if (call->asked == SERVICE_WRITES &&
               !service_store_may_apply(store, call)) {
        call->verdict = HF_REFUSED;
    } else if (call->asked == SERVICE_WRITES) {
        write(world, call);
        world->nodes[node].forgot = false;
        if (call->batch.number > world->nodes[node].applied)
            world->nodes[node].applied = call->batch.number;
    }
    call->version = store->version;
}

void
service_store_orphan(struct service_world *world)
{
    struct service_call call = world->orphan;

    world->orphan = (struct service_call){0};
    write(world, &call);
}

/* ---- Losses -------------------------------------------------------------- */

void
service_store_keep(struct service_world *world)
{
    world->older = world->store;
}

/* A load reads what is there when it is done. */
static void
leave_behind(struct service_node *node)
{
    node->unaware = node->alive;
    for (unsigned i = 0; i < SERVICE_CALLS; i++)
        if (node->calls[i].asked == SERVICE_LOADS)
            node->calls[i].done = false;
}

/* This is left of it.  Calls under way to it end with the old place. */
static void
lose(struct service_world *world, const struct service_store *left)
{
    service_promise_loses(world, left);
    world->store = *left;
    world->orphan = (struct service_call){0};
    for (unsigned i = 0; i < world->config->nodes; i++)
        leave_behind(&world->nodes[i]);
}

static bool
leaves_a_trace(const struct service_world *world)
{
    return (world->config->loses & SERVICE_LOSES_TRACE) == 0;
}

void
service_store_remove(struct service_world *world)
{
    const struct service_store nothing = {
        .version = ++world->given,
        .forgot = leaves_a_trace(world),
        .head.served = world->store.head.served,
    };

    lose(world, &nothing);
}

bool
service_store_says_silent(const struct service_store *store)
{
    for (unsigned i = 0; i < store->count; i++)
        if (store->records[i].silent_from.ms != 0)
            return true;
    return false;
}

/* A copy names another place than it stands in, and a head with a node says
 * that its log should be there.  Where nothing is compared with its count, it
 * counts as if leaders had served nothing since. */
void
service_store_return(struct service_world *world)
{
    struct service_store older = world->older;

    if (!service_store_says_silent(&older))
        older.head.served = world->store.head.served;
    older.forgot =
        older.head.led || (world->config->loses & SERVICE_LOSES_COPY) != 0;
    lose(world, &older);
}
