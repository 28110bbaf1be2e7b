#include "lab/server/waiting_pack.h"

#include <stdlib.h>
#include <string.h>

#include "lab/world/names.h"

/* All that is one client's, here and in the machine; bytes without a gap. */
struct packed_client {
    struct waiting_client client;
    struct snapshot_client snapshot;
};

/* And what is nobody's. */
struct packed_rest {
    uint8_t next_fence;
};

void
waiting_parts(const struct waiting_config *config,
              uint16_t parts[EXPLORE_PARTS_MAX])
{
    parts[0] = sizeof(struct packed_rest);
    for (unsigned i = 0; i < config->world.clients; i++)
        parts[1 + i] = sizeof(struct packed_client);
}

/* ---- Streams ------------------------------------------------------------- */

/* A stream, and by what else it is known. */
struct keyed_stream {
    struct waiting_stream stream;
    uint8_t listener;
    uint8_t claims; /* that are answered on it: a bit each */
};

static int
compare_streams(const void *a, const void *b)
{
    return memcmp(b, a, sizeof(struct keyed_stream));
}

/* The machine has them by their numbers; here they are indexes, and one. */
static void
sort_streams(struct packed_client *packed)
{
    struct keyed_stream keyed[WAITING_STREAMS];

    for (unsigned i = 0; i < WAITING_STREAMS; i++) {
        keyed[i] = (struct keyed_stream){
            .stream = packed->client.streams[i],
            .listener = packed->client.listener == i + 1,
        };
        for (unsigned k = 0; k < SNAPSHOT_CLAIMS; k++) {
            uint8_t number = packed->snapshot.claims[k].stream;

            if (number != 0 && (number - 1U) % WAITING_STREAMS == i)
                keyed[i].claims |= (uint8_t)(1U << k);
        }
    }
    qsort(keyed, WAITING_STREAMS, sizeof(keyed[0]), compare_streams);
    for (unsigned i = 0; i < WAITING_STREAMS; i++) {
        packed->client.streams[i] = keyed[i].stream;
        if (keyed[i].listener)
            packed->client.listener = (uint8_t)(i + 1);
        for (unsigned k = 0; k < SNAPSHOT_CLAIMS; k++)
            if ((keyed[i].claims >> k & 1) != 0)
                packed->snapshot.claims[k].stream = (uint8_t)(i + 1);
    }
}

/* ---- Ranks --------------------------------------------------------------- */

/* Numbers that stand in many places, of which only the order matters. */
struct places {
    uint8_t *at[64];
    unsigned count;
};

static void
add_place(struct places *places, uint8_t *at)
{
    if (*at != 0)
        places->at[places->count++] = at;
}

/* Returns how many different ones there are. */
static uint8_t
rank_all(const struct places *places)
{
    struct ranks ranks = {0};

    for (unsigned i = 0; i < places->count; i++)
        ranks_add(&ranks, *places->at[i]);
    ranks_settle(&ranks);
    for (unsigned i = 0; i < places->count; i++)
        *places->at[i] = ranks.of[*places->at[i]];
    return ranks.count;
}

/* Of one client: its requests and its attempts. */
static void
rank_requests(struct packed_client *packed)
{
    struct places n = {0};
    struct places a = {0};

    add_place(&n, &packed->client.n);
    add_place(&n, &packed->snapshot.n);
    add_place(&a, &packed->client.a);
    add_place(&a, &packed->client.newest);
    add_place(&a, &packed->snapshot.a);
    for (unsigned i = 0; i < WAITING_STREAMS; i++) {
        add_place(&n, &packed->client.streams[i].n);
        add_place(&a, &packed->client.streams[i].a);
    }
    for (unsigned i = 0; i < SNAPSHOT_CLAIMS; i++)
        add_place(&n, &packed->snapshot.claims[i].n);
    rank_all(&n);
    rank_all(&a);
}

/* Of all together: fences, and turns. */
static uint8_t
rank_fences(struct packed_client *packed, unsigned clients)
{
    struct places fences = {0};
    struct places turns = {0};

    for (unsigned i = 0; i < clients; i++) {
        add_place(&fences, &packed[i].client.fence);
        add_place(&turns, &packed[i].client.turn);
        for (unsigned k = 0; k < WAITING_STREAMS; k++)
            add_place(&fences, &packed[i].client.streams[k].fence);
        for (unsigned k = 0; k < SNAPSHOT_CLAIMS; k++)
            add_place(&fences, &packed[i].snapshot.claims[k].fence);
    }
    rank_all(&turns);
    return rank_all(&fences);
}

/* ---- All of it ----------------------------------------------------------- */

/* Fields that are not looked at again. */
static void
leave_out(struct waiting_client *client)
{
    if (client->phase != PHASE_HOLDING)
        client->kept = 0;
    if (client->ended)
        client->silent = 0;
}

static int
compare_clients(const void *a, const void *b)
{
    return memcmp(b, a, sizeof(struct packed_client));
}

void
waiting_pack(const struct waiting_world *world, uint8_t *bytes)
{
    unsigned clients = world->config->world.clients;
    struct packed_client packed[SNAPSHOT_CLIENTS];
    struct packed_rest rest;
    struct snapshot snapshot;

    snapshot_take((const struct hf_lockspace *)world->block.bytes,
                  &world->snapshot, world->now, &snapshot);
    for (unsigned i = 0; i < clients; i++) {
        packed[i] =
            (struct packed_client){world->clients[i], snapshot.clients[i]};
        leave_out(&packed[i].client);
        rank_requests(&packed[i]);
    }
    rest.next_fence = (uint8_t)(rank_fences(packed, clients) + 1);
    for (unsigned i = 0; i < clients; i++)
        sort_streams(&packed[i]);
    if (world->config->world.alike)
        qsort(packed, clients, sizeof(packed[0]), compare_clients);
    memcpy(bytes, &rest, sizeof(rest));
    memcpy(bytes + sizeof(rest), packed, clients * sizeof(packed[0]));
}

void
waiting_unpack(const struct waiting_config *config, const uint8_t *bytes,
               struct waiting_world *world)
{
    struct packed_client packed[SNAPSHOT_CLIENTS];
    struct packed_rest rest;
    struct snapshot snapshot = {0};

    memcpy(&rest, bytes, sizeof(rest));
    memcpy(packed, bytes + sizeof(rest),
           config->world.clients * sizeof(packed[0]));
    world->config = config;
    world->snapshot = waiting_snapshot(config);
    world->violated = NULL;
    world->now = SNAPSHOT_NOW;
    snapshot.next_fence = rest.next_fence;
    for (unsigned i = 0; i < config->world.clients; i++) {
        world->clients[i] = packed[i].client;
        snapshot.clients[i] = packed[i].snapshot;
        for (unsigned k = 0; k < SNAPSHOT_CLAIMS; k++)
            if (snapshot.clients[i].claims[k].stream != 0)
                snapshot.clients[i].claims[k].stream +=
                    (uint8_t)(i * WAITING_STREAMS);
    }
    snapshot_build(&snapshot, &world->snapshot, &world->block);
}
