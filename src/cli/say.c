#include "say.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

    hf_text_init(&text, line, sizeof(line) - 1);
    hf_text_addf(&text, "holdfast: %s", before);
    hf_text_addv(&text, format, args);

    size_t len = hf_text_kept(&text);

    line[len++] = '\n';
    (void)write_all(STDERR_FILENO, line, len);
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
    (void)write_all(STDERR_FILENO, text->at, hf_text_kept(text));
}

bool
hf_say_text_now(const struct hf_text *text)
{
    if (would_block())
        return false;
    (void)write_all(STDERR_FILENO, text->at, hf_text_kept(text));
    return true;
}

bool
hf_say_output(const struct hf_text *text)
{
    if (write_all(STDOUT_FILENO, text->at, hf_text_kept(text)))
        return true;
    hf_say("cannot write the output: %s", strerror(errno));
    return false;
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
