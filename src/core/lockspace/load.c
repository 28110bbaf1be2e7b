#include "core/lockspace/load.h"

#include "core/lockspace/claims.h"
#include "core/lockspace/journal.h"
#include "core/lockspace/line.h"
#include "core/lockspace/owners.h"

/* A client that lives comes back within this part of its ttl, and no later than
 * this: so its record is put only if it stays silent [S10]. */
#define BACK_SHARE  10
#define BACK_MAX_MS 2000

struct hf_instant
hf_load_first_timer(const struct hf_ls_session *session)
{
    int64_t back_ms = session->ttl.ms / BACK_SHARE;

    if (session->says_silent)
        return hf_owners_end_of_ttl(session);
    return hf_after(
        session->heard_at,
        (struct hf_duration){back_ms < BACK_MAX_MS ? back_ms : BACK_MAX_MS});
}

void
hf_load_session(struct hf_lockspace *ls, const struct hf_loaded_session *from)
{
    struct hf_ls_session *session;
    uint32_t number = 0;

    if (hf_journal_session_bytes(from->who.len) <=
        ls->config.limits.record_bytes)
        number = hf_owners_open(ls, from);
    if (number == 0) {
        ls->load_failed = true;
        return;
    }
    session = hf_session_at(ls, number);
    session->recorded = true;
    session->unheard = true;
    session->says_silent = from->silent_from.ms != 0;
    session->heard_at =
        hf_after(ls->now, (struct hf_duration){-from->silent.ms});
    if (session->says_silent && from->silent.ms == 0)
        hf_journal_silence(ls, number); /* it counts no more */
    hf_timers_set(ls, &ls->timers, number, hf_load_first_timer(session).ms);
}

/* A grant without its session is void [S3]. */
static void
load_orphan(struct hf_lockspace *ls, uint32_t claim)
{
    hf_claim_at(ls, claim)->state = HF_CLAIM_ENDED;
    hf_journal_void(ls, claim);
}

static bool
load_names(struct hf_lockspace *ls, uint32_t claim,
           const struct hf_loaded_grant *from)
{
    for (size_t i = 0; i < from->wants_count; i++)
        if (hf_claims_attach(ls, claim, &from->wants[i], from->wants[i].mode) !=
            HF_OVER_NEVER_ASKED)
            return false;
    return from->wants_count > 0 && !hf_line_in_way(ls, claim);
}

/* A record too large for a batch could never be lowered. */
static bool
is_small(const struct hf_lockspace *ls, const struct hf_loaded_grant *from)
{
    size_t len = 0;

    for (size_t i = 0; i < from->wants_count; i++)
        len += from->wants[i].space.len + from->wants[i].name.len;
    return hf_journal_grant_bytes(from->wants_count, len, from->note.len) <=
           ls->config.limits.record_bytes;
}

/* The held request with the highest number is the lane's last: a lane's fences
 * grow with its requests. */
static bool
load_held(struct hf_lockspace *ls, uint32_t session, uint32_t claim,
          const struct hf_loaded_grant *from)
{
    uint32_t number = hf_owners_lane(ls, session, from->lane);
    struct hf_ls_lane *lane;

    if (number == 0)
        number = hf_owners_add_lane(ls, session, from->lane);
    if (number == 0)
        return false;
    lane = hf_lane_at(ls, number);
    hf_claim_at(ls, claim)->lane = number;
    if (from->n <= lane->n || !is_small(ls, from) ||
        !load_names(ls, claim, from))
        return false;
    hf_claims_turn_to(ls, lane, from->n, 0);
    lane->current = claim;
    hf_claims_move_to(lane, HF_LANE_GRANTED);
    hf_claims_hold(ls, claim, from->fence);
    hf_claims_list(ls, claim);
    hf_claim_at(ls, claim)->since =
        hf_after(ls->now, (struct hf_duration){-from->age.ms});
    return true;
}

void
hf_load_grant(struct hf_lockspace *ls, const struct hf_loaded_grant *from)
{
    uint32_t session = hf_owners_session(ls, from->session);
    uint32_t number = hf_claims_add(ls, 0, from->note);
    struct hf_ls_claim *claim = hf_claim_at(ls, number);
    bool in_order = from->fence >= ls->next_fence;

    if (number == 0) {
        ls->load_failed = true;
        return;
    }
    claim->n = from->n;
    claim->fence = from->fence;
    claim->stored = true;
    claim->handed = true;
    if (in_order)
        ls->next_fence = from->fence + 1;
    if (in_order && session == 0) {
        load_orphan(ls, number);
    } else if (!in_order || !load_held(ls, session, number, from)) {
        ls->load_failed = true;
        hf_line_leave(ls, number);
        hf_journal_settle(ls, number);
    }
}
