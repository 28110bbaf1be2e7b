#ifndef LAB_PRINT_H
#define LAB_PRINT_H

#include <stdio.h>

#include "lab/world/model.h"

/* Print: what holdfast-lab shows, as text and as JSON. */

enum {
    PRINT_SCHEDULE_MAX = 4096, /* the longest that is told, or replayed */
    PRINT_SENTENCE_MAX = 400,  /* bytes of one, with a check that fails */
};

/* Where to, and how a schedule is told. */
struct print {
    FILE *out;
    bool trace; /* as a table, the workers side by side */
};

/* "proved", "vacuous", "violated", "bounded". */
const char *print_verdict(enum explore_verdict verdict);

/* Was found what must be: `expect`, or nothing if it is NULL? */
bool print_is_expected(const struct explore_report *report, const char *expect);

/* The same in JSON: true, false, or null where a limit came first. */
const char *print_expected_word(const struct explore_report *report,
                                const char *expect);

/* A line on what must be found, where something else was, or nothing. */
void print_unexpected(FILE *out, const struct explore_report *report,
                      const char *expect);

/* One step, as a numbered sentence or as a row of all workers side by side:
 * model_step_fn, ctx is a FILE. */
void print_sentence(void *ctx, unsigned number, const struct model_step *step);
void print_row(void *ctx, unsigned number, const struct model_step *step);

/* How far a schedule was told: up to a step that breaks something, or to one
 * that is not possible. */
struct print_told {
    const char *violated;
    size_t steps;
    bool possible; /* all steps that were tried */
};

/* Tell a schedule; and if it breaks what must happen in the end, what comes
 * after it, as the loop of a world that is stuck. */
struct print_told print_story(const struct print *how,
                              const struct world_config *config,
                              const uint16_t *schedule, size_t len);

/* Say on stdout how the replay of so many steps ended.  Returns what to exit
 * with: 0 when nothing was broken, and 1 when something was, or when it could
 * not be told to its end. */
int print_replayed(const struct print_told *told, size_t steps);

/* Tell a schedule, and the line that replays it. */
void print_schedule(const struct print *how, const struct world_config *config,
                    const uint16_t *schedule, size_t len);

/* The table of proofs; a row says which target of the Makefile makes it. */
void print_table_head(FILE *out);
void print_table_row(FILE *out, const struct world_config *config,
                     const struct explore_report *report);

/* One proof as a JSON object on a line:
 * {"protocol","workers","faults","verdict","property","expected",
 *  "store_operations","steps","states","transitions","depth","bytes",
 *  "seconds","schedule":[sentence, ...],"replay"} */
void print_json(FILE *out, const struct world_config *config,
                const struct explore_report *report);

/* `before`, and `value` as a JSON string, or null. */
void print_json_string(FILE *out, const char *before, const char *value);

#endif
