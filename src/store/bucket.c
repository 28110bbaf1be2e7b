#include "store/bucket.h"

#include <stdatomic.h>

enum {
    HOLDS = 10,
    EACH_MS = 100, /* until there is one more */
    USEFUL_MS = 10,
};

bool
hf_bucket_take(struct hf_bucket *bucket, struct hf_instant now,
               struct hf_instant *next)
{
    int64_t full_ms = atomic_load(&bucket->full_ms);
    int64_t since_ms;

    do {
        since_ms = full_ms > now.ms ? full_ms : now.ms;
        if (since_ms - now.ms > (HOLDS - 1) * EACH_MS) {
            next->ms = since_ms - (HOLDS - 1) * EACH_MS;
            return false;
        }
    } while (!atomic_compare_exchange_weak(&bucket->full_ms, &full_ms,
                                           since_ms + EACH_MS));
    return true;
}

void
hf_bucket_give_back(struct hf_bucket *bucket)
{
    atomic_fetch_sub(&bucket->full_ms, EACH_MS - USEFUL_MS);
}
