#include "core/event.h"

#include <string.h>

#include "base/check.h"

void
hf_outbox_add(struct hf_outbox *outbox, uint8_t entry)
{
    /* A question superseded before it was taken is never sent. */
    if (entry == HF_OUTBOX_ASK &&
        memchr(outbox->entries, entry, outbox->count) != NULL)
        return;
    HF_CHECK(outbox->count < HF_OUTBOX_MAX);
    outbox->entries[outbox->count++] = entry;
}

bool
hf_outbox_take(struct hf_outbox *outbox, uint8_t *entry)
{
    if (outbox->count == 0)
        return false;

    *entry = outbox->entries[0];
    outbox->count--;
    memmove(outbox->entries, outbox->entries + 1, outbox->count);
    return true;
}
