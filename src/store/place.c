#include "store/place.h"

#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "store/memory.h"
#include "store/sqlite.h"
#include "store/sqlite_place.h"

/* All kinds of store. */
static const struct hf_store_kind *const kinds[] = {
    &hf_sqlite_kind,
    &hf_memory_kind,
};

static const struct hf_store_kind *
kind_of(const char *text)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strncmp(text, kinds[i]->scheme, strlen(kinds[i]->scheme)) == 0)
            return kinds[i];
    return NULL;
}

bool
hf_place_is(const char *text)
{
    return kind_of(text) != NULL;
}

enum hf_status
hf_place_parse(const char *text, struct hf_place *place, struct hf_error *error)
{
    struct hf_place found = {.kind = kind_of(text)};
    enum hf_status status;
    char shown[128];

    if (strlen(text) > HF_PLACE_MAX)
        return hf_fail(error, HF_E_INVALID, "the place is longer than %d bytes",
                       HF_PLACE_MAX);
    if (found.kind == NULL) {
        hf_text_show(shown, sizeof(shown), text, strlen(text));
        return hf_fail(error, HF_E_INVALID,
                       "'%s' is not a place: write sqlite:/path/locks.db",
                       shown);
    }
    status =
        found.kind->parse(text + strlen(found.kind->scheme), &found, error);
    if (status == HF_OK)
        *place = found;
    return status;
}

enum hf_status
hf_place_default(char *buffer, size_t size)
{
    return hf_sqlite_place_default(buffer, size);
}
