#ifndef HF_CORE_POOL_POOL_H
#define HF_CORE_POOL_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Pool: entries of one size, named by their numbers, from 1; 0 is
 * none.  An entry is taken zeroed.
 *
 * The memory stands somewhere in a block, and is found by its distance from the
 * block's begin: so a block can be copied by memcpy, and zeroed pages are a
 * pool in which nothing was ever taken.  An entry that is free
 * keeps the number of the next free one in its first four bytes.
 *
 * Taking and giving back are O(1).  Not thread-safe; cannot fail.
 */
struct hf_pool {
    uint64_t distance; /* from the block's begin to where entry 0 would be */
    uint32_t size;     /* of an entry */
    uint32_t max;
    uint32_t fresh; /* numbers up to this were taken at least once */
    uint32_t free;  /* first free entry that was given back; 0: none */
    uint32_t count; /* taken now */
};

/* Bytes for `max` entries, a multiple of eight. */
size_t hf_pool_size(uint32_t max, size_t size);

/* Initialise over zeroed memory at that distance. */
void hf_pool_init(struct hf_pool *pool, uint32_t max, size_t size,
                  uint64_t distance);

/* Take an entry, zeroed; 0: all are taken. */
uint32_t hf_pool_take(void *block, struct hf_pool *pool);

void hf_pool_give(void *block, struct hf_pool *pool, uint32_t number);

static inline bool
hf_pool_room(const struct hf_pool *pool, uint32_t wanted)
{
    return pool->max - pool->count >= wanted;
}

/* A pointer `distance` bytes behind the begin of a block.  Like strchr it drops
 * const: the caller knows whether it may write. */
static inline void *
hf_pool_behind(const void *block, uint64_t distance)
{
    const char *from = (const char *)block + distance;
    void *to;

    memcpy(&to, &from, sizeof(to));
    return to;
}

static inline void *
hf_pool_at(const void *block, const struct hf_pool *pool, uint32_t number)
{
    return hf_pool_behind(block,
                          pool->distance + (uint64_t)number * pool->size);
}

/* Prefetch an entry that will be read soon. */
static inline void
hf_pool_fetch(const void *block, const struct hf_pool *pool, uint32_t number)
{
    const char *entry = hf_pool_at(block, pool, number);

    __builtin_prefetch(entry);
    __builtin_prefetch(entry + pool->size - 1);
}

#endif
