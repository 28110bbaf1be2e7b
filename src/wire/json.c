#include "wire/json.h"

#define JSMN_STRICT
#define JSMN_STATIC
#define JSMN_PARENT_LINKS
#include <jsmn.h>

#include <limits.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/text.h"

_Static_assert(HF_RECORD_TEXT_MAX < INT_MAX, "jsmn counts bytes in an int");

/* What the grammar lets come next. */
enum awaited {
    AWAIT_VALUE,         /* after a colon, after a comma in an array */
    AWAIT_FIRST_ELEMENT, /* a value, or the end of the array */
    AWAIT_FIRST_KEY,     /* a key, or the end of the object */
    AWAIT_KEY,
    AWAIT_COLON,
    AWAIT_SEPARATOR, /* a comma, or the end of what is open */
};

/* A walk over the bytes in step with jsmn's tokens. */
struct walk {
    struct hf_json *json;
    const jsmntok_t *tokens;
    size_t tokens_count;
    size_t len;
    size_t at; /* the byte looked at */
    enum awaited awaited;
    bool inside; /* an object or array is open */
    size_t open; /* the innermost one, while inside */
};

static bool
is_one_of(char c, const char *set)
{
    while (*set != '\0' && *set != c)
        set++;
    return *set != '\0';
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* How many digits stand at `at`, below `end`. */
static size_t
count_digits(const char *bytes, size_t at, size_t end)
{
    size_t start = at;

    while (at < end && is_digit(bytes[at]))
        at++;
    return at - start;
}

/* Is bytes[at..end) a number as RFC 8259, section 6, has it? */
static bool
is_number(const char *bytes, size_t at, size_t end)
{
    size_t digits;

    if (at < end && bytes[at] == '-')
        at++;
    digits = count_digits(bytes, at, end);
    if (digits == 0 || (digits > 1 && bytes[at] == '0'))
        return false;
    at += digits;

    if (at < end && bytes[at] == '.') {
        digits = count_digits(bytes, at + 1, end);
        if (digits == 0)
            return false;
        at += 1 + digits;
    }
    if (at < end && is_one_of(bytes[at], "eE")) {
        at++;
        if (at < end && is_one_of(bytes[at], "+-"))
            at++;
        digits = count_digits(bytes, at, end);
        if (digits == 0)
            return false;
        at += digits;
    }
    return at == end;
}

static bool
is_word(const char *bytes, size_t len)
{
    static const char *const words[] = {"true", "false", "null"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (len == strlen(words[i]) && memcmp(bytes, words[i], len) == 0)
            return true;
    }
    return false;
}

/* No raw control character (C0), and UTF-8 throughout.  The escapes are those
 * that jsmn has let pass: all of RFC 8259, and no others. */
static bool
is_string(const char *bytes, size_t len)
{
    size_t at = hf_text_plain(bytes, len);

    while (at < len) {
        uint32_t code;
        size_t width = hf_text_character(bytes + at, len - at, &code);

        if (width == 0 || code < 0x20)
            return false;
        at += width;
    }
    return true;
}

/* Fill in what the token says, and check what is in it. */
static bool
take_token(const struct walk *w, const jsmntok_t *token,
           struct hf_json_node *node)
{
    const char *bytes = w->json->bytes;

    HF_CHECK(token->start >= 0 && token->end >= token->start);
    node->start = (size_t)token->start;
    node->end = (size_t)token->end;
    switch (token->type) {
    case JSMN_OBJECT:
        node->kind = HF_JSON_OBJECT;
        return true;
    case JSMN_ARRAY:
        node->kind = HF_JSON_ARRAY;
        return true;
    case JSMN_STRING:
        node->kind = HF_JSON_STRING;
        return is_string(bytes + node->start, node->end - node->start);
    case JSMN_PRIMITIVE:
        node->kind = HF_JSON_WORD;
        if (is_word(bytes + node->start, node->end - node->start))
            return true;
        node->kind = HF_JSON_NUMBER;
        return is_number(bytes, node->start, node->end);
    case JSMN_UNDEFINED:
        break;
    }
    return false;
}

/* A value or a key begins here, and so must the next token. */
static bool
begin(struct walk *w)
{
    struct hf_json *json = w->json;
    bool quoted = json->bytes[w->at] == '"';
    bool key = w->awaited == AWAIT_KEY || w->awaited == AWAIT_FIRST_KEY;
    struct hf_json_node node = {.key = key, .parent = w->inside ? w->open : 0};

    if (w->awaited == AWAIT_COLON || w->awaited == AWAIT_SEPARATOR ||
        (key && !quoted) || json->count == w->tokens_count)
        return false;
    if (!take_token(w, &w->tokens[json->count], &node) ||
        node.start != w->at + (quoted ? 1 : 0))
        return false;

    json->nodes[json->count] = node;
    if (node.kind == HF_JSON_OBJECT || node.kind == HF_JSON_ARRAY) {
        w->inside = true;
        w->open = json->count;
        w->awaited =
            node.kind == HF_JSON_OBJECT ? AWAIT_FIRST_KEY : AWAIT_FIRST_ELEMENT;
        w->at++;
    } else {
        w->awaited = key ? AWAIT_COLON : AWAIT_SEPARATOR;
        w->at = node.end + (quoted ? 1 : 0);
    }
    json->count++;
    return true;
}

/* A closing bracket. */
static bool
end(struct walk *w)
{
    char bracket = w->json->bytes[w->at];
    bool is_object;

    if (!w->inside)
        return false;
    is_object = w->json->nodes[w->open].kind == HF_JSON_OBJECT;
    if (bracket != (is_object ? '}' : ']') ||
        (w->awaited != AWAIT_SEPARATOR &&
         w->awaited != (is_object ? AWAIT_FIRST_KEY : AWAIT_FIRST_ELEMENT)))
        return false;

    w->inside = w->open != 0;
    w->open = w->json->nodes[w->open].parent;
    w->awaited = AWAIT_SEPARATOR;
    w->at++;
    return true;
}

/* A comma or a colon. */
static bool
separate(struct walk *w)
{
    if (w->json->bytes[w->at] == ':') {
        if (w->awaited != AWAIT_COLON)
            return false;
        w->awaited = AWAIT_VALUE;
    } else {
        if (w->awaited != AWAIT_SEPARATOR || !w->inside)
            return false;
        w->awaited = w->json->nodes[w->open].kind == HF_JSON_OBJECT
                         ? AWAIT_KEY
                         : AWAIT_VALUE;
    }
    w->at++;
    return true;
}

/* The whole text, or false with `at` where it stops to be JSON. */
static bool
walk(struct walk *w)
{
    while (w->at < w->len) {
        bool fits = true;

        switch (w->json->bytes[w->at]) {
        case ' ':
        case '\t':
        case '\r':
        case '\n':
            w->at++;
            break;
        case ',':
        case ':':
            fits = separate(w);
            break;
        case '}':
        case ']':
            fits = end(w);
            break;
        default:
            fits = begin(w);
            break;
        }
        if (!fits)
            return false;
    }
    return !w->inside && w->awaited == AWAIT_SEPARATOR;
}

enum hf_status
hf_json_read(struct hf_json *json, const char *bytes, size_t len,
             struct hf_error *error)
{
    jsmntok_t tokens[HF_RECORD_TOKENS_MAX];
    jsmn_parser parser;
    struct walk w = {.json = json, .tokens = tokens, .len = len};
    int count;

    json->bytes = bytes;
    json->count = 0;
    if (len > HF_RECORD_TEXT_MAX)
        return hf_fail(error, HF_E_CORRUPT, "JSON of %zu bytes, more than %d",
                       len, HF_RECORD_TEXT_MAX);

    jsmn_init(&parser);
    count = jsmn_parse(&parser, bytes, len, tokens, HF_RECORD_TOKENS_MAX);
    if (count == JSMN_ERROR_NOMEM)
        return hf_fail(error, HF_E_CORRUPT, "JSON of more than %d values",
                       HF_RECORD_TOKENS_MAX);
    if (count < 0)
        return hf_fail(error, HF_E_CORRUPT, "not JSON at byte %u", parser.pos);

    w.tokens_count = (size_t)count;
    if (!walk(&w))
        return hf_fail(error, HF_E_CORRUPT, "not JSON at byte %zu", w.at);
    return HF_OK;
}
