#ifndef HF_NET_FIFO_H
#define HF_NET_FIFO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/bytes.h"

/*
 * Fifo: bytes that are put at the end and dropped from the beginning, in one
 * piece.
 *
 * Zero is an empty one, without memory.  One thread at a time.
 */
struct hf_fifo {
    char *bytes;  /* owned; NULL: none were put yet */
    size_t first; /* of those that are not dropped */
    size_t end;
    size_t room;
};

static inline struct hf_bytes
hf_fifo_bytes(const struct hf_fifo *fifo)
{
    if (fifo->bytes == NULL)
        return (struct hf_bytes){NULL, 0};
    return (struct hf_bytes){fifo->bytes + fifo->first,
                             fifo->end - fifo->first};
}

/* Room for `len` more bytes, which hf_fifo_put then takes; false: no memory. */
bool hf_fifo_reserve(struct hf_fifo *fifo, const struct hf_alloc *alloc,
                     size_t len);
void hf_fifo_put(struct hf_fifo *fifo, struct hf_bytes bytes);

/* There are so many. */
void hf_fifo_drop(struct hf_fifo *fifo, size_t len);

/* Give back the memory of which little is used; all of it. */
void hf_fifo_trim(struct hf_fifo *fifo, const struct hf_alloc *alloc);
void hf_fifo_fini(struct hf_fifo *fifo, const struct hf_alloc *alloc);

#endif
