#ifndef BENCH_SERVER_TIMES_H
#define BENCH_SERVER_TIMES_H

#include <stdint.h>

/* How long it took. */

enum { TIMES_MAX_US = 200 * 1000 };

struct times {
    uint64_t count;
    uint64_t buckets[TIMES_MAX_US + 1]; /* the last has all that is longer */
};

void times_add(struct times *times, int64_t us);

/* The time that `part` of them do not exceed, in us. */
int64_t times_at(const struct times *times, double part);

#endif
