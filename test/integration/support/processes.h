#ifndef HF_TEST_PROCESSES_H
#define HF_TEST_PROCESSES_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/clock.h"

/*
 * Processes: those that a test starts, and all that come from them.  The test
 * runs under a supervisor, which is their subreaper: when the test ends,
 * however it ends, or at its deadline, everything that is left is killed, by
 * number.  Within the test processes are signalled by number too, and only
 * ones that are known to be what they are taken for.
 */

/* Go on in a new process, under a supervisor that exits with our exit code,
 * or with 1 after `limit`.  Called first, before there are threads. */
void processes_begin(struct hf_duration limit);

struct processes_start {
    const char *const *argv;   /* NULL at the end; argv[0] is the path */
    const char *const *assign; /* NAME=VALUE..., NULL at the end; may be NULL */
    const char *output;        /* file for its stdout and stderr, emptied first;
                           NULL: ours */
};

/* Start it; its pid.  A failure ends the test. */
pid_t processes_start(const struct processes_start *start);

/* The parent of a process, or 0 when it is not there. */
pid_t processes_parent(pid_t pid);

/* Send a signal to `pid`, if it is a child of `parent` now. */
bool processes_signal_child(pid_t pid, pid_t parent, int signal);

/* Has it been stopped, by SIGSTOP? */
bool processes_stopped(pid_t pid);

/* The exit code that a wait status tells of, or 128 + signal. */
int processes_exit_code(int status);

/* Wait for it, which is a child of ours: its exit code, or 128 + signal. */
int processes_wait(pid_t pid);

/* Start, and wait for the end. */
int processes_run(const struct processes_start *start);

/* Kill every child there is, and every one that becomes one by that, and wait
 * for them. */
void processes_end(void);

#endif
