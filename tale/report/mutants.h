#ifndef TALE_REPORT_MUTANTS_H
#define TALE_REPORT_MUTANTS_H

#include <stdio.h>

#include <holdfast/words.h>

/*
 * Mutants: what `scripts/mutants.py --tsv FILE` has written, read back: a line
 * a mutant, of its name, its file, what is wrong, who caught it in the lab,
 * and which unit test; with a tab between.  Nobody is "-".
 */

enum mutant_field {
    MUTANT_NAME,
    MUTANT_FILE,
    MUTANT_ABOUT,
    MUTANT_LAB,
    MUTANT_UNIT,
    MUTANT_FIELDS,
};

struct mutant {
    char *fields[MUTANT_FIELDS]; /* the first owns them all */
};

struct mutants {
    struct mutant *at; /* owned */
    unsigned count;
};

/* Read the file.  On failure *mutants is empty. */
enum hf_status mutants_read(struct mutants *mutants, FILE *in, const char *name,
                            struct hf_error *error);

void mutants_fini(struct mutants *mutants);

/* How many nobody has caught. */
unsigned mutants_surviving(const struct mutants *mutants);

/* The chapter of the page; without mutants, how to run them. */
void mutants_show(FILE *out, const struct mutants *mutants);

#endif
