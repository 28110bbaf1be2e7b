#include "victims.h"

#include <signal.h>

#include "support/processes.h"
#include "support/tree.h"

void
victims_look(struct victims *victims)
{
    struct tree tree;
    const struct tree_process *found;

    tree_look(&tree);
    /* By name: at its end a leak checker is a child of holdfast, too. */
    found = tree_child(&tree, victims->holdfast, "holdfast-guard");
    victims->guard = found == NULL ? 0 : found->pid;
    found = found == NULL ? NULL : tree_child(&tree, found->pid, NULL);
    victims->command = found == NULL ? 0 : found->pid;
    tree_close(&tree);
}

pid_t
victims_kill(const struct victims *victims, enum victim victim)
{
    pid_t pid = 0;
    bool hit = false;

    switch (victim) {
    case VICTIM_HOLDFAST:
        pid = victims->holdfast;
        hit = kill(pid, SIGKILL) == 0;
        break;
    case VICTIM_GUARD:
        pid = victims->guard;
        hit = processes_signal_child(pid, victims->holdfast, SIGKILL);
        break;
    case VICTIM_COMMAND:
        pid = victims->command;
        hit = processes_signal_child(pid, victims->guard, SIGKILL);
        break;
    case VICTIMS:
        break;
    }
    return hit ? pid : 0;
}
