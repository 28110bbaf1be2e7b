#ifndef HF_BASE_HEAP_H
#define HF_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/container.h"

/*
 * A heap of deadlines: which of many comes next.
 *
 * A binary heap of nodes that stand inside what they are about; setting and
 * removing one is O(log n), looking at the first O(1).  Room is made before a
 * node is used, so that setting it cannot fail.  A zeroed heap with `alloc` set
 * is empty, a zeroed node is in none.  One thread at a time.
 */
struct hf_heap_node {
    struct hf_instant at;
    uint32_t place; /* in the heap, from 1; 0: not in it */
    int kind;       /* the owner's, to tell what it stands in */
};

struct hf_heap {
    const struct hf_alloc *alloc; /* borrowed */
    struct hf_heap_node **nodes;  /* owned; the nodes are borrowed */
    size_t count;
    size_t room;
};

/* Make room for `room` nodes in all; false: no memory. */
bool hf_heap_reserve(struct hf_heap *heap, size_t room);

/* Put it at `at`, wherever it was; HF_NEVER takes it out.  There is room. */
void hf_heap_set(struct hf_heap *heap, struct hf_heap_node *node,
                 struct hf_instant at);

/* The earliest, or NULL. */
struct hf_heap_node *hf_heap_first(const struct hf_heap *heap);

/* Give the memory back.  Cannot fail. */
void hf_heap_fini(struct hf_heap *heap);

#endif
