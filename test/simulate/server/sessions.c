#include "simulate/server/sessions.h"

#include <string.h>

#include "base/check.h"
#include "lab/check.h"
#include "simulate/server/network.h"
#include "simulate/server/promise.h"

bool
sessions_lives(const struct world *w, const struct sim_wish *wish)
{
    return wish->life == w->sessions[wish->session].life;
}

/* ---- Lives --------------------------------------------------------------- */

void
sessions_begin(struct world *w, unsigned who)
{
    struct sim_session *session = &w->sessions[who];

    session->config.seed = world_draw(w, UINT64_MAX);
    memset(session->machine, 0, hf_session_size(&session->config));
    hf_session_init(session->machine, &session->config);
    session->life++;
    session->ends = false;
    session->mine_count = 0;
    world_set(w, &session->alarm, INT64_MAX, RANK_TIME);
}

/* What was told to a dead holder of HF_REFUSE stays promised. */
static void
forget_told(struct world *w, unsigned who)
{
    size_t left = 0;

    for (size_t i = 0; i < w->told_count; i++) {
        const struct sim_wish *wish = &w->wishes[w->told[i]];

        if (wish->session != who ||
            (w->sessions[who].config.terms.if_dead == HF_REFUSE &&
             !wish->released))
            w->told[left++] = w->told[i];
    }
    w->told_count = left;
}

void
sessions_kill_client(struct world *w, unsigned client)
{
    for (unsigned i = 0; i < w->sessions_count; i++) {
        if (w->sessions[i].client != client)
            continue;
        forget_told(w, i);
        network_drop(w, i);
        sessions_begin(w, i);
    }
    w->counts.deaths++;
    w->clients[client].frozen_until = 0;
    world_say(w, "client %u is killed", client);
}

/* The same bytes in another block are the same machine. */
static void
move(struct world *w, struct sim_session *session)
{
    struct hf_session *from = session->machine;

    memcpy(w->spare, from, hf_session_size(&session->config));
    memset(from, 0xee, hf_session_size(&session->config));
    session->machine = w->spare;
    w->spare = from;
}

/* ---- What it says and tells ---------------------------------------------- */

static void
drop_mine(struct sim_session *session, uint64_t id)
{
    for (size_t i = 0; i < session->mine_count; i++)
        if (session->mine[i] == id) {
            session->mine[i] = session->mine[--session->mine_count];
            return;
        }
}

static void
drop_told(struct world *w, uint64_t id)
{
    for (size_t i = 0; i < w->told_count; i++)
        if (w->told[i] == id) {
            w->told[i] = w->told[--w->told_count];
            return;
        }
}

static void
on_notice(struct world *w, const struct hf_session_notice *tell)
{
    struct sim_wish *wish = &w->wishes[tell->id];

    world_say(w, "session %u, wish %llu: news %x, fence %llu%s", wish->session,
              (unsigned long long)tell->id, tell->news,
              (unsigned long long)tell->fence,
              tell->news & HF_NEWS_ENDED ? ", ended" : "");
    promise_told(w, wish, tell);
    if ((tell->news & HF_NEWS_GRANTED) && !wish->free) {
        HF_CHECK(w->told_count < TOLD_MAX);
        w->told[w->told_count++] = tell->id;
    }
    if (tell->news & (HF_NEWS_ENDED | HF_NEWS_LOST))
        drop_told(w, tell->id);
    if (tell->news & HF_NEWS_ENDED)
        drop_mine(&w->sessions[wish->session], tell->id);
}

static void
send(struct world *w, unsigned who, const struct hf_session_send *what)
{
    const struct hf_message *message = &what->message;

    if (message->kind == HF_MESSAGE_ACQUIRE) {
        struct sim_wish *wish = &w->wishes[what->id];

        wish->id = message->session;
        wish->lane = message->lane;
        wish->n = message->n;
    }
    network_send(w, who, what);
}

void
sessions_step(struct world *w, unsigned who, struct hf_session_event event)
{
    struct sim_session *session = &w->sessions[who];
    struct hf_session_effect effect;

    event.at = session_now(w, session);
    if (w->turn % 64 == 0)
        move(w, session);
    hf_session_step(session->machine, &event);
    while (hf_session_next(session->machine, &effect)) {
        switch (effect.kind) {
        case HF_SESSION_TELL:
            on_notice(w, &effect.tell);
            break;
        case HF_SESSION_CLOSE:
            network_close(w, who, effect.stream);
            break;
        case HF_SESSION_SEND:
            send(w, who, &effect.send);
            break;
        }
    }
    if (w->turn % 8 == 0)
        hf_session_check(session->machine);
    world_set(w, &session->alarm,
              sim_clock_reaches(&w->clients[session->client].clock,
                                hf_session_deadline(session->machine)),
              RANK_TIME);
    promise_stepped(w, who);
}

/* ---- What it hears ------------------------------------------------------- */

/* Was it told that its session is gone, though what it holds is there? */
static void
note_gone(struct world *w, const struct sim_packet *packet)
{
    const struct sim_stream *stream = &w->streams[packet->stream];

    if (packet->event.answer.answer.kind != HF_ANSWER_GONE || !stream->holds ||
        w->sessions[packet->session].ends)
        return;
    w->counts.gones++;
    world_say(w, "session %u is told that lease %llu is gone", packet->session,
              (unsigned long long)stream->id);
}

/* For longer than an answer is waited for at least, which is a beat. */
static bool
is_put_off(const struct sim_session *session,
           const struct hf_session_event *event)
{
    return event->answer.answer.kind == HF_ANSWER_LATER &&
           event->answer.answer.grace.ms > session->config.terms.beat.ms;
}

void
sessions_hear(struct world *w, const struct sim_packet *packet)
{
    struct sim_session *session = &w->sessions[packet->session];
    struct hf_session_event event = {.kind = HF_SESSION_STREAM_ENDED};

    if (packet->life != session->life)
        return;
    network_over(w, packet->stream);
    if (packet->kind == PACKET_ANSWER) {
        note_gone(w, packet);
        event = packet->event;
        event.answer.fences = packet->fences;
        event.answer.fences_count = packet->fences_count;
        event.answer.held =
            packet->event.answer.answer.alive.held.count <= HELD_LISTED
                ? packet->held
                : NULL;
        event.answer.held_count = packet->held_count;
        session->put_off = is_put_off(session, &event);
    } else {
        event.broken.stream = w->streams[packet->stream].own;
    }
    sessions_step(w, packet->session, event);
    session->put_off = false;
}
