#include "times.h"

void
times_add(struct times *times, int64_t us)
{
    times->count++;
    times->buckets[us < 0 ? 0 : us < TIMES_MAX_US ? us : TIMES_MAX_US]++;
}

int64_t
times_at(const struct times *times, double part)
{
    uint64_t wanted = (uint64_t)((double)times->count * part);
    uint64_t seen = 0;

    for (int64_t us = 0; us <= TIMES_MAX_US; us++) {
        seen += times->buckets[us];
        if (seen > wanted)
            return us;
    }
    return TIMES_MAX_US;
}
