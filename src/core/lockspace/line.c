#include "core/lockspace/line.h"

#include "base/check.h"
#include "core/lockspace/list.h"
#include "core/lockspace/names.h"
#include "core/lockspace/onlookers.h"

/* A lane may hold one name by two grants: a shared one, and one that was
 * exclusive before. */
#define HOLDS_MAX 2

/* At most this many places of a line are checked for being parked. */
#define PARKED_MAX 64

static uint32_t
lane_of(const struct hf_lockspace *ls, const struct hf_ls_part *part)
{
    return hf_claim_at(ls, part->claim)->lane;
}

/* ---- Holders ------------------------------------------------------------- */

static bool
is_held_exclusively(const struct hf_lockspace *ls,
                    const struct hf_ls_name *name)
{
    return name->holders != 0 &&
           hf_part_at(ls, name->holders)->mode == HF_EXCLUSIVE;
}

static uint64_t
hash_of_hold(uint32_t lane, uint32_t name)
{
    return hf_index_mix(lane, name);
}

static uint32_t
count_shared(struct hf_lockspace *ls, uint32_t lane, uint32_t name)
{
    uint32_t count = 0;
    uint32_t at =
        hf_index_first(ls, &ls->shared_by_lane, hash_of_hold(lane, name));

    while (at != 0) {
        const struct hf_ls_part *part = hf_part_at(ls, at);

        count += part->name == name && lane_of(ls, part) == lane;
        at = hf_index_next(ls, &ls->shared_by_lane, at);
    }
    return count;
}

uint32_t
hf_line_next_hold(struct hf_lockspace *ls, uint32_t lane, uint32_t number,
                  uint32_t after)
{
    const struct hf_ls_name *name = hf_name_at(ls, number);
    uint32_t at;

    if (after == 0 && is_held_exclusively(ls, name) &&
        lane_of(ls, hf_part_at(ls, name->holders)) == lane)
        return name->holders;
    at = after != 0 && hf_part_at(ls, after)->mode == HF_SHARED
             ? hf_index_next(ls, &ls->shared_by_lane, after)
             : hf_index_first(ls, &ls->shared_by_lane,
                              hash_of_hold(lane, number));
    while (at != 0 && (hf_part_at(ls, at)->name != number ||
                       lane_of(ls, hf_part_at(ls, at)) != lane))
        at = hf_index_next(ls, &ls->shared_by_lane, at);
    return at;
}

struct hf_line_hold
hf_line_hold(struct hf_lockspace *ls, uint32_t lane, uint32_t number)
{
    const struct hf_ls_name *name = hf_name_at(ls, number);
    struct hf_line_hold hold = {0};

    if (name->holders == 0)
        return hold;
    if (is_held_exclusively(ls, name)) {
        if (lane_of(ls, hf_part_at(ls, name->holders)) != lane)
            return hold;
        /* No other lane can hold it at the same time. */
        return (struct hf_line_hold){name->holders_count, true};
    }
    hold.count = count_shared(ls, lane, number);
    return hold;
}

/* Does a grant of another lane conflict? */
static bool
is_kept_out(struct hf_lockspace *ls, uint32_t lane, uint32_t number,
            enum hf_mode mode)
{
    const struct hf_ls_name *name = hf_name_at(ls, number);

    if (name->holders == 0)
        return false;
    if (is_held_exclusively(ls, name))
        return lane_of(ls, hf_part_at(ls, name->holders)) != lane;
    if (mode == HF_SHARED)
        return false;
    return name->holders_count > HOLDS_MAX ||
           count_shared(ls, lane, number) < name->holders_count;
}

static void
add_holder(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_part *part = hf_part_at(ls, number);
    struct hf_ls_name *name = hf_name_at(ls, part->name);

    part->links = (struct hf_links){.next = name->holders};
    if (name->holders != 0)
        hf_part_at(ls, name->holders)->links.prev = number;
    name->holders = number;
    name->holders_count++;
    ls->counts.links++;
    if (part->mode == HF_SHARED)
        hf_index_add(ls, &ls->shared_by_lane,
                     hash_of_hold(lane_of(ls, part), part->name), number);
}

static void
remove_holder(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_part *part = hf_part_at(ls, number);
    struct hf_ls_name *name = hf_name_at(ls, part->name);
    struct hf_links links = part->links;

    if (links.prev == 0)
        name->holders = links.next;
    else
        hf_part_at(ls, links.prev)->links.next = links.next;
    if (links.next != 0)
        hf_part_at(ls, links.next)->links.prev = links.prev;
    name->holders_count--;
    ls->counts.links++;
    if (part->mode == HF_SHARED)
        hf_index_remove(ls, &ls->shared_by_lane,
                        hash_of_hold(lane_of(ls, part), part->name), number);
}

/* ---- Those that wait ----------------------------------------------------- */

void
hf_line_enlist(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    if (claim->listed || claim->blocked > 0 ||
        hf_lane_at(ls, claim->lane)->state != HF_LANE_WAITING)
        return;
    claim->listed = true;
    if (claim->looks_on)
        hf_onlookers_keep(ls, number);
    else
        hf_list_add(ls, &ls->ready, hf_list_work, number);
}

void
hf_line_delist(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    if (!claim->listed)
        return;
    claim->listed = false;
    if (claim->looks_on)
        hf_onlookers_stop_keeping(ls, number);
    else
        hf_list_remove(ls, &ls->ready, hf_list_work, number);
}

static void
set_clear(struct hf_lockspace *ls, struct hf_ls_part *part)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, part->claim);

    HF_CHECK(!part->clear && claim->blocked > 0);
    part->clear = true;
    if (--claim->blocked == 0)
        hf_line_enlist(ls, part->claim);
}

/* Walk over shared parts from `number` to the next exclusive one and return
 * that.  If `clears`, nothing blocks the shared ones any more. */
static uint32_t
pass_shared(struct hf_lockspace *ls, uint32_t number, bool clears)
{
    while (number != 0) {
        struct hf_ls_part *part = hf_part_at(ls, number);

        if (part->mode == HF_EXCLUSIVE)
            break;
        if (clears)
            set_clear(ls, part);
        ls->counts.links++;
        number = part->links.next;
    }
    return number;
}

/* The exclusive part at the head of the line is clear once no other lane holds
 * the name. */
static void
look_at_first(struct hf_lockspace *ls, uint32_t name_number)
{
    const struct hf_ls_name *name = hf_name_at(ls, name_number);
    struct hf_ls_part *first;

    if (name->line.first == 0)
        return;
    first = hf_part_at(ls, name->line.first);
    if (first->mode == HF_EXCLUSIVE && !first->clear &&
        !is_kept_out(ls, lane_of(ls, first), name_number, HF_EXCLUSIVE))
        set_clear(ls, first);
}

/* Onlookers that came before the new head of the line are behind nobody now. */
static void
pass_onlookers(struct hf_lockspace *ls, uint32_t name)
{
    uint32_t part;

    while ((part = hf_onlookers_pass(ls, name)) != 0)
        set_clear(ls, hf_part_at(ls, part));
}

static void
add_to_line(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_part *part = hf_part_at(ls, number);
    struct hf_ls_name *name = hf_name_at(ls, part->name);
    uint32_t lane = lane_of(ls, part);
    enum hf_mode mode = (enum hf_mode)part->mode;
    bool behind = mode == HF_EXCLUSIVE ? name->line.first != 0
                                       : name->first_exclusive != 0;

    hf_list_add(ls, &name->line, hf_list_parts, number);
    part->turn = name->turns++;
    if (mode == HF_EXCLUSIVE && name->first_exclusive == 0)
        name->first_exclusive = number;
    part->clear = !behind && !is_kept_out(ls, lane, part->name, mode);
    hf_claim_at(ls, part->claim)->blocked += !part->clear;
}

/* Remove a part from the line.  `kept`: because it now holds the name, so those
 * it blocked are still blocked, by its grant. */
static void
remove_from_line(struct hf_lockspace *ls, uint32_t number, bool kept)
{
    struct hf_ls_part *part = hf_part_at(ls, number);
    struct hf_ls_name *name = hf_name_at(ls, part->name);
    uint32_t behind = part->links.next;

    hf_list_remove(ls, &name->line, hf_list_parts, number);
    if (name->line.first == 0)
        name->turns = 0;
    if (number == name->first_exclusive)
        name->first_exclusive =
            pass_shared(ls, behind, !kept && !is_held_exclusively(ls, name));
    if (!kept) {
        look_at_first(ls, part->name);
        pass_onlookers(ls, part->name);
    }
}

/* The name has no exclusive holder any more. */
static void
wake_shared(struct hf_lockspace *ls, uint32_t name_number)
{
    const struct hf_ls_name *name = hf_name_at(ls, name_number);

    pass_shared(ls, name->line.first, true);
    look_at_first(ls, name_number);
}

/* ---- Claims -------------------------------------------------------------- */

static uint32_t
next_part(const struct hf_lockspace *ls, uint32_t part)
{
    return hf_part_at(ls, part)->next;
}

static struct hf_ls_space *
space_of(const struct hf_lockspace *ls, const struct hf_ls_part *part)
{
    return hf_space_at(ls, hf_name_at(ls, part->name)->space);
}

bool
hf_line_attach(struct hf_lockspace *ls, uint32_t number, uint32_t name,
               enum hf_mode mode)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);
    uint32_t at = claim->parts == 0 ? number : hf_pool_take(ls, &ls->parts);

    HF_CHECK(claim->state == HF_CLAIM_ASKED);
    if (at == 0)
        return false;
    *hf_part_at(ls, at) = (struct hf_ls_part){
        .claim = number,
        .name = name,
        .next = claim->parts,
        .mode = (uint8_t)mode,
    };
    claim->parts = at;
    claim->parts_count++;
    hf_name_at(ls, name)->waiters_count++;
    if (claim->looks_on)
        hf_onlookers_count(ls, name);
    space_of(ls, hf_part_at(ls, at))->waiters_count++;
    return true;
}

bool
hf_line_in_way(struct hf_lockspace *ls, uint32_t number)
{
    const struct hf_ls_claim *claim = hf_claim_at(ls, number);

    for (uint32_t at = claim->parts; at != 0; at = next_part(ls, at)) {
        const struct hf_ls_part *part = hf_part_at(ls, at);
        const struct hf_ls_name *name = hf_name_at(ls, part->name);
        enum hf_mode mode = (enum hf_mode)part->mode;

        if (mode == HF_EXCLUSIVE ? name->line.first != 0
                                 : name->first_exclusive != 0)
            return true;
        if (is_kept_out(ls, claim->lane, part->name, mode))
            return true;
    }
    return false;
}

/* None in line that conflicts with that mode is but parked; *kept is no less
 * than the grace of any. */
static bool
is_line_parked(const struct hf_lockspace *ls, const struct hf_ls_name *name,
               enum hf_mode mode, struct hf_duration *kept)
{
    uint32_t at =
        mode == HF_EXCLUSIVE ? name->line.first : name->first_exclusive;

    for (unsigned i = 0; at != 0; at = hf_part_at(ls, at)->links.next, i++) {
        const struct hf_ls_part *part = hf_part_at(ls, at);

        if (i == PARKED_MAX)
            return false;
        if (part->mode != HF_EXCLUSIVE && mode != HF_EXCLUSIVE)
            continue;
        if (hf_lane_at(ls, lane_of(ls, part))->state != HF_LANE_PARKED)
            return false;
        *kept = hf_longer(*kept, ls->config.resume_grace);
        *kept = hf_longer(*kept, hf_claim_at(ls, part->claim)->park);
    }
    return true;
}

bool
hf_line_parked_alone(struct hf_lockspace *ls, uint32_t number,
                     struct hf_duration *kept)
{
    const struct hf_ls_claim *claim = hf_claim_at(ls, number);

    for (uint32_t at = claim->parts; at != 0; at = next_part(ls, at)) {
        const struct hf_ls_part *part = hf_part_at(ls, at);
        enum hf_mode mode = (enum hf_mode)part->mode;

        if (!is_line_parked(ls, hf_name_at(ls, part->name), mode, kept) ||
            is_kept_out(ls, claim->lane, part->name, mode))
            return false;
    }
    return true;
}

bool
hf_line_waited_for(struct hf_lockspace *ls, uint32_t number)
{
    const struct hf_ls_claim *claim = hf_claim_at(ls, number);

    for (uint32_t at = claim->parts; at != 0; at = next_part(ls, at)) {
        uint32_t name = hf_part_at(ls, at)->name;
        uint32_t no_matter = hf_onlookers_of(ls, name) + !claim->looks_on;

        if (hf_name_at(ls, name)->waiters_count > no_matter)
            return true;
    }
    return false;
}

void
hf_line_enter(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    HF_CHECK(claim->state == HF_CLAIM_ASKED);
    claim->state = HF_CLAIM_WAITING;
    for (uint32_t at = claim->parts; at != 0; at = next_part(ls, at))
        if (claim->looks_on)
            hf_onlookers_add(ls, at);
        else
            add_to_line(ls, at);
    hf_line_enlist(ls, number);
}

/* The part neither waits nor holds any more. */
static void
free_part(struct hf_lockspace *ls, uint32_t number)
{
    const struct hf_ls_part *part = hf_part_at(ls, number);
    uint32_t name = part->name;

    if (number != part->claim)
        hf_pool_give(ls, &ls->parts, number);
    hf_names_drop_unused(ls, name);
}

void
hf_line_leave(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);
    bool in_line = claim->state == HF_CLAIM_WAITING;
    uint32_t after;

    HF_CHECK(in_line || claim->state == HF_CLAIM_ASKED);
    hf_line_delist(ls, number);
    for (uint32_t at = claim->parts; at != 0; at = after) {
        const struct hf_ls_part *part = hf_part_at(ls, at);

        after = part->next;
        if (in_line && claim->looks_on)
            hf_onlookers_remove(ls, at);
        else if (in_line)
            remove_from_line(ls, at, false);
        hf_name_at(ls, part->name)->waiters_count--;
        if (claim->looks_on)
            hf_onlookers_forget(ls, part->name);
        space_of(ls, part)->waiters_count--;
        free_part(ls, at);
    }
    claim->parts = 0;
    claim->blocked = 0;
    claim->state = HF_CLAIM_ENDED;
}

void
hf_line_grant(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);
    bool in_line = claim->state == HF_CLAIM_WAITING;

    HF_CHECK(in_line ? claim->blocked == 0 : claim->state == HF_CLAIM_ASKED);
    HF_CHECK(!claim->looks_on);
    hf_line_delist(ls, number);
    claim->state = HF_CLAIM_HELD;
    for (uint32_t at = claim->parts; at != 0; at = next_part(ls, at)) {
        const struct hf_ls_part *part = hf_part_at(ls, at);
        struct hf_ls_name *name = hf_name_at(ls, part->name);

        HF_CHECK(!is_kept_out(ls, claim->lane, part->name,
                              (enum hf_mode)part->mode));
        if (in_line)
            remove_from_line(ls, at, true);
        name->waiters_count--;
        space_of(ls, part)->waiters_count--;
        space_of(ls, part)->grants_count++;
        add_holder(ls, at);
        pass_onlookers(ls, part->name);
    }
}

void
hf_line_fetch(const struct hf_lockspace *ls, uint32_t number)
{
    const struct hf_ls_part *part = hf_part_at(ls, number);

    hf_index_fetch(ls, &ls->names_by_text, hf_name_at(ls, part->name)->hash);
}

void
hf_line_give_back(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);
    uint32_t after;

    HF_CHECK(claim->state == HF_CLAIM_HELD);
    for (uint32_t at = claim->parts; at != 0; at = after) {
        const struct hf_ls_part *part = hf_part_at(ls, at);

        after = part->next;
        remove_holder(ls, at);
        space_of(ls, part)->grants_count--;
        if (part->mode == HF_EXCLUSIVE)
            wake_shared(ls, part->name);
        else
            look_at_first(ls, part->name);
        hf_onlookers_see_whether_freed(ls, part->name);
        free_part(ls, at);
    }
    claim->parts = 0;
    claim->state = HF_CLAIM_ENDED;
}

void
hf_line_lower(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_part *part = hf_part_at(ls, number);

    HF_CHECK(part->mode == HF_EXCLUSIVE);
    part->mode = HF_SHARED;
    hf_index_add(ls, &ls->shared_by_lane,
                 hash_of_hold(lane_of(ls, part), part->name), number);
    wake_shared(ls, part->name);
}
