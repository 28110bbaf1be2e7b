#ifndef TALE_PICTURE_WORDS_H
#define TALE_PICTURE_WORDS_H

#include <stdio.h>

/*
 * Words: how wide they are, where they are broken, how XML writes them.
 *
 * Nobody knows which font a reader has.  Widths are those of the widest that
 * are common, so that whatever is there fits.
 */

enum { WORDS_LINES_MAX = 12 };

/* Some of a text, borrowed from it. */
struct words {
    const char *at;
    int len;
};

/* At most so wide, in units, when it is set in `size`. */
int words_width(struct words words, int size);

struct words words_of(const char *text);

/* Break at blanks into lines at most `width` wide; returns how many.  A word
 * that is wider has a line of its own. */
unsigned words_wrap(const char *text, int size, int width,
                    struct words lines[WORDS_LINES_MAX]);

/* As the text of an element, or in quotes. */
void words_put(FILE *out, struct words words);

#endif
