#include "lab/service/node.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/lockspace/look.h"
#include "core/lockspace/owners.h"
#include "lab/check.h"
#include "lab/server/snapshot.h"
#include "lab/service/ids.h"
#include "lab/service/promise.h"
#include "lab/service/store.h"

enum {
    LANE = 1,
    OPERATOR = UINT8_MAX, /* a stream of which nobody waits for the answer */
};

/* ---- What it is made of -------------------------------------------------- */

static struct hf_lockspace_config
lockspace_config(const struct service_config *config)
{
    struct hf_lockspace_config lockspace = snapshot_lockspace(1, 0, 0);

    lockspace.limits.sessions = config->world.clients * SERVICE_SESSIONS;
    lockspace.limits.lanes = lockspace.limits.sessions;
    lockspace.limits.waiters = lockspace.limits.sessions;
    lockspace.blocking = codec_length(config->blocking);
    lockspace.resume_grace = codec_length(config->resume_grace);
    lockspace.takeover_grace = codec_length(config->takeover_grace);
    lockspace.ttl_max = codec_length(config->ttl);
    return lockspace;
}

struct hf_node_config
service_node_config(const struct service_config *config, unsigned node)
{
    return (struct hf_node_config){
        .leader = {.terms = {.if_dead = HF_TAKEOVER,
                             .ttl = codec_length(config->leader_ttl),
                             .beat = codec_length(1)},
                   .max_ttl = codec_length(config->ttl),
                   .seed = node + 1},
        .lockspace = lockspace_config(config),
        .budget = {config->changes > 0 ? config->changes : 1000, 1000000},
        .rest = codec_length(1),
    };
}

static uint64_t
stream_id(const struct service_world *world,
          const struct service_stream *stream)
{
    const struct service_client *client = &world->clients[stream->client];

    return stream->client * (uint64_t)SERVICE_STREAMS +
           (uint64_t)(stream - client->streams) + 1;
}

static struct service_stream *
stream_of(struct service_world *world, uint64_t id)
{
    return &world->clients[(id - 1) / SERVICE_STREAMS]
                .streams[(id - 1) % SERVICE_STREAMS];
}

/* ---- Batches ------------------------------------------------------------- */

static unsigned
lock_of(const struct hf_lockspace *ls, uint32_t number)
{
    struct hf_look_name name;
    enum hf_mode mode;
    uint32_t cursor = 0;
    char text = '\0';

    HF_CHECK(hf_look_grant_names(ls, number, &cursor, &name, &mode));
    hf_look_text(ls, name.name, &text, sizeof(text));
    return (unsigned)(text - snapshot_want(0, mode).name.at[0]);
}

static struct service_record
record_of(const struct hf_lockspace *ls, const struct hf_change *change)
{
    struct hf_look_claim grant;
    struct hf_look_session session;

    if (change->kind == HF_CHANGE_DELETE_SESSION)
        return (struct service_record){.session = change->key};
    if (change->kind == HF_CHANGE_PUT_SESSION) {
        hf_look_session_at(ls, change->number, &session);
        return (struct service_record){.session = change->key,
                                       .silent_from = session.silent_from};
    }
    if (change->kind != HF_CHANGE_PUT_GRANT)
        return (struct service_record){.fence = change->key};
    hf_look_grant_at(ls, change->number, &grant);
    return (struct service_record){
        .fence = grant.fence,
        .session = grant.session,
        .n = grant.n,
        .lock = (uint8_t)lock_of(ls, change->number),
    };
}

static void
collect(struct service_node *node)
{
    struct hf_change change;

    node->batch =
        (struct service_batch){.number = service_lockspace(node)->batch_number};
    while (hf_node_take(&node->node, &change)) {
        HF_CHECK(node->batch.count < SERVICE_CHANGES);
        node->batch.changes[node->batch.count++] = (struct service_change){
            .kind = (uint8_t)change.kind,
            .record = record_of(service_lockspace(node), &change),
        };
    }
}

/* ---- Questions ----------------------------------------------------------- */

static uint8_t
ticks_of(struct hf_duration length)
{
    return (uint8_t)((length.ms + CODEC_TICK_MS - 1) / CODEC_TICK_MS);
}

static struct service_call *
free_call(struct service_node *node)
{
    for (unsigned i = 0; i < SERVICE_CALLS; i++)
        if (node->calls[i].asked == SERVICE_QUIET)
            return &node->calls[i];
    return NULL;
}

static void
fill_write(struct service_call *call, const struct service_node *node,
           const struct hf_leader_effect *effect)
{
    const struct hf_request *request = &effect->ask.request;
    const struct hf_op *op = &request->ops[0];

    HF_CHECK(op->kind == HF_PUT && op->expect.kind == HF_EXPECT_VERSION);
    call->asked = SERVICE_WRITES;
    call->expects = op->expect.version;
    call->claims = op->new_generation;
    call->head = (struct service_head){
        .led = effect->ask.head.led,
        .id = op->heartbeat.id,
        .count = op->heartbeat.count,
        .next_fence = effect->ask.head.next_fence,
        .grace = ticks_of(effect->ask.head.grace),
        .served = effect->ask.head.served,
    };
    if (request->ops_count > 1) {
        call->over = request->ops[1].subject;
        call->marks = request->ops[1].kind == HF_PUT;
    }
    if (effect->ask.batch != 0) {
        HF_CHECK(effect->ask.batch == node->batch.number);
        call->batch = node->batch;
    }
}

/* Of a head that was read. */
static void
found(struct service_world *world, unsigned number,
      const struct service_call *call)
{
    const struct service_head *head = &call->head;
    struct hf_node_event event = {
        .kind = HF_NODE_FOUND,
        .at = world->now,
        .found = {.number = call->number,
                  .sight = {.kind = HF_SIGHT_ABSENT, .version = call->version}},
    };

    if (!call->done || call->verdict == HF_UNKNOWN) {
        event.found.sight.kind = HF_SIGHT_NONE;
    } else if (head->exists) {
        event.found.sight.kind = HF_SIGHT_LOCK;
        event.found.sight.token = head->token;
        event.found.sight.heartbeat =
            (struct hf_heartbeat){head->id, head->count};
        event.found.sight.terms = world->nodes[number].node.config.leader.terms;
        event.found.head =
            (struct hf_head_state){.led = head->led,
                                   .next_fence = head->next_fence,
                                   .max_ttl = codec_length(world->config->ttl),
                                   .grace = codec_length(head->grace)};
    }
    event.found.head.served = head->served;
    event.found.head.forgot = call->forgot;
    hf_node_step(&world->nodes[number].node, &event);
}

static void
written(struct service_world *world, unsigned number,
        const struct service_call *call)
{
    struct hf_node_event event = {.kind = HF_NODE_STORE};

    event.store =
        hf_answer(world->now, call->number,
                  call->done ? call->verdict : HF_UNAVAILABLE, call->version);
    event.at = world->now;
    hf_node_step(&world->nodes[number].node, &event);
}

static int
compare_fences(const void *a, const void *b)
{
    const struct service_record *left = a;
    const struct service_record *right = b;

    if (left->fence != right->fence)
        return left->fence > right->fence ? 1 : -1;
    return (left->session > right->session) - (left->session < right->session);
}

static void
load_one(struct service_world *world, struct hf_node *node,
         const struct service_record *record, uint64_t term)
{
    struct hf_want want = snapshot_want(record->lock, HF_EXCLUSIVE);
    struct hf_node_event event = {.at = world->now};

    event.load.term = term;
    if (record->fence == 0) {
        event.kind = HF_NODE_LOADED_SESSION;
        event.load.session = (struct hf_loaded_session){
            .id = record->session,
            .ttl = codec_length(world->config->ttl),
            .if_dead = world->config->if_dead,
            .silent_from = record->silent_from,
        };
    } else {
        event.kind = HF_NODE_LOADED_GRANT;
        event.load.grant = (struct hf_loaded_grant){
            .fence = record->fence,
            .session = record->session,
            .lane = LANE,
            .n = record->n,
            .wants = &want,
            .wants_count = 1,
        };
    }
    hf_node_step(node, &event);
}

/* All sessions, which have no fence, then all grants in order. */
static void
loaded(struct service_world *world, unsigned number,
       const struct service_call *call)
{
    struct service_store store = world->store;
    struct hf_node *node = &world->nodes[number].node;
    struct hf_node_event event = {.kind = HF_NODE_LOAD_FAILED,
                                  .at = world->now};

    event.load.term = call->term;
    if (world->config->loses != 0) /* the wall clock is right */
        event.load.wall_us = world->highest + 1;
    qsort(store.records, store.count, sizeof(store.records[0]), compare_fences);
    for (unsigned i = 0; call->done && i < store.count; i++)
        if (call->verdict == HF_APPLIED)
            load_one(world, node, &store.records[i], call->term);
    if (call->done && call->verdict == HF_APPLIED)
        event.kind = HF_NODE_LOADED;
    hf_node_step(node, &event);
}

/* ---- Answers ------------------------------------------------------------- */

/* Its client knows what it said; what it was about is for people to read. */
static void
hand_back(struct service_stream *stream)
{
    stream->stage = SERVICE_BACK;
    stream->late = false;
    stream->answered = false;
    stream->message = (struct hf_message){.kind = stream->message.kind};
    if (!stream->heard)
        *stream = (struct service_stream){0};
}

static void
refuse(const struct service_world *world, struct service_stream *stream)
{
    stream->answer = (struct hf_answer){.kind = HF_ANSWER_NOT_LEADING};
    stream->leader = 0;
    for (unsigned i = 0; i < world->config->nodes; i++)
        if (world->store.head.led && world->nodes[i].alive &&
            world->nodes[i].node.leader.contender.keeper.heartbeat.id ==
                world->store.head.id)
            stream->leader = (uint8_t)(i + 1);
    hand_back(stream);
}

static void
add_fence(struct service_stream *stream, uint64_t fence)
{
    HF_CHECK(stream->fences_count < SERVICE_FENCES);
    stream->fences[stream->fences_count++] = fence;
}

static void
note_fences(struct hf_lockspace *ls, struct service_stream *stream)
{
    uint64_t session = stream->message.session;
    unsigned asked = stream->fences_count;
    uint32_t cursor = 0;
    uint64_t fence;

    stream->fences_count = 0;
    if (stream->answer.kind == HF_ANSWER_PAGE)
        for (unsigned i = 0; i < asked; i++)
            if (!hf_lockspace_believes(ls, session, stream->fences[i]))
                add_fence(stream, stream->fences[i]);
    if (stream->answer.kind != HF_ANSWER_ALIVE)
        return;
    while (hf_lockspace_revoked(ls, session, &cursor, &fence))
        add_fence(stream, fence);
    cursor = 0;
    for (uint64_t i = 0; i < stream->answer.alive.held.count &&
                         hf_lockspace_held(ls, session, &cursor, &fence);
         i++)
        add_fence(stream, fence);
}

static void
note_answer(struct service_world *world, struct service_node *node,
            const struct hf_answer *answer)
{
    struct service_stream *stream;

    if (answer->stream == OPERATOR)
        return;
    stream = stream_of(world, answer->stream);
    HF_CHECK(stream->stage == SERVICE_THERE && !stream->answered);
    stream->answered = true;
    stream->answer = *answer;
    stream->term = node->node.term;
    note_fences(service_lockspace(node), stream);
    if (answer->kind == HF_ANSWER_NOT_LEADING)
        refuse(world, stream);
}

typedef void each_fn(struct service_world *world, unsigned node,
                     struct service_stream *stream);

static void
each_there(struct service_world *world, unsigned node, each_fn *each)
{
    for (unsigned i = 0; i < world->config->world.clients; i++)
        for (unsigned k = 0; k < SERVICE_STREAMS; k++) {
            struct service_stream *stream = &world->clients[i].streams[k];

            if (stream->stage == SERVICE_THERE && stream->node == node)
                each(world, node, stream);
        }
}

static void
note_due(struct service_world *world, unsigned node,
         struct service_stream *stream)
{
    if (!stream->answered ||
        stream->answer.mark > world->nodes[node].node.through)
        return;
    service_promise_due(world, node, stream);
    stream->due = true;
}

static void
discard(struct service_world *world, unsigned node,
        struct service_stream *stream)
{
    (void)node;
    if (!stream->due)
        refuse(world, stream);
}

static void drain(struct service_world *world, unsigned number);

/* The node is told what became of the stream of an acquire: where its client
 * listens, it was cut [W5]. */
static void
tell_of(struct service_world *world, uint64_t id,
        const struct service_stream *was, enum hf_node_event_kind kind)
{
    const struct hf_message *message = &was->message;
    struct hf_node_event event = {.kind = kind, .at = world->now};

    event.request.stream = id;
    event.request.session = message->session;
    event.request.lane = message->lane;
    event.request.n = message->n;
    event.request.cut = was->heard;
    if (kind == HF_NODE_HANDED)
        event.request.fence = was->answer.fence;
    hf_node_step(&world->nodes[was->node].node, &event);
    drain(world, was->node);
}

/* Handed to the kernel, and with it the stream is at its end. */
static void
hand_over(struct service_world *world, unsigned node,
          struct service_stream *stream)
{
    uint64_t id = stream_id(world, stream);
    struct service_stream was = *stream;

    (void)node;
    if (!was.due)
        return;
    stream->due = false;
    hand_back(stream);
    if (was.message.kind != HF_MESSAGE_ACQUIRE)
        return;
    if (was.answer.kind == HF_ANSWER_GRANTED)
        tell_of(world, id, &was, HF_NODE_HANDED);
    tell_of(world, id, &was, HF_NODE_STREAM_ENDED);
}

/* ---- What a node does ---------------------------------------------------- */

static void
ask(struct service_world *world, unsigned number,
    const struct hf_leader_effect *effect)
{
    struct service_node *node = &world->nodes[number];
    struct service_call *call = free_call(node);
    struct service_call unsent = {.asked = SERVICE_READS};

    if (call == NULL)
        call = &unsent;
    *call = (struct service_call){.asked = SERVICE_READS,
                                  .number = effect->ask.request.number};
    if (!effect->ask.request.read)
        fill_write(call, node, effect);
    if (call == &unsent)
        node->unsent = unsent;
}

static void
load(struct service_node *node, uint64_t term)
{
    struct service_call *call = free_call(node);
    struct service_call unsent = {.asked = SERVICE_LOADS, .term = term};

    if (call == NULL)
        node->unsent = unsent;
    else
        *call = unsent;
    node->applied = 0;
}

static void
come_back(struct service_world *world, unsigned number,
          const struct service_call *call)
{
    if (call->asked == SERVICE_READS)
        found(world, number, call);
    else if (call->asked == SERVICE_WRITES)
        written(world, number, call);
    else
        loaded(world, number, call);
    drain(world, number);
}

static void
perform_all(struct service_world *world, unsigned number)
{
    struct service_node *node = &world->nodes[number];
    struct hf_node_effect effect;

    while (hf_node_next(&node->node, &effect))
        switch (effect.kind) {
        case HF_NODE_ASK:
            ask(world, number, &effect.ask);
            break;
        case HF_NODE_COLLECT:
            collect(node);
            break;
        case HF_NODE_LOAD:
            load(node, effect.term);
            break;
        case HF_NODE_ANSWER:
            note_answer(world, node, &effect.answer);
            break;
        case HF_NODE_DUE:
            each_there(world, number, note_due);
            break;
        case HF_NODE_REFUSE:
            refuse(world, stream_of(world, effect.refuse.stream));
            break;
        case HF_NODE_DISCARD:
            each_there(world, number, discard);
            break;
        case HF_NODE_STOPPED:
            node->alive = false;
            break;
        case HF_NODE_RESTS:
            break;
        }
}

static void
end_turn(struct service_world *world, unsigned number)
{
    struct hf_node_event event = {.kind = HF_NODE_TURN, .at = world->now};

    hf_node_step(&world->nodes[number].node, &event);
    perform_all(world, number);
}

/* A turn is one event, or all up to the node's clock. */
static void
drain(struct service_world *world, unsigned number)
{
    struct service_node *node = &world->nodes[number];
    struct service_call unsent;

    perform_all(world, number);
    if (!world->config->long_turns)
        end_turn(world, number);
    each_there(world, number, hand_over);
    unsent = node->unsent;
    node->unsent = (struct service_call){0};
    if (unsent.asked != SERVICE_QUIET)
        come_back(world, number, &unsent);
    if (service_lockspace(node) != NULL)
        hf_lockspace_check(service_lockspace(node));
}

static void
step(struct service_world *world, unsigned number, struct hf_node_event *event)
{
    event->at = world->now;
    hf_node_step(&world->nodes[number].node, event);
    drain(world, number);
}

/* ---- Its process --------------------------------------------------------- */

void
service_node_begin(struct service_world *world, unsigned number)
{
    struct service_node *node = &world->nodes[number];
    struct hf_node_config config = service_node_config(world->config, number);
    struct hf_node_event event = {.kind = HF_NODE_START};

    HF_CHECK(hf_lockspace_size(&config.lockspace) <= sizeof(node->block));
    config.leader.seed += world->seed += SERVICE_NODES;
    *node = (struct service_node){.alive = true, .forgot = world->store.forgot};
    hf_node_init(&node->node, &config, node->block);
    step(world, number, &event);
}

static void
break_off(struct service_world *world, unsigned node,
          struct service_stream *stream)
{
    (void)world;
    (void)node;
    stream->broken = true;
    hand_back(stream);
}

static void
leave_write(struct service_world *world, const struct service_call *call)
{
    if (call->asked == SERVICE_WRITES && !call->done &&
        service_store_may_apply(&world->store, call))
        world->orphan = *call;
}

/* A place in memory ends with its process. */
static void
end_memory(struct service_world *world)
{
    if ((world->config->loses & SERVICE_IN_MEMORY) != 0)
        service_store_remove(world);
}

void
service_node_crash(struct service_world *world, unsigned number)
{
    struct service_node *node = &world->nodes[number];

    for (unsigned i = 0; i < SERVICE_CALLS; i++)
        leave_write(world, &node->calls[i]);
    node->alive = false;
    each_there(world, number, break_off);
    end_memory(world);
}

/* Keep-alives wait for each other, but for less than a tick: that is no time
 * here. */
static bool
shares(const struct hf_node *n)
{
    return n->state == HF_NODE_SERVING && n->batch.number == 0 &&
           n->alive > n->through;
}

/* The lowest id of a session that is over by now, less one; or any. */
static unsigned
first_over(struct hf_lockspace *ls, struct hf_instant now)
{
    unsigned id = 0;

    while (id < ls->config.limits.sessions) {
        uint32_t number = hf_owners_session(ls, id + 1);

        if (number != 0 &&
            hf_reached(now, hf_owners_end_of_ttl(hf_session_at(ls, number))))
            break;
        id++;
    }
    return id;
}

/* Of what ends at one instant sessions end first, by their ids; the world
 * `waiting` has them in any order. */
void
service_node_clock(struct service_world *world, unsigned number)
{
    struct hf_node *node = &world->nodes[number].node;
    struct hf_node_event event = {
        .kind = HF_NODE_CLOCK, .at = world->now, .read_until = world->now};

    if (node->lockspace != NULL)
        snapshot_order_timers(node->lockspace, world->now,
                              first_over(node->lockspace, world->now), true);
    if (shares(node))
        node->alive_by = world->now;
    hf_node_step(node, &event);
    perform_all(world, number);
    end_turn(world, number);
    drain(world, number);
}

void
service_node_stop(struct service_world *world, unsigned number)
{
    struct hf_node_event event = {.kind = HF_NODE_STOP};

    step(world, number, &event);
}

void
service_node_answer(struct service_world *world, unsigned number,
                    struct service_call *call)
{
    struct service_call done = *call;

    *call = (struct service_call){0};
    come_back(world, number, &done);
}

bool
service_node_is_due(const struct service_world *world, unsigned number)
{
    const struct service_node *node = &world->nodes[number];

    return node->alive && !node->frozen &&
           (shares(&node->node) ||
            hf_reached(world->now, hf_node_deadline(&node->node)));
}

/* ---- Messages ------------------------------------------------------------ */

void
service_node_arrive(struct service_world *world, struct service_stream *stream)
{
    struct service_node *node = &world->nodes[stream->node];
    struct hf_want want = snapshot_want(stream->lock, HF_EXCLUSIVE);
    struct hf_node_event event = {.kind = HF_NODE_MESSAGE};

    stream->late = false;
    if (stream->message.kind == HF_MESSAGE_OPEN)
        stream->message.session = service_free_id(world, stream->client);
    if (!node->alive || (stream->message.kind == HF_MESSAGE_OPEN &&
                         stream->message.session == 0)) {
        break_off(world, stream->node, stream);
        return;
    }
    service_promise_hears(world, stream->node, stream->message.session);
    stream->stage = SERVICE_THERE;
    stream->arrived = node->node.lockspace == NULL
                          ? 0
                          : service_lockspace(node)->batch_number;
    event.message = stream->message;
    event.message.stream = stream_id(world, stream);
    if (stream->message.kind == HF_MESSAGE_ACQUIRE) {
        event.message.acquire.wants = &want;
        event.message.acquire.wants_count = 1;
    }
    step(world, stream->node, &event);
}

/* Only of an acquire it is told: nothing else waits. */
void
service_node_end(struct service_world *world, struct service_stream *stream)
{
    uint64_t id = stream_id(world, stream);
    struct service_stream was = *stream;

    stream->broken = true;
    hand_back(stream);
    if (was.message.kind == HF_MESSAGE_ACQUIRE)
        tell_of(world, id, &was, HF_NODE_STREAM_ENDED);
}

void
service_node_notice(struct service_world *world, unsigned number)
{
    struct service_node *node = &world->nodes[number];
    struct hf_node_event event = {
        .kind = HF_NODE_STORE,
        .store = hf_event(HF_ON_WENT_BACK, world->now),
    };

    node->unaware = false;
    node->forgot = world->store.forgot;
    for (unsigned i = 0; i < SERVICE_CALLS; i++)
        node->calls[i] = (struct service_call){0};
    step(world, number, &event);
}

void
service_node_clear(struct service_world *world, unsigned number, unsigned lock,
                   uint64_t fence)
{
    struct hf_node_event event = {.kind = HF_NODE_MESSAGE};

    event.message.kind = HF_MESSAGE_CLEAR;
    event.message.stream = OPERATOR;
    event.message.clear.lock = snapshot_want(lock, HF_EXCLUSIVE);
    event.message.clear.fence = fence;
    event.message.clear.at_once = true;
    step(world, number, &event);
}
