#include "core/lockspace/cycle.h"

#include "base/check.h"

struct search {
    struct hf_lockspace *ls;
    uint32_t goal;  /* the lane that the search began with */
    uint32_t count; /* entries in ls->search */
    uint32_t at;    /* the entry whose edges are followed; 1 is the goal */
    uint32_t budget;
    bool found;
};

static struct hf_ls_step *
step_at(const struct hf_lockspace *ls, uint32_t number)
{
    return hf_pool_at(ls, &ls->search, number);
}

/* Count one step; false: the bound is reached. */
static bool
spend(struct search *s)
{
    if (s->budget == 0)
        return false;
    s->budget--;
    s->ls->counts.searched++;
    return true;
}

/* Follow an edge to the lane of that part; false: the search is over. */
static bool
follow(struct search *s, const struct hf_ls_part *to)
{
    uint32_t number = hf_claim_at(s->ls, to->claim)->lane;
    struct hf_ls_lane *lane = hf_lane_at(s->ls, number);

    if (!spend(s))
        return false;
    if (number == s->goal) {
        /* A lane's own hold is no edge.  As the hold of another lane's blocker
         * it closes a cycle. */
        s->found = s->at != 1;
        return !s->found;
    }
    if (lane->seen == s->ls->search_number)
        return true;
    lane->seen = s->ls->search_number;
    *step_at(s->ls, ++s->count) = (struct hf_ls_step){number, s->at};
    return true;
}

static bool
follow_holders(struct search *s, const struct hf_ls_part *part, uint32_t own)
{
    uint32_t at = hf_name_at(s->ls, part->name)->holders;

    if (at != 0 && part->mode == HF_SHARED &&
        hf_part_at(s->ls, at)->mode == HF_SHARED)
        return true;
    while (at != 0) {
        const struct hf_ls_part *holder = hf_part_at(s->ls, at);

        if (hf_claim_at(s->ls, holder->claim)->lane != own &&
            !follow(s, holder))
            return false;
        at = holder->links.next;
    }
    return true;
}

/* Go back to the nearest exclusive part before it.  The shared ones between
 * conflict only with an exclusive part. */
static bool
follow_earlier(struct search *s, const struct hf_ls_part *part)
{
    uint32_t at = part->links.prev;

    if (hf_name_at(s->ls, part->name)->first_exclusive == 0)
        return true;
    while (at != 0) {
        const struct hf_ls_part *earlier = hf_part_at(s->ls, at);
        bool conflicts =
            part->mode == HF_EXCLUSIVE || earlier->mode == HF_EXCLUSIVE;

        if (conflicts ? !follow(s, earlier) : !spend(s))
            return false;
        if (earlier->mode == HF_EXCLUSIVE)
            return true;
        at = earlier->links.prev;
    }
    return true;
}

/* An onlooker waits for all that came before it. */
static bool
follow_line(struct search *s, const struct hf_ls_part *part)
{
    uint32_t at = hf_name_at(s->ls, part->name)->line.first;

    while (at != 0 && hf_part_came_before(hf_part_at(s->ls, at), part)) {
        if (!follow(s, hf_part_at(s->ls, at)))
            return false;
        at = hf_part_at(s->ls, at)->links.next;
    }
    return true;
}

static bool
follow_part(struct search *s, const struct hf_ls_part *part, uint32_t own)
{
    if (hf_claim_at(s->ls, part->claim)->looks_on)
        return follow_holders(s, part, own) &&
               (part->clear || follow_line(s, part));
    return part->clear ||
           (follow_holders(s, part, own) && follow_earlier(s, part));
}

static bool
follow_lane(struct search *s, uint32_t number)
{
    uint32_t claim = hf_lane_at(s->ls, number)->current;
    uint32_t at;

    if (claim == 0 || hf_claim_at(s->ls, claim)->state != HF_CLAIM_WAITING)
        return true;
    at = hf_claim_at(s->ls, claim)->parts;
    while (at != 0) {
        const struct hf_ls_part *part = hf_part_at(s->ls, at);

        if (!follow_part(s, part, number))
            return false;
        at = part->next;
    }
    return true;
}

/* Does any other lane wait for what this lane holds?  Otherwise no cycle is
 * possible, since its own request is last in every line. */
static bool
is_waited_for(struct search *s)
{
    uint32_t claim = hf_lane_at(s->ls, s->goal)->held.first;

    while (claim != 0) {
        uint32_t at = hf_claim_at(s->ls, claim)->parts;

        while (at != 0) {
            const struct hf_ls_part *part = hf_part_at(s->ls, at);

            if (!spend(s))
                return false;
            if (hf_name_at(s->ls, part->name)->line.first != 0 ||
                hf_name_at(s->ls, part->name)->onlookers != 0)
                return true;
            at = part->next;
        }
        claim = hf_claim_at(s->ls, claim)->mates.next;
    }
    return false;
}

/* Turn the path round: from the last lane back to the goal, each waits for the
 * next. */
static void
keep_cycle(struct hf_lockspace *ls, uint32_t at)
{
    uint32_t after = 0;

    ls->cycle_len = 0;
    while (at != 0) {
        struct hf_ls_step *step = step_at(ls, at);
        uint32_t from = step->from;

        step->from = after;
        after = at;
        at = from;
        ls->cycle_len++;
    }
    ls->cycle_first = after;
}

bool
hf_cycle_found(struct hf_lockspace *ls, uint32_t claim)
{
    struct search s = {
        .ls = ls,
        .goal = hf_claim_at(ls, claim)->lane,
        .count = 1,
        .at = 1,
        .budget = ls->config.limits.search,
    };

    ls->cycle_len = 0;
    if (!is_waited_for(&s))
        return false;
    ls->counts.searches++;
    if (++ls->search_number == 0) {
        /* The counter of searches has wrapped: forget the old visits. */
        for (uint32_t at = 1; at <= ls->lanes.fresh; at++)
            hf_lane_at(ls, at)->seen = 0;
        ls->search_number = 1;
    }
    *step_at(ls, 1) = (struct hf_ls_step){s.goal, 0};
    while (s.at <= s.count && follow_lane(&s, step_at(ls, s.at)->lane))
        s.at++;
    if (s.found)
        keep_cycle(ls, s.at);
    return s.found;
}

uint32_t
hf_cycle_lane(const struct hf_lockspace *ls, uint32_t index)
{
    uint32_t at = ls->cycle_first;

    HF_CHECK(index < ls->cycle_len);
    while (index-- > 0)
        at = step_at(ls, at)->from;
    return step_at(ls, at)->lane;
}
