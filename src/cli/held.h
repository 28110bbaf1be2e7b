#ifndef HF_CLI_HELD_H
#define HF_CLI_HELD_H

#include <holdfast/describe.h>

/*
 * What is held by the `holdfast run`s that run us.
 *
 * HOLDFAST_HELD lists it, the outermost first: items parted by a space, each
 *
 *     PLACE,SPACE,NAME,FENCE
 *
 * with every byte but letters, digits and -._/: written as %XX.  A list may be
 * out of date: a daemon keeps the one it was started with.  So an item counts
 * only while the lock's record carries its fence.
 */

struct hf_held {
    const char *place; /* as hf_client_place tells it */
    const char *space;
    const char *name;
    uint64_t fence;
};

/*
 * Add a lock to the list in the environment, for the command that is about to
 * run under it.  A list that would be too long stays as it is: whoever waits
 * for this lock below it is then not warned.
 */
void hf_held_add(const struct hf_held *held);

/*
 * Is the lock held by one of those that run us?  `record` is what a look in
 * `place` has just shown; places are the same when their files are.
 */
bool hf_held_by_ours(const char *place, const struct hf_description *record);

#endif
