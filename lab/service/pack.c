#include "lab/service/pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/lockspace/parts.h"
#include "core/session/parts.h"
#include "lab/server/node_codec.h"
#include "lab/server/numbers.h"
#include "lab/server/session_codec.h"
#include "lab/server/snapshot_journal.h"
#include "lab/service/client.h"
#include "lab/service/node.h"
#include "lab/service/store.h"

/*
 * Bytes: what is nobody's; each client, and its streams; each node, and its
 * lockspace.  Before they are written, all numbers become ranks, in a copy of
 * the world that is then thrown away.
 */
enum {
    HEAD_BYTES = 8,
    BATCH_BYTES = 2 + 6 * 8,
    CALL_BYTES = 13 + HEAD_BYTES + BATCH_BYTES,
    STORE_BYTES = 4 + HEAD_BYTES + 5 * 12,
    REST_BYTES = 17 + SERVICE_CLIENTS * SERVICE_SESSIONS + 2 * SERVICE_LOCKS +
                 2 * STORE_BYTES + CALL_BYTES,
    CLIENT_BYTES = SESSION_CODEC_SIZE + 5 + 3 * SERVICE_LOCKS,
    STREAM_BYTES = 40,
    STREAMS_BYTES = SERVICE_STREAMS * STREAM_BYTES,
    NODE_BYTES = NODE_CODEC_SIZE + 7 + BATCH_BYTES + SERVICE_CALLS * CALL_BYTES,
};

struct packed_lockspace {
    struct snapshot snapshot;
    struct snapshot_journal journal;
};

void
service_parts(const struct service_config *config,
              uint16_t parts[EXPLORE_PARTS_MAX])
{
    unsigned count = 0;

    parts[count++] = REST_BYTES;
    for (unsigned i = 0; i < config->world.clients; i++) {
        parts[count++] = CLIENT_BYTES;
        parts[count++] = STREAMS_BYTES;
    }
    for (unsigned i = 0; i < config->nodes; i++) {
        parts[count++] = NODE_BYTES;
        parts[count++] = sizeof(struct packed_lockspace);
    }
}

static struct snapshot_config
snapshot_of(const struct service_config *config)
{
    return (struct snapshot_config){
        .lockspace = service_node_config(config, 0).lockspace,
        .clients = config->world.clients * SERVICE_SESSIONS,
        .if_dead = config->if_dead,
        .ttl = codec_length(config->ttl),
        .tick = codec_length(1),
    };
}

/* ---- What does not matter ------------------------------------------------ */

static void
strip_stream(struct service_stream *stream)
{
    bool answered =
        stream->answered || (stream->stage == SERVICE_BACK && !stream->broken);

    if (!stream->heard)
        stream->number = 0;
    if (stream->stage != SERVICE_THERE)
        stream->arrived = 0;
    if (answered)
        return;
    stream->answer = (struct hf_answer){0};
    stream->term = 0;
    stream->leader = 0;
}

static bool
is_asked(const struct service_node *node, uint64_t number)
{
    for (unsigned i = 0; i < SERVICE_CALLS; i++)
        if (node->calls[i].asked != SERVICE_QUIET &&
            node->calls[i].number == number)
            return true;
    return false;
}

/* A batch is needed while it is under way; what was sent, while somebody can
 * answer it, or it may be the claim that is to be settled. */
static void
strip_node(struct service_node *node)
{
    struct hf_keeper *k = &node->node.leader.contender.keeper;
    bool claims = k->token == 0;

    if (node->node.batch.number == 0)
        node->batch = (struct service_batch){0};
    k->inflight.forgot_claim &= claims;
    for (unsigned i = 0; i < HF_INFLIGHT_MAX; i++) {
        struct hf_sent *sent = &k->inflight.writes[i];

        if (!(claims && sent->kind == HF_ASK_CLAIM) &&
            !is_asked(node, sent->number))
            *sent = (struct hf_sent){0};
    }
}

/* What was told is told, and whoever does not seek begins anew, but for what it
 * was last. */
static void
strip_leader(struct service_node *node)
{
    struct hf_leader *l = &node->node.leader;
    struct hf_contender *c = &l->contender;
    uint64_t claims = c->claims;
    struct hf_heartbeat heartbeat = c->keeper.heartbeat;
    uint64_t asked = c->keeper.question.number;

    l->applied = 0;
    l->service = 0; /* heads have none here */
    if (l->batch.version == 0)
        l->batch = (struct hf_leader_batch){0};
    if (c->keeper.state == HF_KEEPER_IDLE)
        l->next_fence = 0; /* it is said of what is to be claimed */
    if (l->state != HF_LEADER_IDLE)
        return;
    *l = (struct hf_leader){
        .config = l->config,
        .max_ttl = l->max_ttl,
        .grace_until = l->grace_until,
        .forgot = l->forgot,
        .owes = l->owes,
        .owed_at = l->owed_at,
    };
    c->claims = claims;
    c->keeper.heartbeat = heartbeat;
    c->keeper.question.number = asked;
}

/* Where a new leader grants at once, nobody asks how long a wish has waited;
 * and where nobody looks, not when its wait began. */
static void
strip_client(const struct service_config *config, struct service_client *client)
{
    struct hf_session *s = service_session(client);

    for (unsigned i = 0; i < SERVICE_STREAMS; i++)
        strip_stream(&client->streams[i]);
    for (uint32_t at = 1; client->alive && at <= s->wishes.fresh; at++) {
        struct hf_wish *wish = hf_wish_at(s, at);

        wish->alive_at = HF_NEVER; /* nothing is cut */
        if (!config->looks)
            wish->wanted_at = HF_NEVER;
        if (config->takeover_grace == 0 && wish->asked_at.ms != HF_NEVER.ms)
            wish->asked_at = client->clock;
    }
}

static void
strip(struct service_world *world)
{
    for (unsigned i = 0; i < world->config->world.clients; i++)
        strip_client(world->config, &world->clients[i]);
    for (unsigned i = 0; i < world->config->nodes; i++) {
        strip_node(&world->nodes[i]);
        strip_leader(&world->nodes[i]);
    }
    world->orphan.number = 0;
    world->orphan.batch.number = world->orphan.batch.count > 0;
}

/* ---- Sorts of numbers ---------------------------------------------------- */

/* One more than the greatest id of a session in a world that is packed. */
enum { SERVICE_IDS = SNAPSHOT_CLIENTS + 1 };

struct sorts {
    struct numbers versions;
    struct numbers fences;
    struct numbers ids;
    struct numbers streams[SERVICE_CLIENTS];
    struct numbers n[SERVICE_IDS]; /* by the session's id; 0: has none */
    struct numbers a[SERVICE_IDS];
    struct numbers own_n[SERVICE_CLIENTS]; /* of one that has no session yet */
    struct numbers own_a[SERVICE_CLIENTS];
    struct numbers marks[SERVICE_NODES];
    struct numbers batches[SERVICE_NODES];
    struct numbers questions[SERVICE_NODES];
};

/* A codec, and while it ranks the sorts of the numbers. */
struct coder {
    struct codec codec;
    struct sorts *sorts;
};

/* The sorts of numbers that are a node's own; none: nobody's. */
struct own_sorts {
    struct numbers *batches;
    struct numbers *questions;
};

static struct own_sorts
sorts_of_node(const struct coder *coder, unsigned number)
{
    if (!coder->codec.ranks)
        return (struct own_sorts){NULL, NULL};
    return (struct own_sorts){&coder->sorts->batches[number],
                              &coder->sorts->questions[number]};
}

/* ---- What is nobody's ---------------------------------------------------- */

static void
do_head(struct coder *coder, struct service_head *head)
{
    struct codec *codec = &coder->codec;

    CODE(codec, head->exists);
    CODE(codec, head->led);
    CODE_NUMBER(codec, &coder->sorts->versions, head->token);
    CODE_NUMBER(codec, &coder->sorts->ids, head->id);
    CODE(codec, head->count);
    CODE_NUMBER(codec, &coder->sorts->fences, head->next_fence);
    CODE(codec, head->grace);
    codec_ticks(codec, &head->served);
}

static void
do_record(struct coder *coder, struct service_record *record)
{
    struct codec *codec = &coder->codec;

    CODE_NUMBER(codec, &coder->sorts->fences, record->fence);
    CODE(codec, record->session);
    CODE_NUMBER(codec, &coder->sorts->n[record->session], record->n);
    CODE(codec, record->lock);
    codec_ticks(codec, &record->silent_from);
}

static void
do_batch(struct coder *coder, struct numbers *batches,
         struct service_batch *batch)
{
    struct codec *codec = &coder->codec;

    CODE_NUMBER(codec, batches, batch->number);
    CODE(codec, batch->count);
    for (unsigned i = 0; i < batch->count; i++) {
        CODE(codec, batch->changes[i].kind);
        do_record(coder, &batch->changes[i].record);
    }
}

static void
do_call(struct coder *coder, struct own_sorts own, struct service_call *call)
{
    struct coder part = {codec_part(&coder->codec, CALL_BYTES), coder->sorts};
    struct codec *codec = &part.codec;

    CODE(codec, call->asked);
    if (call->asked != SERVICE_QUIET) {
        CODE(codec, call->done);
        CODE(codec, call->late);
        CODE_NUMBER(codec, own.questions, call->number);
        CODE_NUMBER(codec, &coder->sorts->versions, call->expects);
        CODE_NUMBER(codec, &coder->sorts->versions, call->over);
        CODE(codec, call->marks);
        CODE(codec, call->claims);
        CODE(codec, call->forgot);
        do_head(&part, &call->head);
        do_batch(&part, own.batches, &call->batch);
        CODE(codec, call->verdict);
        CODE_NUMBER(codec, &coder->sorts->versions, call->version);
        CODE_NUMBER(codec, &coder->sorts->versions, call->term);
    }
    codec_end(codec);
}

static int
compare_records(const void *a, const void *b)
{
    const struct service_record *left = a;
    const struct service_record *right = b;

    if (left->fence != right->fence)
        return left->fence < right->fence ? -1 : 1;
    return (left->session > right->session) - (left->session < right->session);
}

static void
do_store(struct coder *coder, struct service_store *store)
{
    struct codec *codec = &coder->codec;

    if (!codec->reads)
        qsort(store->records, store->count, sizeof(store->records[0]),
              compare_records);
    CODE_NUMBER(codec, &coder->sorts->versions, store->version);
    CODE(codec, store->forgot);
    CODE_NUMBER(codec, &coder->sorts->versions, store->marker);
    do_head(coder, &store->head);
    CODE(codec, store->count);
    for (unsigned i = 0; i < store->count; i++)
        do_record(coder, &store->records[i]);
}

static void
do_rest(struct coder *coder, struct service_world *world)
{
    struct coder part = {codec_part(&coder->codec, REST_BYTES), coder->sorts};
    struct codec *codec = &part.codec;
    struct own_sorts none = {NULL, NULL}; /* of a node that is gone */

    do_store(&part, &world->store);
    do_store(&part, &world->older);
    CODE(codec, world->kept);
    CODE_NUMBER(codec, &coder->sorts->versions, world->given);
    CODE_NUMBER(codec, &coder->sorts->fences, world->cleared.fence);
    CODE(codec, world->cleared.age);
    for (unsigned i = 0; i < sizeof(world->silent); i++)
        CODE(codec, world->silent[i]);
    CODE_NUMBER(codec, &coder->sorts->fences, world->highest);
    for (unsigned i = 0; i < SERVICE_LOCKS; i++) {
        CODE_NUMBER(codec, &coder->sorts->fences, world->told[i]);
        CODE_NUMBER(codec, &coder->sorts->fences, world->left_behind[i]);
        CODE_NUMBER(codec, &coder->sorts->fences, world->forgotten[i]);
        CODE(codec, world->believed[i]);
    }
    do_call(&part, none, &world->orphan);
    codec_end(codec);
}

/* ---- Streams ------------------------------------------------------------- */

static void
do_message(struct coder *coder, const struct service_config *config,
           struct hf_message *message)
{
    struct codec *codec = &coder->codec;

    CODE(codec, message->kind);
    CODE(codec, message->session);
    CODE_NUMBER(codec, &coder->sorts->versions, message->term);
    CODE(codec, message->lowest);
    CODE(codec, message->lane);
    CODE_NUMBER(codec, &coder->sorts->n[message->session], message->n);
    CODE_NUMBER(codec, &coder->sorts->a[message->session], message->a);
    if (message->kind == HF_MESSAGE_OPEN) {
        message->open.ttl = codec_length(config->ttl);
        message->open.if_dead = config->if_dead;
    } else if (message->kind == HF_MESSAGE_ACQUIRE) {
        CODE(codec, message->acquire.wait);
        codec_ticks(codec, &message->acquire.remaining);
        if (config->takeover_grace == 0)
            message->acquire.waited.ms = 0;
        codec_ticks(codec, &message->acquire.waited);
    }
}

static void
do_answer(struct coder *coder, unsigned node, struct hf_answer *answer)
{
    struct codec *codec = &coder->codec;

    CODE(codec, answer->kind);
    CODE_NUMBER(codec, &coder->sorts->marks[node], answer->mark);
    if (answer->kind == HF_ANSWER_GRANTED) {
        CODE_NUMBER(codec, &coder->sorts->fences, answer->fence);
    } else if (answer->kind == HF_ANSWER_OVER) {
        CODE(codec, answer->over);
    } else if (answer->kind == HF_ANSWER_OPENED ||
               answer->kind == HF_ANSWER_ALIVE) {
        CODE(codec, answer->alive.session);
        CODE(codec, answer->alive.revoked);
    } else if (answer->kind == HF_ANSWER_TERM) {
        answer->pause_us = answer->pause_us > 0;
        CODE(codec, answer->pause_us);
    } else if (answer->kind == HF_ANSWER_LATER) {
        codec_ticks(codec, &answer->grace);
    }
}

static void
do_stream(struct coder *coder, const struct service_config *config,
          struct service_stream *stream)
{
    struct codec *codec = &coder->codec;
    bool answered;

    CODE(codec, stream->stage);
    if (stream->stage == SERVICE_NONE)
        return;
    CODE(codec, stream->node);
    CODE(codec, stream->lock);
    CODE(codec, stream->heard);
    CODE(codec, stream->late);
    CODE(codec, stream->answered);
    CODE(codec, stream->broken);
    CODE_NUMBER(codec, &coder->sorts->streams[stream->client], stream->number);
    CODE_NUMBER(codec, &coder->sorts->batches[stream->node], stream->arrived);
    do_message(coder, config, &stream->message);
    answered =
        stream->answered || (stream->stage == SERVICE_BACK && !stream->broken);
    if (answered) {
        do_answer(coder, stream->node, &stream->answer);
        CODE_NUMBER(codec, &coder->sorts->versions, stream->term);
        CODE(codec, stream->leader);
    }
    CODE(codec, stream->fences_count);
    for (unsigned i = 0; i < stream->fences_count; i++)
        CODE_NUMBER(codec, &coder->sorts->fences, stream->fences[i]);
}

/* On which of them a claim is answered, at which nodes: a bit each. */
static uint8_t
listeners(const struct service_world *world, unsigned client, unsigned index)
{
    uint64_t id = client * (uint64_t)SERVICE_STREAMS + index + 1;
    uint8_t nodes = 0;

    for (unsigned i = 0; i < world->config->nodes; i++) {
        const struct hf_lockspace *ls = service_lockspace(&world->nodes[i]);

        for (uint32_t at = 1;
             world->nodes[i].alive && ls != NULL && at <= ls->claims.fresh;
             at++)
            if (hf_claim_at(ls, at)->state != HF_CLAIM_FREE &&
                hf_claim_at(ls, at)->stream == id)
                nodes |= (uint8_t)(1u << i);
    }
    return nodes;
}

struct packed_stream {
    uint8_t bytes[STREAM_BYTES];
    uint8_t listeners;
    uint8_t was;
};

static int
compare_streams(const void *a, const void *b)
{
    return memcmp(b, a, offsetof(struct packed_stream, was));
}

/* Claims know them by their places. */
static void
rename_streams(struct service_world *world, unsigned client,
               const struct packed_stream *streams)
{
    uint64_t now[SERVICE_STREAMS];
    uint64_t first = client * (uint64_t)SERVICE_STREAMS + 1;

    for (unsigned i = 0; i < SERVICE_STREAMS; i++)
        now[streams[i].was] = first + i;
    for (unsigned i = 0; i < world->config->nodes; i++) {
        struct hf_lockspace *ls = service_lockspace(&world->nodes[i]);

        for (uint32_t at = 1;
             world->nodes[i].alive && ls != NULL && at <= ls->claims.fresh;
             at++) {
            uint64_t *stream = &hf_claim_at(ls, at)->stream;

            if (*stream >= first && *stream < first + SERVICE_STREAMS)
                *stream = now[*stream - first];
        }
    }
}

static void
pack_streams(struct service_world *world, unsigned number, uint8_t *bytes)
{
    struct packed_stream streams[SERVICE_STREAMS];

    for (unsigned i = 0; i < SERVICE_STREAMS; i++) {
        struct coder coder = {
            codec_writer(streams[i].bytes, STREAM_BYTES, world->now), NULL};

        do_stream(&coder, world->config, &world->clients[number].streams[i]);
        codec_end(&coder.codec);
        streams[i].listeners = listeners(world, number, i);
        streams[i].was = (uint8_t)i;
    }
    qsort(streams, SERVICE_STREAMS, sizeof(streams[0]), compare_streams);
    rename_streams(world, number, streams);
    for (unsigned i = 0; i < SERVICE_STREAMS; i++)
        memcpy(bytes + i * STREAM_BYTES, streams[i].bytes, STREAM_BYTES);
}

static void
unpack_streams(const struct service_config *config, unsigned number,
               const uint8_t *bytes, struct service_client *client)
{
    for (unsigned i = 0; i < SERVICE_STREAMS; i++) {
        struct coder coder = {
            codec_reader(bytes + i * STREAM_BYTES, STREAM_BYTES), NULL};

        client->streams[i] = (struct service_stream){.client = (uint8_t)number};
        do_stream(&coder, config, &client->streams[i]);
        if (client->streams[i].stage == SERVICE_NONE)
            client->streams[i].client = 0;
    }
}

/* ---- Clients ------------------------------------------------------------- */

static void
do_client(struct codec *codec, struct service_client *client)
{
    CODE(codec, client->alive);
    CODE(codec, client->stalled);
    CODE(codec, client->away);
    CODE(codec, client->slips);
    CODE(codec, client->window);
    for (unsigned i = 0; i < SERVICE_LOCKS; i++) {
        codec_ahead(codec, &client->deadlines[i]);
        CODE(codec, client->changed[i]);
        CODE(codec, client->expects[i]);
    }
}

/* Of what is not waited for nothing is said. */
static void
strip_seen(struct service_client *client)
{
    for (unsigned i = 0; i < SERVICE_LOCKS; i++) {
        const struct hf_wish *wish = service_client_wish(client, i);

        if (wish == NULL || !hf_wish_waits(wish))
            client->changed[i] = false;
        if (wish == NULL)
            client->expects[i] = 0;
    }
}

/* Its clock is its own. */
static void
pack_client(const struct service_world *world, unsigned number, uint8_t *bytes)
{
    struct service_client client = world->clients[number];
    struct codec codec =
        codec_writer(bytes, CLIENT_BYTES - SESSION_CODEC_SIZE, client.clock);
    uint8_t *session = bytes + CLIENT_BYTES - SESSION_CODEC_SIZE;

    for (unsigned i = 0; i < SERVICE_LOCKS; i++)
        if (service_client_wish(&client, i) == NULL)
            client.deadlines[i] = client.clock;
    strip_seen(&client);
    do_client(&codec, &client);
    codec_end(&codec);
    memset(session, 0, SESSION_CODEC_SIZE);
    if (client.alive)
        session_write(service_session(&client), client.clock, session);
}

static void
unpack_client(const struct service_config *config, const uint8_t *bytes,
              struct service_client *client)
{
    const struct hf_session_config session = service_session_config(config);
    struct codec codec = codec_reader(bytes, CLIENT_BYTES - SESSION_CODEC_SIZE);

    do_client(&codec, client);
    client->clock = CODEC_NOW;
    if (client->alive)
        session_read(&session, bytes + CLIENT_BYTES - SESSION_CODEC_SIZE,
                     client->block);
}

/* ---- Nodes --------------------------------------------------------------- */

static int
compare_changes(const void *a, const void *b)
{
    const struct service_change *left = a;
    const struct service_change *right = b;

    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    return compare_records(&left->record, &right->record);
}

/* The changes of a batch are in any order. */
static void
do_node(struct coder *coder, unsigned number, struct service_node *node)
{
    struct codec *codec = &coder->codec;
    struct own_sorts own = sorts_of_node(coder, number);

    CODE(codec, node->frozen);
    CODE(codec, node->cut);
    CODE(codec, node->unaware);
    CODE(codec, node->forgot);
    CODE(codec, node->served);
    CODE_NUMBER(codec, own.batches, node->applied);
    if (!codec->reads)
        qsort(node->batch.changes, node->batch.count,
              sizeof(node->batch.changes[0]), compare_changes);
    do_batch(coder, own.batches, &node->batch);
    for (unsigned i = 0; i < SERVICE_CALLS; i++) {
        struct service_batch *batch = &node->calls[i].batch;

        if (!codec->reads)
            qsort(batch->changes, batch->count, sizeof(batch->changes[0]),
                  compare_changes);
        do_call(coder, own, &node->calls[i]);
    }
}

static void
pack_node(struct service_world *world, unsigned number, uint8_t *bytes)
{
    struct service_node *node = &world->nodes[number];
    struct coder coder = {
        codec_writer(bytes, NODE_BYTES - NODE_CODEC_SIZE, world->now), NULL};

    memset(bytes, 0, NODE_BYTES);
    CODE(&coder.codec, node->alive);
    if (!node->alive)
        return;
    do_node(&coder, number, node);
    node_write(&node->node, world->now, bytes + NODE_BYTES - NODE_CODEC_SIZE);
}

static void
pack_lockspace(const struct service_world *world, unsigned number,
               struct packed_lockspace *packed)
{
    const struct snapshot_config config = snapshot_of(world->config);
    const struct hf_lockspace *ls = service_lockspace(&world->nodes[number]);

    *packed = (struct packed_lockspace){0};
    if (!world->nodes[number].alive || ls == NULL)
        return;
    snapshot_take(ls, &config, world->now, &packed->snapshot);
    snapshot_take_journal(ls, world->config->changes > 0, &packed->journal);
}

static void
unpack_lockspace(const struct service_config *config,
                 const struct packed_lockspace *packed,
                 struct service_node *node)
{
    const struct snapshot_config snapshot = snapshot_of(config);
    struct snapshot_block block;

    snapshot_build(&packed->snapshot, &snapshot, &block);
    snapshot_build_journal(&packed->journal,
                           (struct hf_lockspace *)(uintptr_t)block.bytes);
    memcpy(node->block, block.bytes, sizeof(block.bytes));
}

static void
unpack_node(const struct service_config *config, unsigned number,
            const uint8_t *bytes, struct service_node *node)
{
    const struct hf_node_config own = service_node_config(config, number);
    struct coder coder = {codec_reader(bytes, NODE_BYTES - NODE_CODEC_SIZE),
                          NULL};
    struct packed_lockspace packed;

    CODE(&coder.codec, node->alive);
    if (!node->alive)
        return;
    do_node(&coder, number, node);
    node_read(&own, bytes + NODE_BYTES - NODE_CODEC_SIZE, node->block,
              &node->node);
    if (service_lockspace(node) == NULL)
        return;
    memcpy(&packed, bytes + NODE_BYTES, sizeof(packed));
    unpack_lockspace(config, &packed, node);
}

/* ---- Ranks --------------------------------------------------------------- */

static void
rank_client(struct coder *coder, struct service_world *world, unsigned number)
{
    struct sorts *sorts = coder->sorts;
    struct service_client *client = &world->clients[number];
    struct hf_session *s = service_session(client);
    uint64_t id = service_client_session(client);
    const struct session_numbers to = {
        .terms = &sorts->versions,
        .streams = &sorts->streams[number],
        .fences = &sorts->fences,
        .n = id == 0 ? &sorts->own_n[number] : &sorts->n[id],
        .a = id == 0 ? &sorts->own_a[number] : &sorts->a[id],
    };

    if (client->alive)
        session_numbers(s, &to);
    for (unsigned i = 0; i < SERVICE_STREAMS; i++)
        do_stream(coder, world->config, &client->streams[i]);
}

static void
rank_lockspace(struct sorts *sorts, struct service_world *world,
               unsigned number)
{
    struct snapshot_numbers to = {
        .terms = &sorts->versions,
        .fences = &sorts->fences,
        .marks = &sorts->marks[number],
        .batches = &sorts->batches[number],
        .in_order = world->config->changes > 0,
    };

    for (unsigned i = 0; i < world->config->world.clients * SERVICE_SESSIONS;
         i++) {
        to.n[i] = &sorts->n[i + 1];
        to.a[i] = &sorts->a[i + 1];
    }
    snapshot_add_numbers(service_lockspace(&world->nodes[number]), &to);
}

static void
rank_node(struct coder *coder, struct service_world *world, unsigned number)
{
    struct sorts *sorts = coder->sorts;
    struct service_node *node = &world->nodes[number];
    const struct node_numbers to = {
        .versions = &sorts->versions,
        .fences = &sorts->fences,
        .marks = &sorts->marks[number],
        .questions = &sorts->questions[number],
        .ids = &sorts->ids,
        .batches = &sorts->batches[number],
    };

    if (!node->alive)
        return;
    node_numbers(&node->node, &to);
    do_node(coder, number, node);
    if (service_lockspace(node) != NULL)
        rank_lockspace(sorts, world, number);
}

/* Attempts are compared with others of the same request alone. */
static void
lift(uint64_t *a, uint64_t n)
{
    if (*a != 0)
        *a += n << 32;
}

static void
lift_client(struct service_client *client)
{
    struct hf_session *s = service_session(client);

    for (uint32_t at = 1; client->alive && at <= s->wishes.fresh; at++)
        lift(&hf_wish_at(s, at)->a, hf_wish_at(s, at)->n);
    for (unsigned i = 0; i < SERVICE_STREAMS; i++)
        lift(&client->streams[i].message.a, client->streams[i].message.n);
}

static void
lift_attempts(struct service_world *world)
{
    for (unsigned i = 0; i < world->config->world.clients; i++)
        lift_client(&world->clients[i]);
    for (unsigned i = 0; i < world->config->nodes; i++) {
        struct hf_lockspace *ls = service_lockspace(&world->nodes[i]);

        for (uint32_t at = 1;
             world->nodes[i].alive && ls != NULL && at <= ls->lanes.fresh; at++)
            lift(&hf_lane_at(ls, at)->a, hf_lane_at(ls, at)->n);
    }
}

/* A term is a version, and fences go on from the greatest: in a store whose
 * fences were once above its versions, they stay so. */
enum { FENCE_FIRST = 100 };

/* The fence with which a place without a head begins is a number that nodes
 * know, and stays it. */
static void
settle_fences(struct numbers *fences)
{
    uint64_t beginning = 1;

    numbers_add(fences, &beginning);
    numbers_settle(fences, FENCE_FIRST - 1);
    for (unsigned i = 0; i < fences->count; i++)
        if (*fences->at[i] == FENCE_FIRST - 1)
            *fences->at[i] = 1;
}

static void
rank(struct service_world *world)
{
    const struct service_config *config = world->config;
    struct sorts sorts = {0};
    struct coder coder = {codec_ranker(), &sorts};

    lift_attempts(world);
    for (unsigned i = 0; i < config->nodes; i++)
        rank_node(&coder, world, i);
    for (unsigned i = 0; i < config->world.clients; i++)
        rank_client(&coder, world, i);
    do_rest(&coder, world);
    numbers_settle(&sorts.versions, 1);
    settle_fences(&sorts.fences);
    numbers_name(&sorts.ids);
    for (unsigned i = 0; i < config->world.clients; i++) {
        numbers_settle(&sorts.streams[i], 1);
        numbers_settle(&sorts.own_n[i], 1);
        numbers_settle(&sorts.own_a[i], 1);
    }
    for (unsigned i = 0; i < SERVICE_IDS; i++) {
        numbers_settle(&sorts.n[i], 1);
        numbers_settle(&sorts.a[i], 1);
    }
    for (unsigned i = 0; i < config->nodes; i++) {
        numbers_settle(&sorts.marks[i], 1);
        numbers_settle(&sorts.batches[i], 1);
        numbers_settle(&sorts.questions[i], 1);
    }
}

/* ---- Counts -------------------------------------------------------------- */

/* Of beats only the difference to what a node knows of its own matters. */
static bool
is_its_claim(const struct service_node *node, uint64_t id)
{
    const struct hf_keeper *k = &node->node.leader.contender.keeper;

    return node->alive && k->state != HF_KEEPER_IDLE && k->heartbeat.id == id;
}

static void
set_count(const struct service_world *world, struct service_head *head)
{
    for (unsigned i = 0; i < world->config->nodes; i++) {
        uint64_t base = node_count_base(&world->nodes[i].node);

        if (!is_its_claim(&world->nodes[i], head->id))
            continue;
        head->count += NODE_CODEC_COUNT;
        head->count -= head->count < base ? head->count : base;
        return;
    }
    head->count = 0;
}

static void
set_counts(struct service_world *world)
{
    set_count(world, &world->store.head);
    set_count(world, &world->older.head);
    set_count(world, &world->orphan.head);
    for (unsigned i = 0; i < world->config->nodes; i++)
        for (unsigned k = 0; k < SERVICE_CALLS; k++)
            set_count(world, &world->nodes[i].calls[k].head);
}

/* ---- Time that was served ------------------------------------------------ */

/*
 * Counts of what leaders have served [S10] are compared with each other, and
 * time is added to them: so they may all be moved by as much.  That of the
 * store's head becomes SERVICE_SERVED.
 *
 * One that lies further from it than a ttl is as far as that.  A silence is the
 * difference of a head's count and of a record's, and from a whole ttl on every
 * silence is the same.  A record's count is no greater than that of the head
 * with which it was written, so a difference that is cut is one of at least a
 * ttl, and stays so: counts of heads only grow.
 *
 * A write at another version than the store's can be put no more, so its counts
 * are none.
 */
static struct hf_duration
moved(const struct service_config *config, struct hf_duration count,
      struct hf_duration from, struct hf_duration to)
{
    int64_t most_ms = codec_length(config->ttl).ms;
    int64_t beyond_ms = count.ms - from.ms;

    if (count.ms == 0)
        return count;
    if (beyond_ms > most_ms)
        beyond_ms = most_ms;
    if (beyond_ms < -most_ms)
        beyond_ms = -most_ms;
    return (struct hf_duration){to.ms + beyond_ms};
}

struct move {
    const struct service_config *config;
    struct hf_duration from;
    struct hf_duration to;
};

static void
move(const struct move *by, struct hf_duration *count)
{
    *count = moved(by->config, *count, by->from, by->to);
}

static void
move_store(const struct move *by, struct service_store *store)
{
    move(by, &store->head.served);
    for (unsigned i = 0; i < store->count; i++)
        move(by, &store->records[i].silent_from);
}

/* The head of a copy is compared with the count of a leader, its records with
 * its head: and neither where no record has a count. */
static void
move_copy(const struct move *by, struct service_store *copy)
{
    struct move own = {by->config, copy->head.served, copy->head.served};

    if (service_store_says_silent(copy))
        move(by, &own.to);
    else
        own.to = by->to;
    move_store(&own, copy);
}

static void
move_batch(const struct move *by, struct service_batch *batch)
{
    for (unsigned i = 0; i < batch->count; i++)
        move(by, &batch->changes[i].record.silent_from);
}

static void
forget_silences(struct service_batch *batch)
{
    for (unsigned i = 0; i < batch->count; i++)
        batch->changes[i].record.silent_from = codec_length(0);
}

static void
move_call(const struct move *by, uint64_t version, struct service_call *call)
{
    bool counts = call->asked == SERVICE_WRITES
                      ? !call->done && call->expects == version
                      : call->done;

    if (counts) {
        move(by, &call->head.served);
        move_batch(by, &call->batch);
        return;
    }
    call->head.served = codec_length(0);
    forget_silences(&call->batch);
}

/* Has a session that was loaded, and was not heard, the begin of its silence
 * still to put? */
static bool
has_silence_to_put(const struct hf_lockspace *ls)
{
    for (uint32_t at = 1; at <= ls->sessions.fresh; at++) {
        const struct hf_ls_session *session = hf_session_at(ls, at);

        if (session->state != HF_SESSION_FREE &&
            session->state != HF_SESSION_OVER && session->unheard &&
            (!session->says_silent || session->pending == HF_PENDING_SILENCE))
            return true;
    }
    return false;
}

static void
move_node(const struct move *by, const struct service_store *store,
          struct service_node *node)
{
    struct hf_lockspace *ls = service_lockspace(node);

    if (!node->alive)
        return;
    move(by, &node->node.leader.served);
    move_batch(by, &node->batch);
    for (unsigned i = 0; i < SERVICE_CALLS; i++)
        move_call(by, store->version, &node->calls[i]);
    if (ls == NULL)
        return;
    if (!has_silence_to_put(ls))
        ls->silent_from = codec_length(0);
    move(by, &ls->silent_from);
}

static void
move_served(struct service_world *world)
{
    struct move by = {world->config, world->store.head.served,
                      codec_length(SERVICE_SERVED)};

    move_call(&by, world->store.version, &world->orphan);
    for (unsigned i = 0; i < world->config->nodes; i++)
        move_node(&by, &world->store, &world->nodes[i]);
    move_copy(&by, &world->older);
    move_store(&by, &world->store);
}

/* ---- All of it ----------------------------------------------------------- */

void
service_pack(const struct service_world *from, uint8_t *bytes)
{
    const struct service_config *config = from->config;
    static struct service_world world;
    struct coder coder;

    service_copy(config, &world, from);
    strip(&world);
    rank(&world);
    set_counts(&world);
    move_served(&world);
    coder = (struct coder){codec_writer(bytes, REST_BYTES, world.now), NULL};
    do_rest(&coder, &world);
    bytes += REST_BYTES;
    for (unsigned i = 0; i < config->world.clients; i++) {
        pack_client(&world, i, bytes);
        bytes += CLIENT_BYTES;
        pack_streams(&world, i, bytes);
        bytes += STREAMS_BYTES;
    }
    for (unsigned i = 0; i < config->nodes; i++) {
        struct packed_lockspace packed;

        pack_node(&world, i, bytes);
        bytes += NODE_BYTES;
        pack_lockspace(&world, i, &packed);
        memcpy(bytes, &packed, sizeof(packed));
        bytes += sizeof(packed);
    }
}

void
service_unpack(const struct service_config *config, const uint8_t *bytes,
               struct service_world *world)
{
    struct coder coder = {codec_reader(bytes, REST_BYTES), NULL};

    memset(world, 0, offsetof(struct service_world, clients));
    world->config = config;
    world->now = CODEC_NOW;
    do_rest(&coder, world);
    bytes += REST_BYTES;
    for (unsigned i = 0; i < config->world.clients; i++) {
        memset(&world->clients[i], 0, sizeof(world->clients[i]));
        unpack_client(config, bytes, &world->clients[i]);
        bytes += CLIENT_BYTES;
        unpack_streams(config, i, bytes, &world->clients[i]);
        bytes += STREAMS_BYTES;
    }
    for (unsigned i = 0; i < config->nodes; i++) {
        memset(&world->nodes[i], 0, sizeof(world->nodes[i]));
        unpack_node(config, i, bytes, &world->nodes[i]);
        bytes += NODE_BYTES + sizeof(struct packed_lockspace);
    }
}
