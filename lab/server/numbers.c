#include "lab/server/numbers.h"

#include <stdlib.h>

#include "base/check.h"

void
numbers_add(struct numbers *numbers, uint64_t *at)
{
    if (numbers == NULL || *at == 0)
        return;
    HF_CHECK(numbers->count < NUMBERS_MAX);
    numbers->at[numbers->count++] = at;
}

static int
compare(const void *a, const void *b)
{
    const uint64_t *const *left = a;
    const uint64_t *const *right = b;

    return (**left > **right) - (**left < **right);
}

uint64_t
numbers_settle(const struct numbers *numbers, uint64_t first)
{
    struct numbers sorted = *numbers;
    uint64_t last = 0;

    qsort(sorted.at, sorted.count, sizeof(sorted.at[0]), compare);
    for (unsigned i = 0; i < sorted.count; i++) {
        uint64_t number = *sorted.at[i];

        *sorted.at[i] = number == last ? first - 1 : first++;
        last = number;
    }
    return first;
}

void
numbers_name(const struct numbers *numbers)
{
    uint64_t known[NUMBERS_MAX];
    unsigned count = 0;

    for (unsigned i = 0; i < numbers->count; i++) {
        unsigned name = 0;

        while (name < count && known[name] != *numbers->at[i])
            name++;
        if (name == count)
            known[count++] = *numbers->at[i];
        *numbers->at[i] = name + 1;
    }
}
