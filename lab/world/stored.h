#ifndef LAB_WORLD_STORED_H
#define LAB_WORLD_STORED_H

#include "lab/world/world.h"

/*
 * Stored: the linearizable store of a world, by the rules of src/store/store.h
 * for one lock and its marker, and the writes that may yet reach it.
 */

/* A write is about to apply: the place as it was before is kept. */
void stored_keep(struct world *world);

/* Apply it, all or none, looking at the promises on the way. */
enum hf_verdict stored_apply(struct world *world,
                             const struct world_write *write);

/* The record as a read shows it now. */
struct hf_sight stored_read(const struct world *world);

/* The tombstone is purged: the floor rises above its version. */
void stored_purge(struct world *world);

/* A write that is not answered any more may still apply, as long as the
 * version stands that it expects. */
void stored_keep_late(struct world *world, struct world_write write);

/* One of these reaches the store. */
void stored_apply_late(struct world *world, unsigned index);

/* Of the writes that may come late, keep those that still can apply. */
void stored_forget_late(struct world *world);

/* Somebody writes a record there that is not ours. */
void stored_put_foreign(struct world *world);

/* An id that nobody has. */
uint64_t stored_new_id(const struct world *world);

#endif
