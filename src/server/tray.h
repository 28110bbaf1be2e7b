#ifndef HF_SERVER_TRAY_H
#define HF_SERVER_TRAY_H

#include "base/alloc.h"
#include "core/lockspace.h"

/*
 * Tray: answers that are written, and wait for the batch that they rest on
 * [J2].
 *
 * They go out in the order in which they came in, for marks only grow.  One
 * block of memory, which grows with what waits at once, and is kept.  One
 * thread.
 */

/* An answer, built: a status and a body. */
struct hf_tray_answer {
    uint64_t mark;
    uint64_t stream;
    uint64_t fence; /* of what it grants; 0: nothing */
    int status;
    struct hf_bytes body;
};

struct hf_tray {
    const struct hf_alloc *alloc; /* borrowed */
    char *block;                  /* owned */
    size_t size;
    size_t first; /* of the oldest */
    size_t end;
};

/* A zeroed tray with `alloc` set is empty. */
void hf_tray_fini(struct hf_tray *tray);

/* Copy it in, behind all others; false: no memory, and it was not. */
bool hf_tray_put(struct hf_tray *tray, const struct hf_tray_answer *answer);

/* Take the oldest, if its mark is at most `through`; its body is good until the
 * next put.  False: there is none. */
bool hf_tray_take(struct hf_tray *tray, uint64_t through,
                  struct hf_tray_answer *answer);

#endif
