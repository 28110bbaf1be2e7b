#include "core/sighting.h"

bool
hf_sighting_note(struct hf_sighting *s, const struct hf_sight *sight,
                 struct hf_instant now)
{
    bool first = s->token == 0;
    bool same_token = !first && s->token == sight->token;

    if (s->present && same_token && s->version == sight->version)
        return true;

    *s = (struct hf_sighting){
        .present = true,
        .beat_seen = same_token,
        .same_holder = first || (s->same_holder && same_token),
        .running = same_token && s->running,
        .version = sight->version,
        .token = sight->token,
        .terms = sight->terms,
        .first_at = first ? now : s->first_at,
        .shown_at = now,
    };
    return false;
}

void
hf_sighting_absent(struct hf_sighting *s)
{
    s->present = false;
    s->same_holder = false;
    s->running = false;
    s->gone = false;
}

void
hf_sighting_evidence(struct hf_sighting *s, uint64_t version, bool gone)
{
    if (!s->present || s->version != version)
        return;
    s->gone = gone;
    s->running = !gone;
}

enum hf_proof
hf_sighting_proof(const struct hf_sighting *s, struct hf_instant now)
{
    if (!s->present)
        return HF_PROOF_NONE;
    if (s->gone)
        return HF_PROOF_GONE;
    return hf_reached(now, hf_sighting_stale_at(s)) ? HF_PROOF_UNCHANGED
                                                    : HF_PROOF_NONE;
}

struct hf_instant
hf_sighting_stale_at(const struct hf_sighting *s)
{
    if (!s->present)
        return HF_NEVER;
    return hf_after(s->shown_at, s->terms.ttl);
}
