#include "explore/verdict.h"

#include <string.h>

#include "base/text.h"
#include "explore/program.h"

const char *
verdict_word(enum explore_verdict verdict)
{
    static const char *const words[] = {
        [EXPLORE_PROVED] = "proved",
        [EXPLORE_VACUOUS] = "vacuous",
        [EXPLORE_VIOLATED] = "violated",
        [EXPLORE_BOUNDED] = "bounded",
    };

    return words[verdict];
}

bool
verdict_is_expected(const struct explore_report *report, const char *expect)
{
    if (expect == NULL)
        return report->verdict == EXPLORE_PROVED;
    return report->violated != NULL && strcmp(report->violated, expect) == 0;
}

const char *
verdict_expected_word(const struct explore_report *report, const char *expect)
{
    if (report->verdict == EXPLORE_BOUNDED)
        return "null";
    return verdict_is_expected(report, expect) ? "true" : "false";
}

void
verdict_print_unexpected(FILE *out, const struct explore_report *report,
                         const char *expect)
{
    if (report->verdict != EXPLORE_BOUNDED && expect != NULL &&
        !verdict_is_expected(report, expect))
        fprintf(out, "     not as expected: it must find \"%s\"\n", expect);
}

int
verdict_print_replay(const struct verdict_replay *replay, size_t steps)
{
    if (!replay->possible) {
        printf("     step %zu of the line is not possible here: it was made by "
               "other code, or mistyped\n",
               replay->steps + 1);
        return EXIT_FINDING;
    }
    printf("     %s%s\n",
           replay->violated == NULL ? "nothing is broken" : "broken: ",
           replay->violated == NULL ? "" : replay->violated);
    if (replay->steps < steps)
        printf("     steps of the line behind it, which are not told: %zu\n",
               steps - replay->steps);
    return replay->violated == NULL ? 0 : EXIT_FINDING;
}

/* ---- JSON ---------------------------------------------------------------- */

void
verdict_json_string(FILE *out, const char *before, const char *value)
{
    char quoted[3000];
    struct hf_text json;

    fputs(before, out);
    if (value == NULL) {
        fputs("null", out);
        return;
    }
    hf_text_init(&json, quoted, sizeof(quoted));
    hf_text_add_json(&json, value, strlen(value));
    fputs(quoted, out);
}

void
verdict_json_head(FILE *out, const char *name, unsigned workers,
                  const struct explore_report *report)
{
    fprintf(out,
            "{\"protocol\":\"%s\",\"workers\":%u,\"faults\":%u,\"verdict\":"
            "\"%s\"",
            name, workers, report->faults, verdict_word(report->verdict));
    verdict_json_string(out, ",\"property\":", report->violated);
}

void
verdict_json_figures(FILE *out, unsigned operations,
                     const struct explore_report *report)
{
    fprintf(out,
            ",\"store_operations\":%u,\"steps\":%zu,\"states\":%llu,"
            "\"transitions\":%llu,\"depth\":%u,\"bytes\":%llu,"
            "\"seconds\":%.3f",
            operations, report->schedule_len,
            (unsigned long long)report->states,
            (unsigned long long)report->transitions, report->depth,
            (unsigned long long)report->bytes, report->seconds);
}
