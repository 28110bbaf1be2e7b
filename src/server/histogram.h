#ifndef HF_SERVER_HISTOGRAM_H
#define HF_SERVER_HISTOGRAM_H

#include "base/text.h"

/*
 * Histogram: how long something took, as Prometheus has it: how often it took
 * no longer than each of some bounds, from a tenth of a millisecond to a
 * minute.  Zero is empty; plain; one thread.
 */

enum { HF_HISTOGRAM_BOUNDS = 18 };

struct hf_histogram {
    uint64_t counts[HF_HISTOGRAM_BOUNDS + 1]; /* each its own; then the rest */
    uint64_t sum_us;
};

void hf_histogram_add(struct hf_histogram *histogram, int64_t us);

/* With its type, and in seconds. */
void hf_histogram_write(const struct hf_histogram *histogram, const char *name,
                        const char *help, struct hf_text *text);

#endif
