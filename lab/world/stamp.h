#ifndef LAB_WORLD_STAMP_H
#define LAB_WORLD_STAMP_H

#include "lab/world/coder.h"
#include "lab/world/world.h"

/*
 * Stamp: when a record was written, by the store's own clock.  Where this is
 * trusted, a read says for how long the record has stood at its version: what
 * the clock has shown since, less the error that is promised.
 *
 * The clock may be set forward, by a tick at a time, at any moment and without
 * a fault: after each write by as many ticks as it errs, together.  A clock
 * that is set back makes a record look younger, which only delays.
 */

/* The record is written now. */
void stamp_write(struct world *world);

/* For how long it has stood, as a read tells. */
struct hf_duration stamp_stood(const struct world *world);

bool stamp_may_be_set(const struct world *world, unsigned who);
void stamp_set(struct world *world, unsigned who);

/* Time passes, by one tick. */
void stamp_tick(struct world *world);

/* As the other parts of a state: see pack.h. */
size_t stamp_size(const struct world_config *config);
void stamp_code(struct coder *coder, struct world *world);

#endif
