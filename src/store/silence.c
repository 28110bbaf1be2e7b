#include "store/silence.h"

enum {
    LEAST_MS = 1000,
    PAUSE_FIRST_MS = 50,
    PAUSE_MOST_MS = 1000,
};

static int64_t
slowest_ms(const struct hf_silence_rule *rule)
{
    int64_t slowest = rule->vain_ms;

    for (unsigned i = 0; i < HF_SILENCE_ANSWERS; i++)
        if (rule->answers_ms[i] > slowest)
            slowest = rule->answers_ms[i];
    return slowest;
}

static int64_t
greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t
lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

struct hf_duration
hf_silence_limit(const struct hf_silence_rule *rule, struct hf_instant now,
                 struct hf_instant until)
{
    int64_t left = hf_between(now, until).ms;
    int64_t slowest = slowest_ms(rule);
    int64_t usual = lesser(greater(LEAST_MS, 4 * slowest), left / 3);

    return (struct hf_duration){
        lesser(greater(usual, slowest + slowest / 2), left)};
}

void
hf_silence_answered(struct hf_silence_rule *rule, struct hf_duration took)
{
    rule->answers_ms[rule->next] = took.ms;
    rule->next = (rule->next + 1) % HF_SILENCE_ANSWERS;
    rule->vain_ms = 0;
    rule->failures = 0;
}

void
hf_silence_failed(struct hf_silence_rule *rule, struct hf_duration waited)
{
    rule->vain_ms = greater(rule->vain_ms, waited.ms);
    rule->failures++;
}

struct hf_duration
hf_silence_pause(const struct hf_silence_rule *rule)
{
    int64_t pause_ms = rule->failures == 0 ? 0 : PAUSE_FIRST_MS;

    for (unsigned i = 1; i < rule->failures && pause_ms < PAUSE_MOST_MS; i++)
        pause_ms *= 2;
    return (struct hf_duration){lesser(pause_ms, PAUSE_MOST_MS)};
}
