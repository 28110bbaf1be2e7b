#include "core/lockspace/claims.h"

#include "base/check.h"
#include "core/lockspace/journal.h"
#include "core/lockspace/line.h"
#include "core/lockspace/list.h"
#include "core/lockspace/names.h"
#include "core/lockspace/owners.h"

/* At most this many graces begin in one step: so a step stays short when one
 * batch releases a million answers. */
#define GRACES_MAX 256

/* ---- Moves --------------------------------------------------------------- */

#define BIT(state) (1u << (state))

/* Which lane state may follow which: the diagram in lockspace.h. */
static const unsigned allowed[] = {
    [HF_LANE_OVER] = BIT(HF_LANE_OVER) | BIT(HF_LANE_WAITING) |
                     BIT(HF_LANE_GRANTED) | BIT(HF_LANE_LEFT),
    [HF_LANE_WAITING] = BIT(HF_LANE_PARKED) | BIT(HF_LANE_GRANTED) |
                        BIT(HF_LANE_LEFT) | BIT(HF_LANE_OVER),
    [HF_LANE_PARKED] =
        BIT(HF_LANE_WAITING) | BIT(HF_LANE_LEFT) | BIT(HF_LANE_OVER),
    [HF_LANE_GRANTED] = BIT(HF_LANE_LEFT) | BIT(HF_LANE_OVER),
    [HF_LANE_LEFT] = BIT(HF_LANE_WAITING) | BIT(HF_LANE_GRANTED) |
                     BIT(HF_LANE_LEFT) | BIT(HF_LANE_OVER),
};

void
hf_claims_move_to(struct hf_ls_lane *lane, enum hf_lane_state next)
{
    HF_CHECK(allowed[lane->state] & BIT(next));
    lane->state = (uint8_t)next;
}

void
hf_claims_set_over(struct hf_ls_lane *lane, enum hf_over over)
{
    hf_claims_move_to(lane, HF_LANE_OVER);
    lane->over = (uint8_t)over;
}

/* A random number below `range`; 0 if `range` is 0. */
uint64_t
hf_claims_random_below(struct hf_lockspace *ls, uint64_t range)
{
    if (range == 0)
        return 0;
    return hf_index_mix(++ls->randoms, ls->config.seed) % range;
}

/* ---- Answers ------------------------------------------------------------- */

/* Answer a message now; at most twice in a step. */
struct hf_answer *
hf_claims_reply(struct hf_lockspace *ls, uint64_t stream,
                enum hf_answer_kind kind)
{
    struct hf_answer *answer = &ls->replies[ls->replies_count];

    HF_CHECK(ls->replies_count < 2 && stream != 0);
    ls->replies_count++;
    *answer = (struct hf_answer){
        .kind = kind,
        .stream = stream,
        .mark = hf_journal_mark(ls),
    };
    return answer;
}

void
hf_claims_reply_over(struct hf_lockspace *ls, uint64_t stream,
                     enum hf_over over)
{
    hf_claims_reply(ls, stream, HF_ANSWER_OVER)->over = over;
}

/* Answer the attempt of a claim, if its stream is open. */
void
hf_claims_tell(struct hf_lockspace *ls, uint32_t number,
               enum hf_answer_kind kind)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    /* Already answered in this step. */
    if (claim->stream == 0 || claim->telling != 0)
        return;
    HF_CHECK(!claim->listed);
    claim->telling = (uint8_t)(kind + 1);
    hf_list_add(ls, &ls->telling, hf_list_work, number);
}

void
hf_claims_tell_over(struct hf_lockspace *ls, uint32_t number, enum hf_over over)
{
    hf_claim_at(ls, number)->over = (uint8_t)over;
    hf_claims_tell(ls, number, HF_ANSWER_OVER);
}

/* ---- Waiting ------------------------------------------------------------- */

struct hf_ls_session *
hf_claims_session_of(const struct hf_lockspace *ls,
                     const struct hf_ls_claim *claim)
{
    return hf_session_at(ls, hf_lane_at(ls, claim->lane)->session);
}

struct hf_duration
hf_claims_least_timeout(const struct hf_lockspace *ls)
{
    int64_t blocking_ms = ls->config.blocking.ms;

    return (struct hf_duration){blocking_ms - blocking_ms / 10};
}

void
hf_claims_set_timeout(struct hf_lockspace *ls, uint32_t number,
                      struct hf_instant since)
{
    struct hf_duration blocking = ls->config.blocking;
    struct hf_instant at;

    blocking.ms -=
        (int64_t)hf_claims_random_below(ls, (uint64_t)blocking.ms / 10);
    at = hf_earlier(hf_after(since, blocking),
                    hf_claim_at(ls, number)->wait_end);
    hf_timers_set(ls, &ls->timers, hf_item_of_claim(ls, number), at.ms);
}

static struct hf_timers *
heap_of(struct hf_lockspace *ls, const struct hf_ls_claim *claim)
{
    return claim->state == HF_CLAIM_ASKED ? &ls->gathered : &ls->timers;
}

/* Safe whether or not that answer was sent. */
static void
forget_untold(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    if (!claim->untold)
        return;
    claim->untold = false;
    hf_list_remove(ls, &ls->untold, hf_list_work, number);
}

bool
hf_claims_any_mode(const struct hf_message *acquire, size_t i)
{
    const struct hf_of_key *key = &acquire->acquire.key;

    return key->given && i < 64 && (key->any_mode >> i & 1) != 0;
}

uint32_t
hf_claims_part_of(const struct hf_lockspace *ls, uint32_t claim, uint32_t name)
{
    uint32_t at = hf_claim_at(ls, claim)->parts;

    while (at != 0 && hf_part_at(ls, at)->name != name)
        at = hf_part_at(ls, at)->next;
    return at;
}

bool
hf_claims_ask_for(struct hf_lockspace *ls, uint32_t number,
                  const struct hf_message *acquire)
{
    const struct hf_ls_claim *claim = hf_claim_at(ls, number);

    if (claim->looks_on != acquire->acquire.free ||
        claim->parts_count != acquire->acquire.wants_count)
        return false;
    for (size_t i = 0; i < acquire->acquire.wants_count; i++) {
        const struct hf_want *want = &acquire->acquire.wants[i];
        uint32_t name = hf_names_find(ls, want);
        uint32_t at = hf_claims_part_of(ls, number, name);

        if (at == 0 || (!claim->looks_on && !hf_claims_any_mode(acquire, i) &&
                        hf_part_at(ls, at)->mode != want->mode))
            return false;
    }
    return true;
}

/* The lane is WAITING from now on. */
void
hf_claims_start_waiting(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);
    struct hf_ls_session *session = hf_claims_session_of(ls, claim);

    hf_claims_move_to(hf_lane_at(ls, claim->lane), HF_LANE_WAITING);
    hf_list_add(ls, &session->waiting, hf_list_mates, number);
    session->waiters_count++;
    ls->waiters_count++;
}

void
hf_claims_stop_waiting(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);
    struct hf_ls_session *session = hf_claims_session_of(ls, claim);

    forget_untold(ls, number);
    hf_timers_remove(ls, heap_of(ls, claim), hf_item_of_claim(ls, number));
    hf_list_remove(ls, &session->waiting, hf_list_mates, number);
    session->waiters_count--;
    ls->waiters_count--;
}

/* Leave the lines.  The caller then answers, and moves the lane. */
void
hf_claims_leave(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    hf_claims_stop_waiting(ls, number);
    hf_line_leave(ls, number);
    hf_lane_at(ls, claim->lane)->current = 0;
}

bool
hf_claims_waits(const struct hf_ls_lane *lane)
{
    return lane->state == HF_LANE_WAITING || lane->state == HF_LANE_PARKED;
}

void
hf_claims_lose_place(struct hf_lockspace *ls, uint32_t number,
                     enum hf_answer_kind kind)
{
    uint32_t lane = hf_claim_at(ls, number)->lane;

    hf_claims_leave(ls, number);
    hf_claims_tell(ls, number, kind);
    hf_journal_settle(ls, number);
    hf_claims_move_to(hf_lane_at(ls, lane), HF_LANE_LEFT);
}

/* ---- Parked -------------------------------------------------------------- */

/* Its grace does not begin yet: the client cannot know that it is parked. */
void
hf_claims_park(struct hf_lockspace *ls, uint32_t number)
{
    hf_line_delist(ls, number);
    hf_claims_move_to(hf_lane_at(ls, hf_claim_at(ls, number)->lane),
                      HF_LANE_PARKED);
    hf_claims_tell(ls, number, HF_ANSWER_BLOCKING_TIMEOUT);
    hf_timers_remove(ls, &ls->timers, hf_item_of_claim(ls, number));
}

void
hf_claims_set_untold(struct hf_lockspace *ls, uint32_t number, uint64_t mark)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    claim->untold = true;
    claim->told_by = mark;
    hf_list_add(ls, &ls->untold, hf_list_work, number);
}

struct hf_duration
hf_claims_grace_of(const struct hf_lockspace *ls, uint32_t number)
{
    return hf_longer(ls->config.resume_grace, hf_claim_at(ls, number)->park);
}

bool
hf_claims_any_told(const struct hf_lockspace *ls)
{
    uint32_t first = ls->untold.first;

    return first != 0 && hf_claim_at(ls, first)->told_by <= ls->through;
}

void
hf_claims_start_graces(struct hf_lockspace *ls)
{
    for (unsigned i = 0; i < GRACES_MAX && hf_claims_any_told(ls); i++) {
        uint32_t number = ls->untold.first;

        forget_untold(ls, number);
        hf_timers_set(ls, &ls->timers, hf_item_of_claim(ls, number),
                      hf_after(ls->now, hf_claims_grace_of(ls, number)).ms);
    }
}

void
hf_claims_unpark(struct hf_lockspace *ls, uint32_t number)
{
    hf_claims_move_to(hf_lane_at(ls, hf_claim_at(ls, number)->lane),
                      HF_LANE_WAITING);
    forget_untold(ls, number);
}

/* A request that is not placed yet is kept once it is. */
void
hf_claims_keep_place(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);
    struct hf_instant until = hf_after(ls->now, hf_claims_grace_of(ls, number));

    if (claim->state == HF_CLAIM_ASKED)
        return;
    if (claim->park.ms == 0)
        until = hf_earlier(until, claim->wait_end);
    hf_line_delist(ls, number);
    hf_claims_move_to(hf_lane_at(ls, claim->lane), HF_LANE_PARKED);
    hf_timers_set(ls, &ls->timers, hf_item_of_claim(ls, number), until.ms);
}

bool
hf_claims_keep_grant(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_instant until = hf_after(ls->now, ls->config.resume_grace);

    if (ls->waiters_count + ls->kept_count >= ls->config.limits.waiters)
        return false;
    ls->kept_count++;
    hf_timers_set(ls, &ls->timers, hf_item_of_claim(ls, number), until.ms);
    return true;
}

void
hf_claims_keep_no_more(struct hf_lockspace *ls, uint32_t number)
{
    uint32_t item = hf_item_of_claim(ls, number);

    if (!hf_timers_has(ls, &ls->timers, item))
        return;
    hf_timers_remove(ls, &ls->timers, item);
    ls->kept_count--;
}

/* ---- Grants -------------------------------------------------------------- */

/* HELD from now on, under this fence. */
void
hf_claims_hold(struct hf_lockspace *ls, uint32_t number, uint64_t fence)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    claim->fence = fence;
    claim->since = ls->now;
    hf_line_grant(ls, number);
    hf_list_add(ls, &hf_lane_at(ls, claim->lane)->held, hf_list_mates, number);
    hf_index_add(ls, &ls->claims_by_fence,
                 hf_index_row(&ls->claims_by_fence, fence), number);
    hf_fence_sum_add(&hf_claims_session_of(ls, claim)->held, fence);
}

void
hf_claims_list(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_session *session =
        hf_claims_session_of(ls, hf_claim_at(ls, number));

    hf_list_add(ls, &session->grants, hf_list_work, number);
}

void
hf_claims_grant(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    hf_claims_move_to(hf_lane_at(ls, claim->lane), HF_LANE_GRANTED);
    hf_claims_hold(ls, number, ls->next_fence++);
    hf_journal_put(ls, number);
    hf_claims_tell(ls, number, HF_ANSWER_GRANTED);
    ls->counts.grants++;
}

/* It holds nothing any more. */
void
hf_claims_take_back(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);
    struct hf_ls_session *session = hf_claims_session_of(ls, claim);
    uint64_t row = hf_index_row(&ls->claims_by_fence, claim->fence);

    hf_index_fetch(ls, &ls->claims_by_fence, row);
    hf_line_fetch(ls, number);
    if (!claim->handed)
        hf_claims_keep_no_more(ls, number);
    hf_index_remove(ls, &ls->claims_by_fence, row, number);
    hf_list_remove(ls, &session->grants, hf_list_work, number);
    hf_fence_sum_remove(&session->held, claim->fence);
    hf_line_give_back(ls, number);
    /* The session holds nothing any more that needs an operator [S5]. */
    if (session->state == HF_SESSION_SUSPECTED && session->held.count == 0)
        hf_timers_set(ls, &ls->timers, hf_lane_at(ls, claim->lane)->session,
                      hf_owners_end_of_ttl(session).ms);
}

/* End a HELD or REVOKED claim; `end` decides what happens to its record. */
void
hf_claims_end_held(struct hf_lockspace *ls, uint32_t number,
                   hf_claims_end_fn *end)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    if (claim->state == HF_CLAIM_REVOKED) {
        struct hf_ls_session *session = hf_claims_session_of(ls, claim);

        hf_list_remove(ls, &session->revoked, hf_list_work, number);
        session->revoked_count--;
        claim->state = HF_CLAIM_ENDED;
    } else {
        hf_claims_take_back(ls, number);
        end(ls, number);
    }
    hf_owners_forget_held(ls, number);
    hf_journal_settle(ls, number);
}

/* End whatever the lane has. */
void
hf_claims_end_lane(struct hf_lockspace *ls, uint32_t number,
                   enum hf_answer_kind kind, hf_claims_end_fn *end)
{
    struct hf_ls_lane *lane = hf_lane_at(ls, number);

    if (hf_claims_waits(lane)) {
        uint32_t current = lane->current;

        hf_claims_leave(ls, current);
        hf_claim_at(ls, current)->over = HF_OVER_FORGOTTEN;
        hf_claims_tell(ls, current, kind);
        hf_journal_settle(ls, current);
    }
    while (lane->held.first != 0)
        hf_claims_end_held(ls, lane->held.first, end);
    hf_claims_set_over(lane, HF_OVER_FORGOTTEN);
}

/* ---- A new one ----------------------------------------------------------- */

void
hf_claims_turn_to(struct hf_lockspace *ls, struct hf_ls_lane *lane, uint64_t n,
                  uint64_t a)
{
    if (lane->current != 0) {
        hf_claims_keep_no_more(ls, lane->current); /* the answer has arrived */
        hf_owners_set_old(ls, lane->current);
    }
    lane->current = 0;
    lane->n = n;
    lane->a = a;
    hf_claims_set_over(lane, HF_OVER_NEVER_ASKED);
}

/* Add a claim for a lane's request, ASKED; 0: no room. */
uint32_t
hf_claims_add(struct hf_lockspace *ls, uint32_t lane, struct hf_bytes note)
{
    struct hf_ls_claim *claim;
    struct hf_string kept;
    uint32_t number;

    if (note.len > UINT16_MAX || !hf_pool_room(&ls->claims, 1) ||
        !hf_strings_put(ls, &ls->texts, note.at, note.len, &kept))
        return 0;
    number = hf_pool_take(ls, &ls->claims);
    claim = hf_claim_at(ls, number);
    claim->lane = lane;
    claim->note = kept.first;
    claim->note_len = (uint16_t)kept.len;
    claim->state = HF_CLAIM_ASKED;
    return number;
}

/* May a lane that holds a name get it once more in this mode [W7]?  A loaded
 * grant may have been lowered beside another shared one. */
static bool
may_hold_too(const struct hf_lockspace *ls, const struct hf_line_hold *hold,
             enum hf_mode mode)
{
    if (hold->count == 0)
        return true;
    return hold->count == 1 && !hold->exclusive &&
           (mode == HF_EXCLUSIVE || ls->state == HF_LOCKSPACE_LOADING);
}

enum hf_over
hf_claims_attach(struct hf_lockspace *ls, uint32_t number,
                 const struct hf_want *want, enum hf_mode mode)
{
    uint32_t lane = hf_claim_at(ls, number)->lane;
    uint32_t at = hf_names_get(ls, want);
    enum hf_over over = HF_OVER_NEVER_ASKED;
    const struct hf_ls_space *space;
    struct hf_line_hold hold;

    if (at == 0)
        return HF_OVER_LIMIT;
    hold = hf_line_hold(ls, lane, at);
    space = hf_space_at(ls, hf_name_at(ls, at)->space);
    if (hf_claims_part_of(ls, number, at) != 0 ||
        (mode != HF_EXCLUSIVE && mode != HF_SHARED))
        over = HF_OVER_INVALID;
    else if (!may_hold_too(ls, &hold, mode))
        over = HF_OVER_ALREADY_HELD;
    else if (space->grants_count + space->waiters_count >=
                 ls->config.limits.space_grants ||
             !hf_line_attach(ls, number, at, mode))
        over = HF_OVER_LIMIT;
    hf_names_drop_unused(ls, at);
    return over;
}
