#ifndef LAB_OPTIONS_H
#define LAB_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lab/specimen/specimen.h"

/* Options: the command line of holdfast-lab. */

enum {
    EXIT_FINDING = 1, /* not as expected */
    EXIT_USAGE = 64,
    EXIT_UNAVAILABLE = 69, /* the place fails */
    EXIT_INTERNAL = 70,    /* we fail: no memory, or a check of ours */
    EXIT_BOUNDED = 75,     /* a limit, or the user, ended it first */
};

struct options {
    unsigned workers;  /* 0: the world's own */
    int faults;        /* -1: the proof's own */
    unsigned long gib; /* of memory */
    uint64_t states;
    bool quick; /* of the list of proofs, only those of `make test` */
    bool all;   /* also those of `make prove-all` */
    bool full;
    bool json;
    bool trace;
    uint64_t seed;
    uint64_t walks;
    const char *set[SPECIMEN_SETTINGS_MAX];
    unsigned set_count;
    const char *only;    /* a property; NULL: all */
    const char *on;      /* a place to replay on; NULL: none */
    const char *folder;  /* of the report, or NULL */
    const char *proofs;  /* a file for it, or NULL */
    const char *mutants; /* the same */
    const char *svg;     /* a file for the picture, or NULL */
};

/* Print how the program is used; returns what to exit with. */
int options_usage(FILE *to);

/* Read the options of the verb argv[0], and make sure that it has the word that
 * it needs; says what is wrong, and returns false.  That word is left to the
 * caller, at optind.  argv[0] is then the program's name. */
bool options_parse(int argc, char **argv, struct options *o);

#endif
