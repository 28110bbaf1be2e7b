#ifndef LAB_PRINT_H
#define LAB_PRINT_H

#include <stdio.h>

#include "world/model.h"

/* Print: what holdfast-lab shows, as text and as JSON. */

/* The longest schedule that is told, replayed or walked. */
enum { PRINT_SCHEDULE_MAX = 4096 };

/* Where to, and how a schedule is told. */
struct print {
    FILE *out;
    bool trace; /* as a table, the workers side by side */
};

/* "proved", "violated", "bounded". */
const char *print_verdict(enum lab_verdict verdict);

/* One step, as a numbered sentence or as a row of all workers side by side:
 * model_step_fn, ctx is a FILE. */
void print_sentence(void *ctx, unsigned number, const struct model_step *step);
void print_row(void *ctx, unsigned number, const struct model_step *step);

/* A whole schedule, the loop behind it if `violated` is "stuck", and the line
 * that replays it. */
void print_schedule(const struct print *how, const struct world_config *config,
                    const uint16_t *schedule, size_t len, const char *violated);

/* The table of proofs; a row says which target of the Makefile makes it. */
void print_table_head(FILE *out);
void print_table_row(FILE *out, const struct world_config *config,
                     const struct lab_report *report);

/* One proof as a JSON object on a line:
 * {"protocol","workers","faults","verdict","property","store_operations",
 *  "steps","states","transitions","seconds","schedule":[sentence, ...]} */
void print_json(FILE *out, const struct world_config *config,
                const struct lab_report *report);

#endif
