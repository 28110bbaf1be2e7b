#ifndef HF_WIRE_JSON_H
#define HF_WIRE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

/*
 * Reads one JSON text (RFC 8259) of at most HF_RECORD_TEXT_MAX bytes and
 * HF_RECORD_TOKENS_MAX values, and strictly: jsmn finds the tokens, and what
 * lies in and between them is checked here, since jsmn lets much pass (commas
 * that separate nothing, `01`, `nulx`, control characters, a second value).
 *
 * A value is named by its node, an index; node 0 is the whole text.  No other
 * value is 0, so 0 also stands for "there is none".
 *
 * json.c reads the text, json_value.c what is in it.
 *
 * Allocates nothing and does not recurse: depth is bounded by the number of
 * values.  Any thread.
 */

enum hf_json_kind {
    HF_JSON_OBJECT,
    HF_JSON_ARRAY,
    HF_JSON_STRING,
    HF_JSON_NUMBER,
    HF_JSON_WORD, /* true, false, null */
};

struct hf_json_node {
    enum hf_json_kind kind;
    bool key;      /* a string that names the next node, a member's value */
    size_t start;  /* of its bytes; of a string without the quotes */
    size_t end;    /* one beyond the last */
    size_t parent; /* the object or array it is in; 0 also for node 0 */
};

struct hf_json {
    const char *bytes; /* borrowed */
    size_t count;
    struct hf_json_node nodes[HF_RECORD_TOKENS_MAX];
};

/* HF_E_CORRUPT, with a clause in *error, unless it is JSON within the limits.
 * `bytes` must outlive *json. */
HF_MUST_USE enum hf_status hf_json_read(struct hf_json *json, const char *bytes,
                                        size_t len, struct hf_error *error);

/* The member `name` (ASCII) of the object, or 0: missing, given twice (JSON
 * does not say which one counts), or `object` is none. */
size_t hf_json_member(const struct hf_json *json, size_t object,
                      const char *name);

/* Is one of its members named so, perhaps more than once? */
bool hf_json_has(const struct hf_json *json, size_t object, const char *name);

/*
 * The members of the object, which must be those of `names` (ASCII, NULL ends
 * the list) and no others, each once, in any order: the nodes of their values
 * into `members`, in the order of `names`.  HF_E_CORRUPT, with a clause in
 * *error: one is missing, given twice or unknown, or `object` is none.
 */
HF_MUST_USE enum hf_status hf_json_members(const struct hf_json *json,
                                           size_t object,
                                           const char *const *names,
                                           size_t *members,
                                           struct hf_error *error);

/* The element of `array` that follows the element `after` (0: the first), or
 * 0: no more, or `array` is none. */
size_t hf_json_next(const struct hf_json *json, size_t array, size_t after);

/* A number written as a plain integer: no fraction, no exponent, no "-0", not
 * beyond int64_t.  False, and *number untouched, for anything else. */
bool hf_json_integer(const struct hf_json *json, size_t node, int64_t *number);

/* Is it this word: true, false or null? */
bool hf_json_is_word(const struct hf_json *json, size_t node, const char *word);

/* The string as it is, with a NUL behind it, into `to`; its length is *len.
 * False, and `to` may hold anything: it is none, it does not fit, or it is not
 * clean, as hf_text_is_clean says. */
bool hf_json_clean(const struct hf_json *json, size_t node, char *to,
                   size_t size, size_t *len);

/* The string, as hf_text_show shows it, into `to`; "" when it is none.  Half a
 * surrogate pair is shown as U+FFFD. */
void hf_json_show(const struct hf_json *json, size_t node, char *to,
                  size_t size);

#endif
