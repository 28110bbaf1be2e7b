#include "tale/report/proofs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "explore/verdict.h"
#include "tale/report/lines.h"

enum { PROOFS_MAX = 1000 };

/* ---- A row -------------------------------------------------------------- */

/* The next word of the line, ended by a NUL, or "". */
static char *
next_word(char **at)
{
    char *word = *at + strspn(*at, " ");

    *at = word + strcspn(word, " ");
    if (**at != '\0')
        *(*at)++ = '\0';
    return word;
}

static bool
next_number(char **at, uint64_t max, uint64_t *number)
{
    const char *word = next_word(at);
    char *end;

    errno = 0;
    *number = strtoull(word, &end, 10);
    return word[0] >= '0' && word[0] <= '9' && *end == '\0' && errno == 0 &&
           *number <= max;
}

static bool
next_decimal(char **at, double *number)
{
    const char *word = next_word(at);
    char *end;

    *number = strtod(word, &end);
    return word[0] >= '0' && word[0] <= '9' && *end == '\0' && *number < 1e12;
}

static bool
next_verdict(char **at, enum explore_verdict *verdict)
{
    const char *word = next_word(at);

    for (*verdict = EXPLORE_PROVED; *verdict <= EXPLORE_BOUNDED; (*verdict)++)
        if (strcmp(word, verdict_word(*verdict)) == 0)
            return true;
    return false;
}

/* What is left of the row: the property, and "(must be)", which the world
 * knows better. */
static bool
take_property(char *at, struct proof *proof)
{
    char *end;

    at += strspn(at, " ");
    end = strstr(at, "(must be)");
    if (end != NULL)
        *end = '\0';
    end = at + strlen(at);
    while (end > at && end[-1] == ' ')
        *--end = '\0';
    if (strlen(at) >= sizeof(proof->property) ||
        (*at == '\0') != (proof->verdict != EXPLORE_VIOLATED))
        return false;
    snprintf(proof->property, sizeof(proof->property), "%s", at);
    return true;
}

static enum hf_status
read_row(const struct lines *lines, char *at, struct proof *proof)
{
    uint64_t workers = 0;
    uint64_t faults = 0;
    uint64_t depth = 0;
    double ignored;
    const char *world = next_word(&at);

    if (!next_number(&at, WORLD_WORKERS_MAX, &workers) ||
        !next_number(&at, EXPLORE_FAULTS_MAX, &faults) ||
        *next_word(&at) == '\0' || !next_verdict(&at, &proof->verdict) ||
        !next_number(&at, UINT64_MAX, &proof->states) ||
        !next_number(&at, UINT64_MAX, &proof->transitions) ||
        !next_number(&at, UINT32_MAX, &depth) ||
        !next_decimal(&at, &proof->seconds) || !next_decimal(&at, &ignored) ||
        !next_decimal(&at, &ignored) || !take_property(at, proof))
        return lines_fail(lines, "this is no line of holdfast-lab prove");
    proof->workers = (unsigned)workers;
    proof->faults = (unsigned)faults;
    proof->depth = (unsigned)depth;
    if (!subject_find(world, &proof->world))
        return lines_fail(lines, "there is no such world");
    return HF_OK;
}

/* ---- The table ---------------------------------------------------------- */

static enum hf_status
add_row(struct proofs *proofs, struct lines *lines)
{
    struct proof proof = {0};
    enum hf_status status = read_row(lines, lines->at, &proof);
    struct proof *grown;

    if (status != HF_OK)
        return status;
    if (proofs->count == PROOFS_MAX)
        return lines_fail(lines, "there are too many proofs");
    grown =
        realloc(proofs->at, ((size_t)proofs->count + 1) * sizeof(*proofs->at));
    if (grown == NULL)
        return hf_fail(lines->error, HF_E_NOMEM, "not enough memory");
    proofs->at = grown;
    proofs->at[proofs->count++] = proof;
    return HF_OK;
}

/* A line below a row. */
static enum hf_status
add_line(struct proofs *proofs, const struct lines *lines)
{
    struct proof *proof = &proofs->at[proofs->count - 1];
    size_t old = proof->story == NULL ? 0 : strlen(proof->story);
    size_t more = strlen(lines->at);
    char *grown = realloc(proof->story, old + more + 2);

    if (grown == NULL)
        return hf_fail(lines->error, HF_E_NOMEM, "not enough memory");
    proof->story = grown;
    memcpy(grown + old, lines->at, more);
    memcpy(grown + old + more, "\n", 2);
    return HF_OK;
}

static bool
is_head(const char *line)
{
    return strncmp(line, "world ", strlen("world ")) == 0;
}

enum hf_status
proofs_read(struct proofs *proofs, FILE *in, const char *name,
            struct hf_error *error)
{
    struct lines *lines = lines_open(in, name, error);
    enum hf_status status = HF_OK;

    *proofs = (struct proofs){0};
    if (lines == NULL)
        return hf_fail(error, HF_E_NOMEM, "not enough memory");
    while (status == HF_OK && lines_next(lines, &status)) {
        if (lines->at[0] == '\0' || is_head(lines->at))
            continue;
        if (lines->at[0] == ' ' && proofs->count > 0)
            status = add_line(proofs, lines);
        else
            status = add_row(proofs, lines);
    }
    if (status == HF_OK && proofs->count == 0)
        status = hf_fail(error, HF_E_CORRUPT,
                         "%s has no line of holdfast-lab prove", name);
    lines_close(lines);
    if (status != HF_OK)
        proofs_fini(proofs);
    return status;
}

void
proofs_fini(struct proofs *proofs)
{
    for (unsigned i = 0; i < proofs->count; i++)
        free(proofs->at[i].story);
    free(proofs->at);
    *proofs = (struct proofs){0};
}

bool
proofs_is_expected(const struct proof *proof)
{
    const char *expect = subject_expect(&proof->world);

    if (expect == NULL)
        return proof->verdict == EXPLORE_PROVED ||
               proof->verdict == EXPLORE_BOUNDED;
    return strcmp(proof->property, expect) == 0;
}
