#include "lab/server/grants_promise.h"

static void
breaks(struct grants_world *world, const char *promise)
{
    if (world->violated == NULL)
        world->violated = promise;
}

/* ---- What a wrong answer means ------------------------------------------- */

static const struct grants_lane *
lane_of(const struct grants_world *world, unsigned who)
{
    return &world->oracle.lanes[who];
}

/* Does somebody without a place want one of its names, or has it waited
 * elsewhere itself? */
static bool
is_withheld(const struct grants_oracle *oracle, unsigned who)
{
    const struct grants_lane *lane = &oracle->lanes[who];

    return lane->state == HF_LANE_LEFT ||
           (grants_oracle_waits(lane) && !lane->placed);
}

/* Does somebody only wait until one of its names is free? */
static bool
is_looked_at(const struct grants_oracle *oracle, unsigned who)
{
    for (unsigned i = 0; i < oracle->clients; i++)
        if (i != who && grants_oracle_waits(&oracle->lanes[i]) &&
            oracle->lanes[i].free &&
            grants_oracle_conflict(&oracle->lanes[i].wants,
                                   &oracle->lanes[who].wants))
            return true;
    return false;
}

/* A grant that the oracle has not. */
static const char *
meaning_of_grant(const struct grants_oracle *oracle, unsigned who)
{
    const struct grants_lane *lane = &oracle->lanes[who];

    if (is_withheld(oracle, who))
        return SERVER_WITHHELD;
    if (lane->state == HF_LANE_PARKED)
        return SERVER_PARKED;
    if (lane->state == HF_LANE_WAITING)
        return SERVER_OVERTAKEN;
    if (lane->state == HF_LANE_GRANTED)
        return SERVER_TWICE_GIVEN;
    switch ((enum hf_over)lane->over) {
    case HF_OVER_HELD:
        return SERVER_UNSAID_NO;
    case HF_OVER_ALREADY_HELD:
        return SERVER_HELD_TWICE;
    case HF_OVER_DEADLOCK: /* it would have had to wait */
        return SERVER_OVERTAKEN;
    case HF_OVER_LIMIT:
        return SERVER_BEYOND;
    case HF_OVER_FREE:
        return SERVER_UNTOLD_FREE;
    case HF_OVER_NEVER_ASKED:
    case HF_OVER_RELEASED:
    case HF_OVER_INVALID:
    case HF_OVER_CLEARED:
    case HF_OVER_FORGOTTEN:
        break;
    }
    return SERVER_TWICE_GIVEN;
}

/* An end that the oracle has not, or for another reason. */
static const char *
meaning_of_over(const struct grants_lane *lane, enum hf_over over)
{
    if (lane->state == HF_LANE_OVER && lane->over == HF_OVER_LIMIT)
        return SERVER_BEYOND;
    switch (over) {
    case HF_OVER_HELD:
        return SERVER_UNTRUE_NO;
    case HF_OVER_ALREADY_HELD:
        return SERVER_NOT_HELD;
    case HF_OVER_DEADLOCK:
        return SERVER_DEADLOCK;
    case HF_OVER_LIMIT:
        return SERVER_LIMIT;
    case HF_OVER_FREE:
        return SERVER_NOT_FREE;
    case HF_OVER_NEVER_ASKED:
    case HF_OVER_RELEASED:
    case HF_OVER_INVALID:
    case HF_OVER_CLEARED:
    case HF_OVER_FORGOTTEN:
        break;
    }
    return SERVER_ANSWER;
}

/* An answer was given that is not due. */
static const char *
meaning_of_answer(const struct grants_oracle *oracle, unsigned who,
                  const struct hf_answer *answer)
{
    if (answer->kind == HF_ANSWER_GRANTED)
        return meaning_of_grant(oracle, who);
    if (answer->kind == HF_ANSWER_OVER)
        return meaning_of_over(&oracle->lanes[who], answer->over);
    if (answer->kind == HF_ANSWER_NOT_HELD)
        return SERVER_GRANT_LOST;
    if (answer->kind == HF_ANSWER_CLEARED)
        return SERVER_NOT_SPARED;
    return SERVER_ANSWER;
}

/* An answer is due, and was not given. */
static const char *
meaning_of_silence(const struct grants_said *said)
{
    if (said->kind == HF_ANSWER_GRANTED)
        return SERVER_IN_VAIN;
    if (said->kind != HF_ANSWER_OVER)
        return SERVER_ANSWER;
    switch ((enum hf_over)said->over) {
    case HF_OVER_HELD:
        return SERVER_UNSAID_NO;
    case HF_OVER_ALREADY_HELD:
        return SERVER_HELD_TWICE;
    case HF_OVER_DEADLOCK:
        return SERVER_UNTOLD;
    case HF_OVER_LIMIT:
        return SERVER_BEYOND;
    case HF_OVER_FREE:
        return SERVER_UNTOLD_FREE;
    case HF_OVER_NEVER_ASKED:
    case HF_OVER_RELEASED:
    case HF_OVER_INVALID:
    case HF_OVER_CLEARED:
    case HF_OVER_FORGOTTEN:
        break;
    }
    return SERVER_ANSWER;
}

/* ---- Answers ------------------------------------------------------------- */

/* The highest fence of all that is held. */
static uint8_t
highest_fence(const struct grants_oracle *oracle)
{
    uint8_t highest = 0;

    for (unsigned i = 0; i < oracle->clients; i++)
        for (unsigned k = 0; k < SNAPSHOT_CLAIMS; k++)
            if (oracle->lanes[i].grants[k].fence > highest)
                highest = oracle->lanes[i].grants[k].fence;
    return highest;
}

/* Its grant is known by this from here on. */
static void
learn_fence(struct grants_world *world, const struct grants_said *said,
            uint64_t fence)
{
    struct grants_lane *lane = &world->oracle.lanes[said->lane];

    if (fence <= highest_fence(&world->oracle))
        breaks(world, SERVER_FENCES);
    for (unsigned i = 0; i < SNAPSHOT_CLAIMS; i++)
        if (lane->grants[i].n == said->n)
            lane->grants[i].fence = (uint8_t)fence;
}

static bool
is_meant(const struct grants_said *said, const struct hf_answer *answer)
{
    return said->stream == answer->stream &&
           said->kind == (uint8_t)answer->kind &&
           (answer->kind != HF_ANSWER_OVER ||
            said->over == (uint8_t)answer->over);
}

/* Whom an answer on that stream is for. */
static unsigned
lane_of_stream(const struct grants_oracle *oracle, uint64_t stream)
{
    for (unsigned i = 0; i < oracle->said_count; i++)
        if (oracle->said[i].stream == stream)
            return oracle->said[i].lane;
    for (unsigned i = 0; i < oracle->clients; i++)
        if (oracle->lanes[i].stream == stream)
            return i;
    return oracle->clients;
}

/* The oracle's answer that this is; said_count: none. */
static unsigned
find(const struct grants_oracle *oracle, const struct hf_answer *answer,
     unsigned found)
{
    unsigned i = 0;

    while (i < oracle->said_count &&
           ((found >> i & 1) != 0 || !is_meant(&oracle->said[i], answer)))
        i++;
    return i;
}

static void
check_answer(struct grants_world *world, const struct hf_answer *answer,
             unsigned *found)
{
    struct grants_oracle *oracle = &world->oracle;
    unsigned at = find(oracle, answer, *found);
    unsigned who = lane_of_stream(oracle, answer->stream);

    if (at == oracle->said_count) {
        breaks(world, who == oracle->clients
                          ? SERVER_ANSWER
                          : meaning_of_answer(oracle, who, answer));
        return;
    }
    *found |= 1U << at;
    if (answer->kind != HF_ANSWER_GRANTED)
        return;
    if (oracle->said[at].fence == 0)
        learn_fence(world, &oracle->said[at], answer->fence);
    else if (oracle->said[at].fence != answer->fence)
        breaks(world, SERVER_TWICE_GIVEN);
}

/* An onlooker does not keep others from a grant. */
static void
check_kept_out(struct grants_world *world, const struct grants_heard *heard)
{
    const struct grants_oracle *oracle = &world->oracle;

    for (unsigned i = 0; i < oracle->said_count; i++) {
        const struct grants_said *said = &oracle->said[i];
        bool told = said->kind != HF_ANSWER_GRANTED;

        for (unsigned k = 0; k < heard->count; k++)
            told |= is_meant(said, &heard->answers[k]);
        if (!told && is_looked_at(oracle, said->lane))
            breaks(world, SERVER_KEPT_OUT);
    }
}

/* Was there an edge from each to the next, and from the last to the first? */
static void
check_circle(struct grants_world *world, const struct grants_heard *heard)
{
    const struct grants_oracle *oracle = &world->oracle;
    bool expected = false;

    for (unsigned i = 0; i < oracle->clients; i++)
        expected |= oracle->edges[i] != 0;
    if (expected != (heard->circle_len > 0))
        breaks(world, expected ? SERVER_UNTOLD : SERVER_DEADLOCK);
    for (unsigned i = 0; i < heard->circle_len; i++) {
        unsigned from = heard->circle[i];
        unsigned to = heard->circle[(i + 1) % heard->circle_len];

        if ((oracle->edges[from] >> to & 1) == 0)
            breaks(world, SERVER_CIRCLE);
    }
}

void
grants_promise_answers(struct grants_world *world,
                       const struct grants_heard *heard)
{
    const struct grants_oracle *oracle = &world->oracle;
    unsigned found = 0;

    check_kept_out(world, heard);
    for (unsigned i = 0; i < heard->count; i++)
        check_answer(world, &heard->answers[i], &found);
    for (unsigned i = 0; i < oracle->said_count; i++)
        if ((found >> i & 1) == 0)
            breaks(world, meaning_of_silence(&oracle->said[i]));
    check_circle(world, heard);
}

/* ---- What is so ---------------------------------------------------------- */

static struct grants_modes
modes_of(const struct snapshot_claim *claim)
{
    struct grants_modes modes;

    for (unsigned i = 0; i < SNAPSHOT_NAMES; i++)
        modes.of[i] = claim->modes[i];
    return modes;
}

static bool
same_modes(const struct snapshot_claim *claim, const struct grants_modes *modes)
{
    for (unsigned i = 0; i < SNAPSHOT_NAMES; i++)
        if (claim->modes[i] != modes->of[i])
            return false;
    return true;
}

/* Do any two of their grants conflict? */
static bool
overlap(const struct snapshot_client *a, const struct snapshot_client *b)
{
    for (unsigned i = 0; i < SNAPSHOT_CLAIMS * SNAPSHOT_CLAIMS; i++) {
        const struct snapshot_claim *one = &a->claims[i / SNAPSHOT_CLAIMS];
        const struct snapshot_claim *other = &b->claims[i % SNAPSHOT_CLAIMS];
        struct grants_modes modes = modes_of(one);
        struct grants_modes others = modes_of(other);

        if (one->state == SNAPSHOT_HELD && other->state == SNAPSHOT_HELD &&
            grants_oracle_conflict(&modes, &others))
            return true;
    }
    return false;
}

static void
check_grant(struct grants_world *world, const struct snapshot_claim *claim,
            const struct grants_lane *lane)
{
    const struct grants_grant *grant = grants_oracle_grant(lane, claim->n);

    if (grant == NULL)
        breaks(world, SERVER_GHOST);
    else if (!same_modes(claim, &grant->modes))
        breaks(world, SERVER_MODES);
    else if (claim->fence != grant->fence)
        breaks(world, SERVER_FENCES);
    else if ((claim->state == SNAPSHOT_REVOKED) != grant->revoked)
        breaks(world, SERVER_STATE);
}

static void
check_wait(struct grants_world *world, const struct snapshot_claim *claim,
           const struct grants_lane *lane)
{
    if (!grants_oracle_waits(lane) || claim->n != lane->n)
        breaks(world, SERVER_GHOST);
    else if (!same_modes(claim, &lane->wants))
        breaks(world, SERVER_MODES);
    else if ((claim->state == SNAPSHOT_GATHERED) == lane->placed)
        breaks(world, SERVER_STATE);
}

static void
check_claims(struct grants_world *world, const struct snapshot_client *client,
             const struct grants_lane *lane)
{
    unsigned held = 0;
    unsigned waits = 0;

    for (unsigned i = 0; i < SNAPSHOT_CLAIMS; i++) {
        const struct snapshot_claim *claim = &client->claims[i];

        if (claim->state >= SNAPSHOT_HELD) {
            check_grant(world, claim, lane);
            held++;
        } else if (claim->state != SNAPSHOT_NONE) {
            check_wait(world, claim, lane);
            waits++;
        }
    }
    if (held < grants_oracle_count(lane))
        breaks(world, SERVER_GRANT_LOST);
    if (waits < grants_oracle_waits(lane))
        breaks(world, SERVER_PLACE_LOST);
}

/* What the machine has that waits; NULL: nothing. */
static const struct snapshot_claim *
wait_of(const struct grants_world *world, unsigned who)
{
    const struct snapshot_claim *claims = world->snapshot.clients[who].claims;

    for (unsigned i = 0; i < SNAPSHOT_CLAIMS; i++)
        if (claims[i].state == SNAPSHOT_WAITING ||
            claims[i].state == SNAPSHOT_GATHERED)
            return &claims[i];
    return NULL;
}

/* Is it the same who of the two comes first, where that matters?  To two who
 * only look it does not. */
static void
check_order(struct grants_world *world, unsigned a, unsigned b)
{
    const struct grants_lane *one = lane_of(world, a);
    const struct grants_lane *other = lane_of(world, b);
    const struct snapshot_claim *claim = wait_of(world, a);
    const struct snapshot_claim *another = wait_of(world, b);
    bool before = one->order < other->order;

    if (claim == NULL || another == NULL || one->placed != other->placed)
        return;
    if (!one->placed && one->waited != other->waited)
        before = one->waited > other->waited;
    if (one->placed && ((one->free && other->free) ||
                        !grants_oracle_conflict(&one->wants, &other->wants)))
        return;
    if ((claim->place < another->place) != before)
        breaks(world, SERVER_ORDER);
}

static void
check_lane(struct grants_world *world, unsigned who)
{
    const struct snapshot_client *client = &world->snapshot.clients[who];
    const struct grants_lane *lane = lane_of(world, who);

    check_claims(world, client, lane);
    if (lane->state == HF_LANE_WAITING && lane->placed &&
        world->violated == NULL &&
        !grants_oracle_is_held_up(&world->oracle, who))
        breaks(world, SERVER_IN_VAIN);
    if (client->state != lane->state || client->n != lane->n ||
        (client->session == HF_SESSION_SUSPECTED) != lane->suspected)
        breaks(world, SERVER_STATE);
}

void
grants_promise_state(struct grants_world *world)
{
    unsigned clients = world->config->world.clients;

    for (unsigned i = 0; i < clients; i++)
        for (unsigned k = 0; k < i; k++)
            if (overlap(&world->snapshot.clients[i],
                        &world->snapshot.clients[k]))
                breaks(world, SERVER_CONFLICT);
    for (unsigned i = 0; i < clients; i++)
        check_lane(world, i);
    for (unsigned i = 0; i < clients; i++)
        for (unsigned k = 0; k < i; k++)
            check_order(world, i, k);
}
