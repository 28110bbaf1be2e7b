#include "core/lockspace/onlookers.h"

#include "base/check.h"
#include "core/lockspace/list.h"

/* ---- Those of a name ----------------------------------------------------- */

uint32_t
hf_onlookers_of(const struct hf_lockspace *ls, uint32_t name)
{
    return hf_name_at(ls, name)->onlookers == 0
               ? 0
               : hf_onlookers_at(ls, name)->count;
}

void
hf_onlookers_count(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_name *name = hf_name_at(ls, number);

    if (name->onlookers == 0)
        name->onlookers = hf_pool_take(ls, &ls->onlookers);
    HF_CHECK(name->onlookers != 0); /* as many entries as there can be: see
                                       block.c */
    hf_onlookers_at(ls, number)->count++;
}

void
hf_onlookers_forget(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_name *name = hf_name_at(ls, number);

    if (--hf_onlookers_at(ls, number)->count > 0)
        return;
    hf_pool_give(ls, &ls->onlookers, name->onlookers);
    name->onlookers = 0;
}

void
hf_onlookers_add(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_part *part = hf_part_at(ls, number);
    const struct hf_ls_name *name = hf_name_at(ls, part->name);
    struct hf_ls_onlookers *onlookers = hf_onlookers_at(ls, part->name);

    hf_list_add(ls, &onlookers->all, hf_list_parts, number);
    part->turn = name->turns; /* before whoever comes next */
    part->clear = name->line.first == 0;
    hf_claim_at(ls, part->claim)->blocked += !part->clear;
    if (!part->clear && onlookers->first_behind == 0)
        onlookers->first_behind = number;
}

void
hf_onlookers_remove(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_part *part = hf_part_at(ls, number);
    struct hf_ls_onlookers *onlookers = hf_onlookers_at(ls, part->name);

    if (number == onlookers->first_behind)
        onlookers->first_behind = part->links.next;
    hf_list_remove(ls, &onlookers->all, hf_list_parts, number);
}

uint32_t
hf_onlookers_pass(struct hf_lockspace *ls, uint32_t number)
{
    const struct hf_ls_name *name = hf_name_at(ls, number);
    struct hf_ls_onlookers *onlookers = hf_onlookers_at(ls, number);
    uint32_t at = name->onlookers == 0 ? 0 : onlookers->first_behind;

    if (at == 0 || (name->line.first != 0 &&
                    hf_part_came_before(hf_part_at(ls, name->line.first),
                                        hf_part_at(ls, at))))
        return 0;
    onlookers->first_behind = hf_part_at(ls, at)->links.next;
    ls->counts.links++;
    return at;
}

/* ---- Kept by a name ------------------------------------------------------ */

static struct hf_links *
list_freed(const struct hf_lockspace *ls, uint32_t name)
{
    return &hf_onlookers_at(ls, name)->freed;
}

static bool
looks_at_one(const struct hf_lockspace *ls, uint32_t claim)
{
    return hf_claim_at(ls, claim)->parts_count == 1;
}

/* Put the name into `freed`, or take it out. */
static void
set_freed(struct hf_lockspace *ls, uint32_t name, bool freed)
{
    struct hf_ls_onlookers *onlookers = hf_onlookers_at(ls, name);
    uint8_t now = !freed                                    ? HF_NOT_FREED
                  : looks_at_one(ls, onlookers->kept.first) ? HF_FREED_FIRST
                                                            : HF_FREED_LAST;

    if (onlookers->freed_as == now)
        return;
    if (onlookers->freed_as != HF_NOT_FREED)
        hf_list_remove(ls, &ls->freed, list_freed, name);
    onlookers->freed_as = now;
    if (now == HF_FREED_FIRST)
        hf_list_add_first(ls, &ls->freed, list_freed, name);
    else if (now == HF_FREED_LAST)
        hf_list_add(ls, &ls->freed, list_freed, name);
}

/* At most two of its holders are the lane itself [W7]. */
bool
hf_onlookers_is_held(const struct hf_lockspace *ls,
                     const struct hf_ls_part *part)
{
    uint32_t own = hf_claim_at(ls, part->claim)->lane;
    uint32_t at = hf_name_at(ls, part->name)->holders;

    while (at != 0 && hf_claim_at(ls, hf_part_at(ls, at)->claim)->lane == own)
        at = hf_part_at(ls, at)->links.next;
    return at != 0;
}

/* The first part whose name another lane holds; 0: none. */
static uint32_t
part_that_is_held(const struct hf_lockspace *ls, uint32_t claim)
{
    uint32_t at = hf_claim_at(ls, claim)->parts;

    while (at != 0 && !hf_onlookers_is_held(ls, hf_part_at(ls, at)))
        at = hf_part_at(ls, at)->next;
    return at;
}

static uint32_t
part_that_keeps(const struct hf_lockspace *ls, uint32_t claim)
{
    uint32_t at = hf_claim_at(ls, claim)->parts;

    while (!hf_part_at(ls, at)->keeps) {
        at = hf_part_at(ls, at)->next;
        HF_CHECK(at != 0);
    }
    return at;
}

/* At a held name; if none is held, at any, so that it will be answered. */
void
hf_onlookers_keep(struct hf_lockspace *ls, uint32_t claim)
{
    uint32_t held = part_that_is_held(ls, claim);
    struct hf_ls_part *part =
        hf_part_at(ls, held != 0 ? held : hf_claim_at(ls, claim)->parts);
    struct hf_ls_onlookers *onlookers = hf_onlookers_at(ls, part->name);

    part->keeps = true;
    if (looks_at_one(ls, claim))
        hf_list_add_first(ls, &onlookers->kept, hf_list_work, claim);
    else
        hf_list_add(ls, &onlookers->kept, hf_list_work, claim);
    set_freed(ls, part->name, held == 0 || onlookers->freed_as != HF_NOT_FREED);
}

void
hf_onlookers_stop_keeping(struct hf_lockspace *ls, uint32_t claim)
{
    struct hf_ls_part *part = hf_part_at(ls, part_that_keeps(ls, claim));
    struct hf_ls_onlookers *onlookers = hf_onlookers_at(ls, part->name);

    part->keeps = false;
    hf_list_remove(ls, &onlookers->kept, hf_list_work, claim);
    set_freed(ls, part->name,
              onlookers->kept.first != 0 &&
                  onlookers->freed_as != HF_NOT_FREED);
}

/* ---- Told ---------------------------------------------------------------- */

/* An onlooker kept by that name without need; 0: none.  Its own lane may be the
 * only holder. */
static uint32_t
kept_in_vain(const struct hf_lockspace *ls, uint32_t name)
{
    uint32_t at = hf_name_at(ls, name)->holders;
    uint32_t holder;
    uint32_t claim;

    if (at == 0)
        return hf_onlookers_at(ls, name)->kept.first;
    holder = hf_claim_at(ls, hf_part_at(ls, at)->claim)->lane;
    claim = hf_lane_at(ls, holder)->current;
    if (claim == 0 || !hf_claim_at(ls, claim)->looks_on ||
        !hf_claim_at(ls, claim)->listed)
        return 0;
    at = part_that_keeps(ls, claim);
    if (hf_part_at(ls, at)->name != name ||
        hf_onlookers_is_held(ls, hf_part_at(ls, at)))
        return 0;
    return claim;
}

void
hf_onlookers_see_whether_freed(struct hf_lockspace *ls, uint32_t name)
{
    if (hf_name_at(ls, name)->onlookers != 0 && kept_in_vain(ls, name) != 0)
        set_freed(ls, name, true);
}

uint32_t
hf_onlookers_next_free(struct hf_lockspace *ls, unsigned *left)
{
    while (ls->freed.first != 0) {
        uint32_t name = ls->freed.first;
        uint32_t claim = kept_in_vain(ls, name);

        if (claim == 0) {
            set_freed(ls, name, false);
            continue;
        }
        if (part_that_is_held(ls, claim) == 0)
            return claim;
        if (hf_name_at(ls, name)->holders == 0) {
            if (*left == 0)
                return 0;
            --*left;
        }
        hf_onlookers_stop_keeping(ls, claim);
        hf_onlookers_keep(ls, claim);
    }
    return 0;
}
