#include "client/server/proxy_limit.h"

#include <string.h>

#include "wire/json.h"

/* An answer within this is not due to a time limit. */
enum { SHORTEST_MS = 500 };

/* Two times that differ by no more are alike.  Polls and keep-alives share the
 * connection, and vary them. */
enum { ALIKE_MS = 300, ALIKE_PART = 8 };

enum { ENOUGH = 2 };

/* The command shows the state once a second. */
static const struct hf_duration to_be_told = {2500};

/* A problem document of a lock server has a type. */
static bool
is_ours(struct hf_bytes body)
{
    static const char urn[] = "urn:holdfast:";
    struct hf_bytes type = hf_json_inside(hf_json_member(body, "type"));

    return type.len >= sizeof(urn) - 1 &&
           memcmp(type.at, urn, sizeof(urn) - 1) == 0;
}

bool
hf_proxy_limit_is_answer(int status, struct hf_bytes body)
{
    return (status == 502 || status == 504 || status == 408) && !is_ours(body);
}

bool
hf_proxy_limit_note(struct hf_proxy_limit *limit, struct hf_instant now,
                    struct hf_duration took)
{
    int64_t apart_ms = took.ms - limit->after.ms;

    if (took.ms < SHORTEST_MS)
        return false;
    if (apart_ms < 0)
        apart_ms = -apart_ms;
    if (apart_ms > ALIKE_MS + took.ms / ALIKE_PART)
        limit->alike = 0;
    limit->alike++;
    limit->after = took;
    limit->at = now;
    return true;
}

bool
hf_proxy_limit_is_fresh(const struct hf_proxy_limit *limit,
                        struct hf_instant now)
{
    return limit->alike > 0 &&
           !hf_reached(now, hf_after(limit->at, to_be_told));
}

struct hf_duration
hf_proxy_limit_piece(const struct hf_proxy_limit *limit)
{
    return (struct hf_duration){limit->alike < ENOUGH ? 0
                                                      : limit->after.ms / 2};
}
