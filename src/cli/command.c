#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/fd.h"
#include "say.h"

/* ---- The terminal -------------------------------------------------------- */

int
hf_command_terminal_open(void)
{
    int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

    /* In a tree without /dev/tty stdin may still be it. */
    if (terminal < 0 && tcgetpgrp(STDIN_FILENO) > 0)
        terminal = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return terminal;
}

bool
hf_command_terminal_has(int terminal, pid_t group)
{
    return terminal >= 0 && group > 0 && tcgetpgrp(terminal) == group;
}

void
hf_command_terminal_move(int terminal, pid_t from, pid_t to)
{
    if (hf_command_terminal_has(terminal, from))
        (void)tcsetpgrp(terminal, to);
}

/* ---- The command --------------------------------------------------------- */

/* In the child, between fork and exec; every signal is still blocked.  The
 * terminal is taken from the group `from`; 0: it is not. */
static _Noreturn void
become(const struct hf_guard_link_terms *terms, pid_t guard, pid_t from,
       int tell)
{
    struct sigaction child = {.sa_handler = SIG_IGN};
    int why;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != guard) /* it died before it could be noticed */
        _exit(HF_EXIT_SIGNAL + SIGKILL);
    (void)setpgid(0, 0);
    hf_command_terminal_move(terms->terminal, from, getpid());
    if (terms->child_ignored)
        (void)sigaction(SIGCHLD, &child, NULL);
    (void)sigprocmask(SIG_SETMASK, &terms->signals, NULL);
    execvp(terms->command[0], terms->command);
    why = errno;
    (void)!write(tell, &why, sizeof(why));
    _exit(why == ENOENT ? HF_EXIT_MISSING : HF_EXIT_CANNOT);
}

bool
hf_command_start(struct hf_command *command,
                 const struct hf_guard_link_terms *terms)
{
    bool wants = tcgetpgrp(STDIN_FILENO) > 0 && isatty(STDOUT_FILENO) == 1;
    pid_t guard = getpid();
    pid_t from = wants ? getpgrp() : 0;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;

    pid_t pid = fork();

    if (pid == 0)
        become(terms, guard, from, ends[1]);
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return false;
    }
    (void)setpgid(pid, pid); /* here too: parent or child, the first sets it */
    *command = (struct hf_command){
        .pid = pid,
        .refusal = ends[0],
        .terminal = terms->terminal,
        .wants_terminal = wants,
    };
    return true;
}

int
hf_command_refused(struct hf_command *command)
{
    int why = 0;
    ssize_t len = read(command->refusal, &why, sizeof(why));

    hf_fd_close(&command->refusal);
    return len == (ssize_t)sizeof(why) ? why : 0;
}

void
hf_command_give_terminal(const struct hf_command *command)
{
    if (command->wants_terminal)
        hf_command_terminal_move(command->terminal, getpgrp(), command->pid);
}

void
hf_command_take_terminal(const struct hf_command *command)
{
    hf_command_terminal_move(command->terminal, command->pid, getpgrp());
}

bool
hf_command_asks_terminal(struct hf_command *command)
{
    command->wants_terminal = true;
    return hf_command_terminal_has(command->terminal, getpgrp());
}
