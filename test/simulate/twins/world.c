#include "simulate/twins/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "lab/check.h"
#include "support/splitmix.h"

enum { FAULTS_END_MS = 60000, CALM_END_MS = 100000 };

/* ---- Chance -------------------------------------------------------------- */

static int64_t
draw(struct world *w, int64_t below)
{
    return (int64_t)(splitmix64(&w->dice) % (uint64_t)below);
}

static bool
chance(struct world *w, int64_t of_hundred)
{
    return draw(w, 100) < of_hundred;
}

static bool
is_rough(struct world *w)
{
    return !w->clean && !w->calm && chance(w, 10);
}

HF_PRINTF(2, 3)
static void
say(const struct world *w, const char *format, ...)
{
    va_list args;

    if (!w->tracing)
        return;
    printf("%8lld  ", (long long)w->now);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

void
world_break(struct world *w, const char *promise)
{
    say(w, "broken: %s", promise);
    if (w->broken == NULL)
        w->broken = promise;
}

/* ---- Between them -------------------------------------------------------- */

static struct packet *
post(struct world *w, enum packet_kind kind, unsigned client, unsigned twin)
{
    unsigned i = 0;

    while (i < PACKETS && w->packets[i].kind != PACKET_NONE)
        i++;
    HF_CHECK(i < PACKETS);
    w->packets[i] = (struct packet){
        .kind = kind,
        .at = w->now + 1 + draw(w, is_rough(w) ? 3000 : 20),
        .client = client,
        .life = w->clients[client].life,
        .twin = twin,
    };
    return &w->packets[i];
}

/* A stream ends without an answer. */
static void
break_stream(struct world *w, uint64_t number, unsigned twin)
{
    struct stream *stream = &w->streams[number];

    if (stream->over)
        return;
    stream->over = true;
    post(w, PACKET_BROKEN, stream->client, twin)->stream = number;
}

static bool
is_lost(struct world *w)
{
    return is_rough(w) && chance(w, 30);
}

/* All that a server has to say. */
static void
send_answers(struct world *w, unsigned twin)
{
    struct twin *from = &w->twins[twin];

    for (unsigned i = 0; i < from->answers_count; i++) {
        const struct hf_answer *answer = &from->answers[i];
        struct stream *stream = &w->streams[answer->stream];
        struct packet *packet;

        if (stream->over)
            continue;
        stream->over = true;
        if (is_lost(w)) { /* the stream ends, or nobody learns of it */
            packet = post(w, PACKET_BROKEN, stream->client, twin);
        } else {
            packet = post(w, PACKET_ANSWER, stream->client, twin);
            packet->answer = *answer;
            if (answer->kind == HF_ANSWER_ALIVE)
                packet->held = twin_fence_of(from, answer->alive.session);
            packet->service = from->service;
        }
        packet->life = stream->life;
        packet->stream = answer->stream;
    }
    from->answers_count = 0;
}

static void
arrive(struct world *w, const struct packet *packet)
{
    if (packet->kind == PACKET_MESSAGE && w->away[packet->twin]) {
        break_stream(w, packet->stream, packet->twin);
    } else if (packet->kind == PACKET_MESSAGE) {
        struct hf_message message = packet->message;

        message.stream = packet->stream;
        twin_hear(&w->twins[packet->twin], &message, w->now);
        send_answers(w, packet->twin);
    } else if (!is_lost(w)) {
        struct packet *word =
            post(w, PACKET_WORD, packet->client, packet->twin);

        word->life = packet->life;
        word->stream = packet->stream;
        word->service =
            w->away[packet->twin] ? 0 : w->twins[packet->twin].service;
    }
}

/* ---- Clients ------------------------------------------------------------- */

static unsigned
twin_of(const struct client *client, uint32_t node)
{
    return client->flipped ? TWINS - node : node - 1;
}

static uint32_t
node_of(const struct client *client, unsigned twin)
{
    return client->flipped ? TWINS - twin : twin + 1;
}

bool
world_believes(const struct world *w, unsigned client)
{
    const struct client *of = &w->clients[client];

    return of->fence != 0 &&
           hf_session_holds(of->machine, of->wish,
                            (struct hf_instant){w->now}) == HF_GRANTED;
}

static void
told(struct world *w, unsigned who, const struct hf_session_notice *tell)
{
    struct client *client = &w->clients[who];

    say(w, "client %u: news %x, fence %llu, %s", who, tell->news,
        (unsigned long long)tell->fence, hf_status_name(tell->status));
    if ((tell->news & HF_NEWS_GRANTED) != 0) {
        client->fence = tell->fence;
        client->holds_at = tell->fence < 2000 ? 0 : 1;
        client->acts_at = w->now + 200 + draw(w, 15000);
        promise_granted(w, who);
    }
    if ((tell->news & HF_NEWS_LOST) != 0)
        promise_lost(w, who);
    if ((tell->news & HF_NEWS_ENDED) != 0) {
        w->counts.refused += tell->status == HF_E_UNAVAILABLE;
        client->wish = client->fence = 0;
    }
}

static void
send(struct world *w, unsigned who, const struct hf_session_send *what)
{
    unsigned twin = twin_of(&w->clients[who], what->node);
    uint64_t number = ++w->streams_count;
    struct packet *packet;

    HF_CHECK(number < STREAMS);
    say(w, "client %u sends %d to %u", who, (int)what->message.kind, twin);
    promise_sent(w, &what->message, twin);
    w->streams[number] = (struct stream){
        .client = who,
        .life = w->clients[who].life,
        .own = what->message.stream,
    };
    if (is_lost(w)) {
        break_stream(w, number, twin);
        return;
    }
    packet = post(w, PACKET_MESSAGE, who, twin);
    packet->stream = number;
    packet->message = what->message;
}

static void
step_session(struct world *w, unsigned who, struct hf_session_event event)
{
    struct hf_session *machine = w->clients[who].machine;
    struct hf_session_effect effect;

    event.at.ms = w->now;
    hf_session_step(machine, &event);
    while (hf_session_next(machine, &effect))
        if (effect.kind == HF_SESSION_TELL)
            told(w, who, &effect.tell);
        else if (effect.kind == HF_SESSION_SEND)
            send(w, who, &effect.send);
    hf_session_check(machine);
}

static void
say_services(struct world *w, unsigned who)
{
    const struct hf_services *services = &w->clients[who].services;
    uint64_t each[TWINS];

    for (unsigned i = 0; i < TWINS; i++)
        each[i] = services->each[i].service;
    say(w, "client %u: %llu %llu, verdict %d", who, (unsigned long long)each[0],
        (unsigned long long)each[1], (int)services->verdict);
    w->counts.differ += services->verdict == HF_SERVICES_DIFFER;
    step_session(w, who,
                 (struct hf_session_event){
                     .kind = HF_SESSION_SERVICES,
                     .services = {each, services->verdict},
                 });
}

static void
step_services(struct world *w, unsigned who, struct hf_services_event event)
{
    struct client *client = &w->clients[who];
    struct hf_services_effect effect;
    bool changed = false;

    event.at.ms = w->now;
    hf_services_step(&client->services, &event);
    while (hf_services_next(&client->services, &effect)) {
        struct packet *question;

        changed = changed || effect.kind == HF_SERVICES_CHANGED;
        if (effect.kind == HF_SERVICES_CHANGED)
            continue;
        question = post(w, PACKET_QUESTION, who, twin_of(client, effect.node));
        question->stream = client->questions[effect.node - 1] = ++w->last;
    }
    if (changed)
        say_services(w, who);
}

static void
tick(struct world *w, unsigned who)
{
    bool wants = !hf_session_settled(w->clients[who].machine);

    step_services(w, who,
                  (struct hf_services_event){.kind = wants ? HF_SERVICES_WAKE
                                                           : HF_SERVICES_REST});
}

static void
heard_of(struct world *w, unsigned who, const struct packet *packet,
         enum hf_services_event_kind kind)
{
    struct client *client = &w->clients[who];

    if (packet->service != 0)
        client->heard_at[packet->twin] = w->now;
    step_services(w, who,
                  (struct hf_services_event){
                      .kind = kind,
                      .node = node_of(client, packet->twin),
                      .service = packet->service,
                      .max_ttl = {MAX_TTL_MS},
                  });
}

static void
hear_answer(struct world *w, unsigned who, const struct packet *packet)
{
    struct hf_session_event event = {.kind = HF_SESSION_ANSWER};

    event.answer.answer = packet->answer;
    event.answer.answer.stream = w->streams[packet->stream].own;
    event.answer.term = w->twins[packet->twin].term;
    event.answer.service = packet->service;
    event.answer.held = &packet->held;
    event.answer.held_count = packet->held != 0;
    step_session(w, who, event);
    if (packet->answer.kind == HF_ANSWER_OPENED)
        heard_of(w, who, packet, HF_SERVICES_SAID);
}

static void
hear(struct world *w, const struct packet *packet)
{
    struct client *client = &w->clients[packet->client];
    struct hf_session_event broken = {.kind = HF_SESSION_STREAM_ENDED};
    uint32_t node = node_of(client, packet->twin);

    if (packet->life != client->life)
        return;
    if (packet->kind == PACKET_ANSWER) {
        hear_answer(w, packet->client, packet);
    } else if (packet->kind == PACKET_BROKEN) {
        broken.broken.stream = w->streams[packet->stream].own;
        step_session(w, packet->client, broken);
    } else if (packet->stream == client->questions[node - 1]) {
        heard_of(w, packet->client, packet, HF_SERVICES_ANSWER);
    }
    tick(w, packet->client);
}

/* ---- What clients do ----------------------------------------------------- */

static struct hf_session_config
session_config(struct world *w)
{
    return (struct hf_session_config){
        .limits = {.wishes = 4, .nodes = TWINS, .page = 4},
        .terms = {HF_TAKEOVER, {TTL_MS}, {1000}},
        .grace = {500},
        .margin = {300},
        .silence = {8000},
        .seed = (uint64_t)draw(w, INT64_MAX),
    };
}

static void
begin(struct world *w, unsigned who)
{
    static const struct hf_services_config services = {
        .nodes = TWINS,
        .patience = {PATIENCE_MS},
        .pause = {PAUSE_MS},
        .leader_ttl = {LEADER_TTL_MS},
    };
    struct client *client = &w->clients[who];
    struct hf_session_config config = session_config(w);
    size_t size = hf_session_size(&config);

    HF_CHECK(hf_session_valid(&config));
    if (client->machine == NULL)
        client->machine = malloc(size);
    HF_CHECK(client->machine != NULL);
    memset(client->machine, 0, size);
    *client = (struct client){
        .machine = hf_session_init(client->machine, &config),
        .flipped = chance(w, 50),
        .life = client->life + 1,
        .began_at = w->now,
        .acts_at = w->now + draw(w, 2000),
        .heard_at = {-1, -1},
    };
    hf_services_init(&client->services, &services);
    say_services(w, who);
}

static void
want(struct world *w, unsigned who)
{
    struct client *client = &w->clients[who];
    bool limited = chance(w, 30);
    struct hf_session_event event = {
        .kind = HF_SESSION_WANT,
        .want = {.id = ++w->last,
                 .wait = limited ? HF_WAIT_LIMITED : HF_WAIT_FOREVER,
                 .deadline = HF_NEVER},
    };

    if (limited)
        event.want.deadline.ms = w->now + 500 + draw(w, 8000);
    client->wish = w->last;
    client->wanted_at = w->now;
    say(w, "client %u wants", who);
    step_session(w, who, event);
}

static void
act(struct world *w, unsigned who)
{
    struct client *client = &w->clients[who];

    client->acts_at = w->now + 200 + draw(w, 4000);
    if (!w->calm && chance(w, 6)) {
        say(w, "client %u dies", who);
        w->counts.deaths++;
        begin(w, who);
    } else if (client->wish == 0 && !w->calm) {
        want(w, who);
    } else if (client->wish != 0 &&
               (client->fence != 0 || (!w->calm && chance(w, 20)))) {
        step_session(w, who,
                     (struct hf_session_event){.kind = HF_SESSION_RELEASE,
                                               .wish.id = client->wish});
    }
    tick(w, who);
}

/* ---- What goes wrong ----------------------------------------------------- */

static void
go_away(struct world *w, unsigned twin)
{
    w->away[twin] = true;
    w->counts.cuts++;
    twin_cut(&w->twins[twin]);
    for (uint64_t i = 1; i <= w->streams_count; i++)
        if (!w->streams[i].over && w->streams[i].client < CLIENTS &&
            w->streams[i].life == w->clients[w->streams[i].client].life &&
            chance(w, 50)) /* of either: who is not told finds out */
            break_stream(w, i, twin);
}

static void
turn(struct world *w, unsigned twin)
{
    if (w->away[twin]) {
        w->away[twin] = false;
        w->was_away[twin] = w->now;
        w->turns_at[twin] = w->now + 2000 + draw(w, 20000);
    } else {
        go_away(w, twin);
        w->turns_at[twin] = w->now + 300 + draw(w, 14000);
    }
    say(w, "server %u is %s", twin, w->away[twin] ? "away" : "there");
}

static void
become_calm(struct world *w)
{
    unsigned left = (unsigned)draw(w, TWINS);

    w->calm = true;
    for (unsigned i = 0; i < TWINS; i++) {
        bool stays = !w->one_is_left || i == left;

        if (w->away[i] == stays)
            turn(w, i);
        w->turns_at[i] = INT64_MAX;
    }
}

/* ---- Time ---------------------------------------------------------------- */

static int64_t
sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t
next_of(const struct world *w)
{
    int64_t at = w->calm ? CALM_END_MS : FAULTS_END_MS;

    for (unsigned i = 0; i < PACKETS; i++)
        if (w->packets[i].kind != PACKET_NONE)
            at = sooner(at, w->packets[i].at);
    for (unsigned i = 0; i < TWINS; i++)
        at = sooner(at, w->turns_at[i]);
    for (unsigned i = 0; i < CLIENTS; i++) {
        const struct client *client = &w->clients[i];

        at = sooner(at, client->acts_at);
        at = sooner(at, hf_session_deadline(client->machine).ms);
        at = sooner(at, hf_services_deadline(&client->services).ms);
    }
    return at > w->now ? at : w->now;
}

static void
deliver(struct world *w)
{
    for (unsigned i = 0; i < PACKETS; i++) {
        struct packet packet = w->packets[i];

        if (packet.kind == PACKET_NONE || packet.at > w->now)
            continue;
        w->packets[i].kind = PACKET_NONE;
        if (packet.kind == PACKET_MESSAGE || packet.kind == PACKET_QUESTION)
            arrive(w, &packet);
        else
            hear(w, &packet);
    }
}

static void
go_on(struct world *w)
{
    w->now = next_of(w);
    deliver(w);
    for (unsigned i = 0; i < TWINS; i++) {
        if (w->now >= w->turns_at[i])
            turn(w, i);
        twin_clock(&w->twins[i], w->now);
        if (w->away[i])
            w->twins[i].answers_count = 0;
        send_answers(w, i);
    }
    for (unsigned i = 0; i < CLIENTS; i++) {
        step_session(w, i, (struct hf_session_event){.kind = HF_SESSION_CLOCK});
        tick(w, i);
        if (w->now >= w->clients[i].acts_at)
            act(w, i);
    }
}

static void
shape(struct world *w)
{
    w->clean = chance(w, 50);
    w->one_is_left = chance(w, 50);
    for (unsigned i = 0; i < TWINS; i++) {
        twin_init(&w->twins[i], i + 1, TTL_MS);
        w->away[i] = false;
        w->was_away[i] = INT64_MIN / 2;
        w->turns_at[i] = chance(w, 40) ? 0 : draw(w, 20000);
    }
    for (unsigned i = 0; i < CLIENTS; i++)
        begin(w, i);
}

bool
world_run(struct world *w, uint64_t seed, bool tracing)
{
    w->seed = w->dice = seed;
    w->tracing = tracing;
    w->now = 0;
    w->calm = false;
    w->broken = NULL;
    w->streams_count = 0;
    w->counts = (struct counts){0};
    memset(w->packets, 0, sizeof(w->packets));
    shape(w);
    while (w->broken == NULL && w->now < FAULTS_END_MS)
        go_on(w);
    become_calm(w);
    while (w->broken == NULL && w->now < CALM_END_MS)
        go_on(w);
    promise_end(w);
    return w->broken == NULL;
}
