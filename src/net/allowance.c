#include "net/allowance.h"

static void
fill(struct hf_allowance *allowance, int64_t thousandths)
{
    int64_t room = allowance->most * 1000 - allowance->thousandths;

    allowance->thousandths += thousandths < room ? thousandths : room;
}

void
hf_allowance_init(struct hf_allowance *allowance, uint32_t most, uint32_t per_s,
                  struct hf_instant now)
{
    *allowance = (struct hf_allowance){
        .thousandths = (int64_t)most * 1000,
        .most = most,
        .per_s = per_s,
        .at = now,
    };
}

bool
hf_allowance_take(struct hf_allowance *allowance, struct hf_instant now)
{
    int64_t passed_ms = hf_between(allowance->at, now).ms;
    int64_t hour_ms = INT64_C(3600) * 1000; /* so that nothing overflows */

    /* A token a second is a thousandth a millisecond. */
    fill(allowance,
         (passed_ms < hour_ms ? passed_ms : hour_ms) * allowance->per_s);
    allowance->at = hf_later(allowance->at, now);
    if (allowance->thousandths < 1000)
        return false;
    allowance->thousandths -= 1000;
    return true;
}

void
hf_allowance_add(struct hf_allowance *allowance, uint32_t tokens)
{
    fill(allowance, (int64_t)tokens * 1000);
}
