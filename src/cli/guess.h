#ifndef HF_CLI_GUESS_H
#define HF_CLI_GUESS_H

#include <stddef.h>

/*
 * What was meant by a word that nobody knows: of those that are known the
 * nearest, if one is near.  Far is whatever takes more than a third of the
 * word's characters to be put in, left out, changed, or exchanged with the
 * next.
 */

struct hf_guess {
    const char *word;    /* borrowed */
    size_t len;          /* its bytes that count */
    const char *nearest; /* borrowed; NULL: none is near, so far */
    size_t distance;     /* of it */
};

void hf_guess_begin(struct hf_guess *guess, const char *word, size_t len);
void hf_guess_try(struct hf_guess *guess, const char *known);

#endif
