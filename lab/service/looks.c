#include "lab/service/looks.h"

#include "core/lockspace/look.h"
#include "core/session/parts.h"
#include "lab/server/snapshot.h"
#include "lab/service/client.h"
#include "lab/service/promise.h"

/* NULL: nobody leads whom a client could ask. */
static struct hf_lockspace *
leader_of(const struct service_world *world)
{
    for (unsigned i = 0; i < world->config->nodes; i++) {
        const struct service_node *node = &world->nodes[i];

        if (node->alive && !node->frozen && node->node.state == HF_NODE_SERVING)
            return service_lockspace(node);
    }
    return NULL;
}

static bool
find_holder(const struct service_world *world, unsigned lock,
            struct hf_look_claim *holder)
{
    const struct hf_want want = snapshot_want(lock, HF_EXCLUSIVE);
    struct hf_lockspace *ls = leader_of(world);
    struct hf_look_name name;
    uint32_t cursor = 0;

    return ls != NULL && hf_look_find(ls, &want, &name) &&
           hf_look_holders(ls, name.number, &cursor, holder);
}

uint64_t
service_looks_holder(const struct service_world *world, unsigned lock)
{
    struct hf_look_claim holder;

    return find_holder(world, lock, &holder) ? holder.fence : 0;
}

void
service_looks_changed(struct service_world *world, unsigned lock)
{
    for (unsigned i = 0; i < world->config->world.clients; i++)
        world->clients[i].changed[lock] = true;
}

/* ---- What is seen -------------------------------------------------------- */

/* All processes are of one host. */
static enum hf_life
life_of(const struct service_world *world, const struct hf_look_claim *holder)
{
    struct hf_lockspace *ls = leader_of(world);
    struct hf_look_session session;
    int64_t silent_ms;

    hf_look_session_at(ls, hf_look_session(ls, holder->session), &session);
    silent_ms = hf_between(session.heard_at, world->now).ms;
    if (!world->clients[(holder->session - 1) / SERVICE_SESSIONS].alive)
        return HF_LIFE_GONE;
    if (session.suspected)
        return HF_LIFE_SUSPECTED;
    return session.heard && silent_ms <= session.ttl.ms / 2 ? HF_LIFE_BEATING
                                                            : HF_LIFE_UNKNOWN;
}

/* The outcome that the wait must have at its deadline. */
static enum hf_outcome
expected(const struct hf_blocker *blocker, bool changed)
{
    if (blocker->if_dead == HF_REFUSE && blocker->life == HF_LIFE_GONE)
        return HF_GONE;
    if (blocker->if_dead == HF_REFUSE && blocker->life == HF_LIFE_SUSPECTED)
        return HF_SUSPECTED_DEAD;
    return blocker->life == HF_LIFE_BEATING && !changed ? HF_HELD_TOO_LONG
                                                        : HF_TIMED_OUT;
}

/* ---- Looking ------------------------------------------------------------- */

bool
service_may_look(const struct service_world *world, unsigned who)
{
    const struct service_client *client = &world->clients[who / SERVICE_LOCKS];
    const struct hf_wish *wish =
        service_client_wish(client, who % SERVICE_LOCKS);

    return world->config->looks && wish != NULL && hf_wish_waits(wish) &&
           !client->stalled && !client->away && leader_of(world) != NULL;
}

/* An answer that comes at the deadline comes too late. */
void
service_look(struct service_world *world, unsigned who)
{
    struct service_client *client = &world->clients[who / SERVICE_LOCKS];
    unsigned lock = who % SERVICE_LOCKS;
    bool changed = client->changed[lock];
    struct hf_blocker blocker = {.kind = HF_BLOCKER_UNKNOWN};
    struct hf_look_claim holder;

    if (find_holder(world, lock, &holder))
        blocker = (struct hf_blocker){
            .kind = HF_BLOCKER_HOLDER,
            .life = life_of(world, &holder),
            .if_dead = world->config->if_dead,
            .since = changed ? hf_after(client->clock, codec_length(1))
                             : (struct hf_instant){0},
        };
    if (!hf_reached(client->clock, client->deadlines[lock]))
        client->expects[lock] = (uint8_t)expected(&blocker, changed);
    service_client_see(world, who / SERVICE_LOCKS, lock, &blocker);
    service_promise_seen(world, who / SERVICE_LOCKS, lock);
}
