#include "tale/report/found.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "tale/report/variants.h"
#include "tale/run.h"
#include "tale/specimen/specimens.h"

/* A variant that is larger than this is shown as far as it was searched: the
 * report is to be there within the minute. */
enum { VARIANT_STATES_MAX = 2000000 };

static bool
search(struct found *found, const struct explore_limits *limits)
{
    struct explore_system system = specimen_system(&found->run);
    struct explore_limits mine = *limits;

    mine.faults = found->run.specimen->faults;
    return explore_all(&system, &mine, &found->report);
}

static bool
search_specimen(struct found_specimen *specimen,
                const struct explore_limits *limits)
{
    struct found *found = &specimen->found;
    bool valid;

    if (!search(found, limits))
        return false;
    if (found->report.verdict == EXPLORE_VIOLATED)
        specimen_tell(&found->run, found->report.schedule,
                      found->report.schedule_len, &specimen->told, &valid);
    return true;
}

/* The lines of the table are ours, and so they are right. */
static struct specimen_run
run_of(const struct variant *variant)
{
    uint16_t schedule[RUN_SCHEDULE_MAX];
    char line[RUN_LINE_MAX];
    struct specimen_run run;
    const char *why;

    snprintf(line, sizeof(line), "%s:", variant->line);
    HF_CHECK(run_parse(line, &run, schedule, &why) == 0);
    if (variant->only != NULL)
        run.only = variant->only;
    return run;
}

bool
found_search(struct found_all *all, const struct explore_limits *limits)
{
    struct explore_limits small = *limits;

    *all = (struct found_all){0};
    small.states_max = VARIANT_STATES_MAX;
    all->specimens = calloc(specimens_count, sizeof(*all->specimens));
    all->variants = calloc(variants_count, sizeof(*all->variants));
    if (all->specimens == NULL || all->variants == NULL)
        return false;
    for (unsigned i = 0; i < specimens_count; i++) {
        all->specimens[i].found.run = specimen_run_of(specimens[i], 0);
        if (!search_specimen(&all->specimens[i], limits))
            return false;
    }
    for (unsigned i = 0; i < variants_count; i++) {
        struct found_variant *variant = &all->variants[i];

        variant->found.run = run_of(&variants[i]);
        variant->about = variants[i].about;
        if (!search(&variant->found, &small))
            return false;
        all->variants_count++;
    }
    return true;
}

void
found_fini(struct found_all *all)
{
    for (unsigned i = 0; all->specimens != NULL && i < specimens_count; i++)
        explore_report_fini(&all->specimens[i].found.report);
    for (unsigned i = 0; i < all->variants_count; i++)
        explore_report_fini(&all->variants[i].found.report);
    free(all->specimens);
    free(all->variants);
    *all = (struct found_all){0};
}

bool
found_is_expected(const struct found_specimen *found)
{
    const char *expect = found->found.run.specimen->expect;
    const char *violated = found->found.report.violated;

    if (expect == NULL || violated == NULL)
        return expect == NULL && violated == NULL &&
               found->found.report.verdict != EXPLORE_VACUOUS;
    return strcmp(expect, violated) == 0;
}
