#ifndef HF_CLI_PHRASE_H
#define HF_CLI_PHRASE_H

#include <stdbool.h>
#include <stddef.h>

#include <holdfast/describe.h>

#define HF_CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))

/*
 * A text that grows to its limit, and then is cut: what we say is written
 * with one write, so that it never mixes with what the command writes.
 */

enum {
    /* Two diagnoses as JSON, or a place and a name with every byte quoted. */
    HF_PHRASE_MAX = 40 * 1024,
};

struct hf_phrase {
    size_t len;
    char text[HF_PHRASE_MAX]; /* ends with NUL */
};

void hf_phrase_start(struct hf_phrase *phrase);

HF_CLI_PRINTF(2, 3)
void hf_phrase_add(struct hf_phrase *phrase, const char *format, ...);

/*
 * As one word of a shell's command line: as it is where that is safe, else in
 * '…', or in $'…' (bash, zsh, ksh) where it has bytes that a terminal must not
 * see.
 */
void hf_phrase_quote(struct hf_phrase *phrase, const char *word);

/* As JSON: a string (NULL is null), or an object. */
void hf_phrase_json(struct hf_phrase *phrase, const char *string);

void hf_phrase_description(struct hf_phrase *phrase,
                           const struct hf_description *description);
void hf_phrase_diagnosis(struct hf_phrase *phrase,
                         const struct hf_diagnosis *diagnosis);
void hf_phrase_entry(struct hf_phrase *phrase,
                     const struct hf_audit_entry *entry);

/*
 * The character at `at` (not at the final NUL): its length in bytes, and
 * whether a terminal shows it: well-formed UTF-8, no control character, and
 * none that is not seen.
 * What is not shown has length 1.
 */
size_t hf_phrase_character(const char *at, bool *shown);

/*
 * How many bytes of `text` fit into `columns` of a terminal.  A character
 * beyond ASCII counts as two, the most it can take, so that the line never
 * wraps.  *used (may be NULL) tells the columns taken.
 */
size_t hf_phrase_fit(const char *text, size_t columns, size_t *used);

#endif
