#include "tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"

/* The number of threads is field 20 of /proc/PID/stat; the state is field 3,
 * the parent 4. */
enum { BETWEEN_PARENT_AND_THREADS = 15 };

static bool
parse(char *text, struct tree_process *process)
{
    char *open = strchr(text, '(');
    char *close = strrchr(text, ')');
    char *at;

    if (open == NULL || close == NULL || strlen(close) < 5)
        return false;
    *close = '\0';
    snprintf(process->name, sizeof(process->name), "%.19s", open + 1);
    process->state = close[2];
    process->parent = (pid_t)strtol(close + 4, &at, 10);
    for (int i = 0; i < BETWEEN_PARENT_AND_THREADS; i++)
        (void)strtol(at, &at, 10);
    process->threads = strtol(at, NULL, 10);
    return true;
}

bool
tree_look_at(pid_t pid, struct tree_process *process)
{
    char path[32];
    char text[512];
    ssize_t len;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    len = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (len <= 0)
        return false;
    text[len] = '\0';
    *process = (struct tree_process){.pid = pid};
    return parse(text, process);
}

void
tree_look(struct tree *tree)
{
    DIR *proc = opendir("/proc");
    const struct dirent *entry;
    size_t size = 0;

    HF_CHECK(proc != NULL);
    *tree = (struct tree){.count = 0};
    while ((entry = readdir(proc)) != NULL) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

        if (tree->count == size) {
            size = 2 * size + 256;
            tree->rows = realloc(tree->rows, size * sizeof(*tree->rows));
            HF_CHECK(tree->rows != NULL);
        }
        if (pid > 0 && tree_look_at(pid, &tree->rows[tree->count]))
            tree->count++;
    }
    closedir(proc);
}

void
tree_close(struct tree *tree)
{
    free(tree->rows);
    *tree = (struct tree){.count = 0};
}

bool
tree_runs(const struct tree_process *process)
{
    return (process->state != 'Z' && process->state != 'X') ||
           process->threads > 1;
}

const struct tree_process *
tree_child(const struct tree *tree, pid_t parent, const char *name)
{
    const struct tree_process *youngest = NULL;

    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_process *row = &tree->rows[i];

        if (row->parent == parent && tree_runs(row) &&
            (name == NULL || strcmp(row->name, name) == 0) &&
            (youngest == NULL || row->pid > youngest->pid))
            youngest = row;
    }
    return youngest;
}

static pid_t
parent_of(const struct tree *tree, pid_t pid)
{
    for (size_t i = 0; i < tree->count; i++)
        if (tree->rows[i].pid == pid)
            return tree->rows[i].parent;
    return 0;
}

bool
tree_is_below(const struct tree *tree, pid_t pid, pid_t root)
{
    for (size_t steps = 0; pid != 0 && steps <= tree->count; steps++) {
        if (pid == root)
            return true;
        pid = parent_of(tree, pid);
    }
    return false;
}
