#include "say.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = HF_SAY_NOW_MAX };

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

/* The length of "holdfast: ", the text and a newline in `line`. */
HF_CLI_PRINTF(3, 0)
static size_t
compose(char *line, const char *before, const char *format, va_list args)
{
    int head = snprintf(line, LINE_MAX_BYTES, "holdfast: %s", before);

    if (head < 0)
        return 0;

    size_t len = (size_t)head;
    int rest = vsnprintf(line + len, LINE_MAX_BYTES - len - 1, format, args);

    if (rest > 0)
        len += strlen(line + len);
    line[len++] = '\n';
    return len;
}

void
hf_say(const char *format, ...)
{
    char line[LINE_MAX_BYTES];
    va_list args;

    va_start(args, format);
    size_t len = compose(line, "", format, args);
    va_end(args);
    (void)write_all(STDERR_FILENO, line, len);
}

void
hf_say_now(const char *format, ...)
{
    char line[LINE_MAX_BYTES];
    va_list args;

    if (would_block())
        return;
    va_start(args, format);
    size_t len = compose(line, "", format, args);
    va_end(args);
    (void)write_all(STDERR_FILENO, line, len);
}

void
hf_say_phrase(const struct hf_phrase *phrase)
{
    (void)write_all(STDERR_FILENO, phrase->text, phrase->len);
}

bool
hf_say_phrase_now(const struct hf_phrase *phrase)
{
    if (would_block())
        return false;
    (void)write_all(STDERR_FILENO, phrase->text, phrase->len);
    return true;
}

bool
hf_say_output(const struct hf_phrase *phrase)
{
    if (write_all(STDOUT_FILENO, phrase->text, phrase->len))
        return true;
    hf_say("cannot write the output: %s", strerror(errno));
    return false;
}

int
hf_say_usage(const char *verb, const char *format, ...)
{
    char line[LINE_MAX_BYTES];
    char before[32];
    va_list args;

    snprintf(before, sizeof(before), "%s%s", verb, *verb != '\0' ? ": " : "");
    va_start(args, format);
    size_t len = compose(line, before, format, args);
    va_end(args);
    (void)write_all(STDERR_FILENO, line, len);
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
