#include "core/pool/index.h"

#include "base/check.h"

size_t
hf_index_size(uint32_t count)
{
    return hf_pool_size(count, sizeof(uint32_t));
}

struct hf_index
hf_index_of(const struct hf_pool *pool, uint32_t count, size_t link,
            uint64_t distance)
{
    return (struct hf_index){
        .heads = distance,
        .links = pool->distance + link,
        .size = pool->size,
        .count = count,
    };
}

void
hf_index_add(void *block, struct hf_index *index, uint64_t hash,
             uint32_t number)
{
    uint32_t *head = hf_index_head(block, index, hash);

    *hf_index_link(block, index, number) = *head;
    *head = number;
}

void
hf_index_remove(void *block, struct hf_index *index, uint64_t hash,
                uint32_t number)
{
    uint32_t *link = hf_index_head(block, index, hash);

    while (*link != number) {
        HF_CHECK(*link != 0);
        index->probes++;
        link = hf_index_link(block, index, *link);
    }
    *link = *hf_index_link(block, index, number);
    *hf_index_link(block, index, number) = 0;
}
