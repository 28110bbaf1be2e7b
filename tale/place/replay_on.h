#ifndef TALE_PLACE_REPLAY_ON_H
#define TALE_PLACE_REPLAY_ON_H

/* Replay on: `holdfast-tale replay LINE --on PLACE`.  Tells the schedule of a
 * table-lock specimen on standard output, with the SQL of each step and what
 * the table then holds.  Returns what to exit with: 0 if the database agreed
 * with the model at every step, also where a promise is broken. */
int replay_on(const char *line, const char *place);

#endif
