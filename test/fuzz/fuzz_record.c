/*
 * Any bytes: the decoder survives them, and what it takes for a record stays
 * the same however often it is written and read again.
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

/* What record.h promises of a value that was read. */
static void
check_value(const struct hf_value *value)
{
    const struct hf_owner *owner = &value->owner;

    HF_CHECK(value->heartbeat.id <= INT64_MAX);
    HF_CHECK(value->terms.ttl.ms >= HF_TTL_MIN_MS);
    HF_CHECK(value->terms.ttl.ms <= HF_TTL_MAX_MS);
    HF_CHECK(value->terms.beat.ms >= 1);
    HF_CHECK(value->terms.beat.ms <= value->terms.ttl.ms);
    HF_CHECK(is_shown(owner->host, sizeof(owner->host)));
    HF_CHECK(is_shown(owner->user, sizeof(owner->user)));
    HF_CHECK(is_shown(owner->command, sizeof(owner->command)));
    HF_CHECK(is_shown(owner->reason, sizeof(owner->reason)));
    HF_CHECK(owner->boot[0] == '\0' || hf_process_is_boot_id(owner->boot));
    HF_CHECK(owner->processes_count <= HF_PROCESSES_MAX);
    for (size_t i = 0; i < owner->processes_count; i++) {
        HF_CHECK(owner->processes[i].pid > 0);
        HF_CHECK(owner->processes[i].start > 0);
    }
}

static void
check_same_owner(const struct hf_owner *a, const struct hf_owner *b)
{
    HF_CHECK(strcmp(a->host, b->host) == 0);
    HF_CHECK(strcmp(a->user, b->user) == 0);
    HF_CHECK(strcmp(a->command, b->command) == 0);
    HF_CHECK(strcmp(a->reason, b->reason) == 0);
    HF_CHECK(strcmp(a->boot, b->boot) == 0);
    HF_CHECK(a->since_ms == b->since_ms);
    HF_CHECK(a->pidns == b->pidns);
    HF_CHECK(a->processes_count == b->processes_count);
    for (size_t i = 0; i < a->processes_count; i++) {
        HF_CHECK(a->processes[i].pid == b->processes[i].pid);
        HF_CHECK(a->processes[i].start == b->processes[i].start);
    }
}

static void
check_same(const struct hf_value *a, const struct hf_value *b)
{
    HF_CHECK(a->heartbeat.id == b->heartbeat.id);
    HF_CHECK(a->heartbeat.count == b->heartbeat.count);
    HF_CHECK(a->terms.if_dead == b->terms.if_dead);
    HF_CHECK(a->terms.ttl.ms == b->terms.ttl.ms);
    HF_CHECK(a->terms.beat.ms == b->terms.beat.ms);
    check_same_owner(&a->owner, &b->owner);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct hf_value value;
    struct hf_value again;
    struct hf_error error;
    char text[HF_RECORD_TEXT_MAX];
    size_t text_len;
    enum hf_status status =
        hf_record_decode((const char *)bytes, len, &value, &error);

    if (status != HF_OK) {
        HF_CHECK(status == HF_E_CORRUPT && error.status == HF_E_CORRUPT);
        HF_CHECK(hf_text_is_clean(error.text, strlen(error.text)));
        return 0;
    }
    check_value(&value);
    text_len = hf_record_encode(&value, text, sizeof(text));
    HF_CHECK(text_len < sizeof(text) && text_len == strlen(text));
    status = hf_record_decode(text, text_len, &again, &error);
    HF_CHECK(status == HF_OK);
    check_same(&value, &again);
    return 0;
}
