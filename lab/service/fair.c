#include "lab/server/promises.h"
#include "lab/service/world.h"

/* Steps of a fair way, in which a tick has some tens of them. */
enum { STEPS_MAX = 6000 };

/* Those of a fair and prompt world, in order; what a fault made late comes. */
static const enum service_act order[] = {
    SERVICE_RESUME,     SERVICE_REACH,  SERVICE_WAKE,   SERVICE_HEAL,
    SERVICE_SERVE,      SERVICE_ANSWER, SERVICE_ARRIVE, SERVICE_END,
    SERVICE_HEAR,       SERVICE_START,  SERVICE_ORPHAN, SERVICE_CLOCK,
    SERVICE_NODE_CLOCK, SERVICE_BEGIN,
};

/* Do the first of them that is possible; false: none is. */
static bool
go_on(struct service_world *world)
{
    for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++)
        for (unsigned who = 0; who < WORLD_WHO_MAX; who++)
            if (service_allowed(world, order[i], who)) {
                service_apply(world, order[i], who);
                return true;
            }
    return false;
}

/* ---- Everybody wants everything ------------------------------------------ */

static unsigned
of_locks(const struct service_world *world)
{
    return world->config->world.clients * SERVICE_LOCKS;
}

/* A bit for each lock that each client has held. */
struct turns {
    uint32_t had;
    uint32_t all;
    bool ends; /* nobody wants anything any more */
};

/* A client that holds a lock has had it, and gives it back. */
static bool
give_back(struct service_world *world, struct turns *turns)
{
    for (unsigned who = 0; who < of_locks(world); who++) {
        bool holds = service_client_holds(&world->clients[who / SERVICE_LOCKS],
                                          who % SERVICE_LOCKS) == HF_GRANTED;

        if (holds)
            turns->had |= UINT32_C(1) << who;
        if ((holds || turns->ends) &&
            service_allowed(world, SERVICE_RELEASE, who)) {
            service_apply(world, SERVICE_RELEASE, who);
            return true;
        }
    }
    return false;
}

/* A client that has not had a lock wants it. */
static bool
want(struct service_world *world, const struct turns *turns)
{
    for (unsigned who = 0; !turns->ends && who < of_locks(world); who++)
        if ((turns->had >> who & 1) == 0 &&
            service_allowed(world, SERVICE_WANT, who)) {
            service_apply(world, SERVICE_WANT, who);
            return true;
        }
    return false;
}

/* Is it held by a session that nobody speaks for any more? */
static bool
is_left_behind(const struct service_world *world,
               const struct service_record *grant)
{
    unsigned client = (unsigned)(grant->session - 1) / SERVICE_SESSIONS;

    return grant->fence != 0 &&
           service_store_session(&world->store, grant->session) != NULL &&
           service_client_session(&world->clients[client]) != grant->session;
}

/* An operator clears it: where nobody may take it by time, nobody else can. */
static bool
clear(struct service_world *world)
{
    for (unsigned i = 0; i < world->store.count; i++) {
        const struct service_record *grant = &world->store.records[i];

        if (is_left_behind(world, grant) &&
            service_allowed(world, SERVICE_CLEAR, grant->lock)) {
            service_apply(world, SERVICE_CLEAR, grant->lock);
            return true;
        }
    }
    return false;
}

static bool
is_empty(const struct service_world *world)
{
    for (unsigned i = 0; i < world->store.count; i++)
        if (world->store.records[i].fence != 0)
            return false;
    return true;
}

static void
begin(const struct service_world *world, struct turns *turns)
{
    *turns = (struct turns){0};
    for (unsigned who = 0; who < of_locks(world); who++)
        if (who % SERVICE_LOCKS < world->config->locks)
            turns->all |= UINT32_C(1) << who;
}

/* ---- The property -------------------------------------------------------- */

/* A leader that is dead is found so, and what a dead client holds is free; both
 * may begin anew once, by a change of leader; and each client's own turn.
 * After a loss a grace goes before, which each who notices it may lengthen. */
static unsigned
ticks_max(const struct service_config *config)
{
    unsigned graces = config->loses == 0 ? 0 : 1 + config->nodes;

    return graces * (config->leader_ttl + config->ttl) +
           3 * (config->leader_ttl + config->ttl) +
           config->world.clients * config->locks * (config->blocking + 4) + 12;
}

const char *
service_fair(const struct service_world *from, unsigned *ticks)
{
    struct service_world world;
    struct turns turns;

    service_copy(from->config, &world, from);
    begin(&world, &turns);
    *ticks = 0;
    for (unsigned i = 0; i < STEPS_MAX && world.violated == NULL; i++) {
        if (turns.had == turns.all)
            turns.ends = true;
        if (turns.ends && is_empty(&world))
            return NULL;
        if (go_on(&world) || clear(&world) || give_back(&world, &turns) ||
            want(&world, &turns))
            continue;
        if (++*ticks > ticks_max(world.config))
            break;
        service_apply(&world, SERVICE_TICK, 0);
    }
    if (world.violated != NULL)
        return world.violated;
    return turns.ends ? SERVER_REMAINS : SERVER_STUCK;
}
