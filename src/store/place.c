#include "store/place.h"

#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "store/memory.h"
#include "store/postgresql.h"
#include "store/sqlite.h"
#include "store/sqlite_place.h"

/* All kinds of store. */
static const struct hf_store_kind *const kinds[] = {
    &hf_sqlite_kind,
    &hf_memory_kind,
    &hf_postgresql_kind,
};

/* What follows the scheme; NULL: it is another. */
static const char *
without(const char *text, const char *scheme)
{
    size_t len = scheme == NULL ? 0 : strlen(scheme);

    return len > 0 && strncmp(text, scheme, len) == 0 ? text + len : NULL;
}

/* The kind, and what follows its scheme in *rest; NULL: none. */
static const struct hf_store_kind *
kind_of(const char *text, const char **rest)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        *rest = without(text, kinds[i]->scheme);
        if (*rest == NULL)
            *rest = without(text, kinds[i]->also);
        if (*rest != NULL)
            return kinds[i];
    }
    return NULL;
}

bool
hf_place_is(const char *text)
{
    const char *rest;

    return kind_of(text, &rest) != NULL;
}

enum hf_status
hf_place_parse(const char *text, struct hf_place *place, struct hf_error *error)
{
    const char *rest;
    struct hf_place found = {.kind = kind_of(text, &rest)};
    enum hf_status status;
    char shown[128];

    if (strlen(text) > HF_PLACE_MAX)
        return hf_fail(error, HF_E_INVALID, "the place is longer than %d bytes",
                       HF_PLACE_MAX);
    if (found.kind == NULL) {
        hf_text_show_url(shown, sizeof(shown), text);
        return hf_fail(error, HF_E_INVALID,
                       "'%s' is not a place: write sqlite:/path/locks.db or "
                       "postgresql://host/database",
                       shown);
    }
    status = found.kind->parse(rest, &found, error);
    if (status == HF_OK)
        *place = found;
    return status;
}

enum hf_status
hf_place_default(char *buffer, size_t size)
{
    return hf_sqlite_place_default(buffer, size);
}
