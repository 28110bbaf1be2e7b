#include "wire/api_unknown.h"

#include <string.h>

#include "base/fail.h"
#include "base/nearest.h"
#include "base/text.h"

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Up to the comma, without blanks around it; the header moves on behind it. */
static struct hf_bytes
take_name(struct hf_bytes *header)
{
    const char *comma = memchr(header->at, ',', header->len);
    size_t len = comma == NULL ? header->len : (size_t)(comma - header->at);
    size_t taken = comma == NULL ? len : len + 1;
    struct hf_bytes name = {header->at, len};

    *header = (struct hf_bytes){header->at + taken, header->len - taken};
    while (name.len > 0 && is_blank(name.at[0]))
        name = (struct hf_bytes){name.at + 1, name.len - 1};
    while (name.len > 0 && is_blank(name.at[name.len - 1]))
        name.len--;
    return name;
}

bool
hf_api_is_optional(struct hf_bytes header, const char *name)
{
    while (header.len > 0) {
        struct hf_bytes named = take_name(&header);

        if (named.len > 0 && named.len == strlen(name) &&
            memcmp(named.at, name, named.len) == 0)
            return true;
    }
    return false;
}

/* ": did you mean "if_dead"?", or all of them. */
static void
add_meant(const struct hf_api_known *known, const char *name,
          struct hf_text *text)
{
    struct hf_nearest nearest;

    hf_nearest_begin(&nearest, name, strlen(name));
    for (size_t i = 0; i < known->count; i++)
        hf_nearest_try(&nearest, known->names[i]);
    if (nearest.word != NULL) {
        hf_text_addf(text, ": did you mean \"%s\"?", nearest.word);
        return;
    }
    if (known->count == 0)
        hf_text_addf(text, ", and it has no %ss", known->what);
    if (known->count == 1)
        hf_text_addf(text, ": there is only %s", known->names[0]);
    for (size_t i = 0; known->count > 1 && i < known->count; i++)
        hf_text_addf(text, "%s%s", i == 0 ? ": there are " : ", ",
                     known->names[i]);
}

enum hf_status
hf_api_refuse_unknown(const struct hf_api_known *known, const char *name,
                      struct hf_api_unknown *unknown, struct hf_error *error)
{
    char bytes[sizeof(error->text)];
    struct hf_text text;

    unknown->what = known->what;
    hf_text_show(unknown->name, sizeof(unknown->name), name, strlen(name));
    hf_text_init(&text, bytes, sizeof(bytes));
    hf_text_addf(&text, "there is no %s \"%s\"", known->what, unknown->name);
    if (known->of != NULL)
        hf_text_addf(&text, " of %s", known->of);
    add_meant(known, name, &text);
    return hf_fail(error, HF_E_INVALID, "%s", bytes);
}
