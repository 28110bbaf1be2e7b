#ifndef LAB_WORLD_PERSON_H
#define LAB_WORLD_PERSON_H

#include "lab/world/coder.h"
#include "lab/world/world.h"

/*
 * Person: somebody who types `holdfast clear`, without force: an examiner of
 * src/core that deletes the record of a holder which it has found dead.
 *
 * One at a time; when its examiner has ended, another may come.
 */

/* Is anybody there?  Where nobody may come, nothing of a person is kept. */
bool person_is_there(const struct world *world);

/* Somebody begins to look. */
bool person_may_come(const struct world *world, unsigned who);
void person_come(struct world *world, unsigned who);

/* What becomes of its question, as of a worker's. */
bool person_may_be_served(const struct world *world, unsigned who);
void person_serve(struct world *world, unsigned who);
bool person_may_hear(const struct world *world, unsigned who);
void person_hear(struct world *world, unsigned who);

/* The answer is *unknown*: a read's never comes, a clear was executed, was
 * not, or will be. */
bool person_clears(const struct world *world, unsigned who);
void person_lose_answer(struct world *world, unsigned who);
void person_lose_question(struct world *world, unsigned who);
void person_delay_question(struct world *world, unsigned who);

/* The answer is *unavailable*: the clear was surely not done. */
void person_refuse_to_answer(struct world *world, unsigned who);

/* Its question, or the answer, takes its time. */
bool person_may_be_slow(const struct world *world, unsigned who);
void person_be_slow(struct world *world, unsigned who);

/* It looks at its clock when something is due. */
bool person_is_due(const struct world *world, unsigned who);
void person_look_at_clock(struct world *world, unsigned who);

/* It sees that the holder's process is gone, where that can be seen. */
bool person_may_see_gone(const struct world *world, unsigned who);
void person_see_gone(struct world *world, unsigned who);

/* It is told that the record may have changed. */
bool person_may_be_hinted(const struct world *world, unsigned who);
void person_hint(struct world *world, unsigned who);

/* Time passes for it, too, by a tick. */
void person_tick(struct world *world);

/* Must time wait for it? */
bool person_is_busy(const struct world *world);

/* ---- Packing: see pack.h ------------------------------------------------ */

size_t person_size(const struct world_config *config);
void person_strip(struct world *world);
void person_collect(const struct world *world, struct names *names);
void person_code(struct coder *coder, struct world *world);

#endif
