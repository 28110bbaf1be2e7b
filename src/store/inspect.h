#ifndef HF_STORE_INSPECT_H
#define HF_STORE_INSPECT_H

#include "store/methods.h"

/* Inspect: what the figures of a place mean, for all kinds of store.  Each
 * function fills the checkup it is given.  Plain calls, any thread; cannot
 * fail. */

/* Rows that a purge may remove. */
struct hf_inspect_leftovers {
    uint64_t tombstones;
    uint64_t markers;
    uint64_t old;      /* ... with a stamp up to hf_inspect_old_ms */
    int64_t oldest_ms; /* stamp of the oldest, if there is one */
};

/* Rows with a stamp (Unix ms) up to this should have been purged by now: later
 * ones were left behind after them. */
int64_t hf_inspect_old_ms(void);

/* They are too many only if purges do not come, or do not work. */
void hf_inspect_leftovers(const struct hf_inspect_leftovers *left,
                          struct hf_checkup *checkup);

/* This machine's clock compared with the newest version or floor of the place.
 */
void hf_inspect_clock(uint64_t newest, struct hf_checkup *checkup);

#endif
