#ifndef LAB_WORLD_STRIP_H
#define LAB_WORLD_STRIP_H

#include "lab/world/world.h"

/* Strip: before a worker is packed, leave out of it what it will not look at
 * again. */
void strip_worker(const struct world *world, struct world_worker *w);

/* Where no write is waited for longer than a tick, nothing that is measured in
 * parts of one tells anything. */
bool strip_patience_varies(const struct hf_question *question);

/* Does it remember the write that the call under way is about? */
bool strip_knows_call(const struct world_worker *w);

#endif
