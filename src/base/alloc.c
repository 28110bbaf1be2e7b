#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static void *
libc_allocate(void *ctx, size_t count, size_t size)
{
    (void)ctx;
    return calloc(count, size);
}

static void
libc_release(void *ctx, void *memory)
{
    (void)ctx;
    free(memory);
}

const struct hf_alloc hf_alloc_libc = {libc_allocate, libc_release, NULL};

void *
hf_calloc(const struct hf_alloc *alloc, size_t count, size_t size)
{
    if (size != 0 && count > (size_t)-1 / size)
        return NULL;
    return alloc->allocate(alloc->ctx, count, size);
}

void *
hf_buffer(const struct hf_alloc *alloc, size_t size)
{
    if (alloc->allocate == libc_allocate)
        return malloc(size);
    return alloc->allocate(alloc->ctx, 1, size);
}

void
hf_free(const struct hf_alloc *alloc, void *memory)
{
    if (memory != NULL)
        alloc->release(alloc->ctx, memory);
}

char *
hf_copy(const struct hf_alloc *alloc, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = hf_calloc(alloc, size, 1);

    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}
