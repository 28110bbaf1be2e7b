#include "history/support/world.h"

#include "base/check.h"
#include "support/splitmix.h"

/* ---- Chance -------------------------------------------------------------- */

uint32_t
world_below(struct service *s, uint32_t limit)
{
    return (uint32_t)(splitmix64(&s->random) % limit);
}

bool
world_one_in(struct service *s, uint32_t count)
{
    return world_below(s, count) == 0;
}

/* Is it that mistake, and is it made now? */
bool
world_mistakes(struct service *s, enum service_mistake mistake, uint32_t count)
{
    return s->mistake == mistake && world_one_in(s, count);
}

/* ---- What is written ----------------------------------------------------- */

void
world_write(struct service *s, struct note note)
{
    note.at_ns = s->now_ns;
    note_write(s->text, &note);
    HF_CHECK(!hf_text_cut(s->text));
}

const char *const world_locks[LOCKS] = {"x", "y", "z"};

static struct note_request
name_of(const struct service *s, const struct request *request)
{
    return (struct note_request){s->sessions[request->session].name,
                                 request->lane, request->n};
}

void
world_write_request(struct service *s, enum note_kind kind,
                    const struct request *request)
{
    struct note_name names[LOCKS];
    struct note note = {
        .kind = kind,
        .request = name_of(s, request),
        .if_dead = s->sessions[request->session].if_dead,
        .names = names,
        .fence = request->told_fence,
        .until_ns = request->told_ns,
    };

    for (unsigned i = 0; i < LOCKS; i++)
        if (request->modes[i] != HF_UNTIL_FREE)
            names[note.names_count++] =
                (struct note_name){world_locks[i], request->modes[i]};
    if (!request->silent)
        world_write(s, note);
}

void
world_write_lock(struct service *s, enum note_kind kind,
                 const struct request *request, unsigned lock)
{
    struct note_name name = {world_locks[lock], HF_SHARED};

    if (!request->silent)
        world_write(s, (struct note){
                           .kind = kind,
                           .request = name_of(s, request),
                           .names = &name,
                           .names_count = 1,
                           .fence = request->fence,
                       });
}

void
world_write_session(struct service *s, enum note_kind kind,
                    const struct session *session)
{
    world_write(s,
                (struct note){.kind = kind, .request.session = session->name});
}

/* ---- The network --------------------------------------------------------- */

static void
put_packet(struct service *s, struct packet packet)
{
    for (size_t i = 0; i < PACKETS_MAX; i++) {
        if (s->packets[i].kind != PACKET_NONE)
            continue;
        s->packets[i] = packet;
        return;
    }
}

void
world_send(struct service *s, struct packet packet)
{
    if (s->now_ns < s->sessions[packet.session].cut_ns || world_one_in(s, 10))
        return;
    packet.due_ns =
        s->now_ns + world_below(s, world_one_in(s, 8) ? LATE_NS : 60);
    put_packet(s, packet);
    if (!world_one_in(s, 10))
        return;
    packet.due_ns = s->now_ns + world_below(s, LATE_NS);
    put_packet(s, packet);
}

void
world_send_of(struct service *s, enum packet_kind kind,
              const struct request *request)
{
    world_send(s, (struct packet){
                      .kind = kind,
                      .session = request->session,
                      .serial = request->serial,
                      .fence = request->fence,
                  });
}

struct request *
world_find(struct service *s, uint32_t serial)
{
    for (size_t i = 0; i < REQUESTS_MAX; i++)
        if (s->requests[i].serial == serial && serial != 0)
            return &s->requests[i];
    return NULL;
}

static struct packet *
next_due(struct service *s)
{
    struct packet *next = NULL;

    for (size_t i = 0; i < PACKETS_MAX; i++) {
        struct packet *packet = &s->packets[i];

        if (packet->kind != PACKET_NONE && packet->due_ns <= s->now_ns &&
            (next == NULL || packet->due_ns < next->due_ns))
            next = packet;
    }
    return next;
}

bool
world_next(struct service *s, struct packet *packet)
{
    struct packet *due = next_due(s);

    if (due == NULL)
        return false;
    *packet = *due;
    due->kind = PACKET_NONE;
    return true;
}
