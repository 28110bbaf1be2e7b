#include "core/asker.h"

#include "base/check.h"

/* Pauses stop doubling here, whatever the patience. */
#define LONG_MS 60000

void
hf_asker_init(struct hf_asker *asker, const struct hf_asker_config *config)
{
    HF_CHECK(config->least.ms > 0);
    HF_CHECK(config->most.ms >= config->least.ms);
    HF_CHECK(config->call.ms >= config->most.ms);
    *asker = (struct hf_asker){.config = *config, .again_at = HF_NEVER};
}

void
hf_asker_ask(struct hf_asker *asker, enum hf_question question,
             struct hf_instant now)
{
    HF_CHECK(question != HF_ASK_NOTHING);
    asker->number++;
    asker->question = question;
    asker->waiting = true;
    asker->late = false;
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

void
hf_asker_took(struct hf_asker *asker, struct hf_duration took)
{
    asker->took = took;
}

struct hf_duration
hf_asker_patience(const struct hf_asker *asker)
{
    const struct hf_asker_config *config = &asker->config;

    if (asker->took.ms >= config->most.ms / 2)
        return config->most;
    if (2 * asker->took.ms <= config->least.ms)
        return config->least;
    return (struct hf_duration){2 * asker->took.ms};
}

static bool
is_read(const struct hf_asker *asker)
{
    return asker->question == HF_ASK_READ;
}

static struct hf_instant
worth_until(const struct hf_asker *asker)
{
    return hf_after(asker->asked_at, is_read(asker) ? asker->config.call
                                                    : hf_asker_patience(asker));
}

static struct hf_instant
late_at(const struct hf_asker *asker)
{
    return hf_after(asker->asked_at, hf_asker_patience(asker));
}

enum hf_silence
hf_asker_silence(struct hf_asker *asker, struct hf_instant now)
{
    if (!asker->waiting)
        return HF_SILENCE_NONE;
    if (hf_reached(now, worth_until(asker))) {
        asker->waiting = false;
        return HF_SILENCE_OVER;
    }
    if (asker->late || !hf_reached(now, late_at(asker)))
        return HF_SILENCE_NONE;
    asker->late = true;
    return HF_SILENCE_LATE;
}

void
hf_asker_supersede(struct hf_asker *asker)
{
    asker->waiting = false;
}

void
hf_asker_pause(struct hf_asker *asker, struct hf_instant now)
{
    int64_t most_ms = hf_asker_patience(asker).ms;
    int64_t pause_ms = HF_PAUSE_FIRST_MS;

    HF_CHECK(!asker->waiting);
    for (unsigned i = 0; i < asker->failures && pause_ms < LONG_MS; i++)
        pause_ms *= 2;
    if (pause_ms > most_ms)
        pause_ms = most_ms;
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
    if (!asker->waiting)
        return asker->again_at;
    return asker->late ? worth_until(asker) : late_at(asker);
}
