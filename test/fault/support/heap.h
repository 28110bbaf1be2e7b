#ifndef TEST_FAULT_HEAP_H
#define TEST_FAULT_HEAP_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <holdfast/holdfast.h>

/* A heap that fails, and counts; for all threads. */
struct heap {
    size_t least;         /* bytes; what is smaller never fails */
    atomic_int countdown; /* 0: never fails; 1: the next request is the first */
    atomic_int failures;  /* how many in a row are still to fail */
    atomic_bool fired;
    atomic_long outstanding;
};

#define HEAP_FOR_EVER INT_MAX

/* Which asks that heap; it is borrowed. */
struct hf_alloc heap_alloc(struct heap *heap);

/* From now on the `countdown`-th request fails, and so many in all. */
void heap_arm(struct heap *heap, int countdown, int failures);
void heap_disarm(struct heap *heap);

#endif
