#include "terminal.h"

#include <fcntl.h>
#include <unistd.h>

int
hf_terminal_open(void)
{
    int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

    /* In a tree without /dev/tty stdin may still be it. */
    if (terminal < 0 && tcgetpgrp(STDIN_FILENO) > 0)
        terminal = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return terminal;
}

bool
hf_terminal_has(int terminal, pid_t group)
{
    return terminal >= 0 && group > 0 && tcgetpgrp(terminal) == group;
}

void
hf_terminal_move(int terminal, pid_t from, pid_t to)
{
    if (hf_terminal_has(terminal, from))
        (void)tcsetpgrp(terminal, to);
}
