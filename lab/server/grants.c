#include "lab/server/grants.h"

#include <string.h>

#include "base/check.h"
#include "core/lockspace/claims.h"
#include "core/lockspace/owners.h"
#include "lab/check.h"
#include "lab/server/grants_promise.h"

#define LANE 1
#define TERM 1

#define X    (HF_EXCLUSIVE + 1)
#define S    (HF_SHARED + 1)

/* The limit of a batch: there is none. */
static const struct hf_budget all = {1000, 1000000};

/* Those that are exclusive come first. */
static const struct grants_modes sets[GRANTS_SETS] = {
    {{X, 0, 0}}, {{0, X, 0}}, {{X, X, 0}}, {{0, 0, X}},
    {{X, 0, X}}, {{0, X, X}}, {{X, X, X}}, {{S, 0, 0}},
    {{0, S, 0}}, {{S, S, 0}}, {{X, S, 0}}, {{S, X, 0}},
};

/* ---- What the machine is ------------------------------------------------- */

static void
set_limit(uint32_t *to, unsigned limit)
{
    if (limit != 0)
        *to = limit;
}

struct snapshot_config
grants_snapshot(const struct grants_config *config)
{
    struct snapshot_config snapshot = {
        .lockspace = snapshot_lockspace(GRANTS_BLOCKING, GRANTS_RESUME_GRACE,
                                        config->takeover ? 1 : 0),
        .clients = config->world.clients,
        .if_dead = config->clears ? HF_REFUSE : HF_TAKEOVER,
        .ttl = {GRANTS_TTL},
    };
    struct hf_lockspace_limits *limits = &snapshot.lockspace.limits;

    set_limit(&limits->waiters, config->limits.waiters);
    set_limit(&limits->session_grants, config->limits.session_grants);
    set_limit(&limits->request_names, config->limits.request_names);
    set_limit(&limits->space_waiters, config->limits.space_waiters);
    set_limit(&limits->space_grants, config->limits.space_grants);
    set_limit(&limits->search, config->limits.search);
    return snapshot;
}

struct grants_modes
grants_set(unsigned set)
{
    return sets[set];
}

unsigned
grants_set_of(unsigned act)
{
    static const unsigned firsts[] = {GRANTS_BACK_2, GRANTS_BACK_1, GRANTS_FREE,
                                      GRANTS_TRY, GRANTS_WANT};
    unsigned i = 0;

    HF_CHECK(act < GRANTS_AGAIN);
    while (act < firsts[i])
        i++;
    return act - firsts[i];
}

/* ---- Events -------------------------------------------------------------- */

/* A message ends the suspicion of its session [S5]. */
static struct hf_lockspace_event
message_of(struct grants_world *world, unsigned who, enum hf_message_kind kind)
{
    if (kind != HF_MESSAGE_CLEAR)
        world->oracle.lanes[who].suspected = false;
    return (struct hf_lockspace_event){
        .kind = HF_SPACE_MESSAGE,
        .at = world->now,
        .message = {.kind = kind,
                    .stream = ++world->streams,
                    .session = who + 1,
                    .term = TERM,
                    .lane = LANE},
    };
}

static void
give(struct grants_world *world, const struct hf_lockspace_event *event,
     struct grants_heard *heard)
{
    struct hf_lockspace *ls = grants_machine(world);

    hf_lockspace_step(ls, event);
    heard->circle_len = hf_lockspace_cycle_len(ls);
    HF_CHECK(heard->circle_len <= SNAPSHOT_CLIENTS);
    for (unsigned i = 0; i < heard->circle_len; i++)
        heard->circle[i] =
            (uint8_t)(hf_lockspace_cycle_lane(ls, i).session - 1);
    heard->count = 0;
    while (hf_lockspace_next(ls, &heard->answers[heard->count]))
        HF_CHECK(++heard->count < GRANTS_HEARD_MAX);
}

/* It is told no circle, and may be excused for it. */
static bool
misses(const struct grants_world *world, const struct grants_heard *heard)
{
    for (unsigned i = 0; i < heard->count; i++)
        if (heard->answers[i].kind == HF_ANSWER_OVER &&
            heard->answers[i].over == HF_OVER_DEADLOCK)
            return false;
    return world->config->limits.search != 0;
}

static void
ask(struct grants_world *world, unsigned who, struct grants_ask asked,
    enum hf_wait_kind wait)
{
    struct hf_lockspace_event event =
        message_of(world, who, HF_MESSAGE_ACQUIRE);
    struct hf_want wants[SNAPSHOT_NAMES];
    struct grants_heard heard;
    size_t count = 0;

    for (unsigned i = 0; i < SNAPSHOT_NAMES; i++)
        if (asked.wants.of[i] != 0)
            wants[count++] =
                snapshot_want(i, (enum hf_mode)(asked.wants.of[i] - 1));
    asked.stream = world->streams;
    asked.tries = wait == HF_WAIT_TRY;
    event.message.n = asked.n;
    event.message.a = asked.a;
    event.message.acquire.wants = wants;
    event.message.acquire.wants_count = count;
    event.message.acquire.free = asked.free;
    event.message.acquire.wait = wait; /* LIMITED: nothing remains */
    event.message.acquire.waited.ms = asked.waited;
    give(world, &event, &heard);
    world->oracle.misses = misses(world, &heard);
    grants_oracle_ask(&world->oracle, who, &asked);
    grants_promise_answers(world, &heard);
}

static void
release(struct grants_world *world, unsigned who, uint8_t n)
{
    struct hf_lockspace_event event =
        message_of(world, who, HF_MESSAGE_RELEASE);
    struct grants_heard heard;

    event.message.n = n;
    give(world, &event, &heard);
    grants_oracle_release(&world->oracle, who, n, world->streams);
    grants_promise_answers(world, &heard);
}

static void
lower(struct grants_world *world, unsigned who, uint8_t n, unsigned name)
{
    struct hf_lockspace_event event = message_of(world, who, HF_MESSAGE_CHANGE);
    struct grants_heard heard;

    event.message.n = n;
    event.message.change = snapshot_want(name, HF_SHARED);
    give(world, &event, &heard);
    grants_oracle_lower(&world->oracle, who, n, name, world->streams);
    grants_promise_answers(world, &heard);
}

static void
keep_alive(struct grants_world *world, unsigned who)
{
    struct hf_lockspace_event event =
        message_of(world, who, HF_MESSAGE_KEEP_ALIVE);
    struct grants_heard heard;

    give(world, &event, &heard);
}

/* The first of its names says which lock is meant.  A client that was suspected
 * comes back before its session, which holds nothing now, is over. */
static void
clear(struct grants_world *world, unsigned who,
      const struct grants_grant *grant, bool at_once)
{
    struct hf_lockspace_event event = message_of(world, who, HF_MESSAGE_CLEAR);
    struct grants_heard heard;
    unsigned name = 0;

    while (grant->modes.of[name] == 0)
        name++;
    event.message.session = 0;
    event.message.clear.lock = snapshot_want(name, HF_EXCLUSIVE);
    event.message.clear.fence = grant->fence;
    event.message.clear.at_once = at_once;
    give(world, &event, &heard);
    grants_oracle_clear(&world->oracle, grant->fence, at_once, world->streams);
    grants_promise_answers(world, &heard);
    if (!grants_oracle_holds(&world->oracle.lanes[who]))
        keep_alive(world, who);
}

static void
tell_time(struct grants_world *world, struct grants_heard *heard)
{
    struct hf_lockspace_event event = {
        .kind = HF_SPACE_CLOCK, .at = world->now, .read_until = world->now};

    give(world, &event, heard);
}

static struct hf_lockspace_event
event_of_stream(const struct grants_world *world, unsigned who,
                enum hf_lockspace_event_kind kind, uint64_t stream)
{
    return (struct hf_lockspace_event){
        .kind = kind,
        .at = world->now,
        .request = {.stream = stream, .session = who + 1, .lane = LANE},
    };
}

static void
hang_up(struct grants_world *world, unsigned who)
{
    struct hf_lockspace_event event = event_of_stream(
        world, who, HF_SPACE_STREAM_ENDED, world->oracle.lanes[who].stream);
    struct grants_heard heard;

    give(world, &event, &heard);
    grants_oracle_hang_up(&world->oracle, who);
    grants_promise_answers(world, &heard);
}

/* ---- What follows of itself ---------------------------------------------- */

/* All at once: what came before it is in it. */
static void
batch(struct grants_world *world)
{
    struct hf_lockspace *ls = grants_machine(world);
    struct hf_lockspace_event event = {.kind = HF_SPACE_BATCH,
                                       .at = world->now};
    struct hf_change change;
    struct hf_batch done;
    struct hf_answer answer;

    if (!hf_lockspace_pending(ls) && ls->untold.first == 0)
        return;
    hf_lockspace_begin(ls, all);
    while (hf_lockspace_take(ls, &change)) {
        /* whatever it is */
    }
    hf_lockspace_fix(ls, &done);
    event.batch.number = done.number;
    event.batch.verdict = HF_APPLIED;
    hf_lockspace_step(ls, &event);
    if (hf_lockspace_next(ls, &answer) && world->violated == NULL)
        world->violated = SERVER_ANSWER;
}

/* Of the grant that is told. */
static uint64_t
fence_of(struct grants_world *world, const struct grants_said *said)
{
    struct hf_lockspace *ls = grants_machine(world);
    uint32_t lane =
        hf_owners_lane(ls, hf_owners_session(ls, said->lane + 1u), LANE);

    return hf_claim_at(ls, hf_owners_held(ls, lane, said->n))->fence;
}

/* A grant was answered on that stream, and with it the stream is at its end. */
static void
hand_over(struct grants_world *world, const struct grants_said *said)
{
    struct hf_lockspace_event event =
        event_of_stream(world, said->lane, HF_SPACE_HANDED, said->stream);

    event.request.n = said->n;
    event.request.fence = fence_of(world, said);
    hf_lockspace_step(grants_machine(world), &event);
    event.kind = HF_SPACE_STREAM_ENDED;
    hf_lockspace_step(grants_machine(world), &event);
}

static void
hand_over_all(struct grants_world *world)
{
    for (unsigned i = 0; i < world->oracle.said_count; i++)
        if (world->oracle.said[i].kind == HF_ANSWER_GRANTED)
            hand_over(world, &world->oracle.said[i]);
}

/* A grant is written first, and then told. */
static void
settle(struct grants_world *world)
{
    batch(world);
    hand_over_all(world);
}

/* A message that comes after its request is over changes nothing. */
static void
ask_for_what_is_over(struct grants_world *world, unsigned who, uint8_t n)
{
    const struct grants_lane *lane = &world->oracle.lanes[who];

    ask(world, who,
        (struct grants_ask){
            .n = n, .a = (uint8_t)(lane->a + 1), .wants = sets[0]},
        HF_WAIT_FOREVER);
}

/* What a step has ended. */
static void
look_at_what_is_over(struct grants_world *world,
                     const struct grants_lane before[SNAPSHOT_CLIENTS])
{
    for (unsigned i = 0; i < world->config->world.clients; i++) {
        const struct grants_lane *lane = &world->oracle.lanes[i];

        if (lane->state == HF_LANE_OVER &&
            (before[i].state != HF_LANE_OVER || before[i].n != lane->n))
            ask_for_what_is_over(world, i, lane->n);
        for (unsigned k = 0; k < grants_oracle_count(&before[i]); k++) {
            uint8_t n = before[i].grants[k].n;

            if (n != lane->n && grants_oracle_grant(lane, n) == NULL)
                ask_for_what_is_over(world, i, n);
        }
    }
}

/* ---- Steps --------------------------------------------------------------- */

/* A request that is new; or that was left, once more. */
static void
ask_for(struct grants_world *world, unsigned who, struct grants_ask asked,
        enum hf_wait_kind wait)
{
    const struct grants_lane *lane = &world->oracle.lanes[who];
    bool is_left = lane->state == HF_LANE_LEFT;

    asked.n = (uint8_t)(is_left ? lane->n : lane->n + 1);
    asked.a = (uint8_t)(is_left ? lane->a + 1 : 1);
    ask(world, who, asked, wait);
}

/* What a grant has by now, asked for again. */
static struct grants_ask
ask_of_grant(const struct grants_lane *lane, const struct grants_grant *grant)
{
    return (struct grants_ask){
        .n = grant->n,
        .a = (uint8_t)(lane->a + 1),
        .wants = grant->modes,
    };
}

/* The next attempt of a request that waits, or is granted. */
static struct grants_ask
next_attempt(const struct grants_lane *lane)
{
    if (lane->state == HF_LANE_GRANTED)
        return ask_of_grant(lane, grants_oracle_grant(lane, lane->n));
    return (struct grants_ask){
        .n = lane->n,
        .a = (uint8_t)(lane->a + 1),
        .free = lane->free,
        .wants = lane->wants,
    };
}

/* By the number of a request, and for something else. */
static void
mistake(struct grants_world *world, unsigned who, struct grants_ask asked)
{
    asked.wants.of[0] = asked.wants.of[0] == X ? 0 : X;
    asked.free = !asked.free && asked.wants.of[0] == X;
    asked.a = (uint8_t)(world->oracle.lanes[who].a + 1);
    ask(world, who, asked, HF_WAIT_FOREVER);
}

/* Its last request by the next attempt, and those before it that are held. */
static void
again(struct grants_world *world, unsigned who)
{
    const struct grants_lane *lane = &world->oracle.lanes[who];

    if (grants_oracle_waits(lane) || lane->state == HF_LANE_GRANTED) {
        mistake(world, who, next_attempt(lane));
        ask(world, who, next_attempt(lane), HF_WAIT_FOREVER);
    }
    settle(world);
    for (unsigned i = 0; i < grants_oracle_count(lane); i++) {
        const struct grants_grant *grant = &lane->grants[i];

        if (grant->n == lane->n)
            continue;
        mistake(world, who, ask_of_grant(lane, grant));
        ask(world, who, ask_of_grant(lane, grant), HF_WAIT_FOREVER);
    }
}

/* Its stream's time is over: a new attempt came as long ago. */
static void
park(struct grants_world *world, unsigned who)
{
    struct hf_lockspace *ls = grants_machine(world);
    uint32_t lane = hf_owners_lane(ls, hf_owners_session(ls, who + 1), LANE);
    struct hf_instant came =
        hf_after(world->now, (struct hf_duration){-ls->config.blocking.ms});
    struct grants_heard heard;

    ask(world, who, next_attempt(&world->oracle.lanes[who]), HF_WAIT_FOREVER);
    hf_claims_set_timeout(ls, hf_lane_at(ls, lane)->current, came);
    tell_time(world, &heard);
    grants_oracle_park(&world->oracle, who);
    grants_promise_answers(world, &heard);
}

/* Its wait has ended: a new attempt says that no time is left. */
static void
run_out(struct grants_world *world, unsigned who)
{
    struct grants_heard heard;

    ask(world, who, next_attempt(&world->oracle.lanes[who]), HF_WAIT_LIMITED);
    tell_time(world, &heard);
    grants_oracle_run_out(&world->oracle, who);
    grants_promise_answers(world, &heard);
}

static void
pass(struct grants_world *world)
{
    struct grants_heard heard;

    world->now.ms += GRANTS_RESUME_GRACE;
    tell_time(world, &heard);
    world->oracle.misses = misses(world, &heard);
    grants_oracle_pass(&world->oracle);
    grants_promise_answers(world, &heard);
}

/* All but one are heard at the end of its ttl. */
static void
fall_silent(struct grants_world *world, unsigned who)
{
    struct grants_heard heard;

    world->now.ms += GRANTS_TTL;
    for (unsigned i = 0; i < world->config->world.clients; i++)
        if (i != who && !world->oracle.lanes[i].suspected)
            keep_alive(world, i);
    tell_time(world, &heard);
    grants_oracle_silent(&world->oracle, who);
    grants_promise_answers(world, &heard);
}

/* The grant by which a lane has that name exclusively, or else its last. */
static uint8_t
grant_with(const struct grants_lane *lane, unsigned name)
{
    uint8_t n = 0;

    for (unsigned i = 0; i < grants_oracle_count(lane); i++) {
        if (lane->grants[i].modes.of[name] == X)
            return lane->grants[i].n;
        if (lane->grants[i].modes.of[name] != 0)
            n = lane->grants[i].n;
    }
    return n;
}

static void
apply_to_grant(struct grants_world *world, unsigned act, unsigned who)
{
    const struct grants_lane *lane = &world->oracle.lanes[who];

    if (act >= GRANTS_CLEAR_IF)
        clear(world, who, &lane->grants[act - GRANTS_CLEAR_IF], false);
    else if (act >= GRANTS_CLEAR)
        clear(world, who, &lane->grants[act - GRANTS_CLEAR], true);
    else if (act >= GRANTS_LOWER)
        lower(world, who, grant_with(lane, act - GRANTS_LOWER),
              act - GRANTS_LOWER);
    else
        release(world, who, lane->grants[act - GRANTS_RELEASE].n);
}

static bool
is_free(unsigned act)
{
    return act >= GRANTS_FREE && act < GRANTS_BACK_1;
}

static bool
is_try(unsigned act)
{
    return act >= GRANTS_TRY && act < GRANTS_FREE;
}

static void
apply_ask(struct grants_world *world, unsigned act, unsigned who)
{
    struct grants_ask asked = {
        .waited = act >= GRANTS_BACK_2   ? 2
                  : act >= GRANTS_BACK_1 ? 1
                                         : 0,
        .free = is_free(act),
        .wants = sets[grants_set_of(act)],
    };

    ask_for(world, who, asked, is_try(act) ? HF_WAIT_TRY : HF_WAIT_FOREVER);
}

static void
apply(struct grants_world *world, unsigned act, unsigned who)
{
    const struct grants_lane *lane = &world->oracle.lanes[who];

    switch (act) {
    case GRANTS_AGAIN:
        again(world, who);
        break;
    case GRANTS_AGAIN_TRY:
        ask(world, who, next_attempt(lane), HF_WAIT_TRY);
        break;
    case GRANTS_GIVE_UP:
        release(world, who, lane->n);
        break;
    case GRANTS_PARK:
        park(world, who);
        break;
    case GRANTS_RUN_OUT:
        run_out(world, who);
        break;
    case GRANTS_HANG_UP:
        hang_up(world, who);
        break;
    case GRANTS_SILENT:
        fall_silent(world, who);
        break;
    case GRANTS_PASS:
        pass(world);
        break;
    default:
        if (act < GRANTS_AGAIN)
            apply_ask(world, act, who);
        else
            apply_to_grant(world, act, who);
    }
}

static void
look(struct grants_world *world)
{
    if (world->violated != NULL)
        return;
    snapshot_take(grants_machine(world), &world->snapshot_config, world->now,
                  &world->snapshot);
    grants_promise_state(world);
    if (world->violated == NULL)
        hf_lockspace_check(grants_machine(world));
}

void
grants_apply(struct grants_world *world, unsigned act, unsigned who)
{
    struct grants_lane before[SNAPSHOT_CLIENTS];

    memcpy(before, world->oracle.lanes, sizeof(before));
    world->violated = NULL;
    apply(world, act, who);
    settle(world);
    if (world->violated == NULL)
        look_at_what_is_over(world, before);
    look(world);
}

/* ---- What is possible ---------------------------------------------------- */

static bool
is_set_of(const struct grants_config *config, unsigned set)
{
    for (unsigned i = config->names; i < SNAPSHOT_NAMES; i++)
        if (sets[set].of[i] != 0)
            return false;
    return set < GRANTS_SETS_EXCLUSIVE || config->shared;
}

static bool
ask_allowed(const struct grants_world *world, unsigned act, unsigned who)
{
    const struct grants_config *config = world->config;
    const struct grants_lane *lane = &world->oracle.lanes[who];

    if ((act >= GRANTS_BACK_1 && !config->takeover) ||
        (is_free(act) && !config->frees) || (is_try(act) && !config->tries))
        return false;
    return is_set_of(config, grants_set_of(act)) &&
           !grants_oracle_waits(lane) &&
           (config->grants == 0 || grants_oracle_count(lane) < config->grants);
}

static unsigned
count_parked(const struct grants_oracle *oracle)
{
    unsigned count = 0;

    for (unsigned i = 0; i < oracle->clients; i++)
        count += oracle->lanes[i].state == HF_LANE_PARKED;
    return count;
}

static bool
pass_allowed(const struct grants_world *world)
{
    const struct grants_oracle *oracle = &world->oracle;

    for (unsigned i = 0; i < oracle->clients; i++)
        if (grants_oracle_waits(&oracle->lanes[i]) && !oracle->lanes[i].placed)
            return true;
    return oracle->gathers > 0 || count_parked(oracle) > 0;
}

static bool
request_allowed(const struct grants_world *world, unsigned act, unsigned who)
{
    const struct grants_lane *lane = &world->oracle.lanes[who];
    bool waits = grants_oracle_waits(lane);

    switch (act) {
    case GRANTS_AGAIN:
        return waits || grants_oracle_count(lane) > 0;
    case GRANTS_AGAIN_TRY:
        return waits && world->config->tries;
    case GRANTS_GIVE_UP:
        return waits || lane->state == HF_LANE_LEFT;
    case GRANTS_PARK:
        return lane->state == HF_LANE_WAITING && lane->placed &&
               count_parked(&world->oracle) < world->config->parks;
    case GRANTS_RUN_OUT:
        return lane->state == HF_LANE_WAITING && lane->placed &&
               world->config->runs_out;
    default:
        return lane->state == HF_LANE_WAITING && world->config->parks > 0;
    }
}

static bool
grant_allowed(const struct grants_world *world, unsigned act, unsigned who)
{
    const struct grants_lane *lane = &world->oracle.lanes[who];
    unsigned count = grants_oracle_count(lane);

    if (act >= GRANTS_CLEAR) {
        unsigned grant = (act - GRANTS_CLEAR) % SNAPSHOT_CLAIMS;

        return world->config->clears && grant < count &&
               !lane->grants[grant].revoked;
    }
    if (act >= GRANTS_LOWER)
        return world->config->shared &&
               grant_with(lane, act - GRANTS_LOWER) != 0;
    return act - GRANTS_RELEASE < count;
}

static bool
silence_allowed(const struct grants_world *world, unsigned who)
{
    const struct grants_oracle *oracle = &world->oracle;

    for (unsigned i = 0; i < oracle->clients; i++)
        if (grants_oracle_waits(&oracle->lanes[i]))
            return false;
    return world->config->clears && !oracle->lanes[who].suspected &&
           grants_oracle_holds(&oracle->lanes[who]);
}

bool
grants_allowed(const struct grants_world *world, unsigned act, unsigned who)
{
    if (act == GRANTS_PASS)
        return who == 0 && pass_allowed(world);
    if (who >= world->config->world.clients)
        return false;
    if (act == GRANTS_SILENT)
        return silence_allowed(world, who);
    if (act < GRANTS_AGAIN)
        return ask_allowed(world, act, who);
    return act < GRANTS_RELEASE ? request_allowed(world, act, who)
                                : grant_allowed(world, act, who);
}

/* ---- The beginning ------------------------------------------------------- */

void
grants_start(struct grants_world *world, const struct grants_config *config)
{
    struct snapshot snapshot = {
        .next_fence = 1,
        .gathers = config->takeover ? 1 : 0,
    };

    *world = (struct grants_world){
        .config = config,
        .snapshot_config = grants_snapshot(config),
        .now = SNAPSHOT_NOW,
        .oracle = {.clients = (uint8_t)config->world.clients,
                   .gathers = snapshot.gathers,
                   .limits = config->limits},
    };
    for (unsigned i = 0; i < config->world.clients; i++)
        snapshot.clients[i].session = HF_SESSION_LIVE;
    snapshot_build(&snapshot, &world->snapshot_config, &world->block);
    look(world);
}
