#ifndef HF_CORE_LOCKSPACE_TEXTS_H
#define HF_CORE_LOCKSPACE_TEXTS_H

#include "core/lockspace/slots.h"

/*
 * Texts: byte strings of any length, in pieces of one size, so that long and
 * short ones leave no unusable gaps.
 *
 * A zeroed reference is an empty text.  Not thread-safe.
 */
#define HF_TEXTS_PIECE 32

struct hf_texts_piece {
    uint32_t next; /* next piece, or next free one */
    char bytes[HF_TEXTS_PIECE];
};

struct hf_texts_ref {
    uint32_t first;
    uint32_t len;
};

/* The number of pieces for `len` bytes. */
static inline uint32_t
hf_texts_pieces(size_t len)
{
    return (uint32_t)((len + HF_TEXTS_PIECE - 1) / HF_TEXTS_PIECE);
}

/* Keep a copy; false: no room, and nothing was kept. */
bool hf_texts_put(void *block, struct hf_slots *texts, const char *bytes,
                  size_t len, struct hf_texts_ref *ref);

/* Forget it. */
void hf_texts_drop(void *block, struct hf_slots *texts,
                   struct hf_texts_ref ref);

bool hf_texts_equal(const void *block, const struct hf_slots *texts,
                    struct hf_texts_ref ref, const char *bytes, size_t len);

/* Copy what fits into `to` and return its whole length. */
size_t hf_texts_copy(const void *block, const struct hf_slots *texts,
                     struct hf_texts_ref ref, char *to, size_t size);

#endif
