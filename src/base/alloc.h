#ifndef HF_BASE_ALLOC_H
#define HF_BASE_ALLOC_H

#include <stddef.h>

#include <holdfast/holdfast.h>

/*
 * The only way to the heap.  Memory comes zeroed, but for hf_buffer, from the
 * struct hf_alloc that the owner was opened with; a test's hf_alloc fails the
 * n-th request.
 */

/* The C library's heap. */
extern const struct hf_alloc hf_alloc_libc;

/* `count` zeroed objects of `size` bytes, or NULL (also when the product
 * overflows).  Give back to hf_free with the same alloc. */
void *hf_calloc(const struct hf_alloc *alloc, size_t count, size_t size);

#define hf_new(alloc, type) ((type *)hf_calloc((alloc), 1, sizeof(type)))

/* `size` bytes of any value, or NULL: a buffer that another function fills.
 * Where the heap is the C library's, bytes that are not written to take no
 * memory. */
void *hf_buffer(const struct hf_alloc *alloc, size_t size);

/* NULL does nothing.  Cannot fail. */
void hf_free(const struct hf_alloc *alloc, void *memory);

/* A copy of `text` on the heap, or NULL. */
char *hf_copy(const struct hf_alloc *alloc, const char *text);

#endif
