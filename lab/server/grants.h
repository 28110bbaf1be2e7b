#ifndef LAB_SERVER_GRANTS_H
#define LAB_SERVER_GRANTS_H

#include "lab/server/grants_world.h"

/*
 * Grants: lanes that ask a lock server for names, several at once, shared and
 * exclusively, and hold what they are granted for as long as they like.
 *
 * The server is the lockspace of src/core, exactly as it is.  There is no
 * network: each message is given to it at once, on a stream of its own, and its
 * answers are heard at once; a batch is written within the step.  There is no
 * time either, but what a step says has passed.  A lane is the only one of a
 * client; it holds what its earlier requests were granted while it asks for
 * more, and asks for one thing at a time.
 *
 * A step is: a lane asks for any set of names in any modes of the world,
 * waiting, by a try, or until they are free · asks once more for what it waits
 * for or holds, or turns what it waits for into a try · gives up · gives back
 * any of its grants, also while it waits · lowers a name to shared · is told a
 * blocking timeout, and its place is parked · is told that its wait is over, or
 * hangs up, and its place is lost · an operator clears a grant, at once or if
 * its holder is suspected · a client that holds something is silent for its
 * ttl, while nobody waits, and others are heard · time passes, which ends a
 * takeover grace, and all places that are parked.
 *
 * Beside the machine goes an oracle (grants_oracle.h), which says what each
 * event must be answered, and what must be so afterwards.  A request that is
 * over is asked for once more within the step that ended it.
 */

/* What the machine is asked of a config. */
struct snapshot_config grants_snapshot(const struct grants_config *config);

/* The names and modes of the set of that number, and which set an act that asks
 * is about. */
struct grants_modes grants_set(unsigned set);
unsigned grants_set_of(unsigned act);

void grants_start(struct grants_world *world,
                  const struct grants_config *config);
bool grants_allowed(const struct grants_world *world, unsigned act,
                    unsigned who);
void grants_apply(struct grants_world *world, unsigned act, unsigned who);

#endif
