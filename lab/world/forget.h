#ifndef LAB_WORLD_FORGET_H
#define LAB_WORLD_FORGET_H

#include "lab/world/coder.h"
#include "lab/world/world.h"

/*
 * Forget: a place that goes back.  Its file is removed, and made anew; or a
 * copy is put in its place that lacks the last write: seen by whoever has the
 * place open, at its next call, or not seen at all.
 *
 * No version is given twice all the same, since a store makes them of the wall
 * clock.  From then on two may hold, until each has made a call: a worker whose
 * record is gone counts as cleared until then.  What is looked at is that it
 * notices with its next beat.
 */

bool forget_may(const struct world *world, unsigned who);

/* The file is removed; the next one who opens the place makes it anew. */
void forget_removed(struct world *world, unsigned who);

/* A copy without the last write is put in its place, as another file. */
void forget_replaced(struct world *world, unsigned who);

/* As that, into the very file: nobody sees it, but for what is in it. */
void forget_overwritten(struct world *world, unsigned who);

/* A call told nothing, or took its time: the next one counts. */
void forget_excuse(struct world *world);

/* Time passes by a tick. */
void forget_tick(struct world *world);

/* ---- Packing: see pack.h ------------------------------------------------ */

size_t forget_size(const struct world_config *config);
void forget_collect(const struct world *world, struct names *names);
void forget_code(struct coder *coder, struct world *world);

#endif
