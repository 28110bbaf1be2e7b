#include "server/calls.h"

#include <string.h>

#include "base/check.h"

/* A stream is the place, from 1, in the lower bits, and above it a number that
 * grows with each that is given: 2^40 of them last for a month at a rate of
 * 400,000 a second, and a place is not looked for twice in that time. */
#define PLACE_BITS 24
#define PLACES_MAX ((1u << PLACE_BITS) - 1)
#define SIZE_MIN   1024

void
hf_calls_fini(struct hf_calls *calls)
{
    if (calls->alloc != NULL)
        hf_free(calls->alloc, calls->places);
    *calls = (struct hf_calls){.alloc = calls->alloc};
}

/* Twice as many places; false: no memory, or there are too many. */
static bool
grow(struct hf_calls *calls)
{
    uint32_t size = calls->size == 0 ? SIZE_MIN : calls->size * 2;
    struct hf_call *places;

    if (size > PLACES_MAX)
        return false;
    places = hf_calloc(calls->alloc, size, sizeof(*places));
    if (places == NULL)
        return false;
    if (calls->size > 0)
        memcpy(places, calls->places, calls->size * sizeof(*places));
    for (uint32_t at = size; at > calls->size; at--) {
        places[at - 1].next = calls->free;
        calls->free = at;
    }
    hf_free(calls->alloc, calls->places);
    calls->places = places;
    calls->size = size;
    return true;
}

struct hf_call *
hf_calls_add(struct hf_calls *calls)
{
    struct hf_call *call;
    uint32_t place;

    if (calls->free == 0 && !grow(calls))
        return NULL;
    place = calls->free;
    call = &calls->places[place - 1];
    calls->free = call->next;
    *call = (struct hf_call){.stream = ++calls->turn << PLACE_BITS | place};
    return call;
}

void
hf_calls_remove(struct hf_calls *calls, struct hf_call *call)
{
    uint32_t place = (uint32_t)(call - calls->places) + 1;

    HF_CHECK(call->stream != 0);
    *call = (struct hf_call){.next = calls->free};
    calls->free = place;
}

struct hf_call *
hf_calls_find(const struct hf_calls *calls, uint64_t stream)
{
    uint32_t place = (uint32_t)(stream & PLACES_MAX);

    if (place == 0 || place > calls->size ||
        calls->places[place - 1].stream != stream)
        return NULL;
    return &calls->places[place - 1];
}

struct hf_call *
hf_calls_next(const struct hf_calls *calls, uint32_t *cursor)
{
    while (*cursor < calls->size) {
        struct hf_call *call = &calls->places[(*cursor)++];

        if (call->stream != 0)
            return call;
    }
    return NULL;
}
