#include "net/outbox.h"

#include <string.h>

#include "base/check.h"

/* As many connections as are usually answered in one turn: 4 MiB that stay.  To
 * zero and to give back a block for each answer took a seventh of a server's
 * time. */
enum { SPARES_MAX = 256 };

struct hf_outbox_block {
    struct hf_outbox_block *next; /* a spare one */
    uint32_t begin;
    uint32_t end;
    char bytes[HF_OUTBOX_SIZE];
};

static struct hf_outbox_block *
take(struct hf_outbox_spares *spares)
{
    struct hf_outbox_block *block = spares->first;

    if (block == NULL)
        return hf_new(spares->alloc, struct hf_outbox_block);
    spares->first = block->next;
    spares->count--;
    block->begin = block->end = 0;
    return block;
}

static void
give(struct hf_outbox_spares *spares, struct hf_outbox_block *block)
{
    if (spares->count == SPARES_MAX) {
        hf_free(spares->alloc, block);
        return;
    }
    block->next = spares->first;
    spares->first = block;
    spares->count++;
}

bool
hf_outbox_room(struct hf_outbox *outbox, size_t *room)
{
    if (outbox->block == NULL)
        outbox->block = take(outbox->spares);
    if (outbox->block == NULL)
        return false;
    *room = HF_OUTBOX_SIZE - outbox->block->end;
    return true;
}

void
hf_outbox_put(struct hf_outbox *outbox, const void *bytes, size_t len)
{
    struct hf_outbox_block *block = outbox->block;

    HF_CHECK(block != NULL && len <= HF_OUTBOX_SIZE - block->end);
    if (len > 0)
        memcpy(block->bytes + block->end, bytes, len);
    block->end += (uint32_t)len;
    outbox->made += len;
}

struct hf_bytes
hf_outbox_bytes(const struct hf_outbox *outbox)
{
    const struct hf_outbox_block *block = outbox->block;

    if (block == NULL)
        return (struct hf_bytes){NULL, 0};
    return (struct hf_bytes){block->bytes + block->begin,
                             block->end - block->begin};
}

bool
hf_outbox_wrote(struct hf_outbox *outbox, size_t len)
{
    struct hf_outbox_block *block = outbox->block;
    bool was_full;

    HF_CHECK(len <= hf_outbox_bytes(outbox).len);
    if (len == 0)
        return false;
    block->begin += (uint32_t)len;
    outbox->written += len;
    if (block->begin < block->end)
        return false;
    was_full = block->end == HF_OUTBOX_SIZE;
    give(outbox->spares, block);
    outbox->block = NULL;
    return was_full;
}

void
hf_outbox_fini(struct hf_outbox *outbox)
{
    if (outbox->block != NULL)
        give(outbox->spares, outbox->block);
    outbox->block = NULL;
}

void
hf_outbox_spares_fini(struct hf_outbox_spares *spares)
{
    while (spares->first != NULL) {
        struct hf_outbox_block *next = spares->first->next;

        hf_free(spares->alloc, spares->first);
        spares->first = next;
    }
    spares->count = 0;
}
