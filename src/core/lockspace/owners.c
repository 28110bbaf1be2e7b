#include "core/lockspace/owners.h"

#include "base/check.h"
#include "core/lockspace/list.h"

static uint64_t
hash_of_id(uint64_t id)
{
    return hf_index_mix(id, 1);
}

static uint32_t
find_session(struct hf_lockspace *ls, uint64_t id)
{
    uint32_t at = hf_index_first(ls, &ls->sessions_by_id, hash_of_id(id));

    while (at != 0 && hf_session_at(ls, at)->id != id)
        at = hf_index_next(ls, &ls->sessions_by_id, at);
    return at;
}

uint32_t
hf_owners_session(struct hf_lockspace *ls, uint64_t id)
{
    uint32_t at = find_session(ls, id);

    if (at != 0 && hf_session_at(ls, at)->state == HF_SESSION_OVER)
        return 0;
    return at;
}

uint32_t
hf_owners_open(struct hf_lockspace *ls, const struct hf_loaded_session *from)
{
    struct hf_string who;
    struct hf_ls_session *session;
    uint32_t number;

    if (find_session(ls, from->id) != 0 || !hf_pool_room(&ls->sessions, 1) ||
        !hf_strings_put(ls, &ls->texts, from->who.at, from->who.len, &who))
        return 0;
    number = hf_pool_take(ls, &ls->sessions);
    session = hf_session_at(ls, number);
    session->id = from->id;
    session->heard_at = ls->now;
    session->ttl = from->ttl;
    session->who = who;
    session->state = HF_SESSION_LIVE;
    session->if_dead = (uint8_t)from->if_dead;
    session->secret = from->secret;
    hf_index_add(ls, &ls->sessions_by_id, hash_of_id(from->id), number);
    return number;
}

struct hf_instant
hf_owners_end_of_ttl(const struct hf_ls_session *session)
{
    return hf_after(session->heard_at, session->ttl);
}

bool
hf_owners_idle(const struct hf_ls_session *session)
{
    return session->held.count == 0 && session->waiters_count == 0 &&
           session->revoked_count == 0;
}

void
hf_owners_close(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_session *session = hf_session_at(ls, number);

    HF_CHECK(session->lanes_count == 0 && session->held.count == 0);
    hf_strings_drop(ls, &ls->texts, session->who);
    hf_index_remove(ls, &ls->sessions_by_id, hash_of_id(session->id), number);
    session->state = HF_SESSION_FREE;
    hf_pool_give(ls, &ls->sessions, number);
}

/* ---- Lanes --------------------------------------------------------------- */

/* Clients choose the numbers of lanes and requests but do not know the seed, so
 * they cannot choose numbers of one chain. */
static uint64_t
hash_of_chosen(const struct hf_lockspace *ls, uint64_t number, uint32_t owner)
{
    uint64_t seed = ls->config.hash_seed;

    return hf_index_mix(hf_index_mix(number, seed), seed + owner);
}

uint32_t
hf_owners_lane(struct hf_lockspace *ls, uint32_t session, uint64_t number)
{
    uint32_t at = hf_index_first(ls, &ls->lanes_by_number,
                                 hash_of_chosen(ls, number, session));

    while (at != 0 && (hf_lane_at(ls, at)->number != number ||
                       hf_lane_at(ls, at)->session != session))
        at = hf_index_next(ls, &ls->lanes_by_number, at);
    if (at != 0) {
        /* Most messages are about the lane's last request. */
        hf_pool_fetch(ls, &ls->claims, hf_lane_at(ls, at)->current);
        hf_pool_fetch(ls, &ls->parts, hf_lane_at(ls, at)->current);
    }
    return at;
}

/* Merge two skew heaps (Sleator, Tarjan 1986): O(log n) amortized. */
static uint32_t
merge(struct hf_lockspace *ls, uint32_t a, uint32_t b)
{
    uint32_t root = 0;
    uint32_t *link = &root;

    while (a != 0 && b != 0) {
        uint32_t low = a;
        struct hf_ls_lane *lane;

        if (hf_lane_at(ls, b)->number < hf_lane_at(ls, a)->number) {
            low = b;
            b = a;
        }
        lane = hf_lane_at(ls, low);
        a = lane->right;
        lane->right = lane->left;
        *link = low;
        link = &lane->left;
        ls->counts.links++;
    }
    *link = a != 0 ? a : b;
    return root;
}

uint32_t
hf_owners_add_lane(struct hf_lockspace *ls, uint32_t session_number,
                   uint64_t number)
{
    struct hf_ls_session *session = hf_session_at(ls, session_number);
    struct hf_ls_lane *lane;
    uint32_t at;

    if (session->lanes_count >= ls->config.limits.session_lanes)
        return 0;
    at = hf_pool_take(ls, &ls->lanes);
    if (at == 0)
        return 0;
    lane = hf_lane_at(ls, at);
    lane->session = session_number;
    lane->number = number;
    lane->state = HF_LANE_OVER;
    lane->over = HF_OVER_NEVER_ASKED;
    hf_index_add(ls, &ls->lanes_by_number,
                 hash_of_chosen(ls, number, session_number), at);
    session->lanes = merge(ls, session->lanes, at);
    session->lanes_count++;
    return at;
}

void
hf_owners_remove_lowest(struct hf_lockspace *ls, uint32_t session_number)
{
    struct hf_ls_session *session = hf_session_at(ls, session_number);
    uint32_t at = session->lanes;
    struct hf_ls_lane *lane = hf_lane_at(ls, at);

    HF_CHECK(at != 0 && lane->current == 0 && lane->held.first == 0);
    session->lanes = merge(ls, lane->left, lane->right);
    session->lanes_count--;
    hf_index_remove(ls, &ls->lanes_by_number,
                    hash_of_chosen(ls, lane->number, session_number), at);
    lane->session = 0; /* marks it free for walks over the pool */
    hf_pool_give(ls, &ls->lanes, at);
}

/* ---- What a lane holds --------------------------------------------------- */

uint32_t
hf_owners_held(struct hf_lockspace *ls, uint32_t lane_number, uint64_t n)
{
    const struct hf_ls_lane *lane = hf_lane_at(ls, lane_number);
    uint32_t at;

    if (lane->n == n) {
        at = lane->current;
        return at != 0 && hf_claim_at(ls, at)->state >= HF_CLAIM_HELD ? at : 0;
    }
    at = hf_index_first(ls, &ls->claims_by_n,
                        hash_of_chosen(ls, n, lane_number));
    while (at != 0 && (hf_claim_at(ls, at)->n != n ||
                       hf_claim_at(ls, at)->lane != lane_number))
        at = hf_index_next(ls, &ls->claims_by_n, at);
    return at;
}

void
hf_owners_set_old(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);

    HF_CHECK(!claim->is_old);
    claim->is_old = true;
    hf_index_add(ls, &ls->claims_by_n,
                 hash_of_chosen(ls, claim->n, claim->lane), number);
}

void
hf_owners_forget_held(struct hf_lockspace *ls, uint32_t number)
{
    struct hf_ls_claim *claim = hf_claim_at(ls, number);
    struct hf_ls_lane *lane = hf_lane_at(ls, claim->lane);

    hf_list_remove(ls, &lane->held, hf_list_mates, number);
    if (claim->is_old)
        hf_index_remove(ls, &ls->claims_by_n,
                        hash_of_chosen(ls, claim->n, claim->lane), number);
    claim->is_old = false;
    if (lane->current == number)
        lane->current = 0;
}

uint32_t
hf_owners_fence(struct hf_lockspace *ls, uint64_t fence)
{
    uint32_t at = hf_index_first(ls, &ls->claims_by_fence,
                                 hf_index_row(&ls->claims_by_fence, fence));

    while (at != 0 && hf_claim_at(ls, at)->fence != fence)
        at = hf_index_next(ls, &ls->claims_by_fence, at);
    return at;
}
