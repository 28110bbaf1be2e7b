/*
 * Any bytes as JSON: what is found in a text lies within it, whether the text
 * is JSON or not, and in a text that is JSON every value is JSON.  Member by
 * member an object is JSON exactly where it is as a whole, and has the same
 * members.
 */

#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "wire/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum { DEPTH_MAX = 8 };

static void
check_within(struct hf_bytes value, struct hf_bytes text)
{
    HF_CHECK(value.at >= text.at);
    HF_CHECK(value.at + value.len <= text.at + text.len);
}

static void
check_value(struct hf_bytes value)
{
    char text[64];
    int64_t integer;
    uint64_t number;
    size_t size;

    hf_json_show(value, text, sizeof(text));
    HF_CHECK(hf_text_is_clean(text, strlen(text)));
    if (hf_json_clean(value, text, sizeof(text), &size)) {
        HF_CHECK(size == strlen(text));
        HF_CHECK(hf_text_is_clean(text, size));
    }
    if (hf_json_integer(value, &integer) && integer >= 0 &&
        hf_json_number(value, &number))
        HF_CHECK(number == (uint64_t)integer);
}

/* A value of a text that is JSON is JSON, but for those that no text may be. */
static void
check_part(struct hf_bytes value, struct hf_bytes text, bool is_json)
{
    bool is_text = hf_json_is_object(value) || hf_json_is_array(value) ||
                   hf_json_inside(value).at != NULL;

    check_within(value, text);
    check_value(value);
    HF_CHECK(!is_json || value.len > 0);
    HF_CHECK(!is_json || !is_text || hf_json_check(value, NULL) == HF_OK);
}

/* All that is in it, to some depth. */
static void
walk(struct hf_bytes text, bool is_json, int depth)
{
    struct hf_bytes key;
    struct hf_bytes value;
    size_t at = 0;

    if (depth == DEPTH_MAX)
        return;
    while (hf_json_next(text, &at, &value)) {
        check_part(value, text, is_json);
        walk(value, is_json, depth + 1);
    }
    HF_CHECK(!is_json || !hf_json_is_array(text) || depth == 0 ||
             hf_json_ended(text, at));
    at = 0;
    while (hf_json_next_member(text, &at, &key, &value)) {
        check_part(key, text, is_json);
        check_part(value, text, is_json);
        walk(value, is_json, depth + 1);
    }
    check_value(hf_json_member(text, "a"));
}

static bool
is_same(struct hf_bytes one, struct hf_bytes other)
{
    return one.at == other.at && one.len == other.len;
}

static void
check_steps(struct hf_bytes text, bool is_object)
{
    struct hf_bytes pair[2];
    struct hf_bytes same[2];
    enum hf_json_step step;
    size_t at = 0;
    size_t same_at = 0;

    while ((step = hf_json_step(text, &at, &pair[0], &pair[1])) ==
           HF_JSON_MEMBER) {
        check_part(pair[0], text, true);
        check_part(pair[1], text, true);
        if (!is_object)
            continue;
        HF_CHECK(hf_json_next_member(text, &same_at, &same[0], &same[1]));
        HF_CHECK(is_same(pair[0], same[0]) && is_same(pair[1], same[1]));
    }
    HF_CHECK((step == HF_JSON_END) == is_object);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct hf_bytes text = {(const char *)bytes, len};
    struct hf_error why = {.status = HF_OK};
    bool is_json = hf_json_check(text, &why) == HF_OK;

    HF_CHECK(is_json || hf_text_is_clean(why.text, strlen(why.text)));
    walk(text, is_json, 0);
    check_steps(text, is_json && hf_json_is_object(text));
    return 0;
}
