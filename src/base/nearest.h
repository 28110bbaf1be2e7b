#ifndef HF_BASE_NEAREST_H
#define HF_BASE_NEAREST_H

#include <stddef.h>

/*
 * Nearest: of known words the one that a misspelt word may have meant, for
 * "did you mean".  The distance counts letters that are inserted, left out,
 * changed, or exchanged with the next.  A word is near if the distance is at
 * most a third of its letters.
 *
 *     hf_nearest_begin(&nearest, word, strlen(word));
 *     for (each known word)
 *         hf_nearest_try(&nearest, known);
 *     if (nearest.word != NULL) ...
 */

struct hf_nearest {
    const char *misspelt; /* borrowed */
    size_t len;           /* its bytes that count */
    const char *word;     /* borrowed; NULL: none is near, so far */
    size_t distance;      /* of it; of equals the first wins */
};

void hf_nearest_begin(struct hf_nearest *nearest, const char *misspelt,
                      size_t len);
void hf_nearest_try(struct hf_nearest *nearest, const char *known);

#endif
