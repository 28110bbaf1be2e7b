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

/* How many parts of that name belong to onlookers, with those that were not
 * placed yet.  _count adds one, for which there is always room; _forget removes
 * one. */
uint32_t hf_onlookers_of(const struct hf_lockspace *ls, uint32_t name);
void hf_onlookers_count(struct hf_lockspace *ls, uint32_t name);
void hf_onlookers_forget(struct hf_lockspace *ls, uint32_t name);

/* Add a part behind all that are in line, or remove it. */
void hf_onlookers_add(struct hf_lockspace *ls, uint32_t part);
void hf_onlookers_remove(struct hf_lockspace *ls, uint32_t part);

/* A part of that name that has nothing in line before it any more; 0: there is
 * none. */
uint32_t hf_onlookers_pass(struct hf_lockspace *ls, uint32_t name);

/* Keep a claim that is behind nobody, and whose lane is WAITING, at one of its
 * names that is held; or stop that. */
void hf_onlookers_keep(struct hf_lockspace *ls, uint32_t claim);
void hf_onlookers_stop_keeping(struct hf_lockspace *ls, uint32_t claim);

/* The name has lost a holder. */
void hf_onlookers_see_whether_freed(struct hf_lockspace *ls, uint32_t name);

/* A claim whose names are all free; 0: there is none.  At most *left claims are
 * looked at without success; then claims of several names may stay in `freed`.
 * A claim whose own lane holds the name does not count: there is one for each
 * release. */
uint32_t hf_onlookers_next_free(struct hf_lockspace *ls, unsigned *left);

/* Does another lane hold the name of that part, in any mode? */
bool hf_onlookers_is_held(const struct hf_lockspace *ls,
                          const struct hf_ls_part *part);

#endif
