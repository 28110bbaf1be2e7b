#ifndef EXPLORE_STATES_H
#define EXPLORE_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * States: a set of equally long byte strings, numbered in the order in which
 * they came, each with the number of its parent.
 *
 * One arena holds them end to end; a table of open addressing, five bytes a
 * slot (a number and one byte of the hash), finds them.  The memory is mapped
 * at once and used as it is touched, so nothing is copied when it grows but
 * the table.
 *
 * Where a state might be is far away in memory, and nobody else's business
 * meanwhile.  So what is offered waits in a short queue, its places are asked
 * for, and it is looked up when they have had time to come; in the order in
 * which it was offered.
 */

#define STATES_NONE UINT32_MAX

enum {
    STATES_SIZE_MAX = 3072,  /* bytes of one state */
    STATES_OFFERED_MAX = 16, /* that wait to be looked up; a power of two */
    STATES_OFFERED_HALF = 8, /* later ones, and its twin is asked for */
};

/* A state that waits to be looked up. */
struct states_offered {
    uint64_t hash;
    uint32_t parent;
    uint8_t state[STATES_SIZE_MAX];
};

struct states {
    size_t size; /* of one state */
    uint32_t count;
    uint32_t max;         /* that the mapping holds */
    uint8_t *arena;       /* owned */
    uint32_t *parent;     /* owned */
    uint32_t *slots;      /* owned; number + 1, 0: free */
    uint8_t *tags;        /* owned */
    uint64_t slots_count; /* a power of two */
    bool full;            /* something that was offered could not be added */
    unsigned first;       /* of those that wait */
    unsigned waiting;
    struct states_offered offered[STATES_OFFERED_MAX];
};

/* Room for `max` states at most; false when it cannot be mapped. */
bool states_open(struct states *states, size_t size, uint32_t max);
void states_close(struct states *states);

enum states_added { STATES_ADDED, STATES_SEEN, STATES_FULL };

/* Add `state` unless it is there; *number is its number either way. */
enum states_added states_add(struct states *states, const void *state,
                             uint32_t parent, uint32_t *number);

/* As states_add, at some later time, but after all that was offered
 * before. */
void states_offer(struct states *states, const void *state, uint32_t parent);

/* Add all that wait; needed before anybody looks at the states or counts
 * them. */
void states_settle(struct states *states);

static inline const uint8_t *
states_at(const struct states *states, uint32_t number)
{
    return states->arena + (size_t)number * states->size;
}

/* Bytes in use for the states there are. */
uint64_t states_bytes(const struct states *states);

#endif
