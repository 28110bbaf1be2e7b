#ifndef LAB_OPTIONS_H
#define LAB_OPTIONS_H

#include "explore/program.h"

/* Options: the command line of holdfast-lab. */

struct options {
    struct program_search search;
    bool quick; /* of the list of proofs, only those of `make test` */
    bool all;   /* also those of `make prove-all` */
    bool full;
    bool trace;
    uint64_t seed;
    uint64_t walks;
};

extern const char options_help[];

/* Those of its own, and how they are taken: see program.h. */
extern const struct option options_own[];
const char *options_take(void *options, int option, const char *value);

#endif
