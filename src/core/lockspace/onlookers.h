#ifndef HF_CORE_LOCKSPACE_ONLOOKERS_H
#define HF_CORE_LOCKSPACE_ONLOOKERS_H

#include "core/lockspace/parts.h"

/*
 * Onlookers: who only waits until names are free, and is in nobody's way [R1].
 *
 * An onlooker is in no line.  Of each of its names it is first *behind* those
 * who came before it, and then behind nobody, for good.  Behind nobody anywhere
 * it is *kept* by one name, which another lane holds.  When that comes free it
 * is told, if all its names are, or else kept by another that is held.  So a
 * release costs nothing for who is kept by something else, and a step looks at
 * no more than a few in vain: the name stays in the list `freed` until all that
 * it keeps were looked at, or it is held again.  Who looks at one name alone is
 * never looked at in vain, and comes first: names that keep such a one do so in
 * that list, and it does among those that its name keeps.
 *
 *   behind ---pass---> (keep, stop_keeping)  kept ---next_free---> told
 */

/* How many parts of that name are onlookers', those that are only asked for
 * among them; one more, for which there is always room, or one less. */
uint32_t hf_onlookers_of(const struct hf_lockspace *ls, uint32_t name);
void hf_onlookers_count(struct hf_lockspace *ls, uint32_t name);
void hf_onlookers_forget(struct hf_lockspace *ls, uint32_t name);

/* A part takes its place behind all who are in line, or leaves it. */
void hf_onlookers_add(struct hf_lockspace *ls, uint32_t part);
void hf_onlookers_remove(struct hf_lockspace *ls, uint32_t part);

/* A part of that name that is behind nobody by now; 0: none. */
uint32_t hf_onlookers_pass(struct hf_lockspace *ls, uint32_t name);

/* A claim that is behind nobody, and whose lane is WAITING, is kept by a name;
 * or by none any more. */
void hf_onlookers_keep(struct hf_lockspace *ls, uint32_t claim);
void hf_onlookers_stop_keeping(struct hf_lockspace *ls, uint32_t claim);

/* That name has lost a holder. */
void hf_onlookers_see_whether_freed(struct hf_lockspace *ls, uint32_t name);

/* A claim all of whose names are free; 0: none.  At most *left are looked at in
 * vain; then others, who look at several names, may be left in `freed`.  Who is
 * beside a hold of its own is not counted: it is one for each release. */
uint32_t hf_onlookers_next_free(struct hf_lockspace *ls, unsigned *left);

/* Does another lane hold the name of that part, in whatever way? */
bool hf_onlookers_is_held(const struct hf_lockspace *ls,
                          const struct hf_ls_part *part);

#endif
