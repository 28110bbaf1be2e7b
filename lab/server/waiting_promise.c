#include "lab/server/waiting_promise.h"

#include <string.h>

#include "core/lockspace/owners.h"

/* A client stops to believe this many ticks before its server may [S1]. */
#define MARGIN 1U

static void
breaks(struct waiting_world *world, const char *promise)
{
    if (world->violated == NULL)
        world->violated = promise;
}

/* ---- What the machine says ----------------------------------------------- */

static const struct hf_ls_lane *
lane_of(struct waiting_world *world, unsigned who)
{
    struct hf_lockspace *ls = waiting_machine(world);
    uint32_t session = hf_owners_session(ls, who + 1);
    uint32_t lane = session == 0 ? 0 : hf_owners_lane(ls, session, 1);

    return lane == 0 ? NULL : hf_lane_at(ls, lane);
}

/* What a client holds; NULL: nothing. */
static const struct hf_ls_claim *
grant_of(struct waiting_world *world, unsigned who)
{
    const struct hf_ls_lane *lane = lane_of(world, who);

    if (lane == NULL || lane->held.first == 0)
        return NULL;
    return hf_claim_at(waiting_machine(world), lane->held.first);
}

static uint8_t
fence_of(struct waiting_world *world, unsigned who)
{
    const struct hf_ls_claim *grant = grant_of(world, who);

    return grant == NULL ? 0 : (uint8_t)grant->fence;
}

static bool
waits(struct waiting_world *world, unsigned who)
{
    const struct hf_ls_lane *lane = lane_of(world, who);

    return lane != NULL &&
           (lane->state == HF_LANE_WAITING || lane->state == HF_LANE_PARKED);
}

/* Has it waited for as long as it was to, and was not told to ask again? */
static bool
is_over(struct waiting_world *world, unsigned who)
{
    const struct hf_ls_lane *lane = lane_of(world, who);

    return lane != NULL && waits(world, who) &&
           world->clients[who].parked != PARKED_ANSWERED &&
           hf_reached(
               world->now,
               hf_claim_at(waiting_machine(world), lane->current)->wait_end);
}

static bool
has_session(struct waiting_world *world, unsigned who)
{
    return hf_owners_session(waiting_machine(world), who + 1) != 0;
}

static bool
conflict(const struct waiting_world *world, unsigned a, unsigned b)
{
    return world->config->modes[a] != HF_SHARED ||
           world->config->modes[b] != HF_SHARED;
}

/* ---- Before -------------------------------------------------------------- */

static void
leaves_line(struct waiting_client *client)
{
    client->turn = 0;
    client->parked = 0;
    client->told = 0;
}

static uint8_t
highest_fence(struct waiting_world *world)
{
    uint8_t highest = 0;

    for (unsigned i = 0; i < world->config->world.clients; i++) {
        const struct waiting_client *client = &world->clients[i];
        uint8_t fences[WAITING_STREAMS + 2] = {fence_of(world, i),
                                               client->fence};

        for (unsigned k = 0; k < WAITING_STREAMS; k++)
            fences[k + 2] = client->streams[k].fence;
        for (unsigned k = 0; k < WAITING_STREAMS + 2; k++)
            highest = fences[k] > highest ? fences[k] : highest;
    }
    return highest;
}

/* Is that the attempt which is listened to from here on [R3]? */
static bool
is_taken(const struct waiting_client *client, uint64_t a, uint8_t held)
{
    if (a != client->newest)
        return a > client->newest;
    return client->turn == 0 && (held == 0 || client->listener == 0);
}

static void
before_message(struct waiting_world *world, const struct hf_message *message,
               struct waiting_before *before)
{
    struct waiting_client *client = &world->clients[before->who];

    before->heard = lane_of(world, before->who) != NULL;
    if (!client->ended)
        client->silent = 0;
    if (message->n != client->n)
        return;
    if (message->kind == HF_MESSAGE_RELEASE) {
        leaves_line(client);
        client->listener = 0;
        before->excused[before->who] = true;
    } else if (is_taken(client, message->a, before->held[before->who])) {
        client->newest = (uint8_t)message->a;
        client->listener =
            (uint8_t)((message->stream - 1) % WAITING_STREAMS + 1);
        client->parked = 0;
        client->told = 0;
    }
}

static void
before_end(struct waiting_world *world, const struct hf_lockspace_event *event,
           struct waiting_before *before)
{
    struct waiting_client *client = &world->clients[before->who];

    if ((event->request.stream - 1) % WAITING_STREAMS + 1 != client->listener)
        return;
    client->listener = 0;
    if (client->turn != 0 ? client->parked
                          : before->held[before->who] == 0 || client->handed)
        return;
    if (event->request.cut) {
        client->parked = client->turn != 0 ? PARKED_CUT : PARKED_NOT;
        client->told = 1;
        /* Where few may wait there may be no room for it. */
        before->excused[before->who] = world->config->waiters != 0;
        return;
    }
    before->ended = true;
    before->excused[before->who] = true;
    leaves_line(client);
}

/* A grant that nobody was told of, and that was not asked for again. */
static bool
was_kept(const struct waiting_world *world, unsigned who)
{
    const struct waiting_client *client = &world->clients[who];

    return client->turn == 0 && client->told > world->config->resume_grace;
}

/* A session that was silent for its ttl may be ended: one in a step is
 * enough. */
static void
before_clock(struct waiting_world *world, struct waiting_before *before)
{
    const struct waiting_config *config = world->config;

    for (unsigned i = 0; i < config->world.clients; i++) {
        const struct waiting_client *client = &world->clients[i];

        before->excused[i] =
            client->silent >= config->ttl &&
            (config->if_dead != HF_REFUSE || before->held[i] == 0);
        before->excused[i] |= was_kept(world, i);
        before->over[i] = is_over(world, i);
    }
    snapshot_take(waiting_machine(world), &world->snapshot, world->now,
                  &before->snapshot);
}

void
waiting_promise_before(struct waiting_world *world,
                       const struct hf_lockspace_event *event,
                       struct waiting_before *before)
{
    *before = (struct waiting_before){.highest = highest_fence(world)};
    for (unsigned i = 0; i < world->config->world.clients; i++)
        before->held[i] = fence_of(world, i);
    if (event->kind == HF_SPACE_MESSAGE) {
        before->who = (unsigned)event->message.session - 1;
        before_message(world, &event->message, before);
    } else if (event->kind == HF_SPACE_STREAM_ENDED) {
        before->who = (unsigned)event->request.session - 1;
        before_end(world, event, before);
    } else if (event->kind == HF_SPACE_CLOCK) {
        before_clock(world, before);
    }
}

/* ---- Answers ------------------------------------------------------------- */

/* Does anybody hold it, or wait for it, in a way that conflicts?  A place that
 * is parked may be lost [W4]. */
static bool
is_in_the_way(struct waiting_world *world, unsigned who)
{
    for (unsigned i = 0; i < world->config->world.clients; i++)
        if (i != who && conflict(world, i, who) &&
            (fence_of(world, i) != 0 ||
             (world->clients[i].turn != 0 && !world->clients[i].parked)))
            return true;
    return false;
}

static void
check_over(struct waiting_world *world, unsigned who, enum hf_over over)
{
    const struct waiting_config *config = world->config;

    if (over == HF_OVER_DEADLOCK)
        breaks(world, SERVER_DEADLOCK);
    if (over == HF_OVER_HELD && !is_in_the_way(world, who))
        breaks(world, SERVER_UNTRUE_NO);
    if (world->clients[who].phase == PHASE_ASKING &&
        !(over == HF_OVER_HELD && config->tries[who]) &&
        !(over == HF_OVER_LIMIT && config->waiters != 0))
        breaks(world, SERVER_PLACE_LOST);
}

void
waiting_promise_answer(struct waiting_world *world,
                       const struct hf_answer *answer)
{
    unsigned at = (unsigned)answer->stream - 1;
    unsigned who = at / WAITING_STREAMS;
    struct waiting_client *client = &world->clients[who];
    const struct waiting_stream *stream =
        &client->streams[at % WAITING_STREAMS];

    if (answer->kind == HF_ANSWER_GONE && !client->ended &&
        client->silent < world->config->ttl)
        breaks(world, SERVER_SESSION);
    if (stream->releases || stream->n != client->n)
        return;
    if (answer->kind == HF_ANSWER_BLOCKING_TIMEOUT) {
        client->parked = PARKED_ANSWERED;
        client->listener = 0;
    } else if (answer->kind == HF_ANSWER_OVER) {
        if (!client->over)
            check_over(world, who, answer->over);
        client->over = true;
        leaves_line(client);
    }
}

/* ---- After --------------------------------------------------------------- */

static void
check_grant(struct waiting_world *world, unsigned who,
            const struct waiting_before *before)
{
    const struct waiting_client *client = &world->clients[who];

    if (fence_of(world, who) <= before->highest ||
        fence_of(world, who) >= waiting_machine(world)->next_fence)
        breaks(world, SERVER_FENCES);
    if (client->handed)
        breaks(world, SERVER_TWICE_GIVEN);
    for (unsigned i = 0; i < world->config->world.clients; i++) {
        uint8_t turn = world->clients[i].turn;

        if (i != who && turn != 0 && conflict(world, i, who) &&
            fence_of(world, i) == before->held[i] &&
            (client->turn == 0 || turn < client->turn))
            breaks(world, SERVER_OVERTAKEN);
    }
}

static void
take_turn(struct waiting_world *world, struct waiting_client *client)
{
    uint8_t last = 0;

    for (unsigned i = 0; i < world->config->world.clients; i++)
        last = world->clients[i].turn > last ? world->clients[i].turn : last;
    client->turn = (uint8_t)(last + 1);
}

static void
after_clock(struct waiting_world *world, const struct waiting_before *before)
{
    struct snapshot snapshot;

    for (unsigned i = 0; i < world->config->world.clients; i++) {
        struct waiting_client *client = &world->clients[i];

        client->ended |= before->excused[i] && !has_session(world, i);
        if (before->over[i] && client->parked == PARKED_ANSWERED &&
            waits(world, i))
            breaks(world, SERVER_NOT_FREED);
        if (client->ended || (before->over[i] && !waits(world, i)) ||
            (client->told > world->config->resume_grace && !waits(world, i) &&
             fence_of(world, i) == 0))
            leaves_line(client);
    }
    snapshot_take(waiting_machine(world), &world->snapshot, world->now,
                  &snapshot);
    if (hf_reached(world->now, hf_lockspace_deadline(waiting_machine(world))) &&
        memcmp(&snapshot, &before->snapshot, sizeof(snapshot)) == 0)
        breaks(world, SERVER_DUE_AGAIN);
}

/* It let all answers out that there were. */
static void
after_batch(struct waiting_world *world)
{
    for (unsigned i = 0; i < world->config->world.clients; i++)
        if (world->clients[i].parked != PARKED_NOT &&
            world->clients[i].told == 0)
            world->clients[i].told = 1;
}

/* More than one message of its client was heard.  Had an acquire opened it, the
 * news that nobody read the first answer would mean nothing [W5]. */
static void
check_known(struct waiting_world *world, unsigned who)
{
    struct hf_lockspace *ls = waiting_machine(world);
    uint32_t session = hf_owners_session(ls, who + 1);
    struct hf_answer answer;

    if (session == 0)
        return;
    hf_session_at(ls, session)->of_acquire = true;
    hf_lockspace_step(ls, &(struct hf_lockspace_event){
                              .kind = HF_SPACE_UNREAD,
                              .at = world->now,
                              .request = {.session = who + 1},
                          });
    while (hf_lockspace_next(ls, &answer)) {
        /* of what has ended */
    }
    hf_session_at(ls, session)->of_acquire = false;
    if (!has_session(world, who))
        breaks(world, SERVER_SESSION);
}

void
waiting_promise_after(struct waiting_world *world,
                      const struct hf_lockspace_event *event,
                      const struct waiting_before *before)
{
    if (before->heard)
        check_known(world, before->who);
    if (event->kind == HF_SPACE_CLOCK)
        after_clock(world, before);
    if (event->kind == HF_SPACE_BATCH)
        after_batch(world);
    for (unsigned i = 0; i < world->config->world.clients; i++) {
        uint8_t fence = fence_of(world, i);

        if (fence != 0 && fence != before->held[i])
            check_grant(world, i, before);
        if (before->held[i] != 0 && fence == 0 && !before->excused[i])
            breaks(world, SERVER_GRANT_LOST);
    }
    if (before->ended &&
        (fence_of(world, before->who) != 0 || waits(world, before->who)))
        breaks(world, SERVER_NOT_FREED);
    for (unsigned i = 0; i < world->config->world.clients; i++) {
        struct waiting_client *client = &world->clients[i];

        if (fence_of(world, i) != before->held[i])
            leaves_line(client);
        if (client->turn != 0 && !waits(world, i))
            breaks(world, SERVER_PLACE_LOST);
        if (client->turn == 0 && waits(world, i) &&
            event->kind == HF_SPACE_MESSAGE && before->who == i)
            take_turn(world, client);
    }
}

/* ---- Streams that nobody listens on -------------------------------------- */

bool
waiting_promise_is_answered(struct waiting_world *world, unsigned who,
                            uint64_t stream)
{
    const struct hf_ls_lane *lane = lane_of(world, who);

    return lane != NULL && lane->current != 0 &&
           hf_claim_at(waiting_machine(world), lane->current)->stream == stream;
}

void
waiting_promise_unheard(struct waiting_world *world, unsigned who,
                        uint64_t stream, uint64_t n)
{
    struct snapshot before;
    struct snapshot after;

    snapshot_take(waiting_machine(world), &world->snapshot, world->now,
                  &before);
    hf_lockspace_step(waiting_machine(world),
                      &(struct hf_lockspace_event){
                          .kind = HF_SPACE_STREAM_ENDED,
                          .at = world->now,
                          .request = {.stream = stream,
                                      .session = who + 1,
                                      .lane = 1,
                                      .n = n},
                      });
    snapshot_take(waiting_machine(world), &world->snapshot, world->now, &after);
    if (memcmp(&before, &after, sizeof(before)) != 0)
        breaks(world, SERVER_OTHER_END);
}

/* ---- Elsewhere ----------------------------------------------------------- */

void
waiting_promise_handed(struct waiting_world *world, unsigned who, uint8_t fence)
{
    if (fence != 0 && fence == fence_of(world, who))
        world->clients[who].handed = true;
}

void
waiting_promise_told(struct waiting_world *world, unsigned who)
{
    if (fence_of(world, who) != world->clients[who].fence)
        breaks(world, SERVER_NOT_THERE);
}

void
waiting_promise_gone(struct waiting_world *world, unsigned who)
{
    if (!world->clients[who].ended)
        breaks(world, SERVER_SESSION);
}

static void
check_dead(struct waiting_world *world, unsigned who)
{
    const struct waiting_config *config = world->config;
    const struct waiting_client *client = &world->clients[who];
    bool keeps = config->if_dead == HF_REFUSE && fence_of(world, who) != 0;

    if ((client->ended || client->silent >= config->ttl) && !keeps &&
        has_session(world, who))
        breaks(world, SERVER_DEAD_KEPT);
    if (client->told > config->resume_grace ||
        (client->parked == PARKED_CUT && is_over(world, who)))
        breaks(world, SERVER_NOT_FREED);
}

/* One in line has somebody before it, and one who listens is in line. */
static void
check_wait(struct waiting_world *world, unsigned who)
{
    const struct waiting_client *client = &world->clients[who];
    bool held_up = false;

    for (unsigned i = 0; i < world->config->world.clients; i++) {
        uint8_t turn = world->clients[i].turn;

        held_up |=
            i != who && conflict(world, i, who) &&
            (fence_of(world, i) != 0 || (turn != 0 && turn < client->turn));
    }
    if (client->turn != 0 && !client->parked && !held_up)
        breaks(world, SERVER_IN_VAIN);
    for (unsigned i = 0; i < WAITING_STREAMS; i++) {
        const struct waiting_stream *stream = &client->streams[i];

        if (stream->stage == STAGE_OPEN && stream->heard &&
            (client->turn == 0 || client->listener != i + 1 ||
             world->config->tries[who]))
            breaks(world, SERVER_IN_VAIN);
    }
}

void
waiting_promise_tick(struct waiting_world *world)
{
    for (unsigned i = 0; i < world->config->world.clients; i++) {
        check_dead(world, i);
        check_wait(world, i);
    }
}

static bool
believes(const struct waiting_world *world, unsigned who)
{
    const struct waiting_client *client = &world->clients[who];

    return client->phase == PHASE_HOLDING &&
           client->kept + MARGIN < world->config->ttl;
}

/* Does a client that lives want what it holds? */
static bool
is_wanted(struct waiting_world *world, unsigned who)
{
    const struct waiting_client *client = &world->clients[who];
    const struct hf_ls_claim *grant = grant_of(world, who);

    if (grant == NULL || client->phase == PHASE_DEAD ||
        client->phase == PHASE_GONE)
        return true;
    return client->phase != PHASE_IDLE && grant->n == client->n;
}

void
waiting_promise_state(struct waiting_world *world)
{
    for (unsigned i = 0; i < world->config->world.clients; i++) {
        if (!is_wanted(world, i))
            breaks(world, SERVER_GHOST);
        for (unsigned k = 0; k < i; k++)
            if (believes(world, i) && believes(world, k) &&
                conflict(world, i, k))
                breaks(world, SERVER_OVERLAP);
    }
}
