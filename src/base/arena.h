#ifndef HF_BASE_ARENA_H
#define HF_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/bytes.h"

/*
 * Arena: memory for one round of work, given back all at once.
 *
 * Invariant: every block handed out since the last reset stays where it is
 * until the next.  A zeroed arena with `alloc` set is empty.  One thread at a
 * time.
 */
struct hf_arena {
    const struct hf_alloc *alloc;  /* borrowed */
    struct hf_arena_chunk *chunks; /* owned; the newest first */
};

/* `size` bytes, aligned for any object, not zeroed; NULL when out of memory. */
void *hf_arena_take(struct hf_arena *arena, size_t size);

/* A copy of `text`, or NULL. */
char *hf_arena_copy(struct hf_arena *arena, const char *text);

/* A copy of any bytes with a NUL behind it, in *kept; false, and that is
 * untouched: no memory. */
bool hf_arena_keep(struct hf_arena *arena, const void *at, size_t len,
                   struct hf_bytes *kept);

/* Give everything back but one chunk, kept for the next round. */
void hf_arena_reset(struct hf_arena *arena);

/* Give everything back. */
void hf_arena_fini(struct hf_arena *arena);

#endif
