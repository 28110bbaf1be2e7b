/*
 * vforks: a command whose child of a vfork is stopped before its exec, with
 * its whole process group, as a ^Z may do.  It goes on with the SIGCONT that
 * wakes the child, and says so.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(void)
{
    pid_t pid;

    puts("ready");
    (void)fflush(stdout);
    pid = vfork(); /* NOLINT: a vfork is what this is about */
    if (pid == 0) {
        (void)kill(0, SIGTSTP);
        execl("/bin/true", "true", (char *)NULL);
        _exit(127);
    }
    (void)waitpid(pid, NULL, 0);
    puts("over");
    return 0;
}
