#include "wire/json.h"

#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/text.h"

/* The value of four hexadecimal digits, which are there. */
static uint32_t
read_hex(const char *digits)
{
    uint32_t value = 0;

    for (int i = 0; i < 4; i++) {
        char c = digits[i];
        int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;

        value = value << 4 | (uint32_t)digit;
    }
    return value;
}

/* The unit of a \u escape at `at`; false where there is none. */
static bool
read_unit(const struct hf_json_node *node, const char *bytes, size_t at,
          uint32_t *unit)
{
    if (node->end - at < 6 || bytes[at] != '\\' || bytes[at + 1] != 'u')
        return false;
    *unit = read_hex(bytes + at + 2);
    return true;
}

static bool
is_surrogate(uint32_t code)
{
    return code >= 0xD800 && code <= 0xDFFF;
}

/* The character at *at in the string, which moves on behind it.  Half a
 * surrogate pair is itself, and so no character. */
static uint32_t
take_character(const struct hf_json_node *node, const char *bytes, size_t *at)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    uint32_t code;
    uint32_t low;

    if (bytes[*at] != '\\') {
        size_t width = hf_text_character(bytes + *at, node->end - *at, &code);

        HF_CHECK(width > 0); /* the walk has seen to that */
        *at += width;
        return code;
    }
    if (!read_unit(node, bytes, *at, &code)) {
        const char *letter = strchr(letters, bytes[*at + 1]);

        HF_CHECK(letter != NULL); /* jsmn has seen to that */
        *at += 2;
        return (unsigned char)meant[letter - letters];
    }
    *at += 6;
    if (!is_surrogate(code))
        return code;
    if (code <= 0xDBFF && read_unit(node, bytes, *at, &low) && low >= 0xDC00 &&
        low <= 0xDFFF) {
        *at += 6;
        return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    return code;
}

static bool
says(const struct hf_json *json, const struct hf_json_node *node,
     const char *ascii)
{
    size_t at = node->start;

    while (at < node->end && *ascii != '\0') {
        if (take_character(node, json->bytes, &at) != (unsigned char)*ascii)
            return false;
        ascii++;
    }
    return at == node->end && *ascii == '\0';
}

/* Nodes stand in the order of the text. */
static bool
is_in(const struct hf_json *json, size_t node, size_t object)
{
    return json->nodes[node].start < json->nodes[object].end;
}

size_t
hf_json_member(const struct hf_json *json, size_t object, const char *name)
{
    size_t found = 0;

    if (json->nodes[object].kind != HF_JSON_OBJECT)
        return 0;
    for (size_t i = object + 1; i < json->count && is_in(json, i, object);
         i++) {
        const struct hf_json_node *node = &json->nodes[i];

        if (!node->key || node->parent != object || !says(json, node, name))
            continue;
        if (found != 0)
            return 0;
        found = i + 1;
    }
    return found;
}

bool
hf_json_has(const struct hf_json *json, size_t object, const char *name)
{
    for (size_t i = object + 1; i < json->count && is_in(json, i, object); i++)
        if (json->nodes[i].key && json->nodes[i].parent == object &&
            says(json, &json->nodes[i], name))
            return true;
    return false;
}

/* Which of `names` this key is, or their number: none of them. */
static size_t
find_name(const struct hf_json *json, const struct hf_json_node *key,
          const char *const *names)
{
    size_t i = 0;

    while (names[i] != NULL && !says(json, key, names[i]))
        i++;
    return i;
}

enum hf_status
hf_json_members(const struct hf_json *json, size_t object,
                const char *const *names, size_t *members,
                struct hf_error *error)
{
    if (json->nodes[object].kind != HF_JSON_OBJECT)
        return hf_fail(error, HF_E_CORRUPT, "no object");
    for (size_t i = 0; names[i] != NULL; i++)
        members[i] = 0;
    for (size_t i = object + 1; i < json->count && is_in(json, i, object);
         i++) {
        const struct hf_json_node *node = &json->nodes[i];
        size_t at;
        char shown[64];

        if (!node->key || node->parent != object)
            continue;
        at = find_name(json, node, names);
        hf_json_show(json, i, shown, sizeof(shown));
        if (names[at] == NULL)
            return hf_fail(error, HF_E_CORRUPT, "unknown member \"%s\"", shown);
        if (members[at] != 0)
            return hf_fail(error, HF_E_CORRUPT, "\"%s\" is given twice", shown);
        members[at] = i + 1;
    }
    for (size_t i = 0; names[i] != NULL; i++) {
        if (members[i] == 0)
            return hf_fail(error, HF_E_CORRUPT, "no \"%s\"", names[i]);
    }
    return HF_OK;
}

size_t
hf_json_next(const struct hf_json *json, size_t array, size_t after)
{
    if (json->nodes[array].kind != HF_JSON_ARRAY)
        return 0;
    for (size_t i = (after != 0 ? after : array) + 1; i < json->count; i++) {
        if (json->nodes[i].parent == array)
            return i;
    }
    return 0;
}

bool
hf_json_integer(const struct hf_json *json, size_t node, int64_t *number)
{
    const struct hf_json_node *found = &json->nodes[node];
    const char *at = json->bytes + found->start;
    const char *stop = json->bytes + found->end;
    uint64_t limit = INT64_MAX;
    uint64_t size = 0;
    bool negative;

    if (found->kind != HF_JSON_NUMBER)
        return false;
    negative = *at == '-';
    if (negative) {
        at++;
        limit++;
    }
    for (; at < stop; at++) {
        if (*at < '0' || *at > '9')
            return false;
        if (size > (limit - (uint64_t)(*at - '0')) / 10)
            return false;
        size = size * 10 + (uint64_t)(*at - '0');
    }
    if (negative && size == 0)
        return false;

    *number = negative ? -(int64_t)(size - 1) - 1 : (int64_t)size;
    return true;
}

bool
hf_json_is_word(const struct hf_json *json, size_t node, const char *word)
{
    const struct hf_json_node *found = &json->nodes[node];
    size_t len = strlen(word);

    return found->kind == HF_JSON_WORD && found->end - found->start == len &&
           memcmp(json->bytes + found->start, word, len) == 0;
}

bool
hf_json_clean(const struct hf_json *json, size_t node, char *to, size_t size,
              size_t *len)
{
    const struct hf_json_node *found = &json->nodes[node];
    const char *bytes = json->bytes + found->start;
    size_t used;
    size_t at;

    if (found->kind != HF_JSON_STRING)
        return false;
    used = hf_text_plain(bytes, found->end - found->start);
    if (used >= size)
        return false;
    memcpy(to, bytes, used);
    at = found->start + used;
    while (at < found->end) {
        uint32_t code = take_character(found, json->bytes, &at);
        char character[4];
        size_t width;

        if (is_surrogate(code) || hf_text_is_control(code))
            return false;
        width = hf_text_put_character(code, character);
        if (used + width >= size)
            return false;
        memcpy(to + used, character, width);
        used += width;
    }
    to[used] = '\0';
    *len = used;
    return true;
}

void
hf_json_show(const struct hf_json *json, size_t node, char *to, size_t size)
{
    const struct hf_json_node *found = &json->nodes[node];
    size_t at = found->start;
    size_t used = 0;

    HF_CHECK(size > 0);
    while (found->kind == HF_JSON_STRING && at < found->end) {
        uint32_t code = take_character(found, json->bytes, &at);
        char character[4];
        bool shown = !is_surrogate(code) && !hf_text_is_control(code);
        size_t width = hf_text_put_character(shown ? code : 0xFFFD, character);

        if (width > size - 1 - used)
            break;
        memcpy(to + used, character, width);
        used += width;
    }
    to[used] = '\0';
}
