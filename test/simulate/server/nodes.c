#include "simulate/server/nodes.h"

#include <string.h>

#include "base/check.h"
#include "core/lockspace/look.h"
#include "simulate/server/answers.h"
#include "simulate/server/calls.h"
#include "simulate/server/loads.h"
#include "simulate/server/network.h"
#include "simulate/server/promise.h"

static const char names[] = "abcdefghijklmnopqrstuvwx";

struct hf_want
nodes_want(unsigned name, uint8_t mode)
{
    return (struct hf_want){
        .space = {"default", 7},
        .name = {&names[name], 1},
        .mode = (enum hf_mode)(mode - 1),
    };
}

/* ---- What is written ----------------------------------------------------- */

static void
describe_grant(const struct hf_lockspace *ls, uint32_t number,
               struct sim_grant *grant)
{
    struct hf_look_claim claim;
    struct hf_look_name name;
    enum hf_mode mode;
    uint32_t cursor = 0;
    char text[8];

    hf_look_grant_at(ls, number, &claim);
    *grant = (struct sim_grant){
        .fence = claim.fence,
        .session = claim.session,
        .lane = claim.lane,
        .n = claim.n,
    };
    hf_look_text(ls, claim.note, (char *)&grant->wish, sizeof(grant->wish));
    while (hf_look_grant_names(ls, number, &cursor, &name, &mode)) {
        hf_look_text(ls, name.name, text, sizeof(text));
        grant->modes[text[0] - 'a'] = (uint8_t)(1 + mode);
    }
}

static void
describe_lease(const struct hf_lockspace *ls, uint32_t number,
               struct sim_lease *lease)
{
    struct hf_look_session session;

    hf_look_session_at(ls, number, &session);
    lease->if_dead = session.if_dead;
    lease->secret = session.secret;
    lease->silent_from = session.silent_from;
}

static void
collect(struct world *w, struct sim_node *node)
{
    struct sim_batch *batch = &node->batch;
    const struct hf_lockspace *ls = node->machine.lockspace;
    struct hf_change change;

    batch->begun = ++w->turn;
    batch->count = 0;
    node->sent_at = w->now;
    while (hf_node_take(&node->machine, &change)) {
        struct sim_change *to = &batch->changes[batch->count++];

        HF_CHECK(batch->count <= CHANGES_MAX);
        to->kind = change.kind;
        to->key = change.key;
        if (change.kind == HF_CHANGE_PUT_GRANT)
            describe_grant(ls, change.number, &to->grant);
        else if (change.kind == HF_CHANGE_PUT_SESSION)
            describe_lease(ls, change.number, &to->lease);
    }
}

/* ---- Effects ------------------------------------------------------------- */

static void
begin_load(struct world *w, unsigned who, uint64_t term)
{
    w->counts.terms++;
    w->counts.graces +=
        hf_node_grace(&w->nodes[who].machine,
                      sim_clock_read(&w->nodes[who].clock, w->now))
            .ms > 0;
    world_say(w, "node %u leads, in term %llu", who + 1,
              (unsigned long long)term);
    calls_load(w, who, term);
    if (w->failover.died_at != 0 && w->failover.term == 0) {
        w->failover.term = term;
        w->failover.led_at = w->now;
    }
}

static void
perform(struct world *w, unsigned who, const struct hf_node_effect *effect)
{
    struct sim_node *node = &w->nodes[who];

    switch (effect->kind) {
    case HF_NODE_ASK:
        calls_ask(w, who, &effect->ask);
        break;
    case HF_NODE_COLLECT:
        collect(w, node);
        break;
    case HF_NODE_LOAD:
        begin_load(w, who, effect->term);
        break;
    case HF_NODE_ANSWER:
        if (effect->answer.mark == 0) /* it leads no more */
            answers_refuse(w, who, effect->answer.stream, false);
        else
            answers_keep(w, node, &effect->answer);
        break;
    case HF_NODE_DUE:
        answers_let_out(w, who, effect->through);
        break;
    case HF_NODE_REFUSE:
        answers_refuse(w, who, effect->refuse.stream, effect->refuse.followed);
        break;
    case HF_NODE_DISCARD:
        answers_discard(w, who);
        break;
    case HF_NODE_RESTS:
        break;
    case HF_NODE_STOPPED:
        world_say(w, "node %u has stopped", who + 1);
        nodes_kill(w, who);
        break;
    }
}

static void
tell_handed(struct world *w, unsigned who)
{
    struct sim_node *node = &w->nodes[who];
    struct hf_node_event handed = {.kind = HF_NODE_HANDED};
    const struct sim_stream *stream;

    while (node->handed_count > 0) {
        handed.request.stream = node->handed[--node->handed_count];
        handed.request.fence = node->handed_fences[node->handed_count];
        stream = &w->streams[handed.request.stream];
        handed.request.session = stream->id;
        handed.request.lane = stream->lane;
        handed.request.n = stream->n;
        nodes_step(w, who, handed);
    }
}

/* Does it wait for the head to change, which has changed? */
static bool
has_hint(const struct world *w, const struct sim_node *node)
{
    uint64_t version;

    return hf_contender_watching(&node->machine.leader.contender, &version) &&
           version != model_version(&w->store.cell);
}

static void
watch(struct world *w, struct sim_node *node)
{
    int64_t wake = 1 + (int64_t)world_draw(w, (uint64_t)w->shape.wake_ms);

    if (has_hint(w, node) && node->hint.place == 0)
        world_set(w, &node->hint, w->now + wake, RANK_ARRIVES);
}

void
nodes_step(struct world *w, unsigned who, struct hf_node_event event)
{
    struct sim_node *node = &w->nodes[who];
    struct hf_node_effect effect;

    event.at = sim_clock_read(&node->clock, w->now);
    if (event.kind == HF_NODE_STORE)
        event.store.at = event.at;
    hf_node_step(&node->machine, &event);
    while (node->alive && hf_node_next(&node->machine, &effect))
        perform(w, who, &effect);
    if (!node->alive)
        return;
    world_set(w, &node->alarm,
              sim_clock_reaches(&node->clock, hf_node_deadline(&node->machine)),
              RANK_TIME);
    watch(w, node);
    tell_handed(w, who);
}

/* ---- Processes ----------------------------------------------------------- */

void
nodes_begin(struct world *w, unsigned who)
{
    struct sim_node *node = &w->nodes[who];
    struct hf_node_config config = w->shape.node;

    config.leader.seed = world_draw(w, UINT64_MAX);
    config.lockspace.seed = world_draw(w, UINT64_MAX);
    node->alive = true;
    node->life++;
    node->generation = w->generation;
    node->forgot = w->store.forgot;
    node->written = 0;
    node->names = 0;
    node->kept_first = node->kept_end = 0;
    node->handed_count = 0;
    node->held_up_count = 0;
    hf_node_init(&node->machine, &config, node->block);
    nodes_step(w, who, (struct hf_node_event){.kind = HF_NODE_START});
}

void
nodes_kill(struct world *w, unsigned who)
{
    struct sim_node *node = &w->nodes[who];
    int64_t away = 1 + (int64_t)world_draw(w, 3000);

    if (!node->alive)
        return;
    node->alive = false;
    world_set(w, &node->alarm, INT64_MAX, RANK_TIME);
    world_set(w, &node->birth, w->now + away, RANK_TIME);
    for (size_t i = 0; i < node->held_up_count; i++)
        w->streams[node->held_up[i]].ended = true;
    network_node_died(w, who);
}

void
nodes_stop(struct world *w, unsigned who)
{
    if (w->nodes[who].alive && w->now >= w->nodes[who].frozen_until)
        nodes_step(w, who, (struct hf_node_event){.kind = HF_NODE_STOP});
}

void
nodes_clock(struct world *w, unsigned who)
{
    struct hf_node_event event = {.kind = HF_NODE_CLOCK};

    event.read_until =
        sim_clock_read(&w->nodes[who].clock, network_read_until(w, who));
    promise_clocking(w, who);
    nodes_step(w, who, event);
    promise_clocked(w, who);
    if (w->nodes[who].alive)
        nodes_step(w, who, (struct hf_node_event){.kind = HF_NODE_TURN});
    if (w->nodes[who].alive && w->nodes[who].unread.first != NULL &&
        w->nodes[who].alarm.at.ms / RANKS <= w->now)
        world_set(w, &w->nodes[who].alarm, w->now + 1, RANK_TIME);
}

unsigned
nodes_serving(const struct world *w)
{
    for (unsigned i = 0; i < NODES; i++)
        if (w->nodes[i].alive && w->nodes[i].machine.state == HF_NODE_SERVING &&
            w->store.leader == i + 1)
            return i + 1;
    return 0;
}

/* ---- Messages ------------------------------------------------------------ */

/* A lease gets its number, and the secret that a number is. */
static void
fill_open(struct world *w, struct hf_message *message)
{
    message->session = ++w->last_id;
    HF_CHECK(w->last_id < IDS_MAX);
    memset(&message->secret, 0, sizeof(message->secret));
    memcpy(message->secret.bytes, &message->session, sizeof(message->session));
    message->open.who = (struct hf_bytes){"us", 2};
}

static void
step_with_names(struct world *w, unsigned who, const struct sim_packet *packet,
                struct hf_node_event *event)
{
    struct hf_message *message = &event->message;
    const struct sim_wish *wish = &w->wishes[packet->send.id];
    struct hf_want wants[NAMES_MAX];
    unsigned name = wish->order[packet->send.index];

    for (size_t i = 0; i < wish->count; i++)
        wants[i] = nodes_want(wish->order[i], wish->modes[wish->order[i]]);
    if (message->kind == HF_MESSAGE_CHANGE) {
        message->change = nodes_want(name, wish->modes[name]);
    } else if (message->kind == HF_MESSAGE_ACQUIRE) {
        message->acquire.wants = wants;
        message->acquire.wants_count = wish->count;
        message->acquire.note = (struct hf_bytes){
            (const char *)&packet->send.id, sizeof(packet->send.id)};
    }
    nodes_step(w, who, *event);
}

/* By whom, and when by its clock; what is of another term does not count. */
static void
note_heard(struct world *w, unsigned who, const struct hf_message *message)
{
    const struct sim_node *node = &w->nodes[who];

    if (node->machine.state != HF_NODE_SERVING ||
        (message->kind != HF_MESSAGE_OPEN &&
         message->term != node->machine.term))
        return;
    w->heard[message->session] = (struct sim_heard){
        .node = who + 1,
        .life = node->life,
        .at = sim_clock_read(&node->clock, w->now),
    };
}

void
nodes_hear(struct world *w, const struct sim_packet *packet)
{
    struct sim_node *node = &w->nodes[packet->node];
    struct sim_stream *stream = &w->streams[packet->stream];
    struct hf_node_event event = {
        .kind = HF_NODE_MESSAGE,
        .message = packet->send.message,
    };

    if (stream->ended)
        return;
    if (!node->alive) {
        stream->ended = true;
        network_break(w, packet->stream);
        return;
    }
    if (packet->life != w->sessions[packet->session].life)
        w->dead_heard = w->now;
    stream->heard_life = node->life;
    answers_hold_up(node, packet->stream);
    memcpy(event.message.secret.bytes, packet->send.secret.bytes,
           sizeof(packet->send.secret.bytes));
    if (event.message.kind == HF_MESSAGE_OPEN)
        fill_open(w, &event.message);
    note_heard(w, packet->node, &event.message);
    node->hears = packet;
    step_with_names(w, packet->node, packet, &event);
    node->hears = NULL;
}

void
nodes_stream_ended(struct world *w, const struct sim_packet *packet)
{
    struct sim_node *node = &w->nodes[packet->node];
    struct sim_stream *stream = &w->streams[packet->stream];
    struct hf_node_event event = {.kind = HF_NODE_STREAM_ENDED};

    if (stream->ended)
        return;
    stream->ended = true;
    if (!node->alive || stream->heard_life != node->life)
        return;
    answers_let_go(node, packet->stream);
    event.request.stream = packet->stream;
    event.request.session = stream->id;
    event.request.lane = stream->lane;
    event.request.n = stream->n;
    event.request.cut = packet->cut;
    if (stream->kind == HF_MESSAGE_ACQUIRE)
        nodes_step(w, packet->node, event);
}

void
nodes_clear(struct world *w, const struct sim_grant *grant, bool at_once)
{
    unsigned who = nodes_serving(w);
    struct hf_node_event event = {.kind = HF_NODE_MESSAGE};
    uint64_t stream = ++w->streams_count;

    HF_CHECK(stream < STREAMS_MAX);
    if (who == 0 || w->now < w->nodes[who - 1].frozen_until)
        return;
    w->streams[stream] = (struct sim_stream){
        .node = who - 1,
        .id = grant->session,
        .clears = grant->wish,
        .at_once = at_once,
    };
    event.message.kind = HF_MESSAGE_CLEAR;
    event.message.stream = stream;
    for (unsigned i = 0; i < NAMES_MAX; i++)
        if (grant->modes[i] != 0)
            event.message.clear.lock = nodes_want(i, grant->modes[i]);
    event.message.clear.fence = grant->fence;
    event.message.clear.at_once = at_once;
    event.message.clear.audit = (struct hf_bytes){"why", 3};
    world_say(w, "an operator clears fence %llu%s",
              (unsigned long long)grant->fence,
              at_once ? "" : ", if its holder is suspected");
    nodes_step(w, who - 1, event);
}

/* ---- What the store says ------------------------------------------------- */

void
nodes_told(struct world *w, unsigned who, uint64_t number,
           enum hf_verdict verdict, uint64_t version)
{
    struct hf_instant at = sim_clock_read(&w->nodes[who].clock, w->now);

    nodes_step(w, who,
               (struct hf_node_event){
                   .kind = HF_NODE_STORE,
                   .store = hf_answer(at, number, verdict, version),
               });
}

/* Its worker has found another store in the place of the one it had open. */
static void
open_anew(struct world *w, unsigned who)
{
    if (w->nodes[who].generation == w->generation)
        return;
    w->nodes[who].generation = w->generation;
    w->nodes[who].forgot = w->store.forgot;
    nodes_step(w, who,
               (struct hf_node_event){.kind = HF_NODE_STORE,
                                      .store = {.kind = HF_ON_WENT_BACK}});
}

void
nodes_answered(struct world *w, const struct sim_call *call)
{
    struct sim_node *node = &w->nodes[call->node];
    struct hf_node_event event = {.kind = HF_NODE_FOUND};

    if (call->loads) {
        loads_answered(w, call);
    } else if (call->ask.ask.request.read) {
        if (call->sight.kind == HF_SIGHT_LOCK)
            node->names = call->leader;
        event.found.number = call->ask.ask.request.number;
        event.found.sight = call->sight;
        event.found.head = call->head;
        event.found.head.forgot = node->forgot;
        nodes_step(w, call->node, event);
    } else {
        nodes_told(w, call->node, call->ask.ask.request.number, call->verdict,
                   call->version);
    }
    if (node->alive && call->generation != w->generation)
        open_anew(w, call->node);
}

void
nodes_hint(struct world *w)
{
    for (unsigned i = 0; i < NODES; i++)
        if (w->nodes[i].alive)
            watch(w, &w->nodes[i]);
}

void
nodes_wake(struct world *w, unsigned who)
{
    struct sim_node *node = &w->nodes[who];

    world_set(w, &node->hint, INT64_MAX, RANK_ARRIVES);
    if (!node->alive || w->now < node->frozen_until ||
        w->now < node->store_cut_until[1] || !has_hint(w, node))
        return;
    nodes_step(w, who,
               (struct hf_node_event){.kind = HF_NODE_STORE,
                                      .store = {.kind = HF_ON_HINT}});
}
