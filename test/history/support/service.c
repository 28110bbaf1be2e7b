#include "history/support/service.h"

#include "history/support/world.h"

/* What is in the store, and an older copy of it. */
static struct service service;
static struct service copy;

/* ---- Fate ---------------------------------------------------------------- */

static void
crash(struct service *s)
{
    server_begin(s);
    for (size_t i = 0; i < REQUESTS_MAX; i++)
        if (s->mistake == SERVICE_FORGETS && s->requests[i].serial != 0 &&
            s->requests[i].place == PLACE_GRANTED &&
            s->requests[i].fence == s->fence)
            s->requests[i].place = PLACE_NONE;
    if (s->mistake == SERVICE_FENCE_FALLS && s->fence > 5)
        s->fence -= 5;
}

/* What was asked since the copy was taken, nobody has ever heard of. */
static void
restore(struct service *s)
{
    world_write(s, (struct note){.kind = NOTE_RESTORING});
    s->now_ns += world_below(s, 100);
    server_begin(s);
    for (size_t i = 0; i < REQUESTS_MAX; i++) {
        struct request *request = &s->requests[i];
        const struct request *old = &copy.requests[i];
        bool same = request->serial == old->serial;

        request->place =
            same && old->place != PLACE_WAITING ? old->place : PLACE_NONE;
        request->fence = same ? old->fence : 0;
        for (unsigned j = 0; j < LOCKS; j++)
            request->held[j] = same ? old->held[j] : HF_UNTIL_FREE;
    }
    for (uint32_t i = 1; i <= s->sessions_count; i++)
        s->sessions[i].over = copy.sessions[i].over || !copy.sessions[i].known;
    if (s->mistake == SERVICE_RESTORED_FENCE)
        s->fence = copy.fence;
    world_write(s, (struct note){.kind = NOTE_RESTORED});
}

/* An operator, who sees what is held, and may be late. */
static void
clear(struct service *s)
{
    const struct request *request = &s->requests[world_below(s, REQUESTS_MAX)];
    unsigned lock = world_below(s, LOCKS);

    if (request->serial == 0 || request->place != PLACE_GRANTED ||
        request->held[lock] == HF_UNTIL_FREE)
        return;
    world_write(s,
                (struct note){
                    .kind = NOTE_CLEAR,
                    .names = &(struct note_name){world_locks[lock], HF_SHARED},
                    .names_count = 1,
                    .fence = request->fence,
                });
    world_send(s, (struct packet){
                      .kind = PACKET_CLEAR,
                      .lock = lock,
                      .fence = request->fence,
                  });
}

/* A client is cut off; answers that are on their way may still come. */
static void
cut(struct service *s)
{
    uint32_t session = s->clients[world_below(s, CLIENTS)];

    s->sessions[session].cut_ns = s->now_ns + TTL_NS + world_below(s, TTL_NS);
    for (size_t i = 0; i < PACKETS_MAX; i++)
        if (s->packets[i].session == session &&
            s->packets[i].kind < PACKET_ALIVE)
            s->packets[i].kind = PACKET_NONE;
}

static void
strike(struct service *s)
{
    if (world_one_in(s, 120))
        cut(s);
    if (world_one_in(s, 2))
        clear(s);
    if (world_one_in(s, 400))
        crash(s);
    if (world_one_in(s, 700))
        copy = *s;
    if (s->harsh && world_one_in(s, 1000) && copy.now_ns > 0)
        restore(s);
}

/* ---- Time ---------------------------------------------------------------- */

static void
deliver(struct service *s)
{
    struct packet packet;

    while (world_next(s, &packet)) {
        if (packet.kind >= PACKET_ALIVE)
            clients_take(s, &packet);
        else
            server_take(s, &packet);
    }
}

/* Those that nobody thinks of any more. */
static void
forget_requests(struct service *s)
{
    for (size_t i = 0; i < REQUESTS_MAX; i++) {
        struct request *request = &s->requests[i];
        const struct session *session = &s->sessions[request->session];
        bool unwanted =
            request->wish == WISH_DONE || (session->dead && session->over);

        if (unwanted && !server_has(request) &&
            (request->place != PLACE_NONE || session->over))
            request->serial = 0;
    }
}

void
service_run(const struct service_terms *terms, struct hf_text *text)
{
    struct service *s = &service;

    *s = (struct service){
        .mistake = terms->mistake,
        .random = terms->seed,
        .now_ns = 1000,
        .text = text,
    };
    s->pause = 5U << world_below(s, 6);
    s->tries = 1 + world_below(s, 4);
    s->harsh = world_one_in(s, 2);
    copy.now_ns = 0;
    for (unsigned i = 0; i < CLIENTS; i++)
        clients_open(s, i);
    for (uint32_t i = 0; i < terms->steps; i++) {
        s->now_ns += world_one_in(s, 3) ? 0 : world_below(s, 60);
        deliver(s);
        server_tell_time(s);
        for (unsigned j = 0; j < CLIENTS; j++)
            clients_act(s, j);
        strike(s);
        forget_requests(s);
    }
}

const char *
service_mistake_text(enum service_mistake mistake)
{
    static const char *const texts[] = {
#define SERVICE_MISTAKE_TEXT(name, about) [name] = about,
        SERVICE_MISTAKE_TABLE(SERVICE_MISTAKE_TEXT)
#undef SERVICE_MISTAKE_TEXT
    };

    return texts[mistake];
}
