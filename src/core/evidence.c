#include "core/evidence.h"

bool
hf_evidence_lock(struct hf_evidence *e, const struct hf_sight *sight,
                 struct hf_instant now)
{
    bool first = e->token == 0;
    bool same_token = !first && e->token == sight->token;

    if (e->present && same_token && e->version == sight->version)
        return true;

    *e = (struct hf_evidence){
        .present = true,
        .beat_seen = same_token,
        .same_holder = first || (e->same_holder && same_token),
        .running = same_token && e->running,
        .version = sight->version,
        .token = sight->token,
        .terms = sight->terms,
        .first_at = first ? now : e->first_at,
        .shown_at = now,
    };
    return false;
}

void
hf_evidence_absent(struct hf_evidence *e)
{
    e->present = false;
    e->same_holder = false;
    e->running = false;
    e->gone = false;
}

void
hf_evidence_processes(struct hf_evidence *e, uint64_t version, bool gone)
{
    if (!e->present || e->version != version)
        return;
    e->gone = gone;
    e->running = !gone;
}

enum hf_proof
hf_evidence_proof(const struct hf_evidence *e, struct hf_instant now)
{
    if (!e->present)
        return HF_PROOF_NONE;
    if (e->gone)
        return HF_PROOF_GONE;
    return hf_reached(now, hf_evidence_stale_at(e)) ? HF_PROOF_UNCHANGED
                                                    : HF_PROOF_NONE;
}

bool
hf_evidence_by_stamp(const struct hf_sight *sight)
{
    return sight->terms.if_dead == HF_TAKEOVER &&
           sight->stood.ms >= sight->terms.ttl.ms;
}

struct hf_duration
hf_evidence_stamp_in(const struct hf_sight *sight)
{
    if (sight->terms.if_dead != HF_TAKEOVER || sight->stood.ms == 0)
        return HF_FOREVER;
    return (struct hf_duration){sight->terms.ttl.ms - sight->stood.ms};
}

struct hf_instant
hf_evidence_stale_at(const struct hf_evidence *e)
{
    if (!e->present)
        return HF_NEVER;
    return hf_after(e->shown_at, e->terms.ttl);
}

enum hf_life
hf_evidence_of_session(bool suspected, bool heard, struct hf_duration silent,
                       struct hf_duration ttl)
{
    if (suspected)
        return HF_LIFE_SUSPECTED;
    return heard && silent.ms <= ttl.ms / 2 ? HF_LIFE_BEATING : HF_LIFE_UNKNOWN;
}
