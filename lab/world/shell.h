#ifndef LAB_WORLD_SHELL_H
#define LAB_WORLD_SHELL_H

#include "lab/world/coder.h"
#include "lab/world/world.h"

/*
 * Shell: what a worker's shell tells its contender besides answers and the
 * time: what it sees of the holder's processes, in a world where they are on
 * its host; that the record may have changed; and, once more, an answer that
 * was had before.
 */

/* Every process that the record which it watches lists has ended. */
bool shell_may_see_gone(const struct world *world, unsigned who);
void shell_see_gone(struct world *world, unsigned who);

/* One of them is there. */
bool shell_may_see_running(const struct world *world, unsigned who);
void shell_see_running(struct world *world, unsigned who);

/* Those of a version that it does not watch any more have ended. */
bool shell_may_see_old(const struct world *world, unsigned who);
void shell_see_old(struct world *world, unsigned who);

/* Look now. */
bool shell_may_hint(const struct world *world, unsigned who);
void shell_hint(struct world *world, unsigned who);

/* It hears once more what it heard last. */
bool shell_may_answer_again(const struct world *world, unsigned who);
void shell_answer_again(struct world *world, unsigned who);

/* ---- Packing: see pack.h ------------------------------------------------ */

size_t shell_size(const struct world_config *config);
void shell_strip(struct world *world);
void shell_collect(const struct world *world, struct names *names);
void shell_code(struct coder *coder, struct world *world);

#endif
