#include "lab/check.h"

#include "base/check.h"
#include "core/lockspace/line.h"
#include "core/lockspace/list.h"

/*
 * Everything, from the lowest up: each line below is an invariant, computed
 * anew in the plainest way, beside what the machine kept.
 */

/* ---- Names --------------------------------------------------------------- */

static bool
held_by_other(const struct hf_lockspace *ls, const struct hf_ls_part *part)
{
    uint32_t own = hf_claim_at(ls, part->claim)->lane;
    uint32_t at = hf_name_at(ls, part->name)->holders;

    for (; at != 0; at = hf_part_at(ls, at)->links.next) {
        const struct hf_ls_part *holder = hf_part_at(ls, at);

        if (hf_claim_at(ls, holder->claim)->lane != own &&
            (holder->mode == HF_EXCLUSIVE || part->mode == HF_EXCLUSIVE))
            return true;
    }
    return false;
}

static void
check_holders(const struct hf_lockspace *ls, uint32_t number)
{
    const struct hf_ls_name *name = hf_name_at(ls, number);
    uint32_t count = 0;

    for (uint32_t at = name->holders; at != 0;
         at = hf_part_at(ls, at)->links.next) {
        const struct hf_ls_part *part = hf_part_at(ls, at);

        HF_CHECK(part->name == number);
        HF_CHECK(hf_claim_at(ls, part->claim)->state == HF_CLAIM_HELD);
        HF_CHECK(!held_by_other(ls, part));
        HF_CHECK(part->mode == HF_SHARED || at == name->holders);
        count++;
    }
    HF_CHECK(count == name->holders_count);
}

static void
check_line(const struct hf_lockspace *ls, uint32_t number)
{
    const struct hf_ls_name *name = hf_name_at(ls, number);
    uint32_t first_exclusive = 0;
    uint32_t before = 0;

    for (uint32_t at = name->line.first; at != 0;
         at = hf_part_at(ls, at)->links.next) {
        const struct hf_ls_part *part = hf_part_at(ls, at);
        bool behind =
            first_exclusive != 0 || (part->mode == HF_EXCLUSIVE && before != 0);

        HF_CHECK(part->name == number && part->links.prev == before);
        HF_CHECK(hf_claim_at(ls, part->claim)->state == HF_CLAIM_WAITING);
        HF_CHECK(!hf_claim_at(ls, part->claim)->looks_on);
        HF_CHECK(part->clear == (!behind && !held_by_other(ls, part)));
        HF_CHECK(before == 0 ||
                 (int32_t)(hf_part_at(ls, before)->turn - part->turn) < 0);
        if (first_exclusive == 0 && part->mode == HF_EXCLUSIVE)
            first_exclusive = at;
        before = at;
    }
    HF_CHECK(name->line.last == before);
    HF_CHECK(name->first_exclusive == first_exclusive);
}

/* An onlooker behind the first in line came after all that are not. */
static void
check_onlookers(const struct hf_lockspace *ls, uint32_t number)
{
    const struct hf_ls_onlookers *onlookers = hf_onlookers_at(ls, number);
    uint32_t line = hf_name_at(ls, number)->line.first;
    uint32_t first_behind = 0;
    uint32_t count = 0;

    for (uint32_t at = onlookers->all.first; at != 0;
         at = hf_part_at(ls, at)->links.next) {
        const struct hf_ls_part *part = hf_part_at(ls, at);

        HF_CHECK(part->name == number);
        HF_CHECK(hf_claim_at(ls, part->claim)->state == HF_CLAIM_WAITING);
        HF_CHECK(hf_claim_at(ls, part->claim)->looks_on);
        HF_CHECK(part->clear ==
                 (first_behind == 0 && at != onlookers->first_behind));
        HF_CHECK(part->clear || (line != 0 && hf_part_came_before(
                                                  hf_part_at(ls, line), part)));
        if (!part->clear && first_behind == 0)
            first_behind = at;
        count++;
    }
    HF_CHECK(onlookers->first_behind == first_behind);
    HF_CHECK(count <= onlookers->count);
    HF_CHECK(onlookers->count <= hf_name_at(ls, number)->waiters_count);
}

/* A claim that a name keeps waiting is in the list of that name, which is held
 * or looked at. */
static void
check_kept(const struct hf_lockspace *ls, uint32_t number)
{
    const struct hf_ls_onlookers *onlookers = hf_onlookers_at(ls, number);
    uint32_t before = 0;

    for (uint32_t at = onlookers->kept.first; at != 0;
         at = hf_claim_at(ls, at)->work.next) {
        const struct hf_ls_claim *claim = hf_claim_at(ls, at);
        uint32_t part = claim->parts;

        HF_CHECK(claim->looks_on && claim->listed &&
                 claim->work.prev == before);
        while (hf_part_at(ls, part)->name != number)
            part = hf_part_at(ls, part)->next;
        HF_CHECK(hf_part_at(ls, part)->keeps);
        HF_CHECK(onlookers->freed_as != HF_NOT_FREED ||
                 held_by_other(ls, hf_part_at(ls, part)));
        before = at;
    }
    HF_CHECK(onlookers->kept.last == before);
    HF_CHECK(before != 0 || onlookers->freed_as == HF_NOT_FREED);
}

/* Where one keeps who looks at it alone stands before where none does. */
static void
check_freed(const struct hf_lockspace *ls)
{
    uint8_t before = HF_FREED_FIRST;

    for (uint32_t at = ls->freed.first; at != 0;
         at = hf_onlookers_at(ls, at)->freed.next) {
        const struct hf_ls_onlookers *onlookers = hf_onlookers_at(ls, at);
        uint32_t first = onlookers->kept.first;

        HF_CHECK(onlookers->freed_as >= before);
        HF_CHECK((onlookers->freed_as == HF_FREED_FIRST) ==
                 (hf_claim_at(ls, first)->parts_count == 1));
        before = onlookers->freed_as;
    }
}

static void
check_names(const struct hf_lockspace *ls)
{
    uint32_t count = 0;
    uint32_t looked_at = 0;

    for (uint32_t at = 1; at <= ls->names.fresh; at++) {
        const struct hf_ls_name *name = hf_name_at(ls, at);

        if (name->space == 0)
            continue;
        count++;
        HF_CHECK(name->holders_count + name->waiters_count > 0);
        check_holders(ls, at);
        check_line(ls, at);
        if (name->onlookers == 0)
            continue;
        check_onlookers(ls, at);
        check_kept(ls, at);
        looked_at++;
    }
    check_freed(ls);
    HF_CHECK(looked_at == ls->onlookers.count);
    HF_CHECK(count == ls->names.count);
}

/* ---- Claims -------------------------------------------------------------- */

struct totals {
    uint32_t claims;
    uint32_t parts; /* but the first of each claim */
    uint32_t waiting;
    uint32_t untold;
    uint32_t kept;
    uint32_t pieces;
    uint32_t pending; /* changes and sweeps */
};

static uint32_t
count_parts(const struct hf_lockspace *ls, uint32_t number, uint32_t *blocked)
{
    const struct hf_ls_claim *claim = hf_claim_at(ls, number);
    uint32_t count = 0;
    uint32_t keep = 0;

    *blocked = 0;
    for (uint32_t at = claim->parts; at != 0; at = hf_part_at(ls, at)->next) {
        HF_CHECK(hf_part_at(ls, at)->claim == number);
        HF_CHECK((at == number) == (hf_part_at(ls, at)->next == 0));
        *blocked += !hf_part_at(ls, at)->clear;
        keep += hf_part_at(ls, at)->keeps;
        count++;
    }
    HF_CHECK(keep == (claim->looks_on && claim->listed));
    return count;
}

static bool
is_timed(const struct hf_lockspace *ls, uint32_t claim)
{
    return hf_timers_has(ls, &ls->timers, hf_item_of_claim(ls, claim));
}

static void
check_claim(const struct hf_lockspace *ls, uint32_t number)
{
    const struct hf_ls_claim *claim = hf_claim_at(ls, number);
    const struct hf_ls_lane *lane = hf_lane_at(ls, claim->lane);
    uint32_t blocked;
    uint32_t parts = count_parts(ls, number, &blocked);

    switch ((enum hf_claim_state)claim->state) {
    case HF_CLAIM_FREE:
        return;
    case HF_CLAIM_ASKED:
        HF_CHECK(lane->current == number && lane->state == HF_LANE_WAITING);
        HF_CHECK(parts > 0 && !claim->listed);
        break;
    case HF_CLAIM_WAITING:
        HF_CHECK(lane->current == number);
        HF_CHECK(lane->state == HF_LANE_WAITING ||
                 lane->state == HF_LANE_PARKED);
        HF_CHECK((claim->stream == 0) == (lane->state == HF_LANE_PARKED));
        HF_CHECK(!claim->untold || lane->state == HF_LANE_PARKED);
        HF_CHECK(is_timed(ls, number) == !claim->untold);
        HF_CHECK(parts > 0 && claim->blocked == blocked);
        HF_CHECK(claim->listed ==
                 (blocked == 0 && lane->state == HF_LANE_WAITING));
        break;
    case HF_CLAIM_HELD:
        HF_CHECK(parts > 0 && claim->fence < ls->next_fence);
        HF_CHECK(claim->is_old == (lane->current != number));
        HF_CHECK(claim->is_old || lane->state == HF_LANE_GRANTED);
        HF_CHECK(!is_timed(ls, number) ||
                 (!claim->is_old && !claim->handed && claim->stream == 0));
        HF_CHECK(claim->stored || claim->pending == HF_PENDING_PUT);
        break;
    case HF_CLAIM_REVOKED:
        HF_CHECK(parts == 0 && !is_timed(ls, number));
        HF_CHECK(claim->is_old == (lane->current != number));
        break;
    case HF_CLAIM_ENDED:
        HF_CHECK(parts == 0 && claim->pending != HF_PENDING_NOTHING);
        HF_CHECK(!is_timed(ls, number));
        break;
    }
}

static void
count_claims(const struct hf_lockspace *ls, struct totals *totals)
{
    for (uint32_t at = 1; at <= ls->claims.fresh; at++) {
        const struct hf_ls_claim *claim = hf_claim_at(ls, at);
        uint32_t blocked;
        uint32_t parts;

        if (claim->state == HF_CLAIM_FREE)
            continue;
        check_claim(ls, at);
        parts = count_parts(ls, at, &blocked);
        totals->claims++;
        totals->parts += parts > 0 ? parts - 1 : 0;
        totals->pieces += hf_strings_pieces(claim->note_len);
        totals->pending += claim->pending != HF_PENDING_NOTHING;
        totals->untold += claim->untold;
        totals->kept += claim->state == HF_CLAIM_HELD && is_timed(ls, at);
        totals->waiting +=
            claim->state == HF_CLAIM_ASKED || claim->state == HF_CLAIM_WAITING;
    }
}

/* ---- Sessions ------------------------------------------------------------ */

static uint32_t
count_list(const struct hf_lockspace *ls, const struct hf_ls_list *list,
           hf_links_fn *links)
{
    uint32_t count = 0;
    uint32_t before = 0;

    for (uint32_t at = list->first; at != 0; at = links(ls, at)->next) {
        HF_CHECK(links(ls, at)->prev == before);
        before = at;
        count++;
    }
    HF_CHECK(list->last == before);
    return count;
}

/* Those that were told are at its front. */
static void
check_untold(const struct hf_lockspace *ls, const struct totals *totals)
{
    uint64_t before = 0;

    HF_CHECK(count_list(ls, &ls->untold, hf_list_work) == totals->untold);
    for (uint32_t at = ls->untold.first; at != 0;
         at = hf_claim_at(ls, at)->work.next) {
        HF_CHECK(hf_claim_at(ls, at)->untold);
        HF_CHECK(hf_claim_at(ls, at)->told_by > before);
        before = hf_claim_at(ls, at)->told_by;
    }
    HF_CHECK(before <= ls->marks && ls->through <= ls->marks);
}

static struct hf_links *
links_of_change(const struct hf_lockspace *ls, uint32_t item)
{
    if (hf_item_is_claim(ls, item))
        return &hf_claim_at(ls, hf_claim_of_item(ls, item))->change.links;
    return &hf_session_at(ls, item)->change.links;
}

static struct hf_fence_sum
sum_of(const struct hf_lockspace *ls, uint32_t session)
{
    struct hf_fence_sum sum = {0};

    for (uint32_t at = 1; at <= ls->claims.fresh; at++) {
        const struct hf_ls_claim *claim = hf_claim_at(ls, at);

        if (claim->state == HF_CLAIM_HELD &&
            hf_lane_at(ls, claim->lane)->session == session)
            hf_fence_sum_add(&sum, claim->fence);
    }
    return sum;
}

static uint32_t
count_lanes(const struct hf_lockspace *ls, uint32_t number)
{
    uint32_t count = 0;

    for (uint32_t at = 1; at <= ls->lanes.fresh; at++) {
        const struct hf_ls_lane *lane = hf_lane_at(ls, at);

        if (lane->session != number)
            continue;
        count++;
        HF_CHECK(lane->left == 0 ||
                 hf_lane_at(ls, lane->left)->number > lane->number);
        HF_CHECK(lane->right == 0 ||
                 hf_lane_at(ls, lane->right)->number > lane->number);
    }
    return count;
}

static bool
ends_by_time(const struct hf_ls_session *session)
{
    return session->state == HF_SESSION_LIVE ||
           (session->state == HF_SESSION_SUSPECTED && session->held.count == 0);
}

static void
check_sessions(const struct hf_lockspace *ls, struct totals *totals)
{
    uint32_t count = 0;
    uint32_t waiting = 0;
    uint32_t of_keys = 0;

    for (uint32_t at = 1; at <= ls->sessions.fresh; at++) {
        const struct hf_ls_session *session = hf_session_at(ls, at);
        struct hf_fence_sum sum;

        if (session->state == HF_SESSION_FREE)
            continue;
        count++;
        sum = sum_of(ls, at);
        HF_CHECK(hf_fence_sum_equal(&sum, &session->held));
        HF_CHECK(count_lanes(ls, at) == session->lanes_count);
        HF_CHECK(count_list(ls, &session->waiting, hf_list_mates) ==
                 session->waiters_count);
        HF_CHECK(ls->telling.first != 0 ||
                 count_list(ls, &session->grants, hf_list_work) ==
                     session->held.count);
        HF_CHECK(count_list(ls, &session->revoked, hf_list_work) ==
                 session->revoked_count);
        HF_CHECK((session->state == HF_SESSION_OVER) ==
                 (session->pending == HF_PENDING_DELETE));
        HF_CHECK(session->pending != HF_PENDING_SILENCE || session->unheard);
        HF_CHECK(session->pending == HF_PENDING_NOTHING || session->recorded);
        HF_CHECK(hf_timers_has(ls, &ls->timers, at) == ends_by_time(session));
        totals->pieces += hf_strings_pieces(session->who.len);
        totals->pending += session->pending != HF_PENDING_NOTHING;
        waiting += session->waiters_count;
        of_keys += session->of_key;
        HF_CHECK(!session->of_key || session->state != HF_SESSION_OVER);
    }
    HF_CHECK(of_keys == ls->of_keys_count);
    HF_CHECK(count == ls->sessions.count);
    HF_CHECK(waiting == ls->waiters_count && waiting == totals->waiting);
}

static void
check_texts(const struct hf_lockspace *ls, struct totals *totals)
{
    for (uint32_t at = 1; at <= ls->names.fresh; at++)
        if (hf_name_at(ls, at)->space != 0)
            totals->pieces += hf_strings_pieces(hf_name_at(ls, at)->text_len);
    for (uint32_t at = 1; at <= ls->spaces.fresh; at++)
        if (hf_space_at(ls, at)->names_count > 0)
            totals->pieces += hf_strings_pieces(hf_space_at(ls, at)->text.len);
    HF_CHECK(totals->pieces == ls->texts.count);
}

void
hf_lockspace_check(struct hf_lockspace *ls)
{
    struct totals totals = {0};

    check_names(ls);
    count_claims(ls, &totals);
    check_untold(ls, &totals);
    check_sessions(ls, &totals);
    check_texts(ls, &totals);
    HF_CHECK(totals.claims == ls->claims.count);
    HF_CHECK(totals.kept == ls->kept_count);
    HF_CHECK(totals.parts == ls->parts.count);
    HF_CHECK(totals.pending ==
             count_list(ls, &ls->changes, links_of_change) +
                 count_list(ls, &ls->sweeps, links_of_change) +
                 count_list(ls, &ls->silences, links_of_change));
    HF_CHECK(hf_timers_sound(ls, &ls->timers));
    HF_CHECK(hf_timers_sound(ls, &ls->gathered));
}
