#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/session/parts.h"
#include "lab/service/client.h"
#include "lab/service/ids.h"
#include "lab/service/looks.h"
#include "lab/service/node.h"
#include "lab/service/promise.h"
#include "lab/service/store.h"

/* ---- A world ------------------------------------------------------------- */

/* Above all versions that there will be: a term is one, and the fences of a new
 * leader begin above it. */
enum { FENCE_FIRST = 1000000 };

/* It begins as the last node left it, which was told to stop. */
void
service_start(struct service_world *world, const struct service_config *config)
{
    memset(world, 0, sizeof(*world));
    world->config = config;
    world->now = CODEC_NOW;
    world->store.version = 1;
    world->store.head = (struct service_head){
        .exists = true,
        .token = 1,
        .next_fence = FENCE_FIRST,
        .served = codec_length(SERVICE_SERVED),
    };
    world->given = world->store.version;
    if (config->loses != 0) {
        service_store_keep(world);
        world->highest = FENCE_FIRST - 1; /* the wall clock is above it */
    }
    for (unsigned i = 0; i < config->world.clients; i++) {
        world->clients[i].clock = CODEC_NOW;
        service_client_begin(world, i);
    }
    for (unsigned i = 0; i < config->nodes; i++)
        service_node_begin(world, i);
}

/* Each node knows its own block by its address. */
static void
move_in(struct service_node *node)
{
    node->node.block = node->block;
    if (node->node.lockspace != NULL)
        node->node.lockspace = (struct hf_lockspace *)(uintptr_t)node->block;
}

void
service_copy(const struct service_config *config, struct service_world *to,
             const struct service_world *from)
{
    memcpy(to, from, offsetof(struct service_world, clients));
    memcpy(to->clients, from->clients,
           config->world.clients * sizeof(from->clients[0]));
    memcpy(to->nodes, from->nodes, config->nodes * sizeof(from->nodes[0]));
    for (unsigned i = 0; i < config->nodes; i++)
        move_in(&to->nodes[i]);
}

/* ---- A client ------------------------------------------------------------ */

static const struct service_client *
client_at(const struct service_world *world, unsigned who)
{
    return &world->clients[who];
}

/* Is one of that lock there already, be it only to be settled? */
static bool
is_wished(const struct service_client *client, unsigned lock)
{
    const struct hf_session *s = service_session(client);

    for (uint32_t at = 1; at <= s->wishes.fresh; at++)
        if (hf_wish_at(s, at)->state != HF_WISH_FREE &&
            hf_wish_at(s, at)->id == lock + 1)
            return true;
    return false;
}

static bool
may_want(const struct service_world *world, unsigned who)
{
    const struct service_client *client = client_at(world, who / SERVICE_LOCKS);
    unsigned lock = who % SERVICE_LOCKS;

    return lock < world->config->locks && client->alive && !client->stalled &&
           service_client_wish(client, lock) == NULL &&
           hf_session_room(service_session(client)) &&
           (!world->config->settles || !is_wished(client, lock));
}

static void
do_want(struct service_world *world, unsigned who)
{
    service_client_want(world, who / SERVICE_LOCKS, who % SERVICE_LOCKS);
}

static bool
may_release(const struct service_world *world, unsigned who)
{
    const struct service_client *client = client_at(world, who / SERVICE_LOCKS);
    const struct hf_wish *wish =
        service_client_wish(client, who % SERVICE_LOCKS);

    return !client->stalled && wish != NULL &&
           (wish->state != HF_WISH_SETTLING || wish->again);
}

static void
do_release(struct service_world *world, unsigned who)
{
    service_client_release(world, who / SERVICE_LOCKS, who % SERVICE_LOCKS);
}

/* Nothing of the last process is under way. */
static bool
may_begin(const struct service_world *world, unsigned who)
{
    const struct service_client *client = client_at(world, who);

    for (unsigned i = 0; i < SERVICE_STREAMS; i++)
        if (client->streams[i].stage != SERVICE_NONE)
            return false;
    return !client->alive;
}

static bool
may_tell_client(const struct service_world *world, unsigned who)
{
    const struct service_client *client = client_at(world, who);

    return !client->stalled && service_client_is_due(client);
}

static bool
may_stall(const struct service_world *world, unsigned who)
{
    const struct service_client *client = client_at(world, who);

    return world->config->lapses && client->alive && !client->stalled;
}

static void
do_stall(struct service_world *world, unsigned who)
{
    world->clients[who].stalled = true;
}

static bool
may_resume(const struct service_world *world, unsigned who)
{
    return client_at(world, who)->alive && client_at(world, who)->stalled;
}

static void
do_resume(struct service_world *world, unsigned who)
{
    world->clients[who].stalled = false;
}

static bool
may_leave(const struct service_world *world, unsigned who)
{
    const struct service_client *client = client_at(world, who);

    return world->config->lapses && client->alive && !client->away;
}

static void
do_leave(struct service_world *world, unsigned who)
{
    world->clients[who].away = true;
}

static bool
may_reach(const struct service_world *world, unsigned who)
{
    return client_at(world, who)->away;
}

static void
do_reach(struct service_world *world, unsigned who)
{
    world->clients[who].away = false;
}

static bool
may_crash(const struct service_world *world, unsigned who)
{
    return client_at(world, who)->alive;
}

/* ---- A stream ------------------------------------------------------------ */

static const struct service_stream *
stream_at(const struct service_world *world, unsigned who)
{
    return &world->clients[who / SERVICE_STREAMS]
                .streams[who % SERVICE_STREAMS];
}

static struct service_stream *
stream_to(struct service_world *world, unsigned who)
{
    return &world->clients[who / SERVICE_STREAMS]
                .streams[who % SERVICE_STREAMS];
}

/* Is there a way between its client and its node?  What is late is beyond a
 * link that is cut. */
static bool
passes(const struct service_world *world, unsigned who)
{
    return !client_at(world, who / SERVICE_STREAMS)->away ||
           stream_at(world, who)->late;
}

static bool
is_read(const struct service_world *world, unsigned node)
{
    return !world->nodes[node].alive || !world->nodes[node].frozen;
}

static bool
may_arrive(const struct service_world *world, unsigned who)
{
    const struct service_stream *stream = stream_at(world, who);

    return stream->stage == SERVICE_SENT && is_read(world, stream->node) &&
           passes(world, who);
}

static void
do_arrive(struct service_world *world, unsigned who)
{
    service_node_arrive(world, stream_to(world, who));
}

/* A node that drains hears nobody, and answers those who are gone as well. */
static bool
may_be_ended(const struct service_world *world,
             const struct service_stream *stream)
{
    return stream->stage == SERVICE_THERE && is_read(world, stream->node) &&
           world->nodes[stream->node].node.state == HF_NODE_SERVING;
}

static bool
may_end(const struct service_world *world, unsigned who)
{
    const struct service_stream *stream = stream_at(world, who);

    return !stream->heard && may_be_ended(world, stream) && passes(world, who);
}

static void
do_end(struct service_world *world, unsigned who)
{
    service_node_end(world, stream_to(world, who));
}

static bool
may_hear(const struct service_world *world, unsigned who)
{
    return stream_at(world, who)->stage == SERVICE_BACK &&
           !client_at(world, who / SERVICE_STREAMS)->stalled &&
           passes(world, who);
}

static void
do_hear(struct service_world *world, unsigned who)
{
    service_client_hear(world, who / SERVICE_STREAMS, who % SERVICE_STREAMS);
}

/* A message, an answer, or the end of a stream that nobody hears any more. */
static bool
may_delay(const struct service_world *world, unsigned who)
{
    const struct service_stream *stream = stream_at(world, who);

    return !stream->late &&
           (stream->stage == SERVICE_SENT || stream->stage == SERVICE_BACK ||
            (stream->stage == SERVICE_THERE && !stream->heard));
}

static void
do_delay(struct service_world *world, unsigned who)
{
    stream_to(world, who)->late = true;
}

static bool
may_double(const struct service_world *world, unsigned who)
{
    const struct service_client *client =
        client_at(world, who / SERVICE_STREAMS);

    return stream_at(world, who)->stage == SERVICE_SENT &&
           service_client_has_room(world->config, client);
}

/* The second takes any time, and nobody hears its answer. */
static void
do_double(struct service_world *world, unsigned who)
{
    const struct service_stream *stream = stream_at(world, who);
    struct service_stream *second =
        service_client_free(&world->clients[who / SERVICE_STREAMS]);

    *second = *stream;
    second->late = true;
    second->heard = false;
}

static bool
may_break(const struct service_world *world, unsigned who)
{
    const struct service_stream *stream = stream_at(world, who);

    return stream->heard &&
           (stream->stage == SERVICE_SENT || may_be_ended(world, stream));
}

static void
do_break(struct service_world *world, unsigned who)
{
    struct service_stream *stream = stream_to(world, who);

    if (stream->stage == SERVICE_THERE) {
        service_node_end(world, stream);
        return;
    }
    stream->stage = SERVICE_BACK;
    stream->broken = true;
}

static bool
may_lose(const struct service_world *world, unsigned who)
{
    const struct service_stream *stream = stream_at(world, who);

    return stream->late &&
           (stream->stage == SERVICE_SENT || stream->stage == SERVICE_BACK);
}

static void
do_lose(struct service_world *world, unsigned who)
{
    *stream_to(world, who) = (struct service_stream){0};
}

/* ---- A node -------------------------------------------------------------- */

static bool
lives(const struct service_world *world, unsigned who)
{
    return world->nodes[who].alive && !world->nodes[who].frozen;
}

/* A message that has arrived is read before the node is told the time [S2]. */
static bool
may_tell_node(const struct service_world *world, unsigned who)
{
    for (unsigned i = 0; i < world->config->world.clients * SERVICE_STREAMS;
         i++)
        if (stream_at(world, i)->node == who && !stream_at(world, i)->late &&
            may_arrive(world, i))
            return false;
    return service_node_is_due(world, who);
}

static bool
may_start(const struct service_world *world, unsigned who)
{
    return !world->nodes[who].alive;
}

static bool
may_stop(const struct service_world *world, unsigned who)
{
    return world->config->stops && lives(world, who) &&
           !world->nodes[who].node.stopped;
}

static bool
may_wake(const struct service_world *world, unsigned who)
{
    return world->nodes[who].alive && world->nodes[who].frozen;
}

static void
do_wake(struct service_world *world, unsigned who)
{
    world->nodes[who].frozen = false;
}

static bool
may_heal(const struct service_world *world, unsigned who)
{
    return world->nodes[who].alive && world->nodes[who].cut;
}

static void
do_heal(struct service_world *world, unsigned who)
{
    world->nodes[who].cut = false;
}

static bool
may_node_crash(const struct service_world *world, unsigned who)
{
    return world->nodes[who].alive;
}

static bool
may_freeze(const struct service_world *world, unsigned who)
{
    return lives(world, who);
}

static void
do_freeze(struct service_world *world, unsigned who)
{
    world->nodes[who].frozen = true;
}

static bool
may_cut(const struct service_world *world, unsigned who)
{
    return lives(world, who) && !world->nodes[who].cut;
}

static void
do_cut(struct service_world *world, unsigned who)
{
    world->nodes[who].cut = true;
}

/* ---- A call -------------------------------------------------------------- */

static const struct service_call *
call_at(const struct service_world *world, unsigned who)
{
    return &world->nodes[who / SERVICE_CALLS].calls[who % SERVICE_CALLS];
}

static struct service_call *
call_to(struct service_world *world, unsigned who)
{
    return &world->nodes[who / SERVICE_CALLS].calls[who % SERVICE_CALLS];
}

static bool
is_out(const struct service_world *world, unsigned who)
{
    const struct service_node *node = &world->nodes[who / SERVICE_CALLS];
    const struct service_call *call = call_at(world, who);

    return node->alive && call->asked != SERVICE_QUIET && !call->done &&
           !node->cut && !(node->unaware && node->frozen);
}

/* What it has open is gone: its process finds that before anything is asked of
 * what stands there now. */
static bool
notices(struct service_world *world, unsigned who)
{
    if (!world->nodes[who / SERVICE_CALLS].unaware)
        return false;
    service_node_notice(world, who / SERVICE_CALLS);
    return true;
}

static void
answer(struct service_world *world, unsigned who)
{
    service_node_answer(world, who / SERVICE_CALLS, call_to(world, who));
}

/* A node that is frozen hears of it when it wakes. */
static void
serve(struct service_world *world, unsigned who, bool held)
{
    struct service_call *call = call_to(world, who);

    if (notices(world, who))
        return;
    service_store_serve(world, who / SERVICE_CALLS, call);
    call->late = held;
    if (!held && lives(world, who / SERVICE_CALLS))
        answer(world, who);
}

static void
do_serve(struct service_world *world, unsigned who)
{
    serve(world, who, false);
}

static bool
may_answer(const struct service_world *world, unsigned who)
{
    const struct service_call *call = call_at(world, who);

    return lives(world, who / SERVICE_CALLS) && call->asked != SERVICE_QUIET &&
           call->done && !world->nodes[who / SERVICE_CALLS].cut;
}

static bool
may_slow(const struct service_world *world, unsigned who)
{
    return is_out(world, who) && !call_at(world, who)->late;
}

static void
do_slow(struct service_world *world, unsigned who)
{
    call_to(world, who)->late = true;
}

static void
do_lost(struct service_world *world, unsigned who)
{
    struct service_call *call = call_to(world, who);

    if (notices(world, who))
        return;
    service_store_serve(world, who / SERVICE_CALLS, call);
    call->verdict = HF_UNKNOWN;
    answer(world, who);
}

/* What is asked, and by one who hears it. */
static bool
may_lose_answer(const struct service_world *world, unsigned who)
{
    return is_out(world, who) && lives(world, who / SERVICE_CALLS) &&
           call_at(world, who)->asked == SERVICE_WRITES;
}

static void
do_held(struct service_world *world, unsigned who)
{
    serve(world, who, true);
}

static bool
may_be_down(const struct service_world *world, unsigned who)
{
    return is_out(world, who) && lives(world, who / SERVICE_CALLS);
}

/* ---- Nobody -------------------------------------------------------------- */

static bool
may_orphan(const struct service_world *world, unsigned who)
{
    (void)who;
    return world->orphan.asked != SERVICE_QUIET;
}

static void
do_orphan(struct service_world *world, unsigned who)
{
    (void)who;
    service_store_orphan(world);
}

static const struct service_record *
grant_of(const struct service_world *world, unsigned lock)
{
    for (unsigned i = 0; i < world->store.count; i++) {
        const struct service_record *record = &world->store.records[i];

        if (record->fence != 0 && record->lock == lock &&
            service_store_session(&world->store, record->session) != NULL)
            return record;
    }
    return NULL;
}

static unsigned
serving(const struct service_world *world)
{
    unsigned node = 0;

    while (node < world->config->nodes &&
           !(lives(world, node) &&
             world->nodes[node].node.state == HF_NODE_SERVING))
        node++;
    return node;
}

/* And once more, where it was lost with its node. */
static bool
may_clear(const struct service_world *world, unsigned who)
{
    const struct service_record *grant = grant_of(world, who);
    uint64_t before = world->cleared.fence;

    return world->config->clears && who < world->config->locks &&
           grant != NULL && (before == 0 || before == grant->fence) &&
           serving(world) < world->config->nodes;
}

static void
do_clear(struct service_world *world, unsigned who)
{
    const struct service_record *grant = grant_of(world, who);

    HF_CHECK(grant != NULL);
    world->cleared = (struct service_cleared){.fence = grant->fence};
    service_node_clear(world, serving(world), who, world->cleared.fence);
}

/* ---- The place is lost --------------------------------------------------- */

/* No head without a node is folded while anything is granted [L6]. */
static bool
may_be_kept(const struct service_world *world)
{
    const struct service_store *store = &world->store;

    if ((world->config->loses & SERVICE_LOSES_LOG) == 0 || store->head.led)
        return true;
    for (unsigned i = 0; i < store->count; i++)
        if (store->records[i].fence != 0)
            return false;
    return true;
}

static bool
may_return(const struct service_world *world, unsigned who)
{
    (void)who;
    return (world->config->loses & (SERVICE_LOSES_COPY | SERVICE_LOSES_LOG)) !=
           0;
}

static bool
may_keep(const struct service_world *world, unsigned who)
{
    return may_return(world, who) && !world->kept && may_be_kept(world);
}

static void
do_keep(struct service_world *world, unsigned who)
{
    (void)who;
    world->kept = true;
    service_store_keep(world);
}

static bool
may_remove(const struct service_world *world, unsigned who)
{
    (void)who;
    return (world->config->loses & SERVICE_LOSES_FILE) != 0;
}

static void
do_remove(struct service_world *world, unsigned who)
{
    (void)who;
    service_store_remove(world);
}

static void
do_return(struct service_world *world, unsigned who)
{
    (void)who;
    service_store_return(world);
}

/* ---- Time ---------------------------------------------------------------- */

static bool
is_stream_urgent(const struct service_world *world, unsigned who)
{
    return !stream_at(world, who)->late &&
           (may_arrive(world, who) || may_end(world, who) ||
            may_hear(world, who));
}

static bool
is_call_urgent(const struct service_world *world, unsigned who)
{
    return !call_at(world, who)->late &&
           (is_out(world, who) || may_answer(world, who));
}

/* In a prompt world whoever died is replaced at once: a process that has done
 * nothing yet is as good as none. */
static bool
is_to_begin(const struct service_world *world)
{
    for (unsigned i = 0; i < world->config->world.clients; i++)
        if (may_begin(world, i))
            return true;
    for (unsigned i = 0; i < world->config->nodes; i++)
        if (may_start(world, i))
            return true;
    return false;
}

/* Is anything under way that takes less than a tick? */
static bool
is_urgent(const struct service_world *world)
{
    const struct service_config *config = world->config;

    for (unsigned i = 0; i < config->world.clients; i++)
        if (may_tell_client(world, i))
            return true;
    for (unsigned i = 0; i < config->nodes; i++)
        if (service_node_is_due(world, i))
            return true;
    for (unsigned i = 0; i < config->world.clients * SERVICE_STREAMS; i++)
        if (is_stream_urgent(world, i))
            return true;
    for (unsigned i = 0; i < config->nodes * SERVICE_CALLS; i++)
        if (is_call_urgent(world, i))
            return true;
    return config->prompt && is_to_begin(world);
}

static bool
may_tick(const struct service_world *world, unsigned who)
{
    (void)who;
    return !is_urgent(world);
}

static bool
may_slip(const struct service_world *world, unsigned who)
{
    const struct service_client *client = client_at(world, who);

    return client->alive && client->slips < world->config->slips &&
           !is_urgent(world);
}

/* All clocks go on, but that of one. */
static void
pass(struct service_world *world, unsigned slips)
{
    const struct service_config *config = world->config;

    world->now = hf_after(world->now, codec_length(1));
    for (unsigned i = 0; i < config->world.clients; i++) {
        struct service_client *client = &world->clients[i];

        if (i != slips)
            client->clock = hf_after(client->clock, codec_length(1));
        else if (client->slips++ == 0)
            client->window = (uint8_t)(config->ttl + 1);
        if (client->window > 0 && --client->window == 0)
            client->slips = 0;
    }
    service_promise_tick(world);
}

static void
do_tick(struct service_world *world, unsigned who)
{
    (void)who;
    pass(world, SERVICE_CLIENTS);
}

/* ---- What is possible, and what it does ---------------------------------- */

enum of { OF_LOCK, OF_CLIENT, OF_STREAM, OF_NODE, OF_CALL, OF_NOBODY };

static const struct {
    enum of of;
    bool (*may)(const struct service_world *world, unsigned who);
    void (*does)(struct service_world *world, unsigned who);
    bool fault;
} acts[SERVICE_ACTS] = {
    [SERVICE_WANT] = {OF_LOCK, may_want, do_want, false},
    [SERVICE_RELEASE] = {OF_LOCK, may_release, do_release, false},
    [SERVICE_LOOK] = {OF_LOCK, service_may_look, service_look, false},
    [SERVICE_BEGIN] = {OF_CLIENT, may_begin, service_client_begin, false},
    [SERVICE_CLOCK] = {OF_CLIENT, may_tell_client, service_client_clock, false},
    [SERVICE_CRASH] = {OF_CLIENT, may_crash, service_client_die, true},
    [SERVICE_SLIP] = {OF_CLIENT, may_slip, pass, false},
    [SERVICE_STALL] = {OF_CLIENT, may_stall, do_stall, true},
    [SERVICE_RESUME] = {OF_CLIENT, may_resume, do_resume, false},
    [SERVICE_LEAVE] = {OF_CLIENT, may_leave, do_leave, true},
    [SERVICE_REACH] = {OF_CLIENT, may_reach, do_reach, false},
    [SERVICE_ARRIVE] = {OF_STREAM, may_arrive, do_arrive, false},
    [SERVICE_END] = {OF_STREAM, may_end, do_end, false},
    [SERVICE_HEAR] = {OF_STREAM, may_hear, do_hear, false},
    [SERVICE_DELAY] = {OF_STREAM, may_delay, do_delay, true},
    [SERVICE_DOUBLE] = {OF_STREAM, may_double, do_double, true},
    [SERVICE_BREAK] = {OF_STREAM, may_break, do_break, true},
    [SERVICE_LOSE] = {OF_STREAM, may_lose, do_lose, false},
    [SERVICE_START] = {OF_NODE, may_start, service_node_begin, false},
    [SERVICE_NODE_CLOCK] = {OF_NODE, may_tell_node, service_node_clock, false},
    [SERVICE_STOP] = {OF_NODE, may_stop, service_node_stop, false},
    [SERVICE_WAKE] = {OF_NODE, may_wake, do_wake, false},
    [SERVICE_HEAL] = {OF_NODE, may_heal, do_heal, false},
    [SERVICE_NODE_CRASH] = {OF_NODE, may_node_crash, service_node_crash, true},
    [SERVICE_FREEZE] = {OF_NODE, may_freeze, do_freeze, true},
    [SERVICE_CUT] = {OF_NODE, may_cut, do_cut, true},
    [SERVICE_SERVE] = {OF_CALL, is_out, do_serve, false},
    [SERVICE_ANSWER] = {OF_CALL, may_answer, answer, false},
    [SERVICE_SLOW] = {OF_CALL, may_slow, do_slow, true},
    [SERVICE_LOST] = {OF_CALL, may_lose_answer, do_lost, true},
    [SERVICE_HELD] = {OF_CALL, may_lose_answer, do_held, true},
    [SERVICE_DOWN] = {OF_CALL, may_be_down, answer, true},
    [SERVICE_ORPHAN] = {OF_NOBODY, may_orphan, do_orphan, false},
    [SERVICE_CLEAR] = {OF_NOBODY, may_clear, do_clear, false},
    [SERVICE_KEEP] = {OF_NOBODY, may_keep, do_keep, false},
    [SERVICE_REMOVE] = {OF_NOBODY, may_remove, do_remove, true},
    [SERVICE_RETURN] = {OF_NOBODY, may_return, do_return, true},
    [SERVICE_TICK] = {OF_NOBODY, may_tick, do_tick, false},
};

/* How many there are that it can be about. */
unsigned
service_count(const struct service_config *config, enum service_act act)
{
    switch (acts[act].of) {
    case OF_LOCK:
        return config->world.clients * SERVICE_LOCKS;
    case OF_CLIENT:
        return config->world.clients;
    case OF_STREAM:
        return config->world.clients * SERVICE_STREAMS;
    case OF_NODE:
        return config->nodes;
    case OF_CALL:
        return config->nodes * SERVICE_CALLS;
    case OF_NOBODY:
        break;
    }
    return act == SERVICE_CLEAR ? SERVICE_LOCKS : 1;
}

bool
service_is_fault(enum service_act act)
{
    return acts[act].fault;
}

/* ---- What comes next in a prompt world ----------------------------------- */

struct next {
    enum service_act act;
    unsigned who;
};

/* Of a node those first that it asked first. */
static bool
find_call(const struct service_world *world, struct next *next)
{
    const struct service_call *first = NULL;

    for (unsigned i = 0; i < world->config->nodes * SERVICE_CALLS; i++) {
        const struct service_call *call = call_at(world, i);

        if (!is_call_urgent(world, i) ||
            (first != NULL && (i / SERVICE_CALLS != next->who / SERVICE_CALLS ||
                               call->number > first->number)))
            continue;
        first = call;
        next->act = is_out(world, i) ? SERVICE_SERVE : SERVICE_ANSWER;
        next->who = i;
    }
    return first != NULL;
}

/* In an order that does not ask in which places they stand: of one client those
 * that it hears as it sent them, then the others by what they are about. */
static bool
goes_before(const struct service_stream *a, const struct service_stream *b)
{
    if (a->client != b->client)
        return a->client < b->client;
    if (a->heard != b->heard)
        return a->heard;
    if (a->heard)
        return a->number < b->number;
    if (a->message.n != b->message.n)
        return a->message.n < b->message.n;
    if (a->message.a != b->message.a)
        return a->message.a < b->message.a;
    if (a->message.kind != b->message.kind)
        return a->message.kind < b->message.kind;
    if (a->stage != b->stage)
        return a->stage < b->stage;
    return a->answer.mark < b->answer.mark;
}

static bool
find_stream(const struct service_world *world, struct next *next)
{
    const struct service_stream *first = NULL;

    for (unsigned i = 0; i < world->config->world.clients * SERVICE_STREAMS;
         i++) {
        const struct service_stream *stream = stream_at(world, i);

        if (!is_stream_urgent(world, i) ||
            (first != NULL && !goes_before(stream, first)))
            continue;
        first = stream;
        next->act = may_hear(world, i)     ? SERVICE_HEAR
                    : may_arrive(world, i) ? SERVICE_ARRIVE
                                           : SERVICE_END;
        next->who = i;
    }
    return first != NULL;
}

/* Is it what comes next, or a fault of that, or one that comes at any time? */
static bool
is_prompt(const struct service_world *world, enum service_act act, unsigned who)
{
    struct next next;

    if (!find_call(world, &next) && !find_stream(world, &next))
        return true;
    if (acts[act].of == acts[next.act].of)
        return who == next.who && (acts[act].fault || act == next.act);
    return acts[act].fault && acts[act].of != OF_STREAM &&
           acts[act].of != OF_CALL;
}

bool
service_allowed(const struct service_world *world, enum service_act act,
                unsigned who)
{
    return who < service_count(world->config, act) &&
           (world->config->spares >> act & 1) == 0 &&
           acts[act].may(world, who) &&
           (!world->config->prompt || is_prompt(world, act, who));
}

static int
compare_calls(const void *a, const void *b)
{
    const struct service_call *left = a;
    const struct service_call *right = b;

    return (left->number < right->number) - (left->number > right->number);
}

/* Which call was asked first is said by their numbers, not by their places. */
static void
order_calls(struct service_world *world)
{
    for (unsigned i = 0; i < world->config->nodes; i++)
        qsort(world->nodes[i].calls, SERVICE_CALLS,
              sizeof(world->nodes[i].calls[0]), compare_calls);
}

/* Forget a late write that can no longer apply. */
static void
forget(struct service_world *world)
{
    struct service_call *orphan = &world->orphan;

    if (orphan->asked != SERVICE_QUIET &&
        !service_store_may_apply(&world->store, orphan))
        *orphan = (struct service_call){0};
}

void
service_apply(struct service_world *world, enum service_act act, unsigned who)
{
    uint64_t holders[SERVICE_LOCKS];

    world->violated = NULL;
    for (unsigned i = 0; world->config->looks && i < world->config->locks; i++)
        holders[i] = service_looks_holder(world, i);
    acts[act].does(world, who);
    for (unsigned i = 0; world->config->looks && i < world->config->locks; i++)
        if (service_looks_holder(world, i) != holders[i])
            service_looks_changed(world, i);
    forget(world);
    order_calls(world);
    service_promise_state(world);
}
