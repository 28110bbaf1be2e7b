#include "wire/json.h"

#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/hex.h"
#include "base/text.h"

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

/* ---- Characters of a string ---------------------------------------------- */

static bool
is_surrogate(uint32_t code)
{
    return code >= 0xD800 && code <= 0xDFFF;
}

/* The unit of a \u escape at `at`. */
static bool
read_unit(struct hf_bytes text, size_t at, uint32_t *unit)
{
    uint32_t sum = 0;

    if (text.len - at < 6 || text.at[at] != '\\' || text.at[at + 1] != 'u')
        return false;
    for (size_t i = at + 2; i < at + 6; i++) {
        int digit = hf_hex_digit(text.at[i]);

        if (digit < 0)
            return false;
        sum = sum << 4 | (uint32_t)digit;
    }
    *unit = sum;
    return true;
}

static bool
take_escape(struct hf_bytes text, size_t *at, uint32_t *code)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    const char *letter;
    uint32_t low;

    if (text.len - *at < 2)
        return false;
    letter = memchr(letters, text.at[*at + 1], sizeof(letters) - 1);
    if (letter != NULL) {
        *code = (unsigned char)meant[letter - letters];
        *at += 2;
        return true;
    }
    if (!read_unit(text, *at, code))
        return false;
    *at += 6;
    if (*code >= 0xD800 && *code <= 0xDBFF && read_unit(text, *at, &low) &&
        low >= 0xDC00 && low <= 0xDFFF) {
        *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
        *at += 6;
    }
    return true;
}

/* The character at *at, which moves on behind it.  Half a surrogate pair is
 * itself, and so no character.  False: no string has it. */
static bool
take_character(struct hf_bytes text, size_t *at, uint32_t *code)
{
    size_t width;

    if (text.at[*at] == '\\')
        return take_escape(text, at, code);
    width = hf_text_character(text.at + *at, text.len - *at, code);
    *at += width;
    return width > 0 && *code >= 0x20;
}

/* ---- The whole text ------------------------------------------------------ */

/* What the grammar lets come next. */
enum awaited {
    AWAIT_VALUE,         /* after a colon, after a comma in an array */
    AWAIT_FIRST_ELEMENT, /* a value, or the end of the array */
    AWAIT_FIRST_KEY,     /* a key, or the end of the object */
    AWAIT_KEY,
    AWAIT_COLON,
    AWAIT_SEPARATOR, /* a comma, or the end of what is open */
};

struct walk {
    struct hf_bytes text;
    size_t at; /* the byte looked at */
    enum awaited awaited;
    size_t depth; /* of the objects and arrays that are open */
    bool is_too_deep;
    unsigned char is_object[HF_JSON_DEPTH_MAX / 8]; /* a bit for each */
};

/* The innermost one that is open. */
static bool
is_in_object(const struct walk *w)
{
    size_t at = w->depth - 1;

    return (w->is_object[at / 8] >> at % 8 & 1) != 0;
}

/* Behind the digits that begin at `at`. */
static size_t
skip_digits(struct hf_bytes text, size_t at)
{
    while (at < text.len && text.at[at] >= '0' && text.at[at] <= '9')
        at++;
    return at;
}

static bool
has(struct hf_bytes text, size_t at, char one, char other)
{
    return at < text.len && (text.at[at] == one || text.at[at] == other);
}

/* Behind the number that begins at `at` (RFC 8259, section 6); `at`: none
 * does. */
static size_t
skip_number(struct hf_bytes text, size_t at)
{
    size_t start = at;
    size_t digits = has(text, at, '-', '-') ? at + 1 : at;

    at = skip_digits(text, digits);
    if (at == digits || (text.at[digits] == '0' && at - digits > 1))
        return start;
    if (has(text, at, '.', '.')) {
        digits = at + 1;
        at = skip_digits(text, digits);
        if (at == digits)
            return start;
    }
    if (has(text, at, 'e', 'E')) {
        digits = has(text, at + 1, '+', '-') ? at + 2 : at + 1;
        at = skip_digits(text, digits);
        if (at == digits)
            return start;
    }
    return at;
}

static size_t
skip_word(struct hf_bytes text, size_t at)
{
    static const char *const words[] = {"true", "false", "null"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t len = strlen(words[i]);

        if (text.len - at >= len && memcmp(text.at + at, words[i], len) == 0)
            return at + len;
    }
    return skip_number(text, at);
}

/* Behind the plain characters that begin at `at`, which most are. */
static size_t
skip_plain(struct hf_bytes text, size_t at)
{
    return at < text.len ? at + hf_text_plain(text.at + at, text.len - at)
                         : text.len;
}

/* Behind the string that begins at `at`, and `at` if it is none. */
static size_t
pass_string(struct hf_bytes text, size_t at)
{
    size_t start = at;
    uint32_t code;

    for (at = skip_plain(text, at + 1); at < text.len && text.at[at] != '"';
         at = skip_plain(text, at))
        if (!take_character(text, &at, &code))
            return start;
    return at < text.len ? at + 1 : start;
}

/* The same of a string, a number or a word. */
static size_t
pass_scalar(struct hf_bytes text, size_t at)
{
    return text.at[at] == '"' ? pass_string(text, at) : skip_word(text, at);
}

/* A value or a key begins here. */
static bool
begin(struct walk *w)
{
    char c = w->text.at[w->at];
    bool is_key = w->awaited == AWAIT_KEY || w->awaited == AWAIT_FIRST_KEY;
    unsigned char bit = (unsigned char)(1U << w->depth % 8);

    if (w->awaited == AWAIT_COLON || w->awaited == AWAIT_SEPARATOR ||
        (is_key && c != '"'))
        return false;
    if (c != '{' && c != '[') {
        size_t start = w->at;

        w->awaited = is_key ? AWAIT_COLON : AWAIT_SEPARATOR;
        w->at = pass_scalar(w->text, start);
        return w->at > start && (c == '"' || w->depth > 0);
    }
    w->is_too_deep = w->depth == HF_JSON_DEPTH_MAX;
    if (w->is_too_deep)
        return false;
    w->is_object[w->depth / 8] &= (unsigned char)~bit;
    if (c == '{')
        w->is_object[w->depth / 8] |= bit;
    w->awaited = c == '{' ? AWAIT_FIRST_KEY : AWAIT_FIRST_ELEMENT;
    w->depth++;
    w->at++;
    return true;
}

/* A closing bracket. */
static bool
end(struct walk *w)
{
    bool object = w->depth > 0 && is_in_object(w);

    if (w->depth == 0 || w->text.at[w->at] != (object ? '}' : ']') ||
        (w->awaited != AWAIT_SEPARATOR &&
         w->awaited != (object ? AWAIT_FIRST_KEY : AWAIT_FIRST_ELEMENT)))
        return false;
    w->depth--;
    w->awaited = AWAIT_SEPARATOR;
    w->at++;
    return true;
}

/* A comma or a colon. */
static bool
separate(struct walk *w)
{
    if (w->text.at[w->at] == ':') {
        if (w->awaited != AWAIT_COLON)
            return false;
        w->awaited = AWAIT_VALUE;
    } else {
        if (w->awaited != AWAIT_SEPARATOR || w->depth == 0)
            return false;
        w->awaited = is_in_object(w) ? AWAIT_KEY : AWAIT_VALUE;
    }
    w->at++;
    return true;
}

static bool
step(struct walk *w)
{
    switch (w->text.at[w->at]) {
    case ',':
    case ':':
        return separate(w);
    case '}':
    case ']':
        return end(w);
    default:
        return begin(w);
    }
}

enum hf_status
hf_json_check(struct hf_bytes text, struct hf_error *error)
{
    struct walk w = {.text = text};

    for (w.at = skip_space(text, 0); w.at < text.len;
         w.at = skip_space(text, w.at)) {
        size_t at = w.at;

        if (step(&w))
            continue;
        if (w.is_too_deep)
            return hf_fail(error, HF_E_CORRUPT,
                           "JSON of more than %d values in one another",
                           HF_JSON_DEPTH_MAX);
        return hf_fail(error, HF_E_CORRUPT, "not JSON at byte %zu", at);
    }
    if (w.depth > 0 || w.awaited != AWAIT_SEPARATOR)
        return hf_fail(error, HF_E_CORRUPT, "not JSON at byte %zu", text.len);
    return HF_OK;
}

/* ---- Member by member ---------------------------------------------------- */

/* Behind the value that begins at `at` within an object, and `at` if it is
 * none. */
static size_t
pass_value(struct hf_bytes text, size_t at)
{
    struct walk w;

    if (at >= text.len)
        return at;
    if (text.at[at] != '{' && text.at[at] != '[')
        return pass_scalar(text, at);
    w = (struct walk){.text = text, .at = at, .depth = 1, .is_object = {1}};
    do {
        w.at = skip_space(text, w.at);
        if (w.at >= text.len || !step(&w))
            return at;
    } while (w.depth > 1);
    return w.at;
}

enum hf_json_step
hf_json_step(struct hf_bytes text, size_t *at, struct hf_bytes *key,
             struct hf_bytes *value)
{
    bool is_first = *at == 0;
    size_t here = skip_space(text, *at);
    size_t start;
    char sign;

    if (here >= text.len || (is_first && text.at[here] != '{'))
        return HF_JSON_WRONG;
    sign = text.at[here];
    here = skip_space(text, here + 1);
    if (is_first && here < text.len && text.at[here] == '}') {
        sign = '}';
        here = skip_space(text, here + 1);
    }
    if (sign == '}')
        return here == text.len ? HF_JSON_END : HF_JSON_WRONG;
    if ((!is_first && sign != ',') || here >= text.len || text.at[here] != '"')
        return HF_JSON_WRONG;

    start = here;
    here = pass_string(text, start);
    *key = (struct hf_bytes){text.at + start, here - start};
    here = skip_space(text, here);
    if (key->len == 0 || here >= text.len || text.at[here] != ':')
        return HF_JSON_WRONG;
    start = skip_space(text, here + 1);
    *at = pass_value(text, start);
    *value = (struct hf_bytes){text.at + start, *at - start};
    return value->len > 0 ? HF_JSON_MEMBER : HF_JSON_WRONG;
}

/* ---- What is in it ------------------------------------------------------- */

static bool
begins_with(struct hf_bytes value, char bracket)
{
    size_t at = skip_space(value, 0);

    return at < value.len && value.at[at] == bracket;
}

bool
hf_json_is_object(struct hf_bytes value)
{
    return begins_with(value, '{');
}

bool
hf_json_is_array(struct hf_bytes value)
{
    return begins_with(value, '[');
}

bool
hf_json_is_whole(struct hf_bytes text)
{
    return hf_json_is_object(text) && hf_json_check(text, NULL) == HF_OK;
}

/* Behind the string that begins here. */
static size_t
skip_string(struct hf_bytes text, size_t at)
{
    for (at = skip_plain(text, at + 1); at < text.len && text.at[at] != '"';
         at = skip_plain(text, at + 1))
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

/* To where the next of an object or array begins: behind the bracket that
 * opens it, or behind a comma. */
static bool
go_on(struct hf_bytes text, char bracket, size_t *at)
{
    size_t sign = skip_space(text, *at);

    if (sign >= text.len || text.at[sign] != (*at == 0 ? bracket : ','))
        return false;
    *at = skip_space(text, sign + 1);
    return true;
}

bool
hf_json_next_member(struct hf_bytes object, size_t *at, struct hf_bytes *key,
                    struct hf_bytes *value)
{
    size_t key_at = *at;
    size_t key_end;
    size_t start;

    if (!go_on(object, '{', &key_at) || key_at >= object.len ||
        object.at[key_at] != '"')
        return false;
    key_end = skip_string(object, key_at);
    start = skip_space(object, key_end);
    if (start >= object.len || object.at[start] != ':')
        return false;
    start = skip_space(object, start + 1);
    *at = skip_value(object, start);
    *key = cut(object, key_at, key_end);
    *value = cut(object, start, *at);
    return true;
}

bool
hf_json_next(struct hf_bytes array, size_t *at, struct hf_bytes *element)
{
    size_t start = *at;

    if (!go_on(array, '[', &start))
        return false;
    *at = skip_value(array, start);
    *element = cut(array, start, *at);
    return element->len > 0;
}

bool
hf_json_ended(struct hf_bytes array, size_t at)
{
    at = skip_space(array, at);
    return at + 1 == array.len && array.at[at] == ']';
}

struct hf_bytes
hf_json_member(struct hf_bytes object, const char *name)
{
    struct hf_bytes key;
    struct hf_bytes value;
    size_t at = 0;

    while (hf_json_next_member(object, &at, &key, &value))
        if (hf_json_says(key, name))
            return value;
    return (struct hf_bytes){NULL, 0};
}

/* ---- Values -------------------------------------------------------------- */

/* Digits and nothing else, of which the sum is at most `most`. */
static bool
read_digits(struct hf_bytes digits, uint64_t most, uint64_t *number)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < digits.len; i++) {
        uint64_t digit = (uint64_t)(digits.at[i] - '0');

        if (digits.at[i] < '0' || digits.at[i] > '9' ||
            sum > (most - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *number = sum;
    return digits.len > 0;
}

bool
hf_json_integer(struct hf_bytes value, int64_t *number)
{
    bool negative = value.len > 0 && value.at[0] == '-';
    uint64_t most = (uint64_t)INT64_MAX + negative;
    uint64_t size;

    if (negative)
        value = (struct hf_bytes){value.at + 1, value.len - 1};
    if (!read_digits(value, most, &size) || (negative && size == 0))
        return false;
    *number = negative ? -(int64_t)(size - 1) - 1 : (int64_t)size;
    return true;
}

bool
hf_json_number(struct hf_bytes value, uint64_t *number)
{
    char digits[21]; /* as many as UINT64_MAX has, and a NUL */
    uint64_t read;
    size_t len;

    if (hf_json_clean(value, digits, sizeof(digits), &len))
        value = (struct hf_bytes){digits, len};
    if (!read_digits(value, UINT64_MAX, &read))
        return false;
    *number = read;
    return true;
}

bool
hf_json_is_word(struct hf_bytes value, const char *word)
{
    return value.len == strlen(word) && memcmp(value.at, word, value.len) == 0;
}

struct hf_bytes
hf_json_inside(struct hf_bytes string)
{
    if (string.len < 2 || string.at[0] != '"' ||
        string.at[string.len - 1] != '"')
        return (struct hf_bytes){NULL, 0};
    return (struct hf_bytes){string.at + 1, string.len - 2};
}

bool
hf_json_says(struct hf_bytes string, const char *ascii)
{
    struct hf_bytes inside = hf_json_inside(string);
    size_t at = 0;

    while (at < inside.len && *ascii != '\0') {
        uint32_t code = (unsigned char)inside.at[at];

        if (code != '\\')
            at++;
        else if (!take_escape(inside, &at, &code))
            return false;
        if (code != (unsigned char)*ascii++)
            return false;
    }
    return inside.at != NULL && at == inside.len && *ascii == '\0';
}

bool
hf_json_clean(struct hf_bytes string, char *to, size_t size, size_t *len)
{
    struct hf_bytes inside = hf_json_inside(string);
    size_t at = hf_text_plain(inside.at, inside.len);
    size_t used = at;

    if (inside.at == NULL || used >= size)
        return false;
    memcpy(to, inside.at, used);
    while (at < inside.len) {
        uint32_t code;
        char character[4];
        size_t width;

        if (!take_character(inside, &at, &code) || is_surrogate(code) ||
            hf_text_is_control(code))
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
hf_json_show(struct hf_bytes string, char *to, size_t size)
{
    struct hf_bytes inside = hf_json_inside(string);
    size_t at = 0;
    size_t used = 0;
    uint32_t code;

    HF_CHECK(size > 0);
    while (at < inside.len && take_character(inside, &at, &code)) {
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
