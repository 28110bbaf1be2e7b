#ifndef LAB_WORLD_STORY_H
#define LAB_WORLD_STORY_H

#include "base/text.h"
#include "lab/world/model.h"

/*
 * Story: a step of a schedule as a plain sentence.  Allocates nothing; texts
 * are cut at their buffer.
 */

/* "Worker #1 learns that its claim was applied, and holds the lock." */
void story_sentence(const struct model_step *step, struct hf_text *text);

/* What the step means to `worker`, in a few words, or "": for a table of all
 * workers side by side; WORLD_WORKERS_MAX: to the store. */
void story_cell(const struct model_step *step, unsigned worker,
                struct hf_text *text);

/* "serve", ...: as in a line that is replayed. */
const char *story_act_word(enum world_act act);

#endif
