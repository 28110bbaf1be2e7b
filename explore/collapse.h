#ifndef EXPLORE_COLLAPSE_H
#define EXPLORE_COLLAPSE_H

#include "explore/states.h"
#include "explore/system.h"

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

struct collapse {
    const struct explore_system *system;
    size_t size;                           /* of a collapsed state */
    unsigned count;                        /* of parts; 0: there are none */
    struct states sets[EXPLORE_PARTS_MAX]; /* by the first part of that size */
    uint8_t set_of[EXPLORE_PARTS_MAX];
};

/* False when memory cannot be had. */
bool collapse_open(struct collapse *collapse,
                   const struct explore_system *system);
void collapse_close(struct collapse *collapse);

/* Write `collapse->size` bytes; false when there is no room for a new part. */
bool collapse_pack(struct collapse *collapse, const uint8_t *state,
                   uint8_t *packed);

/* The state again, whole. */
void collapse_unpack(const struct collapse *collapse, const uint8_t *packed,
                     uint8_t *state);

/* Bytes in use for the parts. */
uint64_t collapse_bytes(const struct collapse *collapse);

#endif
