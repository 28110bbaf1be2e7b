#include "simulate/server/people.h"

#include "base/check.h"
#include "simulate/server/nodes.h"
#include "simulate/server/promise.h"
#include "simulate/server/sessions.h"
#include "simulate/server/store.h"

static bool
percent(struct world *w, unsigned percent)
{
    return world_draw(w, 100) < percent;
}

/* ---- What is wanted ------------------------------------------------------ */

static void
want(struct world *w, unsigned who, const struct sim_wish *what, uint64_t label)
{
    struct hf_session_event event = {.kind = HF_SESSION_WANT};
    struct sim_session *session = &w->sessions[who];
    uint64_t id = ++w->wishes_count;
    struct sim_wish *wish = &w->wishes[id];

    HF_CHECK(id < WISHES_MAX && session->mine_count < MINE_MAX);
    *wish = *what;
    wish->session = who;
    wish->wanted_at = session_now(w, session);
    wish->seen = HF_TIMED_OUT;
    wish->life = session->life;
    session->mine[session->mine_count++] = id;
    event.want.id = id;
    event.want.label = label;
    event.want.free = wish->free;
    event.want.wait = wish->wait;
    event.want.deadline = wish->deadline;
    event.want.fail_suspected = wish->fail_suspected;
    sessions_step(w, who, event);
}

static bool
has_room(const struct sim_session *session)
{
    return session->mine_count < MINE_MAX && hf_session_room(session->machine);
}

static void
want_something(struct world *w, unsigned who)
{
    unsigned first = (unsigned)world_draw(w, w->shape.names);
    struct sim_wish wish = {
        .count = (uint8_t)(1 + world_draw(w, 2)),
        .free = percent(w, 8),
        .wait = (enum hf_wait_kind)world_draw(w, 3),
        .deadline = HF_NEVER,
        .fail_suspected = w->shape.looks && percent(w, 30),
    };

    for (unsigned i = 0; i < wish.count; i++) {
        wish.order[i] = (uint8_t)((first + i) % w->shape.names);
        wish.modes[wish.order[i]] =
            (uint8_t)(1 + (percent(w, 40) ? HF_SHARED : HF_EXCLUSIVE));
    }
    if (wish.wait != HF_WAIT_FOREVER)
        wish.deadline =
            hf_after(session_now(w, &w->sessions[who]),
                     (struct hf_duration){1 + (int64_t)world_draw(w, 3000)});
    want(w, who, &wish, world_draw(w, 4));
}

/* ---- What is given back -------------------------------------------------- */

static void
release(struct world *w, uint64_t id)
{
    struct hf_session_event event = {.kind = HF_SESSION_RELEASE};

    event.wish.id = id;
    w->wishes[id].released = true;
    sessions_step(w, w->wishes[id].session, event);
}

static void
lower(struct world *w, uint64_t id)
{
    struct hf_session_event event = {.kind = HF_SESSION_CHANGE};
    struct sim_wish *wish = &w->wishes[id];

    if (!promise_believed(w, wish))
        return;
    event.wish.id = id;
    event.wish.index = (unsigned)world_draw(w, wish->count);
    wish->modes[wish->order[event.wish.index]] = 1 + HF_SHARED;
    sessions_step(w, wish->session, event);
}

static void
end(struct world *w, unsigned who)
{
    struct sim_session *session = &w->sessions[who];

    session->ends = true;
    for (size_t i = 0; i < session->mine_count; i++)
        w->wishes[session->mine[i]].released = true;
    sessions_step(w, who, (struct hf_session_event){.kind = HF_SESSION_END});
}

/* ---- What is seen -------------------------------------------------------- */

static enum hf_outcome
outcome_of(const struct hf_blocker *blocker, struct hf_instant wanted_at)
{
    if (blocker->kind != HF_BLOCKER_HOLDER)
        return HF_TIMED_OUT;
    if (blocker->if_dead == HF_REFUSE && blocker->life == HF_LIFE_GONE)
        return HF_GONE;
    if (blocker->if_dead == HF_REFUSE && blocker->life == HF_LIFE_SUSPECTED)
        return HF_SUSPECTED_DEAD;
    return blocker->life == HF_LIFE_BEATING && blocker->since.ms <= wanted_at.ms
               ? HF_HELD_TOO_LONG
               : HF_TIMED_OUT;
}

/* Anybody: who lives here has to be right whatever is shown. */
static void
look(struct world *w, uint64_t id)
{
    struct sim_wish *wish = &w->wishes[id];
    struct hf_instant now = session_now(w, &w->sessions[wish->session]);
    struct hf_session_event event = {.kind = HF_SESSION_SEEN};

    event.wish.id = id;
    event.wish.blocker = (struct hf_blocker){
        .kind = (enum hf_blocker_kind)world_draw(w, HF_BLOCKER_HOLDER + 1),
        .life = (enum hf_life)world_draw(w, HF_LIFE_GONE + 1),
        .if_dead = percent(w, 50) ? HF_REFUSE : HF_TAKEOVER,
        .since = {now.ms - (int64_t)world_draw(w, 3000)},
        .until = {now.ms + (int64_t)world_draw(w, 3000)},
    };
    if (!hf_reached(now, wish->deadline) &&
        hf_session_waits(w->sessions[wish->session].machine, id))
        wish->seen = outcome_of(&event.wish.blocker, wish->wanted_at);
    sessions_step(w, wish->session, event);
}

/* ---- Users --------------------------------------------------------------- */

static void
do_something(struct world *w, unsigned who)
{
    struct sim_session *session = &w->sessions[who];
    uint64_t id = 0;

    if (session->mine_count > 0)
        id = session->mine[world_draw(w, session->mine_count)];
    if (id != 0 && w->shape.looks && percent(w, 60))
        look(w, id);
    else if (id != 0 && percent(w, 45))
        release(w, id);
    else if (id != 0 && percent(w, 12))
        lower(w, id);
    else if (percent(w, 2))
        end(w, who);
    else if (has_room(session))
        want_something(w, who);
}

/* One more lock, for a moment, for whoever is there. */
static void
finish(struct world *w, unsigned who)
{
    struct sim_session *session = &w->sessions[who];
    struct sim_wish wish = {
        .count = 1, .wait = HF_WAIT_FOREVER, .deadline = HF_NEVER};

    for (size_t i = session->mine_count; i > 0; i--)
        if (w->wishes[session->mine[i - 1]].granted &&
            !w->wishes[session->mine[i - 1]].released) {
            release(w, session->mine[i - 1]);
            return;
        }
    if (session->wanted_last || !has_room(session))
        return;
    session->wanted_last = true;
    wish.order[0] = (uint8_t)world_draw(w, w->shape.names);
    wish.modes[wish.order[0]] = 1 + HF_EXCLUSIVE;
    want(w, who, &wish, 0);
}

void
people_act(struct world *w, unsigned who)
{
    struct sim_session *session = &w->sessions[who];

    if (w->phase == PHASE_CALM || w->phase == PHASE_EXPIRING)
        return;
    if (hf_session_over(session->machine))
        sessions_begin(w, who);
    if (session->ends)
        return;
    if (w->phase == PHASE_FAULTS)
        do_something(w, who);
    else
        finish(w, who);
}

void
people_settle(struct world *w)
{
    for (unsigned i = 0; i < w->sessions_count; i++) {
        struct sim_session *session = &w->sessions[i];

        for (size_t k = session->mine_count; k > 0; k--)
            if (k <= session->mine_count)
                release(w, session->mine[k - 1]);
    }
}

/* ---- Operators ----------------------------------------------------------- */

void
people_clear_one(struct world *w)
{
    size_t from = world_draw(w, 8);

    for (size_t i = from; i < w->store.grants_count; i++)
        if (store_valid(w, &w->store.grants[i])) {
            nodes_clear(w, &w->store.grants[i], percent(w, 70));
            return;
        }
}

/* The dead do not give back, and are suspected by now.  What came back with an
 * older copy of the store nobody knows of, though its session may be alive. */
void
people_clear_rest(struct world *w)
{
    for (size_t i = 0; i < w->store.grants_count; i++) {
        const struct sim_grant grant = w->store.grants[i];
        const struct sim_wish *wish = &w->wishes[grant.wish];

        if (store_valid(w, &grant) && (!sessions_lives(w, wish) || wish->ghost))
            nodes_clear(w, &grant, wish->ghost);
    }
}
