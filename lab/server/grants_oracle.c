#include "lab/server/grants_oracle.h"

#include <string.h>

#include "base/check.h"

#define EXCLUSIVE (HF_EXCLUSIVE + 1)
#define SHARED    (HF_SHARED + 1)

/* ---- What is said -------------------------------------------------------- */

static struct grants_said *
say(struct grants_oracle *oracle, unsigned who, uint32_t stream,
    enum hf_answer_kind kind)
{
    struct grants_said *said = &oracle->said[oracle->said_count];

    HF_CHECK(oracle->said_count < GRANTS_SAID_MAX && stream != 0);
    oracle->said_count++;
    *said = (struct grants_said){
        .stream = stream,
        .lane = (uint8_t)who,
        .kind = (uint8_t)kind,
        .n = oracle->lanes[who].n,
    };
    return said;
}

static void
say_over(struct grants_oracle *oracle, unsigned who, uint32_t stream,
         enum hf_over over)
{
    say(oracle, who, stream, HF_ANSWER_OVER)->over = (uint8_t)over;
}

/* ---- Looking ------------------------------------------------------------- */

bool
grants_oracle_conflict(const struct grants_modes *a,
                       const struct grants_modes *b)
{
    for (unsigned i = 0; i < SNAPSHOT_NAMES; i++)
        if (a->of[i] != 0 && b->of[i] != 0 &&
            (a->of[i] == EXCLUSIVE || b->of[i] == EXCLUSIVE))
            return true;
    return false;
}

bool
grants_oracle_waits(const struct grants_lane *lane)
{
    return lane->state == HF_LANE_WAITING || lane->state == HF_LANE_PARKED;
}

static bool
holds_against(const struct grants_lane *lane, const struct grants_modes *wants)
{
    for (unsigned i = 0; i < SNAPSHOT_CLAIMS; i++) {
        const struct grants_grant *grant = &lane->grants[i];

        if (grant->n != 0 && !grant->revoked &&
            grants_oracle_conflict(&grant->modes, wants))
            return true;
    }
    return false;
}

/* Does that lane hold, or want before the order, what conflicts?  It wants
 * nothing, if it only waits until it is free. */
static bool
stands_before(const struct grants_lane *lane, const struct grants_modes *wants,
              unsigned order)
{
    return holds_against(lane, wants) ||
           (grants_oracle_waits(lane) && lane->placed && !lane->free &&
            lane->order < order && grants_oracle_conflict(&lane->wants, wants));
}

bool
grants_oracle_waits_for(const struct grants_oracle *oracle, unsigned from,
                        unsigned to)
{
    const struct grants_lane *lane = &oracle->lanes[from];

    return from != to && grants_oracle_waits(lane) && lane->placed &&
           stands_before(&oracle->lanes[to], &lane->wants, lane->order);
}

bool
grants_oracle_is_held_up(const struct grants_oracle *oracle, unsigned who)
{
    for (unsigned i = 0; i < oracle->clients; i++)
        if (grants_oracle_waits_for(oracle, who, i))
            return true;
    return false;
}

/* From the one lane, by any number of edges, to the other; `seen`: a bit for
 * each that was looked at. */
static bool
leads_to(const struct grants_oracle *oracle, unsigned from, unsigned to,
         unsigned *seen)
{
    *seen |= 1U << from;
    for (unsigned i = 0; i < oracle->clients; i++) {
        if (!grants_oracle_waits_for(oracle, from, i))
            continue;
        if (i == to)
            return true;
        if ((*seen >> i & 1) == 0 && leads_to(oracle, i, to, seen))
            return true;
    }
    return false;
}

static bool
is_in_circle(const struct grants_oracle *oracle, unsigned who)
{
    unsigned seen = 0;

    return leads_to(oracle, who, who, &seen);
}

const struct grants_grant *
grants_oracle_grant(const struct grants_lane *lane, uint8_t n)
{
    for (unsigned i = 0; i < SNAPSHOT_CLAIMS; i++)
        if (n != 0 && lane->grants[i].n == n)
            return &lane->grants[i];
    return NULL;
}

static struct grants_grant *
grant_of(struct grants_lane *lane, uint8_t n)
{
    for (unsigned i = 0; i < SNAPSHOT_CLAIMS; i++)
        if (n != 0 && lane->grants[i].n == n)
            return &lane->grants[i];
    return NULL;
}

bool
grants_oracle_holds(const struct grants_lane *lane)
{
    for (unsigned i = 0; i < SNAPSHOT_CLAIMS; i++)
        if (lane->grants[i].n != 0 && !lane->grants[i].revoked)
            return true;
    return false;
}

unsigned
grants_oracle_count(const struct grants_lane *lane)
{
    unsigned count = 0;

    while (count < SNAPSHOT_CLAIMS && lane->grants[count].n != 0)
        count++;
    return count;
}

static bool
gathers(const struct grants_oracle *oracle)
{
    for (unsigned i = 0; i < oracle->clients; i++)
        if (grants_oracle_waits(&oracle->lanes[i]) && !oracle->lanes[i].placed)
            return true;
    return oracle->gathers > 0;
}

/* ---- Limits -------------------------------------------------------------- */

static unsigned
names_of(const struct grants_modes *modes)
{
    unsigned count = 0;

    for (unsigned i = 0; i < SNAPSHOT_NAMES; i++)
        count += modes->of[i] != 0;
    return count;
}

static bool
is_over(unsigned count, unsigned limit)
{
    return limit != 0 && count > limit;
}

/* Of all lanes: those that wait, and the names that they wait for. */
static unsigned
count_waiters(const struct grants_oracle *oracle, unsigned *names)
{
    unsigned count = 0;

    *names = 0;
    for (unsigned i = 0; i < oracle->clients; i++)
        if (grants_oracle_waits(&oracle->lanes[i])) {
            count++;
            *names += names_of(&oracle->lanes[i].wants);
        }
    return count;
}

static unsigned
count_held(const struct grants_lane *lane, unsigned *names)
{
    unsigned count = 0;

    for (unsigned i = 0; i < SNAPSHOT_CLAIMS; i++)
        if (lane->grants[i].n != 0 && !lane->grants[i].revoked) {
            count++;
            *names += names_of(&lane->grants[i].modes);
        }
    return count;
}

/* Names held and waited for. */
static unsigned
count_names(const struct grants_oracle *oracle)
{
    unsigned names;

    (void)count_waiters(oracle, &names);
    for (unsigned i = 0; i < oracle->clients; i++)
        (void)count_held(&oracle->lanes[i], &names);
    return names;
}

/* Is there room for one more that waits, for so many names? */
static bool
may_wait(const struct grants_oracle *oracle, const struct grants_modes *wants)
{
    unsigned names;
    unsigned count = count_waiters(oracle, &names);

    return !is_over(count + 1, oracle->limits.waiters) &&
           !is_over(names + names_of(wants), oracle->limits.space_waiters);
}

/* ---- What a lane may ask for --------------------------------------------- */

/* A name that is held shared may be asked for exclusively, once [W7]. */
static bool
may_hold_too(const struct grants_lane *lane, unsigned name, uint8_t mode)
{
    unsigned count = 0;
    bool exclusive = false;

    for (unsigned i = 0; i < SNAPSHOT_CLAIMS; i++) {
        const struct grants_grant *grant = &lane->grants[i];

        if (grant->n == 0 || grant->revoked || grant->modes.of[name] == 0)
            continue;
        count++;
        exclusive |= grant->modes.of[name] == EXCLUSIVE;
    }
    return count == 0 || (count == 1 && !exclusive && mode == EXCLUSIVE);
}

/* Why a request is refused whoever else is there; NEVER_ASKED: it is not. */
static enum hf_over
why_not(const struct grants_oracle *oracle, const struct grants_lane *lane,
        const struct grants_modes *wants)
{
    const struct grants_limits *limits = &oracle->limits;
    unsigned names = count_names(oracle);
    unsigned unused = 0;

    if (is_over(names_of(wants), limits->request_names) ||
        is_over(count_held(lane, &unused) + 1, limits->session_grants))
        return HF_OVER_LIMIT;
    for (unsigned i = 0; i < SNAPSHOT_NAMES; i++) {
        if (wants->of[i] == 0)
            continue;
        if (!may_hold_too(lane, i, wants->of[i]))
            return HF_OVER_ALREADY_HELD;
        if (is_over(++names, limits->space_grants))
            return HF_OVER_LIMIT;
    }
    return HF_OVER_NEVER_ASKED;
}

/* ---- Those who may go ---------------------------------------------------- */

static void
end(struct grants_lane *lane, enum hf_lane_state state, enum hf_over over)
{
    lane->state = (uint8_t)state;
    lane->over = (uint8_t)over;
    lane->stream = 0;
}

/* It has what it asked for: a grant, or the news that it could be one. */
static void
succeed(struct grants_oracle *oracle, unsigned who)
{
    struct grants_lane *lane = &oracle->lanes[who];
    unsigned count = grants_oracle_count(lane);

    if (lane->free) {
        say_over(oracle, who, lane->stream, HF_OVER_FREE);
        end(lane, HF_LANE_OVER, HF_OVER_FREE);
        return;
    }
    HF_CHECK(count < SNAPSHOT_CLAIMS);
    lane->grants[count] = (struct grants_grant){
        .n = lane->n,
        .modes = lane->wants,
    };
    say(oracle, who, lane->stream, HF_ANSWER_GRANTED);
    end(lane, HF_LANE_GRANTED, HF_OVER_NEVER_ASKED);
}

/* Those of the one kind. */
static bool
succeed_each(struct grants_oracle *oracle, bool free)
{
    bool any = false;

    for (unsigned i = 0; i < oracle->clients; i++) {
        const struct grants_lane *lane = &oracle->lanes[i];

        if (lane->state != HF_LANE_WAITING || !lane->placed ||
            lane->free != free || grants_oracle_is_held_up(oracle, i))
            continue;
        succeed(oracle, i);
        any = true;
    }
    return any;
}

/* An onlooker is told that a name is free before the name is granted. */
static void
succeed_all(struct grants_oracle *oracle)
{
    (void)succeed_each(oracle, true);
    while (succeed_each(oracle, false))
        continue;
}

static uint8_t
next_order(const struct grants_oracle *oracle)
{
    uint8_t last = 0;

    for (unsigned i = 0; i < oracle->clients; i++)
        if (grants_oracle_waits(&oracle->lanes[i]) &&
            oracle->lanes[i].order > last)
            last = oracle->lanes[i].order;
    return (uint8_t)(last + 1);
}

static void
keep_edges(struct grants_oracle *oracle)
{
    for (unsigned i = 0; i < oracle->clients; i++)
        for (unsigned k = 0; k < oracle->clients; k++)
            if (grants_oracle_waits_for(oracle, i, k))
                oracle->edges[i] |= (uint8_t)(1U << k);
}

/* It gets a place behind all others; false: that closes a circle. */
static bool
place(struct grants_oracle *oracle, unsigned who)
{
    struct grants_lane *lane = &oracle->lanes[who];

    lane->order = next_order(oracle);
    lane->placed = true;
    lane->waited = 0;
    if (oracle->misses || !is_in_circle(oracle, who))
        return true;
    keep_edges(oracle);
    say_over(oracle, who, lane->stream, HF_OVER_DEADLOCK);
    end(lane, HF_LANE_OVER, HF_OVER_DEADLOCK);
    return false;
}

/* Of those without a place, who waited longest, and of these who came first;
 * `clients`: there is none. */
static unsigned
longest(const struct grants_oracle *oracle)
{
    unsigned best = oracle->clients;

    for (unsigned i = 0; i < oracle->clients; i++) {
        const struct grants_lane *lane = &oracle->lanes[i];
        const struct grants_lane *other = &oracle->lanes[best];

        if (!grants_oracle_waits(lane) || lane->placed)
            continue;
        if (best == oracle->clients || lane->waited > other->waited ||
            (lane->waited == other->waited && lane->order < other->order))
            best = i;
    }
    return best;
}

/* After each event: places are taken at the end of a grace, until one closes a
 * circle [L5], and who may go goes. */
static void
finish(struct grants_oracle *oracle)
{
    unsigned next = longest(oracle);

    if (oracle->gathers == 0)
        while (next < oracle->clients && place(oracle, next))
            next = longest(oracle);
    succeed_all(oracle);
}

static void
begin(struct grants_oracle *oracle)
{
    oracle->said_count = 0;
    memset(oracle->edges, 0, sizeof(oracle->edges));
}

/* ---- To ask -------------------------------------------------------------- */

/* What a grace keeps from it, though nothing conflicts [L5]. */
static bool
is_withheld(const struct grants_oracle *oracle, unsigned who,
            const struct grants_ask *ask)
{
    if (!gathers(oracle))
        return false;
    for (unsigned i = 0; i < oracle->clients; i++)
        for (unsigned k = 0; k < SNAPSHOT_NAMES; k++)
            if (i != who && grants_oracle_waits(&oracle->lanes[i]) &&
                !oracle->lanes[i].free && oracle->lanes[i].wants.of[k] != 0 &&
                ask->wants.of[k] != 0)
                return true;
    return ask->waited > 0;
}

static bool
is_in_way(const struct grants_oracle *oracle, unsigned who,
          const struct grants_modes *wants)
{
    for (unsigned i = 0; i < oracle->clients; i++)
        if (i != who && stands_before(&oracle->lanes[i], wants, UINT8_MAX))
            return true;
    return false;
}

/* And not only places that are parked? */
static bool
is_more_in_way(const struct grants_oracle *oracle, unsigned who,
               const struct grants_modes *wants)
{
    for (unsigned i = 0; i < oracle->clients; i++) {
        const struct grants_lane *lane = &oracle->lanes[i];

        if (i != who && stands_before(lane, wants, UINT8_MAX) &&
            (lane->state != HF_LANE_PARKED || holds_against(lane, wants)))
            return true;
    }
    return false;
}

static void
refuse(struct grants_oracle *oracle, unsigned who, const struct grants_ask *ask,
       enum hf_over over)
{
    say_over(oracle, who, ask->stream, over);
    end(&oracle->lanes[who], HF_LANE_OVER, over);
}

static void
wait_for(struct grants_oracle *oracle, unsigned who,
         const struct grants_ask *ask)
{
    struct grants_lane *lane = &oracle->lanes[who];
    bool gathered = gathers(oracle);
    uint8_t order = next_order(oracle);

    lane->state = HF_LANE_WAITING;
    lane->placed = false;
    lane->waited = ask->waited;
    lane->order = order;
    if (!gathered)
        (void)place(oracle, who);
}

/* Its request enters; it waits for nothing. */
static void
enter(struct grants_oracle *oracle, unsigned who, const struct grants_ask *ask)
{
    struct grants_lane *lane = &oracle->lanes[who];
    enum hf_over over = why_not(oracle, lane, &ask->wants);
    bool in_way = is_in_way(oracle, who, &ask->wants);

    lane->wants = ask->wants;
    lane->free = ask->free;
    lane->stream = ask->stream;
    if (over != HF_OVER_NEVER_ASKED) {
        refuse(oracle, who, ask, over);
    } else if (!in_way && !is_withheld(oracle, who, ask)) {
        succeed(oracle, who);
    } else if (ask->tries && is_more_in_way(oracle, who, &ask->wants)) {
        refuse(oracle, who, ask, HF_OVER_HELD);
    } else if (ask->tries) {
        say(oracle, who, ask->stream, HF_ANSWER_LATER);
        end(lane, HF_LANE_LEFT, HF_OVER_NEVER_ASKED);
    } else if (may_wait(oracle, &ask->wants)) {
        wait_for(oracle, who, ask);
    } else {
        refuse(oracle, who, ask, HF_OVER_LIMIT);
    }
}

/* Does it name what that request has named, or holds by now [R2]? */
static bool
names_the_same(const struct grants_ask *ask, const struct grants_modes *modes,
               bool free)
{
    for (unsigned i = 0; i < SNAPSHOT_NAMES; i++)
        if (free ? (ask->wants.of[i] != 0) != (modes->of[i] != 0)
                 : ask->wants.of[i] != modes->of[i])
            return false;
    return ask->free == free;
}

static bool
is_known(const struct grants_lane *lane, const struct grants_ask *ask)
{
    if (lane->state == HF_LANE_LEFT)
        return true;
    if (lane->state == HF_LANE_GRANTED)
        return names_the_same(ask, &grants_oracle_grant(lane, lane->n)->modes,
                              false);
    return names_the_same(ask, &lane->wants, lane->free);
}

/* The lane's last request, by a greater attempt [R3]. */
static void
ask_again(struct grants_oracle *oracle, unsigned who,
          const struct grants_ask *ask)
{
    struct grants_lane *lane = &oracle->lanes[who];

    if (lane->state == HF_LANE_OVER) {
        say_over(oracle, who, ask->stream, (enum hf_over)lane->over);
        return;
    }
    if (!is_known(lane, ask)) {
        say_over(oracle, who, ask->stream, HF_OVER_INVALID);
        return;
    }
    lane->a = ask->a;
    if (lane->state == HF_LANE_GRANTED) {
        say(oracle, who, ask->stream, HF_ANSWER_GRANTED)->fence =
            grant_of(lane, lane->n)->fence;
        return;
    }
    if (lane->state == HF_LANE_WAITING)
        say(oracle, who, lane->stream, HF_ANSWER_SUPERSEDED);
    if (lane->state == HF_LANE_LEFT || ask->tries) {
        lane->state = HF_LANE_LEFT;
        enter(oracle, who, ask);
        return;
    }
    lane->state = HF_LANE_WAITING;
    lane->stream = ask->stream;
}

/* One before its last [R2]. */
static void
ask_old(struct grants_oracle *oracle, unsigned who,
        const struct grants_ask *ask)
{
    const struct grants_grant *grant = grant_of(&oracle->lanes[who], ask->n);

    if (grant == NULL)
        say_over(oracle, who, ask->stream, HF_OVER_FORGOTTEN);
    else if (grant->revoked)
        say_over(oracle, who, ask->stream, HF_OVER_CLEARED);
    else if (!names_the_same(ask, &grant->modes, false))
        say_over(oracle, who, ask->stream, HF_OVER_INVALID);
    else
        say(oracle, who, ask->stream, HF_ANSWER_GRANTED)->fence = grant->fence;
    oracle->said[oracle->said_count - 1].n = ask->n;
}

void
grants_oracle_ask(struct grants_oracle *oracle, unsigned who,
                  const struct grants_ask *ask)
{
    struct grants_lane *lane = &oracle->lanes[who];

    begin(oracle);
    if (ask->n < lane->n) {
        ask_old(oracle, who, ask);
    } else if (ask->n == lane->n) {
        ask_again(oracle, who, ask);
    } else {
        lane->n = ask->n;
        lane->a = ask->a;
        enter(oracle, who, ask);
    }
    finish(oracle);
}

/* ---- To give back -------------------------------------------------------- */

static void
remove_grant(struct grants_lane *lane, uint8_t n)
{
    struct grants_grant *grant = grant_of(lane, n);
    struct grants_grant *last = &lane->grants[SNAPSHOT_CLAIMS - 1];

    if (grant == NULL)
        return;
    memmove(grant, grant + 1, (size_t)(last - grant) * sizeof(*grant));
    *last = (struct grants_grant){0};
}

void
grants_oracle_release(struct grants_oracle *oracle, unsigned who, uint8_t n,
                      uint32_t stream)
{
    struct grants_lane *lane = &oracle->lanes[who];

    begin(oracle);
    remove_grant(lane, n);
    if (n == lane->n) {
        if (lane->state == HF_LANE_WAITING)
            say_over(oracle, who, lane->stream, HF_OVER_RELEASED);
        end(lane, HF_LANE_OVER, HF_OVER_RELEASED);
    }
    say(oracle, who, stream, HF_ANSWER_RELEASED);
    finish(oracle);
}

void
grants_oracle_lower(struct grants_oracle *oracle, unsigned who, uint8_t n,
                    unsigned name, uint32_t stream)
{
    struct grants_grant *grant = grant_of(&oracle->lanes[who], n);

    begin(oracle);
    if (grant == NULL || grant->revoked || grant->modes.of[name] == 0) {
        say(oracle, who, stream, HF_ANSWER_NOT_HELD);
    } else {
        grant->modes.of[name] = SHARED;
        say(oracle, who, stream, HF_ANSWER_CHANGED);
    }
    finish(oracle);
}

static void
take(struct grants_lane *lane, struct grants_grant *grant)
{
    grant->revoked = true;
    memset(&grant->modes, 0, sizeof(grant->modes));
    if (grant->n == lane->n)
        end(lane, HF_LANE_OVER, HF_OVER_CLEARED);
}

void
grants_oracle_clear(struct grants_oracle *oracle, uint8_t fence, bool at_once,
                    uint32_t stream)
{
    enum hf_answer_kind kind = HF_ANSWER_NOT_HELD;
    unsigned owner = 0;

    begin(oracle);
    for (unsigned i = 0; i < oracle->clients; i++) {
        struct grants_lane *lane = &oracle->lanes[i];

        for (unsigned k = 0; k < grants_oracle_count(lane); k++) {
            struct grants_grant *grant = &lane->grants[k];

            if (grant->fence != fence || grant->revoked)
                continue;
            owner = i;
            kind = at_once || lane->suspected ? HF_ANSWER_CLEARED
                                              : HF_ANSWER_NOT_SUSPECTED;
            if (kind == HF_ANSWER_CLEARED)
                take(lane, grant);
        }
    }
    say(oracle, owner, stream, kind);
    finish(oracle);
}

/* ---- Streams, and time --------------------------------------------------- */

void
grants_oracle_park(struct grants_oracle *oracle, unsigned who)
{
    struct grants_lane *lane = &oracle->lanes[who];

    begin(oracle);
    say(oracle, who, lane->stream, HF_ANSWER_BLOCKING_TIMEOUT);
    lane->state = HF_LANE_PARKED;
    lane->stream = 0;
    finish(oracle);
}

void
grants_oracle_run_out(struct grants_oracle *oracle, unsigned who)
{
    struct grants_lane *lane = &oracle->lanes[who];

    begin(oracle);
    say(oracle, who, lane->stream, HF_ANSWER_BLOCKING_TIMEOUT);
    end(lane, HF_LANE_LEFT, HF_OVER_NEVER_ASKED);
    finish(oracle);
}

void
grants_oracle_hang_up(struct grants_oracle *oracle, unsigned who)
{
    begin(oracle);
    end(&oracle->lanes[who], HF_LANE_LEFT, HF_OVER_NEVER_ASKED);
    finish(oracle);
}

void
grants_oracle_silent(struct grants_oracle *oracle, unsigned who)
{
    begin(oracle);
    oracle->lanes[who].suspected = true;
    finish(oracle);
}

void
grants_oracle_pass(struct grants_oracle *oracle)
{
    begin(oracle);
    oracle->gathers = 0;
    for (unsigned i = 0; i < oracle->clients; i++) {
        struct grants_lane *lane = &oracle->lanes[i];

        if (lane->state == HF_LANE_PARKED)
            end(lane, HF_LANE_LEFT, HF_OVER_NEVER_ASKED);
        else if (grants_oracle_waits(lane) && !lane->placed)
            lane->waited++;
    }
    finish(oracle);
}
