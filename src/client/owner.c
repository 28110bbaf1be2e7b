#include "client/owner.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"

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
