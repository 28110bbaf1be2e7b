#ifndef HF_STORE_BUCKET_H
#define HF_STORE_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/*
 * Bucket: leave for something that may be done at once now and then, and not
 * often for long.  It holds ten and gets ten a second, so that at most twenty
 * are taken in any second.  What was of use costs but a tenth.
 *
 * Zero is a full bucket.  Any thread; no mutex, so that a fork does it no harm:
 * the child goes on with what was in it.
 */
struct hf_bucket {
    _Atomic int64_t full_ms; /* the instant at which it will be full again */
};

/* Take one.  False: it is empty, and *next is when to ask again. */
bool hf_bucket_take(struct hf_bucket *bucket, struct hf_instant now,
                    struct hf_instant *next);

/* Nine tenths of the one just taken: it was of use. */
void hf_bucket_give_back(struct hf_bucket *bucket);

#endif
