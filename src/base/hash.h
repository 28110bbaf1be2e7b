#ifndef HF_BASE_HASH_H
#define HF_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"

/*
 * A hash table of nodes that stand inside what they name, chained.
 *
 * The caller compares: a node with the same hash may be another's.  A zeroed
 * table with `alloc` set is empty.  One thread at a time.
 */
struct hf_hash_node {
    struct hf_hash_node *next;
    uint64_t hash;
};

struct hf_hash {
    const struct hf_alloc *alloc; /* borrowed */
    struct hf_hash_node **chains; /* owned; the nodes are borrowed */
    size_t chains_count;          /* a power of two, or 0 */
    size_t count;
};

/* The hash of some bytes after others whose hash is `seed` (HF_HASH_SEED for
 * none): FNV-1a, 64 bits (Fowler, Noll, Vo). */
#define HF_HASH_SEED UINT64_C(0xcbf29ce484222325)
uint64_t hf_hash_bytes(uint64_t seed, const void *bytes, size_t len);

/* Add a node that is in no table; false: no memory, and it was not added. */
bool hf_hash_add(struct hf_hash *table, struct hf_hash_node *node,
                 uint64_t hash);

/* Take it out; it is in this table. */
void hf_hash_remove(struct hf_hash *table, struct hf_hash_node *node);

/* The first node with that hash, and the one after; NULL: there is none. */
struct hf_hash_node *hf_hash_find(const struct hf_hash *table, uint64_t hash);
struct hf_hash_node *hf_hash_next(const struct hf_hash_node *node);

/* Give the memory back.  Cannot fail. */
void hf_hash_fini(struct hf_hash *table);

#endif
