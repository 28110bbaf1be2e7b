#ifndef HF_WIRE_JSON_SLICE_H
#define HF_WIRE_JSON_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

/*
 * Slices of a JSON text that is too long to be read at once, as a lock with
 * hundreds who wait: where a member's value, or an element, begins and ends.
 *
 * Only strings, braces and brackets are looked at, so what is found is JSON
 * only as far as json.h, which reads the slice, says so: of a text that is
 * none, slices mean nothing, but they are always within it.
 *
 * Allocates nothing and does not recurse; any thread.
 */

/* The value of the member `name` (ASCII) of an object, without what is around
 * it; empty: there is none, or `object` is none. */
struct hf_bytes hf_json_slice(struct hf_bytes object, const char *name);

/* The next element of an array: *at is 0 at first; false: no more. */
bool hf_json_slice_next(struct hf_bytes array, size_t *at,
                        struct hf_bytes *element);

/* There are no more; is that its end, and not a hole, or no array? */
bool hf_json_slice_ended(struct hf_bytes array, size_t at);

/* Is it one object, and nothing behind it? */
bool hf_json_slice_whole(struct hf_bytes text);

/* ---- What it is ---------------------------------------------------------- */

/* A number from 0, or the same digits as a string; false: it is none. */
bool hf_json_slice_number(struct hf_bytes value, uint64_t *number);

/* Is it the word true? */
bool hf_json_slice_true(struct hf_bytes value);

/* What stands between the quotes of a string, escapes as they are; empty: it is
 * none. */
struct hf_bytes hf_json_slice_inside(struct hf_bytes value);

/* A string, as hf_json_show shows it; "" where it is none. */
void hf_json_slice_show(struct hf_bytes value, char *to, size_t size);

#endif
