#include "core/lockspace/texts.h"

#include <string.h>

static struct hf_texts_piece *
piece_at(const void *block, const struct hf_slots *texts, uint32_t number)
{
    return hf_slots_at(block, texts, number);
}

static size_t
at_most_a_piece(size_t len)
{
    return len < HF_TEXTS_PIECE ? len : HF_TEXTS_PIECE;
}

bool
hf_texts_put(void *block, struct hf_slots *texts, const char *bytes, size_t len,
             struct hf_texts_ref *ref)
{
    uint32_t after = 0;

    if (len > UINT32_MAX / 2 || !hf_slots_room(texts, hf_texts_pieces(len)))
        return false;
    /* From the end, so that each piece can name the next. */
    for (size_t end = len; end > 0;) {
        size_t begin = (end - 1) / HF_TEXTS_PIECE * HF_TEXTS_PIECE;
        uint32_t number = hf_slots_take(block, texts);
        struct hf_texts_piece *piece = piece_at(block, texts, number);

        piece->next = after;
        memcpy(piece->bytes, bytes + begin, end - begin);
        after = number;
        end = begin;
    }
    *ref = (struct hf_texts_ref){after, (uint32_t)len};
    return true;
}

void
hf_texts_drop(void *block, struct hf_slots *texts, struct hf_texts_ref ref)
{
    uint32_t number = ref.first;

    /* The last piece has no next, and most texts have one piece. */
    for (uint32_t left = hf_texts_pieces(ref.len); left > 1; left--) {
        uint32_t next = piece_at(block, texts, number)->next;

        hf_slots_give(block, texts, number);
        number = next;
    }
    if (number != 0)
        hf_slots_give(block, texts, number);
}

bool
hf_texts_equal(const void *block, const struct hf_slots *texts,
               struct hf_texts_ref ref, const char *bytes, size_t len)
{
    uint32_t number = ref.first;

    if (ref.len != len)
        return false;
    while (len > 0) {
        const struct hf_texts_piece *piece = piece_at(block, texts, number);
        size_t part = at_most_a_piece(len);

        if (memcmp(piece->bytes, bytes, part) != 0)
            return false;
        bytes += part;
        len -= part;
        number = piece->next;
    }
    return true;
}

size_t
hf_texts_copy(const void *block, const struct hf_slots *texts,
              struct hf_texts_ref ref, char *to, size_t size)
{
    size_t left = ref.len < size ? ref.len : size;
    uint32_t number = ref.first;

    while (left > 0) {
        const struct hf_texts_piece *piece = piece_at(block, texts, number);
        size_t part = at_most_a_piece(left);

        memcpy(to, piece->bytes, part);
        to += part;
        left -= part;
        number = piece->next;
    }
    return ref.len;
}
