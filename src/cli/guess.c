#include "guess.h"

#include <string.h>

enum { WORD_MAX = 31 }; /* bytes of a verb, or of an option's name */

static size_t
least(size_t one, size_t other)
{
    return one < other ? one : other;
}

/* By rows, of which three are kept: rows[0] is the present one. */
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
hf_guess_begin(struct hf_guess *guess, const char *word, size_t len)
{
    *guess = (struct hf_guess){
        .word = word,
        .len = len,
        .distance = len / 3 + 1, /* one beyond what is near */
    };
}

void
hf_guess_try(struct hf_guess *guess, const char *known)
{
    size_t known_len = strlen(known);
    size_t far;

    if (guess->len > WORD_MAX || known_len > WORD_MAX)
        return;
    far = distance(guess->word, guess->len, known, known_len);
    if (far >= guess->distance)
        return;
    guess->nearest = known;
    guess->distance = far;
}
