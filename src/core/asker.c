#include "core/asker.h"

#include "base/check.h"

/* Pauses stop doubling here, whatever the patience. */
#define LONG_MS 60000

void
hf_asker_init(struct hf_asker *asker, struct hf_duration patience)
{
    HF_CHECK(patience.ms > 0);
    *asker = (struct hf_asker){.patience = patience, .again_at = HF_NEVER};
}

void
hf_asker_ask(struct hf_asker *asker, enum hf_question question,
             struct hf_instant now)
{
    HF_CHECK(question != HF_ASK_NOTHING);
    asker->number++;
    asker->question = question;
    asker->waiting = true;
    asker->asked_at = now;
    asker->again_at = HF_NEVER;
}

bool
hf_asker_answered(struct hf_asker *asker, uint64_t number)
{
    if (!asker->waiting || asker->number != number)
        return false;
    asker->waiting = false;
    return true;
}

bool
hf_asker_overdue(struct hf_asker *asker, struct hf_instant now)
{
    if (!asker->waiting ||
        !hf_reached(now, hf_after(asker->asked_at, asker->patience)))
        return false;
    asker->waiting = false;
    return true;
}

void
hf_asker_pause(struct hf_asker *asker, struct hf_instant now)
{
    int64_t pause_ms = HF_PAUSE_FIRST_MS;

    HF_CHECK(!asker->waiting);
    for (unsigned i = 0; i < asker->failures && pause_ms < LONG_MS; i++)
        pause_ms *= 2;
    if (pause_ms > asker->patience.ms)
        pause_ms = asker->patience.ms;
    if (asker->failures < UINT8_MAX)
        asker->failures++;
    asker->again_at = hf_after(now, (struct hf_duration){pause_ms});
}

void
hf_asker_rest(struct hf_asker *asker, struct hf_instant when)
{
    HF_CHECK(!asker->waiting);
    asker->failures = 0;
    asker->again_at = when;
}

void
hf_asker_stop(struct hf_asker *asker)
{
    asker->waiting = false;
    asker->failures = 0;
    asker->again_at = HF_NEVER;
}

struct hf_instant
hf_asker_deadline(const struct hf_asker *asker)
{
    if (asker->waiting)
        return hf_after(asker->asked_at, asker->patience);
    return asker->again_at;
}
