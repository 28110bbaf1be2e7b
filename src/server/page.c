#include "server/page.h"

#include <string.h>

#include "base/fail.h"

static struct hf_bytes
keep(struct hf_page *page, const char *bytes, size_t len)
{
    char *kept = hf_arena_take(&page->arena, len + 1);

    if (kept == NULL) {
        page->failed = true;
        return (struct hf_bytes){"", 0};
    }
    memcpy(kept, bytes, len);
    kept[len] = '\0';
    return (struct hf_bytes){kept, len};
}

static bool
take_record(void *ctx, const char *name, size_t name_len,
            const struct hf_record *record)
{
    struct hf_page *page = ctx;
    size_t value_len = record->value_len < sizeof(record->value)
                           ? record->value_len
                           : sizeof(record->value);

    if (name_len >= sizeof(page->after))
        name_len = sizeof(page->after) - 1;
    page->records[page->count++] = (struct hf_page_record){
        .name = keep(page, name, name_len),
        .value = keep(page, record->value, value_len),
    };
    memcpy(page->after, name, name_len);
    page->after[name_len] = '\0';
    page->after_len = name_len;
    return !page->failed;
}

enum hf_status
hf_page_read(struct hf_page *page, struct hf_store *store, const char *space,
             const char *prefix, size_t limit, struct hf_error *error)
{
    const struct hf_store_scan scan = {
        .space = space,
        .prefix = prefix,
        .after = page->after_len > 0 ? page->after : NULL,
        .after_len = page->after_len,
        .limit = limit < HF_PAGE_MAX ? limit : HF_PAGE_MAX,
    };
    enum hf_status status;

    hf_arena_reset(&page->arena);
    page->count = 0;
    page->failed = false;
    status = hf_store_scan(store, &scan, take_record, page, error);
    if (status == HF_OK && page->failed)
        status = hf_fail(error, HF_E_NOMEM, "no memory for what was read");
    return status;
}

void
hf_page_fini(struct hf_page *page)
{
    hf_arena_fini(&page->arena);
}
