#include "unit/support/oracle.h"

#include <string.h>

#include "base/check.h"

typedef struct oracle_lane lane_t;

/* ---- Small things -------------------------------------------------------- */

static struct oracle_answer *
say(struct oracle *o, uint64_t stream, enum hf_answer_kind kind)
{
    struct oracle_answer *answer = &o->answers[o->answers_count];

    HF_CHECK(o->answers_count < ORACLE_ANSWERS);
    if (stream == 0)
        return answer; /* nobody listens */
    o->answers_count++;
    *answer = (struct oracle_answer){.stream = stream, .kind = kind};
    return answer;
}

static void
say_over(struct oracle *o, uint64_t stream, enum hf_over over)
{
    say(o, stream, HF_ANSWER_OVER)->over = over;
}

static void
set_timer(struct oracle *o, struct oracle_timer *timer, int64_t at)
{
    *timer = (struct oracle_timer){at, ++o->turns};
}

static bool
waits(const lane_t *lane)
{
    return lane->state == O_WAITING || lane->state == O_PARKED;
}

static bool
conflict(const uint8_t *a, const uint8_t *b)
{
    for (unsigned i = 0; i < ORACLE_NAMES; i++)
        if (a[i] != ORACLE_NOTHING && b[i] != ORACLE_NOTHING &&
            (a[i] == ORACLE_EXCLUSIVE || b[i] == ORACLE_EXCLUSIVE))
            return true;
    return false;
}

/* All lanes, one after another. */
#define EACH_LANE(o, lane)                                                     \
    for (unsigned i_ = 0; i_ < ORACLE_SESSIONS * ORACLE_LANES; i_++)           \
        if ((lane =                                                            \
                 &(o)->sessions[i_ / ORACLE_LANES].lanes[i_ % ORACLE_LANES])   \
                ->known)

static struct oracle_grant *
grant_of(lane_t *lane, uint64_t n)
{
    for (unsigned i = 0; i < ORACLE_GRANTS; i++)
        if (lane->grants[i].on && lane->grants[i].n == n)
            return &lane->grants[i];
    return NULL;
}

struct oracle_grant *
oracle_grant(struct oracle *o, unsigned session, unsigned lane, uint64_t n)
{
    return grant_of(&o->sessions[session].lanes[lane], n);
}

static bool
holds(const struct oracle_grant *grant)
{
    return grant->on && !grant->revoked;
}

static unsigned
count_held(const struct oracle_session *session)
{
    unsigned count = 0;

    for (unsigned l = 0; l < ORACLE_LANES; l++)
        for (unsigned i = 0; i < ORACLE_GRANTS; i++)
            count +=
                session->lanes[l].known && holds(&session->lanes[l].grants[i]);
    return count;
}

static struct hf_fence_sum
sum_of(const struct oracle_session *session)
{
    struct hf_fence_sum sum = {0};

    for (unsigned l = 0; l < ORACLE_LANES; l++) {
        const lane_t *lane = &session->lanes[l];

        for (unsigned i = 0; i < ORACLE_GRANTS; i++)
            if (lane->known && holds(&lane->grants[i]))
                hf_fence_sum_add(&sum, lane->grants[i].fence);
    }
    return sum;
}

/* ---- Who may go, and who waits for whom ---------------------------------- */

static bool
kept_out(lane_t *by, const uint8_t *modes)
{
    for (unsigned i = 0; i < ORACLE_GRANTS; i++)
        if (holds(&by->grants[i]) && conflict(by->grants[i].modes, modes))
            return true;
    return false;
}

/* Does lane `a`, which waits, wait for lane `b`? */
static bool
waits_for(lane_t *a, lane_t *b)
{
    if (a == b || !waits(a) || !a->placed)
        return false;
    return kept_out(b, a->modes) ||
           (waits(b) && b->placed && !b->free && b->order < a->order &&
            conflict(a->modes, b->modes));
}

static bool
is_blocked(struct oracle *o, lane_t *lane)
{
    lane_t *other;

    EACH_LANE(o, other)
    if (waits_for(lane, other))
        return true;
    return false;
}

/* And not only by places that are parked? */
static bool
is_blocked_by_more(struct oracle *o, lane_t *lane)
{
    lane_t *other;

    EACH_LANE(o, other)
    if (waits_for(lane, other) &&
        (other->state != O_PARKED || kept_out(other, lane->modes)))
        return true;
    return false;
}

/* From `lane`, by any number of steps, to itself? */
static bool
is_in_cycle(struct oracle *o, lane_t *lane)
{
    bool reached[ORACLE_SESSIONS * ORACLE_LANES] = {0};
    lane_t *to;
    bool more = true;

    EACH_LANE(o, to)
    reached[i_] = waits_for(lane, to);
    while (more) {
        more = false;
        for (unsigned from = 0; from < ORACLE_SESSIONS * ORACLE_LANES; from++) {
            if (!reached[from])
                continue;
            EACH_LANE(o, to)
            if (!reached[i_] && waits_for(&o->sessions[from / ORACLE_LANES]
                                               .lanes[from % ORACLE_LANES],
                                          to)) {
                reached[i_] = true;
                more = true;
            }
        }
    }
    EACH_LANE(o, to)
    if (to == lane)
        return reached[i_];
    return false;
}

static void
grant(struct oracle *o, lane_t *lane)
{
    struct oracle_grant *free = NULL;

    for (unsigned i = 0; i < ORACLE_GRANTS && free == NULL; i++)
        if (!lane->grants[i].on)
            free = &lane->grants[i];
    HF_CHECK(free != NULL);
    lane->timer.at = 0;
    if (lane->free) {
        lane->state = O_OVER;
        lane->over = HF_OVER_FREE;
        say_over(o, lane->stream, HF_OVER_FREE);
        return;
    }
    lane->state = O_GRANTED;
    *free =
        (struct oracle_grant){.on = true, .n = lane->n, .stream = lane->stream};
    memcpy(free->modes, lane->modes, sizeof(free->modes));
    say(o, lane->stream, HF_ANSWER_GRANTED)->grant = free;
}

/* Everybody who may go, goes; who only waits until it is free is in nobody's
 * way, and is told so before anybody is granted it. */
static void
settle(struct oracle *o)
{
    lane_t *lane;
    bool more = true;

    EACH_LANE(o, lane)
    if (lane->state == O_WAITING && lane->placed && lane->free &&
        !is_blocked(o, lane))
        grant(o, lane);
    while (more) {
        more = false;
        EACH_LANE(o, lane)
        if (lane->state == O_WAITING && lane->placed && !lane->free &&
            !is_blocked(o, lane)) {
            grant(o, lane);
            more = true;
        }
    }
}

/* At the end of the line, its stream being silent since then; false: that
 * closed a circle. */
static bool
place(struct oracle *o, lane_t *lane, int64_t since)
{
    int64_t end = since + o->blocking;

    lane->placed = true;
    lane->order = ++o->orders;
    set_timer(o, &lane->timer, lane->wait_end < end ? lane->wait_end : end);
    if (!is_in_cycle(o, lane))
        return true;
    lane->state = O_OVER;
    lane->over = HF_OVER_DEADLOCK;
    lane->timer.at = 0;
    o->deadlocks++;
    say_over(o, lane->stream, HF_OVER_DEADLOCK);
    return false;
}

static bool
gathers(struct oracle *o)
{
    lane_t *lane;

    if (o->now < o->gather_until)
        return true;
    EACH_LANE(o, lane)
    if (waits(lane) && !lane->placed)
        return true;
    return false;
}

static int64_t
grace_of(const struct oracle *o, const lane_t *lane)
{
    return lane->park > o->resume_grace ? lane->park : o->resume_grace;
}

/* It was cut off; who says for how long it waits is waited for no longer. */
static void
keep_place(struct oracle *o, lane_t *lane)
{
    int64_t until = o->now + grace_of(o, lane);

    if (lane->park == 0 && lane->wait_end < until)
        until = lane->wait_end;
    lane->state = O_PARKED;
    lane->told_by = UINT64_MAX;
    set_timer(o, &lane->timer, until);
}

/* Who waited longest, and of these who came first, is placed first; one circle
 * a step. */
static void
place_gathered(struct oracle *o)
{
    for (;;) {
        lane_t *best = NULL;
        lane_t *lane;

        EACH_LANE(o, lane)
        if (waits(lane) && !lane->placed &&
            (best == NULL || lane->since < best->since ||
             (lane->since == best->since && lane->order < best->order)))
            best = lane;
        if (best == NULL || !place(o, best, o->gather_from))
            return;
        if (best->stream == 0)
            keep_place(o, best);
    }
}

static void
finish(struct oracle *o)
{
    if (o->now >= o->gather_until)
        place_gathered(o);
    settle(o);
}

/* ---- Messages ------------------------------------------------------------ */

static enum hf_over
why_not(lane_t *lane, const uint8_t *modes)
{
    bool any = false;

    for (unsigned i = 0; i < ORACLE_NAMES; i++) {
        unsigned count = 0;
        bool exclusive = false;

        if (modes[i] == ORACLE_NOTHING)
            continue;
        any = true;
        for (unsigned g = 0; g < ORACLE_GRANTS; g++)
            if (holds(&lane->grants[g]) &&
                lane->grants[g].modes[i] != ORACLE_NOTHING) {
                count++;
                exclusive =
                    exclusive || lane->grants[g].modes[i] == ORACLE_EXCLUSIVE;
            }
        if (exclusive || count > 1 || (count == 1 && modes[i] == ORACLE_SHARED))
            return HF_OVER_ALREADY_HELD;
    }
    return any ? HF_OVER_NEVER_ASKED : HF_OVER_INVALID;
}

/* [L5] What a takeover grace withholds though nothing conflicts. */
static bool
is_withheld(struct oracle *o, lane_t *own, const struct oracle_message *m)
{
    lane_t *lane;

    if (!gathers(o))
        return false;
    if (m->waited > 0)
        return true;
    EACH_LANE(o, lane)
    for (unsigned i = 0; i < ORACLE_NAMES; i++)
        if (lane != own && waits(lane) && !lane->free &&
            lane->modes[i] != ORACLE_NOTHING && own->modes[i] != ORACLE_NOTHING)
            return true;
    return false;
}

/* An attempt may shorten what its request said before; of one that polls, or
 * did so far, each says its own.  No place is kept for longer than half of the
 * session's ttl. */
static void
listen(struct oracle *o, lane_t *lane, const struct oracle_message *m)
{
    int64_t end =
        m->wait == HF_WAIT_FOREVER ? INT64_MAX : o->now + m->remaining;
    int64_t most = o->sessions[m->session].ttl / 2;
    int64_t park = m->park < most ? m->park : most;

    lane->stream = m->stream;
    if (park > 0 || lane->park > 0 || end < lane->wait_end)
        lane->wait_end = end;
    lane->park = park;
}

/* Does it name what that request has named, or holds by now? */
static bool
names_the_same(const struct oracle_message *m, const uint8_t *modes, bool free)
{
    for (unsigned i = 0; i < ORACLE_NAMES; i++)
        if (free || m->no_modes ? (m->modes[i] != 0) != (modes[i] != 0)
                                : m->modes[i] != modes[i])
            return false;
    return m->free == free;
}

/* A key is for what was first asked with it; modes that are left out are those
 * that were asked for. */
static void
take_modes(struct oracle *o, lane_t *lane, const struct oracle_message *m)
{
    struct oracle_session *session = &o->sessions[m->session];

    memcpy(lane->modes, m->modes, sizeof(lane->modes));
    if (!m->of_key)
        return;
    if (session->asked) {
        /* Or for what was asked for without it, under that number. */
        if (names_the_same(m, session->asked_modes, session->asked_free))
            memcpy(lane->modes, session->asked_modes, sizeof(lane->modes));
        return;
    }
    session->asked = true;
    session->asked_free = m->free;
    memcpy(session->asked_modes, m->modes, sizeof(session->asked_modes));
}

static void
enter(struct oracle *o, lane_t *lane, const struct oracle_message *m)
{
    enum hf_over over;
    bool in_way;
    bool parked_alone;

    take_modes(o, lane, m);
    for (unsigned i = 0; i < ORACLE_NAMES; i++)
        if (m->free && lane->modes[i] != ORACLE_NOTHING)
            lane->modes[i] = ORACLE_EXCLUSIVE;
    lane->free = m->free;
    lane->wait_end = INT64_MAX;
    lane->park = 0;
    listen(o, lane, m);
    over = why_not(lane, lane->modes);
    if (over == HF_OVER_NEVER_ASKED) {
        /* As if it were last in line. */
        lane->state = O_WAITING;
        lane->placed = true;
        lane->order = UINT64_MAX;
        in_way = is_blocked(o, lane);
        parked_alone = !is_blocked_by_more(o, lane);
        lane->state = O_OVER;
        if (!in_way && !is_withheld(o, lane, m)) {
            grant(o, lane);
            return;
        }
        if (m->wait != HF_WAIT_TRY) {
            bool gathered = gathers(o);

            lane->state = O_WAITING;
            lane->since = o->now - m->waited;
            if (lane->since < o->begun_at)
                lane->since = o->begun_at;
            lane->placed = false;
            lane->order = ++o->orders;
            if (!gathered)
                (void)place(o, lane, o->now);
            return;
        }
        if (!in_way || parked_alone) {
            lane->state = O_LEFT;
            say(o, m->stream, HF_ANSWER_LATER);
            return;
        }
        over = HF_OVER_HELD;
    }
    lane->state = O_OVER;
    lane->over = over;
    say_over(o, m->stream, over);
}

static bool
is_known(lane_t *lane, const struct oracle_message *m)
{
    if (lane->state == O_LEFT)
        return true;
    if (lane->state == O_GRANTED)
        return names_the_same(m, grant_of(lane, lane->n)->modes, false);
    return names_the_same(m, lane->modes, lane->free);
}

static void
acquire_again(struct oracle *o, lane_t *lane, const struct oracle_message *m)
{
    struct oracle_grant *held = grant_of(lane, lane->n);
    bool newest = m->a > lane->a;

    if (lane->state == O_OVER) {
        say_over(o, m->stream, lane->over);
        return;
    }
    if (m->a == lane->a)
        newest = lane->state == O_LEFT ||
                 (lane->state == O_GRANTED && held->stream == 0);
    if (!newest) {
        say(o, m->stream, HF_ANSWER_SUPERSEDED);
        return;
    }
    if (!is_known(lane, m)) {
        say_over(o, m->stream, HF_OVER_INVALID);
        return;
    }
    lane->a = m->a;
    if (lane->state == O_GRANTED) {
        held->stream = m->stream;
        lane->timer.at = 0;
        say(o, m->stream, HF_ANSWER_GRANTED)->fence = held->fence;
        return;
    }
    if (lane->state == O_WAITING)
        say(o, lane->stream, HF_ANSWER_SUPERSEDED);
    if (lane->state == O_LEFT || m->wait == HF_WAIT_TRY) {
        lane->timer.at = 0;
        enter(o, lane, m);
        return;
    }
    listen(o, lane, m);
    lane->state = O_WAITING;
    if (lane->placed) {
        int64_t end = o->now + o->blocking;

        set_timer(o, &lane->timer, lane->wait_end < end ? lane->wait_end : end);
    }
}

static void
acquire_old(struct oracle *o, lane_t *lane, const struct oracle_message *m)
{
    struct oracle_grant *held = grant_of(lane, m->n);

    if (held == NULL)
        say_over(o, m->stream, HF_OVER_FORGOTTEN);
    else if (held->revoked)
        say_over(o, m->stream, HF_OVER_CLEARED);
    else if (!names_the_same(m, held->modes, false))
        say_over(o, m->stream, HF_OVER_INVALID);
    else
        say(o, m->stream, HF_ANSWER_GRANTED)->fence = held->fence;
}

static void
turn_to(lane_t *lane, const struct oracle_message *m)
{
    lane->n = m->n;
    lane->a = m->a;
    lane->timer.at = 0;
    lane->state = O_OVER;
    lane->over = HF_OVER_RELEASED;
}

static bool
is_busy(struct oracle *o, lane_t *lane, const struct oracle_message *m)
{
    if (m->n <= lane->n || lane->state == O_OVER || lane->state == O_GRANTED)
        return false;
    say(o, m->stream, HF_ANSWER_BUSY);
    return true;
}

static void
acquire(struct oracle *o, lane_t *lane, const struct oracle_message *m)
{
    if (is_busy(o, lane, m))
        return;
    if (m->n < lane->n) {
        acquire_old(o, lane, m);
    } else if (m->n == lane->n) {
        acquire_again(o, lane, m);
    } else {
        turn_to(lane, m);
        enter(o, lane, m);
    }
}

static void
release(struct oracle *o, lane_t *lane, const struct oracle_message *m)
{
    struct oracle_grant *held = grant_of(lane, m->n);

    if (is_busy(o, lane, m))
        return;
    if (held != NULL)
        held->on = false;
    if (m->n > lane->n) {
        turn_to(lane, m);
    } else if (m->n == lane->n && lane->state != O_OVER) {
        if (lane->state == O_WAITING)
            say_over(o, lane->stream, HF_OVER_RELEASED);
        lane->timer.at = 0;
        lane->state = O_OVER;
        lane->over = HF_OVER_RELEASED;
    } else if (m->n == lane->n && lane->over == HF_OVER_CLEARED) {
        lane->over = HF_OVER_RELEASED;
    }
    say(o, m->stream, HF_ANSWER_RELEASED);
}

static void
lower(struct oracle *o, lane_t *lane, const struct oracle_message *m)
{
    struct oracle_grant *held = lane->known ? grant_of(lane, m->n) : NULL;

    for (unsigned i = 0; i < ORACLE_NAMES; i++) {
        if (m->modes[i] == ORACLE_NOTHING)
            continue;
        if (held == NULL || held->revoked || held->modes[i] == ORACLE_NOTHING) {
            say(o, m->stream, HF_ANSWER_NOT_HELD);
            return;
        }
        held->modes[i] = ORACLE_SHARED;
        say(o, m->stream, HF_ANSWER_CHANGED);
        return;
    }
}

/* Of all its lanes below `lowest`: who listens is told `kind`. */
static void
end_lanes(struct oracle *o, struct oracle_session *session, uint64_t lowest,
          enum hf_answer_kind kind)
{
    for (unsigned l = 0; l < ORACLE_LANES && l < lowest; l++) {
        lane_t *lane = &session->lanes[l];

        if (lane->known && lane->state == O_WAITING)
            say(o, lane->stream, kind)->over = HF_OVER_FORGOTTEN;
        *lane = (lane_t){.known = false};
    }
}

/* Does it ask for something else than the session has, or its key is for? */
static bool
asks_otherwise(struct oracle_session *session, const struct oracle_message *m)
{
    lane_t *lane = &session->lanes[m->lane];
    const struct oracle_grant *held;

    if (m->kind != HF_MESSAGE_ACQUIRE || !m->of_key)
        return false;
    if ((!m->no_ttl && m->ttl != session->ttl) ||
        (!m->no_refuse && m->refuse != session->refuse))
        return true;
    if (lane->known && waits(lane) && lane->n == m->n)
        return !names_the_same(m, lane->modes, lane->free);
    held = lane->known ? grant_of(lane, m->n) : NULL;
    if (held != NULL && holds(held))
        return !names_the_same(m, held->modes, false);
    return session->asked &&
           !names_the_same(m, session->asked_modes, session->asked_free);
}

static void
end_session(struct oracle *o, struct oracle_session *session)
{
    end_lanes(o, session, UINT64_MAX, HF_ANSWER_GONE);
    *session = (struct oracle_session){.open = false};
}

/* It was not silent for its ttl, or nobody has judged so yet [S6]. */
static void
spare(struct oracle *o, const struct oracle_session *session, uint64_t stream)
{
    struct oracle_answer *answer = say(o, stream, HF_ANSWER_NOT_SUSPECTED);
    int64_t end = session->heard + session->ttl;

    answer->silent = o->now - session->heard;
    answer->rest = end > o->now ? end - o->now : 0;
}

/* A suspected session that holds nothing any more is over by time [S5]. */
static void
see_what_is_left(struct oracle *o, struct oracle_session *session)
{
    if (session->suspected && count_held(session) == 0)
        set_timer(o, &session->timer, session->heard + session->ttl);
}

static void
clear(struct oracle *o, const struct oracle_message *m)
{
    lane_t *lane;

    EACH_LANE(o, lane)
    for (unsigned g = 0; g < ORACLE_GRANTS; g++) {
        struct oracle_grant *held = &lane->grants[g];
        struct oracle_session *session = &o->sessions[i_ / ORACLE_LANES];
        bool named = false;

        for (unsigned i = 0; i < ORACLE_NAMES; i++)
            named = named || (m->modes[i] != ORACLE_NOTHING &&
                              held->modes[i] != ORACLE_NOTHING);
        if (!holds(held) || held->fence != m->fence || !named)
            continue;
        if (!m->at_once && !session->suspected) {
            spare(o, session, m->stream);
            return;
        }
        held->revoked = true;
        if (held->n == lane->n) {
            lane->timer.at = 0;
            lane->state = O_OVER;
            lane->over = HF_OVER_CLEARED;
        }
        see_what_is_left(o, session);
        say(o, m->stream, HF_ANSWER_CLEARED);
        return;
    }
    say(o, m->stream, HF_ANSWER_NOT_HELD);
}

static void
open_session(struct oracle *o, struct oracle_session *session,
             const struct oracle_message *m)
{
    if (session->open) {
        say(o, m->stream, HF_ANSWER_LIMIT);
        return;
    }
    if (m->late) {
        say(o, m->stream, HF_ANSWER_GONE);
        return;
    }
    *session = (struct oracle_session){.open = true,
                                       .refuse = m->refuse,
                                       .of_key = m->of_key,
                                       .of_acquire = m->of_acquire,
                                       .ttl = m->ttl,
                                       .heard = o->now};
    set_timer(o, &session->timer, o->now + m->ttl);
    say(o, m->stream, HF_ANSWER_OPENED);
}

static void
hear(struct oracle *o, struct oracle_session *session)
{
    session->heard = o->now;
    session->messages++;
    if (session->suspected)
        set_timer(o, &session->timer, o->now + session->ttl);
    session->suspected = false;
}

static void
lane_message(struct oracle *o, struct oracle_session *session,
             const struct oracle_message *m)
{
    lane_t *lane = &session->lanes[m->lane];

    if (m->kind == HF_MESSAGE_CHANGE) {
        lower(o, lane, m);
    } else if (m->lane < session->lowest) {
        if (m->kind == HF_MESSAGE_ACQUIRE)
            say_over(o, m->stream, HF_OVER_FORGOTTEN);
        else
            say(o, m->stream, HF_ANSWER_RELEASED);
    } else {
        lane->known = true;
        if (m->kind == HF_MESSAGE_ACQUIRE)
            acquire(o, lane, m);
        else
            release(o, lane, m);
    }
}

static void
end_for_its_client(struct oracle *o, struct oracle_session *session)
{
    int64_t until = session->of_key ? o->now + session->ttl : 0;

    end_session(o, session);
    session->ended_until = until;
}

/* One that an acquire opened, of which something was released, and nothing is
 * left [S8]. */
static void
end_if_done(struct oracle *o, struct oracle_session *session,
            const struct oracle_message *m)
{
    bool left = false;

    for (unsigned l = 0; l < ORACLE_LANES; l++) {
        lane_t *lane = &session->lanes[l];

        left = left || (lane->known && waits(lane));
        for (unsigned i = 0; i < ORACLE_GRANTS; i++)
            left = left || (lane->known && lane->grants[i].on);
    }
    if (!left && session->of_acquire && m->kind == HF_MESSAGE_RELEASE &&
        o->answers[o->answers_count - 1].kind == HF_ANSWER_RELEASED) {
        end_for_its_client(o, session);
        o->done++;
    }
}

static void
session_message(struct oracle *o, struct oracle_session *session,
                const struct oracle_message *m)
{
    if (!session->open) {
        say(o, m->stream, HF_ANSWER_GONE);
        return;
    }
    if (asks_otherwise(session, m)) {
        say(o, m->stream, HF_ANSWER_OTHER);
        return;
    }
    hear(o, session);
    if (m->lowest > session->lowest) {
        session->lowest = m->lowest;
        end_lanes(o, session, m->lowest, HF_ANSWER_OVER);
    }
    if (m->kind == HF_MESSAGE_KEEP_ALIVE) {
        say(o, m->stream, HF_ANSWER_ALIVE)->held = sum_of(session);
    } else if (m->kind == HF_MESSAGE_END) {
        end_for_its_client(o, session);
        say(o, m->stream, HF_ANSWER_ENDED);
    } else {
        lane_message(o, session, m);
        end_if_done(o, session, m);
    }
}

void
oracle_message(struct oracle *o, const struct oracle_message *m)
{
    o->answers_count = 0;
    if (m->kind == HF_MESSAGE_OPEN)
        open_session(o, &o->sessions[m->session], m);
    else if (m->kind == HF_MESSAGE_CLEAR)
        clear(o, m);
    else
        session_message(o, &o->sessions[m->session], m);
    finish(o);
}

/* ---- Everything else ----------------------------------------------------- */

static void
leave(lane_t *lane)
{
    struct oracle_grant *held = grant_of(lane, lane->n);

    if (lane->state == O_GRANTED)
        held->on = false;
    lane->state = O_LEFT;
    lane->timer.at = 0;
}

static void
stream_ends(struct oracle *o, lane_t *lane, const struct oracle_message *m)
{
    struct oracle_grant *held = grant_of(lane, m->n);

    if (!lane->known || lane->n != m->n)
        return;
    if (lane->state == O_WAITING && lane->stream == m->stream) {
        lane->stream = 0;
        if (!m->cut)
            leave(lane);
        else if (lane->placed)
            keep_place(o, lane);
    } else if (lane->state == O_GRANTED && held->stream == m->stream) {
        held->stream = 0;
        if (!held->handed && m->cut)
            set_timer(o, &lane->timer, o->now + o->resume_grace);
        else if (!held->handed)
            leave(lane);
    }
}

void
oracle_stream_ends(struct oracle *o, const struct oracle_message *m)
{
    o->answers_count = 0;
    stream_ends(o, &o->sessions[m->session].lanes[m->lane], m);
    see_what_is_left(o, &o->sessions[m->session]);
    finish(o);
}

void
oracle_handed(struct oracle *o, const struct oracle_message *m)
{
    lane_t *lane = &o->sessions[m->session].lanes[m->lane];
    struct oracle_grant *held = grant_of(lane, m->n);

    o->answers_count = 0;
    if (lane->known && held != NULL && held->fence == m->fence) {
        held->handed = true;
        if (lane->state == O_GRANTED && lane->n == m->n)
            lane->timer.at = 0;
    }
    finish(o);
}

/* Its client knows of it by what it has said since, or by its key [W5]. */
void
oracle_unread(struct oracle *o, unsigned session)
{
    struct oracle_session *unread = &o->sessions[session];

    o->answers_count = 0;
    if (unread->open && unread->of_acquire && !unread->of_key &&
        unread->messages <= 1) {
        end_for_its_client(o, unread);
        o->unread++;
    }
    finish(o);
}

void
oracle_nothing(struct oracle *o)
{
    o->answers_count = 0;
    finish(o);
}

/* Whoever was told by it has a grace from here on. */
void
oracle_applied(struct oracle *o, uint64_t through)
{
    lane_t *next;

    o->answers_count = 0;
    do {
        lane_t *lane;

        next = NULL;
        EACH_LANE(o, lane)
        if (lane->state == O_PARKED && lane->timer.at == 0 &&
            lane->told_by <= through &&
            (next == NULL || lane->told_by < next->told_by))
            next = lane;
        if (next != NULL)
            set_timer(o, &next->timer, o->now + grace_of(o, next));
    } while (next != NULL);
    finish(o);
}

static void
on_lane_timer(struct oracle *o, lane_t *lane)
{
    lane->timer.at = 0;
    if (lane->state == O_WAITING &&
        (lane->wait_end > o->now || lane->park > 0)) {
        o->polls += lane->wait_end <= o->now;
        lane->state = O_PARKED;
        say(o, lane->stream, HF_ANSWER_BLOCKING_TIMEOUT)->parked = lane;
        lane->stream = 0;
    } else {
        if (lane->state == O_WAITING)
            say(o, lane->stream, HF_ANSWER_BLOCKING_TIMEOUT);
        o->lost++;
        o->ungranted += lane->state == O_GRANTED;
        leave(lane);
    }
}

/* Was it silent? */
static bool
on_session_timer(struct oracle *o, struct oracle_session *session)
{
    if (o->now < session->heard + session->ttl) {
        set_timer(o, &session->timer, session->heard + session->ttl);
        return false;
    }
    if (!session->refuse || count_held(session) == 0) {
        end_session(o, session);
        return true;
    }
    session->suspected = true;
    session->timer.at = 0;
    for (unsigned l = 0; l < ORACLE_LANES; l++) {
        lane_t *lane = &session->lanes[l];

        if (!lane->known || !waits(lane))
            continue;
        if (lane->state == O_WAITING)
            say(o, lane->stream, HF_ANSWER_LATER);
        lane->state = O_LEFT;
        lane->timer.at = 0;
    }
    return true;
}

/* Is this timer due, and before the best so far? */
static bool
is_next(const struct oracle *o, const struct oracle_timer *timer,
        const struct oracle_timer *best)
{
    if (timer->at == 0 || timer->at > o->now)
        return false;
    return best == NULL || timer->at < best->at ||
           (timer->at == best->at && timer->turn < best->turn);
}

/* One session that was silent is enough for a step. */
void
oracle_clock(struct oracle *o)
{
    bool silent = false;

    o->answers_count = 0;
    while (!silent) {
        const struct oracle_timer *best = NULL;
        struct oracle_session *session = NULL;
        struct oracle_session *of = NULL;
        lane_t *lane;
        lane_t *due = NULL;

        EACH_LANE(o, lane)
        if (is_next(o, &lane->timer, best)) {
            best = &lane->timer;
            due = lane;
            of = &o->sessions[i_ / ORACLE_LANES];
        }
        for (unsigned s = 0; s < ORACLE_SESSIONS; s++)
            if (o->sessions[s].open &&
                is_next(o, &o->sessions[s].timer, best)) {
                best = &o->sessions[s].timer;
                session = &o->sessions[s];
            }
        if (session != NULL)
            silent = on_session_timer(o, session);
        else if (due != NULL) {
            on_lane_timer(o, due);
            see_what_is_left(o, of);
        } else
            break;
    }
    finish(o);
}
