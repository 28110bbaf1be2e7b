#include "client/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text.h"

static void
fill_user(struct hf_owner *owner)
{
    char memory[4096];
    struct passwd entry;
    struct passwd *found = NULL;

    if (getpwuid_r(geteuid(), &entry, memory, sizeof(memory), &found) == 0 &&
        found != NULL)
        snprintf(owner->user, sizeof(owner->user), "%s", found->pw_name);
    else
        snprintf(owner->user, sizeof(owner->user), "uid %u",
                 (unsigned)geteuid());
}

/* /proc/self/cmdline with its NULs made spaces. */
static void
fill_own_command(struct hf_owner *owner)
{
    char line[HF_COMMAND_MAX + 1];
    ssize_t len = 0;
    int fd;

    do
        fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd >= 0) {
        do
            len = read(fd, line, sizeof(line));
        while (len < 0 && errno == EINTR);
        close(fd);
    }
    while (len > 0 && line[len - 1] == '\0')
        len--;
    for (ssize_t i = 0; i < len; i++)
        if (line[i] == '\0')
            line[i] = ' ';
    hf_text_show(owner->command, sizeof(owner->command), line,
                 len > 0 ? (size_t)len : 0);
}

static bool
is_there(pid_t pid)
{
    return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM);
}

static enum hf_status
fill_processes(const struct hf_owner_words *words, struct hf_owner *owner,
               struct hf_error *error)
{
    const pid_t self = getpid();
    const pid_t *pids = words->processes_count > 0 ? words->processes : &self;
    size_t count = words->processes_count > 0 ? words->processes_count : 1;

    if (count > HF_PROCESSES_MAX)
        return hf_fail(error, HF_E_INVALID, "more than %d processes",
                       HF_PROCESSES_MAX);
    for (size_t i = 0; i < count; i++) {
        if (!is_there(pids[i]))
            return hf_fail(error, HF_E_INVALID, "there is no process %ld",
                           (long)pids[i]);
        if (hf_process_find(pids[i], &owner->processes[i], NULL) != HF_OK) {
            owner->processes_count = 0;
            return HF_OK;
        }
        owner->processes_count++;
    }
    return HF_OK;
}

enum hf_status
hf_owner_fill(const struct hf_host *host, const struct hf_owner_words *words,
              struct hf_owner *owner, struct hf_error *error)
{
    const char *reason = words->reason == NULL ? "" : words->reason;

    *owner = (struct hf_owner){.pidns = host->pidns};
    snprintf(owner->host, sizeof(owner->host), "%s", host->name);
    snprintf(owner->boot, sizeof(owner->boot), "%s", host->boot);
    hf_text_show(owner->reason, sizeof(owner->reason), reason, strlen(reason));
    fill_user(owner);
    if (words->command == NULL)
        fill_own_command(owner);
    else
        hf_text_show(owner->command, sizeof(owner->command), words->command,
                     strlen(words->command));
    return fill_processes(words, owner, error);
}
