#ifndef HF_CLI_COMMAND_H
#define HF_CLI_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "guard_link.h"

/*
 * The command as a process, started by the guard: in a process group of its
 * own, killed by the kernel when the guard dies, with the signal mask, the
 * dispositions and the standard streams that holdfast itself was given.
 */

struct hf_command {
    pid_t pid;           /* and its process group */
    int refusal;         /* readable when it was executed, or could not be */
    int terminal;        /* the session's, borrowed; -1: it has none */
    bool wants_terminal; /* it is given the terminal that our group has */
};

/*
 * Fork it.  False and errno when that is impossible.  The caller owns
 * command->refusal, and learns with hf_command_refused how it went.
 */
bool hf_command_start(struct hf_command *command,
                      const struct hf_guard_link_terms *terms);

/* Read `refusal`, once it is readable, and close it: the errno with which the
 * command could not be executed, or 0. */
int hf_command_refused(struct hf_command *command);

/*
 * The terminal goes to the command at its start if both its stdin and its
 * stdout are the terminal: in `holdfast run x -- report | less` it is less
 * that needs it, and in `ssh host cat | holdfast run x -- load` perhaps ssh.
 * There the command gets it when it asks, and is stopped (SIGTTIN, SIGTTOU).
 *
 * Give it, if the command wants it and our group has it; take it back, if the
 * command's group has it.  SIGTTOU must be blocked.
 */
void hf_command_give_terminal(const struct hf_command *command);
void hf_command_take_terminal(const struct hf_command *command);

/* It was stopped for want of the terminal: can our group give it now? */
bool hf_command_asks_terminal(struct hf_command *command);

/* ---- The terminal -------------------------------------------------------- */

/*
 * The terminal of this session, from which one process group at a time reads:
 * the shell's, ours or the command's.  It is there wherever the standard
 * streams go; a command may ask for a password on it while it reads a pipe.
 *
 * A `terminal` is a descriptor, or -1 where the session has none: then no
 * group has it, and nothing is done.
 */

/* Close-on-exec; the caller closes it. */
int hf_command_terminal_open(void);

/* Is it the group that reads from the terminal and gets its Ctrl-C? */
bool hf_command_terminal_has(int terminal, pid_t group);

/*
 * Move it from one group to the other, if `from` has it now, even if that
 * group is gone already.  The terminal of any other group is not touched.
 * SIGTTOU must be blocked or ignored.
 */
void hf_command_terminal_move(int terminal, pid_t from, pid_t to);

#endif
