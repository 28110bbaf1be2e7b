#include "server/browser.h"

#include <string.h>
#include <strings.h>

static bool
is(struct hf_bytes text, const char *word)
{
    return text.len == strlen(word) &&
           strncasecmp(text.at, word, text.len) == 0;
}

static bool
begins(struct hf_bytes text, const char *word)
{
    return text.len >= strlen(word) && memcmp(text.at, word, strlen(word)) == 0;
}

/* A media type without its parameters. */
static struct hf_bytes
type_of(struct hf_bytes field)
{
    size_t len = 0;

    while (len < field.len && field.at[len] != ';')
        len++;
    while (len > 0 && (field.at[len - 1] == ' ' || field.at[len - 1] == '\t'))
        len--;
    field.len = len;
    return field;
}

static bool
is_form(const struct hf_http_request *request)
{
    struct hf_bytes type = type_of(request->fields[HF_HTTP_CONTENT_TYPE]);

    if (is(type, "multipart/form-data") || is(type, "text/plain"))
        return true;
    return is(type, "application/x-www-form-urlencoded") &&
           !begins(request->fields[HF_HTTP_USER_AGENT], "curl/");
}

const char *
hf_browser_why(const struct hf_http_request *request)
{
    struct hf_bytes site = request->fields[HF_HTTP_FETCH_SITE];

    if (request->fields[HF_HTTP_ORIGIN].at != NULL)
        return "pages of a browser may not ask: there is an Origin";
    if (site.at != NULL && !is(site, "same-origin") && !is(site, "none"))
        return "pages of a browser may not ask: Sec-Fetch-Site says that one "
               "does";
    if (is_form(request))
        return "a body of this type may be a form of a browser's page: name it "
               "application/json";
    return NULL;
}
