#include "simulate/server/network.h"

#include <string.h>

#include "base/check.h"

enum { TO_NODE, FROM_NODE };

/* A node that has woken, or is in trouble, needs so long to read what is there.
 */
#define READS_MS 100

void
network_init(struct world *w)
{
    w->free_packets = NULL;
    for (size_t i = PACKETS_MAX; i > 0; i--) {
        w->packets[i - 1].next_free = w->free_packets;
        w->packets[i - 1].alarm = (struct hf_heap_node){.kind = ALARM_PACKET};
        w->free_packets = &w->packets[i - 1];
    }
}

/* ---- Packets ------------------------------------------------------------- */

/* Mostly soon; in trouble at any time. */
static int64_t
delay(struct world *w)
{
    int64_t most = world_trouble(w) ? 4000 : w->shape.network_ms;

    return 1 + (int64_t)world_draw(w, (uint64_t)most);
}

static struct sim_packet *
post(struct world *w, enum packet_kind kind, uint64_t stream)
{
    struct sim_packet *packet = w->free_packets;
    const struct sim_stream *of = &w->streams[stream];

    HF_CHECK(packet != NULL);
    w->free_packets = packet->next_free;
    packet->kind = kind;
    packet->stream = stream;
    packet->session = of->session;
    packet->life = of->life;
    packet->node = of->node;
    packet->fences_count = 0;
    packet->cut = kind == PACKET_ENDED;
    packet->speaks = false;
    world_set(w, &packet->alarm, w->now + delay(w), RANK_ARRIVES);
    return packet;
}

void
network_give_back(struct world *w, struct sim_packet *packet)
{
    if (packet->unread)
        hf_list_remove(&w->nodes[packet->node].unread, &packet->link);
    packet->unread = false;
    world_set(w, &packet->alarm, INT64_MAX, RANK_ARRIVES);
    packet->next_free = w->free_packets;
    w->free_packets = packet;
}

/* When the receiver looks at it. */
static int64_t
taken_at(struct world *w, const struct sim_packet *packet)
{
    const struct sim_node *node = &w->nodes[packet->node];

    if (packet->kind != PACKET_MESSAGE && packet->kind != PACKET_ENDED)
        return w->clients[w->sessions[packet->session].client].frozen_until;
    if (!node->alive)
        return w->now;
    if (w->now < node->frozen_until)
        return node->frozen_until + (int64_t)world_draw(w, READS_MS);
    if (!packet->unread && world_trouble(w))
        return w->now + (int64_t)world_draw(w, READS_MS);
    return w->now;
}

/* It has arrived, and waits there until it is taken. */
static void
keep_unread(struct world *w, struct sim_packet *packet)
{
    if (packet->unread ||
        (packet->kind != PACKET_MESSAGE && packet->kind != PACKET_ENDED))
        return;
    packet->unread = true;
    packet->arrived = w->now;
    hf_list_add(&w->nodes[packet->node].unread, &packet->link);
}

int64_t
network_read_until(const struct world *w, unsigned node)
{
    struct hf_link *first = w->nodes[node].unread.first;

    if (first == NULL)
        return w->now;
    return HF_CONTAINER(first, struct sim_packet, link)->arrived;
}

static bool
is_cut(const struct world *w, const struct sim_packet *packet)
{
    const struct sim_client *client =
        &w->clients[w->sessions[packet->session].client];

    if (packet->kind == PACKET_MESSAGE && !packet->unread)
        return w->now < client->cut_until[packet->node][TO_NODE];
    if (packet->kind == PACKET_ANSWER)
        return w->now < client->cut_until[packet->node][FROM_NODE];
    return false; /* what each side finds out by itself */
}

bool
network_take(struct world *w, struct sim_packet *packet)
{
    int64_t at;

    if (is_cut(w, packet)) {
        network_give_back(w, packet);
        return false;
    }
    at = taken_at(w, packet);
    if (w->now < at) {
        keep_unread(w, packet);
        world_set(w, &packet->alarm, at, RANK_ARRIVES);
        return false;
    }
    return true;
}

/* ---- Streams ------------------------------------------------------------- */

bool
network_over(struct world *w, uint64_t stream)
{
    struct sim_session *of = &w->sessions[w->streams[stream].session];

    for (size_t i = 0; i < of->open_count; i++)
        if (of->open[i] == stream) {
            of->open[i] = of->open[--of->open_count];
            return true;
        }
    return false;
}

static bool
holds(const struct world *w, uint64_t id)
{
    return id < IDS_MAX && w->store.leases[id].on;
}

static uint64_t
add_stream(struct world *w, unsigned session,
           const struct hf_session_send *send, bool dead)
{
    struct sim_session *of = &w->sessions[session];
    const struct hf_message *message = &send->message;
    uint64_t number = ++w->streams_count;

    HF_CHECK(number < STREAMS_MAX && of->open_count < OPEN_MAX);
    w->streams[number] = (struct sim_stream){
        .session = session,
        .life = of->life,
        .own = dead ? 0 : message->stream,
        .node = send->node - 1,
        .kind = message->kind,
        .id = message->session,
        .lane = message->lane,
        .n = message->n,
        .holds = holds(w, message->session),
    };
    if (!dead)
        of->open[of->open_count++] = number;
    return number;
}

static void
copy_page(const struct world *w, struct sim_packet *packet)
{
    const struct hf_session *machine = w->sessions[packet->session].machine;
    uint32_t cursor = 0;

    if (packet->send.message.kind != HF_MESSAGE_PAGE)
        return;
    while (hf_session_page(machine, &cursor,
                           &packet->fences[packet->fences_count]))
        packet->fences_count++;
}

static void
post_message(struct world *w, unsigned session,
             const struct hf_session_send *send, bool dead)
{
    struct sim_packet *packet;
    uint64_t stream = add_stream(w, session, send, dead);

    packet = post(w, PACKET_MESSAGE, stream);
    packet->send = *send;
    packet->send.message.stream = stream;
    copy_page(w, packet);
    if (dead)
        post(w, PACKET_ENDED, stream);
    if (world_trouble(w) && world_chance(w, 300)) /* lost, with its stream */
        network_break(w, stream);
}

void
network_send(struct world *w, unsigned session,
             const struct hf_session_send *send)
{
    post_message(w, session, send, false);
    if (world_trouble(w) && world_chance(w, 300)) /* the same, once more */
        post_message(w, session, send, true);
}

void
network_answer(struct world *w, uint64_t stream,
               const struct sim_answer *answer, uint32_t leader, uint64_t term)
{
    const struct sim_stream *of = &w->streams[stream];
    struct sim_packet *packet;

    if (of->own == 0)
        return;
    if (world_trouble(w) && world_chance(w, 300)) {
        network_break(w, stream);
        return;
    }
    packet = post(w, PACKET_ANSWER, stream);
    packet->event = (struct hf_session_event){.kind = HF_SESSION_ANSWER};
    packet->event.answer.answer = answer->answer;
    packet->event.answer.answer.stream = of->own;
    packet->event.answer.leader = leader;
    packet->event.answer.term = term;
    if (answer->answer.kind == HF_ANSWER_OPENED)
        memcpy(packet->event.answer.secret.bytes, &answer->answer.alive.session,
               sizeof(answer->answer.alive.session));
    packet->fences_count = answer->fences_count;
    memcpy(packet->fences, answer->fences, sizeof(packet->fences));
    packet->held_count = answer->held_count;
    memcpy(packet->held, answer->held, sizeof(packet->held));
}

/* The node learns it in any case; by a silence of its own, if need be. */
void
network_break(struct world *w, uint64_t stream)
{
    if (w->streams[stream].own != 0 && world_chance(w, 700))
        post(w, PACKET_BROKEN, stream);
    post(w, PACKET_ENDED, stream);
}

void
network_close(struct world *w, unsigned session, uint64_t own)
{
    struct sim_session *of = &w->sessions[session];

    for (size_t i = 0; i < of->open_count; i++)
        if (w->streams[of->open[i]].own == own) {
            post(w, PACKET_ENDED, of->open[i])->cut = false;
            network_over(w, of->open[i]);
            return;
        }
}

void
network_drop(struct world *w, unsigned session)
{
    struct sim_session *of = &w->sessions[session];

    while (of->open_count > 0)
        post(w, PACKET_ENDED, of->open[--of->open_count]);
}

void
network_cut_connection(struct world *w, unsigned session, unsigned node)
{
    struct sim_session *of = &w->sessions[session];

    for (size_t i = 0; i < of->open_count; i++)
        if (w->streams[of->open[i]].node == node)
            network_break(w, of->open[i]);
}

void
network_node_died(struct world *w, unsigned node)
{
    for (unsigned i = 0; i < w->sessions_count; i++)
        if (world_chance(w, 800)) /* else nobody tells it */
            network_cut_connection(w, i, node);
}
