#ifndef HF_WIRE_JSON_SLICE_H
#define HF_WIRE_JSON_SLICE_H

#include "wire/json.h"

/* The former names of json.h, until their callers have the new ones. */

#define hf_json_slice(object, name)         hf_json_member(object, name)
#define hf_json_slice_next(array, at, to)   hf_json_next(array, at, to)
#define hf_json_slice_number(value, to)     hf_json_number(value, to)
#define hf_json_slice_inside(value)         hf_json_inside(value)
#define hf_json_slice_show(value, to, size) hf_json_show(value, to, size)
#define hf_json_slice_true(value)           hf_json_is_word(value, "true")
#define hf_json_slice_whole(text)                                              \
    (hf_json_is_object(text) && hf_json_check(text, NULL) == HF_OK)

#endif
