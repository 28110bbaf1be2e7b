#ifndef LAB_RUN_H
#define LAB_RUN_H

#include "specimen/specimen.h"

/* Run: `holdfast-lab run` and what else the program does with specimens. */

enum {
    RUN_LINE_MAX = 2048,    /* bytes of a replay line, whatever is set */
    RUN_SCHEDULE_MAX = 120, /* its actions */
};

/* Explore the run, and print what was found: as text, or as JSON on a line,
 * the object of print_json with the events and settings beside.  *told has
 * its schedule, if it is violated.  Returns false when there was no memory. */
bool run_explore(const struct specimen_run *run,
                 const struct lab_limits *limits, bool json,
                 struct lab_report *report, struct told *told);

/* Tell the schedule of a line again; `line` names a specimen.  *run and *told
 * have it.  Returns false with a clause in *why. */
bool run_replay(const char *line, struct specimen_run *run, struct told *told,
                const char **why);

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
