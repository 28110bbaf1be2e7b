#include "base/heap.h"

#include <string.h>

#include "base/check.h"

bool
hf_heap_reserve(struct hf_heap *heap, size_t room)
{
    size_t grown = heap->room == 0 ? 16 : heap->room;
    struct hf_heap_node **nodes;

    if (room <= heap->room)
        return true;
    if (room > UINT32_MAX)
        return false;
    while (grown < room)
        grown *= 2;
    nodes = hf_calloc(heap->alloc, grown, sizeof(struct hf_heap_node *));
    if (nodes == NULL)
        return false;
    if (heap->count > 0)
        memcpy(nodes, heap->nodes, heap->count * sizeof(struct hf_heap_node *));
    hf_free(heap->alloc, heap->nodes);
    heap->nodes = nodes;
    heap->room = grown;
    return true;
}

static void
put(struct hf_heap *heap, struct hf_heap_node *node, size_t place)
{
    heap->nodes[place - 1] = node;
    node->place = (uint32_t)place;
}

static bool
is_before(const struct hf_heap *heap, const struct hf_heap_node *node,
          size_t place)
{
    return node->at.ms < heap->nodes[place - 1]->at.ms;
}

/* Its parents come down until it is not before the next of them. */
static void
rise(struct hf_heap *heap, struct hf_heap_node *node, size_t place)
{
    while (place > 1 && is_before(heap, node, place / 2)) {
        put(heap, heap->nodes[place / 2 - 1], place);
        place /= 2;
    }
    put(heap, node, place);
}

/* Its earlier children come up until none is before it. */
static void
sink(struct hf_heap *heap, struct hf_heap_node *node, size_t place)
{
    for (;;) {
        size_t child = 2 * place;

        if (child < heap->count && is_before(heap, heap->nodes[child], child))
            child++;
        if (child > heap->count || heap->nodes[child - 1]->at.ms >= node->at.ms)
            break;
        put(heap, heap->nodes[child - 1], place);
        place = child;
    }
    put(heap, node, place);
}

static void
take_out(struct hf_heap *heap, struct hf_heap_node *node)
{
    size_t place = node->place;
    struct hf_heap_node *last = heap->nodes[--heap->count];

    node->place = 0;
    if (last == node)
        return;
    if (place > 1 && is_before(heap, last, place / 2))
        rise(heap, last, place);
    else
        sink(heap, last, place);
}

void
hf_heap_set(struct hf_heap *heap, struct hf_heap_node *node,
            struct hf_instant at)
{
    bool earlier = at.ms < node->at.ms;

    if (node->place != 0 && node->at.ms == at.ms)
        return;
    node->at = at;
    if (at.ms == HF_NEVER.ms) {
        if (node->place != 0)
            take_out(heap, node);
        return;
    }
    if (node->place == 0) {
        HF_CHECK(heap->count < heap->room);
        rise(heap, node, ++heap->count);
    } else if (earlier) {
        rise(heap, node, node->place);
    } else {
        sink(heap, node, node->place);
    }
}

struct hf_heap_node *
hf_heap_first(const struct hf_heap *heap)
{
    return heap->count == 0 ? NULL : heap->nodes[0];
}

void
hf_heap_fini(struct hf_heap *heap)
{
    hf_free(heap->alloc, heap->nodes);
    *heap = (struct hf_heap){.alloc = heap->alloc};
}
