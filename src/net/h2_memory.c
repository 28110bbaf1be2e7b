#include "net/h2_memory.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* In front of each piece; as wide as any object must be aligned. */
union front {
    struct {
        struct hf_link link;
        size_t size;
    } piece;
    max_align_t align;
};

static union front *
front_of(struct hf_link *link)
{
    return HF_CONTAINER(link, union front, piece.link);
}

/* Note it, and what is behind its front; NULL stays NULL. */
static void *
add(struct hf_h2_memory *memory, union front *front, size_t size)
{
    if (front == NULL)
        return NULL;
    front->piece.size = size;
    hf_list_add(&memory->pieces, &front->piece.link);
    return front + 1;
}

static void *
take(size_t size, void *word)
{
    struct hf_h2_memory *memory = word;

    if (size > SIZE_MAX - sizeof(union front))
        return NULL;
    return add(memory, hf_buffer(memory->alloc, sizeof(union front) + size),
               size);
}

static void *
take_zeroed(size_t count, size_t size, void *word)
{
    struct hf_h2_memory *memory = word;

    if (size != 0 && count > (SIZE_MAX - sizeof(union front)) / size)
        return NULL;
    size *= count;
    return add(memory, hf_calloc(memory->alloc, 1, sizeof(union front) + size),
               size);
}

static void
give(void *at, void *word)
{
    struct hf_h2_memory *memory = word;
    union front *front = at;

    if (at == NULL)
        return;
    front--;
    hf_list_remove(&memory->pieces, &front->piece.link);
    hf_free(memory->alloc, front);
}

static void *
change(void *at, size_t size, void *word)
{
    union front *front = at;
    void *changed = take(size, word);

    if (changed == NULL || at == NULL)
        return changed;
    front--;
    memcpy(changed, at, front->piece.size < size ? front->piece.size : size);
    give(at, word);
    return changed;
}

nghttp2_mem
hf_h2_memory_start(struct hf_h2_memory *memory, const struct hf_alloc *alloc)
{
    memory->alloc = alloc;
    return (nghttp2_mem){
        .mem_user_data = memory,
        .malloc = take,
        .free = give,
        .calloc = take_zeroed,
        .realloc = change,
    };
}

void
hf_h2_memory_stop(struct hf_h2_memory *memory)
{
    struct hf_link *link;

    while ((link = memory->pieces.first) != NULL) {
        hf_list_remove(&memory->pieces, link);
        hf_free(memory->alloc, front_of(link));
    }
}
