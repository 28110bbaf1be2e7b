#include "core/lockspace/keys.h"

#include "base/check.h"
#include "base/hash.h"
#include "core/lockspace/claims.h"
#include "core/lockspace/owners.h"

/* A key remembers the modes of its first 64 names, one bit each. */
#define MODES_MAX 64

/* ---- Sessions that were ended -------------------------------------------- */

static uint64_t
hash_of_id(const struct hf_lockspace *ls, uint64_t id)
{
    return hf_index_mix(id, ls->config.hash_seed);
}

static uint32_t
find_ended(struct hf_lockspace *ls, uint64_t id)
{
    uint32_t at = hf_index_first(ls, &ls->ended_by_id, hash_of_id(ls, id));

    while (at != 0 && hf_ended_at(ls, at)->id != id)
        at = hf_index_next(ls, &ls->ended_by_id, at);
    return at;
}

/* Each session with a key reserves the room to remember its end. */
static bool
has_room(const struct hf_lockspace *ls)
{
    return ls->of_keys_count + ls->ended.count < ls->config.limits.keys;
}

enum hf_answer_kind
hf_keys_may_open(struct hf_lockspace *ls, uint64_t id)
{
    if (find_ended(ls, id) != 0)
        return HF_ANSWER_GONE;
    return has_room(ls) ? HF_ANSWER_OPENED : HF_ANSWER_LIMIT;
}

void
hf_keys_bind(struct hf_lockspace *ls, uint32_t session)
{
    if (hf_session_at(ls, session)->of_key || !has_room(ls))
        return;
    hf_session_at(ls, session)->of_key = true;
    ls->of_keys_count++;
}

void
hf_keys_remember(struct hf_lockspace *ls, uint32_t session)
{
    const struct hf_ls_session *of = hf_session_at(ls, session);
    uint32_t number;

    if (!of->of_key)
        return;
    number = hf_pool_take(ls, &ls->ended);
    HF_CHECK(number != 0);
    hf_ended_at(ls, number)->id = of->id;
    hf_index_add(ls, &ls->ended_by_id, hash_of_id(ls, of->id), number);
    hf_timers_set(ls, &ls->timers, hf_item_of_ended(ls, number),
                  hf_owners_end_of_ttl(of).ms);
}

void
hf_keys_let_go(struct hf_lockspace *ls, uint32_t session)
{
    struct hf_ls_session *of = hf_session_at(ls, session);

    ls->of_keys_count -= of->of_key;
    of->of_key = false;
}

void
hf_keys_forget(struct hf_lockspace *ls, uint32_t ended)
{
    hf_timers_remove(ls, &ls->timers, hf_item_of_ended(ls, ended));
    hf_index_remove(ls, &ls->ended_by_id,
                    hash_of_id(ls, hf_ended_at(ls, ended)->id), ended);
    hf_pool_give(ls, &ls->ended, ended);
}

/* ---- What was asked for -------------------------------------------------- */

static uint64_t
hash_of_want(const struct hf_lockspace *ls, const struct hf_want *want)
{
    uint64_t seed = ls->config.hash_seed;
    uint64_t space = hf_hash_bytes(seed, want->space.at, want->space.len);
    uint64_t name = hf_hash_bytes(seed, want->name.at, want->name.len);

    return hf_index_mix(hf_index_mix(space, seed), name);
}

/* The hash includes whether the names are to be held or only waited for. */
static uint64_t
hash_of_names(const struct hf_lockspace *ls, const struct hf_message *acquire)
{
    uint64_t sum = acquire->acquire.free;

    for (size_t i = 0; i < acquire->acquire.wants_count; i++)
        sum += hash_of_want(ls, &acquire->acquire.wants[i]);
    return sum;
}

/* The bit of its i-th name.  It depends on the name, not on the order of the
 * names. */
static uint64_t
bit_of(const struct hf_lockspace *ls, const struct hf_message *acquire,
       size_t i)
{
    uint64_t hash = hash_of_want(ls, &acquire->acquire.wants[i]);
    size_t before = 0;

    for (size_t j = 0; j < acquire->acquire.wants_count; j++)
        before += hash_of_want(ls, &acquire->acquire.wants[j]) < hash;
    return before < MODES_MAX ? UINT64_C(1) << before : 0;
}

enum hf_mode
hf_keys_mode(const struct hf_lockspace *ls, uint32_t session,
             const struct hf_message *acquire, size_t i)
{
    const struct hf_ls_session *of = hf_session_at(ls, session);

    if (!hf_claims_any_mode(acquire, i))
        return acquire->acquire.wants[i].mode;
    return of->asked && of->asked_names == hash_of_names(ls, acquire) &&
                   (of->asked_shared & bit_of(ls, acquire, i)) != 0
               ? HF_SHARED
               : HF_EXCLUSIVE;
}

void
hf_keys_keep(struct hf_lockspace *ls, uint32_t session,
             const struct hf_message *acquire)
{
    struct hf_ls_session *of = hf_session_at(ls, session);

    if (!acquire->acquire.key.given || of->asked ||
        acquire->acquire.wants_count > MODES_MAX)
        return;
    for (size_t i = 0; i < acquire->acquire.wants_count; i++)
        if (hf_keys_mode(ls, session, acquire, i) == HF_SHARED)
            of->asked_shared |= bit_of(ls, acquire, i);
    of->asked_names = hash_of_names(ls, acquire);
    of->asked = true;
}

/* Does it ask for the same names in the same modes? */
static bool
asks_as_before(const struct hf_lockspace *ls, uint32_t session,
               const struct hf_message *acquire)
{
    const struct hf_ls_session *of = hf_session_at(ls, session);

    if (of->asked_names != hash_of_names(ls, acquire))
        return false;
    if (acquire->acquire.free)
        return true; /* an onlooker holds nothing, in any mode */
    for (size_t i = 0; i < acquire->acquire.wants_count; i++) {
        bool shared = (of->asked_shared & bit_of(ls, acquire, i)) != 0;

        if (hf_keys_mode(ls, session, acquire, i) !=
            (shared ? HF_SHARED : HF_EXCLUSIVE))
            return false;
    }
    return true;
}

/* The claim that the named request may still wait with; 0: there is none. */
static uint32_t
claim_of(struct hf_lockspace *ls, uint32_t session,
         const struct hf_message *acquire)
{
    uint32_t lane = hf_owners_lane(ls, session, acquire->lane);

    if (lane == 0)
        return 0;
    if (hf_claims_waits(hf_lane_at(ls, lane)) &&
        hf_lane_at(ls, lane)->n == acquire->n)
        return hf_lane_at(ls, lane)->current;
    return hf_owners_held(ls, lane, acquire->n);
}

bool
hf_keys_differ(struct hf_lockspace *ls, uint32_t session,
               const struct hf_message *acquire)
{
    const struct hf_of_key *key = &acquire->acquire.key;
    const struct hf_ls_session *of = hf_session_at(ls, session);
    uint32_t claim;

    if (!key->given)
        return false;
    if ((key->ttl_given && key->ttl.ms != of->ttl.ms) ||
        (key->if_dead_given && key->if_dead != (enum hf_if_dead)of->if_dead))
        return true;
    claim = claim_of(ls, session, acquire);
    if (claim != 0 && hf_claim_at(ls, claim)->state != HF_CLAIM_REVOKED)
        return !hf_claims_ask_for(ls, claim, acquire);
    return of->asked && !asks_as_before(ls, session, acquire);
}
