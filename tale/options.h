#ifndef TALE_OPTIONS_H
#define TALE_OPTIONS_H

#include "explore/program.h"
#include "tale/specimen/specimen.h"

/* Options: the command line of holdfast-tale. */

struct options {
    struct program_search search;
    const char *set[SPECIMEN_SETTINGS_MAX];
    unsigned set_count;
    const char *only;    /* a property; NULL: all */
    const char *on;      /* a place to replay on; NULL: none */
    const char *svg;     /* a file for the picture, or NULL */
    const char *folder;  /* of the report, or NULL */
    const char *proofs;  /* a file for it, or NULL */
    const char *mutants; /* the same */
};

extern const char options_help[];

/* Those of its own, and how they are taken: see program.h. */
extern const struct option options_own[];
const char *options_take(void *options, int option, const char *value);

#endif
