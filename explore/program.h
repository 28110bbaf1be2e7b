#ifndef EXPLORE_PROGRAM_H
#define EXPLORE_PROGRAM_H

#include <getopt.h>

#include "base/attrs.h"
#include "explore/explore.h"

/*
 * Program: what a program that searches is besides its verbs: the command line,
 * the limits of a search, an interrupt that ends one with what was found, and
 * exit codes.
 */

enum {
    EXIT_FINDING = 1, /* not as expected */
    EXIT_USAGE = 64,
    EXIT_UNAVAILABLE = 69, /* what it reads or writes fails */
    EXIT_INTERNAL = 70,    /* we fail: no memory, or a check of ours */
    EXIT_BOUNDED = 75,     /* a limit, or the user, ended it first */
};

/* Options of any search. */
struct program_search {
    unsigned workers;  /* 0: as many as what is searched has of itself */
    int faults;        /* -1: the same */
    unsigned long gib; /* of memory */
    uint64_t states;   /* 0: any number */
    bool json;
};

/* As an option is known to getopt_long; their letters, too. */
#define PROGRAM_WORKERS "w"
#define PROGRAM_SEARCH  PROGRAM_WORKERS "fmsj"

struct program_verb {
    const char *name;
    const char *takes; /* the letters of its options */
    const char *word;  /* what it needs; NULL: there is none */
    const char *see;   /* where one is found; NULL: it may be left out */
    int (*run)(const void *options, const char *word);
};

struct program {
    const char *name;
    const char *version;
    const char *help;
    unsigned workers_max;
    const struct program_verb *verbs; /* the last has no name */
    const struct option *own; /* options of its own; the last has no name */
    const char *letters;      /* those without a name, as getopt has them */
    void *options;            /* for `take`, and for the verbs */
    struct program_search *search; /* among them */
    /* Take an option of its own.  NULL, or what it has to be: "at least 1". */
    const char *(*take)(void *options, int option, const char *value);
};

/* Read the command line, and run its verb.  Returns what to exit with. */
int program_main(const struct program *program, int argc, char **argv);

/* "holdfast-lab: " and this, on stderr. */
HF_PRINTF(1, 2)
void program_complain(const char *format, ...);

/* A number of at most `max`; false: it is none. */
bool program_number(const char *text, uint64_t max, uint64_t *number);

/* The limits that the options set; an interrupt stops the search. */
struct explore_limits program_limits(const struct program_search *search,
                                     unsigned faults);

/* Was it interrupted? */
bool program_is_stopped(void);

#endif
