#include "server/pending.h"

#include <string.h>

#include "base/check.h"

/* A stream is the place, from 1, in the lower bits, and above it a number that
 * grows with each that is given: 2^40 of them last for a month at a rate of
 * 400,000 a second, and a place is not looked for twice in that time. */
#define PLACE_BITS 24
#define PLACES_MAX ((1u << PLACE_BITS) - 1)
#define SIZE_MIN   1024

/* The first block, and what each next is at least. */
#define BLOCK_MIN 65536

void
hf_pending_fini(struct hf_pending *pending)
{
    const struct hf_alloc *alloc = pending->alloc;

    if (alloc != NULL) {
        hf_free(alloc, pending->calls);
        hf_free(alloc, pending->block);
    }
    *pending = (struct hf_pending){.alloc = alloc};
}

/* ---- Calls --------------------------------------------------------------- */

/* Twice as many places; false: no memory, or there are too many. */
static bool
grow(struct hf_pending *pending)
{
    uint32_t size = pending->size == 0 ? SIZE_MIN : pending->size * 2;
    struct hf_pending_call *grown;

    if (size > PLACES_MAX)
        return false;
    grown = hf_calloc(pending->alloc, size, sizeof(*grown));
    if (grown == NULL)
        return false;
    if (pending->size > 0)
        memcpy(grown, pending->calls, pending->size * sizeof(*grown));
    for (uint32_t at = size; at > pending->size; at--) {
        grown[at - 1].next = pending->free;
        pending->free = at;
    }
    hf_free(pending->alloc, pending->calls);
    pending->calls = grown;
    pending->size = size;
    return true;
}

struct hf_pending_call *
hf_pending_add(struct hf_pending *pending)
{
    struct hf_pending_call *call;
    uint32_t place;

    if (pending->free == 0 && !grow(pending))
        return NULL;
    place = pending->free;
    call = &pending->calls[place - 1];
    pending->free = call->next;
    *call = (struct hf_pending_call){.stream =
                                         ++pending->turn << PLACE_BITS | place};
    return call;
}

void
hf_pending_remove(struct hf_pending *pending, struct hf_pending_call *call)
{
    uint32_t place = (uint32_t)(call - pending->calls) + 1;

    HF_CHECK(call->stream != 0);
    *call = (struct hf_pending_call){.next = pending->free};
    pending->free = place;
}

struct hf_pending_call *
hf_pending_find(const struct hf_pending *pending, uint64_t stream)
{
    uint32_t place = (uint32_t)(stream & PLACES_MAX);

    if (place == 0 || place > pending->size ||
        pending->calls[place - 1].stream != stream)
        return NULL;
    return &pending->calls[place - 1];
}

struct hf_pending_call *
hf_pending_next(const struct hf_pending *pending, uint32_t *cursor)
{
    while (*cursor < pending->size) {
        struct hf_pending_call *call = &pending->calls[(*cursor)++];

        if (call->stream != 0)
            return call;
    }
    return NULL;
}

/* ---- Answers ------------------------------------------------------------- */

/* Bytes that an answer takes: itself and its body, aligned for the next. */
static size_t
taken_by(const struct hf_pending_answer *answer)
{
    size_t align = _Alignof(struct hf_pending_answer);
    size_t len = sizeof(*answer) + answer->body.len;

    return (len + align - 1) / align * align;
}

/* Room for so many bytes at the end: compact the block if half of it is free,
 * else double it. */
static bool
make_room(struct hf_pending *pending, size_t len)
{
    size_t used = pending->end - pending->first;
    size_t size = pending->room < BLOCK_MIN ? BLOCK_MIN : pending->room;
    char *block;

    if (pending->room - pending->end >= len)
        return true;
    if (pending->room > 0 && used <= pending->room / 2 &&
        pending->room - used >= len) {
        memmove(pending->block, pending->block + pending->first, used);
        pending->first = 0;
        pending->end = used;
        return true;
    }
    while (size - used < len || used > size / 2)
        size *= 2;
    block = hf_calloc(pending->alloc, 1, size);
    if (block == NULL)
        return false;
    if (used > 0)
        memcpy(block, pending->block + pending->first, used);
    hf_free(pending->alloc, pending->block);
    pending->block = block;
    pending->room = size;
    pending->first = 0;
    pending->end = used;
    return true;
}

bool
hf_pending_keep(struct hf_pending *pending,
                const struct hf_pending_answer *answer)
{
    size_t len = taken_by(answer);
    char *at;

    if (!make_room(pending, len))
        return false;
    at = pending->block + pending->end;
    memcpy(at, answer, sizeof(*answer));
    memcpy(at + sizeof(*answer), answer->body.at, answer->body.len);
    pending->end += len;
    return true;
}

bool
hf_pending_take(struct hf_pending *pending, uint64_t through,
                struct hf_pending_answer *answer)
{
    const char *at;

    if (pending->first == pending->end)
        return false;
    at = pending->block + pending->first;
    memcpy(answer, at, sizeof(*answer));
    if (answer->mark > through)
        return false;
    answer->body.at = at + sizeof(*answer);
    pending->first += taken_by(answer);
    if (pending->first == pending->end)
        pending->first = pending->end = 0;
    return true;
}
