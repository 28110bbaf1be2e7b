#ifndef HF_NET_WRITE_BUFFER_H
#define HF_NET_WRITE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/bytes.h"

/*
 * Write buffer: the bytes that one connection is to write next, in one piece.
 *
 * It has a block only while there are any, so that a silent connection costs
 * none.  Spare blocks are kept for all connections that share them.  A block is
 * filled to its end, and is given back when all of it is written.  One thread
 * at a time.
 */
enum {
    /* All that goes out in one write: more than the answers of a turn to one
     * peer, and the most that a peer that never reads can hold. */
    HF_WRITE_BUFFER_SIZE = 16 * 1024,
};

struct hf_write_buffer_block;

struct hf_write_buffers {
    const struct hf_alloc *alloc; /* borrowed */
    struct hf_write_buffer_block *first;
    unsigned count;
};

struct hf_write_buffer {
    struct hf_write_buffers *spares; /* borrowed */
    struct hf_write_buffer_block
        *block;       /* owned; NULL: nothing is to be written */
    uint64_t made;    /* bytes that were ever put */
    uint64_t written; /* and that were ever written */
};

/* How many bytes can be put.  False: no memory. */
bool hf_write_buffer_room(struct hf_write_buffer *out, size_t *room);

/* There is room. */
void hf_write_buffer_put(struct hf_write_buffer *out, const void *bytes,
                         size_t len);

/* The bytes that are to be written; good until the next call. */
struct hf_bytes hf_write_buffer_bytes(const struct hf_write_buffer *out);

/* So many of them were written.  True: that was the end of a full block.  A
 * peer that reads a byte now and then does not come so far. */
bool hf_write_buffer_wrote(struct hf_write_buffer *out, size_t len);

void hf_write_buffer_fini(struct hf_write_buffer *out);
void hf_write_buffers_fini(struct hf_write_buffers *spares);

#endif
