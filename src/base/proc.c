#include "base/proc.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"

enum {
    STAT_MAX = 4096,   /* bytes of /proc/PID/stat: 52 numbers and a name */
    STATUS_MAX = 8192, /* of /proc/self/status, up to its NSpid line */
};

/* The fields of /proc/PID/stat behind the name, as proc(5) counts them. */
enum {
    NAME_FIELD = 2,
    PARENT_FIELD = 4,
    THREADS_FIELD = 20,
    START_FIELD = 22,
};

bool
hf_proc_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len;

    if (fd < 0)
        return false;
    do {
        len = read(fd, text, size - 1);
    } while (len < 0 && errno == EINTR);
    hf_fd_close(&fd);
    if (len < 0)
        return false;
    text[len] = '\0';
    return true;
}

/* A decimal number and nothing before it; *end is what follows. */
static bool
read_number(const char *text, uint64_t *number, const char **end)
{
    char *after;
    unsigned long long value;

    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    value = strtoull(text, &after, 10);
    if (errno != 0)
        return false;
    *number = value;
    *end = after;
    return true;
}

/* A field of /proc/PID/stat that is a number, in what follows the name. */
static bool
read_field(const char *rest, int field, uint64_t *number)
{
    const char *end;

    for (int at = NAME_FIELD; at < field; at++) {
        rest = strchr(rest, ' ');
        if (rest == NULL)
            return false;
        rest++;
    }
    return read_number(rest, number, &end) && *end == ' ';
}

/*
 * The name may hold spaces, parentheses and line ends, but nothing after it
 * does: so the last parenthesis ends it.
 */
static bool
read_stat(const char *stat, struct hf_proc *process)
{
    const char *open = strchr(stat, '(');
    const char *close = strrchr(stat, ')');
    struct hf_proc found = {.pid = process->pid};
    uint64_t parent;
    uint64_t threads;

    if (open == NULL || close == NULL || close < open || close[1] != ' ')
        return false;
    if (!read_field(close, PARENT_FIELD, &parent) || parent > INT32_MAX ||
        !read_field(close, THREADS_FIELD, &threads) ||
        !read_field(close, START_FIELD, &found.start) || found.start == 0)
        return false;

    bool zombie = close[2] == 'Z' || close[2] == 'X';

    found.parent = (int64_t)parent;
    found.blocked = close[2] == 'D';
    found.ended = zombie && threads <= 1; /* the last to be counted is dead */
    snprintf(found.name, sizeof(found.name), "%.*s", (int)(close - open - 1),
             open + 1);
    *process = found;
    return true;
}

bool
hf_proc_read(int64_t pid, struct hf_proc *process)
{
    struct hf_proc found = {.pid = pid};
    char path[64];
    char stat[STAT_MAX];

    snprintf(path, sizeof(path), "/proc/%" PRId64 "/stat", pid);
    if (!hf_proc_text(path, stat, sizeof(stat)))
        return false;
    errno = 0;
    if (!read_stat(stat, &found))
        return false;
    *process = found;
    return true;
}

int64_t
hf_proc_self(void)
{
    char text[24];
    ssize_t len = readlink("/proc/self", text, sizeof(text) - 1);
    uint64_t pid;
    const char *end;

    if (len <= 0)
        return 0;
    text[len] = '\0';
    if (!read_number(text, &pid, &end) || *end != '\0' || pid > INT32_MAX)
        return 0;
    return (int64_t)pid;
}

/* NSpid lists this process's number from the namespace of /proc inwards, so
 * it must be one. */
bool
hf_proc_is_ours(void)
{
    static const char name[] = "\nNSpid:\t";
    char status[STATUS_MAX];
    const char *line;
    const char *end;
    uint64_t pid;

    if (!hf_proc_text("/proc/self/status", status, sizeof(status)))
        return false;
    line = strstr(status, name);
    return line != NULL && read_number(line + strlen(name), &pid, &end) &&
           *end == '\n' && pid == (uint64_t)getpid();
}
