#ifndef HF_CLI_HOLD_H
#define HF_CLI_HOLD_H

#include <holdfast/holdfast.h>

#include "options.h"

/*
 * The main job: hold a lock while a command runs.
 *
 *   guard forked -> claiming -> holding -> releasing -> over
 *
 * The main thread never blocks on the place: it hears of signals, of the guard
 * and of the lock, while hf_acquire and hf_release run in the background.
 */

/* What `holdfast run` was asked to do; strings are borrowed from argv. */
struct hf_hold_order {
    struct hf_which which;
    enum hf_if_dead if_dead;
    struct hf_duration ttl;   /* set */
    struct hf_duration beat;  /* zero: the library's choice */
    struct hf_duration grace; /* set */
    enum hf_wait wait;
    struct hf_duration limit; /* set, unless HF_WAIT_TRY */
    enum hf_if_suspected if_suspected;
    int busy_exit;      /* of a lock not acquired in time; 0: the usual one */
    bool quiet;         /* say nothing of what goes well, or of a lock that
                           was not acquired in time */
    const char *reason; /* may be NULL */
    char **command;     /* NULL at the end */
};

/* Do it, and return the exit code.  Called once, before any thread exists. */
int hf_hold_run(const struct hf_hold_order *order);

#endif
