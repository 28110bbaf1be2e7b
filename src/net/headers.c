#include "net/headers.h"

#include <string.h>

#define WORD(text)                                                             \
    {                                                                          \
        text, sizeof(text) - 1                                                 \
    }

static const struct hf_bytes names[HF_HEADERS] = {
    [HF_HTTP_HOST] = WORD("host"),
    [HF_HTTP_ORIGIN] = WORD("origin"),
    [HF_HTTP_FETCH_SITE] = WORD("sec-fetch-site"),
    [HF_HTTP_USER_AGENT] = WORD("user-agent"),
    [HF_HTTP_CONTENT_TYPE] = WORD("content-type"),
    [HF_HTTP_ACCEPT] = WORD("accept"),
    [HF_HTTP_AUTHORIZATION] = WORD("authorization"),
    [HF_HTTP_IDEMPOTENCY_KEY] = WORD("idempotency-key"),
    [HF_HTTP_SESSION] = WORD("holdfast-session"),
    [HF_HTTP_SECRET] = WORD("holdfast-secret"),
    [HF_HTTP_OPTIONAL] = WORD("holdfast-optional"),
    [HF_HEADER_CONTENT_LENGTH] = WORD("content-length"),
    [HF_HEADER_TRANSFER_ENCODING] = WORD("transfer-encoding"),
    [HF_HEADER_EXPECT] = WORD("expect"),
    [HF_HEADER_CONNECTION] = WORD("connection"),
    [HF_HEADER_RETRY_AFTER] = WORD("retry-after"),
    [HF_HEADER_LOCATION] = WORD("location"),
    [HF_HEADER_SERVER] = WORD("server"),
    [HF_HEADER_VIA] = WORD("via"),
};

static const struct hf_bytes methods[HF_HTTP_METHODS] = {
    [HF_HTTP_GET] = WORD("GET"),         [HF_HTTP_HEAD] = WORD("HEAD"),
    [HF_HTTP_POST] = WORD("POST"),       [HF_HTTP_PUT] = WORD("PUT"),
    [HF_HTTP_PATCH] = WORD("PATCH"),     [HF_HTTP_DELETE] = WORD("DELETE"),
    [HF_HTTP_OPTIONS] = WORD("OPTIONS"),
};

static char
small(char c)
{
    if (c < 'A' || c > 'Z')
        return c;
    return (char)(c - 'A' + 'a');
}

bool
hf_header_is(struct hf_bytes text, const char *word)
{
    for (size_t i = 0; i < text.len; i++)
        if (word[i] == '\0' || small(text.at[i]) != word[i])
            return false;
    return word[text.len] == '\0';
}

unsigned
hf_header_find(struct hf_bytes name)
{
    unsigned field = 0;

    while (field < HF_HEADERS && (names[field].len != name.len ||
                                  !hf_header_is(name, names[field].at)))
        field++;
    return field;
}

bool
hf_header_is_single(unsigned field)
{
    return field != HF_HTTP_ACCEPT && field != HF_HEADER_CONNECTION &&
           field != HF_HEADER_SERVER && field != HF_HEADER_VIA &&
           !hf_header_is_joined(field);
}

bool
hf_header_is_joined(unsigned field)
{
    return field == HF_HTTP_OPTIONAL;
}

enum hf_http_method
hf_header_method(struct hf_bytes name)
{
    unsigned method = 0;

    while (method < HF_HTTP_METHODS &&
           (methods[method].len != name.len ||
            memcmp(methods[method].at, name.at, name.len) != 0))
        method++;
    return (enum hf_http_method)method;
}

bool
hf_header_begins_method(struct hf_bytes text)
{
    for (unsigned method = 0; method < HF_HTTP_METHODS; method++)
        if (methods[method].len >= text.len &&
            memcmp(methods[method].at, text.at, text.len) == 0)
            return true;
    return false;
}

struct hf_bytes
hf_header_method_word(enum hf_http_method method)
{
    return methods[method];
}

static bool
is_of_token(char c)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
        return true;
    if (c >= '0' && c <= '9')
        return true;
    return c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL;
}

size_t
hf_header_token_len(struct hf_bytes text)
{
    size_t len = 0;

    while (len < text.len && is_of_token(text.at[len]))
        len++;
    return len;
}

/* ---- Lists --------------------------------------------------------------- */

/* The bytes before the first `end`; what follows it is left in *text. */
static struct hf_bytes
take_until(struct hf_bytes *text, char end)
{
    struct hf_bytes first = {text->at, 0};

    while (first.len < text->len && first.at[first.len] != end)
        first.len++;
    text->at += first.len;
    text->len -= first.len;
    if (text->len > 0) {
        text->at++;
        text->len--;
    }
    return first;
}

struct hf_bytes
hf_header_trim(struct hf_bytes text)
{
    while (text.len > 0 && (*text.at == ' ' || *text.at == '\t')) {
        text.at++;
        text.len--;
    }
    while (text.len > 0 &&
           (text.at[text.len - 1] == ' ' || text.at[text.len - 1] == '\t'))
        text.len--;
    return text;
}

bool
hf_header_lists(struct hf_bytes list, const char *word)
{
    while (list.len > 0) {
        struct hf_bytes one = take_until(&list, ',');

        if (hf_header_is(hf_header_trim(take_until(&one, ';')), word))
            return true;
    }
    return false;
}

bool
hf_header_wants_json(struct hf_bytes accept)
{
    return hf_header_lists(accept, "application/json") &&
           !hf_header_lists(accept, "application/problem+json");
}
