#ifndef TALE_REPORT_LINES_H
#define TALE_REPORT_LINES_H

#include <stdbool.h>
#include <stdio.h>

#include <holdfast/words.h>

/* Lines: a file that another command has written, a line at a time. */

enum {
    LINES_LINE_MAX = 80 * 1024,         /* the longest schedule is shorter */
    LINES_BYTES_MAX = 16 * 1024 * 1024, /* of a whole file */
};

struct lines {
    FILE *in;
    const char *name; /* borrowed: of the file, for people */
    unsigned number;  /* of the present line: 1, 2, ... */
    size_t read;      /* bytes so far */
    struct hf_error *error;
    char at[LINES_LINE_MAX]; /* the present line, without its end */
};

/* The lines of `in`, which stays the caller's.  On the heap; NULL when there
 * is no memory. */
struct lines *lines_open(FILE *in, const char *name, struct hf_error *error);

/* NULL does nothing. */
void lines_close(struct lines *lines);

/* Take the next line.  False at the end, with HF_OK in *status, or when there
 * is something wrong, with that. */
bool lines_next(struct lines *lines, enum hf_status *status);

/* The present line is not what it should be: `why` is a clause. */
enum hf_status lines_fail(const struct lines *lines, const char *why);

/* Open a file to read from; says what is wrong. */
enum hf_status lines_open_file(const char *path, FILE **in,
                               struct hf_error *error);

#endif
