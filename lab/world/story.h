#ifndef LAB_WORLD_STORY_H
#define LAB_WORLD_STORY_H

#include "base/text.h"
#include "lab/world/model.h"

/*
 * Story: a step of a schedule as a plain sentence, and a schedule as one line
 * that can be replayed.  Allocates nothing; texts are cut at their buffer.
 */

/* "Worker #1 learns that its claim was applied, and holds the lock." */
void story_sentence(const struct model_step *step, struct hf_text *text);

/* What the step means to `worker`, in a few words, or "": for a table of all
 * workers side by side; WORLD_WORKERS_MAX: to the store. */
void story_cell(const struct model_step *step, unsigned worker,
                struct hf_text *text);

/* "takeover:2:begin1,serve1,…": the world, the workers, the actions. */
void story_line(const struct world_config *config, const uint16_t *schedule,
                size_t len, struct hf_text *text);

/* Read such a line.  Returns the number of actions, at most `max`, or -1 with
 * a clause in *why. */
int story_parse(const char *line, struct world_config *config,
                uint16_t *schedule, size_t max, const char **why);

/* "serve", ...: as in the line. */
const char *story_act_word(enum world_act act);

#endif
