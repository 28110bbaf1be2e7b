#include "history/log.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fd.h"

bool
history_log_open(struct history_log *log, const char *path)
{
    log->fd =
        open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return log->fd >= 0;
}

int64_t
history_now_ns(void)
{
    struct timespec now;

    HF_CHECK(clock_gettime(CLOCK_BOOTTIME, &now) == 0);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void
history_log_write(const struct history_log *log, struct note note)
{
    char line[HISTORY_LINE_MAX];
    struct hf_text text;

    if (log->fd < 0)
        return;
    if (note.at_ns == 0)
        note.at_ns = history_now_ns();
    hf_text_init(&text, line, sizeof(line));
    note_write(&text, &note);
    HF_CHECK(!hf_text_cut(&text));
    HF_CHECK(write(log->fd, line, text.len) == (ssize_t)text.len);
}

void
history_log_close(struct history_log *log)
{
    hf_fd_close(&log->fd);
}
