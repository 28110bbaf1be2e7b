#include "tale/run.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/program.h"
#include "explore/verdict.h"
#include "tale/specimen/specimens.h"

/* ---- The line that is replayed ------------------------------------------ */

static void
add_setting(const struct specimen_run *run, unsigned i, struct hf_text *text)
{
    hf_text_addf(text, "%s=", run->specimen->settings[i].name);
    specimen_add_value(run, i, text);
}

void
run_line(const struct specimen_run *run, const uint16_t *schedule, size_t len,
         struct hf_text *text)
{
    hf_text_add(text, run->specimen->name);
    for (unsigned i = 0; specimen_has_setting(run, i); i++)
        if (run->settings[i] != run->specimen->defaults[i]) {
            hf_text_add(text, ",");
            add_setting(run, i, text);
        }
    hf_text_addf(text, ":%u:", run->workers);
    for (size_t i = 0; i < len; i++) {
        unsigned actor = schedule[i] / SPECIMEN_CHOICES_MAX;
        unsigned choice = schedule[i] % SPECIMEN_CHOICES_MAX;

        hf_text_addf(text, "%s%u", i == 0 ? "" : ",",
                     actor == SPECIMEN_WORLD ? 0 : actor + 1);
        if (choice != 0)
            hf_text_addf(text, ".%u", choice);
    }
}

/* The name and the settings: up to the first colon. */
static bool
parse_head(char *head, struct specimen_run *run, const char **why)
{
    char *comma = strchr(head, ',');
    const struct specimen *specimen;

    if (comma != NULL)
        *comma = '\0';
    specimen = specimens_find(head);
    *why = "there is no such specimen";
    if (specimen == NULL)
        return false;
    *run = specimen_run_of(specimen, 0);
    while (comma != NULL) {
        char *assignment = comma + 1;

        comma = strchr(assignment, ',');
        if (comma != NULL)
            *comma = '\0';
        if (!specimen_set(run, assignment, why))
            return false;
    }
    return true;
}

/* The digits at `at`; NULL when there are none, else what follows them. */
static const char *
parse_digits(const char *at, unsigned *number)
{
    unsigned long long value;
    char *end;

    if (*at < '0' || *at > '9')
        return NULL;
    value = strtoull(at, &end, 10);
    *number = value > UINT_MAX ? UINT_MAX : (unsigned)value;
    return end;
}

/* One action at `at`; NULL when there is none, else what follows it. */
static const char *
parse_action(const char *at, uint16_t *action)
{
    unsigned actor = 0;
    unsigned choice = 0;
    const char *end = parse_digits(at, &actor);

    if (end != NULL && *end == '.')
        end = parse_digits(end + 1, &choice);
    if (end == NULL || actor > TOLD_WORKERS_MAX ||
        choice >= SPECIMEN_CHOICES_MAX || (*end != ',' && *end != '\0'))
        return NULL;
    actor = actor == 0 ? SPECIMEN_WORLD : actor - 1;
    *action = (uint16_t)(actor * SPECIMEN_CHOICES_MAX + choice);
    return end;
}

int
run_parse(const char *line, struct specimen_run *run,
          uint16_t schedule[RUN_SCHEDULE_MAX], const char **why)
{
    char head[RUN_LINE_MAX];
    const char *colon = strchr(line, ':');
    const char *at;
    const char *end;
    unsigned workers = 0;
    int count = 0;

    *why = "it is not SPECIMEN:WORKERS:ACTION,ACTION,...";
    if (colon == NULL || (size_t)(colon - line) >= sizeof(head))
        return -1;
    snprintf(head, sizeof(head), "%.*s", (int)(colon - line), line);
    if (!parse_head(head, run, why))
        return -1;
    end = parse_digits(colon + 1, &workers);
    *why = "there are 1 to 4 workers";
    if (end == NULL || *end != ':' || workers < 1 || workers > TOLD_WORKERS_MAX)
        return -1;
    run->workers = workers;
    *why = "its settings cannot go together";
    if (!specimen_check(run, NULL))
        return -1;
    for (at = end + 1; *at != '\0'; at += *at == ',') {
        *why = "there are too many actions";
        if (count == RUN_SCHEDULE_MAX)
            return -1;
        *why = "there is no such action";
        at = parse_action(at, &schedule[count++]);
        if (at == NULL)
            return -1;
    }
    return count;
}

bool
run_is_specimen(const char *line)
{
    char name[64];
    size_t len = strcspn(line, ",:");

    if (len >= sizeof(name))
        return false;
    snprintf(name, sizeof(name), "%.*s", (int)len, line);
    return specimens_find(name) != NULL;
}

/* ---- Printing ----------------------------------------------------------- */

struct run_result {
    const struct specimen_run *run;
    const struct explore_report *report;
    const struct told *told;
    bool as_told; /* its source says what must be found */
};

static void
print_told(const struct told *told)
{
    for (unsigned i = 0; i < told->count; i++)
        printf("%3u. %s%s.\n", told->events[i].number, told->events[i].sentence,
               told->events[i].fault ? " (a fault)" : "");
    if (told->short_of_room)
        puts("     ... and more than can be told here");
}

/* Is the run for what its specimen is about? */
static bool
is_about_the_same(const struct specimen_run *run)
{
    const char *only = run->specimen->only;

    if (run->only == NULL || only == NULL)
        return run->only == only;
    return strcmp(run->only, only) == 0;
}

/* What is set, how much goes wrong, or that there are too few to do it, changes
 * what is to be found: then its source says nothing. */
static bool
is_as_told(const struct specimen_run *run, const struct explore_limits *limits)
{
    const struct specimen *specimen = run->specimen;

    for (unsigned i = 0; specimen_has_setting(run, i); i++)
        if (run->settings[i] != specimen->defaults[i])
            return false;
    return is_about_the_same(run) && limits->faults == specimen->faults &&
           run->workers >= specimen->workers;
}

static void
print_settings_changed(const struct specimen_run *run)
{
    char buffer[200];
    struct hf_text text;

    hf_text_init(&text, buffer, sizeof(buffer));
    for (unsigned i = 0; specimen_has_setting(run, i); i++)
        if (run->settings[i] != run->specimen->defaults[i]) {
            hf_text_add(&text, text.len == 0 ? "" : " ");
            add_setting(run, i, &text);
        }
    if (buffer[0] != '\0')
        printf("     with: %s\n", buffer);
}

/* "proved", or "proved: no overlap" where nothing else was looked for. */
static void
add_verdict(const struct run_result *result, struct hf_text *text)
{
    const struct explore_report *report = result->report;
    const char *only = result->run->only;

    if (report->verdict == EXPLORE_VACUOUS) {
        hf_text_add(text, "nobody was ever inside");
        return;
    }
    hf_text_add(text, verdict_word(report->verdict));
    if (report->verdict == EXPLORE_VIOLATED)
        hf_text_addf(
            text, ": %s%s", report->violated,
            result->as_told &&
                    verdict_is_expected(report, result->run->specimen->expect)
                ? " (must be)"
                : "");
    else if (only != NULL)
        hf_text_addf(text, ": no %s%s", only,
                     report->verdict == EXPLORE_BOUNDED ? " so far" : "");
}

/* What was never possible, a name at a time; NULL: no more.  It is known only
 * where every state was visited, and of a specimen that has all its choices
 * tried. */
static const char *
next_never(const struct run_result *result, unsigned *next, char name[20])
{
    const struct specimen *specimen = result->run->specimen;
    const struct explore_report *report = result->report;
    unsigned choices = specimen->moves == NULL ? specimen->choices : 0;

    if (report->verdict != EXPLORE_PROVED && report->verdict != EXPLORE_VACUOUS)
        return NULL;
    for (; *next < choices; (*next)++)
        if ((report->seen >> *next & 1) == 0) {
            snprintf(name, 20, "choice %u", (*next)++);
            return name;
        }
    if (*next > choices || report->faults == 0 ||
        (report->seen & SPECIMEN_SEEN_FAULT) != 0)
        return NULL;
    *next = choices + 1;
    return "a fault";
}

static void
print_never(const struct run_result *result)
{
    char name[20];
    const char *never;

    for (unsigned next = 0; (never = next_never(result, &next, name)) != NULL;)
        printf("     never possible: %s\n", never);
}

static void
print_text(const struct run_result *result)
{
    const struct specimen_run *run = result->run;
    const struct explore_report *report = result->report;
    char buffer[RUN_LINE_MAX];
    struct hf_text text;

    printf("%s: %s\n", run->specimen->name, run->specimen->about);
    printf("     as told by: %s\n", run->specimen->source);
    print_settings_changed(run);
    if (run->only != NULL)
        printf("     looking only for: %s\n", run->only);
    hf_text_init(&text, buffer, sizeof(buffer));
    add_verdict(result, &text);
    printf("     %u worker%s, %u fault%s: %s, %llu states, depth %u, %.2f s\n",
           run->workers, run->workers == 1 ? "" : "s", report->faults,
           report->faults == 1 ? "" : "s", buffer,
           (unsigned long long)report->states, report->depth, report->seconds);
    print_never(result);
    if (result->as_told)
        verdict_print_unexpected(stdout, report, run->specimen->expect);
    if (report->verdict != EXPLORE_VIOLATED)
        return;
    print_told(result->told);
    hf_text_init(&text, buffer, sizeof(buffer));
    run_line(run, report->schedule, report->schedule_len, &text);
    printf("     %u store operations\n     holdfast-tale replay %s\n",
           result->told->operations, buffer);
}

/* ---- Printing as JSON ---------------------------------------------------- */

static void
print_event(const struct told_event *event, unsigned workers)
{
    printf("{\"number\":%u,\"worker\":", event->number);
    if (event->worker == TOLD_NOBODY)
        printf("null");
    else
        printf("%u", event->worker + 1);
    printf(",\"kind\":\"%s\",\"issue\":", told_kind_word(event->kind));
    if (event->issue == 0)
        printf("null");
    else
        printf("%u", event->issue);
    printf(",\"replica\":");
    if (event->replica == 0)
        printf("null");
    else
        printf("%u", event->replica);
    printf(",\"fault\":%s,\"error\":%s,\"lost\":%s",
           event->fault ? "true" : "false", event->error ? "true" : "false",
           event->lost ? "true" : "false");
    verdict_json_string(stdout, ",\"sentence\":", event->sentence);
    verdict_json_string(stdout, ",\"holds\":", event->holds);
    printf(",\"where\":[");
    for (unsigned i = 0; i < workers; i++)
        printf("%s\"%s\"", i == 0 ? "" : ",",
               told_where_word((enum where)event->where[i]));
    printf("]}");
}

static void
print_settings(const struct specimen_run *run)
{
    printf("\"settings\":{");
    for (unsigned i = 0; specimen_has_setting(run, i); i++) {
        const struct specimen_setting *setting = &run->specimen->settings[i];

        printf("%s\"%s\":", i == 0 ? "" : ",", setting->name);
        if (setting->words[0] != NULL)
            printf("\"%s\"", setting->words[run->settings[i]]);
        else
            printf("%u", run->settings[i]);
    }
    printf("}");
}

static void
print_list_of_never(const struct run_result *result)
{
    char name[20];
    const char *never;
    const char *before = "";

    printf(",\"never_possible\":[");
    for (unsigned next = 0;
         (never = next_never(result, &next, name)) != NULL;) {
        verdict_json_string(stdout, before, never);
        before = ",";
    }
    printf("]");
}

static void
print_object(const struct run_result *result)
{
    const struct specimen_run *run = result->run;
    const struct explore_report *report = result->report;
    const struct told *told = result->told;
    char line[RUN_LINE_MAX];
    struct hf_text text;

    verdict_json_head(stdout, run->specimen->name, run->workers, report);
    verdict_json_string(stdout, ",\"only\":", run->only);
    printf(",\"expected\":%s",
           result->as_told
               ? verdict_expected_word(report, run->specimen->expect)
               : "null");
    verdict_json_figures(stdout, told->operations, report);
    printf(",\"schedule\":[");
    for (unsigned i = 0; i < told->count; i++)
        verdict_json_string(stdout, i == 0 ? "" : ",",
                            told->events[i].sentence);
    hf_text_init(&text, line, sizeof(line));
    run_line(run, report->schedule, report->schedule_len, &text);
    verdict_json_string(stdout, "],\"replay\":",
                        report->verdict == EXPLORE_VIOLATED ? line : NULL);
    print_list_of_never(result);
    printf(",");
    print_settings(run);
    printf(",\"events\":[");
    for (unsigned i = 0; i < told->count; i++) {
        printf("%s", i == 0 ? "" : ",");
        print_event(&told->events[i], run->workers);
    }
    puts("]}");
}

/* ---- Running ------------------------------------------------------------ */

static int
judge(const struct run_result *result)
{
    const char *expect = result->run->specimen->expect;

    if (result->report->verdict == EXPLORE_BOUNDED)
        return EXIT_BOUNDED;
    if (result->report->verdict == EXPLORE_VACUOUS)
        return EXIT_FINDING;
    return result->as_told && !verdict_is_expected(result->report, expect)
               ? EXIT_FINDING
               : 0;
}

int
run_explore(const struct specimen_run *run, const struct explore_limits *limits,
            bool json, struct told *told)
{
    struct explore_system system = specimen_system(run);
    struct explore_report report;
    struct run_result result = {.run = run, .report = &report, .told = told};
    bool valid;
    int code;

    if (!explore_all(&system, limits, &report)) {
        program_complain("not enough memory");
        return EXIT_INTERNAL;
    }
    result.as_told = is_as_told(run, limits);
    *told = (struct told){0};
    if (report.verdict == EXPLORE_VIOLATED)
        specimen_tell(run, report.schedule, report.schedule_len, told, &valid);
    if (json)
        print_object(&result);
    else
        print_text(&result);
    code = judge(&result);
    explore_report_fini(&report);
    return code;
}

int
run_replay(const char *line, struct specimen_run *run, struct told *told)
{
    uint16_t schedule[RUN_SCHEDULE_MAX];
    const char *violated;
    const char *why;
    bool valid;
    int count = run_parse(line, run, schedule, &why);

    *told = (struct told){0};
    if (count < 0) {
        program_complain("cannot replay '%.60s': %s", line, why);
        return EXIT_USAGE;
    }
    violated = specimen_tell(run, schedule, (size_t)count, told, &valid);
    print_told(told);
    return verdict_print_replay(&(struct verdict_replay){.violated = violated,
                                                         .steps = told->steps,
                                                         .possible = valid},
                                (size_t)count);
}
