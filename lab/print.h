#ifndef LAB_PRINT_H
#define LAB_PRINT_H

#include <stdio.h>

#include "explore/verdict.h"
#include "lab/subject.h"
#include "lab/world/model.h"

/* Print: what holdfast-lab shows of worlds, as text and as JSON. */

enum {
    PRINT_SCHEDULE_MAX = 4096, /* the longest that is told, or replayed */
    PRINT_SENTENCE_MAX = 400,  /* bytes of one, with a check that fails */
};

/* Where to, and how a schedule is told. */
struct print {
    FILE *out;
    bool trace; /* as a table, the workers side by side */
};

/* One step, as a numbered sentence or as a row of all workers side by side:
 * model_step_fn, ctx is a FILE. */
void print_sentence(void *ctx, unsigned number, const struct model_step *step);
void print_row(void *ctx, unsigned number, const struct model_step *step);

/* Tell a schedule; and if it breaks what must happen in the end, what comes
 * after it, as the loop of a world that is stuck. */
struct verdict_replay print_story(const struct print *how,
                                  struct subject *subject,
                                  const uint16_t *schedule, size_t len);

/* Tell a schedule, and the line that replays it. */
void print_schedule(const struct print *how, struct subject *subject,
                    const uint16_t *schedule, size_t len);

/* The table of proofs; a row says which target of the Makefile makes it. */
void print_table_head(FILE *out);
void print_table_row(FILE *out, const struct subject *subject,
                     const struct explore_report *report);

/* One proof as a JSON object on a line: the head and the figures of verdict.h,
 * and beside them "expected", "schedule":[sentence, ...] and "replay". */
void print_json(FILE *out, struct subject *subject,
                const struct explore_report *report);

#endif
