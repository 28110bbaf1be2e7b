#include "core/pool/pool.h"

#include <string.h>

#include "base/check.h"

size_t
hf_pool_size(uint32_t max, size_t size)
{
    return ((size_t)max * size + 7) / 8 * 8;
}

void
hf_pool_init(struct hf_pool *pool, uint32_t max, size_t size, uint64_t distance)
{
    *pool = (struct hf_pool){
        .distance = distance - size,
        .size = (uint32_t)size,
        .max = max,
    };
}

uint32_t
hf_pool_take(void *block, struct hf_pool *pool)
{
    uint32_t number = pool->free;
    void *entry;

    if (number == 0) {
        if (pool->fresh == pool->max)
            return 0;
        pool->count++;
        return ++pool->fresh;
    }
    entry = hf_pool_at(block, pool, number);
    memcpy(&pool->free, entry, sizeof(pool->free));
    memset(entry, 0, pool->size);
    pool->count++;
    return number;
}

void
hf_pool_give(void *block, struct hf_pool *pool, uint32_t number)
{
    HF_CHECK(number > 0 && number <= pool->fresh && pool->count > 0);
    memcpy(hf_pool_at(block, pool, number), &pool->free, sizeof(pool->free));
    pool->free = number;
    pool->count--;
}
