#ifndef LAB_SEARCH_COLLAPSE_H
#define LAB_SEARCH_COLLAPSE_H

#include "search/explore.h"
#include "search/states.h"

/*
 * Collapse: a state as the numbers of its parts.
 *
 * A worker is in one of some thousand states, whatever the others do; so a
 * million states of a world are made of few parts, and four bytes a part name
 * each of them exactly.  Parts of one size are one set.  (Holzmann, State
 * Compression in SPIN: Recursive Indexing and Compression Training Runs,
 * 1997.)
 *
 * A system that names no parts is kept as it is.
 */

struct lab_collapse {
    const struct lab_system *system;
    size_t size;                           /* of a collapsed state */
    unsigned count;                        /* of parts; 0: there are none */
    struct lab_states sets[LAB_PARTS_MAX]; /* by the first part of that size */
    uint8_t set_of[LAB_PARTS_MAX];
};

/* False when memory cannot be had. */
bool lab_collapse_open(struct lab_collapse *collapse,
                       const struct lab_system *system);
void lab_collapse_close(struct lab_collapse *collapse);

/* Write `collapse->size` bytes; false when there is no room for a new part. */
bool lab_collapse_pack(struct lab_collapse *collapse, const uint8_t *state,
                       uint8_t *packed);

/* The state again, whole. */
void lab_collapse_unpack(const struct lab_collapse *collapse,
                         const uint8_t *packed, uint8_t *state);

/* Bytes in use for the parts. */
uint64_t lab_collapse_bytes(const struct lab_collapse *collapse);

#endif
