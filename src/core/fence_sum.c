#include "core/fence_sum.h"

/* splitmix64's finalizer (Steele, Lea, Flood 2014), from two seeds. */
static uint64_t
part(uint64_t fence, unsigned which)
{
    static const uint64_t seeds[] = {UINT64_C(0x9e3779b97f4a7c15),
                                     UINT64_C(0xd1b54a32d192ed03)};
    uint64_t z = fence + seeds[which];

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void
hf_fence_sum_add(struct hf_fence_sum *sum, uint64_t fence)
{
    sum->count++;
    for (unsigned i = 0; i < 2; i++)
        sum->sums[i] += part(fence, i);
}

void
hf_fence_sum_remove(struct hf_fence_sum *sum, uint64_t fence)
{
    sum->count--;
    for (unsigned i = 0; i < 2; i++)
        sum->sums[i] -= part(fence, i);
}

bool
hf_fence_sum_equal(const struct hf_fence_sum *a, const struct hf_fence_sum *b)
{
    return a->count == b->count && a->sums[0] == b->sums[0] &&
           a->sums[1] == b->sums[1];
}
