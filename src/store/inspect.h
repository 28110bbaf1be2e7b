#ifndef HF_STORE_INSPECT_H
#define HF_STORE_INSPECT_H

#include "store/methods.h"

/*
 * Inspect: what the figures mean that a store finds in its place, the same for
 * every kind.  Each function says it in the checkup it is given.  Plain calls,
 * any thread; cannot fail.
 */

/* What a purge may remove. */
struct hf_inspect_leftovers {
    uint64_t tombstones;
    uint64_t markers;
    uint64_t old;      /* of both: not after hf_inspect_old_ms */
    int64_t oldest_ms; /* its stamp, if there is one */
};

/* What has a stamp (Unix ms) that is not after this should be gone, since
 * others were left behind after it. */
int64_t hf_inspect_old_ms(void);

/* They are too many only where purges evidently do not come, or do not work. */
void hf_inspect_leftovers(const struct hf_inspect_leftovers *left,
                          struct hf_checkup *checkup);

/* This machine's clock against the newest version or floor of the place. */
void hf_inspect_clock(uint64_t newest, struct hf_checkup *checkup);

#endif
