#ifndef HF_CORE_POOL_TIMERS_H
#define HF_CORE_POOL_TIMERS_H

#include "core/pool/pool.h"

/*
 * Timers: a heap that finds the item with the earliest instant; of equal
 * instants, the one that was set first.
 *
 * A binary heap with the instants side by side.  An array has the place of each
 * item in the heap, by the item's number; two heaps may share it if no item is
 * in both.  Setting and removing are O(log n), the first is O(1).  It is in a
 * block, and zeroed pages are an empty heap.  Not thread-safe; cannot fail.
 */
struct hf_timers_node {
    int64_t at_ms;
    uint32_t item;
    uint32_t turn;
};

struct hf_timers {
    uint64_t nodes;  /* distance of the first node, in the block */
    uint64_t places; /* distance of the place of item 0; 0: not shared */
    uint32_t count;
    uint32_t max;
    uint32_t turns;
    uint64_t moves; /* of nodes, ever: for tests and metrics */
};

size_t hf_timers_size(uint32_t max);

/* At most `max` items, over zeroed memory at these distances. */
void hf_timers_init(struct hf_timers *heap, uint32_t max, uint64_t nodes,
                    uint64_t places);

/* Set its instant; adds the item if it is not in the heap. */
void hf_timers_set(void *block, struct hf_timers *heap, uint32_t item,
                   int64_t at_ms);

/* Remove the item if it is in the heap. */
void hf_timers_remove(void *block, struct hf_timers *heap, uint32_t item);

/* Is the item in the heap? */
bool hf_timers_has(const void *block, const struct hf_timers *heap,
                   uint32_t item);

/* The first item and its instant; 0: the heap is empty. */
uint32_t hf_timers_first(const void *block, const struct hf_timers *heap,
                         int64_t *at_ms);

/* Check the heap's order.  O(n). */
bool hf_timers_sound(const void *block, const struct hf_timers *heap);

#endif
