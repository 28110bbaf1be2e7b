#include "net/chunks.h"

#include <stdbool.h>

#include "base/check.h"
#include "base/hex.h"

enum chunk_state {
    SIZE,      /* of a chunk, in hexadecimal digits */
    EXTENSION, /* behind it */
    SIZE_LF,
    DATA,
    DATA_CR,
    DATA_LF,
    TRAILER, /* begins a line */
    TRAILER_LINE,
    TRAILER_LF,
    END_LF,
    END,
    BAD,
};

enum { DIGITS_MAX = 8 }; /* 4 GiB, far beyond any limit */

static enum chunk_state
skip(struct hf_chunks *chunks, char c, enum chunk_state state)
{
    bool is_text = (unsigned char)c >= ' ' ? c != '\x7F' : c == '\t';

    return is_text && ++chunks->skipped <= HF_CHUNKS_SKIPPED_MAX ? state : BAD;
}

static enum chunk_state
in_size(struct hf_chunks *chunks, char c)
{
    int digit = hf_hex_digit(c);

    if (digit >= 0) {
        if (chunks->digits == DIGITS_MAX)
            return BAD;
        chunks->digits++;
        chunks->left = chunks->left << 4 | (uint32_t)digit;
        return SIZE;
    }
    if (chunks->digits == 0)
        return BAD;
    if (c == '\r')
        return SIZE_LF;
    /* No blank before the semicolon: RFC 9112 has it as *bad* whitespace. */
    return c == ';' ? skip(chunks, c, EXTENSION) : BAD;
}

static enum chunk_state
after_size(struct hf_chunks *chunks, char c)
{
    if (c != '\n')
        return BAD;
    chunks->digits = 0;
    return chunks->left > 0 ? DATA : TRAILER;
}

/* One byte outside of the data. */
static enum chunk_state
next_state(struct hf_chunks *chunks, char c)
{
    switch ((enum chunk_state)chunks->state) {
    case SIZE:
        return in_size(chunks, c);
    case EXTENSION:
        return c == '\r' ? SIZE_LF : skip(chunks, c, EXTENSION);
    case SIZE_LF:
        return after_size(chunks, c);
    case DATA_CR:
        return c == '\r' ? DATA_LF : BAD;
    case DATA_LF:
        return c == '\n' ? SIZE : BAD;
    case TRAILER:
        return c == '\r' ? END_LF : skip(chunks, c, TRAILER_LINE);
    case TRAILER_LINE:
        return c == '\r' ? TRAILER_LF : skip(chunks, c, TRAILER_LINE);
    case TRAILER_LF:
        return c == '\n' ? TRAILER : BAD;
    case END_LF:
        return c == '\n' ? END : BAD;
    case DATA:
    case END:
    case BAD:
        break;
    }
    HF_CHECK(!"bytes behind the end");
    return BAD;
}

size_t
hf_chunks_feed(struct hf_chunks *chunks, struct hf_bytes bytes,
               enum hf_chunks_told *told, struct hf_bytes *data)
{
    for (size_t i = 0; i < bytes.len; i++) {
        if (chunks->state == DATA) {
            size_t len = bytes.len - i;

            if (len > chunks->left)
                len = chunks->left;
            chunks->left -= (uint32_t)len;
            if (chunks->left == 0)
                chunks->state = DATA_CR;
            *data = (struct hf_bytes){bytes.at + i, len};
            *told = HF_CHUNKS_DATA;
            return i + len;
        }
        chunks->state = (uint8_t)next_state(chunks, bytes.at[i]);
        if (chunks->state == END || chunks->state == BAD) {
            *told = chunks->state == END ? HF_CHUNKS_END : HF_CHUNKS_BAD;
            return i + 1;
        }
    }
    *told = HF_CHUNKS_MORE;
    return bytes.len;
}
