#include "core/inflight.h"

#include <stddef.h>

static bool
may_claim(const struct hf_sent *sent)
{
    return sent->number != 0 && sent->kind == HF_ASK_CLAIM;
}

void
hf_inflight_add(struct hf_inflight *inflight, const struct hf_sent *sent)
{
    struct hf_sent *oldest = &inflight->writes[0];

    for (unsigned i = 1; i < HF_INFLIGHT_MAX; i++)
        if (inflight->writes[i].number < oldest->number)
            oldest = &inflight->writes[i];
    inflight->forgot_claim = inflight->forgot_claim || may_claim(oldest);
    *oldest = *sent;
}

const struct hf_sent *
hf_inflight_find(const struct hf_inflight *inflight, uint64_t number)
{
    for (unsigned i = 0; i < HF_INFLIGHT_MAX; i++)
        if (inflight->writes[i].number == number && number != 0)
            return &inflight->writes[i];
    return NULL;
}

void
hf_inflight_remove(struct hf_inflight *inflight, uint64_t number)
{
    for (unsigned i = 0; i < HF_INFLIGHT_MAX; i++)
        if (inflight->writes[i].number == number)
            inflight->writes[i] = (struct hf_sent){.number = 0};
}

bool
hf_inflight_claims(const struct hf_inflight *inflight, uint64_t but)
{
    bool claims = inflight->forgot_claim;

    for (unsigned i = 0; i < HF_INFLIGHT_MAX; i++)
        claims = claims || (may_claim(&inflight->writes[i]) &&
                            inflight->writes[i].number != but);
    return claims;
}
