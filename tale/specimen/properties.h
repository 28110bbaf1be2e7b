#ifndef TALE_SPECIMEN_PROPERTIES_H
#define TALE_SPECIMEN_PROPERTIES_H

#include "lab/world/promises.h"

/*
 * Properties: what a specimen can be searched for, and what each means when it
 * is broken: those of the locks of others alone, and every promise of ours.
 */

#define SPECIMEN_NOBODY       "nobody"
#define SPECIMEN_RESURRECTION "resurrection"
#define SPECIMEN_GHOST        "ghost grant"
#define SPECIMEN_BACKLOG      "backlog"
#define SPECIMEN_LEADER       "leader lost"
#define SPECIMEN_OVERTAKEN    "overtaken"
#define SPECIMEN_LATE         "waits too long"
#define SPECIMEN_FORGOTTEN    "forgotten"

/* The property of that number, from 0; NULL: there are no more. */
const struct promise *properties_at(unsigned number);

/* When the property of that name is broken, or NULL: there is none. */
const char *properties_broken(const char *name);

#endif
