#include "wire/json_slice.h"

#include <string.h>

#include "wire/json.h"

/* ---- Walking ------------------------------------------------------------- */

static bool
is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t
skip_space(struct hf_bytes text, size_t at)
{
    while (at < text.len && is_space(text.at[at]))
        at++;
    return at;
}

/* Behind the string that begins here. */
static size_t
skip_string(struct hf_bytes text, size_t at)
{
    for (at++; at < text.len && text.at[at] != '"'; at++)
        if (text.at[at] == '\\')
            at++;
    return at < text.len ? at + 1 : text.len;
}

/* Behind the value that begins here: at the comma, or at what closes. */
static size_t
skip_value(struct hf_bytes text, size_t at)
{
    size_t depth = 0;

    while (at < text.len) {
        char c = text.at[at];

        if (c == '"') {
            at = skip_string(text, at);
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            break;
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        at++;
    }
    return at;
}

static struct hf_bytes
cut(struct hf_bytes text, size_t start, size_t end)
{
    while (end > start && is_space(text.at[end - 1]))
        end--;
    return (struct hf_bytes){text.at + start, end - start};
}

/* ---- Finding ------------------------------------------------------------- */

static bool
is_name(struct hf_bytes key, const char *name)
{
    size_t len = strlen(name);

    return key.len == len + 2 && memcmp(key.at + 1, name, len) == 0;
}

struct hf_bytes
hf_json_slice(struct hf_bytes object, const char *name)
{
    size_t at = skip_space(object, 0);

    if (at == object.len || object.at[at] != '{')
        return (struct hf_bytes){NULL, 0};
    for (at = skip_space(object, at + 1);
         at < object.len && object.at[at] == '"';) {
        size_t key_end = skip_string(object, at);
        struct hf_bytes key = cut(object, at, key_end);
        size_t end;

        at = skip_space(object, key_end);
        if (at == object.len || object.at[at] != ':')
            break;
        at = skip_space(object, at + 1);
        end = skip_value(object, at);
        if (is_name(key, name))
            return cut(object, at, end);
        if (end == object.len || object.at[end] != ',')
            break;
        at = skip_space(object, end + 1);
    }
    return (struct hf_bytes){NULL, 0};
}

bool
hf_json_slice_next(struct hf_bytes array, size_t *at, struct hf_bytes *element)
{
    size_t start = skip_space(array, *at);
    size_t end;

    if (start >= array.len || array.at[start] != (*at == 0 ? '[' : ','))
        return false;
    start = skip_space(array, start + 1);
    end = skip_value(array, start);
    *element = cut(array, start, end);
    *at = end;
    return element->len > 0;
}

bool
hf_json_slice_ended(struct hf_bytes array, size_t at)
{
    at = skip_space(array, at);
    return at + 1 == array.len && array.at[at] == ']';
}

bool
hf_json_slice_whole(struct hf_bytes text)
{
    size_t at = skip_space(text, 0);
    size_t depth = 0;

    if (at == text.len || text.at[at] != '{')
        return false;
    do {
        char c = text.at[at];

        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        at = c == '"' ? skip_string(text, at) : at + 1;
    } while (depth > 0 && at < text.len);
    return depth == 0 && skip_space(text, at) == text.len;
}

/* ---- What it is ---------------------------------------------------------- */

struct hf_bytes
hf_json_slice_inside(struct hf_bytes value)
{
    if (value.len < 2 || value.at[0] != '"' || value.at[value.len - 1] != '"')
        return (struct hf_bytes){NULL, 0};
    return (struct hf_bytes){value.at + 1, value.len - 2};
}

bool
hf_json_slice_number(struct hf_bytes value, uint64_t *number)
{
    struct hf_bytes inside = hf_json_slice_inside(value);
    uint64_t sum = 0;

    if (inside.at != NULL)
        value = inside;
    if (value.len == 0 || value.len > 20)
        return false;
    for (size_t i = 0; i < value.len; i++) {
        uint64_t digit = (uint64_t)(value.at[i] - '0');

        if (value.at[i] < '0' || value.at[i] > '9' ||
            sum > (UINT64_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *number = sum;
    return true;
}

bool
hf_json_slice_true(struct hf_bytes value)
{
    return value.len == 4 && memcmp(value.at, "true", 4) == 0;
}

void
hf_json_slice_show(struct hf_bytes value, char *to, size_t size)
{
    struct hf_json json;

    to[0] = '\0';
    if (value.at == NULL ||
        hf_json_read(&json, value.at, value.len, NULL) != HF_OK)
        return;
    hf_json_show(&json, 0, to, size);
}
