/*
 * Any bytes as the body of a request to a lock server: the reader survives
 * them, what it takes lies within its limits, and what the door lets pass is
 * sound.
 */

#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "wire/api_body.h"
#include "wire/served.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static struct hf_api_body body;

/* It is clean, and lies in the body's own memory. */
static void
check_text(struct hf_bytes text)
{
    if (text.at == NULL)
        return;
    HF_CHECK(text.at >= body.texts);
    HF_CHECK(text.at + text.len < body.texts + sizeof(body.texts));
    HF_CHECK(text.at[text.len] == '\0');
    HF_CHECK(hf_text_is_clean(text.at, text.len));
}

static void
check_body(void)
{
    HF_CHECK(body.locks_count <= HF_API_LOCKS_MAX);
    HF_CHECK(body.fences_count <= HF_API_FENCES_MAX);
    HF_CHECK(body.sessions_count <= HF_API_SESSIONS_MAX);
    HF_CHECK(body.ttl.ms >= 0 && body.waited.ms >= 0 && body.remaining.ms >= 0);
    check_text(body.who);
    check_text(body.space);
    check_text(body.name);
    check_text(body.note);
    check_text(body.reason);
    for (size_t i = 0; i < body.locks_count; i++) {
        check_text(body.locks[i].space);
        check_text(body.locks[i].name);
    }
}

/* As a server would ask its machine for it. */
static void
try_acquire(void)
{
    struct hf_message message = {
        .kind = HF_MESSAGE_ACQUIRE,
        .stream = 1,
        .session = body.session,
        .term = body.term,
        .lane = body.lane,
        .n = body.n,
        .a = body.a,
        .lowest = body.lowest,
    };
    struct hf_error why;

    message.acquire.wants = body.locks;
    message.acquire.wants_count = body.locks_count;
    message.acquire.wait = body.wait;
    message.acquire.remaining = body.remaining;
    message.acquire.waited = body.waited;
    message.acquire.note = body.note;
    if (hf_served_check(&message, &why) == HF_OK)
        return;
    HF_CHECK(why.status == HF_E_INVALID);
    HF_CHECK(hf_text_is_clean(why.text, strlen(why.text)));
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static const struct hf_api_form form = {"a request", 0x2FFFFFF};
    const struct hf_bytes text = {(const char *)bytes, len};
    struct hf_error why;
    enum hf_status status = hf_api_body_read(
        &form, text, (struct hf_bytes){"colour, x", 9}, &body, &why);

    if (status == HF_OK) {
        check_body();
        try_acquire();
        return 0;
    }
    HF_CHECK(status == HF_E_INVALID || status == HF_E_LIMIT);
    HF_CHECK(why.status == status);
    HF_CHECK(hf_text_is_clean(why.text, strlen(why.text)));
    HF_CHECK(hf_text_is_clean(body.unknown.name, strlen(body.unknown.name)));
    return 0;
}
