#ifndef HF_TORTURE_SPACE_H
#define HF_TORTURE_SPACE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Space: where processes are started: in the pid namespace of the test, or in
 * one below it, whose processes see the /proc of the test, and so other
 * processes under their numbers (as with unshare --pid without --mount-proc).
 */
struct space {
    int home;   /* the test's own */
    int inner;  /* -1: none */
    pid_t init; /* the inner one's first process */
};

/* False and errno when the kernel does not permit it. */
bool space_open(struct space *space, bool with_inner);
void space_close(struct space *space);

/* What this thread forks from now on is there. */
void space_choose(const struct space *space, bool inner);

#endif
