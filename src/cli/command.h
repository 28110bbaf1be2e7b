#ifndef HF_CLI_COMMAND_H
#define HF_CLI_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "pact.h"

/*
 * The command as a process, started by the guard: in a process group of its
 * own, killed by the kernel when the guard dies, with the signal mask, the
 * dispositions and the standard streams that holdfast itself was given.
 */

struct hf_command {
    pid_t pid;   /* and its process group */
    int refusal; /* readable when it was executed, or could not be */
};

/*
 * Fork it.  False and errno when that is impossible.  The caller owns
 * command->refusal, and learns with hf_command_refused how it went.
 */
bool hf_command_start(struct hf_command *command,
                      const struct hf_pact_terms *terms);

/* Read `refusal`, once it is readable, and close it: the errno with which the
 * command could not be executed, or 0. */
int hf_command_refused(struct hf_command *command);

/*
 * The terminal of stdin goes to the command at its start, unless its output
 * goes elsewhere: in `holdfast run x -- report | less` it is less that needs
 * the terminal.  There the command gets it when it asks (SIGTTIN, SIGTTOU).
 *
 * Move it: to the command, if our group has it now; back to our group, if the
 * command's has it (also when that is gone already).  Nobody else's terminal
 * is touched.  SIGTTOU must be blocked.
 */
void hf_command_give_terminal(const struct hf_command *command);
void hf_command_take_terminal(const struct hf_command *command);

/* Did `signal` stop it for want of a terminal that our group can give? */
bool hf_command_wants_terminal(int signal);

#endif
