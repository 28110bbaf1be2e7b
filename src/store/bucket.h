#ifndef HF_STORE_BUCKET_H
#define HF_STORE_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/*
 * Bucket: permission for work that may be done at once now and then, but not
 * often for long.  It holds ten permits and gains ten a second, so at most
 * twenty are taken in any second.  Useful work costs a tenth of a permit.
 *
 * Zero is a full bucket.  Any thread; no mutex, so a fork does no harm: the
 * child goes on with its copy.
 */
struct hf_bucket {
    _Atomic int64_t full_ms; /* the instant at which it will be full again */
};

/* Take a permit.  False: it is empty, and *next is when to ask again. */
bool hf_bucket_take(struct hf_bucket *bucket, struct hf_instant now,
                    struct hf_instant *next);

/* Give back nine tenths of the permit just taken: the work was useful. */
void hf_bucket_give_back(struct hf_bucket *bucket);

#endif
