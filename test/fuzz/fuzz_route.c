/*
 * Any bytes as the method, path and query of a request to a lock server: the
 * reader survives them, and what it takes is within its limits.
 */

#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "server/route.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void
check_text(const struct hf_route_text *text)
{
    HF_CHECK(text->is_given || text->len == 0);
    HF_CHECK(text->len < sizeof(text->at));
    HF_CHECK(text->at[text->len] == '\0');
}

static void
try_method(const char *method, struct hf_bytes path, struct hf_bytes query)
{
    const struct hf_route_ask ask = {method, path, query, {"x, y", 4}};
    struct hf_route route;
    struct hf_route_refusal refusal;

    if (!hf_route_read(&ask, &route, &refusal)) {
        const char *why = refusal.why.text;

        HF_CHECK(refusal.problem <= HF_API_NO_MEMORY);
        HF_CHECK(hf_text_is_clean(why, strlen(why)));
        HF_CHECK(hf_text_is_clean(refusal.unknown.name,
                                  strlen(refusal.unknown.name)));
        return;
    }
    HF_CHECK(route.kind <= HF_ROUTE_METRICS);
    HF_CHECK(route.limit <= HF_ROUTE_LIMIT_MAX);
    check_text(&route.name);
    check_text(&route.space);
    check_text(&route.prefix);
}

/* What stands behind the first question mark is the query. */
int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const char *at = (const char *)bytes;
    const char *mark = len == 0 ? NULL : memchr(at, '?', len);
    struct hf_bytes path = {at, mark == NULL ? len : (size_t)(mark - at)};
    struct hf_bytes query = {mark == NULL ? at + len : mark + 1,
                             mark == NULL ? 0 : len - path.len - 1};

    try_method("GET", path, query);
    try_method("POST", path, query);
    try_method("DELETE", path, query);
    return 0;
}
