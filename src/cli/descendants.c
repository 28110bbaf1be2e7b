#include "descendants.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/proc.h"

enum {
    /* New processes may appear between counting them and reading them. */
    TABLE_SLACK = 256,
    /* Children in one look without /proc; to find all, look again. */
    CHILDREN_MAX = 1024,
    /* No pid is higher, whatever the system is set to (PID_MAX_LIMIT). */
    PID_LIMIT = 4 * 1024 * 1024,
};

/* `start` is 0 where no /proc tells. */
static bool
is_stranger(const struct hf_descendants *descendants, int64_t pid,
            uint64_t start)
{
    for (size_t i = 0; i < descendants->strangers_count; i++) {
        if (descendants->strangers[i] == pid &&
            (start == 0 || descendants->starts[i] == start))
            return true;
    }
    return false;
}

static bool
add_stranger(struct hf_descendants *descendants, int64_t pid, uint64_t start)
{
    size_t at = descendants->strangers_count;

    if (at == HF_DESCENDANTS_STRANGERS_MAX)
        return false;
    descendants->strangers[at] = pid;
    descendants->starts[at] = start;
    descendants->strangers_count++;
    return true;
}

/* ---- With a /proc that shows us ----------------------------------------- */

struct family_row {
    struct hf_proc process;
    bool descends;
};

struct table {
    struct family_row *rows; /* owned: a mapping of `size` rows */
    size_t size;
    size_t count;
    int64_t self; /* our own number in it */
};

/* The number that an entry of /proc names, or 0. */
static int64_t
pid_of(const struct dirent *entry)
{
    char *end;
    long pid = strtol(entry->d_name, &end, 10);

    return *end == '\0' && pid > 0 && pid <= INT32_MAX ? pid : 0;
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

        int64_t pid = pid_of(entry);

        if (pid != 0 && hf_proc_read(pid, &table->rows[table->count].process))
            table->count++;
    }
}

static int
by_pid(const void *a, const void *b)
{
    int64_t left = ((const struct family_row *)a)->process.pid;
    int64_t right = ((const struct family_row *)b)->process.pid;

    return (left > right) - (left < right);
}

static const struct family_row *
find(const struct table *table, int64_t pid)
{
    struct family_row key = {.process = {.pid = pid}};

    return bsearch(&key, table->rows, table->count, sizeof(key), by_pid);
}

/* Mark what descends from this process: children first, then whatever has a
 * marked parent, until nothing new is found. */
static void
mark_descendants(struct table *table, const struct hf_descendants *descendants)
{
    bool found = true;

    while (found) {
        found = false;
        for (size_t i = 0; i < table->count; i++) {
            struct family_row *row = &table->rows[i];
            const struct hf_proc *process = &row->process;

            if (row->descends ||
                is_stranger(descendants, process->pid, process->start))
                continue;

            const struct family_row *parent = find(table, process->parent);

            row->descends = process->parent == table->self ||
                            (parent != NULL && parent->descends);
            found = found || row->descends;
        }
    }
}

static void
close_table(struct table *table)
{
    if (table->rows != NULL)
        munmap(table->rows, table->size * sizeof(struct family_row));
    table->rows = NULL;
}

/* False when /proc is of no use: not there, or of a namespace that we are not
 * in.  Nothing is open then. */
static bool
open_table(struct table *table, const struct hf_descendants *descendants)
{
    *table = (struct table){.self = hf_proc_self()};

    DIR *proc = table->self != 0 ? opendir("/proc") : NULL;

    if (proc == NULL)
        return false;
    table->size = count_processes(proc) + TABLE_SLACK;

    void *rows =
        mmap(NULL, table->size * sizeof(struct family_row),
             PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (rows != MAP_FAILED) {
        table->rows = rows;
        fill_table(table, proc);
        qsort(table->rows, table->count, sizeof(struct family_row), by_pid);
        mark_descendants(table, descendants);
    }
    closedir(proc);
    if (table->rows != NULL && find(table, table->self) != NULL)
        return true;
    close_table(table);
    return false;
}

/*
 * The process may have ended since, and its number may be another's: hold on
 * to whatever has it now, then see that it is still the one that was found.
 * Its folder is the handle, since its number may mean another one to us than
 * to /proc.
 */
static void
signal_process(const struct hf_proc *found, int signal)
{
    struct hf_proc now;
    char path[32];

    snprintf(path, sizeof(path), "/proc/%" PRId64, found->pid);
    int handle = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0)
        return;
    if (hf_proc_read(found->pid, &now) && now.start == found->start)
        (void)syscall(SYS_pidfd_send_signal, handle, signal, NULL, 0);
    close(handle);
}

/* ---- Without ------------------------------------------------------------ */

struct children {
    pid_t pids[CHILDREN_MAX];
    size_t count;
};

/* Children that run and have a number above `from`, up to `to`.  The number
 * of a child is not given out again before the child is reaped. */
static void
find_children_among(struct children *children,
                    const struct hf_descendants *descendants, pid_t from,
                    pid_t to)
{
    while (from < to && children->count < CHILDREN_MAX) {
        siginfo_t info = {.si_pid = 0};
        pid_t pid = ++from;

        if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid == 0 && !is_stranger(descendants, pid, 0))
            children->pids[children->count++] = pid;
    }
}

/* The number that was given out last: the next process's.  That is forked
 * with no signal for its end, since SIGCHLD would wake a caller that rests
 * between two looks. */
static pid_t
newest_pid(void)
{
    pid_t pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);

    if (pid == 0)
        _exit(0);
    if (pid < 0)
        return PID_LIMIT;
    while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
        continue;
    return pid;
}

/*
 * Numbers are given out in turn, and children are younger than we are: so they
 * are between us and the newest, unless the turn has begun again since.  That
 * is believed, as it takes seconds, when there are children to be found and
 * none to be reaped.
 */
static void
find_children(struct children *children,
              const struct hf_descendants *descendants)
{
    siginfo_t ended = {.si_pid = 0};

    children->count = 0;
    find_children_among(children, descendants, getpid(), newest_pid());
    if (children->count == 0 &&
        waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        ended.si_pid == 0)
        find_children_among(children, descendants, 0, PID_LIMIT);
}

/* The number of the command's group is not given to another as long as a
 * child of ours is in it. */
static void
signal_children(const struct hf_descendants *descendants, int signal)
{
    struct children children;
    bool group = false;

    find_children(&children, descendants);
    for (size_t i = 0; i < children.count; i++) {
        pid_t pid = children.pids[i];

        if (descendants->group != 0 && getpgid(pid) == descendants->group)
            group = true;
        else
            (void)kill(pid, signal);
    }
    if (group)
        (void)kill(-descendants->group, signal);
}

/* ---- Either way ---------------------------------------------------------- */

/* Find the processes that descend from us before we have started any.  A
 * process that lost its parent during a look is found by the next one, so
 * look until no more are found. */
static bool
note_strangers(struct hf_descendants *descendants)
{
    struct table table;
    struct children children = {.count = 0};
    bool fits = true;
    bool seen = false;

    while (fits && open_table(&table, descendants)) {
        size_t known = descendants->strangers_count;

        for (size_t i = 0; i < table.count && fits; i++) {
            const struct hf_proc *process = &table.rows[i].process;

            if (table.rows[i].descends)
                fits = add_stranger(descendants, process->pid, process->start);
        }
        close_table(&table);
        seen = true;
        if (descendants->strangers_count == known)
            break;
    }
    if (seen)
        return fits;
    find_children_among(&children, descendants, 0, PID_LIMIT);
    for (size_t i = 0; i < children.count && fits; i++)
        fits = add_stranger(descendants, children.pids[i], 0);
    return fits;
}

bool
hf_descendants_init(struct hf_descendants *descendants)
{
    siginfo_t info;

    *descendants = (struct hf_descendants){.strangers_count = 0};
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        return false;
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return errno == ECHILD;
    if (note_strangers(descendants))
        return true;
    errno = E2BIG;
    return false;
}

void
hf_descendants_signal(const struct hf_descendants *descendants, int signal)
{
    struct table table;

    if (!open_table(&table, descendants)) {
        signal_children(descendants, signal);
        return;
    }
    for (size_t i = 0; i < table.count; i++) {
        if (table.rows[i].descends)
            signal_process(&table.rows[i].process, signal);
    }
    close_table(&table);
}

void
hf_descendants_look(const struct hf_descendants *descendants,
                    struct hf_descendants_left *left)
{
    struct hf_descendants_left found = {.count = 0};
    struct table table;
    struct children children;

    if (!open_table(&table, descendants)) {
        find_children(&children, descendants);
        found.count = children.count;
        found.pid = children.count > 0 ? children.pids[0] : 0;
        *left = found;
        return;
    }
    for (size_t i = 0; i < table.count; i++) {
        const struct hf_proc *process = &table.rows[i].process;

        if (!table.rows[i].descends || process->ended)
            continue;
        if (found.count++ == 0) {
            found.pid = hf_proc_is_ours() ? process->pid : 0;
            memcpy(found.name, process->name, sizeof(found.name));
        }
    }
    close_table(&table);
    *left = found;
}
