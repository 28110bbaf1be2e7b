#include "core/terms.h"

#include "base/limits.h"

struct hf_duration
hf_margin(struct hf_duration ttl)
{
    int64_t share_ms = ttl.ms / 20;

    return (struct hf_duration){share_ms > 250 ? share_ms : 250};
}

bool
hf_terms_valid(const struct hf_terms *terms, struct hf_duration grace)
{
    if (terms->ttl.ms < HF_TTL_MIN_MS || terms->ttl.ms > HF_TTL_MAX_MS)
        return false;
    if (terms->beat.ms < 1 || terms->beat.ms > terms->ttl.ms)
        return false;
    if (grace.ms < 0 || grace.ms > terms->ttl.ms)
        return false;
    return terms->ttl.ms >=
           3 * terms->beat.ms + grace.ms + hf_margin(terms->ttl).ms;
}
