#ifndef HF_BASE_TEXT_H
#define HF_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/attrs.h"

/*
 * Text: a string that grows inside memory of the caller's, and never beyond.
 *
 * Invariant: at[0..kept] is text that ends with NUL when size > 0; len is the
 * length the whole text would have, so it was cut exactly when len > kept.
 * Cannot fail; look at hf_text_cut() once, at the end.
 */
struct hf_text {
    char *at;    /* borrowed from the caller */
    size_t size; /* bytes at `at`, NUL included */
    size_t len;  /* of everything added, kept or not */
};

void hf_text_init(struct hf_text *text, char *buffer, size_t size);
bool hf_text_cut(const struct hf_text *text);

/* The length of the text in memory, without the NUL: the whole text's,
 * unless it was cut. */
size_t hf_text_kept(const struct hf_text *text);

/* Cut the text to `len`, which was its length when nothing was cut. */
void hf_text_take_back(struct hf_text *text, size_t len);

void hf_text_add_bytes(struct hf_text *text, const char *bytes, size_t len);

/* The length of a literal is counted when it is compiled. */
static inline void
hf_text_add(struct hf_text *text, const char *string)
{
    hf_text_add_bytes(text, string, strlen(string));
}

void hf_text_add_number(struct hf_text *text, uint64_t number);
HF_PRINTF(2, 3)
void hf_text_addf(struct hf_text *text, const char *format, ...);
HF_PRINTF(2, 0)
void hf_text_addv(struct hf_text *text, const char *format, va_list args);

/* As a JSON string with quotes: what hf_text_is_control names comes out
 * escaped, each byte that is no UTF-8 as U+FFFD, so that the result is valid
 * JSON and safe to print. */
void hf_text_add_json(struct hf_text *text, const char *bytes, size_t len);

/* A URL, which may be none, without what may be its password: the bytes between
 * a colon behind // and the last @, also where // is missing, and those behind
 * "password=". */
void hf_text_add_url(struct hf_text *text, const char *url);

/* Each %XX as the byte that it names, and all others as they are.  False: a %
 * without two hex digits, and what stands before it was added. */
bool hf_text_add_unescaped(struct hf_text *text, const char *bytes, size_t len);

/* How many bytes at the head of `bytes` stand for themselves wherever a text is
 * shown or quoted: ASCII that is printed, but for quotes and backslashes. */
size_t hf_text_plain(const char *bytes, size_t len);

/*
 * Read the UTF-8 character (RFC 3629) at the head of `bytes`: the number of
 * its bytes, with *code set, or 0 where there is none.
 */
size_t hf_text_character(const char *bytes, size_t len, uint32_t *code);

/* Write it as UTF-8 and return the number of bytes.  `code` is a character: at
 * most U+10FFFF and no surrogate. */
size_t hf_text_put_character(uint32_t code, char bytes[4]);

/*
 * Is it one of those that a terminal obeys (C0, DEL, C1), or that make a text
 * look like another: of no width, or turning the direction of others?
 */
bool hf_text_is_control(uint32_t code);

/*
 * Is it UTF-8 (RFC 3629: no surrogates, no overlong forms) without any of
 * these?
 */
bool hf_text_is_clean(const char *bytes, size_t len);

/* Is there a letter or a digit in it, of any script?  Else it says nothing, as
 * a placeholder that was pasted as it stood. */
bool hf_text_has_word(const char *bytes, size_t len);

/*
 * Copy into `to` (`size` bytes with the NUL) what can be shown: each byte of
 * broken UTF-8 and each of these characters becomes U+FFFD; cut at the edge of
 * a character.  Clean text that fits is copied as it is.
 */
void hf_text_show(char *to, size_t size, const char *bytes, size_t len);

/* The same of a URL, as hf_text_add_url has it. */
void hf_text_show_url(char *to, size_t size, const char *url);

#endif
