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

/* ---- This process -------------------------------------------------------- */

static void
learn_user(struct hf_self *self)
{
    char memory[4096];
    struct passwd entry;
    struct passwd *found = NULL;

    if (getpwuid_r(geteuid(), &entry, memory, sizeof(memory), &found) == 0 &&
        found != NULL)
        snprintf(self->user, sizeof(self->user), "%s", found->pw_name);
    else
        snprintf(self->user, sizeof(self->user), "uid %u", (unsigned)geteuid());
}

/* /proc/self/cmdline with its NULs made spaces. */
static void
learn_command(struct hf_self *self)
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
    hf_text_show(self->command, sizeof(self->command), line,
                 len > 0 ? (size_t)len : 0);
}

void
hf_self_learn(struct hf_self *self)
{
    *self = (struct hf_self){.process = {.pid = getpid()}};
    hf_process_host(&self->host);
    learn_user(self);
    learn_command(self);
    if (hf_process_find(getpid(), &self->process, NULL) != HF_OK)
        self->process.start = 0;
}

/* ---- A claimant ---------------------------------------------------------- */

static bool
is_there(int64_t pid)
{
    return kill((pid_t)pid, 0) == 0 || errno == EPERM;
}

enum hf_status
hf_owner_find(struct hf_settings *settings, struct hf_error *error)
{
    struct hf_process *processes = settings->processes;

    for (size_t i = 0; i < settings->processes_count; i++) {
        if (!is_there(processes[i].pid))
            return hf_fail(error, HF_E_INVALID, "there is no process %lld",
                           (long long)processes[i].pid);
        if (hf_process_find(processes[i].pid, &processes[i], NULL) != HF_OK)
            processes[i].start = 0;
    }
    return HF_OK;
}

/* All of them or none: the end of some must never be taken for the end of
 * all. */
static void
fill_processes(const struct hf_self *self, const struct hf_settings *settings,
               struct hf_owner *owner)
{
    const struct hf_process *processes = &self->process;
    size_t count = 1;

    if (settings->processes_count > 0) {
        processes = settings->processes;
        count = settings->processes_count;
    }
    for (size_t i = 0; i < count; i++)
        if (processes[i].start == 0)
            return;
    memcpy(owner->processes, processes, count * sizeof(*processes));
    owner->processes_count = count;
}

void
hf_owner_fill(const struct hf_self *self, const struct hf_settings *settings,
              int64_t since_ms, struct hf_owner *owner)
{
    const char *command =
        settings->command == NULL ? self->command : settings->command;
    const char *reason = settings->reason == NULL ? "" : settings->reason;

    *owner = (struct hf_owner){
        .since_ms = since_ms,
        .pidns = self->host.pidns,
    };
    memcpy(owner->host, self->host.name, sizeof(owner->host));
    memcpy(owner->boot, self->host.boot, sizeof(owner->boot));
    memcpy(owner->user, self->user, sizeof(owner->user));
    hf_text_show(owner->command, sizeof(owner->command), command,
                 strlen(command));
    hf_text_show(owner->reason, sizeof(owner->reason), reason, strlen(reason));
    fill_processes(self, settings, owner);
}
