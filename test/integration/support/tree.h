#ifndef HF_TEST_TREE_H
#define HF_TEST_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The processes of this host, as /proc shows them at one look: also those in
 * namespaces below ours, by the numbers that they have here. */

struct tree_process {
    pid_t pid;
    pid_t parent;
    char state;
    char name[20];
    long threads;
};

struct tree {
    struct tree_process *rows; /* owned */
    size_t count;
};

/* One process; false when it is not there. */
bool tree_look_at(pid_t pid, struct tree_process *process);

void tree_look(struct tree *tree);
void tree_close(struct tree *tree);

/* Does it run anything?  One whose first thread has ended is a zombie, and
 * does all the same. */
bool tree_runs(const struct tree_process *process);

/* The youngest child of a process that runs; of those called `name`, unless
 * that is NULL.  NULL when there is none. */
const struct tree_process *tree_child(const struct tree *tree, pid_t parent,
                                      const char *name);

/* Is it this process, or below it? */
bool tree_is_below(const struct tree *tree, pid_t pid, pid_t root);

#endif
