/*
 * Any bytes: the decoders of what a lock server keeps survive them, and what
 * they take for a record stays the same however often it is written and read
 * again.
 */

#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "wire/cleared.h"
#include "wire/head.h"
#include "wire/served.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static const uint64_t fence = 1763850690123456;

static bool
is_clean(struct hf_bytes text, size_t max)
{
    return text.len <= max && hf_text_is_clean(text.at, text.len);
}

/* Whatever is refused is refused in the same way. */
static bool
is_read(enum hf_status status, const struct hf_error *error)
{
    if (status == HF_OK)
        return true;
    HF_CHECK(status == HF_E_CORRUPT && error->status == HF_E_CORRUPT);
    HF_CHECK(hf_text_is_clean(error->text, strlen(error->text)));
    return false;
}

static void
try_head(struct hf_bytes value)
{
    struct hf_head head;
    struct hf_error error;
    char text[HF_RECORD_TEXT_MAX];
    char same[HF_RECORD_TEXT_MAX];
    size_t len;

    if (!is_read(hf_head_decode(value.at, value.len, &head, &error), &error))
        return;
    len = hf_head_encode(&head, text, sizeof(text));
    HF_CHECK(len < sizeof(text));
    HF_CHECK(hf_head_decode(text, len, &head, &error) == HF_OK);
    HF_CHECK(hf_head_encode(&head, same, sizeof(same)) == len);
    HF_CHECK(memcmp(text, same, len) == 0);
}

static void
check_grant(const struct hf_loaded_grant *grant)
{
    HF_CHECK(grant->session != 0 && grant->n > 0);
    HF_CHECK(grant->wants_count > 0 &&
             grant->wants_count <= HF_SERVED_NAMES_MAX);
    for (size_t i = 0; i < grant->wants_count; i++) {
        const struct hf_want *want = &grant->wants[i];

        HF_CHECK(want->space.len > 0 && want->space.at[0] != '!');
        HF_CHECK(is_clean(want->space, HF_SPACE_MAX));
        HF_CHECK(want->name.len > 0 && is_clean(want->name, HF_NAME_MAX));
        HF_CHECK(want->mode == HF_EXCLUSIVE || want->mode == HF_SHARED);
    }
    HF_CHECK(is_clean(grant->note, HF_SERVED_NOTE_MAX));
}

static void
try_grant(struct hf_bytes value)
{
    struct hf_served_memory memory = {.texts_len = 0};
    struct hf_served_grant grant;
    struct hf_error error;
    char text[HF_SERVED_RECORD_MAX];
    char same[HF_SERVED_RECORD_MAX];
    size_t len;

    if (!is_read(hf_served_decode_grant(fence, value, &memory, &grant, &error),
                 &error))
        return;
    check_grant(&grant.loaded);
    len = hf_served_encode_grant(&grant, text, sizeof(text));
    HF_CHECK(len < sizeof(text));
    memory.texts_len = 0;
    HF_CHECK(hf_served_decode_grant(fence, (struct hf_bytes){text, len},
                                    &memory, &grant, &error) == HF_OK);
    HF_CHECK(hf_served_encode_grant(&grant, same, sizeof(same)) == len);
    HF_CHECK(memcmp(text, same, len) == 0);
}

static void
try_row(struct hf_bytes locks)
{
    struct hf_served_memory memory = {.texts_len = 0};
    const struct hf_served_row row = {
        .grant = {.loaded = {.fence = 1, .session = 1, .n = 1}},
        .locks = locks,
    };
    struct hf_served_grant grant;
    struct hf_error error;

    if (is_read(hf_served_read_row(&row, &memory, &grant, &error), &error))
        check_grant(&grant.loaded);
}

static void
try_cleared(struct hf_bytes value)
{
    struct hf_served_memory memory = {.texts_len = 0};
    struct hf_cleared cleared;
    struct hf_error error;
    char text[HF_RECORD_TEXT_MAX];
    char same[HF_RECORD_TEXT_MAX];
    size_t len;

    if (!is_read(hf_cleared_decode(value, &memory, &cleared, &error), &error))
        return;
    check_grant(&cleared.grant.loaded);
    len = hf_cleared_encode(&cleared, text, sizeof(text));
    HF_CHECK(len < sizeof(text));
    memory.texts_len = 0;
    HF_CHECK(hf_cleared_decode((struct hf_bytes){text, len}, &memory, &cleared,
                               &error) == HF_OK);
    HF_CHECK(hf_cleared_encode(&cleared, same, sizeof(same)) == len);
    HF_CHECK(memcmp(text, same, len) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct hf_bytes value = {(const char *)bytes, len};

    try_head(value);
    try_row(value);
    try_grant(value);
    try_cleared(value);
    return 0;
}
