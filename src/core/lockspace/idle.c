#include "core/lockspace/idle.h"

#include "core/lockspace/owners.h"

/* Sessions opened between two looks at all of them. */
#define OPENS_MAX (HF_IDLE_ENDED_MAX / 2)

/* Addresses are counted by a hash of this many values. */
#define COUNTS 1024

/* ---- Is it short? -------------------------------------------------------- */

/* From this many open sessions on, room is short. */
static uint32_t
ample(const struct hf_lockspace *ls)
{
    return ls->config.limits.sessions - ls->config.limits.sessions / 4;
}

bool
hf_idle_room_short(const struct hf_lockspace *ls)
{
    return ls->sessions.count > ample(ls);
}

/* A look reads all sessions: so one look serves many opens, after the first. */
static bool
is_due(struct hf_lockspace *ls)
{
    uint32_t opens = ls->config.limits.sessions / 64;

    if (!hf_idle_room_short(ls)) {
        ls->opens_left = 0;
        return false;
    }
    if (ls->opens_left > 0) {
        ls->opens_left--;
        return false;
    }
    if (opens > OPENS_MAX)
        opens = OPENS_MAX;
    ls->opens_left = opens > 0 ? opens - 1 : 0;
    return true;
}

/* ---- Which go? ----------------------------------------------------------- */

static bool
may_go(const struct hf_ls_session *session)
{
    return session->state == HF_SESSION_LIVE && session->address != 0 &&
           hf_owners_idle(session);
}

static uint32_t
count_of(const struct hf_lockspace *ls, uint64_t address)
{
    return (uint32_t)(hf_index_mix(address, ls->config.hash_seed) % COUNTS);
}

/* The address with more than half of the sessions counted there; if none has
 * that many, one of them (Boyer, Moore 1981). */
static uint64_t
majority(const struct hf_lockspace *ls, uint32_t at)
{
    uint64_t address = 0;
    uint32_t lead = 0;

    for (uint32_t i = 1; i <= ls->sessions.fresh; i++) {
        const struct hf_ls_session *session = hf_session_at(ls, i);

        if (!may_go(session) || count_of(ls, session->address) != at)
            continue;
        if (lead == 0)
            address = session->address;
        if (session->address == address)
            lead++;
        else
            lead--;
    }
    return address;
}

/* The address that has most of the idle sessions; 0: none has any. */
static uint64_t
most_crowded(const struct hf_lockspace *ls)
{
    uint32_t counts[COUNTS] = {0};
    uint32_t best = 0;

    for (uint32_t i = 1; i <= ls->sessions.fresh; i++) {
        const struct hf_ls_session *session = hf_session_at(ls, i);
        uint32_t at;

        if (!may_go(session))
            continue;
        at = count_of(ls, session->address);
        if (++counts[at] > counts[best])
            best = at;
    }
    return counts[best] == 0 ? 0 : majority(ls, best);
}

static bool
is_older(const struct hf_lockspace *ls, uint32_t a, uint32_t b)
{
    return hf_session_at(ls, a)->heard_at.ms <
           hf_session_at(ls, b)->heard_at.ms;
}

/* Insert a session among those heard earlier; only so many are kept. */
static uint32_t
insert(const struct hf_lockspace *ls, uint32_t *sessions, uint32_t count,
       uint32_t most, uint32_t number)
{
    uint32_t at = count;

    if (count == most && !is_older(ls, number, sessions[count - 1]))
        return count;
    if (count == most)
        at--;
    for (; at > 0 && is_older(ls, number, sessions[at - 1]); at--)
        sessions[at] = sessions[at - 1];
    sessions[at] = number;
    return count < most ? count + 1 : count;
}

uint32_t
hf_idle_make_room(struct hf_lockspace *ls, uint32_t sessions[HF_IDLE_ENDED_MAX])
{
    uint32_t count = 0;
    uint32_t most;
    uint64_t address;

    if (!is_due(ls))
        return 0;
    most = ls->sessions.count - ample(ls);
    if (most > HF_IDLE_ENDED_MAX)
        most = HF_IDLE_ENDED_MAX;
    address = most_crowded(ls);
    for (uint32_t i = 1; address != 0 && i <= ls->sessions.fresh; i++) {
        const struct hf_ls_session *session = hf_session_at(ls, i);

        if (may_go(session) && session->address == address)
            count = insert(ls, sessions, count, most, i);
    }
    return count;
}
