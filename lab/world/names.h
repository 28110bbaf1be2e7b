#ifndef LAB_WORLD_NAMES_H
#define LAB_WORLD_NAMES_H

#include <stdint.h>

#include "base/check.h"

/*
 * Names: short ones for the numbers of a world, the same for worlds that
 * behave the same.  Versions and grants, which are compared, become ranks; ids,
 * which are only told apart, are numbered as they appear.  0 stays 0.
 *
 * In a world that was unpacked every number is small.
 */

enum { NAMES_MAX = 64 }; /* every number is below */

/* Numbers of which the order matters. */
struct ranks {
    uint64_t used; /* a bit for each */
    uint8_t of[NAMES_MAX];
    uint8_t count; /* once they are ranked */
};

struct names {
    struct ranks versions;
    struct ranks grants;
    uint8_t ids[NAMES_MAX]; /* the new name of each; 0: none yet */
    uint8_t ids_count;
};

static inline void
ranks_add(struct ranks *ranks, uint64_t number)
{
    HF_CHECK(number < NAMES_MAX);
    ranks->used |= UINT64_C(1) << number;
}

/* Once all numbers are in: each one's rank among them, from 1. */
static inline void
ranks_settle(struct ranks *ranks)
{
    uint64_t left = ranks->used & ~UINT64_C(1);

    for (; left != 0; left &= left - 1)
        ranks->of[__builtin_ctzll(left)] = ++ranks->count;
}

static inline uint8_t
names_version(const struct names *names, uint64_t version)
{
    return names->versions.of[version];
}

static inline uint8_t
names_id(struct names *names, uint64_t id)
{
    if (id == 0)
        return 0;
    HF_CHECK(id < NAMES_MAX);
    if (names->ids[id] == 0)
        names->ids[id] = ++names->ids_count;
    return names->ids[id];
}

#endif
