#include "tale/specimen/specimen.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

struct specimen_run
specimen_run_of(const struct specimen *specimen, unsigned workers)
{
    struct specimen_run run = {
        .specimen = specimen,
        .workers = workers == 0 ? specimen->workers : workers,
        .only = specimen->only,
    };

    HF_CHECK(run.workers <= TOLD_WORKERS_MAX);
    HF_CHECK(specimen->size <= SPECIMEN_STATE_MAX);
    for (unsigned i = 0; i < SPECIMEN_SETTINGS_MAX; i++)
        run.settings[i] = specimen->defaults[i];
    return run;
}

/* The value that `word` names; false when it names none. */
static bool
read_value(const struct specimen_setting *setting, const char *word,
           unsigned *value)
{
    char *end;
    unsigned long number;

    for (unsigned i = 0; i < SPECIMEN_WORDS_MAX && setting->words[i] != NULL;
         i++)
        if (strcmp(setting->words[i], word) == 0) {
            *value = i;
            return true;
        }
    if (setting->words[0] != NULL || word[0] < '0' || word[0] > '9')
        return false;
    number = strtoul(word, &end, 10);
    if (*end != '\0' || number > setting->most)
        return false;
    *value = (unsigned)number;
    return true;
}

bool
specimen_set(struct specimen_run *run, const char *assignment, const char **why)
{
    const struct specimen_setting *settings = run->specimen->settings;
    const char *equals = strchr(assignment, '=');
    size_t len;

    *why = "it is not NAME=VALUE";
    if (equals == NULL)
        return false;
    len = (size_t)(equals - assignment);
    *why = "there is no such setting";
    for (unsigned i = 0; settings != NULL && settings[i].name != NULL; i++) {
        if (strlen(settings[i].name) != len ||
            strncmp(settings[i].name, assignment, len) != 0)
            continue;
        *why = "it has no such value";
        return read_value(&settings[i], equals + 1, &run->settings[i]);
    }
    return false;
}

/* Without a choice no step is tried, and any property holds. */
static bool
check_choices(const struct specimen *specimen, struct hf_error *error)
{
    unsigned most =
        specimen->moves == NULL ? SPECIMEN_CHOICES_SEEN : SPECIMEN_CHOICES_MAX;

    if (specimen->choices > 0 && specimen->choices <= most)
        return true;
    hf_fail(error, HF_E_INVALID, "%s has %u choices: there are 1 to %u",
            specimen->name, specimen->choices, most);
    return false;
}

bool
specimen_check(const struct specimen_run *run, struct hf_error *error)
{
    if (!check_choices(run->specimen, error))
        return false;
    return run->specimen->check == NULL || run->specimen->check(run, error);
}

bool
specimen_has_setting(const struct specimen_run *run, unsigned index)
{
    return run->specimen->settings != NULL &&
           run->specimen->settings[index].name != NULL;
}

void
specimen_add_value(const struct specimen_run *run, unsigned index,
                   struct hf_text *text)
{
    const struct specimen_setting *setting = &run->specimen->settings[index];

    if (setting->words[0] != NULL)
        hf_text_add(text, setting->words[run->settings[index]]);
    else
        hf_text_addf(text, "%u", run->settings[index]);
}
