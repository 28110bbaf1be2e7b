#include "below.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* New processes may appear between counting them and reading them. */
enum { TABLE_SLACK = 256 };

struct process {
    pid_t pid;
    pid_t parent;
    uint64_t start; /* ticks since boot: tells a reused pid */
    bool zombie;
    bool below;
    char name[32];
};

struct table {
    struct process *rows; /* owned: a mapping of `size` rows */
    size_t size;
    size_t count;
};

/* The fields behind the name, counted as proc(5) counts them. */
enum { FIELD_STATE = 3, FIELD_PARENT = 4, FIELD_START = 22 };

/* /proc/PID/stat; the name, in parentheses, may hold any character. */
static bool
parse_stat(const char *text, struct process *process)
{
    const char *open = strchr(text, '(');
    const char *close = strrchr(text, ')');

    if (open == NULL || close == NULL || close < open)
        return false;
    snprintf(process->name, sizeof(process->name), "%.*s",
             (int)(close - open - 1), open + 1);

    const char *at = close + 1;

    for (int field = FIELD_STATE; *at == ' '; field++) {
        at++;
        if (field == FIELD_STATE)
            process->zombie = *at == 'Z' || *at == 'X';
        else if (field == FIELD_PARENT)
            process->parent = (pid_t)strtol(at, NULL, 10);
        else if (field == FIELD_START)
            process->start = strtoull(at, NULL, 10);
        if (field == FIELD_START)
            return true;
        at += strcspn(at, " ");
    }
    return false;
}

static bool
read_process(pid_t pid, struct process *process)
{
    char path[32];
    char text[1024];

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;

    ssize_t len = read(fd, text, sizeof(text) - 1);

    close(fd);
    if (len <= 0)
        return false;
    text[len] = '\0';
    *process = (struct process){.pid = pid};
    return parse_stat(text, process);
}

/* The pid that an entry of /proc names, or 0. */
static pid_t
pid_of(const struct dirent *entry)
{
    char *end;
    long pid = strtol(entry->d_name, &end, 10);

    return *end == '\0' && pid > 0 && pid <= INT32_MAX ? (pid_t)pid : 0;
}

static size_t
count_processes(DIR *proc)
{
    size_t count = 0;

    for (;;) {
        const struct dirent *entry = readdir(proc);

        if (entry == NULL)
            break;
        count += pid_of(entry) != 0;
    }
    rewinddir(proc);
    return count;
}

static void
fill_table(struct table *table, DIR *proc)
{
    while (table->count < table->size) {
        const struct dirent *entry = readdir(proc);

        if (entry == NULL)
            break;

        pid_t pid = pid_of(entry);

        if (pid != 0 && read_process(pid, &table->rows[table->count]))
            table->count++;
    }
}

static int
by_pid(const void *a, const void *b)
{
    pid_t left = ((const struct process *)a)->pid;
    pid_t right = ((const struct process *)b)->pid;

    return (left > right) - (left < right);
}

static struct process *
find(const struct table *table, pid_t pid)
{
    struct process key = {.pid = pid};

    return bsearch(&key, table->rows, table->count, sizeof(key), by_pid);
}

static bool
is_stranger(const struct hf_below *below, const struct process *process)
{
    for (size_t i = 0; i < below->strangers_count; i++) {
        if (below->strangers[i] == process->pid &&
            below->starts[i] == process->start)
            return true;
    }
    return false;
}

/* Mark what descends from this process: children first, then whatever has a
 * marked parent, until nothing new is found. */
static void
mark_below(struct table *table, const struct hf_below *below)
{
    pid_t self = getpid();
    bool found = true;

    while (found) {
        found = false;
        for (size_t i = 0; i < table->count; i++) {
            struct process *process = &table->rows[i];

            if (process->below || is_stranger(below, process))
                continue;

            const struct process *parent = find(table, process->parent);

            process->below =
                process->parent == self || (parent != NULL && parent->below);
            found = found || process->below;
        }
    }
}

static bool
open_table(struct table *table, const struct hf_below *below)
{
    DIR *proc = opendir("/proc");

    if (proc == NULL)
        return false;

    size_t size = count_processes(proc) + TABLE_SLACK;
    void *rows =
        mmap(NULL, size * sizeof(struct process), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    *table = (struct table){.size = size};
    if (rows != MAP_FAILED) {
        table->rows = rows;
        fill_table(table, proc);
        qsort(table->rows, table->count, sizeof(struct process), by_pid);
        mark_below(table, below);
    }
    closedir(proc);
    /* We are in /proc ourselves, unless it is another namespace's. */
    return table->rows != NULL && find(table, getpid()) != NULL;
}

static void
close_table(struct table *table)
{
    if (table->rows != NULL)
        munmap(table->rows, table->size * sizeof(struct process));
}

/*
 * The process may have ended since, and its pid may be another's: hold on to
 * whatever has the pid now, then see that it is still the one that was found.
 */
static void
signal_process(const struct process *found, int signal)
{
    struct process now;
    int handle = (int)syscall(SYS_pidfd_open, found->pid, 0);

    if (handle < 0)
        return;
    if (read_process(found->pid, &now) && now.start == found->start)
        (void)syscall(SYS_pidfd_send_signal, handle, signal, NULL, 0);
    close(handle);
}

bool
hf_below_init(struct hf_below *below)
{
    const struct hf_below none = {.strangers_count = 0};
    struct table table = {.rows = NULL};
    siginfo_t info;
    bool fits = true;

    *below = none;
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        return false;
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return errno == ECHILD;

    if (open_table(&table, &none)) {
        for (size_t i = 0; i < table.count && fits; i++) {
            const struct process *process = &table.rows[i];

            if (process->parent != getpid())
                continue;
            fits = below->strangers_count < HF_BELOW_STRANGERS_MAX;
            if (!fits)
                break;
            below->strangers[below->strangers_count] = process->pid;
            below->starts[below->strangers_count++] = process->start;
        }
    }
    close_table(&table);
    if (!fits)
        errno = E2BIG;
    return fits;
}

bool
hf_below_signal(const struct hf_below *below, int signal)
{
    struct table table = {.rows = NULL};
    bool readable = open_table(&table, below);

    for (size_t i = 0; readable && i < table.count; i++) {
        if (table.rows[i].below && !table.rows[i].zombie)
            signal_process(&table.rows[i], signal);
    }
    close_table(&table);
    return readable;
}

bool
hf_below_look(const struct hf_below *below, struct hf_below_left *left)
{
    struct table table = {.rows = NULL};
    struct hf_below_left found = {.count = 0};
    bool readable = open_table(&table, below);

    for (size_t i = 0; readable && i < table.count; i++) {
        const struct process *process = &table.rows[i];

        if (!process->below || process->zombie)
            continue;
        if (found.count++ == 0) {
            found.pid = process->pid;
            memcpy(found.name, process->name, sizeof(found.name));
        }
    }
    close_table(&table);
    if (readable)
        *left = found;
    return readable;
}
