#ifndef HF_CLIENT_DESCRIBE_H
#define HF_CLIENT_DESCRIBE_H

#include "wire/record.h"

/* What a read tells of a record beside its value. */
struct hf_record_meta {
    const char *space;
    const char *name; /* `name_len` bytes, of which any may be NUL */
    size_t name_len;
    bool exists;
    bool corrupt;
    uint64_t version;
    uint64_t token;
    int64_t stamp_ms;
};

/* From a record as stored to a record as described (wire/describe.h);
 * `value` is looked at only when it exists and is not corrupt.  Strings become
 * safe to print.  Cannot fail. */
void hf_describe(const struct hf_record_meta *meta,
                 const struct hf_value *value,
                 struct hf_description *description);

#endif
