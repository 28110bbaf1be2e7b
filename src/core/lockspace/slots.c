#include "core/lockspace/slots.h"

#include <string.h>

#include "base/check.h"

size_t
hf_slots_size(uint32_t max, size_t size)
{
    return ((size_t)max * size + 7) / 8 * 8;
}

void
hf_slots_init(struct hf_slots *slots, uint32_t max, size_t size,
              uint64_t distance)
{
    *slots = (struct hf_slots){
        .distance = distance - size,
        .size = (uint32_t)size,
        .max = max,
    };
}

uint32_t
hf_slots_take(void *block, struct hf_slots *slots)
{
    uint32_t number = slots->free;
    void *entry;

    if (number == 0) {
        if (slots->fresh == slots->max)
            return 0;
        slots->count++;
        return ++slots->fresh;
    }
    entry = hf_slots_at(block, slots, number);
    memcpy(&slots->free, entry, sizeof(slots->free));
    memset(entry, 0, slots->size);
    slots->count++;
    return number;
}

void
hf_slots_give(void *block, struct hf_slots *slots, uint32_t number)
{
    HF_CHECK(number > 0 && number <= slots->fresh && slots->count > 0);
    memcpy(hf_slots_at(block, slots, number), &slots->free,
           sizeof(slots->free));
    slots->free = number;
    slots->count--;
}
