#ifndef HF_CORE_FENCE_SUM_H
#define HF_CORE_FENCE_SUM_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The number of some fences and a 128-bit sum of them: a client and a server
 * compare it to see whether they hold the same set, in any order, without
 * sending the fences.
 *
 * Each fence adds 128 bits that are made from it, so 1 + 4 and 2 + 3 give
 * different sums.  Plain data; zero is the empty set; cannot fail.
 */
struct hf_fence_sum {
    uint64_t count;
    uint64_t sums[2];
};

void hf_fence_sum_add(struct hf_fence_sum *sum, uint64_t fence);
void hf_fence_sum_remove(struct hf_fence_sum *sum, uint64_t fence);
bool hf_fence_sum_equal(const struct hf_fence_sum *a,
                        const struct hf_fence_sum *b);

#endif
