#include "net/write_buffer.h"

#include <string.h>

#include "base/check.h"

/* As many connections as are usually answered in one turn: 4 MiB that stay.  To
 * zero and to give back a block for each answer took a seventh of a server's
 * time. */
enum { SPARES_MAX = 256 };

struct hf_write_buffer_block {
    struct hf_write_buffer_block *next; /* a spare one */
    uint32_t begin;
    uint32_t end;
    char bytes[HF_WRITE_BUFFER_SIZE];
};

static struct hf_write_buffer_block *
take(struct hf_write_buffers *spares)
{
    struct hf_write_buffer_block *block = spares->first;

    if (block == NULL)
        return hf_new(spares->alloc, struct hf_write_buffer_block);
    spares->first = block->next;
    spares->count--;
    block->begin = block->end = 0;
    return block;
}

static void
give(struct hf_write_buffers *spares, struct hf_write_buffer_block *block)
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
hf_write_buffer_room(struct hf_write_buffer *out, size_t *room)
{
    if (out->block == NULL)
        out->block = take(out->spares);
    if (out->block == NULL)
        return false;
    *room = HF_WRITE_BUFFER_SIZE - out->block->end;
    return true;
}

void
hf_write_buffer_put(struct hf_write_buffer *out, const void *bytes, size_t len)
{
    struct hf_write_buffer_block *block = out->block;

    HF_CHECK(block != NULL && len <= HF_WRITE_BUFFER_SIZE - block->end);
    if (len > 0)
        memcpy(block->bytes + block->end, bytes, len);
    block->end += (uint32_t)len;
    out->made += len;
}

struct hf_bytes
hf_write_buffer_bytes(const struct hf_write_buffer *out)
{
    const struct hf_write_buffer_block *block = out->block;

    if (block == NULL)
        return (struct hf_bytes){NULL, 0};
    return (struct hf_bytes){block->bytes + block->begin,
                             block->end - block->begin};
}

bool
hf_write_buffer_wrote(struct hf_write_buffer *out, size_t len)
{
    struct hf_write_buffer_block *block = out->block;
    bool was_full;

    HF_CHECK(len <= hf_write_buffer_bytes(out).len);
    if (len == 0)
        return false;
    block->begin += (uint32_t)len;
    out->written += len;
    if (block->begin < block->end)
        return false;
    was_full = block->end == HF_WRITE_BUFFER_SIZE;
    give(out->spares, block);
    out->block = NULL;
    return was_full;
}

void
hf_write_buffer_fini(struct hf_write_buffer *out)
{
    if (out->block != NULL)
        give(out->spares, out->block);
    out->block = NULL;
}

void
hf_write_buffers_fini(struct hf_write_buffers *spares)
{
    while (spares->first != NULL) {
        struct hf_write_buffer_block *next = spares->first->next;

        hf_free(spares->alloc, spares->first);
        spares->first = next;
    }
    spares->count = 0;
}
