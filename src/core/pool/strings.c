#include "core/pool/strings.h"

#include <string.h>

static struct hf_strings_piece *
piece_at(const void *block, const struct hf_pool *strings, uint32_t number)
{
    return hf_pool_at(block, strings, number);
}

static size_t
at_most_a_piece(size_t len)
{
    return len < HF_STRINGS_PIECE ? len : HF_STRINGS_PIECE;
}

bool
hf_strings_put(void *block, struct hf_pool *strings, const char *bytes,
               size_t len, struct hf_string *ref)
{
    uint32_t after = 0;

    if (len > UINT32_MAX / 2 || !hf_pool_room(strings, hf_strings_pieces(len)))
        return false;
    /* From the end, so that each piece can name the next. */
    for (size_t end = len; end > 0;) {
        size_t begin = (end - 1) / HF_STRINGS_PIECE * HF_STRINGS_PIECE;
        uint32_t number = hf_pool_take(block, strings);
        struct hf_strings_piece *piece = piece_at(block, strings, number);

        piece->next = after;
        memcpy(piece->bytes, bytes + begin, end - begin);
        after = number;
        end = begin;
    }
    *ref = (struct hf_string){after, (uint32_t)len};
    return true;
}

void
hf_strings_drop(void *block, struct hf_pool *strings, struct hf_string ref)
{
    uint32_t number = ref.first;

    /* The last piece has no next, and most texts have one piece. */
    for (uint32_t left = hf_strings_pieces(ref.len); left > 1; left--) {
        uint32_t next = piece_at(block, strings, number)->next;

        hf_pool_give(block, strings, number);
        number = next;
    }
    if (number != 0)
        hf_pool_give(block, strings, number);
}

bool
hf_strings_equal(const void *block, const struct hf_pool *strings,
                 struct hf_string ref, const char *bytes, size_t len)
{
    uint32_t number = ref.first;

    if (ref.len != len)
        return false;
    while (len > 0) {
        const struct hf_strings_piece *piece = piece_at(block, strings, number);
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
hf_strings_copy(const void *block, const struct hf_pool *strings,
                struct hf_string ref, char *to, size_t size)
{
    size_t left = ref.len < size ? ref.len : size;
    uint32_t number = ref.first;

    while (left > 0) {
        const struct hf_strings_piece *piece = piece_at(block, strings, number);
        size_t part = at_most_a_piece(left);

        memcpy(to, piece->bytes, part);
        to += part;
        left -= part;
        number = piece->next;
    }
    return ref.len;
}
