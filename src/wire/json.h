#ifndef HF_WIRE_JSON_H
#define HF_WIRE_JSON_H

#include <holdfast/words.h>

#include "base/attrs.h"
#include "base/bytes.h"

/*
 * Reads JSON (RFC 8259) where it stands: a value is a slice of the text, from
 * its first byte to its last, and an empty slice is no value.
 *
 * hf_json_check looks at a whole text, strictly, and hf_json_step at an object,
 * member by member.  All other functions take any bytes: in a text that was not
 * checked, a value may be no JSON, but it is always within the text.
 *
 * Allocates nothing and does not recurse; any thread.
 */

enum { HF_JSON_DEPTH_MAX = 1024 }; /* of values that are in one another */

/* HF_E_CORRUPT, with a clause in *error, unless it is one object, array or
 * string: no record and no request is a bare number or word. */
HF_MUST_USE enum hf_status hf_json_check(struct hf_bytes text,
                                         struct hf_error *error);

/* Is it one object, and JSON to its end? */
bool hf_json_is_whole(struct hf_bytes text);

enum hf_json_step {
    HF_JSON_WRONG, /* zero: the text is no object, and hf_json_check says why */
    HF_JSON_MEMBER,
    HF_JSON_END, /* there are no more: it is an object, and JSON to its end */
};

/* The next member of a text that was not checked; key and value are, each as a
 * text of its own would be.  *at is 0 at first. */
HF_MUST_USE enum hf_json_step hf_json_step(struct hf_bytes text, size_t *at,
                                           struct hf_bytes *key,
                                           struct hf_bytes *value);

/* ---- What is in it ------------------------------------------------------- */

bool hf_json_is_object(struct hf_bytes value);
bool hf_json_is_array(struct hf_bytes value);

/* The first member `name` (ASCII) of an object; empty: there is none, or
 * `object` is no object. */
struct hf_bytes hf_json_member(struct hf_bytes object, const char *name);

/* The next member of an object: *at is 0 at first; false: no more.  The key is
 * a string, see hf_json_says. */
bool hf_json_next_member(struct hf_bytes object, size_t *at,
                         struct hf_bytes *key, struct hf_bytes *value);

/* The next element of an array: *at is 0 at first; false: no more. */
bool hf_json_next(struct hf_bytes array, size_t *at, struct hf_bytes *element);

/* After the last element: was that the end of an array, and not a hole? */
bool hf_json_ended(struct hf_bytes array, size_t at);

/* ---- Values -------------------------------------------------------------- */

/* A number written as a plain integer: no fraction, no exponent, no "-0", not
 * beyond int64_t.  False, and *number untouched, for anything else. */
bool hf_json_integer(struct hf_bytes value, int64_t *number);

/* A number from 0, or the same digits as a string; false, and *number
 * untouched: it is none. */
bool hf_json_number(struct hf_bytes value, uint64_t *number);

/* Is it this word: true, false or null? */
bool hf_json_is_word(struct hf_bytes value, const char *word);

/* Is the string this text (ASCII), however it is escaped? */
bool hf_json_says(struct hf_bytes string, const char *ascii);

/* What stands between the quotes of a string, escapes as they are; empty: it
 * is no string. */
struct hf_bytes hf_json_inside(struct hf_bytes string);

/* The string, unescaped and with a NUL behind it, into `to`; its length is
 * *len.  False, and `to` may hold anything: it is no string, it does not fit,
 * or it is not clean, as hf_text_is_clean says. */
bool hf_json_clean(struct hf_bytes string, char *to, size_t size, size_t *len);

/* The string, as hf_text_show shows it, into `to`; "" when it is no string.
 * Half a surrogate pair is shown as U+FFFD. */
void hf_json_show(struct hf_bytes string, char *to, size_t size);

#endif
