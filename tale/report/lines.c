#include "tale/report/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

struct lines *
lines_open(FILE *in, const char *name, struct hf_error *error)
{
    struct lines *lines = calloc(1, sizeof(*lines));

    if (lines == NULL)
        return NULL;
    lines->in = in;
    lines->name = name;
    lines->error = error;
    return lines;
}

void
lines_close(struct lines *lines)
{
    free(lines);
}

bool
lines_next(struct lines *lines, enum hf_status *status)
{
    size_t len;

    *status = HF_OK;
    errno = 0;
    if (fgets(lines->at, sizeof(lines->at), lines->in) == NULL) {
        if (ferror(lines->in))
            *status = hf_fail(lines->error, HF_E_INVALID, "cannot read %s: %s",
                              lines->name, strerror(errno));
        return false;
    }
    lines->number++;
    len = strlen(lines->at);
    lines->read += len;
    if (len > 0 && lines->at[len - 1] == '\n')
        lines->at[--len] = '\0';
    else if (!feof(lines->in)) /* too long, or a NUL in it */
        *status = lines_fail(lines, "this is no line of text");
    if (len > 0 && lines->at[len - 1] == '\r')
        lines->at[len - 1] = '\0';
    if (lines->read > LINES_BYTES_MAX)
        *status = lines_fail(lines, "the file is too long");
    return *status == HF_OK;
}

enum hf_status
lines_fail(const struct lines *lines, const char *why)
{
    return hf_fail(lines->error, HF_E_CORRUPT, "%s:%u: %s", lines->name,
                   lines->number, why);
}

enum hf_status
lines_open_file(const char *path, FILE **in, struct hf_error *error)
{
    *in = fopen(path, "re");
    if (*in == NULL)
        return hf_fail(error, HF_E_INVALID, "cannot read %s: %s", path,
                       strerror(errno));
    return HF_OK;
}
