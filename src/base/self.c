#include "base/self.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

#include "base/text.h"

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
