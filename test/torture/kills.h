#ifndef HF_TORTURE_KILLS_H
#define HF_TORTURE_KILLS_H

#include <stdbool.h>

#include "driver.h"

/*
 * Kills: a storm of single kills (`make storm`).  Eight `holdfast run` at a
 * time, on three locks of one place, until HF_KILLS of them, or of their guards
 * or commands, have been killed with -9: of each one at most, at a moment drawn
 * from the seed.
 *
 *   foreign  three of four in a pid namespace that sees another one's /proc
 *   untrue   every third fsync is done and reported as failed
 *
 * These are then true: no two commands ran at once, with all that is below
 * them; their fences rise; no bystander was touched; nothing of it is left, and
 * each lock is to be had.  A breach prints what led to it.
 */
struct kills_mode {
    const char *word;
    bool foreign;
    bool untrue;
};

/* Run it, and judge: the exit code. */
int kills_run(struct driver *driver, const struct kills_mode *mode);

#endif
