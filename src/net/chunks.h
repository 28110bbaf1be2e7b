#ifndef HF_NET_CHUNKS_H
#define HF_NET_CHUNKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/*
 * Chunks: a body of HTTP/1.1 whose length is not known when it begins (RFC
 * 9112, 7.1), read as strictly as it is written there.
 *
 * Extensions and trailers are skipped, and have a limit.  Zero is the
 * beginning.  Plain; one thread at a time.
 */
struct hf_chunks {
    uint8_t state;
    uint8_t digits;
    uint32_t left;    /* of a chunk */
    uint32_t skipped; /* bytes of extensions and trailers */
};

enum hf_chunks_told {
    HF_CHUNKS_MORE, /* all bytes were taken */
    HF_CHUNKS_DATA, /* there is a piece of the body */
    HF_CHUNKS_END,  /* the body has ended */
    HF_CHUNKS_BAD,  /* it is malformed */
};

/* Bytes of all extensions and trailers of a body.  No client needs any, and
 * each chunk of one byte may have one (CVE-2023-39326). */
enum { HF_CHUNKS_SKIPPED_MAX = 4096 };

/* Take bytes up to the first that is to be told, and return how many; *data is
 * a part of them. */
size_t hf_chunks_feed(struct hf_chunks *chunks, struct hf_bytes bytes,
                      enum hf_chunks_told *told, struct hf_bytes *data);

#endif
