#ifndef HF_NET_H2_MEMORY_H
#define HF_NET_H2_MEMORY_H

#include <nghttp2/nghttp2.h>

#include "base/alloc.h"
#include "base/list.h"

/*
 * The memory of one session of nghttp2's, from an hf_alloc.
 *
 * A session has nothing but memory, so it is not taken apart: all of it is
 * given back at once.  nghttp2_session_del would give some back twice in a
 * session that ever lacked memory (1.52: an item of a stream whose queue cannot
 * grow, where priorities are not those of RFC 7540).  And there is a realloc,
 * which hf_alloc has not.
 */
struct hf_h2_memory {
    const struct hf_alloc *alloc; /* borrowed */
    struct hf_list pieces;
};

/* `memory` is empty, and is not moved while the session is in use. */
nghttp2_mem hf_h2_memory_start(struct hf_h2_memory *memory,
                               const struct hf_alloc *alloc);

/* Give everything back: the session is no more. */
void hf_h2_memory_stop(struct hf_h2_memory *memory);

#endif
