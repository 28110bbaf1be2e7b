#include "core/lockspace/chains.h"

#include "base/check.h"

size_t
hf_chains_size(uint32_t count)
{
    return hf_slots_size(count, sizeof(uint32_t));
}

struct hf_chains
hf_chains_of(const struct hf_slots *slots, uint32_t count, size_t link,
             uint64_t distance)
{
    return (struct hf_chains){
        .heads = distance,
        .links = slots->distance + link,
        .size = slots->size,
        .count = count,
    };
}

void
hf_chains_add(void *block, struct hf_chains *chains, uint64_t hash,
              uint32_t number)
{
    uint32_t *head = hf_chains_head(block, chains, hash);

    *hf_chains_link(block, chains, number) = *head;
    *head = number;
}

void
hf_chains_remove(void *block, struct hf_chains *chains, uint64_t hash,
                 uint32_t number)
{
    uint32_t *link = hf_chains_head(block, chains, hash);

    while (*link != number) {
        HF_CHECK(*link != 0);
        chains->probes++;
        link = hf_chains_link(block, chains, *link);
    }
    *link = *hf_chains_link(block, chains, number);
    *hf_chains_link(block, chains, number) = 0;
}
