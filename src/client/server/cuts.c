#include "client/server/cuts.h"

#include <string.h>

#include "wire/json_slice.h"

/* What is answered sooner was not waited for. */
enum { SHORTEST_MS = 500 };

/* Two that differ by no more are alike: looks and beats are on the same way. */
enum { ALIKE_MS = 300, ALIKE_PART = 8 };

enum { ENOUGH = 2 };

/* A line for people is made anew each second. */
static const struct hf_duration to_be_told = {2500};

/* A lock server's own problems have a type. */
static bool
is_ours(struct hf_bytes body)
{
    static const char urn[] = "urn:holdfast:";
    struct hf_bytes type = hf_json_slice_inside(hf_json_slice(body, "type"));

    return type.len >= sizeof(urn) - 1 &&
           memcmp(type.at, urn, sizeof(urn) - 1) == 0;
}

bool
hf_cuts_is_one(int status, struct hf_bytes body)
{
    return (status == 502 || status == 504 || status == 408) && !is_ours(body);
}

bool
hf_cuts_note(struct hf_cuts *cuts, struct hf_instant now,
             struct hf_duration took)
{
    int64_t apart_ms = took.ms - cuts->after.ms;

    if (took.ms < SHORTEST_MS)
        return false;
    if (apart_ms < 0)
        apart_ms = -apart_ms;
    if (apart_ms > ALIKE_MS + took.ms / ALIKE_PART)
        cuts->alike = 0;
    cuts->alike++;
    cuts->after = took;
    cuts->at = now;
    return true;
}

bool
hf_cuts_are_fresh(const struct hf_cuts *cuts, struct hf_instant now)
{
    return cuts->alike > 0 && !hf_reached(now, hf_after(cuts->at, to_be_told));
}

struct hf_duration
hf_cuts_piece(const struct hf_cuts *cuts)
{
    return (struct hf_duration){cuts->alike < ENOUGH ? 0 : cuts->after.ms / 2};
}
