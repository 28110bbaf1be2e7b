#include "base/arena.h"

#include <stddef.h>
#include <string.h>

#define CHUNK_SIZE ((size_t)64 * 1024)

struct hf_arena_chunk {
    struct hf_arena_chunk *next;
    size_t size;
    size_t used;
    max_align_t memory[];
};

static size_t
aligned(size_t size)
{
    size_t align = sizeof(max_align_t);

    return (size + align - 1) / align * align;
}

static struct hf_arena_chunk *
add_chunk(struct hf_arena *arena, size_t size)
{
    struct hf_arena_chunk *chunk;

    if (size < CHUNK_SIZE)
        size = CHUNK_SIZE;
    chunk = hf_calloc(arena->alloc, 1, sizeof(*chunk) + size);
    if (chunk == NULL)
        return NULL;
    chunk->size = size;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    return chunk;
}

void *
hf_arena_take(struct hf_arena *arena, size_t size)
{
    struct hf_arena_chunk *chunk = arena->chunks;
    char *memory;

    if (size > (size_t)-1 / 2)
        return NULL;
    size = aligned(size);
    if (chunk == NULL || chunk->size - chunk->used < size)
        chunk = add_chunk(arena, size);
    if (chunk == NULL)
        return NULL;

    memory = (char *)chunk->memory + chunk->used;
    chunk->used += size;
    return memory;
}

char *
hf_arena_copy(struct hf_arena *arena, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = hf_arena_take(arena, size);

    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

bool
hf_arena_keep(struct hf_arena *arena, const void *at, size_t len,
              struct hf_bytes *kept)
{
    char *copy = hf_arena_take(arena, len + 1);

    if (copy == NULL)
        return false;
    if (len > 0)
        memcpy(copy, at, len);
    copy[len] = '\0';
    *kept = (struct hf_bytes){copy, len};
    return true;
}

void
hf_arena_reset(struct hf_arena *arena)
{
    struct hf_arena_chunk *kept = arena->chunks;

    if (kept == NULL)
        return;
    arena->chunks = kept->next;
    hf_arena_fini(arena);
    kept->next = NULL;
    kept->used = 0;
    arena->chunks = kept;
}

void
hf_arena_fini(struct hf_arena *arena)
{
    while (arena->chunks != NULL) {
        struct hf_arena_chunk *chunk = arena->chunks;

        arena->chunks = chunk->next;
        hf_free(arena->alloc, chunk);
    }
}
