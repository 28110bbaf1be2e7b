#include "core/question.h"

#include "base/check.h"

/* Pauses stop doubling here, whatever the patience. */
#define LONG_MS 60000

void
hf_question_init(struct hf_question *q, const struct hf_question_config *config)
{
    HF_CHECK(config->least.ms > 0);
    HF_CHECK(config->most.ms >= config->least.ms);
    HF_CHECK(config->call.ms >= config->most.ms);
    *q = (struct hf_question){.config = *config, .again_at = HF_NEVER};
}

void
hf_question_ask(struct hf_question *q, enum hf_question_kind kind,
                struct hf_instant now)
{
    HF_CHECK(kind != HF_ASK_NOTHING);
    q->number++;
    q->kind = kind;
    q->waiting = true;
    q->late = false;
    q->asked_at = now;
    q->again_at = HF_NEVER;
}

bool
hf_question_answered(struct hf_question *q, uint64_t number)
{
    if (!q->waiting || q->number != number)
        return false;
    q->waiting = false;
    return true;
}

void
hf_question_took(struct hf_question *q, struct hf_duration took)
{
    q->took = took;
}

struct hf_duration
hf_question_patience(const struct hf_question *q)
{
    const struct hf_question_config *config = &q->config;

    if (q->took.ms >= config->most.ms / 2)
        return config->most;
    if (2 * q->took.ms <= config->least.ms)
        return config->least;
    return (struct hf_duration){2 * q->took.ms};
}

static bool
is_read(const struct hf_question *q)
{
    return q->kind == HF_ASK_READ;
}

static struct hf_instant
worth_until(const struct hf_question *q)
{
    return hf_after(q->asked_at,
                    is_read(q) ? q->config.call : hf_question_patience(q));
}

static struct hf_instant
late_at(const struct hf_question *q)
{
    return hf_after(q->asked_at, hf_question_patience(q));
}

enum hf_silence
hf_question_silence(struct hf_question *q, struct hf_instant now)
{
    if (!q->waiting)
        return HF_SILENCE_NONE;
    if (hf_reached(now, worth_until(q))) {
        q->waiting = false;
        return HF_SILENCE_OVER;
    }
    if (q->late || !hf_reached(now, late_at(q)))
        return HF_SILENCE_NONE;
    q->late = true;
    return HF_SILENCE_LATE;
}

void
hf_question_supersede(struct hf_question *q)
{
    q->waiting = false;
}

void
hf_question_pause(struct hf_question *q, struct hf_instant now)
{
    int64_t most_ms = hf_question_patience(q).ms;
    int64_t pause_ms = HF_PAUSE_FIRST_MS;

    HF_CHECK(!q->waiting);
    for (unsigned i = 0; i < q->failures && pause_ms < LONG_MS; i++)
        pause_ms *= 2;
    if (pause_ms > most_ms)
        pause_ms = most_ms;
    if (q->failures < UINT8_MAX)
        q->failures++;
    q->again_at = hf_after(now, (struct hf_duration){pause_ms});
}

void
hf_question_rest(struct hf_question *q, struct hf_instant when)
{
    HF_CHECK(!q->waiting);
    q->failures = 0;
    q->again_at = when;
}

void
hf_question_stop(struct hf_question *q)
{
    q->waiting = false;
    q->failures = 0;
    q->again_at = HF_NEVER;
}

struct hf_instant
hf_question_deadline(const struct hf_question *q)
{
    if (!q->waiting)
        return q->again_at;
    return q->late ? worth_until(q) : late_at(q);
}
