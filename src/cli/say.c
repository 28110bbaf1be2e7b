#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

static enum hf_say_others others;

static bool
write_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t done = write(fd, text, len);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        text += done;
        len -= (size_t)done;
    }
    return true;
}

/* Where the next byte of a file goes; -1: it is none, or none that we know. */
static off_t
end_of_file(void)
{
    struct stat file;

    if (fstat(STDERR_FILENO, &file) != 0 || !S_ISREG(file.st_mode))
        return -1;
    if ((fcntl(STDERR_FILENO, F_GETFL) & O_APPEND) != 0)
        return file.st_size;
    return lseek(STDERR_FILENO, 0, SEEK_CUR);
}

/* Would what is written now begin a line? */
static bool
begins_line(void)
{
    off_t end = others == HF_SAY_ALONE ? 0 : end_of_file();
    char last = '\n';
    int fd;

    if (end <= 0)
        return end == 0;
    fd = open("/proc/self/fd/2", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || pread(fd, &last, 1, end - 1) != 1)
        last = '\0';
    hf_fd_close(&fd);
    return last == '\n';
}

/* All of a line but its first byte, which is left for the end of another's. */
static void
write_line(char *line, size_t len)
{
    bool fresh = begins_line();

    line[0] = '\n';
    if (others == HF_SAY_AFTER)
        others = HF_SAY_ALONE;
    (void)write_all(STDERR_FILENO, line + fresh, len - fresh);
}

void
hf_say_others(enum hf_say_others now)
{
    others = now;
}

/* A pipe that polls writable takes HF_SAY_NOW_MAX bytes at once. */
static bool
would_block(void)
{
    struct pollfd end = {.fd = STDERR_FILENO, .events = POLLOUT};

    return poll(&end, 1, 0) != 1;
}

/* "holdfast: ", both texts and a newline, cut before that. */
HF_PRINTF(2, 0)
static void
say_line(const char *before, const char *format, va_list args)
{
    char line[HF_SAY_NOW_MAX];
    struct hf_text text;

    hf_text_init(&text, line + 1, sizeof(line) - 2);
    hf_text_addf(&text, "holdfast: %s", before);
    hf_text_addv(&text, format, args);

    size_t len = 1 + hf_text_kept(&text);

    line[len++] = '\n';
    write_line(line, len);
}

void
hf_say(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_line("", format, args);
    va_end(args);
}

void
hf_say_now(const char *format, ...)
{
    va_list args;

    if (would_block())
        return;
    va_start(args, format);
    say_line("", format, args);
    va_end(args);
}

void
hf_say_text(const struct hf_text *text)
{
    char line[1 + HF_OUTPUT_MAX];
    size_t len = hf_text_kept(text);

    memcpy(line + 1, text->at, len);
    write_line(line, 1 + len);
}

bool
hf_say_text_now(const struct hf_text *text)
{
    if (would_block())
        return false;
    hf_say_text(text);
    return true;
}

bool
hf_say_to(int fd, const struct hf_text *text)
{
    return write_all(fd, text->at, hf_text_kept(text));
}

bool
hf_say_output(const struct hf_text *text)
{
    if (hf_say_to(STDOUT_FILENO, text))
        return true;
    hf_say("cannot write the output: %s", strerror(errno));
    return false;
}

bool
hf_say_view(const struct hf_view *view)
{
    struct hf_text out = HF_OUTPUT_BUFFER;

    hf_output_view(&out, view);
    hf_text_add(&out, "\n");
    return hf_say_output(&out);
}

int
hf_say_usage(const char *verb, const char *format, ...)
{
    char before[32];
    va_list args;

    snprintf(before, sizeof(before), "%s%s", verb, *verb != '\0' ? ": " : "");
    va_start(args, format);
    say_line(before, format, args);
    va_end(args);
    return HF_EXIT_USAGE;
}

int
hf_say_failure(const struct hf_error *error, enum hf_status status)
{
    if (error->text[0] != '\0')
        hf_say("%s", error->text);
    else
        hf_say("%s", hf_status_sentence(status));
    return hf_status_exit(status);
}

void
hf_say_wipe(void)
{
    static const char wipe[] = "\r\033[K";

    if (hf_say_terminal() && !would_block())
        (void)write_all(STDERR_FILENO, wipe, sizeof(wipe) - 1);
}

bool
hf_say_terminal(void)
{
    const char *kind = getenv("TERM");

    return isatty(STDERR_FILENO) == 1 && kind != NULL &&
           strcmp(kind, "dumb") != 0;
}

const char *
hf_say_twice(void)
{
    return isatty(STDERR_FILENO) == 1 ? "press Ctrl-C twice"
                                      : "send SIGTERM twice";
}

const char *
hf_say_again(void)
{
    return isatty(STDERR_FILENO) == 1 ? "press Ctrl-C again"
                                      : "send SIGTERM again";
}
