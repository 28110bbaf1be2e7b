#ifndef HF_CORE_POOL_INDEX_H
#define HF_CORE_POOL_INDEX_H

#include "core/pool/pool.h"

/*
 * Index: a hash table that finds entries of a pool.  With as many chains as
 * entries, a chain has one entry on average; the link is inside the entry.
 *
 * The caller compares: a chain may also have entries with other hashes.  Like a
 * pool, an index is in a block, and zeroed pages are empty chains.  Not
 * thread-safe; cannot fail.
 */
struct hf_index {
    uint64_t heads;  /* distance of the array of chain heads */
    uint64_t links;  /* distance of the link of entry 0 */
    uint32_t size;   /* of an entry */
    uint32_t count;  /* of chains */
    uint64_t probes; /* entries looked at, ever: for tests and metrics */
};

size_t hf_index_size(uint32_t count);

/* `count` chains over the entries of `pool`, linked `link` bytes behind an
 * entry's begin.  The heads are zeroed memory at `distance`. */
struct hf_index hf_index_of(const struct hf_pool *pool, uint32_t count,
                            size_t link, uint64_t distance);

void hf_index_add(void *block, struct hf_index *index, uint64_t hash,
                  uint32_t number);

/* Remove an entry that was added with that hash. */
void hf_index_remove(void *block, struct hf_index *index, uint64_t hash,
                     uint32_t number);

/* The head of a hash's chain: the lower half scaled to the number of chains,
 * without a division (Lemire 2019). */
static inline uint32_t *
hf_index_head(const void *block, const struct hf_index *index, uint64_t hash)
{
    uint32_t *heads = hf_pool_behind(block, index->heads);

    return &heads[(hash & UINT32_MAX) * index->count >> 32];
}

static inline uint32_t *
hf_index_link(const void *block, const struct hf_index *index, uint32_t number)
{
    return hf_pool_behind(block, index->links + (uint64_t)number * index->size);
}

/* The first entry of the hash's chain, and the next; 0: none. */
static inline uint32_t
hf_index_first(const void *block, struct hf_index *index, uint64_t hash)
{
    uint32_t number = *hf_index_head(block, index, hash);

    index->probes += number != 0;
    return number;
}

static inline uint32_t
hf_index_next(const void *block, struct hf_index *index, uint32_t number)
{
    uint32_t next = *hf_index_link(block, index, number);

    index->probes += next != 0;
    return next;
}

/* A hash for consecutive numbers that puts them into consecutive chains. */
static inline uint64_t
hf_index_row(const struct hf_index *index, uint64_t number)
{
    return number * (UINT32_MAX / index->count + 1);
}

/* Prefetch the chain of a hash that will be looked up soon. */
static inline void
hf_index_fetch(const void *block, const struct hf_index *index, uint64_t hash)
{
    __builtin_prefetch(hf_index_head(block, index, hash));
}

/* Two numbers as one hash (splitmix64's finalizer; Steele, Lea, Flood 2014). */
static inline uint64_t
hf_index_mix(uint64_t a, uint64_t b)
{
    uint64_t z = a * UINT64_C(0x9e3779b97f4a7c15) + b;

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
