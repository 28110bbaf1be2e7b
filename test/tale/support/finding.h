#ifndef TEST_TALE_FINDING_H
#define TEST_TALE_FINDING_H

#include "tale/specimen/specimen.h"

/* What a search of a specimen finds. */
struct finding {
    enum explore_verdict verdict;
    const char *property; /* EXPLORE_VIOLATED; else NULL */
    size_t steps;
    struct told told;
    char brief[512]; /* "1 read, 2 write, ...": all but issues */
};

/* Search a run to its end with so many faults, and tell what was found. */
void find(const struct specimen_run *run, unsigned faults,
          struct finding *finding);

/* The same, of a specimen of the list: with its own workers if 0, its own
 * faults, and up to one setting, or NULL. */
void find_named(const char *name, unsigned workers, const char *setting,
                struct finding *finding);

/* The sentence of the n-th event, from 1. */
const char *finding_sentence(const struct finding *finding, unsigned number);

#endif
