#include "history/support/world.h"

#include <stdio.h>

static bool
is_current(const struct request *request, uint32_t session, uint64_t lane)
{
    return request->serial != 0 && request->session == session &&
           request->lane == lane && request->wish != WISH_DONE &&
           !request->silent;
}

static void
send_lower(struct service *s, struct request *request)
{
    unsigned lock = world_below(s, LOCKS);

    if (request->modes[lock] != HF_EXCLUSIVE)
        return;
    request->modes[lock] = HF_SHARED;
    world_write_lock(s, NOTE_LOWER, request, lock);
    world_send(s, (struct packet){
                      .kind = PACKET_LOWER,
                      .session = request->session,
                      .serial = request->serial,
                      .lock = lock,
                  });
}

static void
give_up(struct service *s, struct request *request)
{
    request->wish = WISH_GIVEN_UP;
    world_write_request(s, NOTE_RELEASE, request);
    world_send_of(s, PACKET_RELEASE, request);
}

static void
ask(struct service *s, unsigned client, uint64_t lane)
{
    struct request *request = s->requests;

    while (request < s->requests + REQUESTS_MAX && request->serial != 0)
        request++;
    if (request == s->requests + REQUESTS_MAX)
        return;
    *request = (struct request){
        .serial = ++s->serials,
        .session = s->clients[client],
        .lane = lane,
        .n = ++s->numbers[client][lane],
        .try = world_one_in(s, s->tries),
        .wish = WISH_ASKED,
        .deadline_ns = s->now_ns + 100 + world_below(s, 3 * TTL_NS),
    };
    for (unsigned i = 0; i < LOCKS; i++)
        request->modes[i] = world_one_in(s, 2)   ? HF_UNTIL_FREE
                            : world_one_in(s, 3) ? HF_SHARED
                                                 : HF_EXCLUSIVE;
    if (request->modes[0] == HF_UNTIL_FREE &&
        request->modes[1] == HF_UNTIL_FREE)
        request->modes[2] = HF_EXCLUSIVE;
    world_write_request(s, NOTE_ASK, request);
    world_send_of(s, PACKET_ACQUIRE, request);
}

static void
act_asked(struct service *s, struct request *request)
{
    if (s->now_ns < request->deadline_ns) {
        if (world_one_in(s, 20))
            world_send_of(s, PACKET_ACQUIRE, request);
        return;
    }
    request->timed_out = world_one_in(s, 2);
    if (request->timed_out)
        world_write_request(s, NOTE_TIMED_OUT, request);
    give_up(s, request);
}

static void
act_held(struct service *s, struct request *request)
{
    const struct session *session = &s->sessions[request->session];

    if (session->if_dead == HF_TAKEOVER && s->now_ns >= session->right_ns) {
        world_write_request(s, NOTE_LOST, request);
        give_up(s, request);
        return;
    }
    if (session->right_ns > request->told_ns && world_one_in(s, 8)) {
        request->told_ns = session->right_ns;
        world_write_request(s, NOTE_EXTENDED, request);
    }
    if (world_one_in(s, 60))
        send_lower(s, request);
    if (world_one_in(s, 80))
        give_up(s, request);
}

static void
act_lane(struct service *s, unsigned client, uint64_t lane)
{
    for (size_t i = 0; i < REQUESTS_MAX; i++) {
        struct request *request = &s->requests[i];

        if (!is_current(request, s->clients[client], lane))
            continue;
        if (request->wish == WISH_ASKED)
            act_asked(s, request);
        else if (request->wish == WISH_HELD)
            act_held(s, request);
        else
            request->silent = s->harsh && world_one_in(s, 100);
        return;
    }
    if (world_one_in(s, s->pause))
        ask(s, client, lane);
}

void
clients_open(struct service *s, unsigned client)
{
    struct session *session = &s->sessions[++s->sessions_count];

    *session = (struct session){
        .if_dead = world_one_in(s, 6) ? HF_REFUSE : HF_TAKEOVER,
        .heard_ns = s->now_ns,
    };
    snprintf(session->name, sizeof(session->name), "s%u", s->sessions_count);
    s->clients[client] = s->sessions_count;
}

static void
beat(struct service *s, uint32_t number)
{
    struct session *session = &s->sessions[number];

    if (s->now_ns < session->beat_ns)
        return;
    session->beat_ns = s->now_ns + BEAT_NS;
    world_send(s, (struct packet){
                      .kind = session->ending ? PACKET_END : PACKET_BEAT,
                      .session = number,
                      .sent_ns = s->now_ns,
                  });
    for (size_t i = 0; i < REQUESTS_MAX; i++)
        if (s->requests[i].session == number &&
            s->requests[i].wish == WISH_GIVEN_UP)
            world_send_of(s, PACKET_RELEASE, &s->requests[i]);
}

void
clients_act(struct service *s, unsigned client)
{
    struct session *session = &s->sessions[s->clients[client]];
    bool room = s->sessions_count + 1 < SESSIONS_MAX;

    if (room && (session->gone || (s->harsh && world_one_in(s, 1500)))) {
        session->dead = true;
        clients_open(s, client);
        return;
    }
    beat(s, s->clients[client]);
    if (session->ending || session->gone || session->right_ns == 0)
        return;
    if (world_one_in(s, 1000)) {
        session->ending = true;
        world_write_session(s, NOTE_END, session);
        return;
    }
    for (uint64_t lane = 0; lane < LANES; lane++)
        act_lane(s, client, lane);
}

static void
on_granted(struct service *s, struct request *request, uint64_t fence)
{
    const struct session *session = &s->sessions[request->session];
    bool wanted = request->wish == WISH_ASKED ||
                  (request->wish == WISH_HELD && !world_one_in(s, 3));
    bool late = s->mistake == SERVICE_TAKES_LATE && request->timed_out &&
                request->wish == WISH_GIVEN_UP;

    if (s->now_ns >= session->right_ns || (!wanted && !late))
        return;
    if (request->wish == WISH_ASKED)
        request->wish = WISH_HELD;
    request->told_fence = fence;
    request->told_ns = session->right_ns;
    world_write_request(s, NOTE_GRANTED, request);
}

static void
on_over(struct service *s, struct request *request)
{
    if (request->wish == WISH_ASKED || request->wish == WISH_GIVEN_UP) {
        world_write_request(s, request->refused ? NOTE_HELD : NOTE_OVER,
                            request);
        request->wish = WISH_DONE;
    }
}

static void
on_gone(struct service *s, uint32_t number)
{
    struct session *session = &s->sessions[number];

    if (!session->gone)
        world_write_session(s, NOTE_GONE, session);
    session->gone = true;
    for (size_t i = 0; i < REQUESTS_MAX; i++)
        if (s->requests[i].session == number)
            s->requests[i].wish = WISH_DONE;
}

/* What a client is answered. */
void
clients_take(struct service *s, const struct packet *packet)
{
    struct session *session = &s->sessions[packet->session];
    struct request *request = world_find(s, packet->serial);
    int64_t from_ns =
        s->mistake == SERVICE_RIGHT_LATE ? s->now_ns : packet->sent_ns;

    if (session->dead || session->gone)
        return;
    if (packet->kind == PACKET_GONE)
        on_gone(s, packet->session);
    if (packet->kind == PACKET_ALIVE && session->right_ns < from_ns + TTL_NS)
        session->right_ns = from_ns + TTL_NS;
    if (request == NULL)
        return;
    if (packet->kind == PACKET_GRANTED)
        on_granted(s, request, packet->fence);
    if (packet->kind == PACKET_OVER)
        on_over(s, request);
    if (packet->kind == PACKET_LOWERED && request->wish == WISH_HELD)
        world_write_lock(s, NOTE_LOWERED, request, packet->lock);
    if (packet->kind == PACKET_LOST && request->wish == WISH_HELD) {
        world_write_request(s, NOTE_LOST, request);
        give_up(s, request);
    }
}
