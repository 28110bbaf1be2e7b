#ifndef HF_CLI_SAY_H
#define HF_CLI_SAY_H

#include <stdbool.h>

#include <holdfast/words.h>

#include "output.h"

/*
 * Say: whole lines on stderr that begin with "holdfast: ", each by one write.
 * Any thread.
 */

/*
 * Another writer may leave a line unended on stderr.  What we say then begins
 * a line of its own.  Where the last byte cannot be read, as that of a pipe,
 * there is an empty line.
 */
enum hf_say_others {
    HF_SAY_ALONE,  /* we alone write there; so it is at first */
    HF_SAY_BESIDE, /* the command does, from now on */
    HF_SAY_AFTER,  /* it did: that is of interest to our next text alone */
};

void hf_say_others(enum hf_say_others now);

/* The most that a pipe takes whole or not at all: PIPE_BUF. */
enum { HF_SAY_NOW_MAX = 4096 };

/* Exit codes beside those of words.h (sysexits.h, and the shell's). */
enum {
    HF_EXIT_NONE = 1,      /* it is free */
    HF_EXIT_NOT_WELL = 1,  /* a check of a place warns, or fails */
    HF_EXIT_USAGE = 64,    /* the command line is wrong */
    HF_EXIT_OURS = 70,     /* the system refused us something we need */
    HF_EXIT_ALIVE = 75,    /* not cleared: the holder shows life */
    HF_EXIT_LOST = 76,     /* lost while running */
    HF_EXIT_CANNOT = 126,  /* the command cannot be executed */
    HF_EXIT_MISSING = 127, /* no such command */
    HF_EXIT_SIGNAL = 128,  /* plus the signal's number */
};

HF_PRINTF(1, 2)
void hf_say(const char *format, ...);

/*
 * The same, but never waits for the reader of stderr: when that would block,
 * the line is dropped.  For callers that must not be late.
 */
HF_PRINTF(1, 2)
void hf_say_now(const char *format, ...);

/* Write it as it is, with one write: to stderr, to stdout, or to another. */
void hf_say_text(const struct hf_text *text);
bool hf_say_output(const struct hf_text *text);
bool hf_say_to(int fd, const struct hf_text *text);

/* To stdout: a line of JSON. */
bool hf_say_view(const struct hf_view *view);

/* To stderr, unless that would wait for its reader: then false, and nothing
 * was written.  At most HF_SAY_NOW_MAX bytes. */
bool hf_say_text_now(const struct hf_text *text);

/* Say that the command line of `verb` is wrong, and return 64. */
HF_PRINTF(2, 3)
int hf_say_usage(const char *verb, const char *format, ...);

/* Say why a call failed, and return its exit code. */
int hf_say_failure(const struct hf_error *error, enum hf_status status);

/* Take a waiting line, that may stand there, off the terminal. */
void hf_say_wipe(void);

/* "press Ctrl-C twice", or how one stops us where there is no keyboard. */
const char *hf_say_twice(void);
const char *hf_say_again(void);

/* Is stderr a terminal on which a line can be rewritten? */
bool hf_say_terminal(void);

#endif
