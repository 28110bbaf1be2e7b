#ifndef LAB_SEARCH_STATES_H
#define LAB_SEARCH_STATES_H

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

#define LAB_STATE_NONE UINT32_MAX

enum {
    LAB_STATE_MAX = 512,  /* bytes of one state */
    LAB_OFFERED_MAX = 16, /* that wait to be looked up; a power of two */
    LAB_OFFERED_HALF = 8, /* later ones, and its twin is asked for */
};

/* A state that waits to be looked up. */
struct lab_offered {
    uint64_t hash;
    uint32_t parent;
    uint8_t state[LAB_STATE_MAX];
};

struct lab_states {
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
    struct lab_offered offered[LAB_OFFERED_MAX];
};

/* Room for `max` states at most; false when it cannot be mapped. */
bool lab_states_open(struct lab_states *states, size_t size, uint32_t max);
void lab_states_close(struct lab_states *states);

enum lab_added { LAB_ADDED, LAB_SEEN, LAB_FULL };

/* Add `state` unless it is there; *number is its number either way. */
enum lab_added lab_states_add(struct lab_states *states, const void *state,
                              uint32_t parent, uint32_t *number);

/* As lab_states_add, at some later time, but after all that was offered
 * before. */
void lab_states_offer(struct lab_states *states, const void *state,
                      uint32_t parent);

/* Add all that wait; needed before anybody looks at the states or counts
 * them. */
void lab_states_settle(struct lab_states *states);

static inline const uint8_t *
lab_states_at(const struct lab_states *states, uint32_t number)
{
    return states->arena + (size_t)number * states->size;
}

/* Bytes in use for the states there are. */
uint64_t lab_states_bytes(const struct lab_states *states);

#endif
