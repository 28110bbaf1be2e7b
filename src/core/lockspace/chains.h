#ifndef HF_CORE_LOCKSPACE_CHAINS_H
#define HF_CORE_LOCKSPACE_CHAINS_H

#include "core/lockspace/slots.h"

/*
 * Chains: finds entries of a pool by a hash.  With as many chains as entries,
 * one holds a single entry on average; the link stands inside the entry.
 *
 * The caller compares: an entry in the chain may be another's.  Like the pool,
 * they stand in a block, and zeroed pages are empty chains.  Not
 * thread-safe; cannot fail.
 */
struct hf_chains {
    uint64_t heads;  /* distance of the first of each chain, in the block */
    uint64_t links;  /* the same of the link of slot 0 */
    uint32_t size;   /* of an entry */
    uint32_t count;  /* of chains */
    uint64_t probes; /* entries looked at, ever: for tests and metrics */
};

size_t hf_chains_size(uint32_t count);

/* `count` chains for entries of `slots` whose link stands `link` bytes behind
 * their begin; the heads are the zeroed memory that stands so far behind the
 * block's begin. */
struct hf_chains hf_chains_of(const struct hf_slots *slots, uint32_t count,
                              size_t link, uint64_t distance);

void hf_chains_add(void *block, struct hf_chains *chains, uint64_t hash,
                   uint32_t number);

/* Take it out; it was added with that hash. */
void hf_chains_remove(void *block, struct hf_chains *chains, uint64_t hash,
                      uint32_t number);

/* The first entry that may have that hash, and the one after; 0: none. */
uint32_t hf_chains_first(void *block, struct hf_chains *chains, uint64_t hash);
uint32_t hf_chains_next(void *block, struct hf_chains *chains, uint32_t number);

/* Two numbers as one hash (splitmix64's finalizer; Steele, Lea, Flood 2014). */
static inline uint64_t
hf_chains_mix(uint64_t a, uint64_t b)
{
    uint64_t z = a * UINT64_C(0x9e3779b97f4a7c15) + b;

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
