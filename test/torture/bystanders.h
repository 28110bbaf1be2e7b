#ifndef HF_TORTURE_BYSTANDERS_H
#define HF_TORTURE_BYSTANDERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "space.h"

/*
 * Bystanders: processes beside those of holdfast, that nobody may touch.  Each
 * blocks every signal, so that the kernel keeps whichever comes for us to see.
 * They come and go with the rounds, so that their numbers lie among those of
 * the rounds' processes.
 */

#define BYSTANDERS 24

struct bystanders {
    pid_t pids[BYSTANDERS]; /* 0: none yet */
    unsigned next;
    unsigned seen;    /* looked at when their time was over */
    unsigned touched; /* of them: dead, stopped, or sent a signal */
};

/* The oldest is looked at and ended, and another one started. */
void bystanders_turn(struct bystanders *all, const struct space *space);

/* False unless the process that was reaped was one of them. */
bool bystanders_lost(struct bystanders *all, pid_t pid);

/* Is it one of them? */
bool bystanders_has(const struct bystanders *all, pid_t pid);

/* Look at all that are left, and end them. */
void bystanders_end(struct bystanders *all);

#endif
