#include "heap.h"

#include <stdlib.h>

static bool
falls_due(struct heap *heap)
{
    int left = atomic_load(&heap->countdown);

    while (left > 1 &&
           !atomic_compare_exchange_weak(&heap->countdown, &left, left - 1))
        ;
    return left == 1 && atomic_fetch_sub(&heap->failures, 1) > 0;
}

static void *
allocate(void *ctx, size_t count, size_t size)
{
    struct heap *heap = ctx;
    void *memory;

    if (count * size >= heap->least && falls_due(heap)) {
        atomic_store(&heap->fired, true);
        return NULL;
    }
    memory = calloc(count, size);
    if (memory != NULL)
        atomic_fetch_add(&heap->outstanding, 1);
    return memory;
}

static void
release(void *ctx, void *memory)
{
    struct heap *heap = ctx;

    if (memory != NULL)
        atomic_fetch_sub(&heap->outstanding, 1);
    free(memory);
}

struct hf_alloc
heap_alloc(struct heap *heap)
{
    return (struct hf_alloc){allocate, release, heap};
}

void
heap_arm(struct heap *heap, int countdown, int failures)
{
    atomic_store(&heap->failures, failures);
    atomic_store(&heap->countdown, countdown);
}

void
heap_disarm(struct heap *heap)
{
    atomic_store(&heap->failures, 0);
    atomic_store(&heap->countdown, 0);
}
