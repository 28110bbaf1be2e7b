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

static uint32_t *
head_of(void *block, struct hf_chains *chains, uint64_t hash)
{
    uint32_t *heads = hf_slots_behind(block, chains->heads);

    return &heads[hash % chains->count];
}

static uint32_t *
link_of(void *block, struct hf_chains *chains, uint32_t number)
{
    return hf_slots_behind(block,
                           chains->links + (uint64_t)number * chains->size);
}

void
hf_chains_add(void *block, struct hf_chains *chains, uint64_t hash,
              uint32_t number)
{
    uint32_t *head = head_of(block, chains, hash);

    *link_of(block, chains, number) = *head;
    *head = number;
}

void
hf_chains_remove(void *block, struct hf_chains *chains, uint64_t hash,
                 uint32_t number)
{
    uint32_t *link = head_of(block, chains, hash);

    while (*link != number) {
        HF_CHECK(*link != 0);
        chains->probes++;
        link = link_of(block, chains, *link);
    }
    *link = *link_of(block, chains, number);
    *link_of(block, chains, number) = 0;
}

uint32_t
hf_chains_first(void *block, struct hf_chains *chains, uint64_t hash)
{
    uint32_t number = *head_of(block, chains, hash);

    chains->probes += number != 0;
    return number;
}

uint32_t
hf_chains_next(void *block, struct hf_chains *chains, uint32_t number)
{
    uint32_t next = *link_of(block, chains, number);

    chains->probes += next != 0;
    return next;
}
