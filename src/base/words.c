#include <holdfast/version.h>
#include <holdfast/view.h>

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
hf_version(void)
{
    return HF_VERSION;
}

int
hf_version_num(void)
{
    return HF_VERSION_NUM;
}

/* The functions that look a value up in a table of words.h.  A value that no
 * table has is a bug, which has its exit code and no word. */
#define CASE_NAME(value, exit_code, word)                                      \
    case value:                                                                \
        return #value;
#define CASE_EXIT(value, exit_code, word)                                      \
    case value:                                                                \
        return exit_code;
#define CASE_CODED_WORD(value, exit_code, word)                                \
    case value:                                                                \
        return word;
#define CASE_WORD(value, word)                                                 \
    case value:                                                                \
        return word;
#define LOOKUP(result, function, type, TABLE, CASE, none)                      \
    result function(type value)                                                \
    {                                                                          \
        switch (value) {                                                       \
            TABLE(CASE)                                                        \
        }                                                                      \
        return none;                                                           \
    }
#define WORD(function, type, TABLE, CASE)                                      \
    LOOKUP(const char *, function, type, TABLE, CASE, "?")
#define EXIT(function, type, TABLE)                                            \
    LOOKUP(int, function, type, TABLE, CASE_EXIT, EXIT_OUR_BUG)

enum { EXIT_OUR_BUG = 70 };

WORD(hf_status_name, enum hf_status, HF_STATUS_TABLE, CASE_NAME)
WORD(hf_status_sentence, enum hf_status, HF_STATUS_TABLE, CASE_CODED_WORD)
EXIT(hf_status_exit, enum hf_status, HF_STATUS_TABLE)
WORD(hf_outcome_word, enum hf_outcome, HF_OUTCOME_TABLE, CASE_CODED_WORD)
EXIT(hf_outcome_exit, enum hf_outcome, HF_OUTCOME_TABLE)
WORD(hf_state_word, enum hf_state, HF_STATE_TABLE, CASE_WORD)
WORD(hf_life_word, enum hf_life, HF_LIFE_TABLE, CASE_WORD)
WORD(hf_grade_word, enum hf_grade, HF_GRADE_TABLE, CASE_WORD)
WORD(hf_mode_word, enum hf_mode, HF_MODE_TABLE, CASE_WORD)

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

/* Take the unit at the head of *text: its length in ms, 0 when there is
 * none. */
static int64_t
take_unit(const char **text)
{
    static const struct {
        const char *word;
        int64_t ms;
    } units[] = {
        {"ms", 1}, /* before "m" */
        {"s", MS_PER_SECOND},
        {"m", MS_PER_MINUTE},
        {"h", MS_PER_HOUR},
        {"d", MS_PER_DAY},
    };

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        size_t len = strlen(units[i].word);

        if (strncmp(*text, units[i].word, len) == 0) {
            *text += len;
            return units[i].ms;
        }
    }
    return 0;
}

/* Take the digits at the head of *text; false when they do not fit. */
static bool
take_number(const char **text, int64_t *number)
{
    for (*number = 0; **text >= '0' && **text <= '9'; (*text)++) {
        int64_t value = **text - '0';

        if (*number > (INT64_MAX - value) / 10)
            return false;
        *number = *number * 10 + value;
    }
    return true;
}

/* Take ".5", ".25" or ".125" at the head of *text: so many thousandths, 0 when
 * there is none.  What is left of it then is no unit. */
static int64_t
take_thousandths(const char **text)
{
    int64_t sum = 0;

    if (**text != '.')
        return 0;
    for (int64_t worth = 100; worth > 0; worth /= 10) {
        const char *digit = *text + 1;

        if (*digit < '0' || *digit > '9')
            break;
        sum += (*digit - '0') * worth;
        (*text)++;
    }
    (*text)++;
    return sum;
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
    const char *at = text;
    int64_t last = INT64_MAX;
    int64_t sum = 0;

    do {
        const char *begin = at;
        int64_t number;
        bool fits = take_number(&at, &number);
        bool digits = at > begin;
        bool whole = *at != '.';
        int64_t thousandths = digits && fits ? take_thousandths(&at) : 0;
        int64_t unit = take_unit(&at);
        /* INT64_MAX itself means "no limit", which no number spells. */
        int64_t room = INT64_MAX - 1 - thousandths - sum;

        if (!fits)
            return refuse_duration(error, text, "is too long");
        if (!digits || unit == 0 || unit >= last ||
            !(whole || unit == MS_PER_SECOND))
            return refuse_duration(error, text,
                                   "is not a number with a unit, as 500ms, "
                                   "1.5s, 10m, 3h05m or 2d");
        if (room < 0 || number > room / unit)
            return refuse_duration(error, text, "is too long");
        sum += number * unit + thousandths;
        last = unit;
    } while (*at != '\0');

    *duration = (struct hf_duration){sum};
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
