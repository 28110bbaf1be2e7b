#ifndef HF_CORE_POOL_STRINGS_H
#define HF_CORE_POOL_STRINGS_H

#include "core/pool/pool.h"

/*
 * Strings: byte strings of any length, in pieces of one size, so that long and
 * short ones leave no unusable gaps.
 *
 * A zeroed reference is an empty text.  Not thread-safe.
 */
#define HF_STRINGS_PIECE 32

struct hf_strings_piece {
    uint32_t next; /* next piece, or next free one */
    char bytes[HF_STRINGS_PIECE];
};

struct hf_string {
    uint32_t first;
    uint32_t len;
};

/* The number of pieces for `len` bytes. */
static inline uint32_t
hf_strings_pieces(size_t len)
{
    return (uint32_t)((len + HF_STRINGS_PIECE - 1) / HF_STRINGS_PIECE);
}

/* Keep a copy; false: no room, and nothing was kept. */
bool hf_strings_put(void *block, struct hf_pool *strings, const char *bytes,
                    size_t len, struct hf_string *ref);

/* Forget it. */
void hf_strings_drop(void *block, struct hf_pool *strings,
                     struct hf_string ref);

bool hf_strings_equal(const void *block, const struct hf_pool *strings,
                      struct hf_string ref, const char *bytes, size_t len);

/* Copy what fits into `to` and return its whole length. */
size_t hf_strings_copy(const void *block, const struct hf_pool *strings,
                       struct hf_string ref, char *to, size_t size);

#endif
