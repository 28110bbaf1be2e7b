#include "bystanders.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"

static _Noreturn void
stand_by(void)
{
    sigset_t all;

    sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    for (;;)
        (void)pause();
}

/* Nothing pending, neither for its thread nor for all of it, and neither a
 * zombie nor stopped. */
static bool
is_untouched(pid_t pid)
{
    char path[40];
    char line[256];
    unsigned good = 0;
    FILE *status;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    status = fopen(path, "re");
    if (status == NULL)
        return false;
    while (fgets(line, sizeof(line), status) != NULL) {
        good += strcmp(line, "SigPnd:\t0000000000000000\n") == 0;
        good += strcmp(line, "ShdPnd:\t0000000000000000\n") == 0;
        good += strncmp(line, "State:\tS", 8) == 0;
        good += strncmp(line, "State:\tR", 8) == 0;
    }
    fclose(status);
    return good == 3;
}

static void
look_at_and_end(struct bystanders *all, pid_t *pid)
{
    if (*pid == 0)
        return;
    all->seen++;
    if (!is_untouched(*pid)) {
        all->touched++;
        printf("breach: bystander %d was touched\n", (int)*pid);
    }
    (void)kill(*pid, SIGKILL); /* ours, and not yet reaped */
    (void)waitpid(*pid, NULL, 0);
    *pid = 0;
}

void
bystanders_turn(struct bystanders *all, const struct space *space)
{
    pid_t *pid = &all->pids[all->next % BYSTANDERS];

    look_at_and_end(all, pid);
    if (space->inner >= 0)
        space_choose(space, all->next % 4 != 0);
    all->next++;
    *pid = fork();
    HF_CHECK(*pid >= 0);
    if (*pid == 0)
        stand_by();
}

bool
bystanders_lost(struct bystanders *all, pid_t pid)
{
    for (unsigned i = 0; i < BYSTANDERS; i++)
        if (all->pids[i] == pid) {
            printf("breach: bystander %d was ended\n", (int)pid);
            all->pids[i] = 0;
            all->seen++;
            all->touched++;
            return true;
        }
    return false;
}

bool
bystanders_has(const struct bystanders *all, pid_t pid)
{
    for (unsigned i = 0; i < BYSTANDERS; i++)
        if (all->pids[i] == pid)
            return true;
    return false;
}

void
bystanders_end(struct bystanders *all)
{
    for (unsigned i = 0; i < BYSTANDERS; i++)
        look_at_and_end(all, &all->pids[i]);
}
