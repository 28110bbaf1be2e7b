#ifndef HF_CLI_WAITS_H
#define HF_CLI_WAITS_H

#include <holdfast/view.h>

#include "output.h"

/*
 * Waits: the locks that a `holdfast run` waits for, shown to those who wait
 * for a lock that is held around it.  `run a … run b` beside `run b … run a`
 * waits for itself, and a person is to see that.
 *
 * They stand in a file in memory, which the waiting process has open, and
 * which another process finds among its open files, if it may.  Only a process
 * that waits under a lock shows it, or looks for it.  It is used for messages
 * alone: nothing is decided by it.
 */

/* Show that this process waits for the locks of that space; -1: it does not, or
 * it cannot be shown.  To be closed when it no longer waits. */
int hf_waits_show(const char *place, const char *space,
                  const char *const *names);

/*
 * Add, as a clause, the lock that one of the processes below those of the
 * holder waits for: ", itself waits for a, which a run around us holds".
 * Nothing where that cannot be seen, or none waits.  Reads every process of
 * /proc.
 */
void hf_waits_add(struct hf_text *out, const char *place,
                  const struct hf_view *holder);

#endif
