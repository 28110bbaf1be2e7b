#include "server/park.h"

#include <inttypes.h>
#include <stdio.h>

bool
hf_park_has_place(const struct hf_message *acquire, bool known,
                  char why[HF_PARK_WHY_SIZE])
{
    const char *what = NULL;

    if (acquire->acquire.park.ms == 0)
        return true;
    if (acquire->acquire.wait == HF_WAIT_TRY)
        what = "\"park\" keeps a place in line, and a try has none: let "
               "\"wait\" be a duration";
    else if (!known)
        what = "\"park\" is for who asks again with a \"session\" or an "
               "idempotency-key";
    if (what != NULL)
        snprintf(why, HF_PARK_WHY_SIZE, "%s", what);
    return what == NULL;
}

bool
hf_park_fits(const struct hf_message *acquire, struct hf_duration ttl,
             char why[HF_PARK_WHY_SIZE])
{
    struct hf_duration park = acquire->acquire.park;

    if (park.ms <= ttl.ms / 2)
        return true;
    snprintf(why, HF_PARK_WHY_SIZE,
             "a \"park\" of %" PRId64 " ms is above half of the session's ttl, "
             "%" PRId64 " ms",
             park.ms, ttl.ms);
    return false;
}
