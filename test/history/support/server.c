#include "history/support/world.h"

bool
server_has(const struct request *request)
{
    return request->place == PLACE_GRANTED || request->place == PLACE_WAITING;
}

static bool
is_same_lane(const struct request *a, const struct request *b)
{
    return a->session == b->session && a->lane == b->lane;
}

/* Does `other` keep it out? */
static bool
keeps_out(const struct service *s, const struct request *other,
          const struct request *request)
{
    bool granted = other->place == PLACE_GRANTED;

    if (!server_has(other) || is_same_lane(other, request) ||
        (!granted && other->turn >= request->turn))
        return false;
    for (unsigned i = 0; i < LOCKS; i++) {
        enum hf_mode theirs = granted ? other->held[i] : other->modes[i];
        enum hf_mode mine = request->modes[i];

        if (mine == HF_UNTIL_FREE)
            continue;
        if (theirs == HF_EXCLUSIVE || (theirs == HF_SHARED && mine != theirs))
            return s->mistake != SERVICE_SHARES_ANY || mine != HF_SHARED;
        if (s->mistake == SERVICE_FIRST_NAME)
            break;
    }
    return false;
}

static bool
is_grantable(struct service *s, const struct request *request)
{
    if (world_mistakes(s, SERVICE_GRANTS_TWO, 20))
        return true;
    for (size_t i = 0; i < REQUESTS_MAX; i++)
        if (s->requests[i].serial != 0 &&
            keeps_out(s, &s->requests[i], request))
            return false;
    return true;
}

static void
give_fence(struct service *s, struct request *request)
{
    if (s->fence == 0 || !world_mistakes(s, SERVICE_FENCE_STANDS, 10))
        s->fence++;
    request->fence = s->fence;
}

static void
grant(struct service *s, struct request *request)
{
    give_fence(s, request);
    request->place = PLACE_GRANTED;
    for (unsigned i = 0; i < LOCKS; i++)
        request->held[i] = request->modes[i];
    world_send_of(s, PACKET_GRANTED, request);
}

static void
grant_waiting(struct service *s)
{
    bool again = true;

    while (again) {
        again = false;
        for (size_t i = 0; i < REQUESTS_MAX; i++) {
            struct request *request = &s->requests[i];

            if (request->serial == 0 || request->place != PLACE_WAITING ||
                !is_grantable(s, request))
                continue;
            grant(s, request);
            again = true;
        }
    }
}

static void
on_acquire(struct service *s, struct request *request)
{
    switch (request->place) {
    case PLACE_NONE:
        request->turn = ++s->turns;
        request->refused =
            request->try && (world_mistakes(s, SERVICE_UNTRUE_NO, 5) ||
                             !is_grantable(s, request));
        request->place = request->refused ? PLACE_OVER : PLACE_WAITING;
        if (request->refused)
            world_send_of(s, PACKET_OVER, request);
        break;
    case PLACE_WAITING:
        break;
    case PLACE_GRANTED:
        if (world_mistakes(s, SERVICE_GRANTS_AGAIN, 2))
            give_fence(s, request);
        world_send_of(s, PACKET_GRANTED, request);
        break;
    case PLACE_CLEARED:
    case PLACE_OVER:
        world_send_of(s, PACKET_OVER, request);
        break;
    }
}

static void
on_release(struct service *s, struct request *request)
{
    bool keeps =
        request->place == PLACE_GRANTED && world_mistakes(s, SERVICE_KEEPS, 3);

    for (size_t i = 0; i < REQUESTS_MAX; i++)
        if (s->mistake == SERVICE_RELEASES_NEXT &&
            s->requests[i].place == PLACE_GRANTED &&
            is_same_lane(&s->requests[i], request))
            s->requests[i].place = PLACE_OVER;
    if (!keeps)
        request->place = PLACE_OVER;
    world_send_of(s, PACKET_OVER, request);
}

static void
on_lower(struct service *s, struct request *request,
         const struct packet *packet)
{
    struct packet answer = *packet;

    if (request->place == PLACE_GRANTED)
        request->held[packet->lock] =
            s->mistake == SERVICE_LOWERS_ALL ? HF_UNTIL_FREE : HF_SHARED;
    answer.kind = PACKET_LOWERED;
    world_send(s, answer);
}

static void
on_clear(struct service *s, const struct packet *packet)
{
    for (size_t i = 0; i < REQUESTS_MAX; i++) {
        struct request *request = &s->requests[i];

        if (request->serial == 0 || request->place != PLACE_GRANTED ||
            request->held[packet->lock] == HF_UNTIL_FREE)
            continue;
        if (request->fence == packet->fence || s->mistake == SERVICE_CLEARS_ANY)
            request->place = PLACE_CLEARED;
    }
}

static void
end_session(struct service *s, uint32_t session)
{
    s->sessions[session].over = true;
    for (size_t i = 0; i < REQUESTS_MAX; i++)
        if (s->requests[i].session == session)
            s->requests[i].place = PLACE_OVER;
}

static void
on_beat(struct service *s, const struct packet *packet)
{
    struct packet answer = *packet;

    s->sessions[packet->session].known = true;
    answer.kind = PACKET_ALIVE;
    world_send(s, answer);
    for (size_t i = 0; i < REQUESTS_MAX; i++) {
        struct request *request = &s->requests[i];

        if (request->session == packet->session && request->wish == WISH_HELD &&
            request->place != PLACE_GRANTED)
            world_send_of(s, PACKET_LOST, request);
    }
}

/* What a client asks. */
void
server_take(struct service *s, const struct packet *packet)
{
    struct session *session = &s->sessions[packet->session];
    struct request *request = world_find(s, packet->serial);
    struct packet gone = {.kind = PACKET_GONE, .session = packet->session};

    if (packet->kind == PACKET_CLEAR) {
        on_clear(s, packet);
    } else if (session->over) {
        world_send(s, gone);
    } else {
        session->heard_ns = s->now_ns;
        if (packet->kind == PACKET_BEAT) {
            on_beat(s, packet);
        } else if (packet->kind == PACKET_END) {
            end_session(s, packet->session);
            world_send(s, gone);
        } else if (request != NULL && packet->kind == PACKET_ACQUIRE) {
            on_acquire(s, request);
        } else if (request != NULL && packet->kind == PACKET_RELEASE) {
            on_release(s, request);
        } else if (request != NULL && packet->kind == PACKET_LOWER) {
            on_lower(s, request, packet);
        }
    }
    grant_waiting(s);
}

/* A refuse session that holds anything loses its waiting ones alone. */
static bool
outlives(struct service *s, uint32_t session)
{
    bool holds = false;

    if (s->sessions[session].if_dead != HF_REFUSE ||
        s->mistake == SERVICE_REFUSE_BY_TIME)
        return false;
    for (size_t i = 0; i < REQUESTS_MAX; i++)
        holds |= s->requests[i].session == session &&
                 s->requests[i].place == PLACE_GRANTED;
    for (size_t i = 0; i < REQUESTS_MAX && holds; i++)
        if (s->requests[i].session == session &&
            s->requests[i].place == PLACE_WAITING)
            s->requests[i].place = PLACE_NONE;
    return holds;
}

void
server_tell_time(struct service *s)
{
    int64_t ttl_ns = s->mistake == SERVICE_EARLY ? TTL_NS / 2 : TTL_NS;

    for (uint32_t i = 1; i <= s->sessions_count; i++) {
        struct session *session = &s->sessions[i];

        if (session->known && !session->over &&
            s->now_ns >= session->heard_ns + ttl_ns && !outlives(s, i))
            end_session(s, i);
    }
    grant_waiting(s);
}

static void
lose_packets(struct service *s)
{
    for (size_t i = 0; i < PACKETS_MAX; i++)
        s->packets[i].kind = PACKET_NONE;
}

void
server_begin(struct service *s)
{
    lose_packets(s);
    for (size_t i = 0; i < REQUESTS_MAX; i++)
        if (s->requests[i].place == PLACE_WAITING)
            s->requests[i].place = PLACE_NONE;
    for (uint32_t i = 1; i <= s->sessions_count; i++)
        s->sessions[i].heard_ns = s->now_ns;
}
