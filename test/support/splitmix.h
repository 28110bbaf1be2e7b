#ifndef HF_TEST_SPLITMIX_H
#define HF_TEST_SPLITMIX_H

#include <stdint.h>

/* The next number of a state that any seed begins: splitmix64 (Steele, Lea,
 * Flood 2014).  Simulations and plans draw from it, so that a seed is a run. */
static inline uint64_t
splitmix64(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
