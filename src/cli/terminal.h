#ifndef HF_CLI_TERMINAL_H
#define HF_CLI_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * The terminal of this session, from which one process group at a time reads:
 * the shell's, ours or the command's.  It is there wherever the standard
 * streams go; a command may ask for a password on it while it reads a pipe.
 *
 * A `terminal` is a descriptor, or -1 where the session has none: then no
 * group has it, and nothing is done.
 */

/* Close-on-exec; the caller closes it. */
int hf_terminal_open(void);

/* Is it the group that reads from the terminal and gets its Ctrl-C? */
bool hf_terminal_has(int terminal, pid_t group);

/*
 * Move it from one group to the other, if `from` has it now, be that group
 * gone already: nobody else's terminal is touched.  SIGTTOU must be blocked or
 * ignored.
 */
void hf_terminal_move(int terminal, pid_t from, pid_t to);

#endif
