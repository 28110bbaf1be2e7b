#include "base/process.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/fd.h"
#include "base/proc.h"

/* The inode of the first time namespace, the same in every kernel that has
 * them (PROC_TIME_INIT_INO). */
#define FIRST_TIME_NAMESPACE 0xEFFFFFFAu

/* Start times count from the time namespace's own boot: they compare with
 * those of other processes in the first one only. */
static bool
start_times_compare(void)
{
    struct stat time_namespace;

    if (stat("/proc/self/ns/time", &time_namespace) != 0)
        return errno == ENOENT; /* a kernel without time namespaces */
    return time_namespace.st_ino == FIRST_TIME_NAMESPACE;
}

void
hf_process_host(struct hf_host *host)
{
    struct stat pid_namespace;
    char boot[HF_BOOT_MAX + 2];

    *host = (struct hf_host){0};
    if (gethostname(host->name, sizeof(host->name)) != 0)
        host->name[0] = '\0';
    host->name[HF_HOST_MAX] = '\0';

    if (hf_proc_text("/proc/sys/kernel/random/boot_id", boot, sizeof(boot))) {
        boot[HF_BOOT_MAX] = '\0';
        if (hf_process_is_boot_id(boot))
            memcpy(host->boot, boot, sizeof(host->boot));
    }
    if (hf_proc_is_ours() && start_times_compare() &&
        stat("/proc/self/ns/pid", &pid_namespace) == 0)
        host->pidns = pid_namespace.st_ino;
}

bool
hf_process_is_here(const struct hf_host *host, const char *boot, uint64_t pidns)
{
    return host->boot[0] != '\0' && host->pidns != 0 && host->pidns == pidns &&
           strcmp(host->boot, boot) == 0;
}

bool
hf_process_is_boot_id(const char *text)
{
    static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

    for (size_t i = 0; form[i] != '\0'; i++) {
        bool digit = (text[i] >= '0' && text[i] <= '9') ||
                     (text[i] >= 'a' && text[i] <= 'f');

        if (form[i] == 'x' ? !digit : text[i] != '-')
            return false;
    }
    return text[sizeof(form) - 1] == '\0';
}

static int
open_pidfd(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0u);
}

void
hf_process_survey(struct hf_process_survey *survey)
{
    struct stat pid_namespace;
    struct hf_host host;
    struct hf_proc first;
    int fd = open_pidfd(getpid());

    hf_process_host(&host);
    *survey = (struct hf_process_survey){
        .knows_boot = host.boot[0] != '\0',
        .knows_processes =
            hf_proc_is_ours() && stat("/proc/self/ns/pid", &pid_namespace) == 0,
        .knows_starts = start_times_compare(),
        .has_pidfds = fd >= 0,
        .sees_others = hf_proc_read(1, &first),
    };
    hf_fd_close(&fd);
}

static bool
is_pid(int64_t pid)
{
    return pid > 0 && pid <= INT32_MAX;
}

enum hf_status
hf_process_find(int64_t pid, struct hf_process *process, struct hf_error *error)
{
    struct hf_proc found;

    errno = 0;
    if (!is_pid(pid) || !hf_proc_read(pid, &found))
        return hf_fail(
            error, HF_E_UNAVAILABLE, "process %" PRId64 " cannot be read%s%s",
            pid, errno != 0 ? ": " : "", errno != 0 ? strerror(errno) : "");

    *process = (struct hf_process){pid, found.start};
    return HF_OK;
}

/* No pidfd is to be had: the number may still prove that it is gone. */
static enum hf_presence
judge_by_number(const struct hf_process *process)
{
    struct hf_proc now;

    if (kill((pid_t)process->pid, 0) != 0 && errno == ESRCH)
        return HF_PRESENCE_GONE;
    if (hf_proc_read(process->pid, &now) && now.start != process->start)
        return HF_PRESENCE_GONE;
    return HF_PRESENCE_UNKNOWN;
}

/* Has the process of this pidfd ended?  Every thread of it, that is. */
static bool
has_ended(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

    return poll(&poll_fd, 1, 0) == 1 && (poll_fd.revents & POLLIN) != 0;
}

/*
 * A pidfd was opened on the number after the holder had it.  If its process
 * ends, the holder is gone: the process is the holder, or has its number after
 * it.  The start time is read after the pidfd is open, so that if it is the
 * holder's, the pidfd is the holder's too.
 */
static enum hf_presence
judge_by_pidfd(const struct hf_process *process, int fd)
{
    struct hf_proc now;
    bool known = hf_proc_read(process->pid, &now);

    if (has_ended(fd) || (known && now.start != process->start))
        return HF_PRESENCE_GONE;
    /* Neither ended nor to be read: /proc hides it. */
    return known ? HF_PRESENCE_THERE : HF_PRESENCE_UNKNOWN;
}

static void
unfollow(struct hf_observed *observed)
{
    if (observed->followed)
        close(observed->fd);
    observed->followed = false;
}

/* Learn what can be learnt of a process of which nothing is known yet. */
static void
meet(struct hf_observed *observed)
{
    const struct hf_process *process = &observed->process;

    if (!is_pid(process->pid) || process->start == 0)
        return;

    if (!observed->followed) {
        observed->fd = open_pidfd((pid_t)process->pid);
        observed->followed = observed->fd >= 0;
    }
    observed->presence = observed->followed
                             ? judge_by_pidfd(process, observed->fd)
                             : judge_by_number(process);
}

static void
look_at(struct hf_observed *observed)
{
    switch (observed->presence) {
    case HF_PRESENCE_UNKNOWN:
        meet(observed);
        break;
    case HF_PRESENCE_THERE:
        if (has_ended(observed->fd))
            observed->presence = HF_PRESENCE_GONE;
        break;
    case HF_PRESENCE_GONE:
        break;
    }
    if (observed->presence == HF_PRESENCE_GONE)
        unfollow(observed);
}

void
hf_process_observe(struct hf_observation *observation,
                   const struct hf_process *processes, size_t count)
{
    *observation = (struct hf_observation){0};
    if (count > HF_PROCESSES_MAX)
        return;

    observation->count = count;
    for (size_t i = 0; i < count; i++)
        observation->each[i].process = processes[i];
    (void)hf_process_look(observation);
}

enum hf_presence
hf_process_look(struct hf_observation *observation)
{
    bool all_gone = observation->count > 0;
    bool one_there = false;

    for (size_t i = 0; i < observation->count; i++) {
        struct hf_observed *observed = &observation->each[i];

        look_at(observed);
        if (observed->presence != HF_PRESENCE_GONE)
            all_gone = false;
        if (observed->presence == HF_PRESENCE_THERE)
            one_there = true;
    }
    if (one_there)
        return HF_PRESENCE_THERE;
    return all_gone ? HF_PRESENCE_GONE : HF_PRESENCE_UNKNOWN;
}

size_t
hf_process_poll_fds(const struct hf_observation *observation,
                    struct pollfd *fds)
{
    size_t count = 0;

    for (size_t i = 0; i < observation->count; i++) {
        if (observation->each[i].followed)
            fds[count++] = (struct pollfd){.fd = observation->each[i].fd,
                                           .events = POLLIN};
    }
    return count;
}

void
hf_process_forget(struct hf_observation *observation)
{
    for (size_t i = 0; i < observation->count; i++)
        unfollow(&observation->each[i]);
    *observation = (struct hf_observation){0};
}

const char *
hf_presence_word(enum hf_presence presence)
{
    switch (presence) {
    case HF_PRESENCE_UNKNOWN:
        return "unknown";
    case HF_PRESENCE_THERE:
        return "there";
    case HF_PRESENCE_GONE:
        return "gone";
    }
    return "?";
}
