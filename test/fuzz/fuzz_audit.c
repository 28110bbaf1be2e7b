/*
 * Any bytes: the decoder survives them, and what it takes for an entry of the
 * audit stays the same however often it is written and read again.
 */

#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "base/limits.h"
#include "base/text.h"
#include "wire/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static bool
is_shown(const char *string, size_t size)
{
    size_t len = strnlen(string, size);

    return len < size && hf_text_is_clean(string, len);
}

/* What record.h promises of an entry that was read. */
static void
check_entry(const struct hf_audit_entry *entry)
{
    const struct hf_description *cleared = &entry->cleared;

    HF_CHECK(!entry->corrupt && entry->stamp_ms == 0);
    HF_CHECK(is_shown(entry->host, sizeof(entry->host)));
    HF_CHECK(is_shown(entry->user, sizeof(entry->user)));
    HF_CHECK(is_shown(entry->command, sizeof(entry->command)));
    HF_CHECK(is_shown(entry->reason, sizeof(entry->reason)));
    HF_CHECK(cleared->space[0] != '\0' && cleared->name[0] != '\0');
    HF_CHECK(is_shown(cleared->space, sizeof(cleared->space)));
    HF_CHECK(is_shown(cleared->name, sizeof(cleared->name)));
    HF_CHECK(is_shown(cleared->host, sizeof(cleared->host)));
    HF_CHECK(is_shown(cleared->user, sizeof(cleared->user)));
    HF_CHECK(is_shown(cleared->command, sizeof(cleared->command)));
    HF_CHECK(is_shown(cleared->reason, sizeof(cleared->reason)));
    HF_CHECK(cleared->processes.count == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct hf_audit_entry entry;
    struct hf_audit_entry again;
    struct hf_error error;
    char text[HF_RECORD_TEXT_MAX];
    char same[HF_RECORD_TEXT_MAX];
    size_t text_len;
    enum hf_status status =
        hf_audit_decode((const char *)bytes, len, &entry, &error);

    if (status != HF_OK) {
        HF_CHECK(status == HF_E_CORRUPT && error.status == HF_E_CORRUPT);
        HF_CHECK(hf_text_is_clean(error.text, strlen(error.text)));
        return 0;
    }
    check_entry(&entry);
    text_len = hf_audit_encode(&entry, text, sizeof(text));
    HF_CHECK(text_len < sizeof(text) && text_len == strlen(text));
    status = hf_audit_decode(text, text_len, &again, &error);
    HF_CHECK(status == HF_OK);
    check_entry(&again);
    HF_CHECK(hf_audit_encode(&again, same, sizeof(same)) == text_len);
    HF_CHECK(memcmp(text, same, text_len) == 0);
    return 0;
}
