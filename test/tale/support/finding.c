#include "tale/support/finding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tale/specimen/specimens.h"

static void
summarise(const struct told *told, struct hf_text *text)
{
    for (unsigned i = 0; i < told->count; i++) {
        const struct told_event *event = &told->events[i];

        if (event->kind == TOLD_ISSUE)
            continue;
        hf_text_add(text, text->len == 0 ? "" : ", ");
        if (event->worker != TOLD_NOBODY)
            hf_text_addf(text, "%u ", event->worker + 1);
        hf_text_add(text, told_kind_word(event->kind));
    }
}

void
find(const struct specimen_run *run, unsigned faults, struct finding *finding)
{
    struct explore_system system = specimen_system(run);
    struct explore_limits limits = {.faults = faults, .memory_max = 1 << 30};
    struct explore_report report;
    struct hf_text text;
    bool valid;

    *finding = (struct finding){0};
    assert_true(explore_all(&system, &limits, &report));
    finding->verdict = report.verdict;
    finding->property = report.violated;
    finding->steps = report.schedule_len;
    hf_text_init(&text, finding->brief, sizeof(finding->brief));
    if (report.verdict == EXPLORE_VIOLATED) {
        const char *violated = specimen_tell(
            run, report.schedule, report.schedule_len, &finding->told, &valid);

        assert_true(valid);
        assert_string_equal(violated, report.violated);
        summarise(&finding->told, &text);
        assert_false(hf_text_cut(&text));
    }
    explore_report_fini(&report);
}

void
find_named(const char *name, unsigned workers, const char *setting,
           struct finding *finding)
{
    const struct specimen *specimen = specimens_find(name);
    struct specimen_run run;
    const char *why;

    assert_non_null(specimen);
    run = specimen_run_of(specimen, workers);
    if (setting != NULL && !specimen_set(&run, setting, &why))
        fail_msg("%s: %s: %s", name, setting, why);
    find(&run, specimen->faults, finding);
}

const char *
finding_sentence(const struct finding *finding, unsigned number)
{
    assert_in_range(number, 1, finding->told.count);
    return finding->told.events[number - 1].sentence;
}
