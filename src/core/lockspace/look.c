#include "core/lockspace/look.h"

#include "core/lockspace/claims.h"
#include "core/lockspace/idle.h"
#include "core/lockspace/line.h"
#include "core/lockspace/names.h"
#include "core/lockspace/onlookers.h"
#include "core/lockspace/owners.h"
#include "core/lockspace/parts.h"

struct hf_duration
hf_look_withheld(const struct hf_lockspace *ls)
{
    if (hf_reached(ls->now, ls->hold_until))
        return (struct hf_duration){0};
    return hf_between(ls->now, ls->hold_until);
}

bool
hf_look_gathers(const struct hf_lockspace *ls)
{
    return !hf_reached(ls->now, ls->gather_until);
}

struct hf_look_totals
hf_look_totals(const struct hf_lockspace *ls)
{
    struct hf_look_totals totals = {
        .sessions = ls->sessions.count,
        .locks = ls->names.count,
        .waiters = ls->waiters_count,
    };

    for (uint32_t space = 1; space <= ls->spaces.fresh; space++)
        totals.holders += hf_space_at(ls, space)->grants_count;
    return totals;
}

struct hf_look_room
hf_look_room(const struct hf_lockspace *ls)
{
    return (struct hf_look_room){
        .sessions = ls->sessions.count,
        .most = ls->config.limits.sessions,
        .is_short = hf_idle_room_short(ls),
    };
}

size_t
hf_look_text(const struct hf_lockspace *ls, struct hf_string text, char *to,
             size_t size)
{
    return hf_strings_copy(ls, &ls->texts, text, to, size);
}

void
hf_look_session_at(const struct hf_lockspace *ls, uint32_t number,
                   struct hf_look_session *row)
{
    const struct hf_ls_session *session = hf_session_at(ls, number);

    *row = (struct hf_look_session){
        .id = session->id,
        .secret = session->secret,
        .ttl = session->ttl,
        .if_dead = (enum hf_if_dead)session->if_dead,
        .suspected = session->state == HF_SESSION_SUSPECTED,
        .of_acquire = session->of_acquire,
        .heard = !session->unheard,
        .heard_at = session->heard_at,
        .silent = hf_between(session->heard_at, ls->now),
        .silent_from =
            session->unheard ? ls->silent_from : (struct hf_duration){0},
        .grants = session->held.count,
        .waiters = session->waiters_count,
        .revoked = session->revoked_count,
        .lanes = session->lanes_count,
        .who = session->who,
    };
}

bool
hf_look_sessions(const struct hf_lockspace *ls, uint32_t *cursor,
                 struct hf_look_session *row)
{
    while (*cursor < ls->sessions.fresh) {
        uint8_t state = hf_session_at(ls, ++*cursor)->state;

        if (state == HF_SESSION_FREE || state == HF_SESSION_OVER)
            continue;
        hf_look_session_at(ls, *cursor, row);
        return true;
    }
    return false;
}

static void
look_at_name(const struct hf_lockspace *ls, uint32_t number,
             struct hf_look_name *row)
{
    const struct hf_ls_name *name = hf_name_at(ls, number);

    *row = (struct hf_look_name){
        .number = number,
        .space = hf_space_at(ls, name->space)->text,
        .name = hf_name_text(name),
        .holders = name->holders_count,
        .waiters = name->waiters_count,
        .exclusive_waits = name->first_exclusive != 0,
    };
}

bool
hf_look_names(const struct hf_lockspace *ls, uint32_t *cursor,
              struct hf_look_name *row)
{
    while (*cursor < ls->names.fresh) {
        if (hf_name_at(ls, ++*cursor)->space == 0)
            continue; /* free */
        look_at_name(ls, *cursor, row);
        return true;
    }
    return false;
}

bool
hf_look_find(struct hf_lockspace *ls, const struct hf_want *lock,
             struct hf_look_name *row)
{
    uint32_t number = hf_names_find(ls, lock);

    if (number != 0)
        look_at_name(ls, number, row);
    return number != 0;
}

void
hf_look_grant_at(const struct hf_lockspace *ls, uint32_t number,
                 struct hf_look_claim *row)
{
    const struct hf_ls_claim *claim = hf_claim_at(ls, number);
    const struct hf_ls_lane *lane = hf_lane_at(ls, claim->lane);
    const struct hf_ls_session *session = hf_session_at(ls, lane->session);

    *row = (struct hf_look_claim){
        .session = session->id,
        .lane = lane->number,
        .n = claim->n,
        .fence = claim->state == HF_CLAIM_HELD ? claim->fence : 0,
        .free = claim->looks_on,
        .age = hf_between(claim->since, ls->now),
        .note = hf_claim_note(claim),
        .who = session->who,
    };
}

/* Is no conflicting part before it in line? */
static bool
comes_first(const struct hf_lockspace *ls, const struct hf_ls_part *part)
{
    const struct hf_ls_name *name = hf_name_at(ls, part->name);

    if (part->mode == HF_EXCLUSIVE || name->first_exclusive == 0)
        return part->mode == HF_SHARED || part->links.prev == 0;
    return hf_part_came_before(part, hf_part_at(ls, name->first_exclusive));
}

/* For an onlooker: does nothing of this name block it? */
static bool
is_free(const struct hf_lockspace *ls, const struct hf_ls_part *part)
{
    return part->clear && !hf_onlookers_is_held(ls, part);
}

static enum hf_look_why
why_it_looks_on(const struct hf_lockspace *ls, const struct hf_ls_part *part)
{
    const struct hf_ls_claim *claim = hf_claim_at(ls, part->claim);
    uint32_t at = claim->parts;

    if (!part->clear)
        return HF_LOOK_BEHIND;
    if (!is_free(ls, part))
        return HF_LOOK_HELD;
    while (at != 0 && is_free(ls, hf_part_at(ls, at)))
        at = hf_part_at(ls, at)->next;
    if (at != 0)
        return HF_LOOK_ELSEWHERE;
    return hf_lane_at(ls, claim->lane)->state == HF_LANE_PARKED ? HF_LOOK_PARKED
                                                                : HF_LOOK_GRACE;
}

static enum hf_look_why
why_of(const struct hf_lockspace *ls, const struct hf_ls_part *part)
{
    const struct hf_ls_claim *claim = hf_claim_at(ls, part->claim);

    if (claim->state == HF_CLAIM_HELD)
        return HF_LOOK_HOLDS;
    if (claim->looks_on)
        return why_it_looks_on(ls, part);
    if (!part->clear)
        return comes_first(ls, part) ? HF_LOOK_HELD : HF_LOOK_BEHIND;
    if (claim->blocked > 0)
        return HF_LOOK_ELSEWHERE;
    if (hf_lane_at(ls, claim->lane)->state == HF_LANE_PARKED)
        return HF_LOOK_PARKED;
    return HF_LOOK_GRACE;
}

/* A parked place does not wait until its client asks again. */
static void
look_at_place(const struct hf_lockspace *ls, uint32_t number,
              struct hf_look_claim *row)
{
    const struct hf_ls_claim *claim = hf_claim_at(ls, number);

    row->parked = claim->state == HF_CLAIM_WAITING &&
                  hf_lane_at(ls, claim->lane)->state == HF_LANE_PARKED;
    if (row->parked)
        row->kept = hf_claims_grace_of(ls, number);
}

/* The next part of the chain that begins with `first`. */
static uint32_t
part_after(const struct hf_lockspace *ls, uint32_t first, uint32_t cursor)
{
    return cursor == 0 ? first : hf_part_at(ls, cursor)->links.next;
}

static bool
show_part(const struct hf_lockspace *ls, uint32_t at, uint32_t *cursor,
          struct hf_look_claim *row)
{
    if (at == 0)
        return false;
    *cursor = at;
    hf_look_grant_at(ls, hf_part_at(ls, at)->claim, row);
    row->mode = (enum hf_mode)hf_part_at(ls, at)->mode;
    row->why = why_of(ls, hf_part_at(ls, at));
    look_at_place(ls, hf_part_at(ls, at)->claim, row);
    return true;
}

bool
hf_look_holders(const struct hf_lockspace *ls, uint32_t name, uint32_t *cursor,
                struct hf_look_claim *row)
{
    uint32_t at = part_after(ls, hf_name_at(ls, name)->holders, *cursor);

    return show_part(ls, at, cursor, row);
}

bool
hf_look_holder(struct hf_lockspace *ls, const struct hf_want *lock,
               uint64_t fence, struct hf_look_claim *row)
{
    uint32_t name = hf_names_find(ls, lock);
    uint32_t cursor = 0;

    while (name != 0 && hf_look_holders(ls, name, &cursor, row))
        if (row->fence == fence)
            return true;
    return false;
}

bool
hf_look_line(const struct hf_lockspace *ls, uint32_t name, uint32_t *cursor,
             struct hf_look_claim *row)
{
    uint32_t at = part_after(ls, hf_name_at(ls, name)->line.first, *cursor);
    bool looks_on = *cursor != 0 &&
                    hf_claim_at(ls, hf_part_at(ls, *cursor)->claim)->looks_on;

    if (at == 0 && !looks_on && hf_name_at(ls, name)->onlookers != 0)
        at = hf_onlookers_at(ls, name)->all.first;
    return show_part(ls, at, cursor, row);
}

bool
hf_look_grant_names(const struct hf_lockspace *ls, uint32_t number,
                    uint32_t *cursor, struct hf_look_name *row,
                    enum hf_mode *mode)
{
    uint32_t at = *cursor == 0 ? hf_claim_at(ls, number)->parts
                               : hf_part_at(ls, *cursor)->next;

    if (at == 0)
        return false;
    *cursor = at;
    look_at_name(ls, hf_part_at(ls, at)->name, row);
    *mode = (enum hf_mode)hf_part_at(ls, at)->mode;
    return true;
}

struct hf_string
hf_look_audit_at(const struct hf_lockspace *ls, uint32_t number)
{
    return hf_claim_note(hf_claim_at(ls, number));
}

uint32_t
hf_look_fence(struct hf_lockspace *ls, uint64_t fence)
{
    return hf_owners_fence(ls, fence);
}

uint32_t
hf_look_session(struct hf_lockspace *ls, uint64_t id)
{
    return hf_owners_session(ls, id);
}

uint32_t
hf_look_held(struct hf_lockspace *ls, uint64_t session, uint64_t lane,
             uint64_t n)
{
    uint32_t of = hf_owners_session(ls, session);
    uint32_t at = of == 0 ? 0 : hf_owners_lane(ls, of, lane);

    return at == 0 ? 0 : hf_owners_held(ls, at, n);
}

uint32_t
hf_look_waiting(struct hf_lockspace *ls, uint64_t session, uint64_t lane,
                uint64_t n)
{
    uint32_t of = hf_owners_session(ls, session);
    uint32_t at = of == 0 ? 0 : hf_owners_lane(ls, of, lane);
    uint32_t current = at == 0 ? 0 : hf_lane_at(ls, at)->current;

    if (current == 0 || hf_claim_at(ls, current)->state >= HF_CLAIM_HELD ||
        (n != 0 && hf_claim_at(ls, current)->n != n))
        return 0;
    return current;
}

uint64_t
hf_look_asked(struct hf_lockspace *ls, const struct hf_message *acquire)
{
    uint32_t of = hf_owners_session(ls, acquire->session);
    uint32_t at = of == 0 ? 0 : hf_owners_lane(ls, of, acquire->lane);
    const struct hf_ls_lane *lane;
    uint32_t name;
    uint32_t hold = 0;

    if (at == 0)
        return 1;
    lane = hf_lane_at(ls, at);
    if (lane->state == HF_LANE_LEFT ||
        (lane->current != 0 && hf_claims_ask_for(ls, lane->current, acquire)))
        return lane->n;
    name = acquire->acquire.wants_count == 0
               ? 0
               : hf_names_find(ls, &acquire->acquire.wants[0]);
    while (name != 0 && (hold = hf_line_next_hold(ls, at, name, hold)) != 0) {
        uint32_t held = hf_part_at(ls, hold)->claim;

        if (hf_claim_at(ls, held)->state == HF_CLAIM_HELD &&
            hf_claims_ask_for(ls, held, acquire))
            return hf_claim_at(ls, held)->n;
    }
    return lane->n + 1;
}

uint64_t
hf_look_meant(struct hf_lockspace *ls, uint64_t session, uint64_t lane,
              const struct hf_want *lock)
{
    uint32_t of = hf_owners_session(ls, session);
    uint32_t at = of == 0 ? 0 : hf_owners_lane(ls, of, lane);
    uint32_t name = hf_names_find(ls, lock);
    uint64_t last = 0;
    uint32_t hold = 0;

    if (at == 0)
        return 1;
    while (name != 0 && (hold = hf_line_next_hold(ls, at, name, hold)) != 0) {
        const struct hf_ls_claim *held =
            hf_claim_at(ls, hf_part_at(ls, hold)->claim);

        if (held->state == HF_CLAIM_HELD && held->n > last)
            last = held->n;
    }
    return last != 0 ? last : hf_lane_at(ls, at)->n;
}
