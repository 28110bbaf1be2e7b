#ifndef HF_CORE_LOCKSPACE_SLOTS_H
#define HF_CORE_LOCKSPACE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Slots: a pool of entries of one size, named by their numbers, from 1; 0 is
 * none.  An entry is taken zeroed.
 *
 * The memory stands somewhere in a block, and is found by its distance from the
 * block's begin: so a block can be copied by memcpy, and zeroed pages are a
 * pool in which nothing was ever taken.  An entry that is free
 * keeps the number of the next free one in its first four bytes.
 *
 * Taking and giving back are O(1).  Not thread-safe; cannot fail.
 */
struct hf_slots {
    uint64_t distance; /* from the block's begin to where slot 0 would be */
    uint32_t size;     /* of an entry */
    uint32_t max;
    uint32_t fresh; /* numbers up to this were taken at least once */
    uint32_t free;  /* first free entry that was given back; 0: none */
    uint32_t count; /* taken now */
};

/* Bytes for `max` entries, a multiple of eight. */
size_t hf_slots_size(uint32_t max, size_t size);

/* Initialise over zeroed memory at that distance. */
void hf_slots_init(struct hf_slots *slots, uint32_t max, size_t size,
                   uint64_t distance);

/* Take an entry, zeroed; 0: all are taken. */
uint32_t hf_slots_take(void *block, struct hf_slots *slots);

void hf_slots_give(void *block, struct hf_slots *slots, uint32_t number);

static inline bool
hf_slots_room(const struct hf_slots *slots, uint32_t wanted)
{
    return slots->max - slots->count >= wanted;
}

/* A pointer `distance` bytes behind the begin of a block.  Like strchr it drops
 * const: the caller knows whether it may write. */
static inline void *
hf_slots_behind(const void *block, uint64_t distance)
{
    const char *from = (const char *)block + distance;
    void *to;

    memcpy(&to, &from, sizeof(to));
    return to;
}

static inline void *
hf_slots_at(const void *block, const struct hf_slots *slots, uint32_t number)
{
    return hf_slots_behind(block,
                           slots->distance + (uint64_t)number * slots->size);
}

/* Prefetch an entry that will be read soon. */
static inline void
hf_slots_fetch(const void *block, const struct hf_slots *slots, uint32_t number)
{
    const char *entry = hf_slots_at(block, slots, number);

    __builtin_prefetch(entry);
    __builtin_prefetch(entry + slots->size - 1);
}

#endif
