#ifndef TALE_REPORT_FOUND_H
#define TALE_REPORT_FOUND_H

#include <stdio.h>

#include "tale/specimen/specimen.h"

/* Found: what the searches of specimens have found, kept until it is shown. */

/* One search. */
struct found {
    struct specimen_run run;
    struct explore_report report;
};

/* A specimen as it stands. */
struct found_specimen {
    struct found found;
    struct told told; /* EXPLORE_VIOLATED: its schedule */
};

/* A specimen with something else about it, and what that is for. */
struct found_variant {
    struct found found;
    const char *about; /* or NULL */
};

struct found_all {
    struct found_specimen *specimens; /* owned; specimens_count of them */
    struct found_variant *variants;   /* owned */
    unsigned variants_count;
};

/*
 * Search every specimen as it stands, and every variant; a limit of memory or
 * a signal may leave some bounded.  False when there was no memory; in either
 * case for found_fini.
 */
bool found_search(struct found_all *all, const struct explore_limits *limits);

void found_fini(struct found_all *all);

/* Is it what its source tells? */
bool found_is_expected(const struct found_specimen *found);

#endif
