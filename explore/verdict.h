#ifndef EXPLORE_VERDICT_H
#define EXPLORE_VERDICT_H

#include <stdio.h>

#include "explore/explore.h"

/*
 * Verdict: what a search has found, or a replay has told, in words: for people,
 * and as JSON.
 */

/* "proved", "vacuous", "violated", "bounded". */
const char *verdict_word(enum explore_verdict verdict);

/* Was found what must be: `expect`, or nothing if it is NULL? */
bool verdict_is_expected(const struct explore_report *report,
                         const char *expect);

/* The same in JSON: true, false, or null where a limit came first. */
const char *verdict_expected_word(const struct explore_report *report,
                                  const char *expect);

/* A line on what must be found, where something else was, or nothing. */
void verdict_print_unexpected(FILE *out, const struct explore_report *report,
                              const char *expect);

/* How far a schedule was told: up to a step that breaks something, or to one
 * that is not possible. */
struct verdict_replay {
    const char *violated;
    size_t steps;
    bool possible; /* all steps that were tried */
};

/* Say on stdout how the replay of so many steps ended.  Returns what to exit
 * with: 0 when nothing was broken, and 1 when something was, or when it could
 * not be told to its end. */
int verdict_print_replay(const struct verdict_replay *replay, size_t steps);

/* `before`, and `value` as a JSON string, or null. */
void verdict_json_string(FILE *out, const char *before, const char *value);

/* The head of the JSON object of a search:
 * {"protocol","workers","faults","verdict","property" */
void verdict_json_head(FILE *out, const char *name, unsigned workers,
                       const struct explore_report *report);

/* And its figures: ,"store_operations","steps","states","transitions","depth",
 * "bytes","seconds" */
void verdict_json_figures(FILE *out, unsigned operations,
                          const struct explore_report *report);

#endif
