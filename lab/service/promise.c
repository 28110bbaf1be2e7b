#include "lab/service/promise.h"

#include "core/session/parts.h"
#include "lab/server/promises.h"

static void
violate(struct service_world *world, const char *promise)
{
    if (world->violated == NULL)
        world->violated = promise;
}

/* ---- What a client is told ----------------------------------------------- */

static void
on_granted(struct service_world *world, unsigned lock, uint64_t fence)
{
    if (fence == world->cleared.fence)
        return; /* it is not known here yet */
    if (fence <= world->told[lock])
        violate(world, SERVER_FENCES);
    world->told[lock] = fence;
}

/* Is it what a wait ends with that was in vain? */
static bool
is_of_a_wait(enum hf_outcome outcome)
{
    return outcome == HF_TIMED_OUT || outcome == HF_HELD_TOO_LONG ||
           outcome == HF_SUSPECTED_DEAD || outcome == HF_GONE;
}

void
service_promise_tell(struct service_world *world, unsigned number,
                     const struct hf_session_notice *tell)
{
    const struct service_client *client = &world->clients[number];
    unsigned lock = (unsigned)tell->id - 1;
    bool over = hf_reached(client->clock, client->deadlines[lock]);

    if ((tell->news & HF_NEWS_GRANTED) != 0) {
        if (over)
            violate(world, SERVER_TOO_LATE);
        on_granted(world, lock, tell->fence);
    }
    if ((tell->news & HF_NEWS_ENDED) != 0 && tell->status == HF_OK &&
        is_of_a_wait(tell->outcome)) {
        if (!over && tell->outcome != HF_GONE)
            violate(world, SERVER_TOO_SOON);
        if (tell->outcome != (enum hf_outcome)client->expects[lock])
            violate(world, SERVER_NOT_SEEN);
    }
    if ((tell->news & HF_NEWS_SUSPECTED) != 0 &&
        client->expects[lock] != HF_SUSPECTED_DEAD)
        violate(world, SERVER_NOT_SEEN);
    if ((tell->news & HF_NEWS_LOST) != 0 &&
        world->config->if_dead == HF_REFUSE &&
        tell->fence != world->cleared.fence)
        violate(world, SERVER_OVERRIDDEN);
}

/* Nobody waits for a person. */
void
service_promise_seen(struct service_world *world, unsigned number,
                     unsigned lock)
{
    const struct service_client *client = &world->clients[number];
    const struct hf_wish *wish = service_client_wish(client, lock);

    if (wish != NULL && hf_wish_waits(wish) && client->expects[lock] == HF_GONE)
        violate(world, SERVER_NOT_SEEN);
}

/* Does it hold, as far as it was told, and be it in doubt? */
static const struct hf_wish *
held(const struct service_client *client, unsigned lock)
{
    const struct hf_wish *wish = service_client_wish(client, lock);

    if (wish == NULL ||
        (wish->state != HF_WISH_HELD && wish->state != HF_WISH_IN_DOUBT))
        return NULL;
    return wish;
}

void
service_promise_dies(struct service_world *world, unsigned number)
{
    for (unsigned i = 0; i < world->config->locks; i++) {
        const struct hf_wish *wish = held(&world->clients[number], i);

        if (wish != NULL && world->config->if_dead == HF_REFUSE &&
            wish->fence != world->cleared.fence)
            world->left_behind[i] = wish->fence;
    }
}

/* ---- How long a session is silent ---------------------------------------- */

/* Less than a ttl under the leader that heard it last, and a ttl from the next.
 * A tick in which a node begins to serve is none in which it served. */
static unsigned
silent_most(const struct service_world *world)
{
    return 2 * world->config->ttl - 1;
}

static bool
serves(const struct service_node *node)
{
    return node->alive && !node->frozen && node->node.state == HF_NODE_SERVING;
}

void
service_promise_hears(struct service_world *world, unsigned node,
                      uint64_t session)
{
    if (session != 0 && serves(&world->nodes[node]))
        world->silent[session - 1] = 0;
}

static void
count_silences(struct service_world *world)
{
    bool served = false;

    for (unsigned i = 0; i < world->config->nodes; i++) {
        struct service_node *node = &world->nodes[i];

        served = served || (node->served && serves(node));
        node->served = serves(node);
    }
    for (unsigned i = 0; served && i < SERVICE_CLIENTS * SERVICE_SESSIONS; i++)
        if (world->silent[i] <= silent_most(world))
            world->silent[i]++;
}

static void
check_silences(struct service_world *world)
{
    for (unsigned i = 0; i < SERVICE_CLIENTS * SERVICE_SESSIONS; i++) {
        if (service_store_session(&world->store, i + 1) == NULL)
            world->silent[i] = 0;
        if (world->silent[i] > silent_most(world))
            violate(world, SERVER_OUTLIVES);
    }
}

/* ---- What a node lets out ------------------------------------------------ */

void
service_promise_due(struct service_world *world, unsigned node,
                    const struct service_stream *stream)
{
    if (world->nodes[node].applied <= stream->arrived)
        violate(world, SERVER_NOT_WRITTEN);
}

/* ---- What the store is given --------------------------------------------- */

/* Of the head that takes the place of the store's. */
void
service_promise_head(struct service_world *world,
                     const struct service_head *head)
{
    if (head->served.ms < world->store.head.served.ms)
        violate(world, SERVER_UNCOUNTED);
}

/* A refuse grant leaves the store. */
static void
on_gone(struct service_world *world, const struct service_record *grant)
{
    if (world->config->if_dead != HF_REFUSE ||
        grant->fence == world->cleared.fence ||
        service_store_session(&world->store, grant->session) == NULL)
        return;
    if (world->left_behind[grant->lock] == grant->fence)
        violate(world, SERVER_OVERRIDDEN);
    for (unsigned i = 0; i < world->config->world.clients; i++) {
        const struct hf_wish *wish = held(&world->clients[i], grant->lock);

        if (wish != NULL && wish->fence == grant->fence)
            violate(world, SERVER_OVERRIDDEN);
    }
}

static void
on_put_grant(struct service_world *world, const struct service_record *record)
{
    if (service_store_grant(&world->store, record->fence) != NULL)
        return;
    if (world->believed[record->lock] > 0)
        violate(world, SERVER_FORGOTTEN);
    if (record->fence <= world->highest)
        violate(world, SERVER_FENCES);
    if (record->fence > world->highest)
        world->highest = record->fence;
}

static void
on_delete_session(struct service_world *world, uint64_t session)
{
    for (unsigned i = 0; i < world->store.count; i++)
        if (world->store.records[i].fence != 0 &&
            world->store.records[i].session == session)
            on_gone(world, &world->store.records[i]);
}

static void
on_delete_grant(struct service_world *world, uint64_t fence)
{
    const struct service_record *grant =
        service_store_grant(&world->store, fence);

    if (grant != NULL)
        on_gone(world, grant);
}

void
service_promise_batch(struct service_world *world,
                      const struct service_batch *batch)
{
    for (unsigned i = 0; i < batch->count; i++) {
        const struct service_record *record = &batch->changes[i].record;

        switch ((enum hf_change_kind)batch->changes[i].kind) {
        case HF_CHANGE_PUT_GRANT:
            on_put_grant(world, record);
            break;
        case HF_CHANGE_DELETE_SESSION:
            on_delete_session(world, record->session);
            break;
        case HF_CHANGE_DELETE_GRANT:
            on_delete_grant(world, record->fence);
            break;
        case HF_CHANGE_PUT_SESSION:
        case HF_CHANGE_PUT_AUDIT:
            break;
        }
    }
}

/* ---- Time ---------------------------------------------------------------- */

void
service_promise_tick(struct service_world *world)
{
    struct service_cleared *cleared = &world->cleared;

    for (unsigned i = 0; i < world->config->locks; i++)
        if (world->believed[i] > 0)
            world->believed[i]--;
    if (cleared->fence != 0 &&
        service_store_grant(&world->store, cleared->fence) == NULL &&
        cleared->age <= world->config->ttl + world->config->slips)
        cleared->age++;
    if (world->config->silences)
        count_silences(world);
}

/* ---- What is lost -------------------------------------------------------- */

/* A grant is there while its session is [S3]. */
static bool
is_recorded(const struct service_store *store, uint64_t fence)
{
    const struct service_record *grant = service_store_grant(store, fence);

    return grant != NULL &&
           service_store_session(store, grant->session) != NULL;
}

/* Whoever holds it may believe in it yet, by what he sent before: others may
 * not.  The last tick of a ttl is its holder's margin. */
static void
on_forgotten(struct service_world *world, const struct service_record *grant)
{
    world->forgotten[grant->lock] = grant->fence;
    world->believed[grant->lock] = (uint8_t)(world->config->ttl - 1);
}

void
service_promise_loses(struct service_world *world,
                      const struct service_store *left)
{
    const struct service_store *store = &world->store;

    for (unsigned i = 0; i < store->count; i++) {
        const struct service_record *grant = &store->records[i];

        if (grant->fence != 0 && is_recorded(store, grant->fence) &&
            !is_recorded(left, grant->fence))
            on_forgotten(world, grant);
    }
}

/* ---- Every state --------------------------------------------------------- */

/* The client that believes in it by its own clock. */
static void
check_believer(struct service_world *world, unsigned lock, uint64_t fence)
{
    if (fence == world->forgotten[lock])
        return; /* while nobody else does */
    if (fence == world->cleared.fence) {
        if (world->cleared.age > world->config->ttl + world->config->slips)
            violate(world, SERVER_UNHEARD);
    } else if (!is_recorded(&world->store, fence)) {
        violate(world, SERVER_UNRECORDED);
    }
}

static void
check_lock(struct service_world *world, unsigned lock)
{
    unsigned believers = 0;

    for (unsigned i = 0; i < world->config->world.clients; i++) {
        const struct service_client *client = &world->clients[i];

        if (service_client_holds(client, lock) != HF_GRANTED)
            continue;
        check_believer(world, lock, service_client_wish(client, lock)->fence);
        if (service_client_wish(client, lock)->fence != world->cleared.fence)
            believers++;
    }
    if (believers > 1)
        violate(world, SERVER_OVERLAP);
}

/* Two that nobody would call void. */
static void
check_store(struct service_world *world)
{
    const struct service_store *store = &world->store;

    for (unsigned i = 0; i < store->count; i++)
        for (unsigned k = i + 1; k < store->count; k++)
            if (store->records[i].fence != 0 && store->records[k].fence != 0 &&
                store->records[i].lock == store->records[k].lock &&
                is_recorded(store, store->records[i].fence) &&
                is_recorded(store, store->records[k].fence))
                violate(world, SERVER_CONFLICT);
}

/* Has it a grant of that fence, or will it hear of one? */
static bool
knows(const struct service_world *world, const struct service_client *client,
      uint64_t fence)
{
    for (unsigned i = 0; i < world->config->locks; i++) {
        const struct hf_wish *wish = service_client_wish(client, i);

        if (wish != NULL && wish->fence == fence)
            return true;
    }
    for (unsigned i = 0; i < SERVICE_STREAMS; i++)
        if (client->streams[i].heard &&
            client->streams[i].answer.kind == HF_ANSWER_GRANTED &&
            client->streams[i].answer.fence == fence)
            return true;
    return false;
}

/* It is not of interest any more: nobody believes in it, and the store does not
 * have it. */
static void
forget_cleared(struct service_world *world)
{
    uint64_t fence = world->cleared.fence;

    if (fence == 0 || world->cleared.age == 0)
        return;
    for (unsigned i = 0; i < world->config->world.clients; i++)
        if (knows(world, &world->clients[i], fence))
            return;
    world->cleared = (struct service_cleared){0};
}

static void
forget_forgotten(struct service_world *world, unsigned lock)
{
    for (unsigned i = 0; i < world->config->world.clients; i++)
        if (knows(world, &world->clients[i], world->forgotten[lock]))
            return;
    world->forgotten[lock] = 0;
}

void
service_promise_state(struct service_world *world)
{
    for (unsigned i = 0; i < world->config->locks; i++)
        check_lock(world, i);
    for (unsigned i = 0; i < world->config->locks; i++)
        if (world->forgotten[i] != 0)
            forget_forgotten(world, i);
    check_store(world);
    forget_cleared(world);
    if (world->config->silences)
        check_silences(world);
}
