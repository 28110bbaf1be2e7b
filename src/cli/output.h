#ifndef HF_CLI_OUTPUT_H
#define HF_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <holdfast/view.h>

#include "base/text.h"

/*
 * Output: text for people, shells and programs.  Each text is written with one
 * write, so that it never mixes with the output of the command that we run.
 */

enum {
    /* Two views as JSON, or a place and a name with every byte quoted. */
    HF_OUTPUT_MAX = 40 * 1024,
};

/* An empty text with memory of its own, which lasts as long as the block that
 * this stands in. */
#define HF_OUTPUT_BUFFER                                                       \
    ((struct hf_text){.at = (char[HF_OUTPUT_MAX]){0}, .size = HF_OUTPUT_MAX})

/*
 * As one word of a shell's command line: as it is where that is safe, else in
 * '…', or in $'…' (bash, zsh, ksh) where it has bytes that a terminal must not
 * see.
 */
void hf_output_quote(struct hf_text *text, const char *word);

/* As JSON: a string (NULL is null), or an object.  It is left out as a whole
 * if it does not fit. */
void hf_output_json(struct hf_text *text, const char *string);
void hf_output_view(struct hf_text *text, const struct hf_view *view);

/*
 * The character at `at` (not at the final NUL): its length in bytes, and
 * whether a terminal may be shown it (hf_text_is_clean).  If it may not, the
 * length is 1.
 */
size_t hf_output_character(const char *at, bool *shown);

/*
 * How many bytes of `string` fit into `columns` of a terminal.  A character
 * beyond ASCII counts as two, the most it can take, so that the line never
 * wraps.  *used (may be NULL) tells the columns taken.
 */
size_t hf_output_fit(const char *string, size_t columns, size_t *used);

/*
 * Wall time, perhaps of another host's clock, as a person reads it.  Nothing is
 * decided by it.
 */

/* Can a wall clock have shown it? Not before 2000, nor after 9999: that
 * writer had no clock, or is no program of ours. */
bool hf_output_is_date(int64_t wall_ms);

/* How long ago a wall clock showed `wall_ms`: "2m10s"; "0s" when that is in
 * the future of our clock, "?" when it is no date.  Returns buffer. */
const char *hf_output_age(int64_t wall_ms, char *buffer, size_t size);

/* "2026-01-31 09:05:00 +0100" in the local zone; "?" as above.  Returns
 * buffer. */
const char *hf_output_date(int64_t wall_ms, char *buffer, size_t size);

#endif
