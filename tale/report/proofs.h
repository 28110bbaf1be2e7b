#ifndef TALE_REPORT_PROOFS_H
#define TALE_REPORT_PROOFS_H

#include <stdio.h>

#include <holdfast/words.h>

#include "explore/explore.h"
#include "lab/subject.h"

/*
 * Proofs: what `holdfast-lab prove` has printed, read back.
 */

struct proof {
    struct subject world;
    unsigned workers;
    unsigned faults;
    enum explore_verdict verdict;
    uint64_t states;
    uint64_t transitions;
    unsigned depth;
    double seconds;
    char property[256]; /* EXPLORE_VIOLATED, perhaps a check; else "" */
    char *story;        /* owned: the lines below the row, or NULL */
};

struct proofs {
    struct proof *at; /* owned */
    unsigned count;
};

/* Read the table.  On failure *proofs is empty. */
enum hf_status proofs_read(struct proofs *proofs, FILE *in, const char *name,
                           struct hf_error *error);

void proofs_fini(struct proofs *proofs);

/* Is it as its world expects? */
bool proofs_is_expected(const struct proof *proof);

/* The chapter of the page.  `saved`: the file they come from, or NULL where
 * there are none. */
void proofs_show(FILE *out, const struct proofs *proofs, const char *saved);

#endif
