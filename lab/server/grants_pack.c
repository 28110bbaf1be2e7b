#include "lab/server/grants_pack.h"

#include <string.h>

#include "base/check.h"

/* A claim; of each name its mode, two bits each. */
struct packed_claim {
    uint8_t state; /* an enum snapshot_claim_state */
    uint8_t modes;
    uint8_t place;  /* of one that waits; of a grant its fence, if that tells */
    uint8_t waited; /* GATHERED */
    uint8_t flags;  /* the snapshot's */
    uint8_t free;
};

struct packed_lane {
    uint8_t state;
    uint8_t current; /* its last request is the last of its claims */
    uint8_t suspected;
    struct packed_claim claims[SNAPSHOT_CLAIMS];
};

struct packed_rest {
    uint8_t gathers;
};

void
grants_parts(const struct grants_config *config,
             uint16_t parts[EXPLORE_PARTS_MAX])
{
    parts[0] = sizeof(struct packed_rest);
    for (unsigned i = 0; i < config->world.clients; i++)
        parts[1 + i] = sizeof(struct packed_lane);
}

/* ---- Packing ------------------------------------------------------------- */

/* How many grants are older than that one, and it. */
static uint8_t
rank_of_fence(const struct snapshot *snapshot, unsigned clients, uint8_t fence)
{
    uint8_t rank = 0;

    for (unsigned i = 0; i < clients * SNAPSHOT_CLAIMS; i++) {
        const struct snapshot_claim *claim =
            &snapshot->clients[i / SNAPSHOT_CLAIMS].claims[i % SNAPSHOT_CLAIMS];

        if (claim->state >= SNAPSHOT_HELD && claim->fence <= fence)
            rank++;
    }
    return rank;
}

/* In what order grants were given changes nothing but the order in which a
 * search looks at them: that matters only where it may end too early. */
static bool
fences_tell(const struct grants_config *config)
{
    return config->limits.search != 0;
}

static struct packed_claim
pack_claim(const struct grants_world *world, const struct snapshot_claim *from,
           bool free)
{
    struct packed_claim claim = {.state = from->state, .flags = from->flags};

    for (unsigned i = 0; i < SNAPSHOT_NAMES; i++)
        claim.modes |= (uint8_t)(from->modes[i] << 2 * i);
    if (from->state < SNAPSHOT_HELD) {
        claim.place = from->place;
        claim.waited = from->waited;
        claim.free = free;
    } else if (fences_tell(world->config)) {
        claim.place = rank_of_fence(&world->snapshot,
                                    world->config->world.clients, from->fence);
    }
    return claim;
}

static void
pack_lane(const struct grants_world *world, unsigned who,
          struct packed_lane *lane)
{
    const struct snapshot_client *client = &world->snapshot.clients[who];

    memset(lane, 0, sizeof(*lane));
    lane->state = client->state;
    lane->suspected = client->session == HF_SESSION_SUSPECTED;
    for (unsigned i = 0; i < SNAPSHOT_CLAIMS; i++) {
        if (client->claims[i].state == SNAPSHOT_NONE)
            break;
        lane->claims[i] = pack_claim(world, &client->claims[i],
                                     world->oracle.lanes[who].free);
        lane->current = client->claims[i].n == client->n;
    }
}

static void
sort(struct packed_lane *lanes, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        struct packed_lane lane = lanes[i];
        unsigned at = i;

        while (at > 0 && memcmp(&lane, &lanes[at - 1], sizeof(lane)) > 0) {
            lanes[at] = lanes[at - 1];
            at--;
        }
        lanes[at] = lane;
    }
}

/* Orders of names; the first of each two, six are of as many names. */
static const uint8_t orders[6][SNAPSHOT_NAMES] = {
    {0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0},
};
static const unsigned orders_of[SNAPSHOT_NAMES + 1] = {1, 1, 2, 6};

static uint8_t
rename_modes(uint8_t modes, const uint8_t order[SNAPSHOT_NAMES])
{
    uint8_t renamed = 0;

    for (unsigned i = 0; i < SNAPSHOT_NAMES; i++)
        renamed |= (uint8_t)((modes >> 2 * i & 3) << 2 * order[i]);
    return renamed;
}

/* The same with other names. */
static void
rename_all(const struct packed_lane *from, unsigned count,
           const uint8_t order[SNAPSHOT_NAMES], struct packed_lane *to)
{
    for (unsigned i = 0; i < count; i++) {
        to[i] = from[i];
        for (unsigned k = 0; k < SNAPSHOT_CLAIMS; k++)
            to[i].claims[k].modes =
                rename_modes(from[i].claims[k].modes, order);
    }
}

/* Of all orders of lanes and names, the one of the greatest bytes. */
static void
choose_order(const struct grants_config *config, struct packed_lane *lanes)
{
    unsigned count = config->world.clients;
    size_t size = count * sizeof(*lanes);
    unsigned renamings = config->names_alike ? orders_of[config->names] : 1;
    struct packed_lane best[SNAPSHOT_CLIENTS] = {{.state = 0}};

    for (unsigned i = 0; i < renamings; i++) {
        struct packed_lane renamed[SNAPSHOT_CLIENTS];

        rename_all(lanes, count, orders[i], renamed);
        if (config->world.alike)
            sort(renamed, count);
        if (memcmp(renamed, best, size) > 0)
            memcpy(best, renamed, size);
    }
    memcpy(lanes, best, size);
}

void
grants_pack(const struct grants_world *world, uint8_t *bytes)
{
    const struct grants_config *config = world->config;
    struct packed_rest rest = {.gathers = world->snapshot.gathers};
    struct packed_lane lanes[SNAPSHOT_CLIENTS];

    for (unsigned i = 0; i < config->world.clients; i++)
        pack_lane(world, i, &lanes[i]);
    choose_order(config, lanes);
    memcpy(bytes, &rest, sizeof(rest));
    memcpy(bytes + sizeof(rest), lanes,
           config->world.clients * sizeof(lanes[0]));
}

/* ---- Unpacking ----------------------------------------------------------- */

static void
unpack_claim(const struct packed_claim *from, uint8_t n, uint8_t fence,
             struct snapshot_claim *claim)
{
    *claim = (struct snapshot_claim){
        .state = from->state,
        .n = n,
        .flags = from->flags,
        .limit = SNAPSHOT_NEVER,
        .waited = from->waited,
    };
    for (unsigned i = 0; i < SNAPSHOT_NAMES; i++)
        claim->modes[i] = from->modes >> 2 * i & 3;
    if (from->state >= SNAPSHOT_HELD)
        claim->fence = from->place != 0 ? from->place : fence;
    else
        claim->place = from->place;
}

/* Its wait goes on for as long as its state says. */
static void
unpack_wait(unsigned who, uint8_t state, struct snapshot_claim *claim)
{
    bool parked = state == HF_LANE_PARKED;

    claim->stream = parked ? 0 : (uint8_t)(who + 1);
    claim->timer = parked ? GRANTS_RESUME_GRACE : GRANTS_BLOCKING;
}

/* Its claims are numbered from 1; its last request is the last of them, or is
 * none. */
static void
unpack_lane(const struct packed_lane *from, unsigned who, uint8_t *fence,
            struct snapshot_client *client)
{
    unsigned count = 0;

    *client = (struct snapshot_client){
        .session = from->suspected ? HF_SESSION_SUSPECTED : HF_SESSION_LIVE,
        .timer = from->suspected ? SNAPSHOT_NEVER : 0,
        .lane = 1,
        .state = from->state,
        .over = from->current ? HF_OVER_CLEARED : HF_OVER_RELEASED,
        .a = 1,
    };
    for (; count < SNAPSHOT_CLAIMS; count++) {
        const struct packed_claim *claim = &from->claims[count];

        if (claim->state == SNAPSHOT_NONE)
            break;
        unpack_claim(claim, (uint8_t)(count + 1), (uint8_t)(*fence + 1),
                     &client->claims[count]);
        if (claim->state >= SNAPSHOT_HELD) {
            ++*fence;
            client->recorded = 1;
        } else {
            unpack_wait(who, from->state, &client->claims[count]);
        }
    }
    client->n = (uint8_t)(count + !from->current);
}

static struct grants_modes
modes_of(const struct snapshot_claim *claim)
{
    struct grants_modes modes;

    memcpy(modes.of, claim->modes, sizeof(modes.of));
    return modes;
}

/* The oracle's side of it. */
static void
tell_oracle(const struct snapshot_client *client,
            const struct packed_lane *from, struct grants_lane *lane)
{
    unsigned grants = 0;

    *lane = (struct grants_lane){
        .state = client->state,
        .over = client->over,
        .n = client->n,
        .a = client->a,
        .suspected = from->suspected != 0,
    };
    for (unsigned i = 0; i < SNAPSHOT_CLAIMS; i++) {
        const struct snapshot_claim *claim = &client->claims[i];

        if (claim->state >= SNAPSHOT_HELD) {
            lane->grants[grants++] = (struct grants_grant){
                .n = claim->n,
                .fence = claim->fence,
                .revoked = claim->state == SNAPSHOT_REVOKED,
                .modes = modes_of(claim),
            };
        } else if (claim->state != SNAPSHOT_NONE) {
            lane->order = claim->place;
            lane->waited = claim->waited;
            lane->placed = claim->state == SNAPSHOT_WAITING;
            lane->free = from->claims[i].free != 0;
            lane->stream = claim->stream;
            lane->wants = modes_of(claim);
        }
    }
}

void
grants_unpack(const struct grants_config *config, const uint8_t *bytes,
              struct grants_world *world)
{
    unsigned clients = config->world.clients;
    struct packed_rest rest;
    struct packed_lane lanes[SNAPSHOT_CLIENTS];
    uint8_t fence = 0;

    memcpy(&rest, bytes, sizeof(rest));
    memcpy(lanes, bytes + sizeof(rest), clients * sizeof(lanes[0]));
    world->config = config;
    world->snapshot_config = grants_snapshot(config);
    world->violated = NULL;
    world->now = SNAPSHOT_NOW;
    world->streams = SNAPSHOT_CLIENTS;
    world->oracle = (struct grants_oracle){
        .clients = (uint8_t)clients,
        .gathers = rest.gathers,
        .limits = config->limits,
    };
    world->snapshot = (struct snapshot){.gathers = rest.gathers};
    for (unsigned i = 0; i < clients; i++) {
        unpack_lane(&lanes[i], i, &fence, &world->snapshot.clients[i]);
        tell_oracle(&world->snapshot.clients[i], &lanes[i],
                    &world->oracle.lanes[i]);
    }
    world->snapshot.next_fence = (uint8_t)(fence + 1);
    snapshot_build(&world->snapshot, &world->snapshot_config, &world->block);
}
