#include "base/options.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/nearest.h"

/* ---- The table ----------------------------------------------------------- */

bool
hf_options_have(const struct hf_options *options,
                const struct hf_option *option)
{
    return option->scopes == 0 || (option->scopes & options->scope) != 0;
}

const struct hf_option *
hf_options_find(const struct hf_options *options, const char *name)
{
    for (size_t i = 0; i < options->count; i++) {
        const struct hf_option *option = &options->rows[i];

        if (option->name != NULL && hf_options_have(options, option) &&
            strcmp(option->name, name) == 0)
            return option;
    }
    return NULL;
}

bool
hf_option_is_also(const char *words, const char *word, size_t len)
{
    while (words != NULL && *words != '\0') {
        size_t next = strcspn(words, " ");

        if (next == len && memcmp(words, word, len) == 0)
            return true;
        words += next + strspn(words + next, " ");
    }
    return false;
}

void
hf_options_add_meant(const struct hf_options *options, const char *name,
                     size_t len, const char *dashes, struct hf_text *out)
{
    struct hf_nearest nearest;

    hf_nearest_begin(&nearest, name, len);
    for (size_t i = 0; i < options->count; i++) {
        const struct hf_option *option = &options->rows[i];

        if (!hf_options_have(options, option))
            continue;
        if (hf_option_is_also(option->also, name, len)) {
            if (option->letter != '\0')
                hf_text_addf(out, ": did you mean -%c?", option->letter);
            else
                hf_text_addf(out, ": did you mean %s%s?", dashes, option->name);
            return;
        }
        if (option->name != NULL)
            hf_nearest_try(&nearest, option->name);
    }
    if (nearest.word != NULL)
        hf_text_addf(out, ": did you mean %s%s?", dashes, nearest.word);
}

/* ---- Values -------------------------------------------------------------- */

static void *
value_of(const struct hf_option *option, void *values)
{
    return (char *)values + option->offset;
}

/* Refuse a wrong text: in the words of the row, if it has any. */
static enum hf_status
refuse(const struct hf_option *option, const struct hf_option_given *given,
       const char *sentence, struct hf_error *error)
{
    return hf_fail(error, HF_E_INVALID, "%s %s", given->as,
                   option->wants != NULL ? option->wants : sentence);
}

static const char *const no_or_yes[] = {"no", "yes", NULL};

static enum hf_status
refuse_word(const struct hf_option *option, const struct hf_option_given *given,
            const char *const *words, struct hf_error *error)
{
    char sentence[128];
    struct hf_text out;

    hf_text_init(&out, sentence, sizeof(sentence));
    if (words[2] == NULL)
        hf_text_addf(&out, "is neither %s nor %s", words[0], words[1]);
    else
        hf_text_addf(&out, "is none of %s", words[0]);
    for (size_t i = 1; words[2] != NULL && words[i] != NULL; i++)
        hf_text_addf(&out, ", %s", words[i]);
    return refuse(option, given, sentence, error);
}

static enum hf_status
set_word(const struct hf_option *option, void *values,
         const struct hf_option_given *given, struct hf_error *error)
{
    const char *const *words = option->words;
    unsigned which = 0;

    if (words == NULL)
        words = no_or_yes;
    while (words[which] != NULL && strcmp(given->text, words[which]) != 0)
        which++;
    if (words[which] == NULL)
        return refuse_word(option, given, words, error);
    if (option->kind == HF_OPTION_WORD)
        memcpy(value_of(option, values), &which, sizeof(which));
    else
        *(bool *)value_of(option, values) = which == 1;
    return HF_OK;
}

bool
hf_option_number(const char *text, int64_t most, int64_t *number)
{
    int64_t sum = 0;
    size_t len = 0;

    for (; text[len] >= '0' && text[len] <= '9'; len++) {
        int64_t digit = text[len] - '0';

        if (sum > (most - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    if (len == 0 || text[len] != '\0')
        return false;
    *number = sum;
    return true;
}

static enum hf_status
set_number(const struct hf_option *option, void *values,
           const struct hf_option_given *given, struct hf_error *error)
{
    int64_t most = option->most == 0 ? INT64_MAX : option->most;
    char sentence[64];
    struct hf_text out;
    int64_t number;

    hf_text_init(&out, sentence, sizeof(sentence));
    hf_text_addf(&out, "is from %" PRId64 " to %" PRId64, option->least, most);
    if (!hf_option_number(given->text, most, &number) || number < option->least)
        return refuse(option, given, sentence, error);
    memcpy(value_of(option, values), &number, sizeof(number));
    return HF_OK;
}

static enum hf_status
refuse_length(const struct hf_option *option,
              const struct hf_option_given *given, struct hf_error *error)
{
    char least[32];
    char most[32];
    char sentence[80];
    struct hf_text out;

    hf_text_init(&out, sentence, sizeof(sentence));
    hf_text_addf(&out, "is from %s to %s",
                 hf_duration_text((struct hf_duration){option->least}, least,
                                  sizeof(least)),
                 hf_duration_text((struct hf_duration){option->most}, most,
                                  sizeof(most)));
    return refuse(option, given,
                  option->most == 0 ? "must be more than zero" : sentence,
                  error);
}

static enum hf_status
read_duration(const struct hf_option *option,
              const struct hf_option_given *given, struct hf_duration *duration,
              struct hf_error *error)
{
    struct hf_error why = {0};

    *duration = HF_FOREVER;
    if (option->most == HF_FOREVER.ms && strcmp(given->text, "forever") == 0)
        return HF_OK;
    if (hf_duration_parse(given->text, duration, &why) != HF_OK)
        return option->wants != NULL ? refuse(option, given, "", error)
                                     : hf_fail(error, HF_E_INVALID, "%s: %s",
                                               given->as, why.text);
    if (duration->ms < option->least ||
        (option->most != 0 && duration->ms > option->most))
        return refuse_length(option, given, error);
    return HF_OK;
}

enum hf_status
hf_option_copy(char **string, const struct hf_alloc *alloc, const char *text,
               struct hf_error *error)
{
    char *copy = hf_copy(alloc, text);

    if (copy == NULL)
        return hf_fail(error, HF_E_NOMEM, "out of memory");
    hf_free(alloc, *string);
    *string = copy;
    return HF_OK;
}

static enum hf_status
set_text(const struct hf_option *option, void *values,
         const struct hf_option_given *given, struct hf_error *error)
{
    enum hf_status status = HF_OK;

    if (option->check != NULL)
        status = option->check(given->text, error);
    if (status != HF_OK)
        return status;
    if (given->alloc != NULL)
        return hf_option_copy(value_of(option, values), given->alloc,
                              given->text, error);
    *(const char **)value_of(option, values) = given->text;
    return HF_OK;
}

static enum hf_status
set_kind(const struct hf_option *option, void *values,
         const struct hf_option_given *given, struct hf_error *error)
{
    struct hf_duration duration;
    enum hf_status status;

    switch (option->kind) {
    case HF_OPTION_FLAG:
    case HF_OPTION_WORD:
        return set_word(option, values, given, error);
    case HF_OPTION_NUMBER:
        return set_number(option, values, given, error);
    case HF_OPTION_DURATION:
        status = read_duration(option, given, &duration, error);
        if (status == HF_OK)
            memcpy(value_of(option, values), &duration, sizeof(duration));
        return status;
    case HF_OPTION_DURATION_TEXT:
        status = read_duration(option, given, &duration, error);
        return status == HF_OK ? set_text(option, values, given, error)
                               : status;
    case HF_OPTION_TEXT:
        return set_text(option, values, given, error);
    case HF_OPTION_OTHER:
        return option->set(values, given, error);
    case HF_OPTION_STOP:
        *(bool *)value_of(option, values) = true;
        return HF_OK;
    }
    HF_CHECK(!"a kind of option");
    return HF_E_INVALID;
}

enum hf_status
hf_option_set(const struct hf_option *option, void *values,
              const struct hf_option_given *given, struct hf_error *error)
{
    enum hf_status status = set_kind(option, values, given, error);

    if (status == HF_OK && option->given != 0)
        *((bool *)values + option->given) = true;
    return status;
}

enum hf_status
hf_options_set(const struct hf_options *options, void *values,
               const char *owner, const struct hf_option_given *given,
               struct hf_error *error)
{
    const struct hf_option *option = hf_options_find(options, given->as);
    char hint[64];
    struct hf_text meant;

    if (option != NULL)
        return hf_option_set(option, values, given, error);
    hf_text_init(&meant, hint, sizeof(hint));
    hf_options_add_meant(options, given->as, strlen(given->as), "", &meant);
    return hf_fail(error, HF_E_INVALID, "%s no option '%.40s'%s", owner,
                   given->as, hint);
}
