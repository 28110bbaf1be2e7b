#include "explore/collapse.h"

#include <string.h>

#include "base/check.h"

/* Far more than any system's parts take on. */
#define VALUES_MAX (UINT32_C(1) << 26)

/* The first part of the same size. */
static unsigned
first_alike(const struct explore_system *system, unsigned part)
{
    unsigned first = 0;

    while (system->parts[first] != system->parts[part])
        first++;
    return first;
}

bool
collapse_open(struct collapse *collapse, const struct explore_system *system)
{
    size_t sum = 0;

    *collapse = (struct collapse){
        .system = system,
        .size = system->state_size,
    };
    while (collapse->count < EXPLORE_PARTS_MAX &&
           system->parts[collapse->count] != 0) {
        unsigned part = collapse->count++;
        unsigned set = first_alike(system, part);

        sum += system->parts[part];
        collapse->set_of[part] = (uint8_t)set;
        if (set == part && !states_open(&collapse->sets[set],
                                        system->parts[part], VALUES_MAX)) {
            collapse_close(collapse);
            return false;
        }
    }
    HF_CHECK(collapse->count == 0 || sum == system->state_size);
    if (collapse->count > 0)
        collapse->size = collapse->count * sizeof(uint32_t);
    return true;
}

void
collapse_close(struct collapse *collapse)
{
    for (unsigned i = 0; i < EXPLORE_PARTS_MAX; i++)
        if (collapse->sets[i].size != 0)
            states_close(&collapse->sets[i]);
}

bool
collapse_pack(struct collapse *collapse, const uint8_t *state, uint8_t *packed)
{
    if (collapse->count == 0)
        memcpy(packed, state, collapse->size);
    for (unsigned i = 0; i < collapse->count; i++) {
        struct states *set = &collapse->sets[collapse->set_of[i]];
        uint32_t number;

        if (states_add(set, state, 0, &number) == STATES_FULL)
            return false;
        memcpy(packed, &number, sizeof(number));
        packed += sizeof(number);
        state += set->size;
    }
    return true;
}

void
collapse_unpack(const struct collapse *collapse, const uint8_t *packed,
                uint8_t *state)
{
    if (collapse->count == 0)
        memcpy(state, packed, collapse->size);
    for (unsigned i = 0; i < collapse->count; i++) {
        const struct states *set = &collapse->sets[collapse->set_of[i]];
        uint32_t number;

        memcpy(&number, packed, sizeof(number));
        memcpy(state, states_at(set, number), set->size);
        packed += sizeof(number);
        state += set->size;
    }
}

uint64_t
collapse_bytes(const struct collapse *collapse)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < collapse->count; i++)
        if (collapse->set_of[i] == i)
            bytes += states_bytes(&collapse->sets[i]);
    return bytes;
}
