#ifndef HF_CORE_LOCKSPACE_CYCLE_H
#define HF_CORE_LOCKSPACE_CYCLE_H

#include "core/lockspace/parts.h"

/*
 * Cycle: who waits for whom, in a circle [W6].
 *
 * Nodes are lanes.  A lane that waits has an edge to each that holds, or waits
 * before it for, one of its names in a way that conflicts, parked ones
 * included.  Of those before it only the ones up to the nearest exclusive part
 * are followed: that one waits for all before it.
 *
 * The search is breadth first and bounded, so a cycle that is found is a short
 * one; past the bound nothing is found.
 */

/* Does this claim, which just entered its lines, close a cycle?  The cycle
 * stays in ls->cycle_first and _len until the next search. */
bool hf_cycle_found(struct hf_lockspace *ls, uint32_t claim);

/* The lane at that index of the found cycle. */
uint32_t hf_cycle_lane(const struct hf_lockspace *ls, uint32_t index);

#endif
