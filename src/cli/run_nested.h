#ifndef HF_CLI_RUN_NESTED_H
#define HF_CLI_RUN_NESTED_H

#include <holdfast/view.h>

/*
 * The locks that the `holdfast run`s around us hold.
 *
 * HOLDFAST_HELD lists them, the outermost first: items parted by a space, each
 *
 *     PLACE,SPACE,NAME,FENCE
 *
 * with every byte but letters, digits and -._/: written as %XX.  A list may be
 * out of date: a daemon keeps the one it was started with.  So an item counts
 * only while the lock's record carries its fence.
 */

struct hf_run_nested {
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
void hf_run_nested_add(const struct hf_run_nested *held);

/* Is anything held by those that run us, as the list has it? */
bool hf_run_nested_is_nested(void);

/* Does the list have that lock, whatever its fence?  It may be out of date. */
bool hf_run_nested_has(const char *place, const char *space, const char *name);

bool hf_run_nested_same_place(const char *one, const char *other);

/*
 * Is the lock held by one of those that run us?  `seen` is what a look in
 * `place` has just shown; places are the same when their files are.
 */
bool hf_run_nested_holds(const char *place, const struct hf_view *seen);

#endif
