#ifndef HF_TEST_SIMULATE_TABLE_TRUTH_H
#define HF_TEST_SIMULATE_TABLE_TRUTH_H

#include "simulate/table/world.h"

/*
 * What is true in a simulated world, of its keys and of the records that were
 * there, and how late somebody may know of it.
 */

/* A write was applied, by this actor. */
void truth_applied(struct world *world, struct actor *actor,
                   const struct hf_store_op *op);

/* The place is an empty one from now on. */
void truth_went_back(struct world *world);

/* Is this fence, or token, of the place that was? */
bool truth_is_former(const struct world *world, uint64_t token);

/* Who made the record of that token of a key; NULL: that is forgotten. */
struct actor *truth_holder(const struct world *world, size_t key,
                           uint64_t token);

/* When, last, a version of its last record had stood for its ttl; LONG_AGO:
 * none ever did. */
int64_t truth_stood_until(const struct world *world,
                          const struct actor *holder);

/* Can this actor see the process of that holder; and has it ended? */
bool truth_is_seen(const struct world *world, const struct actor *holder,
                   const struct actor *actor);
bool truth_is_seen_gone(const struct world *world, const struct actor *holder,
                        const struct actor *actor);

/* The longest span of those who had the key since this actor began, as `span`
 * says it of one of them. */
typedef int64_t truth_span_fn(const struct world *world,
                              const struct actor *holder,
                              const struct actor *actor);
int64_t truth_longest(const struct world *world, const struct actor *actor,
                      truth_span_fn *span);

/* Would an actor that begins now ask for what its own lane has? */
bool truth_lane_is_there(const struct world *world, const struct actor *actor);

/* Does its client take the place that was for the one that is? */
bool truth_is_behind(const struct world *world, const struct actor *actor);

/* Has the place done all for this client since then, and soon; and before it,
 * for so long that nothing rests after a failure? */
bool truth_is_healthy(const struct world *world, size_t client, int64_t since);

/* How long a question takes at most on a healthy place. */
int64_t truth_turn(const struct world *world);

/* How late one who watches a key on a healthy place may know of a change. */
int64_t truth_lateness(const struct world *world);

#endif
