#ifndef HF_CORE_FENCE_SUM_H
#define HF_CORE_FENCE_SUM_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A number and a 128-bit sum of some fences, by which a client and a server
 * find out whether they believe in the same ones, in any order, without sending
 * them.
 *
 * What is added is not the fence but 128 bits made from it: 1 + 4 and 2 + 3 are
 * other sums.  Plain data; zero is that of none; cannot fail.
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
