#include "base/nearest.h"

#include <string.h>

enum { WORD_MAX = 31 }; /* bytes; a longer word is near none */

static size_t
least(size_t one, size_t other)
{
    return one < other ? one : other;
}

/* The optimal string alignment distance, of which three rows are kept: rows[0]
 * is the present one. */
static size_t
distance(const char *word, size_t len, const char *known, size_t known_len)
{
    size_t rows[3][WORD_MAX + 1];

    for (size_t k = 0; k <= known_len; k++)
        rows[0][k] = k;
    for (size_t i = 1; i <= len; i++) {
        memmove(rows[1], rows[0], 2 * sizeof(rows[0]));
        rows[0][0] = i;
        for (size_t k = 1; k <= known_len; k++) {
            size_t changed = word[i - 1] != known[k - 1];
            size_t best = least(rows[1][k], rows[0][k - 1]) + 1;

            best = least(best, rows[1][k - 1] + changed);
            if (i > 1 && k > 1 && word[i - 1] == known[k - 2] &&
                word[i - 2] == known[k - 1])
                best = least(best, rows[2][k - 2] + 1);
            rows[0][k] = best;
        }
    }
    return rows[0][known_len];
}

void
hf_nearest_begin(struct hf_nearest *nearest, const char *misspelt, size_t len)
{
    *nearest = (struct hf_nearest){
        .misspelt = misspelt,
        .len = len,
        .distance = len / 3 + 1, /* one beyond what is near */
    };
}

void
hf_nearest_try(struct hf_nearest *nearest, const char *known)
{
    size_t known_len = strlen(known);
    size_t far;

    if (nearest->len > WORD_MAX || known_len > WORD_MAX)
        return;
    far = distance(nearest->misspelt, nearest->len, known, known_len);
    if (far >= nearest->distance)
        return;
    nearest->word = known;
    nearest->distance = far;
}
