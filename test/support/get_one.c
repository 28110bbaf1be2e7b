#include "support/get_one.h"

static void
keep(void *ctx, size_t index, const struct hf_record *record)
{
    (void)index;
    *(struct hf_record *)ctx = *record;
}

enum hf_status
get_one(struct hf_store *store, struct hf_key key, struct hf_instant until,
        struct hf_record *record, struct hf_error *error)
{
    struct hf_record found;
    enum hf_status status =
        hf_store_get(store, &key, 1, until, keep, &found, error);

    if (status == HF_OK)
        *record = found;
    return status;
}
