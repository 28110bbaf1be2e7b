#ifndef HF_CORE_LOCKSPACE_EARLIEST_H
#define HF_CORE_LOCKSPACE_EARLIEST_H

#include "core/lockspace/slots.h"

/*
 * Earliest: which of many comes first, by an instant; of those that have the
 * same, which was set first.
 *
 * A binary heap that keeps its instants beside one another.  Where an item
 * stands in it is kept in an array by the item's number, which two heaps may
 * share if no item is in both.  Setting and removing are O(log n), looking at
 * the first O(1).  It stands in a block; zeroed pages are an empty
 * one.  Not thread-safe; cannot fail.
 */
struct hf_earliest_node {
    int64_t at_ms;
    uint32_t item;
    uint32_t turn;
};

struct hf_earliest {
    uint64_t nodes;  /* distance of the first node, in the block */
    uint64_t places; /* distance of the place of item 0; 0: not shared */
    uint32_t count;
    uint32_t max;
    uint32_t turns;
    uint64_t moves; /* of nodes, ever: for tests and metrics */
};

size_t hf_earliest_size(uint32_t max);

/* At most `max` items, over zeroed memory at these distances. */
void hf_earliest_init(struct hf_earliest *heap, uint32_t max, uint64_t nodes,
                      uint64_t places);

/* Set its instant; adds the item if it is not in the heap. */
void hf_earliest_set(void *block, struct hf_earliest *heap, uint32_t item,
                     int64_t at_ms);

/* Remove the item if it is in the heap. */
void hf_earliest_remove(void *block, struct hf_earliest *heap, uint32_t item);

/* Is the item in the heap? */
bool hf_earliest_has(const void *block, const struct hf_earliest *heap,
                     uint32_t item);

/* The first item and its instant; 0: the heap is empty. */
uint32_t hf_earliest_first(const void *block, const struct hf_earliest *heap,
                           int64_t *at_ms);

/* Check the heap's order.  O(n). */
bool hf_earliest_sound(const void *block, const struct hf_earliest *heap);

#endif
