#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/check.h"
#include "core/lockspace/look.h"
#include "core/session.h"

/*
 * Sessions and the lockspace of their server, over a network that delays,
 * loses, doubles and reorders what it carries, and whose streams break for one
 * side before the other.  Clients freeze and die, leaders change, grants are
 * cleared, and now and then a restored store has forgotten one.  After each
 * step all promises are looked at; at the end the network is quiet, everybody
 * gives everything back, and nothing may be left.
 *
 * HF_SEED=N runs one seed of each test; HF_WORLDS=N so many.
 */
enum {
    CLIENTS = 3,
    NODES = 2,
    NAMES = 3,
    WISHES = 400,
    LINKS = 16384,
    PACKETS = 2048,
    RECORDS = 512,
    FENCES = 8192,
    PAGE = 2,
    SAYINGS = 512, /* of one step of the server */
    LISTED = 16,   /* fences in an answer */
    TTL_MS = 3000,
    ACTS = 50,
    STEPS_MAX = 40000,
};

struct shape {
    enum hf_if_dead if_dead;
    bool faults;
    unsigned worlds;
};

/* What a user of a client wants, and what he was told of it. */
struct wish {
    unsigned client;
    unsigned life;        /* of the client */
    uint8_t modes[NAMES]; /* 0: not wanted; else 1 + enum hf_mode */
    uint8_t order[NAMES]; /* which names were asked for, in that order */
    size_t count;
    bool free;
    enum hf_wait_kind wait;
    int64_t deadline;
    uint64_t session; /* that it was asked in last, and as what */
    uint64_t lane;
    uint64_t n;
    uint64_t fence;
    bool granted; /* told so */
    bool ended;
    bool settled; /* nothing may be at the server any more */
};

struct client {
    struct hf_session *session;
    unsigned life;
    int64_t frozen_until;
    int64_t cut_until; /* nothing comes through, either way */
    bool ends;
};

/* A stream as its server sees it. */
struct link {
    unsigned client;
    unsigned life;
    uint64_t stream; /* the client's; 0: of a connection that is dead */
    uint64_t session;
    uint64_t lane;
    uint64_t n;
    uint64_t term;
    bool acquire;
    bool ended; /* the server knows */
};

enum packet_kind {
    TO_SERVER,
    TO_CLIENT,
    CLIENT_SEES_END,
    CLIENT_SEES_NODE_FAIL,
    SERVER_SEES_END,
};

struct packet {
    int64_t at;
    uint64_t turn;
    enum packet_kind kind;
    unsigned client;
    unsigned life;
    uint32_t node;
    uint64_t stream; /* the client's */
    uint64_t link;
    struct hf_session_send send;
    struct hf_session_event event;
    uint64_t fences[LISTED];
    size_t fences_count;
};

struct record {
    bool on;
    uint64_t fence;
    uint64_t session;
    uint64_t lane;
    uint64_t n;
    uint8_t modes[NAMES];
};

struct recorded_session {
    bool on;
    struct hf_secret_hash secret;
};

struct world {
    const struct shape *shape;
    uint64_t seed;
    uint64_t random;
    unsigned trouble; /* percent of what is sent that meets some */
    int64_t now;
    bool quiet; /* no faults any more */
    struct client clients[CLIENTS];
    struct hf_session *spare;
    struct hf_lockspace_config server_config;
    struct hf_session_config client_config;
    struct hf_lockspace *ls;
    uint32_t leader; /* 0: none just now */
    int64_t leader_at;
    uint64_t term;
    uint64_t next_fence;
    uint64_t highest_fence; /* ever put */
    uint64_t exclusive_told[NAMES];
    struct wish wishes[WISHES];
    size_t wishes_count;
    struct link links[LINKS + 1]; /* the last: an operator's */
    uint64_t links_count;
    struct packet packets[PACKETS];
    size_t packets_count;
    uint64_t turns;
    struct record records[RECORDS];
    size_t records_count; /* those behind it were never on */
    struct recorded_session sessions[LINKS];
    uint64_t last_session;
    bool excused[FENCES]; /* cleared, or forgotten by the store */
    int64_t next_act;
    unsigned acts;

    size_t steps, grants, timeouts, unavailable, lost, doubts, terms, clears,
        pages;
};

static struct world world;

static void
on_abort(int number)
{
    (void)number;
    printf("seed %llu, step %zu, at %lld\n", (unsigned long long)world.seed,
           world.steps, (long long)world.now);
    fflush(stdout);
    _exit(1);
}

/* xorshift64* (Vigna 2016) */
static uint64_t
below(struct world *w, uint64_t range)
{
    w->random ^= w->random >> 12;
    w->random ^= w->random << 25;
    w->random ^= w->random >> 27;
    return (w->random * UINT64_C(2685821657736338717) >> 16) % range;
}

static bool
chance(struct world *w, unsigned percent)
{
    return below(w, 100) < percent;
}

static bool
trouble(struct world *w)
{
    return !w->quiet && chance(w, w->trouble);
}

/* Mostly soon, in trouble at any time. */
static int64_t
delay(struct world *w)
{
    return trouble(w) ? (int64_t)below(w, 5000) : (int64_t)below(w, 20);
}

/* ---- Packets ------------------------------------------------------------- */

static struct packet *
post(struct world *w, enum packet_kind kind)
{
    struct packet *packet = &w->packets[w->packets_count++];

    HF_CHECK(w->packets_count < PACKETS);
    memset(packet, 0, sizeof(*packet));
    packet->kind = kind;
    packet->at = w->now + delay(w);
    packet->turn = ++w->turns;
    return packet;
}

static void
post_end_to_client(struct world *w, const struct link *link)
{
    struct packet *packet = post(w, CLIENT_SEES_END);

    packet->client = link->client;
    packet->life = link->life;
    packet->stream = link->stream;
}

static void
post_end_to_server(struct world *w, uint64_t number)
{
    post(w, SERVER_SEES_END)->link = number;
}

/* Both sides learn of it, each at some time, or the client never. */
static void
break_link(struct world *w, uint64_t number)
{
    if (w->links[number].stream != 0 && chance(w, 70))
        post_end_to_client(w, &w->links[number]);
    post_end_to_server(w, number);
}

static uint64_t
add_link(struct world *w, const struct packet *packet, bool dead)
{
    const struct hf_message *message = &packet->send.message;
    uint64_t number = ++w->links_count;

    HF_CHECK(number < LINKS);
    w->links[number] = (struct link){
        .client = packet->client,
        .life = packet->life,
        .stream = dead ? 0 : message->stream,
        .session = message->session,
        .lane = message->lane,
        .n = message->n,
        .term = w->term,
        .acquire = message->kind == HF_MESSAGE_ACQUIRE,
    };
    return number;
}

/* ---- The store ----------------------------------------------------------- */

static struct hf_want
want_of(unsigned name, uint8_t mode)
{
    static const char *const names[NAMES] = {"a", "b", "c"};

    return (struct hf_want){
        .space = {"default", 7},
        .name = {names[name], 1},
        .mode = (enum hf_mode)(mode - 1),
    };
}

static void
put_grant(struct world *w, const struct hf_change *change)
{
    struct record record = {.on = true, .fence = change->key};
    struct hf_look_claim grant;
    struct hf_look_name name;
    enum hf_mode mode;
    uint32_t cursor = 0;
    struct record *at = NULL;

    hf_look_grant_at(w->ls, change->number, &grant);
    record.session = grant.session;
    record.lane = grant.lane;
    record.n = grant.n;
    while (hf_look_grant_names(w->ls, change->number, &cursor, &name, &mode)) {
        char text[8];

        hf_look_text(w->ls, name.name, text, sizeof(text));
        record.modes[text[0] - 'a'] = (uint8_t)(1 + mode);
    }
    for (size_t i = 0; i < w->records_count; i++)
        if (w->records[i].on && w->records[i].fence == record.fence)
            at = &w->records[i];
    if (at == NULL) {
        HF_CHECK(record.fence > w->highest_fence && record.fence < FENCES);
        w->highest_fence = record.fence;
        for (at = w->records; at->on; at++)
            ;
        if (at == w->records + w->records_count)
            w->records_count++;
        HF_CHECK(w->records_count < RECORDS);
    }
    *at = record;
}

static void
put_session(struct world *w, const struct hf_change *change)
{
    struct hf_look_session session;

    hf_look_session_at(w->ls, change->number, &session);
    w->sessions[change->key] = (struct recorded_session){true, session.secret};
}

static void
delete_grant(struct world *w, uint64_t fence)
{
    for (size_t i = 0; i < w->records_count; i++)
        if (w->records[i].fence == fence)
            w->records[i].on = false;
}

static bool
is_recorded(const struct world *w, uint64_t session, uint64_t fence)
{
    for (size_t i = 0; i < w->records_count; i++)
        if (w->records[i].on && w->records[i].fence == fence)
            return w->records[i].session == session && w->sessions[session].on;
    return false;
}

static bool
is_valid(const struct world *w, const struct record *record)
{
    return record->on && w->sessions[record->session].on;
}

static struct record *
some_record(struct world *w)
{
    size_t from = below(w, 8);

    for (size_t i = from; i < w->records_count; i++)
        if (is_valid(w, &w->records[i]))
            return &w->records[i];
    return NULL;
}

/* All that was decided, in one batch, and at once. */
static void
write_batch(struct world *w)
{
    struct hf_lockspace_event event = {.kind = HF_SPACE_BATCH};
    struct hf_change change;
    struct hf_batch batch;

    hf_lockspace_begin(w->ls, (struct hf_budget){4096, 1 << 24});
    while (hf_lockspace_take(w->ls, &change)) {
        if (change.kind == HF_CHANGE_PUT_SESSION)
            put_session(w, &change);
        else if (change.kind == HF_CHANGE_DELETE_SESSION)
            w->sessions[change.key].on = false;
        else if (change.kind == HF_CHANGE_PUT_GRANT)
            put_grant(w, &change);
        else if (change.kind == HF_CHANGE_DELETE_GRANT)
            delete_grant(w, change.key);
    }
    hf_lockspace_fix(w->ls, &batch);
    w->next_fence = batch.next_fence;
    event.at.ms = w->now;
    event.batch.number = batch.number;
    event.batch.verdict = HF_APPLIED;
    hf_lockspace_step(w->ls, &event);
}

/* ---- The server ---------------------------------------------------------- */

/* What one step of the server has to say, once its batch is written. */
struct saying {
    struct hf_answer answers[SAYINGS];
    uint64_t fences[LISTED];
    size_t fences_count;
    size_t count;
};

static void
list_revoked(struct world *w, const struct hf_answer *answer,
             struct saying *saying)
{
    uint32_t cursor = 0;
    uint64_t fence;

    while (saying->fences_count < LISTED &&
           hf_lockspace_revoked(w->ls, answer->alive.session, &cursor, &fence))
        saying->fences[saying->fences_count++] = fence;
}

static void
list_missing(struct world *w, const struct packet *packet,
             struct saying *saying)
{
    w->pages++;
    for (size_t i = 0; i < packet->fences_count; i++)
        if (!hf_lockspace_believes(w->ls, packet->send.message.session,
                                   packet->fences[i]))
            saying->fences[saying->fences_count++] = packet->fences[i];
}

static void
say(struct world *w, const struct hf_answer *answer,
    const struct saying *saying)
{
    struct link *link = &w->links[answer->stream];
    struct packet *packet;
    struct hf_lockspace_event handed = {.kind = HF_SPACE_HANDED};

    if (answer->stream == LINKS || link->ended)
        return;
    if (answer->kind == HF_ANSWER_GRANTED) {
        handed.at.ms = w->now;
        handed.request.stream = answer->stream;
        handed.request.session = link->session;
        handed.request.lane = link->lane;
        handed.request.n = link->n;
        handed.request.fence = answer->fence;
        hf_lockspace_step(w->ls, &handed);
    }
    if (link->stream == 0)
        return;
    if (trouble(w) && chance(w, 50)) {
        break_link(w, answer->stream);
        return;
    }
    packet = post(w, TO_CLIENT);
    packet->client = link->client;
    packet->life = link->life;
    packet->event.kind = HF_SESSION_ANSWER;
    packet->event.answer.answer = *answer;
    packet->event.answer.answer.stream = link->stream;
    packet->event.answer.term = w->term;
    if (answer->kind == HF_ANSWER_OPENED)
        memcpy(packet->event.answer.secret.bytes, &answer->alive.session, 8);
    if (answer->kind == HF_ANSWER_ALIVE || answer->kind == HF_ANSWER_PAGE) {
        memcpy(packet->fences, saying->fences, sizeof(packet->fences));
        packet->fences_count = saying->fences_count;
    }
}

/* Each step may say something, also one that tells of a batch. */
static void
listen(struct world *w, const struct packet *packet, struct saying *saying)
{
    while (hf_lockspace_next(w->ls, &saying->answers[saying->count])) {
        const struct hf_answer *answer = &saying->answers[saying->count++];

        HF_CHECK(saying->count < SAYINGS);
        if (answer->kind == HF_ANSWER_ALIVE)
            list_revoked(w, answer, saying);
        if (answer->kind == HF_ANSWER_PAGE)
            list_missing(w, packet, saying);
    }
}

static void
note_clear(struct world *w, const struct hf_lockspace_event *event,
           const struct saying *saying)
{
    if (saying->count > 0 && saying->answers[0].kind == HF_ANSWER_CLEARED) {
        w->excused[event->message.clear.fence] = true;
        w->clears++;
    }
}

static void
step_server(struct world *w, struct hf_lockspace_event event,
            const struct packet *packet)
{
    static struct saying saying;
    size_t said = 0;

    saying.count = saying.fences_count = 0;
    event.at.ms = w->now;
    hf_lockspace_step(w->ls, &event);
    listen(w, packet, &saying);
    note_clear(w, &event, &saying);
    do { /* what is said is in the store before */
        size_t due = saying.count;

        write_batch(w);
        listen(w, packet, &saying);
        for (; said < due; said++) {
            say(w, &saying.answers[said], &saying);
            listen(w, packet, &saying);
        }
    } while (said < saying.count);
    hf_lockspace_check(w->ls);
}

static void
load_grant(struct world *w, const struct record *record)
{
    struct hf_lockspace_event event = {.kind = HF_SPACE_LOAD_GRANT};
    struct hf_want wants[NAMES];

    event.at.ms = w->now;
    event.grant.fence = record->fence;
    event.grant.session = record->session;
    event.grant.lane = record->lane;
    event.grant.n = record->n;
    event.grant.wants = wants;
    for (unsigned i = 0; i < NAMES; i++)
        if (record->modes[i] != 0)
            wants[event.grant.wants_count++] = want_of(i, record->modes[i]);
    hf_lockspace_step(w->ls, &event);
}

static void
load(struct world *w)
{
    uint64_t above = 0;

    for (uint64_t id = 1; id <= w->last_session; id++) {
        struct hf_lockspace_event event = {.kind = HF_SPACE_LOAD_SESSION};

        if (!w->sessions[id].on)
            continue;
        event.at.ms = w->now;
        event.session.id = id;
        event.session.secret = w->sessions[id].secret;
        event.session.ttl.ms = TTL_MS;
        event.session.if_dead = w->shape->if_dead;
        hf_lockspace_step(w->ls, &event);
    }
    for (;;) { /* in the order of their fences */
        const struct record *next = NULL;

        for (size_t i = 0; i < w->records_count; i++)
            if (w->records[i].on && w->records[i].fence > above &&
                (next == NULL || w->records[i].fence < next->fence))
                next = &w->records[i];
        if (next == NULL)
            return;
        above = next->fence;
        load_grant(w, next);
    }
}

static void
start_server(struct world *w)
{
    struct hf_lockspace_event event = {.kind = HF_SPACE_SERVE};

    memset(w->ls, 0, hf_lockspace_size(&w->server_config));
    w->server_config.takeover_grace.ms = (int64_t)below(w, 2) * 300;
    w->server_config.seed = w->seed + w->term;
    w->ls = hf_lockspace_init(w->ls, &w->server_config);
    load(w);
    w->term++;
    event.at.ms = w->now;
    event.serve.term = w->term;
    event.serve.next_fence = w->next_fence;
    hf_lockspace_step(w->ls, &event);
    HF_CHECK(hf_lockspace_serving(w->ls));
    w->leader = 1 + (uint32_t)below(w, NODES);
}

/* The leader is no more; the streams to it break, for whom it is told. */
static void
stop_server(struct world *w)
{
    struct record *record = some_record(w);

    for (uint64_t i = 1; i <= w->links_count; i++) {
        struct link *link = &w->links[i];

        if (!link->ended && link->stream != 0 && chance(w, 80))
            post_end_to_client(w, link);
        link->ended = true;
    }
    /* A store that was restored has forgotten a grant. */
    if (record != NULL && chance(w, 20)) {
        w->excused[record->fence] = true;
        record->on = false;
    }
    w->leader = 0;
    w->leader_at = w->now + (int64_t)below(w, 800);
    w->terms++;
}

static void
not_leading(struct world *w, const struct packet *packet)
{
    struct packet *answer = post(w, TO_CLIENT);

    answer->client = packet->client;
    answer->life = packet->life;
    answer->event.kind = HF_SESSION_ANSWER;
    answer->event.answer.answer.kind = HF_ANSWER_NOT_LEADING;
    answer->event.answer.answer.stream = packet->send.message.stream;
    answer->event.answer.leader =
        chance(w, 80) ? w->leader : (uint32_t)below(w, NODES + 1);
}

static void
on_message(struct world *w, const struct packet *packet, bool dead)
{
    struct hf_lockspace_event event = {
        .kind = HF_SPACE_MESSAGE,
        .message = packet->send.message,
    };
    struct hf_message *message = &event.message;
    struct hf_want wants[NAMES];
    uint64_t id = packet->send.id;
    const struct wish *wish = &w->wishes[id];
    unsigned changed;

    if (packet->node != w->leader) {
        if (!dead)
            not_leading(w, packet);
        return;
    }
    message->stream = add_link(w, packet, dead);
    memcpy(message->secret.bytes, packet->send.secret.bytes, 16);
    if (message->kind == HF_MESSAGE_OPEN) {
        message->session = ++w->last_session;
        memset(&message->secret, 0, sizeof(message->secret));
        memcpy(message->secret.bytes, &message->session, 8);
        message->open.who = (struct hf_bytes){"us", 2};
    } else if (message->kind == HF_MESSAGE_ACQUIRE) {
        for (size_t i = 0; i < wish->count; i++)
            wants[i] = want_of(wish->order[i], wish->modes[wish->order[i]]);
        message->acquire.wants = wants;
        message->acquire.wants_count = wish->count;
    } else if (message->kind == HF_MESSAGE_CHANGE) {
        changed = wish->order[packet->send.index];
        message->change = want_of(changed, wish->modes[changed]);
    }
    step_server(w, event, packet);
}

/* ---- What a client says and is told -------------------------------------- */

/* What was released, and told so, is free for ever. */
static void
check_settled(const struct world *w, const struct wish *wish)
{
    for (size_t i = 0; i < w->records_count; i++) {
        const struct record *record = &w->records[i];

        HF_CHECK(!is_valid(w, record) || record->session != wish->session ||
                 record->lane != wish->lane || record->n != wish->n);
    }
}

static void
on_granted(struct world *w, struct wish *wish,
           const struct hf_session_notice *tell)
{
    HF_CHECK(!wish->granted && !wish->ended && w->now < wish->deadline);
    wish->granted = true;
    wish->fence = tell->fence;
    w->grants++;
    if (wish->free || w->excused[wish->fence])
        return;
    for (unsigned i = 0; i < NAMES; i++)
        if (wish->modes[i] == 1 + HF_EXCLUSIVE) {
            HF_CHECK(wish->fence > w->exclusive_told[i]);
            w->exclusive_told[i] = wish->fence;
        }
}

static void
on_ended(struct world *w, struct wish *wish,
         const struct hf_session_notice *tell)
{
    bool in_time = w->now < wish->deadline;
    bool at_limit = tell->status == HF_E_UNAVAILABLE ||
                    (tell->status == HF_OK && tell->outcome == HF_TIMED_OUT);

    HF_CHECK(!wish->ended);
    wish->ended = true;
    if (at_limit && !wish->granted) {
        bool refused_try =
            wish->wait == HF_WAIT_TRY && tell->outcome == HF_TIMED_OUT;

        HF_CHECK(!in_time || refused_try);
        w->timeouts += tell->status == HF_OK;
        w->unavailable += tell->status != HF_OK;
    } else {
        /* A limit may be told at the deadline, too. */
        wish->settled = tell->outcome != HF_AT_LIMIT;
    }
}

static void
on_notice(struct world *w, const struct hf_session_notice *tell)
{
    struct wish *wish = &w->wishes[tell->id];

    if (tell->news & HF_NEWS_GRANTED)
        on_granted(w, wish, tell);
    w->lost += (tell->news & HF_NEWS_LOST) != 0;
    w->doubts += (tell->news & HF_NEWS_IN_DOUBT) != 0;
    HF_CHECK(!(tell->news & HF_NEWS_IN_DOUBT) ||
             w->shape->if_dead == HF_REFUSE);
    if (tell->news & HF_NEWS_ENDED)
        on_ended(w, wish, tell);
}

static void
transmit(struct world *w, unsigned client, const struct hf_session_send *send)
{
    struct packet *packet = post(w, TO_SERVER);
    const struct client *c = &w->clients[client];
    uint32_t cursor = 0;

    packet->client = client;
    packet->life = c->life;
    packet->node = send->node;
    packet->send = *send;
    if (send->message.kind == HF_MESSAGE_PAGE)
        while (hf_session_page(c->session, &cursor,
                               &packet->fences[packet->fences_count]))
            packet->fences_count++;
    if (send->message.kind == HF_MESSAGE_ACQUIRE) {
        w->wishes[send->id].session = send->message.session;
        w->wishes[send->id].lane = send->message.lane;
        w->wishes[send->id].n = send->message.n;
    }
    if (trouble(w) && chance(w, 30)) { /* the same once more, at any time */
        struct packet *twice = post(w, TO_SERVER);

        *twice = *packet;
        twice->at = w->now + (int64_t)below(w, 5000);
        twice->turn = ++w->turns;
        twice->stream = chance(w, 50); /* of a dead connection */
    }
    if (trouble(w) && chance(w, 40)) { /* lost, with its stream */
        struct link lost = {
            .client = client, .life = c->life, .stream = send->message.stream};

        *packet = w->packets[--w->packets_count];
        if (chance(w, 70))
            post_end_to_client(w, &lost);
    }
}

static void
close_stream(struct world *w, unsigned client, uint64_t stream)
{
    for (uint64_t i = w->links_count; i > 0; i--)
        if (w->links[i].client == client && w->links[i].stream == stream &&
            w->links[i].life == w->clients[client].life)
            post_end_to_server(w, i);
}

static void
step_client(struct world *w, unsigned client, struct hf_session_event event)
{
    struct client *c = &w->clients[client];
    struct hf_session_effect effect;

    event.at.ms = w->now;
    hf_session_step(c->session, &event);
    while (hf_session_next(c->session, &effect)) {
        switch (effect.kind) {
        case HF_SESSION_TELL:
            on_notice(w, &effect.tell);
            break;
        case HF_SESSION_CLOSE:
            close_stream(w, client, effect.stream);
            break;
        case HF_SESSION_SEND:
            transmit(w, client, &effect.send);
            break;
        }
    }
    hf_session_check(c->session);
}

/* The same bytes in another block are the same machine. */
static void
move(struct world *w, struct client *c)
{
    struct hf_session *from = c->session;

    memcpy(w->spare, from, hf_session_size(&w->client_config));
    memset(from, 0xee, hf_session_size(&w->client_config));
    c->session = w->spare;
    w->spare = from;
}

static void
begin_life(struct world *w, unsigned client)
{
    struct client *c = &w->clients[client];

    memset(c->session, 0, hf_session_size(&w->client_config));
    w->client_config.seed = w->seed + w->turns;
    hf_session_init(c->session, &w->client_config);
    c->life++;
    c->ends = false;
    c->frozen_until = 0;
}

/* ---- What is promised ---------------------------------------------------- */

static bool
believes(const struct world *w, const struct wish *wish, uint64_t id)
{
    const struct client *c = &w->clients[wish->client];
    enum hf_outcome held;

    if (!wish->granted || wish->ended || wish->life != c->life || wish->free)
        return false;
    held = hf_session_holds(c->session, id, (struct hf_instant){w->now});
    return held == HF_GRANTED && !w->excused[wish->fence];
}

static bool
clash(const struct wish *a, const struct wish *b)
{
    if (a->client == b->client && a->lane == b->lane)
        return false;
    for (unsigned i = 0; i < NAMES; i++)
        if (a->modes[i] != 0 && b->modes[i] != 0 &&
            (a->modes[i] == 1 + HF_EXCLUSIVE ||
             b->modes[i] == 1 + HF_EXCLUSIVE))
            return true;
    return false;
}

static void
check_promises(const struct world *w)
{
    const struct wish *believed[WISHES];
    size_t count = 0;

    for (size_t i = 1; i <= w->wishes_count; i++) {
        const struct wish *wish = &w->wishes[i];

        if (wish->settled && wish->session != 0)
            check_settled(w, wish);
        if (!believes(w, wish, i))
            continue;
        HF_CHECK(is_recorded(w, wish->session, wish->fence));
        for (size_t k = 0; k < count; k++)
            HF_CHECK(!clash(wish, believed[k]));
        believed[count++] = wish;
    }
}

/* ---- What people do ------------------------------------------------------ */

static void
want(struct world *w, unsigned client)
{
    struct hf_session_event event = {.kind = HF_SESSION_WANT};
    uint64_t id = ++w->wishes_count;
    struct wish *wish = &w->wishes[id];
    unsigned first = (unsigned)below(w, NAMES);

    HF_CHECK(id < WISHES);
    *wish = (struct wish){
        .client = client,
        .life = w->clients[client].life,
        .count = 1 + below(w, 2),
        .free = chance(w, 10),
        .wait = (enum hf_wait_kind)below(w, 3),
        .deadline = INT64_MAX,
    };
    for (size_t i = 0; i < wish->count; i++) {
        wish->order[i] = (uint8_t)((first + i) % NAMES);
        wish->modes[wish->order[i]] =
            (uint8_t)(1 + (chance(w, 40) ? HF_SHARED : HF_EXCLUSIVE));
    }
    if (wish->wait != HF_WAIT_FOREVER)
        wish->deadline = w->now + 1 + (int64_t)below(w, 4000);
    event.want.id = id;
    event.want.label = below(w, 3);
    event.want.free = wish->free;
    event.want.wait = wish->wait;
    event.want.deadline.ms = wish->deadline;
    step_client(w, client, event);
}

/* One that has not ended. */
static uint64_t
some_wish(struct world *w, unsigned client)
{
    for (unsigned tries = 0; tries < 20 && w->wishes_count > 0; tries++) {
        uint64_t id = 1 + below(w, w->wishes_count);
        const struct wish *wish = &w->wishes[id];

        if (wish->client == client && !wish->ended &&
            wish->life == w->clients[client].life)
            return id;
    }
    return 0;
}

static void
change(struct world *w, unsigned client, uint64_t id)
{
    struct hf_session_event event = {.kind = HF_SESSION_CHANGE};
    struct wish *wish = &w->wishes[id];
    struct hf_instant now = {w->now};

    if (hf_session_holds(w->clients[client].session, id, now) != HF_GRANTED)
        return;
    event.wish.id = id;
    event.wish.index = (unsigned)below(w, wish->count);
    wish->modes[wish->order[event.wish.index]] = 1 + HF_SHARED;
    step_client(w, client, event);
}

static void
clear(struct world *w)
{
    struct hf_lockspace_event event = {.kind = HF_SPACE_MESSAGE};
    const struct record *record = some_record(w);

    if (w->leader == 0 || record == NULL)
        return;
    event.message.kind = HF_MESSAGE_CLEAR;
    event.message.stream = LINKS; /* the operator's */
    for (unsigned i = 0; i < NAMES; i++)
        if (record->modes[i] != 0)
            event.message.clear.lock = want_of(i, record->modes[i]);
    event.message.clear.fence = record->fence;
    event.message.clear.audit = (struct hf_bytes){"why", 3};
    step_server(w, event, NULL);
}

static void
act_of_a_client(struct world *w, unsigned client)
{
    struct client *c = &w->clients[client];
    struct hf_session_event event = {.kind = HF_SESSION_RELEASE};
    uint64_t id = some_wish(w, client);

    move(w, c);
    if (hf_session_over(c->session))
        begin_life(w, client);
    else if (c->ends)
        return;
    if (id != 0 && chance(w, 40)) {
        event.wish.id = id;
        step_client(w, client, event);
    } else if (id != 0 && chance(w, 15)) {
        change(w, client, id);
    } else if (chance(w, 3)) {
        c->ends = true;
        step_client(w, client,
                    (struct hf_session_event){.kind = HF_SESSION_END});
    } else if (hf_session_room(c->session)) {
        want(w, client);
    }
}

static void
act_of_fate(struct world *w)
{
    unsigned client = (unsigned)below(w, CLIENTS);
    struct packet *packet;

    if (chance(w, 25)) {
        if (w->leader != 0)
            stop_server(w);
    } else if (chance(w, 30)) {
        w->clients[client].frozen_until = w->now + (int64_t)below(w, 6000);
    } else if (chance(w, 30)) {
        w->clients[client].cut_until = w->now + (int64_t)below(w, 8000);
    } else if (chance(w, 40)) {
        packet = post(w, CLIENT_SEES_NODE_FAIL);
        packet->client = client;
        packet->life = w->clients[client].life;
        packet->node = 1 + (uint32_t)below(w, NODES);
    } else if (chance(w, 60)) {
        clear(w);
    } else if (w->shape->if_dead == HF_TAKEOVER && chance(w, 30)) {
        begin_life(w, client); /* it was killed */
    } else if (w->links_count > 0) {
        break_link(w, w->links_count - below(w, 8) % w->links_count);
    }
}

static void
act(struct world *w)
{
    unsigned client = (unsigned)below(w, CLIENTS);

    w->acts++;
    w->next_act = w->now + (int64_t)below(w, 500);
    if (w->shape->faults && chance(w, 20))
        act_of_fate(w);
    else if (w->clients[client].frozen_until <= w->now)
        act_of_a_client(w, client);
}

/* ---- Time ---------------------------------------------------------------- */

static int64_t
when_of(const struct world *w, const struct packet *packet)
{
    int64_t frozen = w->clients[packet->client].frozen_until;

    if (packet->kind == TO_SERVER || packet->kind == SERVER_SEES_END)
        return packet->at;
    return packet->at > frozen ? packet->at : frozen;
}

static size_t
first_packet(const struct world *w)
{
    size_t first = 0;

    for (size_t i = 1; i < w->packets_count; i++) {
        int64_t a = when_of(w, &w->packets[i]);
        int64_t b = when_of(w, &w->packets[first]);

        if (a < b || (a == b && w->packets[i].turn < w->packets[first].turn))
            first = i;
    }
    return first;
}

static int64_t
clock_of(const struct world *w, unsigned client)
{
    const struct client *c = &w->clients[client];
    int64_t at = hf_session_deadline(c->session).ms;

    return at > c->frozen_until ? at : c->frozen_until;
}

/* Does it come to whom it is meant for?  What a client finds out by itself
 * does. */
static bool
arrives(const struct world *w, const struct packet *packet)
{
    const struct client *c = &w->clients[packet->client];

    if (packet->kind == TO_SERVER || packet->kind == TO_CLIENT)
        return w->now >= c->cut_until;
    return true;
}

static bool
is_client(const struct world *w, const struct packet *packet)
{
    return packet->life == w->clients[packet->client].life;
}

static void
server_sees_end(struct world *w, uint64_t number)
{
    struct link *link = &w->links[number];
    struct hf_lockspace_event event = {.kind = HF_SPACE_STREAM_ENDED};

    if (link->ended)
        return;
    link->ended = true;
    event.request.stream = number;
    event.request.session = link->session;
    event.request.lane = link->lane;
    event.request.n = link->n;
    if (link->acquire && w->leader != 0 && link->term == w->term)
        step_server(w, event, NULL);
}

static void
deliver(struct world *w, struct packet packet)
{
    struct hf_session_event event = {.kind = HF_SESSION_STREAM_ENDED};

    switch (packet.kind) {
    case TO_SERVER:
        on_message(w, &packet, packet.stream != 0);
        return;
    case SERVER_SEES_END:
        server_sees_end(w, packet.link);
        return;
    case TO_CLIENT:
        event = packet.event;
        event.answer.fences = packet.fences;
        event.answer.fences_count = packet.fences_count;
        break;
    case CLIENT_SEES_END:
        event.broken.stream = packet.stream;
        break;
    case CLIENT_SEES_NODE_FAIL:
        event.kind = HF_SESSION_NODE_FAILED;
        event.broken.node = packet.node;
        break;
    }
    if (is_client(w, &packet))
        step_client(w, packet.client, event);
}

enum due { DUE_PACKET, DUE_SERVER, DUE_LEADER, DUE_ACT, DUE_CLIENT };

/* The next thing that happens; messages before clocks [S2]. */
static enum due
next_due(const struct world *w, int64_t *at, unsigned *which)
{
    enum due due = DUE_PACKET;

    *at = INT64_MAX;
    if (w->packets_count > 0) {
        *which = (unsigned)first_packet(w);
        *at = when_of(w, &w->packets[*which]);
    }
    if (w->leader == 0 && w->leader_at < *at) {
        *at = w->leader_at;
        due = DUE_LEADER;
    }
    if (w->leader != 0 && hf_lockspace_deadline(w->ls).ms < *at) {
        *at = hf_lockspace_deadline(w->ls).ms;
        due = DUE_SERVER;
    }
    if (!w->quiet && w->next_act < *at) {
        *at = w->next_act;
        due = DUE_ACT;
    }
    for (unsigned i = 0; i < CLIENTS; i++)
        if (clock_of(w, i) < *at) {
            *at = clock_of(w, i);
            *which = i;
            due = DUE_CLIENT;
        }
    return due;
}

static int64_t
next_at(const struct world *w)
{
    unsigned which;
    int64_t at;

    (void)next_due(w, &at, &which);
    return at;
}

static bool
step(struct world *w)
{
    unsigned which = 0;
    int64_t at;
    enum due due = next_due(w, &at, &which);
    struct packet packet;

    if (at == INT64_MAX)
        return false;
    HF_CHECK(++w->steps < STEPS_MAX);
    w->now = at > w->now ? at : w->now;
    switch (due) {
    case DUE_PACKET:
        packet = w->packets[which];
        w->packets[which] = w->packets[--w->packets_count];
        if (arrives(w, &packet))
            deliver(w, packet);
        break;
    case DUE_SERVER:
        step_server(w, (struct hf_lockspace_event){.kind = HF_SPACE_CLOCK},
                    NULL);
        break;
    case DUE_LEADER:
        start_server(w);
        break;
    case DUE_ACT:
        act(w);
        break;
    case DUE_CLIENT:
        step_client(w, which,
                    (struct hf_session_event){.kind = HF_SESSION_CLOCK});
        break;
    }
    check_promises(w);
    return true;
}

/* ---- Worlds -------------------------------------------------------------- */

/* Once all is quiet, nobody believes in what was cleared or forgotten. */
static void
calm_down(struct world *w)
{
    struct hf_instant now;

    w->quiet = true;
    for (unsigned i = 0; i < CLIENTS; i++)
        w->clients[i].frozen_until = w->clients[i].cut_until = 0;
    w->next_act = w->now + 4 * TTL_MS;
    while (next_at(w) < w->next_act)
        HF_CHECK(step(w));
    now.ms = w->now;
    for (size_t id = 1; id <= w->wishes_count; id++) {
        const struct wish *wish = &w->wishes[id];
        const struct client *c = &w->clients[wish->client];

        HF_CHECK(wish->life != c->life ||
                 hf_session_holds(c->session, id, now) != HF_GRANTED ||
                 is_recorded(w, wish->session, wish->fence));
    }
}

/* Everybody gives everything back, and then nothing is left. */
static void
settle(struct world *w)
{
    calm_down(w);
    for (size_t id = 1; id <= w->wishes_count; id++) {
        const struct wish *wish = &w->wishes[id];
        struct hf_session_event event = {.kind = HF_SESSION_RELEASE};

        event.wish.id = id;
        if (wish->life == w->clients[wish->client].life)
            step_client(w, wish->client, event);
    }
    while (step(w))
        ;
    for (unsigned i = 0; i < CLIENTS; i++)
        HF_CHECK(hf_session_settled(w->clients[i].session));
    for (size_t id = 1; id <= w->wishes_count; id++)
        HF_CHECK(w->wishes[id].ended ||
                 w->wishes[id].life != w->clients[w->wishes[id].client].life);
    for (size_t i = 0; i < w->records_count; i++)
        HF_CHECK(!is_valid(w, &w->records[i]));
    HF_CHECK(hf_lockspace_deadline(w->ls).ms == INT64_MAX);
}

static void
run_world(struct world *w, const struct shape *shape, uint64_t seed)
{
    struct hf_lockspace *ls = w->ls;
    struct hf_session *sessions[CLIENTS];
    struct hf_session *spare = w->spare;

    for (unsigned i = 0; i < CLIENTS; i++)
        sessions[i] = w->clients[i].session;
    memset(w, 0, sizeof(*w));
    w->shape = shape;
    w->seed = seed;
    w->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    w->trouble = shape->faults ? (unsigned)below(w, 30) : 0;
    w->ls = ls;
    w->next_fence = 100;
    w->now = 1000;
    w->server_config = (struct hf_lockspace_config){
        .limits = {.sessions = 512,
                   .lanes = 512,
                   .claims = 512,
                   .waiters = 256,
                   .names = 32,
                   .spaces = 4,
                   .parts = 1024,
                   .texts = 2048,
                   .session_lanes = chance(w, 20) ? 2 : 16,
                   .session_waiters = 64,
                   .session_grants = 64,
                   .space_waiters = 512,
                   .space_grants = 512,
                   .request_names = 4,
                   .search = 256,
                   .record_bytes = 4096},
        .blocking = {1000},
        .resume_grace = {200},
        .ttl_max = {10000},
    };
    w->client_config = (struct hf_session_config){
        .limits = {.wishes = 12, .nodes = NODES, .page = PAGE},
        .terms = {.if_dead = shape->if_dead, .ttl = {TTL_MS}, .beat = {300}},
        .grace = {500},
        .margin = {250},
        .silence = {1500},
    };
    w->spare = spare;
    if (spare == NULL)
        w->spare = calloc(1, hf_session_size(&w->client_config));
    if (w->ls == NULL)
        w->ls = calloc(1, hf_lockspace_size(&w->server_config));
    for (unsigned i = 0; i < CLIENTS; i++) {
        w->clients[i].session = sessions[i];
        if (sessions[i] == NULL)
            w->clients[i].session =
                calloc(1, hf_session_size(&w->client_config));
        begin_life(w, i);
    }
    start_server(w);
    while (w->acts < ACTS)
        HF_CHECK(step(w));
    settle(w);
}

static uint64_t
from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static void
run_worlds(const struct shape *shape)
{
    uint64_t only = from_environment("HF_SEED", 0);
    uint64_t count =
        only != 0 ? 1 : from_environment("HF_WORLDS", shape->worlds);
    size_t steps = 0, grants = 0, timeouts = 0, unavailable = 0, lost = 0;
    size_t doubts = 0, terms = 0, clears = 0, pages = 0;

    for (uint64_t i = 0; i < count; i++) {
        run_world(&world, shape, only != 0 ? only : i + 1);
        steps += world.steps;
        grants += world.grants;
        timeouts += world.timeouts;
        unavailable += world.unavailable;
        lost += world.lost;
        doubts += world.doubts;
        terms += world.terms;
        clears += world.clears;
        pages += world.pages;
    }
    printf("%llu worlds: %zu steps, %zu grants, %zu timed out, %zu "
           "unavailable, %zu lost, %zu in doubt, %zu terms, %zu clears, "
           "%zu pages\n",
           (unsigned long long)count, steps, grants, timeouts, unavailable,
           lost, doubts, terms, clears, pages);
    if (only != 0)
        return;
    /* What never happened proves nothing. */
    assert_true(grants > count * 2);
    assert_true(timeouts > count / 2);
    if (!shape->faults)
        return;
    assert_true(lost > count / 20);
    assert_true(unavailable > count / 10);
    assert_true(terms > count);
    assert_true(clears > count / 10);
    assert_true(pages > count / 20);
    assert_true(shape->if_dead == HF_TAKEOVER || doubts > count / 10);
}

static void
all_goes_well_where_nothing_goes_wrong(void **state)
{
    const struct shape shape = {HF_TAKEOVER, false, 500};

    (void)state;
    run_worlds(&shape);
}

static void
nobody_believes_wrongly_and_all_is_settled(void **state)
{
    const struct shape shape = {HF_TAKEOVER, true, 3000};

    (void)state;
    run_worlds(&shape);
}

static void
the_same_where_the_dead_are_refused(void **state)
{
    const struct shape shape = {HF_REFUSE, true, 3000};

    (void)state;
    run_worlds(&shape);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_goes_well_where_nothing_goes_wrong),
        cmocka_unit_test(nobody_believes_wrongly_and_all_is_settled),
        cmocka_unit_test(the_same_where_the_dead_are_refused),
    };
    struct sigaction action = {.sa_handler = on_abort};

    sigaction(SIGABRT, &action, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
