#include <holdfast/words.h>

#include "base/fail.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    MS_PER_SECOND = 1000,
    MS_PER_MINUTE = 60 * MS_PER_SECOND,
    MS_PER_HOUR = 60 * MS_PER_MINUTE,
    MS_PER_DAY = 24 * MS_PER_HOUR,
};

const char *
hf_status_name(enum hf_status status)
{
    switch (status) {
#define STATUS_NAME(name, exit_code, sentence)                                 \
    case name:                                                                 \
        return #name;
        HF_STATUS_TABLE(STATUS_NAME)
#undef STATUS_NAME
    }
    return "?";
}

const char *
hf_status_sentence(enum hf_status status)
{
    switch (status) {
#define STATUS_SENTENCE(name, exit_code, sentence)                             \
    case name:                                                                 \
        return sentence;
        HF_STATUS_TABLE(STATUS_SENTENCE)
#undef STATUS_SENTENCE
    }
    return "?";
}

/* Of values that no table has: a bug, so the exit code of bugs. */
enum { EXIT_OUR_BUG = 70 };

int
hf_status_exit(enum hf_status status)
{
    switch (status) {
#define STATUS_EXIT(name, exit_code, sentence)                                 \
    case name:                                                                 \
        return exit_code;
        HF_STATUS_TABLE(STATUS_EXIT)
#undef STATUS_EXIT
    }
    return EXIT_OUR_BUG;
}

const char *
hf_outcome_word(enum hf_outcome outcome)
{
    switch (outcome) {
#define OUTCOME_WORD(name, exit_code, word)                                    \
    case name:                                                                 \
        return word;
        HF_OUTCOME_TABLE(OUTCOME_WORD)
#undef OUTCOME_WORD
    }
    return "?";
}

int
hf_outcome_exit(enum hf_outcome outcome)
{
    switch (outcome) {
#define OUTCOME_EXIT(name, exit_code, word)                                    \
    case name:                                                                 \
        return exit_code;
        HF_OUTCOME_TABLE(OUTCOME_EXIT)
#undef OUTCOME_EXIT
    }
    return EXIT_OUR_BUG;
}

const char *
hf_if_dead_word(enum hf_if_dead if_dead)
{
    switch (if_dead) {
    case HF_TAKEOVER:
        return "takeover";
    case HF_REFUSE:
        return "refuse";
    }
    return "?";
}

/* The unit's length in ms, 0 when there is no such unit. */
static int64_t
unit_ms(const char *unit)
{
    static const struct {
        const char *word;
        int64_t ms;
    } units[] = {
        {"ms", 1},
        {"s", MS_PER_SECOND},
        {"m", MS_PER_MINUTE},
        {"h", MS_PER_HOUR},
    };

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(unit, units[i].word) == 0)
            return units[i].ms;
    }
    return 0;
}

static enum hf_status
refuse_duration(struct hf_error *error, const char *text, const char *why)
{
    char shown[64];

    hf_text_show(shown, sizeof(shown), text, strlen(text));
    return hf_fail(error, HF_E_INVALID, "duration '%s' %s", shown, why);
}

enum hf_status
hf_duration_parse(const char *text, struct hf_duration *duration,
                  struct hf_error *error)
{
    const char *digit = text;
    int64_t count = 0;
    int64_t unit;

    for (; *digit >= '0' && *digit <= '9'; digit++) {
        int64_t value = *digit - '0';

        if (count > (INT64_MAX - value) / 10)
            return refuse_duration(error, text, "is too long");
        count = count * 10 + value;
    }
    unit = unit_ms(digit);
    if (digit == text || unit == 0)
        return refuse_duration(
            error, text,
            "is not a whole number with a unit, as 500ms, 30s, "
            "10m or 2h");
    /* INT64_MAX itself means "no limit", which no number spells. */
    if (count > (INT64_MAX - 1) / unit)
        return refuse_duration(error, text, "is too long");

    *duration = (struct hf_duration){count * unit};
    return HF_OK;
}

/* "2m", "2m10s", "3h05m": the lesser unit is left out when it is 0. */
static void
add_two(struct hf_text *out, uint64_t ms, uint64_t greater, const char *units)
{
    uint64_t lesser = greater == MS_PER_DAY ? MS_PER_HOUR : greater / 60;
    uint64_t rest = ms % greater / lesser;

    hf_text_addf(out, "%" PRIu64 "%c", ms / greater, units[0]);
    if (rest > 0)
        hf_text_addf(out, "%02" PRIu64 "%c", rest, units[1]);
}

const char *
hf_duration_text(struct hf_duration duration, char *buffer, size_t size)
{
    struct hf_text out;
    uint64_t ms = (uint64_t)duration.ms;

    hf_text_init(&out, buffer, size);
    if (duration.ms == HF_FOREVER.ms) {
        hf_text_add(&out, "forever");
        return buffer;
    }
    if (duration.ms < 0) {
        hf_text_add(&out, "-");
        ms = 0 - ms;
    }

    if (ms == 0)
        hf_text_add(&out, "0s");
    else if (ms < MS_PER_SECOND)
        hf_text_addf(&out, "%" PRIu64 "ms", ms);
    else if (ms < MS_PER_MINUTE && ms % 1000 >= 100)
        hf_text_addf(&out, "%" PRIu64 ".%" PRIu64 "s", ms / 1000,
                     ms % 1000 / 100);
    else if (ms < MS_PER_MINUTE)
        hf_text_addf(&out, "%" PRIu64 "s", ms / 1000);
    else if (ms < MS_PER_HOUR)
        add_two(&out, ms, MS_PER_MINUTE, "ms");
    else if (ms < MS_PER_DAY)
        add_two(&out, ms, MS_PER_HOUR, "hm");
    else
        add_two(&out, ms, MS_PER_DAY, "dh");
    return buffer;
}
