#ifndef TALE_RUN_H
#define TALE_RUN_H

#include "tale/specimen/specimen.h"

/* Run: `holdfast-tale run` and what else the program does with specimens. */

enum {
    RUN_LINE_MAX = 2048,    /* bytes of a replay line, whatever is set */
    RUN_SCHEDULE_MAX = 120, /* its actions */
};

/* Explore the run, and print what was found: as text, or as JSON on a line,
 * with the head and the figures of verdict.h and beside them "only",
 * "expected", "schedule", "replay", "never_possible", "settings" and "events".
 * *told has its schedule, if it is violated.  Returns what to exit with: 0 when
 * it is as its source tells, or when something was changed of which the source
 * tells nothing. */
int run_explore(const struct specimen_run *run,
                const struct explore_limits *limits, bool json,
                struct told *told);

/* Tell the schedule of a line again; `line` names a specimen.  *run and *told
 * have it.  Returns what to exit with: as verdict_print_replay, or EXIT_USAGE.
 */
int run_replay(const char *line, struct specimen_run *run, struct told *told);

/* "draft4,writes=atomic:2:1,2,2.3": the specimen, what is set, the workers,
 * and the actions: an actor, 0 for the world, and its choice if it is not 0. */
void run_line(const struct specimen_run *run, const uint16_t *schedule,
              size_t len, struct hf_text *text);

/* Read such a line: the number of actions, or -1 with a clause in *why. */
int run_parse(const char *line, struct specimen_run *run,
              uint16_t schedule[RUN_SCHEDULE_MAX], const char **why);

/* Does the line name a specimen, rather than a world? */
bool run_is_specimen(const char *line);

#endif
