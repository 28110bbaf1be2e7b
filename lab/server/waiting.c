#include "lab/server/waiting.h"

#include <string.h>

#include "base/check.h"
#include "core/lockspace/parts.h"
#include "lab/server/waiting_client.h"
#include "lab/server/waiting_promise.h"

#define LANE 1
#define TERM 1

/* The limit of a batch: there is none. */
static const struct hf_budget all = {1000, 1000000};

struct snapshot_config
waiting_snapshot(const struct waiting_config *config)
{
    struct snapshot_config snapshot = {
        .lockspace =
            snapshot_lockspace(config->blocking, config->resume_grace, 0),
        .clients = config->world.clients,
        .if_dead = config->if_dead,
        .ttl = {config->ttl},
    };

    if (config->waiters != 0)
        snapshot.lockspace.limits.waiters = config->waiters;
    return snapshot;
}

/* ---- The machine --------------------------------------------------------- */

/* The stream of a client that has that number. */
static uint64_t
stream_number(unsigned client, unsigned index)
{
    return client * WAITING_STREAMS + index + 1;
}

static struct waiting_stream *
stream_of(struct waiting_world *world, uint64_t number)
{
    unsigned at = (unsigned)number - 1;

    return &world->clients[at / WAITING_STREAMS].streams[at % WAITING_STREAMS];
}

/* Answers wait for the next batch. */
static void
take_answers(struct waiting_world *world)
{
    struct hf_answer answer;

    while (hf_lockspace_next(waiting_machine(world), &answer)) {
        struct waiting_stream *stream = stream_of(world, answer.stream);

        HF_CHECK(stream->stage == STAGE_OPEN);
        stream->stage = STAGE_DUE;
        stream->answer = (uint8_t)answer.kind;
        stream->fence =
            answer.kind == HF_ANSWER_GRANTED ? (uint8_t)answer.fence : 0;
        waiting_promise_answer(world, &answer);
    }
}

static void
step(struct waiting_world *world, struct hf_lockspace_event *event)
{
    struct waiting_before before;

    waiting_promise_before(world, event, &before);
    hf_lockspace_step(waiting_machine(world), event);
    take_answers(world);
    waiting_promise_after(world, event, &before);
}

static struct hf_lockspace_event
message_of(struct waiting_world *world, unsigned client,
           enum hf_message_kind kind)
{
    return (struct hf_lockspace_event){
        .kind = HF_SPACE_MESSAGE,
        .at = world->now,
        .message = {.kind = kind,
                    .session = client + 1,
                    .term = TERM,
                    .lane = LANE},
    };
}

/* One of a session, that is answered at once and of which nobody waits for the
 * answer; returns what it was. */
static enum hf_answer_kind
say(struct waiting_world *world, struct hf_lockspace_event event)
{
    struct hf_lockspace *ls = waiting_machine(world);
    struct hf_answer answer;
    struct hf_answer more;

    event.message.stream = UINT8_MAX;
    hf_lockspace_step(ls, &event);
    HF_CHECK(hf_lockspace_next(ls, &answer));
    HF_CHECK(answer.stream == UINT8_MAX && !hf_lockspace_next(ls, &more));
    return answer.kind;
}

static void
open_session(struct waiting_world *world, unsigned client)
{
    struct hf_lockspace_event event =
        message_of(world, client, HF_MESSAGE_OPEN);

    event.message.open.ttl = world->snapshot.ttl;
    event.message.open.if_dead = world->config->if_dead;
    HF_CHECK(say(world, event) == HF_ANSWER_OPENED);
}

void
waiting_start(struct waiting_world *world, const struct waiting_config *config)
{
    *world = (struct waiting_world){
        .config = config,
        .snapshot = waiting_snapshot(config),
        .now = SNAPSHOT_NOW,
    };
    snapshot_build(&(struct snapshot){.next_fence = 1}, &world->snapshot,
                   &world->block);
    for (unsigned i = 0; i < config->world.clients; i++)
        open_session(world, i);
}

/* ---- A client ------------------------------------------------------------ */

static void
hear_grant(struct waiting_world *world, struct waiting_client *client,
           uint8_t fence)
{
    waiting_become(client, PHASE_HOLDING);
    client->fence = fence;
    waiting_promise_told(world, (unsigned)(client - world->clients));
}

/* A client asks again with its next attempt, at once [R6]. */
static void
hear(struct waiting_world *world, struct waiting_client *client,
     struct waiting_stream *stream)
{
    struct waiting_stream heard = *stream;

    waiting_forget(stream);
    if (heard.answer == HF_ANSWER_GONE) {
        waiting_become(client, PHASE_GONE);
        return;
    }
    if (heard.releases) {
        HF_CHECK(heard.answer == HF_ANSWER_RELEASED);
        waiting_become(client, PHASE_IDLE);
        return;
    }
    HF_CHECK(client->phase == PHASE_ASKING && heard.n == client->n);
    if (heard.answer == HF_ANSWER_GRANTED)
        hear_grant(world, client, heard.fence);
    else if (heard.answer == HF_ANSWER_OVER)
        waiting_become(client, PHASE_IDLE);
    else if (heard.answer == HF_ANSWER_BLOCKING_TIMEOUT ||
             heard.answer == HF_ANSWER_LATER ||
             heard.answer == HF_ANSWER_SUPERSEDED)
        waiting_send(client);
    else
        HF_CHECK(!"such an answer is not expected");
}

/* A keep-alive, of which nothing is looked at but its answer. */
static void
keep_alive(struct waiting_world *world, unsigned who)
{
    struct waiting_client *client = &world->clients[who];
    struct hf_lockspace_event event =
        message_of(world, who, HF_MESSAGE_KEEP_ALIVE);

    if (client->phase == PHASE_DEAD || client->phase == PHASE_GONE)
        return;
    if (say(world, event) == HF_ANSWER_ALIVE) {
        client->kept = 0;
        client->silent = 0;
    } else {
        waiting_promise_gone(world, who);
        waiting_die(client, PHASE_GONE);
    }
}

static void
heal(struct waiting_world *world, unsigned who)
{
    world->clients[who].cut = false;
    keep_alive(world, who);
    waiting_ask_again(&world->clients[who]);
}

/* Is nothing left of what its process did, here and there? */
static bool
is_forgotten(const struct waiting_world *world, unsigned who)
{
    const struct waiting_client *client = &world->clients[who];
    struct snapshot snapshot;

    for (unsigned i = 0; i < WAITING_STREAMS; i++)
        if (client->streams[i].stage != STAGE_NONE)
            return false;
    snapshot_take((const struct hf_lockspace *)world->block.bytes,
                  &world->snapshot, world->now, &snapshot);
    return snapshot.clients[who].session == 0;
}

static void
begin_anew(struct waiting_world *world, unsigned who)
{
    world->clients[who] = (struct waiting_client){0};
    open_session(world, who);
}

/* ---- A stream ------------------------------------------------------------ */

static void
arrive(struct waiting_world *world, unsigned who, unsigned index)
{
    const struct waiting_config *config = world->config;
    struct waiting_client *client = &world->clients[who];
    struct waiting_stream *stream = &client->streams[index];
    struct hf_want want = snapshot_want(0, config->modes[who]);
    struct hf_lockspace_event event = message_of(
        world, who, stream->releases ? HF_MESSAGE_RELEASE : HF_MESSAGE_ACQUIRE);

    stream->stage = STAGE_OPEN;
    stream->late &= !stream->heard;
    event.message.stream = stream_number(who, index);
    event.message.n = stream->n;
    event.message.a = stream->a;
    if (!stream->releases) {
        event.message.acquire.wants = &want;
        event.message.acquire.wants_count = 1;
        event.message.acquire.wait = config->tries[who]    ? HF_WAIT_TRY
                                     : config->remains > 0 ? HF_WAIT_LIMITED
                                                           : HF_WAIT_FOREVER;
        event.message.acquire.remaining.ms = config->remains;
    }
    step(world, &event);
}

/* The server learns that it has ended: by its client's will, or not. */
static void
end(struct waiting_world *world, unsigned who, unsigned index)
{
    struct waiting_stream *stream = &world->clients[who].streams[index];
    struct hf_lockspace_event event = {
        .kind = HF_SPACE_STREAM_ENDED,
        .at = world->now,
        .request = {.stream = stream_number(who, index),
                    .session = who + 1,
                    .lane = LANE,
                    .n = stream->n,
                    .cut = stream->late || stream->heard},
    };

    if (!stream->releases)
        step(world, &event);
    if (stream->heard)
        waiting_lose(stream);
    else
        waiting_forget(stream);
}

/* Handed to the kernel, and with it the stream is at its end. */
static void
hand_over(struct waiting_world *world, unsigned who, unsigned index)
{
    struct waiting_client *client = &world->clients[who];
    struct waiting_stream *stream = &client->streams[index];
    struct hf_lockspace_event event = {
        .kind = HF_SPACE_HANDED,
        .at = world->now,
        .request = {.stream = stream_number(who, index),
                    .session = who + 1,
                    .lane = LANE,
                    .n = stream->n,
                    .fence = stream->fence},
    };

    if (stream->answer == HF_ANSWER_GRANTED) {
        waiting_promise_handed(world, who, stream->fence);
        step(world, &event);
    }
    event.kind = HF_SPACE_STREAM_ENDED;
    if (!stream->releases)
        step(world, &event);
    if (stream->heard && stream->loses)
        waiting_lose(stream);
    else if (stream->heard)
        hear(world, client, stream);
    else
        waiting_forget(stream);
}

/* The machine must not mind the end of a stream that it does not answer any
 * more [W5]. */
static void
forget_unheard(struct waiting_world *world, unsigned who, unsigned index)
{
    struct waiting_stream *stream = &world->clients[who].streams[index];

    if (stream->heard ||
        (stream->stage != STAGE_OPEN && stream->stage != STAGE_DUE) ||
        waiting_promise_is_answered(world, who, stream_number(who, index)))
        return;
    waiting_promise_unheard(world, who, stream_number(who, index), stream->n);
    waiting_forget(stream);
}

/* ---- The server ---------------------------------------------------------- */

/* All at once: what came before it is in it, and answered. */
static void
batch(struct waiting_world *world, unsigned none)
{
    struct hf_lockspace *ls = waiting_machine(world);
    struct hf_lockspace_event event = {.kind = HF_SPACE_BATCH,
                                       .at = world->now};
    struct hf_change change;
    struct hf_batch done;

    (void)none;
    hf_lockspace_begin(ls, all);
    while (hf_lockspace_take(ls, &change)) {
        /* whatever it is */
    }
    hf_lockspace_fix(ls, &done);
    event.batch.number = done.number;
    event.batch.verdict = HF_APPLIED;
    step(world, &event);
    for (unsigned i = 0; i < world->config->world.clients * WAITING_STREAMS;
         i++)
        if (stream_of(world, i + 1)->stage == STAGE_DUE)
            hand_over(world, i / WAITING_STREAMS, i % WAITING_STREAMS);
}

bool
waiting_is_due(const struct waiting_world *world)
{
    const struct hf_lockspace *ls =
        (const struct hf_lockspace *)world->block.bytes;

    return hf_reached(world->now, hf_lockspace_deadline(ls));
}

static void
tell_time(struct waiting_world *world, unsigned first, bool sessions_first)
{
    struct hf_lockspace_event event = {
        .kind = HF_SPACE_CLOCK, .at = world->now, .read_until = world->now};

    snapshot_order_timers(waiting_machine(world), world->now, first,
                          sessions_first);
    step(world, &event);
}

static uint8_t
one_more(uint8_t count, unsigned most)
{
    return count < most ? (uint8_t)(count + 1) : count;
}

static void
tick(struct waiting_world *world, unsigned none)
{
    const struct waiting_config *config = world->config;

    (void)none;
    waiting_promise_tick(world);
    world->now.ms++;
    for (unsigned i = 0; i < config->world.clients; i++) {
        struct waiting_client *client = &world->clients[i];

        client->kept = one_more(client->kept, config->ttl);
        client->silent = one_more(client->silent, config->ttl);
        if (client->told != 0)
            client->told = one_more(client->told, config->resume_grace + 1);
        if (!client->cut)
            keep_alive(world, i);
    }
}

/* A message, or the end of a stream that was hung up. */
static bool
is_under_way(const struct waiting_world *world)
{
    for (unsigned i = 0; i < world->config->world.clients; i++)
        for (unsigned k = 0; k < WAITING_STREAMS; k++) {
            const struct waiting_stream *stream = &world->clients[i].streams[k];

            if (!stream->late &&
                (stream->stage == STAGE_SENT ||
                 (stream->stage == STAGE_OPEN && !stream->heard)))
                return true;
        }
    return false;
}

/* An answer waits for it, whether or not anybody listens, or the end of a
 * session.  (That a grant was given back is written some time; a snapshot does
 * not show it.) */
static bool
wants_batch(const struct waiting_world *world)
{
    const struct hf_lockspace *ls =
        (const struct hf_lockspace *)world->block.bytes;

    for (unsigned i = 0; i < world->config->world.clients; i++)
        for (unsigned k = 0; k < WAITING_STREAMS; k++)
            if (world->clients[i].streams[k].stage == STAGE_DUE)
                return true;
    for (uint32_t at = 1; at <= ls->sessions.fresh; at++)
        if (hf_session_at(ls, at)->state == HF_SESSION_OVER)
            return true;
    return ls->untold.first != 0;
}

/* ---- What is possible, and what it does ---------------------------------- */

/* Of a client. */

static bool
may_ask(const struct waiting_world *world, unsigned who)
{
    const struct waiting_client *client = &world->clients[who];

    return client->phase == PHASE_IDLE && !client->cut &&
           waiting_has_room(client);
}

static void
do_ask(struct waiting_world *world, unsigned who)
{
    waiting_ask(&world->clients[who]);
}

static bool
may_give_up(const struct waiting_world *world, unsigned who)
{
    const struct waiting_client *client = &world->clients[who];

    return client->phase == PHASE_ASKING && !client->cut &&
           waiting_has_room(client);
}

static bool
may_release(const struct waiting_world *world, unsigned who)
{
    const struct waiting_client *client = &world->clients[who];

    return client->phase == PHASE_HOLDING && !client->cut &&
           waiting_has_room(client);
}

static void
do_settle(struct waiting_world *world, unsigned who)
{
    waiting_settle(&world->clients[who]);
}

/* Is there something that it waits for in vain? */
static bool
may_retry(const struct waiting_world *world, unsigned who)
{
    const struct waiting_client *client = &world->clients[who];
    unsigned at = waiting_heard(client);
    const struct waiting_stream *stream = &client->streams[at];

    if (at == WAITING_STREAMS || !waiting_has_room(client))
        return false;
    return stream->stage == STAGE_LOST ||
           (stream->stage == STAGE_SENT && stream->late);
}

static void
do_retry(struct waiting_world *world, unsigned who)
{
    waiting_ask_again(&world->clients[who]);
}

static bool
lives(const struct waiting_world *world, unsigned who)
{
    enum waiting_phase phase = (enum waiting_phase)world->clients[who].phase;

    return phase != PHASE_DEAD && phase != PHASE_GONE;
}

static bool
may_heal(const struct waiting_world *world, unsigned who)
{
    const struct waiting_client *client = &world->clients[who];

    return lives(world, who) && client->cut && waiting_has_room(client);
}

static bool
may_begin_anew(const struct waiting_world *world, unsigned who)
{
    return !lives(world, who) && is_forgotten(world, who);
}

static void
do_crash(struct waiting_world *world, unsigned who)
{
    waiting_die(&world->clients[who], PHASE_DEAD);
}

static bool
may_cut(const struct waiting_world *world, unsigned who)
{
    return lives(world, who) && !world->clients[who].cut;
}

static void
do_cut(struct waiting_world *world, unsigned who)
{
    waiting_cut(&world->clients[who]);
}

/* Of a stream. */

static const struct waiting_stream *
at(const struct waiting_world *world, unsigned who)
{
    return &world->clients[who / WAITING_STREAMS]
                .streams[who % WAITING_STREAMS];
}

static bool
may_arrive(const struct waiting_world *world, unsigned who)
{
    return at(world, who)->stage == STAGE_SENT;
}

static void
do_arrive(struct waiting_world *world, unsigned who)
{
    arrive(world, who / WAITING_STREAMS, who % WAITING_STREAMS);
}

/* Has the server a message that it has not answered? */
static bool
is_there(const struct waiting_stream *stream)
{
    return stream->stage == STAGE_OPEN || stream->stage == STAGE_DUE;
}

static bool
may_end(const struct waiting_world *world, unsigned who)
{
    return is_there(at(world, who)) && !at(world, who)->heard;
}

static void
do_end(struct waiting_world *world, unsigned who)
{
    end(world, who / WAITING_STREAMS, who % WAITING_STREAMS);
}

static bool
may_drop(const struct waiting_world *world, unsigned who)
{
    const struct waiting_stream *stream = at(world, who);

    return stream->stage == STAGE_SENT && stream->late && !stream->heard;
}

static void
do_drop(struct waiting_world *world, unsigned who)
{
    waiting_forget(stream_of(world, who + 1));
}

static bool
may_be_late(const struct waiting_world *world, unsigned who)
{
    return at(world, who)->stage == STAGE_SENT && !at(world, who)->late;
}

static void
do_late(struct waiting_world *world, unsigned who)
{
    stream_of(world, who + 1)->late = true;
}

static bool
may_be_sent_twice(const struct waiting_world *world, unsigned who)
{
    return at(world, who)->stage == STAGE_SENT && at(world, who)->heard &&
           waiting_has_room(&world->clients[who / WAITING_STREAMS]);
}

static void
do_send_twice(struct waiting_world *world, unsigned who)
{
    waiting_send_twice(&world->clients[who / WAITING_STREAMS],
                       who % WAITING_STREAMS);
}

static bool
may_break(const struct waiting_world *world, unsigned who)
{
    const struct waiting_stream *stream = at(world, who);

    return stream->heard && (stream->stage == STAGE_SENT || is_there(stream)) &&
           waiting_has_room(&world->clients[who / WAITING_STREAMS]);
}

static void
do_break(struct waiting_world *world, unsigned who)
{
    waiting_ask_again(&world->clients[who / WAITING_STREAMS]);
}

static bool
may_close(const struct waiting_world *world, unsigned who)
{
    return at(world, who)->heard && is_there(at(world, who));
}

static bool
may_lose(const struct waiting_world *world, unsigned who)
{
    const struct waiting_stream *stream = at(world, who);

    return stream->stage == STAGE_DUE && stream->heard && !stream->loses;
}

static void
do_lose(struct waiting_world *world, unsigned who)
{
    stream_of(world, who + 1)->loses = true;
}

/* Of the server. */

static bool
may_batch(const struct waiting_world *world, unsigned who)
{
    return who == 0 && wants_batch(world);
}

/* Was its session silent for its ttl? */
static bool
is_over_by_time(const struct waiting_world *world, unsigned who)
{
    return !world->clients[who].ended &&
           world->clients[who].silent >= world->config->ttl;
}

/* Where there is one, of a client whose session may be the first to end. */
static bool
may_tell_time(const struct waiting_world *world, unsigned who)
{
    bool any = false;

    for (unsigned i = 0; i < world->config->world.clients; i++)
        any |= is_over_by_time(world, i);
    return waiting_is_due(world) &&
           (any ? is_over_by_time(world, who) : who == 0);
}

static void
do_tell_time(struct waiting_world *world, unsigned who)
{
    tell_time(world, who, false);
}

static bool
may_end_first(const struct waiting_world *world, unsigned who)
{
    return waiting_is_due(world) && is_over_by_time(world, who);
}

static void
do_end_first(struct waiting_world *world, unsigned who)
{
    tell_time(world, who, true);
}

static bool
may_tick(const struct waiting_world *world, unsigned who)
{
    return who == 0 && !waiting_is_due(world) && !is_under_way(world) &&
           (world->config->slow_batches || !wants_batch(world));
}

static const struct {
    bool (*may)(const struct waiting_world *world, unsigned who);
    void (*does)(struct waiting_world *world, unsigned who);
} acts[WAITING_ACTS] = {
    [WAITING_ASK] = {may_ask, do_ask},
    [WAITING_GIVE_UP] = {may_give_up, do_settle},
    [WAITING_RELEASE] = {may_release, do_settle},
    [WAITING_RETRY] = {may_retry, do_retry},
    [WAITING_HEAL] = {may_heal, heal},
    [WAITING_ANEW] = {may_begin_anew, begin_anew},
    [WAITING_ARRIVE] = {may_arrive, do_arrive},
    [WAITING_END] = {may_end, do_end},
    [WAITING_DROP] = {may_drop, do_drop},
    [WAITING_BATCH] = {may_batch, batch},
    [WAITING_CLOCK] = {may_tell_time, do_tell_time},
    [WAITING_CLOCK_ENDS] = {may_end_first, do_end_first},
    [WAITING_TICK] = {may_tick, tick},
    [WAITING_CRASH] = {lives, do_crash},
    [WAITING_CUT] = {may_cut, do_cut},
    [WAITING_LATE] = {may_be_late, do_late},
    [WAITING_TWICE] = {may_be_sent_twice, do_send_twice},
    [WAITING_BREAK] = {may_break, do_break},
    [WAITING_CLOSE] = {may_close, do_end},
    [WAITING_LOSE] = {may_lose, do_lose},
};

bool
waiting_is_of_stream(enum waiting_act act)
{
    return (act >= WAITING_ARRIVE && act <= WAITING_DROP) ||
           act >= WAITING_LATE;
}

bool
waiting_is_fault(enum waiting_act act)
{
    return act >= WAITING_CRASH;
}

bool
waiting_allowed(const struct waiting_world *world, enum waiting_act act,
                unsigned who)
{
    unsigned each = waiting_is_of_stream(act) ? WAITING_STREAMS : 1;

    return who < world->config->world.clients * each &&
           acts[act].may(world, who);
}

/* Nobody is listened to on a stream that is not there. */
static void
forget_listener(struct waiting_client *client)
{
    unsigned listener = client->listener;
    enum waiting_stage stage;

    if (listener == 0)
        return;
    stage = (enum waiting_stage)client->streams[listener - 1].stage;
    if (stage == STAGE_NONE || stage == STAGE_LOST)
        client->listener = 0;
}

void
waiting_apply(struct waiting_world *world, enum waiting_act act, unsigned who)
{
    unsigned streams = world->config->world.clients * WAITING_STREAMS;

    world->violated = NULL;
    acts[act].does(world, who);
    for (unsigned i = 0; i < streams; i++)
        forget_unheard(world, i / WAITING_STREAMS, i % WAITING_STREAMS);
    for (unsigned i = 0; i < world->config->world.clients; i++)
        forget_listener(&world->clients[i]);
    waiting_promise_state(world);
}
