#include "simulate/server/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "lab/check.h"
#include "simulate/server/calls.h"
#include "simulate/server/fate.h"
#include "simulate/server/network.h"
#include "simulate/server/nodes.h"
#include "simulate/server/people.h"
#include "simulate/server/promise.h"
#include "simulate/server/sessions.h"
#include "simulate/server/store.h"

#define BEGIN_MS    1000
#define STEPS_MAX   100000
#define SETTLING_MS 20000
#define EXPIRING_MS 500 /* of a ttl that is over: some batches */

/* No call is under way for longer, and one may hang on another. */
#define CALLS_SETTLE_MS 3500

#define FINISHING_MS    40 /* so often acts a user in SETTLING */

/* ---- Dice, words and time ------------------------------------------------ */

/* xorshift64* (Vigna 2016) */
uint64_t
world_draw(struct world *w, uint64_t below)
{
    w->dice ^= w->dice >> 12;
    w->dice ^= w->dice << 25;
    w->dice ^= w->dice >> 27;
    return (w->dice * UINT64_C(2685821657736338717) >> 16) % below;
}

bool
world_chance(struct world *w, uint64_t of_thousand)
{
    return world_draw(w, 1000) < of_thousand;
}

bool
world_trouble(struct world *w)
{
    return w->phase == PHASE_FAULTS && w->shape.trouble > 0 &&
           world_chance(w, w->shape.trouble);
}

void
world_say(const struct world *w, const char *format, ...)
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
world_break(struct world *w, const char *promise, const char *format, ...)
{
    va_list args;

    if (w->broken != NULL)
        return;
    w->broken = promise;
    va_start(args, format);
    vsnprintf(w->detail, sizeof(w->detail), format, args);
    va_end(args);
}

struct hf_instant
sim_clock_read(const struct sim_clock *clock, int64_t now)
{
    return (struct hf_instant){clock->begin_ms +
                               now * clock->per_thousand / 1000};
}

int64_t
sim_clock_reaches(const struct sim_clock *clock, struct hf_instant at)
{
    int64_t shown = at.ms - clock->begin_ms;

    if (at.ms == INT64_MAX)
        return INT64_MAX;
    if (shown <= 0)
        return 0;
    return (shown * 1000 + clock->per_thousand - 1) / clock->per_thousand;
}

/* What arrives at an instant stands before the time that is told at it. */
void
world_set(struct world *w, struct hf_heap_node *alarm, int64_t at,
          enum rank rank)
{
    struct hf_instant key = HF_NEVER;

    if (at != INT64_MAX)
        key.ms = (at > w->now ? at : w->now) * RANKS + rank;
    hf_heap_set(&w->agenda, alarm, key);
}

/* ---- Beginning ----------------------------------------------------------- */

static struct sim_clock
some_clock(struct world *w)
{
    return (struct sim_clock){
        .begin_ms = (int64_t)world_draw(w, 100000),
        .per_thousand = 1000 - w->shape.drift +
                        (int64_t)world_draw(w, 2 * w->shape.drift + 1),
    };
}

static void *
some_room(size_t count, size_t size)
{
    void *room = calloc(count, size);

    HF_CHECK(room != NULL);
    return room;
}

static void
make_node(struct world *w, unsigned who)
{
    struct sim_node *node = &w->nodes[who];

    node->alarm.kind = ALARM_NODE;
    node->birth.kind = ALARM_BIRTH;
    node->hint.kind = ALARM_HINT;
    node->clock = some_clock(w);
    node->block = some_room(1, hf_lockspace_size(&w->shape.node.lockspace));
    node->loading = some_room(1, sizeof(*node->loading));
    node->kept = some_room(KEPT_MAX, sizeof(*node->kept));
    node->handed = some_room(KEPT_MAX, sizeof(*node->handed));
    node->handed_fences = some_room(KEPT_MAX, sizeof(*node->handed_fences));
    node->held_up = some_room(HELD_UP_MAX, sizeof(*node->held_up));
    world_set(w, &node->birth, w->now, RANK_TIME);
}

static void
make_session(struct world *w, unsigned client, enum hf_if_dead if_dead)
{
    unsigned who = (unsigned)w->sessions_count++;
    struct sim_session *session = &w->sessions[who];
    int64_t first = w->now + (int64_t)world_draw(w, 500);

    session->alarm.kind = ALARM_SESSION;
    session->user.kind = ALARM_USER;
    session->client = client;
    session->config = w->shape.session;
    session->config.terms.if_dead = if_dead;
    session->machine = some_room(1, hf_session_size(&session->config));
    sessions_begin(w, who);
    world_set(w, &session->user, first, RANK_TIME);
}

static void
make_clients(struct world *w)
{
    unsigned refusing = w->shape.pairs + w->shape.refusing;

    for (unsigned i = 0; i < CLIENTS; i++) {
        w->clients[i].clock = some_clock(w);
        if (i < w->shape.pairs || i >= refusing)
            make_session(w, i, HF_TAKEOVER);
        if (i < refusing)
            make_session(w, i, HF_REFUSE);
    }
}

static void
make(struct world *w, uint64_t seed, const struct shape *shape, bool tracing)
{
    memset(w, 0, offsetof(struct world, wishes));
    w->wishes_count = w->streams_count = 0;
    w->told_count = 0;
    w->broken = NULL;
    w->failover = (struct failover){0};
    w->counts = (struct sim_counts){0};
    w->seed = seed;
    w->dice = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    w->shape = *shape;
    w->tracing = tracing;
    w->now = BEGIN_MS;
    w->phase_ends = w->now + shape->faults_ms;
    w->agenda.alloc = &hf_alloc_libc;
    HF_CHECK(hf_heap_reserve(&w->agenda, PACKETS_MAX + CALLS_MAX + 3 * NODES +
                                             2 * SESSIONS_MAX + 1));
    w->fate.kind = ALARM_FATE;
    w->older = some_room(1, sizeof(*w->older));
    w->spare = some_room(1, hf_session_size(&shape->session));
    network_init(w);
    calls_init(w);
    store_init(w);
    for (unsigned i = 0; i < NODES; i++)
        make_node(w, i);
    make_clients(w);
    if (shape->fate_ms > 0)
        world_set(w, &w->fate, w->now + shape->fate_ms, RANK_TIME);
    if (shape->kills_leader)
        world_set(w, &w->fate, w->now + 5000 + (int64_t)world_draw(w, 2000),
                  RANK_TIME);
}

void
world_fini(struct world *w)
{
    for (unsigned i = 0; i < NODES; i++) {
        free(w->nodes[i].block);
        free(w->nodes[i].loading);
        free(w->nodes[i].kept);
        free(w->nodes[i].handed);
        free(w->nodes[i].handed_fences);
        free(w->nodes[i].held_up);
    }
    for (size_t i = 0; i < w->sessions_count; i++)
        free(w->sessions[i].machine);
    free(w->older);
    free(w->spare);
    hf_heap_fini(&w->agenda);
}

/* ---- Phases -------------------------------------------------------------- */

/* Until somebody leads: the head stands for its ttl, whoever was refused rests,
 * calls of which nobody knows are settled, and the store is read. */
static int64_t
calm_ms(const struct world *w)
{
    int64_t leader = w->shape.node.leader.terms.ttl.ms + w->shape.node.rest.ms;

    return leader * 1026 / 1000 + w->shape.load_ms + CALLS_SETTLE_MS;
}

/* Until nothing of the dead is left: a ttl, begun anew by each leader, and by
 * each message of theirs that was late. */
static int64_t
expired_at(const struct world *w)
{
    int64_t ttl = w->shape.session.terms.ttl.ms;
    int64_t heard = w->dead_heard;
    int64_t since = heard > w->serving_since ? heard : w->serving_since;

    return since + ttl * 1026 / 1000 + EXPIRING_MS;
}

static void
begin_phase(struct world *w, enum phase phase, int64_t ends)
{
    w->phase = phase;
    w->phase_ends = ends;
}

static void
begin_settling(struct world *w)
{
    int64_t ttl = w->shape.session.terms.ttl.ms;

    promise_known(w);
    begin_phase(w, PHASE_SETTLING, w->now + SETTLING_MS + ttl);
    people_settle(w);
    world_set(w, &w->fate, w->now, RANK_TIME);
    world_say(w, "all is given back");
}

static void
next_phase(struct world *w)
{
    switch (w->phase) {
    case PHASE_FAULTS:
        begin_phase(w, PHASE_CALM, w->now + calm_ms(w));
        fate_calm(w);
        world_set(w, &w->fate, INT64_MAX, RANK_TIME);
        world_say(w, "nothing fails any more");
        w->serving_since =
            w->now > w->serving_since ? w->now : w->serving_since;
        break;
    case PHASE_CALM:
        promise_led(w);
        begin_phase(w, PHASE_EXPIRING, expired_at(w));
        break;
    case PHASE_EXPIRING:
        if (w->now < expired_at(w)) /* another has begun to lead */
            w->phase_ends = expired_at(w);
        else
            begin_settling(w);
        break;
    case PHASE_SETTLING:
    case PHASE_OVER:
        world_break(w, "whoever wants a lock gets it, and then nothing is left",
                    "not within %d ms and a ttl", SETTLING_MS);
        break;
    }
}

static void
on_fate(struct world *w)
{
    int64_t next = w->now + 200;

    if (w->phase == PHASE_SETTLING) {
        people_clear_rest(w);
    } else if (w->shape.kills_leader) {
        fate_kill_leader(w);
        next = w->failover.died_at != 0 ? INT64_MAX : w->now + 10;
    } else {
        fate_strike(w);
        next =
            w->now + 1 + (int64_t)world_draw(w, 2 * (uint64_t)w->shape.fate_ms);
    }
    world_set(w, &w->fate, next, RANK_TIME);
}

/* ---- Steps --------------------------------------------------------------- */

static void
on_packet(struct world *w, struct sim_packet *packet)
{
    if (!network_take(w, packet))
        return;
    if (packet->kind == PACKET_MESSAGE)
        nodes_hear(w, packet);
    else if (packet->kind == PACKET_ENDED)
        nodes_stream_ended(w, packet);
    else
        sessions_hear(w, packet);
    network_give_back(w, packet);
}

static unsigned
node_of(const struct world *w, const struct sim_node *node)
{
    return (unsigned)(node - w->nodes);
}

static void
on_node(struct world *w, struct sim_node *node)
{
    if (w->now < node->frozen_until)
        world_set(w, &node->alarm, node->frozen_until, RANK_TIME);
    else
        nodes_clock(w, node_of(w, node));
}

static void
on_birth(struct world *w, struct sim_node *node)
{
    world_set(w, &node->birth, INT64_MAX, RANK_TIME);
    nodes_begin(w, node_of(w, node));
}

static void
on_session(struct world *w, struct sim_session *session, bool is_user)
{
    int64_t frozen_until = w->clients[session->client].frozen_until;
    struct hf_heap_node *alarm = is_user ? &session->user : &session->alarm;
    unsigned who = (unsigned)(session - w->sessions);
    int64_t every = w->phase == PHASE_SETTLING ? FINISHING_MS : w->shape.act_ms;

    if (w->now < frozen_until) {
        world_set(w, alarm, frozen_until, RANK_TIME);
        return;
    }
    if (is_user) {
        world_set(w, alarm,
                  w->now + 1 + (int64_t)world_draw(w, 2 * (uint64_t)every),
                  RANK_TIME);
        people_act(w, who);
    } else {
        sessions_step(w, who,
                      (struct hf_session_event){.kind = HF_SESSION_CLOCK});
    }
}

static void
on_alarm(struct world *w, struct hf_heap_node *alarm)
{
    switch ((enum alarm_kind)alarm->kind) {
    case ALARM_PACKET:
        on_packet(w, HF_CONTAINER(alarm, struct sim_packet, alarm));
        break;
    case ALARM_CALL:
        calls_step(w, HF_CONTAINER(alarm, struct sim_call, alarm));
        break;
    case ALARM_NODE:
        on_node(w, HF_CONTAINER(alarm, struct sim_node, alarm));
        break;
    case ALARM_HINT:
        nodes_wake(w, node_of(w, HF_CONTAINER(alarm, struct sim_node, hint)));
        break;
    case ALARM_BIRTH:
        on_birth(w, HF_CONTAINER(alarm, struct sim_node, birth));
        break;
    case ALARM_SESSION:
        on_session(w, HF_CONTAINER(alarm, struct sim_session, alarm), false);
        break;
    case ALARM_USER:
        on_session(w, HF_CONTAINER(alarm, struct sim_session, user), true);
        break;
    case ALARM_FATE:
        on_fate(w);
        break;
    }
}

static void
step(struct world *w)
{
    struct hf_heap_node *alarm = hf_heap_first(&w->agenda);
    int64_t at = alarm->at.ms / RANKS;

    if (w->phase_ends <= at) {
        w->now = w->phase_ends > w->now ? w->phase_ends : w->now;
        next_phase(w);
        return;
    }
    w->now = at;
    w->turn++;
    w->counts.steps++;
    on_alarm(w, alarm);
    if (w->turn % 16 == 0)
        for (unsigned i = 0; i < NODES; i++)
            if (w->nodes[i].alive && w->nodes[i].machine.lockspace != NULL)
                hf_lockspace_check(w->nodes[i].machine.lockspace);
    if (w->phase == PHASE_SETTLING && w->turn % 8 == 0 && promise_settled(w))
        w->phase = PHASE_OVER;
}

bool
world_run(struct world *w, uint64_t seed, const struct shape *shape,
          bool tracing)
{
    make(w, seed, shape, tracing);
    while (w->broken == NULL && w->phase != PHASE_OVER) {
        step(w);
        HF_CHECK(w->counts.steps < STEPS_MAX);
    }
    return w->broken == NULL;
}
